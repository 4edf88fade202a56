"""Exploring the space of algorithms: batches of a hundred algorithms run on the same sample of problems (Section 5).

An exploration is an ordinary run, made in batches that share a folder. Each batch of algorithms has its own sample of
problems. An interrupted exploration can be resumed. The numbers of algorithms and batches determine the algorithms and
the problems, so several machines can share the work.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from permove import data
from permove.agents.specs import AgentSpec, parse
from permove.common.checks import in_range, one_of
from permove.common.errors import InputError
from permove.common.option_fields import read
from permove.records.settings import Settings
from permove.runs.execute import execute
from permove.runs.execution_options import Execution
from permove.runs.run import Interrupted, Run
from permove.select.scores import scores
from permove.select.space import NAME, Lop, Point, chosen, mutated, random_point

SUITE = "movingai/all@free"
"""The problems of the paper, under the diagonal rule that yields the number of problems that it reports."""

ALGORITHMS, PROBLEMS, BATCH, ALPHA = 500, 5000, 100, 1000.0

REFERENCES = ("rta(ties=nw)", "da-lrta(E=yes)")
"""Algorithms designed by people, RTA* and daLRTA*+E, with the tie-breaking of the space."""

SURVIVORS = 0.2
"""The share of a generation that survives and has children."""


class Optimizer(StrEnum):
    """Methods of choosing the algorithms of a batch."""

    RANDOM = "random"
    EVOLUTION = "evolution"


@dataclass(frozen=True)
class Plan:
    """The algorithms of an exploration and their problems."""

    algorithms: int = ALGORITHMS
    problems: int = PROBLEMS
    batch: int = BATCH
    seed: int = 0
    first: int = 0
    lop: Lop = Lop.ROUNDED
    optimizer: Optimizer = Optimizer.RANDOM

    @classmethod
    def checked(
        cls, algorithms: int, problems: int, batch: int, seed: int, first: int, lop: Lop, optimizer: Optimizer
    ) -> "Plan":
        """Return a plan after checking the options of a user."""
        in_range("algorithms", algorithms, 1)
        in_range("problems", problems, 1)
        in_range("batch", batch, 1)
        in_range("first", first, 0)
        in_range("seed", seed, 0)
        if optimizer is Optimizer.EVOLUTION and first:
            raise InputError(
                f"--first {first} would skip earlier generations of the evolution; omit it, and use a different --seed "
                "on each machine to share the work"
            )
        return cls(algorithms, problems, batch, seed, first, lop, optimizer)

    @property
    def kind(self) -> str:
        """The settings that all records of a folder share; the number of algorithms may differ."""
        return json.dumps(["select", self.problems, self.batch, str(self.lop), str(self.optimizer)])

    def batches(self) -> Iterator[tuple[int, range]]:
        """Yield the number of each batch with the numbers of its algorithms."""
        end = self.first + self.algorithms
        for number in range(self.first // self.batch, (end - 1) // self.batch + 1):
            yield number, range(max(self.first, number * self.batch), min(end, (number + 1) * self.batch))

    def sample(self, batch: int) -> data.Sample:
        """Return the sample of problems of a batch."""
        return data.Sample(batch * self.problems, self.problems)


@dataclass(frozen=True)
class Exploration:
    """The result of an exploration."""

    title: str
    runs: Sequence[Run]
    algorithms: pl.DataFrame
    """Agent, label, problems, suboptimality and its standard error; the best algorithm first."""
    references: pl.DataFrame
    """The same columns for the algorithms designed by people."""
    best_per_problem: float
    """The mean over problems of the best suboptimality of any algorithm."""
    best_per_problem_se: float
    problems: int

    @classmethod
    def of(cls, runs: Sequence[Run], only: Sequence[str] | None = None) -> "Exploration":
        """Return the result in some runs, optionally restricted to some algorithms."""
        references = [parse(spec).spec for spec in REFERENCES]
        kept = None if only is None else {*only, *references}
        found = scores(runs, only=kept)
        in_space = np.array([spec.startswith(f"{NAME}(") for spec in found.agents])
        if not in_space.any():
            raise InputError(
                f"{' and '.join(str(run.folder) for run in runs)} has no algorithm of the space {NAME}(...); use a run "
                "of `permove select explore`"
            )
        names = pl.DataFrame({"agent": found.agents, "label": found.labels, "in_space": in_space})
        value = pl.col("value")
        error = pl.when(pl.len() > 1).then(value.std() / pl.len().sqrt())
        each = (
            found.frame.group_by("agent")
            .agg(problems=pl.len(), suboptimality=value.mean(), suboptimality_se=error)
            .sort("agent")
        )
        frame = pl.concat([names[each["agent"]], each.drop("agent")], how="horizontal").sort("suboptimality", "agent")
        best = (
            found.frame.filter(pl.Series(in_space[found.frame["agent"].to_numpy()]))
            .group_by("map", "problem")
            .agg(value.min())
            .sort("map", "problem")["value"]
        )
        mean, spread = best.mean(), best.std()
        assert isinstance(mean, float)
        return cls(
            title=f"The space of algorithms on {runs[0].manifest.suite.name}, travel up to {found.alpha:,g} times the "
            "optimum",
            runs=runs,
            algorithms=frame.filter("in_space").drop("in_space"),
            references=frame.filter(pl.col("agent").is_in(references)).drop("in_space"),
            best_per_problem=mean,
            best_per_problem_se=spread / best.len() ** 0.5 if isinstance(spread, float) else float("nan"),
            problems=best.len(),
        )

    @property
    def folder(self) -> Path:
        """The folder of the first run."""
        return self.runs[0].folder

    @cached_property
    def summary(self) -> pl.DataFrame:
        """Rows for the mean of the algorithms, the references, the best algorithm and the best per problem.

        `better` is the percentage of the algorithms with a lower suboptimality.
        """
        values = self.algorithms["suboptimality"].to_numpy()
        count = len(values)
        best = self.algorithms.row(0, named=True)
        error = float(values.std(ddof=1)) / count**0.5 if count > 1 else None
        rows = [
            ("the algorithms", f"mean of {count:,}", self.problems, float(values.mean()), error),
            *(
                ("designed by people", row["label"], row["problems"], row["suboptimality"], row["suboptimality_se"])
                for row in self.references.iter_rows(named=True)
            ),
            ("the best algorithm", best["label"], best["problems"], best["suboptimality"], best["suboptimality_se"]),
            (
                "the best for each problem",
                f"any of {count:,}",
                self.problems,
                self.best_per_problem,
                self.best_per_problem_se,
            ),
        ]
        names = ["what", "algorithm", "problems", "suboptimality", "suboptimality_se"]
        better = [100 * float((values < row[3]).mean()) for row in rows]
        return pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None).with_columns(
            better=pl.Series(better)
        )


def explore(
    suite: str | data.Suite = SUITE,
    *,
    algorithms: int = ALGORITHMS,
    problems: int = PROBLEMS,
    batch: int = BATCH,
    alpha: float = ALPHA,
    seed: int = 0,
    first: int = 0,
    lop: Lop | str = Lop.ROUNDED,
    optimizer: Optimizer | str = Optimizer.RANDOM,
    **execution: Any,
) -> Exploration:
    """Run algorithms of the space on random problems and return their scores.

    `batch` algorithms share a sample of `problems` problems. The next batch has the next sample, so that two batches
    have no problem in common until all problems of the suite are used. A single batch of all algorithms gives the full
    matrix that selection per map and per problem needs. `first` is the number of the first algorithm; several
    explorations with consecutive numbers give the same algorithms as a single large one. With the optimizer "evolution"
    each batch is a generation: the best fifth survives and runs on the next problems, together with mutated copies.
    Further keywords are execution options of `permove.run`: `out`, `jobs`, `engine`, ...
    """
    plan = Plan.checked(
        algorithms, problems, batch, seed, first, one_of(Lop, "lop", lop), one_of(Optimizer, "optimizer", optimizer)
    )
    options = replace(read(Execution, execution), common=plan.kind)
    settings = Settings.of({"alpha": alpha, "seed": seed})
    chosen_suite = data.open_suite(suite, shown=options.shown)
    size = chosen_suite.listed.height
    explored: list[str] = []
    parents: list[Point] = []
    result: Run | None = None
    per_algorithm = min(problems, size)
    total, done = (algorithms + len(REFERENCES)) * per_algorithm, 0
    for number, numbers in plan.batches():
        points = _generation(plan, number, numbers, parents)
        agents = [point.agent for point in points]
        specs = [*([parse(spec) for spec in REFERENCES] if result is None else []), *agents]
        try:
            result = execute(chosen_suite, specs, settings, data.Choice(sample=plan.sample(number)), options)
            options = replace(options, out=result.folder)
        except Interrupted as stopped:
            raise Interrupted(stopped.folder, done + stopped.done, total) from None
        done += len(specs) * per_algorithm
        explored += [agent.spec for agent in agents]
        if plan.optimizer is Optimizer.EVOLUTION:
            parents = _survivors(result, chosen_suite, plan, number, dict(zip(agents, points, strict=True)))
    assert result is not None
    return Exploration.of([result], explored)


def _generation(plan: Plan, number: int, numbers: range, parents: list[Point]) -> list[Point]:
    """Return the algorithms of a batch: random ones, or the survivors of the last generation and their children."""
    if not parents:
        return list(dict.fromkeys(random_point(at, plan.seed, plan.lop) for at in numbers))
    points = parents[: len(numbers)]
    for child in range(len(numbers) - len(points)):
        name = f"generation {number} child {child}"
        parent = parents[chosen(len(parents), f"{name} parent", plan.seed)]
        points = [*points, mutated(parent, name, plan.seed, plan.lop)]
    return list(dict.fromkeys(points))


def _survivors(run: Run, suite: data.Suite, plan: Plan, number: int, generation: dict[AgentSpec, Point]) -> list[Point]:
    """Return the best algorithms of a generation on its own problems, the best first."""
    points = {agent.spec: point for agent, point in generation.items()}
    found = scores([run], only=points)
    maps = pl.DataFrame(found.maps, schema={"set": pl.String, "map": pl.String}, orient="row").with_row_index("number")
    own = (
        suite.sample(plan.sample(number), plan.seed)
        .problems.join(maps, on=["set", "map"])
        .select("problem", map=pl.col("number"))
    )
    # Survivors also have records of earlier generations, which had other problems.
    best = (
        found.frame.join(own, on=["map", "problem"], how="semi")
        .sort("agent", "map", "problem")
        .group_by("agent", maintain_order=True)
        .agg(pl.col("value").mean())
        .sort("value", "agent")
    )
    count = max(1, round(SURVIVORS * plan.batch))
    return [points[found.agents[place]] for place in best["agent"].head(count)]
