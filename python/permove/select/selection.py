"""Selecting algorithms per map and per problem (per-map-selection-2016, Section 6), and its evaluation.

In each trial two thirds of the maps are old and one third is new. Methods of selecting an algorithm for a new map:

- prior: the best on the old maps, regardless of the new one;
- sample: the best of the algorithms that were run on the new map, which are only some of all;
- exhaustive: the best of all;
- factorization: the best by sampled values and predictions from them (`permove.select.factorization`);
- nearest (only per problem): the best on the old problems on the same map with the nearest starts and goals.

Selection per problem does the same with problems instead of maps. Hashes of the seed determine all random choices.
"""

import math
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove.common.checks import in_range
from permove.common.errors import InputError
from permove.common.random_numbers import stream
from permove.common.terminal import Bar
from permove.data.problems import CELLS
from permove.select.choices import Choices, map_choices, others_mean, problem_choices
from permove.select.factorization import Basis, on_one_thread
from permove.select.matrix import Matrix

Values = NDArray[np.float64]
Indices = NDArray[np.intp]

REMOVED = (0, 10, 20, 30, 40, 50, 60, 70, 80, 85, 90, 95, 96, 97, 98, 98.5, 99)
"""The percentages of new values that the paper removes."""

RUN = (15, 22, 30, 45, 60, 75)
"""The numbers of algorithms, of 1500, for which the paper reports values. With fewer algorithms in total, equal numbers
are comparable with the paper, but equal percentages are not."""

MIN_COLUMNS = 3
"""The minimum number of maps or problems, so that both two thirds and one third of them are at least one."""

NEIGHBOURS = 5
"""The number of nearest problems that are used."""

FACTORED_PROBLEMS = 10
"""The number of trials in which problems are factored, which takes longer than everything else."""

EXHAUSTIVE, PRIOR, SAMPLE, FACTORIZATION, NEAREST = "exhaustive", "prior", "sample", "factorization", "nearest"


@dataclass(frozen=True)
class Selected:
    """The quality of each method of selection."""

    title: str
    frame: pl.DataFrame
    """Method, present (percent of the new values), algorithms (mean number run per map), trials; mean and se in-sample,
    over the values by which algorithms are chosen, as in the paper; held_out and held_out_se over other problems of the
    same maps."""
    algorithms: int
    """The number of algorithms to choose from."""
    columns: int
    """The number of maps or problems."""
    what: str
    """"maps" or "problems"."""
    choices: Choices
    """The algorithm for each map or problem, recommended by held-out scores."""

    @property
    def methods(self) -> list[str]:
        """The methods, in the order of the frame."""
        return self.frame["method"].unique(maintain_order=True).to_list()


@dataclass(frozen=True)
class Trial:
    """One split."""

    number: int
    train: Indices
    test: Indices


Other = Callable[[Trial, Indices], Indices]
"""A further method: returns the algorithm for each test column, given a trial and the algorithms sorted from best to
worst by the prior."""


@dataclass(frozen=True)
class HeldOut:
    """Test values by which algorithms are chosen, and values on other problems by which the choices are scored."""

    chosen_by: Values | None
    """`None` if they are the test values themselves."""
    scored: Values
    """NaN if there is no other problem."""
    weights: Values


Others = Callable[[Trial], Sequence[HeldOut]]
"""Returns how the choices of a trial are scored on other problems; the results are averaged."""


def per_map(
    matrix: Matrix, trials: int = 100, seed: int = 0, *, factored: int | None = None, progress: bool | None = None
) -> Selected:
    """Select an algorithm for each map. Values are means over its problems; maps are weighted by their problems.

    `factored` is the number of trials with factorization (default: all).
    """
    values, weights, names = by_map(matrix)
    _check(values, names, "map")
    frame = _select(
        values,
        weights,
        partial(_halves, matrix, seed),
        trials,
        seed,
        factored=factored,
        others={},
        title="selecting per map",
        shown=progress,
    )
    return Selected("Selecting an algorithm per map", frame, len(values), len(names), "maps", map_choices(matrix, seed))


