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

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove.common.checks import in_range
from permove.common.errors import InputError
from permove.common.random_numbers import stream
from permove.common.terminal import Bar
from permove.data.problems import CELLS
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
    """Method, present (percent of the new values), algorithms (mean number run per map), trials, mean, se."""
    algorithms: int
    """The number of algorithms to choose from."""
    columns: int
    """The number of maps or problems."""
    what: str
    """"maps" or "problems"."""

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


Other = Callable[[Trial, Indices], Values]
"""A further method: returns the test values for a trial and the algorithms sorted from best to worst by the prior."""


def per_map(
    matrix: Matrix, trials: int = 100, seed: int = 0, *, factored: int | None = None, progress: bool | None = None
) -> Selected:
    """Select an algorithm for each map. Values are means over its problems; maps are weighted by their problems.

    `factored` is the number of trials with factorization (default: all).
    """
    values, weights, names = by_map(matrix)
    _check(values, names, "map")
    levels = _levels(len(values))
    frame = _select(
        values, weights, levels, trials, seed, factored=factored, others={}, title="selecting per map", shown=progress
    )
    return Selected("Selecting an algorithm per map", frame, len(values), len(names), "maps")


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
    others: dict[str, Other] = {NEAREST: _Nearest(matrix).select} if matrix.is_placed else {}
    frame = _select(
        values,
        np.ones(values.shape[1]),
        _levels(len(values)),
        trials,
        seed,
        factored=factored,
        others=others,
        title="selecting per problem",
        shown=progress,
    )
    return Selected("Selecting an algorithm per problem", frame, len(values), values.shape[1], "problems")


def by_map(matrix: Matrix) -> tuple[Values, Values, list[str]]:
    """Return the means over the problems of each map, the numbers of problems, and the names of the maps."""
    keys = matrix.problems.select(pl.concat_str("set", "map", separator="/")).to_series().to_numpy().astype(str)
    names, first, counts = np.unique(np.sort(keys), return_index=True, return_counts=True)
    ordered = matrix.values[:, np.argsort(keys, kind="stable")]
    known = ~np.isnan(ordered)
    sums = np.add.reduceat(np.where(known, ordered, 0), first, axis=1)
    present = np.add.reduceat(known.astype(np.int64), first, axis=1)
    means = np.where(present > 0, sums / np.maximum(present, 1), np.nan)
    return means, counts.astype(np.float64), names.tolist()


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
    levels: Values,
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
    means: dict[str, list[Values]] = {name: [] for name in (EXHAUSTIVE, PRIOR, SAMPLE, FACTORIZATION, *others)}
    with (
        on_one_thread() if factored else nullcontext(),
        Bar(title, trials, shown=sys.stderr.isatty() if shown is None else shown) as bar,
    ):
        for number in range(trials):
            trial = _split(values.shape[1], number, seed)
            test, own = values[:, trial.test], weights[trial.test] / weights[trial.test].sum()
            ranking = _ranking(values[:, trial.train], weights[trial.train])
            groups = _groups(test, levels, number, seed)
            same = np.ones(len(levels))
            means[PRIOR].append(float(_first_known(test, ranking) @ own) * same)
            means[SAMPLE].append(_sampled(test, groups, len(levels)) @ own)
            means[EXHAUSTIVE].append(float(np.nanmin(test, axis=0) @ own) * same)
            if number < factored:
                basis = Basis.of(values[:, trial.train])
                means[FACTORIZATION].append(
                    np.array([_factored(basis, test, groups <= at) @ own for at in range(len(levels))])
                )
            for name, other in others.items():
                means[name].append(float(other(trial, ranking) @ own) * same)
            bar.advance(1)
    return pl.concat(_rows(name, np.array(found), levels, len(values)) for name, found in means.items() if found)


