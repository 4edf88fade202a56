"""Selecting algorithms per map and per problem (per-map-selection-2016, Section 6), and how well that does.

In each trial two thirds of the maps are old and one third is new. Ways of selecting an algorithm for a new map:

- prior: the best on the old maps, whatever the new one is;
- sample: the best of those algorithms that were run on the new map, which are some of all;
- exhaustive: the best of all;
- factorization: the best by what was sampled and by what that predicts of the others (`permove.select.factorization`);
- nearest (per problem): the best on the old problems on the same map whose starts and goals are nearest.

Per problem the same is done with problems in the place of maps. Hashes of the seed decide what is drawn.
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
from permove.common.draws import stream
from permove.common.errors import InputError
from permove.common.terminal import Bar
from permove.data.problems import CELLS
from permove.select.factorization import Basis, on_one_thread
from permove.select.matrix import Matrix

Values = NDArray[np.float64]
Places = NDArray[np.intp]

REMOVED = (0, 10, 20, 30, 40, 50, 60, 70, 80, 85, 90, 95, 96, 97, 98, 98.5, 99)
"""How much of the new values the paper removes, in percent."""

RUN = (15, 22, 30, 45, 60, 75)
"""How many of its 1500 algorithms the paper runs where it prints figures; where there are fewer algorithms to choose
from, the same numbers compare, and the same percentages do not."""

LEAST = 3
"""Maps or problems, so that two thirds and one third of them are some."""

NEIGHBOURS = 5
"""How many of the nearest problems are asked."""

FACTORED_PROBLEMS = 10
"""In how many trials problems are factored: that takes longer than all else."""

EXHAUSTIVE, PRIOR, SAMPLE, FACTORIZATION, NEAREST = "exhaustive", "prior", "sample", "factorization", "nearest"


@dataclass(frozen=True)
class Selected:
    """How well each way of selecting does."""

    title: str
    frame: pl.DataFrame
    """Method, present (percent of the new values), algorithms (run on each map on average), trials, mean, se."""
    algorithms: int
    """How many there are to choose from."""
    columns: int
    """How many maps or problems there are."""
    what: str
    """Which of both."""

    @property
    def methods(self) -> list[str]:
        """The ways of selecting, in the order of the frame."""
        return self.frame["method"].unique(maintain_order=True).to_list()


@dataclass(frozen=True)
class Trial:
    """One split."""

    number: int
    train: Places
    test: Places


Other = Callable[[Trial, Places], Values]
"""A further way of selecting: for a trial and the algorithms from best to worst by the prior, values on the test."""


def per_map(
    matrix: Matrix, trials: int = 100, seed: int = 0, *, factored: int | None = None, progress: bool | None = None
) -> Selected:
    """Select an algorithm for each map; values are means over its problems, weighted by how many there are of them.

    `factored` is the number of trials in which values are factored, too; by default all.
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
    """Select an algorithm for each problem; `nearest` takes part where the matrix knows starts and goals."""
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
    """Means over the problems of each map, how many problems each map has, and the maps' names."""
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
        raise InputError("the matrix has no algorithms; `permove select explore` runs some")
    if columns < LEAST:
        raise InputError(
            f"the runs have {columns} {what}{'' if columns == 1 else 's'}, and to split them into old and new ones "
            f"takes at least {LEAST}; explore with more --problems or on a suite with more {what}s"
        )
    empty = np.flatnonzero(np.isnan(values).all(axis=0))
    if len(empty):
        raise InputError(f"no algorithm has a value on {names[empty[0]]}; leave it out, or run some there")


def _levels(algorithms: int) -> Values:
    """The shares of values that are kept, from few to all: the paper's percentages and its numbers of algorithms."""
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
    """A row for each way of selecting and each share of values kept."""
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
    """The rows of one way of selecting, of trials × levels."""
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