def per_problem(
    matrix: Matrix,
    trials: int = 100,
    seed: int = 0,
    *,
    factored: int | None = FACTORED_PROBLEMS,
    progress: bool | None = None,
) -> Selected:
    """Select an algorithm for each problem. `nearest` is included if the matrix has starts and goals."""
    values = matrix.values
    rows = matrix.problems.select(pl.format("{}/{}, problem {}", "set", "map", "problem")).to_series()
    _check(values, rows.to_list(), "problem")
    _, maps = matrix.maps
    others: dict[str, Other] = {NEAREST: _Nearest(matrix).select} if matrix.is_placed else {}
    frame = _select(
        values,
        np.ones(values.shape[1]),
        lambda trial: [HeldOut(None, others_mean(values[:, trial.test], maps[trial.test]), np.ones(len(trial.test)))],
        trials,
        seed,
        factored=factored,
        others=others,
        title="selecting per problem",
        shown=progress,
    )
    return Selected(
        "Selecting an algorithm per problem",
        frame,
        len(values),
        values.shape[1],
        "problems",
        problem_choices(matrix, seed),
    )


def by_map(matrix: Matrix) -> tuple[Values, Values, list[str]]:
    """Return the means over the problems of each map, the numbers of problems, and the names of the maps."""
    names, map_of = matrix.maps
    means, counts = _map_means(matrix.values, map_of, len(names))
    return means, counts, names


def _map_means(values: Values, map_of: Indices, count: int) -> tuple[Values, Values]:
    """Return the means over the problems of each map, NaN without values, and the numbers of problems."""
    order = np.argsort(map_of, kind="stable")
    counts = np.bincount(map_of, minlength=count)
    present = np.flatnonzero(counts)
    first = np.searchsorted(map_of[order], present)
    ordered = values[:, order]
    known = ~np.isnan(ordered)
    sums = np.add.reduceat(np.where(known, ordered, 0), first, axis=1)
    number = np.add.reduceat(known.astype(np.int64), first, axis=1)
    means = np.full((len(values), count), np.nan)
    means[:, present] = np.where(number > 0, sums / np.maximum(number, 1), np.nan)
    return means, counts.astype(np.float64)


def _halves(matrix: Matrix, seed: int, trial: Trial) -> list[HeldOut]:
    """Choose by a random half of the problems of each test map and score by the other half, and the reverse."""
    _, map_of = matrix.maps
    test = np.flatnonzero(np.isin(map_of, trial.test))
    place = np.searchsorted(trial.test, map_of[test])
    is_first = stream(seed, f"trial {trial.number} half", len(test)) % np.uint64(2) == 0
    halves = []
    for chosen in (is_first, ~is_first):
        chosen_by, number = _map_means(matrix.values[:, test[chosen]], place[chosen], len(trial.test))
        scored, weights = _map_means(matrix.values[:, test[~chosen]], place[~chosen], len(trial.test))
        scored[:, number == 0] = np.nan
        halves.append(HeldOut(chosen_by, scored, weights))
    return halves


def _check(values: Values, names: Sequence[str], what: str) -> None:
    rows, columns = values.shape
    if rows == 0:
        raise InputError("the matrix has no algorithms; use a run of `permove select explore`")
    if columns < MIN_COLUMNS:
        raise InputError(
            f"the runs have {columns} {what}{'' if columns == 1 else 's'}, but a split into old and new ones needs at "
            f"least {MIN_COLUMNS}; explore with more --problems or on a suite with more {what}s"
        )
    empty = np.flatnonzero(np.isnan(values).all(axis=0))
    if len(empty):
        raise InputError(f"no algorithm has a value on {names[empty[0]]}; exclude it, or run some algorithms on it")


def _levels(algorithms: int) -> Values:
    """Return the shares of values to keep, in ascending order: the percentages and numbers of the paper."""
    shares = [round(1 - removed / 100, 6) for removed in REMOVED]
    return np.unique([*shares, *(count / algorithms for count in RUN if count < algorithms)])