def _rows(method: str, means: Values, levels: Values, algorithms: int) -> pl.DataFrame:
    """Return the rows of one method, given its means in trials × levels."""
    count = len(means)
    error = means.std(axis=0, ddof=1) / math.sqrt(count) if count > 1 else np.full(len(levels), np.nan)
    return pl.DataFrame(
        {
            "method": [method] * len(levels),
            "present": (100 * levels).round(6),
            "algorithms": np.maximum(algorithms * levels, 1).round(6),
            "trials": [count] * len(levels),
            "mean": means.mean(axis=0),
            "se": error,
        }
    ).with_columns(pl.col("se").fill_nan(None))


def _split(columns: int, number: int, seed: int) -> Trial:
    order = np.argsort(stream(seed, f"trial {number} split", columns), kind="stable")
    old = 2 * columns // 3
    return Trial(number, np.sort(order[:old]), np.sort(order[old:]))


def _ranking(train: Values, weights: Values) -> Indices:
    """Return the algorithms from best to worst on the training columns; algorithms without values are last."""
    known = ~np.isnan(train)
    total = (known * weights).sum(axis=1)
    means = (np.where(known, train, 0) * weights).sum(axis=1) / np.where(total > 0, total, 1)
    return np.argsort(np.where(total > 0, means, np.inf), kind="stable")


def _first_known(test: Values, ranking: Indices) -> Values:
    """Return for each column the value of the first algorithm of a ranking that has one."""
    best: Values = test[ranking[0]]
    if not np.isnan(best).any():
        return best
    ranked = test[ranking]
    return _picked(ranked, (~np.isnan(ranked)).argmax(axis=0))


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


def _sampled(test: Values, groups: NDArray[np.int64], levels: int) -> Values:
    """Return the best kept value, levels × columns."""
    columns = test.shape[1]
    best = np.full((levels + 1) * columns, np.inf)
    np.minimum.at(best, (groups * columns + np.arange(columns)).ravel(), np.where(np.isnan(test), np.inf, test).ravel())
    return np.minimum.accumulate(best.reshape(levels + 1, columns)[:levels], axis=0)


def _factored(basis: Basis, test: Values, known: NDArray[np.bool_]) -> Values:
    """Return the values of the algorithms that are best by known values and predictions from them."""
    guessed = np.where(known, test, basis.predicted(test, known))
    guessed[np.isnan(test)] = np.inf
    return _picked(test, guessed.argmin(axis=0))


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

    def select(self, trial: Trial, ranking: Indices) -> Values:
        """Return the value of the selected algorithm for each test column; the prior if a map has no old problem."""
        is_test = np.zeros(self._values.shape[1], dtype=bool)
        is_test[trial.test] = True
        found = np.full(self._values.shape[1], np.nan)
        found[trial.test] = _first_known(self._values[:, trial.test], ranking)
        for columns, distances in self._maps:
            new, old = np.flatnonzero(is_test[columns]), np.flatnonzero(~is_test[columns])
            if len(new) and len(old):
                nearest = np.argsort(distances[np.ix_(new, old)], axis=1, kind="stable")[:, :NEIGHBOURS]
                found[columns[new]] = self._best(columns[new], columns[old][nearest])
        return found[trial.test]

    def _best(self, columns: Indices, neighbours: Indices) -> Values:
        """Return for each column the value of the algorithm with the lowest mean on its neighbours."""
        values = self._values[:, neighbours]
        known = ~np.isnan(values)
        counts = known.sum(axis=2)
        means = np.where(known, values, 0).sum(axis=2) / np.maximum(counts, 1)
        own = self._values[:, columns]
        means = np.where(np.isnan(own), np.inf, np.where(counts > 0, means, np.finfo(np.float64).max))
        return _picked(own, means.argmin(axis=0))


def _distances(cells: Values) -> Values:
    """Return the distances between problems: the octile distance of their starts plus that of their goals."""
    offset = np.abs(cells[:, None, :] - cells[None, :, :])

    def octile(x: Values, y: Values) -> Values:
        return np.maximum(x, y) + (math.sqrt(2) - 1) * np.minimum(x, y)

    return octile(offset[..., 0], offset[..., 1]) + octile(offset[..., 2], offset[..., 3])
