"""Choosing an algorithm for a new map: run some on a few of its problems, and predict the others from old maps.

This is the use that per-map-selection-2016 has in mind (Section 7). The means of the sampled algorithms on the new map
and the means of all algorithms on old maps determine the predicted means of the others; the algorithm with the lowest
known or predicted mean is the own choice of the map. Whether it is better than the common choice, the best on the old
maps, is decided on problems of the new map by which it was not chosen; an algorithm that was only predicted is run for
that.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove import data
from permove.agents.specs import parse
from permove.analysis.held_out import LEVEL, Folded
from permove.common.checks import in_range
from permove.common.errors import InputError
from permove.common.option_fields import read
from permove.common.random_numbers import stream
from permove.common.units import format_duration
from permove.data.random_suites import map_suite
from permove.records.settings import Settings
from permove.report.document import Block, Document, Rows, present
from permove.report.formats import ReportFormat, number
from permove.runs.execute import execute
from permove.runs.execution_options import Execution
from permove.runs.run import Run
from permove.select import space
from permove.select.explore import ALPHA, REFERENCES
from permove.select.factorization import Basis, on_one_thread
from permove.select.matrix import Matrix
from permove.select.selection import MIN_COLUMNS, RUN, by_map, ranked

Values = NDArray[np.float64]
Indices = NDArray[np.intp]

TRIALS, SAMPLED = 30, RUN[0]
"""Default numbers of problems on the new map, and of algorithms that run on them."""

MIN_TRIALS = 4

MAX_ROWS = 20
"""Maximum number of algorithms that are shown; JSON and CSV have all."""


@dataclass(frozen=True)
class Choice:
    """The choice of an algorithm for a map."""

    title: str
    frame: pl.DataFrame
    """Agent, label, `suboptimality` with its standard error if it ran on the map, `predicted` if it did not, and
    `choice`: "own", "common" or both; the best first."""
    agent: str
    label: str
    """The recommended algorithm."""
    facts: dict[str, Any]
    """The scores of the recommended, the own and the common choice, and the cost of finding it."""
    run: Run

    @property
    def sentences(self) -> list[str]:
        """The choice, whether an own choice beats the common one, and the cost."""
        own, common = ({**self.facts[name]} for name in ("own", "common"))
        low, high = number(self.facts["suboptimality_low"]), number(self.facts["suboptimality_high"])
        sentences = [
            f"Recommended: {self.label}, mean suboptimality {number(self.facts['suboptimality'])} ({low} to {high}, "
            f"95%) on {self.facts['problems']:,} problems."
        ]
        if own["agent"] == common["agent"]:
            sentences.append(
                "The best algorithm on old maps is also the best choice for this map: "
                f"{number(own['in_sample'])} in-sample, and choices by other problems have "
                f"{number(own['held_out'])} held out."
            )
        else:
            verb = "beats" if self.facts["pays"] else "does not beat"
            sentences.append(
                f"The own choice, {own['label']}, {verb} the common one, {common['label']}, on held-out problems of "
                f"the map: {number(own['in_sample'])} in-sample and {number(own['held_out'])} held out, against "
                f"{number(common['in_sample'])}; the common choice loses {self.facts['loss']:.3g} "
                f"({self.facts['loss_low']:.3g} to {self.facts['loss_high']:.3g})."
            )
        sentences.append(
            f"Cost: {self.facts['runs']:,} runs of {self.facts['algorithms']:,} algorithms, "
            f"{self.facts['expanded']:,} expanded states, {format_duration(self.facts['time_ns'])} of search; the "
            f"command took {format_duration(self.facts['took_ns'])}."
        )
        return sentences

    def show(self, format: ReportFormat | str = ReportFormat.TABLE, output: Path | None = None) -> None:
        """Print the choice, or write it to a file."""
        rows = [
            [
                row["label"],
                number(row["suboptimality"]) + ("" if row["se"] is None else f" ± {row['se']:.2g}"),
                number(row["predicted"]),
                row["choice"] or "",
            ]
            for row in self.frame.head(MAX_ROWS).iter_rows(named=True)
        ]
        rest = self.frame.height - MAX_ROWS
        blocks: list[Block] = [
            *self.sentences,
            Rows(["algorithm", "measured", "predicted", "choice"], [False, True, True, False], rows),
            *([f"{rest:,} more algorithms; --format json and --format csv have all."] if rest > 0 else []),
        ]
        facts = [
            pl.lit(value).alias(name) for name, value in self.facts.items() if name in ("runs", "expanded", "time_ns")
        ]
        present(Document(self.title, blocks), self.frame.with_columns(facts), format, output)


def choose(
    map: str | Path,
    matrix: Sequence[Run] = (),
    *,
    trials: int = TRIALS,
    algorithms: int | None = None,
    seed: int = 0,
    **execution: Any,
) -> Choice:
    """Choose an algorithm for a map, a file or, with a matrix, the name of a map of its suite.

    `algorithms` agents of the `matrix`, the runs of some agents on other maps, run on `trials` problems of the map.
    Without a matrix, they are random algorithms of the space, and nothing is predicted. Further keywords are execution
    options of `permove.run`: `out`, `jobs`, `engine`, ...
    """
    started = time.perf_counter()
    in_range("trials", trials, MIN_TRIALS)
    in_range("seed", seed, 0)
    if algorithms is not None:
        in_range("algorithms", algorithms, 2)
    old = _Old.of(matrix, str(map), algorithms or SAMPLED, seed)
    suite = _problems(map, matrix, trials, seed, old.diagonal)
    run = partial(execute, suite, settings=old.settings, choice=data.Choice(), execution=read(Execution, execution))
    names = {name: at for at, name in enumerate(old.agents)}
    sample = _sample(len(old.agents), (algorithms or SAMPLED) if matrix else len(old.agents), old.common, seed)
    result = run(specs=[parse(old.agents[at]) for at in sample])
    values = _measured(result, names, sample)
    folded = Folded(values, np.zeros(values.shape[1], np.intp), [str(map)], seed=seed)
    with on_one_thread():
        predicted = [old.predicted(values[:, folded.fold_of != fold]) for fold in np.unique(folded.fold_of)]
        overall = old.predicted(values)
    own, by_fold = int(overall.argmin()), np.array([int(each.argmin()) for each in predicted])
    missing = sorted({own, *by_fold.tolist()} - set(sample))
    if missing:
        result = run(specs=[parse(old.agents[at]) for at in missing], execution=_same_folder(execution, result))
        values = _measured(result, names, [*sample, *missing])
    place = np.arange(values.shape[1])
    outside = np.stack([values[old.common], values[by_fold[folded.fold_of], place]])
    compared = folded.loss(outside)
    pays = own != old.common and compared["p"] is not None and compared["p"] <= LEVEL
    chosen = own if pays else old.common
    ran = _complete(values)
    records = result.records.filter(pl.col("agent").is_in([old.agents[at] for at in np.flatnonzero(ran)]))
    facts = {
        "agent": old.agents[chosen],
        **Folded(values, np.zeros(values.shape[1], np.intp), [str(map)], seed=seed).score_of(chosen, place),
        "problems": values.shape[1],
        "pays": pays,
        "own": old.named(own) | {"in_sample": float(values[own].mean()), "held_out": float(outside[1].mean())},
        "common": old.named(old.common) | {"in_sample": float(outside[0].mean())},
        **compared,
        "algorithms": int(ran.sum()),
        "runs": records.height,
        "expanded": int(records["expanded"].sum()),
        "time_ns": int(records["time_ns"].sum()),
        "took_ns": round((time.perf_counter() - started) * 1e9),
    }
    title = f"An algorithm for {map}: {int(ran.sum()):,} of {len(old.agents):,} algorithms run, {old.about}"
    return Choice(title, old.table(values, overall, own), old.agents[chosen], old.labels[chosen], facts, result)


@dataclass(frozen=True)
class _Old:
    """What is known from old maps."""

    agents: list[str]
    labels: list[str]
    means: Values
    """Algorithms × old maps; no maps without a matrix."""
    common: int
    """The number of the best algorithm on old maps; without a matrix, that of an algorithm designed by people."""
    settings: Settings
    diagonal: str
    basis: Basis | None
    about: str

    @classmethod
    def of(cls, matrix: Sequence[Run], map: str, sampled: int, seed: int) -> "_Old":
        if not matrix:
            agents = [*space.sample(sampled, seed), *map_specs(REFERENCES)]
            names, labels = [each.spec for each in agents], [each.label for each in agents]
            settings = Settings.of({"alpha": ALPHA, "seed": seed})
            about = "nothing predicted"
            return cls(names, labels, np.zeros((len(agents), 0)), len(agents) - 1, settings, "free", None, about)
        found = Matrix.of(matrix, every=True)
        means, weights, names = by_map(found)
        # The map itself may be in the matrix; what is known about it would not be held out.
        is_old = np.array([name not in _keys(map, found) for name in names])
        if int(is_old.sum()) < MIN_COLUMNS:
            raise InputError(
                f"the matrix has {int(is_old.sum())} maps other than {map}, but a prediction needs at least "
                f"{MIN_COLUMNS}; use runs on more maps"
            )
        means, weights = means[:, is_old], weights[is_old]
        agents_known = np.flatnonzero((~np.isnan(means)).sum(axis=1)).tolist()
        means = means[agents_known]
        with on_one_thread():
            basis = Basis.of(means)
        return cls(
            [found.agents[at] for at in agents_known],
            [found.labels[at] for at in agents_known],
            means,
            int(ranked(means, weights)[0]),
            matrix[0].settings,
            matrix[0].manifest.suite.rules["diagonal"],
            basis,
            f"the others predicted from {int(is_old.sum()):,} maps",
        )

    def predicted(self, values: Values) -> Values:
        """Return the mean of each algorithm on the new map: known, predicted or, without a prediction, infinite."""
        known = _complete(values)
        means = np.where(known, np.where(known[:, None], values, 0).mean(axis=1), np.nan)
        if self.basis is None:
            return np.where(known, means, np.inf)
        guess = self.basis.predicted(means[:, None], known[:, None])[:, 0]
        return np.where(known, means, guess)

    def named(self, at: int) -> dict[str, Any]:
        """Return an algorithm and its label."""
        return {"agent": self.agents[at], "label": self.labels[at]}

    def table(self, values: Values, predicted: Values, own: int) -> pl.DataFrame:
        """Return the frame of a `Choice`."""
        ran = _complete(values)
        rows = []
        for at, guess in enumerate(predicted.tolist()):
            roles = [name for name, which in (("own", own), ("common", self.common)) if at == which]
            mean, error = (
                (values[at].mean(), values[at].std(ddof=1) / math.sqrt(values.shape[1])) if ran[at] else (None,) * 2
            )
            measured = {"suboptimality": mean, "se": error, "predicted": None if ran[at] else guess}
            rows.append(self.named(at) | measured | {"choice": " and ".join(roles) or None})
        schema = {"suboptimality": pl.Float64, "se": pl.Float64, "predicted": pl.Float64, "choice": pl.String}
        frame = pl.DataFrame(rows, schema_overrides=schema)
        return frame.sort(pl.coalesce("suboptimality", "predicted"), "agent")


def map_specs(specs: Sequence[str]) -> list[Any]:
    """Return the agents of some specs."""
    return [parse(spec) for spec in specs]


def _keys(map: str, matrix: Matrix) -> set[str]:
    """Return the names by which a matrix has a map."""
    name = Path(map).stem if map.endswith(".map") else map
    names, _ = matrix.maps
    return {key for key in names if name in (key, key.partition("/")[2])}


def _problems(map: str | Path, matrix: Sequence[Run], trials: int, seed: int, diagonal: str) -> data.Suite:
    """Return the problems of the new map: random ones on a file, or some of those of the suite of a matrix."""
    path = Path(map)
    if path.is_file():
        drawn = map_suite(path, trials, seed, diagonal)
        try:
            _ = drawn.problems
        except InputError as error:
            raise InputError(f"{map} has too few problems: {error}; use fewer --trials, or a larger map") from None
        return drawn
    if not matrix:
        raise InputError(f"there is no file {map}; use a .map file or, with --from, the name of a map of its suite")
    facts = matrix[0].manifest.suite
    suite = data.load(facts.name)
    known = {name for key in suite.maps for name in (key, key.partition("/")[2])}
    if str(map).removesuffix(".map") not in known:
        raise InputError(
            f"the matrix {matrix[0].folder} has other maps: neither is {map} a map of its suite {facts.name} nor a "
            "file; use the name of a map of the suite, or the path of a .map file"
        )
    own = suite.only_maps([str(map)])
    if own.problems.height < trials:
        raise InputError(
            f"{map} has {own.problems.height:,} problems in {facts.name}, expected at least {trials:,}; use --trials "
            f"{own.problems.height} or less, or the path of its file, on which random problems are drawn"
        )
    return own.limit(trials, seed)


def _sample(count: int, sampled: int, common: int, seed: int) -> list[int]:
    """Return the algorithms that run on the new map: the common choice, and others at random."""
    order = np.argsort(stream(seed, "choose", count), kind="stable")
    others = order[order != common][: sampled - 1]
    return sorted([common, *others.tolist()])


def _same_folder(execution: dict[str, Any], run: Run) -> Execution:
    return replace(read(Execution, execution), out=run.folder)


def _measured(run: Run, names: dict[str, int], chosen: Sequence[int]) -> Values:
    """Return algorithms × problems of the new map; NaN except for some algorithms: the folder may have others."""
    found = Matrix.of([run], every=True)
    values = np.full((len(names), found.values.shape[1]), np.nan)
    for agent, row in zip(found.agents, found.values, strict=True):
        if names.get(agent) in chosen:
            values[names[agent]] = row
    return values


def _complete(values: Values) -> NDArray[np.bool_]:
    """Return for each row whether all its values are known."""
    complete: NDArray[np.bool_] = np.logical_not(np.isnan(values).any(axis=1))
    return complete