def _select(
    values: Values,
    weights: Values,
    held_out: Others,
    trials: int,
    seed: int,
    *,
    factored: int | None,
    others: dict[str, Other],
    title: str,
    shown: bool | None,
) -> pl.DataFrame:
    """Return one row per method and share of kept values."""
    in_range("trials", trials, 1)
    in_range("seed", seed, 0)
    factored = trials if factored is None else min(in_range("factored", factored, 0) or 0, trials)
    levels = _levels(len(values))
    found: dict[str, list[Values]] = {name: [] for name in (EXHAUSTIVE, PRIOR, SAMPLE, FACTORIZATION, *others)}
    with (
        on_one_thread() if factored else nullcontext(),
        Bar(title, trials, shown=sys.stderr.isatty() if shown is None else shown) as bar,
    ):
        for number in range(trials):
            trial = _split(values.shape[1], number, seed)
            test, own = values[:, trial.test], weights[trial.test]
            ranking = ranked(values[:, trial.train], weights[trial.train])
            basis = Basis.of(values[:, trial.train]) if number < factored else None
            further = {name: other(trial, ranking) for name, other in others.items()}

            def chosen(
                by: Values, number: int = number, basis: Basis | None = basis, ranking: Indices = ranking
            ) -> dict[str, list[Indices]]:
                return _chosen(by, ranking, basis, _groups(by, levels, number, seed), len(levels))

            rows = chosen(test) | {name: [each] * len(levels) for name, each in further.items()}
            parts = held_out(trial)
            scored = [(part, rows if part.chosen_by is None else chosen(part.chosen_by)) for part in parts]
            scored_weights = np.concatenate([part.weights for part in parts])
            for name, each in rows.items():
                inside = [_mean(_picked(test, at), own) for at in each]
                outside = [
                    _mean(
                        np.concatenate([_picked(part.scored, own_rows[name][at]) for part, own_rows in scored]),
                        scored_weights,
                    )
                    for at in range(len(levels))
                ]
                found[name].append(np.array([inside, outside]))
            bar.advance(1)
    return pl.concat(_rows(name, np.array(each), levels, len(values)) for name, each in found.items() if each)


def _chosen(
    test: Values, ranking: Indices, basis: Basis | None, groups: NDArray[np.int64], levels: int
) -> dict[str, list[Indices]]:
    """Return the algorithms that each method chooses for the test columns, level by level."""
    known = np.where(np.isnan(test), np.inf, test)
    ranked = ~np.isnan(test[ranking])
    prior = ranking[ranked.argmax(axis=0)]
    found = {
        EXHAUSTIVE: [known.argmin(axis=0)] * levels,
        PRIOR: [prior] * levels,
        SAMPLE: [np.where(groups <= at, known, np.inf).argmin(axis=0) for at in range(levels)],
    }
    if basis is not None:
        found[FACTORIZATION] = [_factored(basis, test, groups <= at) for at in range(levels)]
    return found


def _mean(values: Values, weights: Values) -> float:
    """Return a weighted mean of the values that are not NaN."""
    known = ~np.isnan(values)
    total = weights[known].sum()
    return float(values[known] @ (weights[known] / total)) if total else math.nan


def _rows(method: str, scores: Values, levels: Values, algorithms: int) -> pl.DataFrame:
    """Return the rows of one method, given its scores in trials × (in-sample, held out) × levels."""
    count = len(scores)
    means = scores.mean(axis=0)
    errors = scores.std(axis=0, ddof=1) / math.sqrt(count) if count > 1 else np.full(means.shape, np.nan)
    return pl.DataFrame(
        {
            "method": [method] * len(levels),
            "present": (100 * levels).round(6),
            "algorithms": np.maximum(algorithms * levels, 1).round(6),
            "trials": [count] * len(levels),
            "mean": means[0],
            "se": errors[0],
            "held_out": means[1],
            "held_out_se": errors[1],
        }
    ).with_columns(pl.col("se", "held_out", "held_out_se").fill_nan(None))


def _split(columns: int, number: int, seed: int) -> Trial:
    order = np.argsort(stream(seed, f"trial {number} split", columns), kind="stable")
    old = 2 * columns // 3
    return Trial(number, np.sort(order[:old]), np.sort(order[old:]))