def _ranking(train: Values, weights: Values) -> Places:
    """The algorithms from best to worst on the training columns, those without a value there last."""
    known = ~np.isnan(train)
    total = (known * weights).sum(axis=1)
    means = (np.where(known, train, 0) * weights).sum(axis=1) / np.where(total > 0, total, 1)
    return np.argsort(np.where(total > 0, means, np.inf), kind="stable")


def _first_known(test: Values, ranking: Places) -> Values:
    """On each column the value of the first algorithm of a ranking that has one there."""
    best: Values = test[ranking[0]]
    if not np.isnan(best).any():
        return best
    ranked = test[ranking]
    return _picked(ranked, (~np.isnan(ranked)).argmax(axis=0))


def _picked(values: Values, rows: Places) -> Values:
    """On each column the value in the row that was picked for it."""
    picked: Values = values[rows, np.arange(values.shape[1])]
    return picked


def _groups(test: Values, levels: Values, number: int, seed: int) -> NDArray[np.int64]:
    """For every value the first level at which it is kept, drawn at random; every column keeps one at each level.

    What is kept at a level is kept at all that keep more. Where there is no value, there is no level for it.
    """
    known = ~np.isnan(test)
    draws = stream(seed, f"trial {number} kept", test.size).reshape(test.shape)
    # The last draws stand for what is not there; that one of the others is among them need not be feared.
    draws[~known] = np.iinfo(np.uint64).max
    kept = np.clip(np.round(levels * known.sum()).astype(np.int64), 1, None) - 1
    bounds = np.partition(draws.ravel(), kept)[kept]
    groups = np.searchsorted(bounds, draws).astype(np.int64)
    groups[draws.argmin(axis=0), np.arange(test.shape[1])] = 0
    groups[~known] = len(levels)
    return groups


def _sampled(test: Values, groups: NDArray[np.int64], levels: int) -> Values:
    """Levels × columns: the best of the values kept."""
    columns = test.shape[1]
    best = np.full((levels + 1) * columns, np.inf)
    np.minimum.at(best, (groups * columns + np.arange(columns)).ravel(), np.where(np.isnan(test), np.inf, test).ravel())
    return np.minimum.accumulate(best.reshape(levels + 1, columns)[:levels], axis=0)


def _factored(basis: Basis, test: Values, known: NDArray[np.bool_]) -> Values:
    """The values of the algorithms that are best by what is known and what that predicts of the others."""
    guessed = np.where(known, test, basis.predicted(test, known))
    guessed[np.isnan(test)] = np.inf
    return _picked(test, guessed.argmin(axis=0))


class _Nearest:
    """The best algorithm on the nearest old problems, near in octile distance between starts and between goals."""

    def __init__(self, matrix: Matrix) -> None:
        self._values = matrix.values
        frame = matrix.problems.with_row_index("column")
        parts = frame.partition_by("set", "map", maintain_order=True)
        self._maps = [
            (part["column"].to_numpy().astype(np.intp), _distances(part.select(CELLS).cast(pl.Float64).to_numpy()))
            for part in parts
        ]

    def select(self, trial: Trial, ranking: Places) -> Values:
        """The values of what is selected for each test column; the prior's where a map has no old problem."""
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

    def _best(self, columns: Places, neighbours: Places) -> Values:
        """On each column the value of the algorithm with the least mean on its neighbours, of those run on it."""
        values = self._values[:, neighbours]
        known = ~np.isnan(values)
        counts = known.sum(axis=2)
        means = np.where(known, values, 0).sum(axis=2) / np.maximum(counts, 1)
        own = self._values[:, columns]
        means = np.where(np.isnan(own), np.inf, np.where(counts > 0, means, np.finfo(np.float64).max))
        return _picked(own, means.argmin(axis=0))


def _distances(cells: Values) -> Values:
    """The distances between problems: between their starts plus between their goals, on open ground."""
    apart = np.abs(cells[:, None, :] - cells[None, :, :])

    def octile(x: Values, y: Values) -> Values:
        return np.maximum(x, y) + (math.sqrt(2) - 1) * np.minimum(x, y)

    return octile(apart[..., 0], apart[..., 1]) + octile(apart[..., 2], apart[..., 3])