def ranked(train: Values, weights: Values) -> Indices:
    """Return the algorithms from best to worst on the training columns; algorithms without values are last."""
    known = ~np.isnan(train)
    total = (known * weights).sum(axis=1)
    means = (np.where(known, train, 0) * weights).sum(axis=1) / np.where(total > 0, total, 1)
    return np.argsort(np.where(total > 0, means, np.inf), kind="stable")


def _picked(values: Values, rows: Indices) -> Values:
    """Return for each column the value in its row."""
    picked: Values = values[rows, np.arange(values.shape[1])]
    return picked


def _groups(test: Values, levels: Values, number: int, seed: int) -> NDArray[np.int64]:
    """Return the first level at which each value is kept, drawn at random. Every column keeps at least one value.

    A value that is kept at one level is kept at all higher levels. Missing values are not kept at any level.
    """
    known = ~np.isnan(test)
    draws = stream(seed, f"trial {number} kept", test.size).reshape(test.shape)
    # The maximum marks missing values. It is practically never drawn.
    draws[~known] = np.iinfo(np.uint64).max
    kept = np.clip(np.round(levels * known.sum()).astype(np.int64), 1, None) - 1
    bounds = np.partition(draws.ravel(), kept)[kept]
    groups = np.searchsorted(bounds, draws).astype(np.int64)
    groups[draws.argmin(axis=0), np.arange(test.shape[1])] = 0
    groups[~known] = len(levels)
    return groups


def _factored(basis: Basis, test: Values, known: NDArray[np.bool_]) -> Indices:
    """Return the algorithms that are best by known values and predictions from them."""
    guessed = np.where(known, test, basis.predicted(test, known))
    guessed[np.isnan(test)] = np.inf
    best: Indices = guessed.argmin(axis=0)
    return best


class _Nearest:
    """Selection of the best algorithm on the nearest old problems, by octile distance of starts and goals."""

    def __init__(self, matrix: Matrix) -> None:
        self._values = matrix.values
        frame = matrix.problems.with_row_index("column")
        parts = frame.partition_by("set", "map", maintain_order=True)
        self._maps = [
            (part["column"].to_numpy().astype(np.intp), _distances(part.select(CELLS).cast(pl.Float64).to_numpy()))
            for part in parts
        ]

    def select(self, trial: Trial, ranking: Indices) -> Indices:
        """Return the selected algorithm for each test column; the prior if a map has no old problem."""
        is_test = np.zeros(self._values.shape[1], dtype=bool)
        is_test[trial.test] = True
        found = np.zeros(self._values.shape[1], dtype=np.intp)
        found[trial.test] = ranking[(~np.isnan(self._values[:, trial.test][ranking])).argmax(axis=0)]
        for columns, distances in self._maps:
            new, old = np.flatnonzero(is_test[columns]), np.flatnonzero(~is_test[columns])
            if len(new) and len(old):
                nearest = np.argsort(distances[np.ix_(new, old)], axis=1, kind="stable")[:, :NEIGHBOURS]
                found[columns[new]] = self._best(columns[new], columns[old][nearest])
        return found[trial.test]

    def _best(self, columns: Indices, neighbours: Indices) -> Indices:
        """Return for each column the algorithm with the lowest mean on its neighbours."""
        values = self._values[:, neighbours]
        known = ~np.isnan(values)
        counts = known.sum(axis=2)
        means = np.where(known, values, 0).sum(axis=2) / np.maximum(counts, 1)
        own = self._values[:, columns]
        means = np.where(np.isnan(own), np.inf, np.where(counts > 0, means, np.finfo(np.float64).max))
        best: Indices = means.argmin(axis=0)
        return best


def _distances(cells: Values) -> Values:
    """Return the distances between problems: the octile distance of their starts plus that of their goals."""
    offset = np.abs(cells[:, None, :] - cells[None, :, :])

    def octile(x: Values, y: Values) -> Values:
        return np.maximum(x, y) + (math.sqrt(2) - 1) * np.minimum(x, y)

    return octile(offset[..., 0], offset[..., 1]) + octile(offset[..., 2], offset[..., 3])
