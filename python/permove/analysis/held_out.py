"""Whether choosing an agent for each map beats one common choice, on problems by which neither was chosen.

An agent that is chosen and scored on the same problems looks better than it is: its score includes the luck by which
it was chosen. Therefore the problems of each map are divided into folds, and the problems of each fold are scored with
the agents that are best on the other folds: the own choice on those of the same map, the common one on those of all
maps. `Folded` computes the scores of all agents once; `compare` then chooses among any of them.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove.analysis.scores import MEAN, Score
from permove.analysis.statistics import Resamples, Values, interval, standard_error
from permove.common.random_numbers import stream

Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]

FOLDS = 10
"""Number of folds of a map's problems; a map with fewer problems has one for each."""

MIN_PROBLEMS = 4
"""Minimum number of problems of a map with an own choice: fewer cannot show that it beats the common one."""

LEVEL = 0.025
"""Probability of recommending an own choice that is not better, of each of the two tests of `recommended`."""

IN_SAMPLE, HELD_OUT = ("common_in_sample", "own_in_sample"), ("common_held_out", "own_held_out")
LOSS = ("loss", "loss_low", "loss_high", "p")

MAPS = pl.Schema(
    {
        "map": pl.String(),
        "problems": pl.Int64(),
        "chosen": pl.Int64(),
        "suboptimality": pl.Float64(),
        "suboptimality_low": pl.Float64(),
        "suboptimality_high": pl.Float64(),
        "own": pl.Int64(),
        "own_in_sample": pl.Float64(),
        "own_held_out": pl.Float64(),
        "common": pl.Int64(),
        "common_in_sample": pl.Float64(),
        "common_held_out": pl.Float64(),
        "loss_in_sample": pl.Float64(),
        "loss": pl.Float64(),
        "loss_low": pl.Float64(),
        "loss_high": pl.Float64(),
        "p": pl.Float64(),
    }
)
"""Columns of `Compared.maps`."""


class Folds(Resamples):
    """The problems outside each fold, in the form of resamples, so that every score can be computed on them."""

    def __init__(self, fold_of: Indices) -> None:
        super().__init__(len(fold_of), count=int(fold_of.max()) + 1)
        self._fold_of = fold_of

    def _drawn(self, first: int, last: int) -> Values:
        outside: Values = (self._fold_of != np.arange(first, last)[:, None]).astype(np.float64)
        return outside


@dataclass(frozen=True)
class Compared:
    """Own choices next to the common one."""

    maps: pl.DataFrame
    """One row per map, in the order of the names. `chosen` is the recommended agent with its score on all problems of
    the map, `own` the best agent on them, `common` the best on all maps; agents are numbers of rows, and null if no
    agent is available. `loss` is what the common choice loses against the own one: its held-out score minus that of the
    own choice, with a 95% interval and the p-value of a one-sided t-test."""
    total: dict[str, Any]
    """The same scores over the problems of all maps that have both choices: `problems`, `maps`, `own_in_sample`,
    `own_held_out`, `common_in_sample`, `common_held_out`, `loss`, `loss_low`, `loss_high` and `p`."""

    @property
    def pays(self) -> bool:
        """Whether own choices beat the common one over all maps."""
        return _passes(self.total["p"])


class Folded:
    """Values of agents (rows) on problems (columns) with the scores of all agents outside each fold.

    `map_of` has the number of the map of each problem. Missing values are nan.
    """

    def __init__(
        self, values: Values, map_of: Indices, names: Sequence[str], *, score: Score = MEAN, seed: int = 0
    ) -> None:
        self.values, self.names, self.score, self.seed = values, list(names), score, seed
        self.columns = [np.flatnonzero(map_of == at) for at in range(len(self.names))]
        self.fold_of = np.zeros(values.shape[1], np.intp)
        for name, own in zip(self.names, self.columns, strict=True):
            order = np.argsort(np.argsort(stream(seed, f"folds {name}", len(own)), kind="stable"), kind="stable")
            self.fold_of[own] = order % min(FOLDS, max(len(own), 1))
        self._all = self._scored(np.arange(values.shape[1]))
        self._own = [self._scored(own) for own in self.columns]

    def _scored(self, columns: Indices) -> tuple[Values, Values]:
        """Return the score of each agent on some problems, and on those outside each fold (folds × agents)."""
        values = self.values[:, columns]
        return self._scores(values), self.score.resampled(Folds(self.fold_of[columns]), values)

    def _scores(self, values: Values) -> Values:
        """Return the score of each row; nan for rows without values."""
        if self.score is not MEAN:
            return np.array([self.score.of(each) for each in values])
        known = ~np.isnan(values)
        with np.errstate(invalid="ignore"):
            means: Values = np.where(known, values, 0).sum(axis=1) / known.sum(axis=1)
        return means

    def compare(self, common: Mask, own: Mask) -> Compared:
        """Compare choices among some agents: `common` says which are available on all maps, `own` (maps × agents) on
        each map."""
        rows, outside = [], []
        best = _best(self._all[0], common)
        for at, columns in enumerate(self.columns):
            mine = self._held_out(self._own[at][1], own[at], columns)
            theirs = self._held_out(self._all[1], common, columns)
            rows.append(self._row(at, best, own[at], np.stack([theirs, mine])))
            outside.append(np.stack([theirs, mine]))
        total = self._total(rows, outside)
        for row, is_recommended in zip(rows, _recommended(rows, total["p"]), strict=True):
            row["chosen"] = row["own"] if is_recommended else row["common"]
            if row["chosen"] is not None:
                row |= self.score_of(row["chosen"], self.columns[self.names.index(row["map"])])
        return Compared(pl.DataFrame(rows, schema=MAPS), total)

    def common_held_out(self, common: Mask) -> Values:
        """Return the value of each problem with the best agent on all maps outside its fold."""
        return self._held_out(self._all[1], common, np.arange(self.values.shape[1]))

    def _row(self, at: int, common: int | None, available: Mask, outside: Values) -> dict[str, Any]:
        columns, scores = self.columns[at], self._own[at][0]
        own = _best(scores, available)
        row: dict[str, Any] = dict.fromkeys(MAPS) | {"map": self.names[at], "problems": len(columns)}
        row |= {"own": own, "common": common}
        if own is not None:
            row |= {"own_in_sample": scores[own], "own_held_out": _known(self.score.of(outside[1]))}
        if common is not None:
            row |= {"common_in_sample": _known(scores[common]), "common_held_out": _known(self.score.of(outside[0]))}
        if own is not None and common is not None:
            row["loss_in_sample"] = _known(scores[common] - scores[own])
            if len(columns) >= MIN_PROBLEMS:
                row |= self.loss(outside)
        return row

    def _total(self, rows: list[dict[str, Any]], outside: list[Values]) -> dict[str, Any]:
        both = [at for at, row in enumerate(rows) if row["loss"] is not None]
        total: dict[str, Any] = {"maps": len(both), "problems": sum(rows[at]["problems"] for at in both)}
        if not both:
            return total | dict.fromkeys((*IN_SAMPLE, *HELD_OUT, *LOSS))
        every = np.concatenate([outside[at] for at in both], axis=1)
        scored = [
            np.concatenate([self.values[rows[at][name], self.columns[at]] for at in both]) for name in ("common", "own")
        ]
        total |= dict(zip(IN_SAMPLE, self._scores(np.stack(scored)).tolist(), strict=True))
        return total | dict(zip(HELD_OUT, self._scores(every).tolist(), strict=True)) | self.loss(every)

    def _held_out(self, scores: Values, available: Mask, columns: Indices) -> Values:
        """Return the value of each problem with the best available agent outside its fold; nan if there is none."""
        found = np.full(len(columns), np.nan)
        for fold in np.unique(self.fold_of[columns]):
            inside = self.fold_of[columns] == fold
            ranking = [at for at in np.argsort(scores[fold], kind="stable") if available[at]]
            found[inside] = first_known(self.values[:, columns[inside]], np.array(ranking, np.intp))
        return found

    def score_of(self, agent: int, columns: Indices) -> dict[str, float | None]:
        """Return the score of an agent on some problems with its bootstrap interval."""
        values = self.values[[agent]][:, columns]
        low, high = (np.array([np.nan]),) * 2
        if len(columns) > 1:
            low, high = interval(self.score.resampled(_resampling(len(columns), self.seed), values))
        found = {"suboptimality": self.score.of(values[0]), "suboptimality_low": low[0], "suboptimality_high": high[0]}
        return {name: _known(value) for name, value in found.items()}

    def loss(self, outside: Values) -> dict[str, float | None]:
        """Return what the first row of held-out values loses against the second; null without enough values of both.

        The folds share most of the problems by which they choose, so their values are not independent. The correction
        of the standard error for that is Nadeau and Bengio's.
        """
        outside = outside[:, ~np.isnan(outside).any(axis=0)]
        count = outside.shape[1]
        if count < MIN_PROBLEMS:
            return dict.fromkeys(LOSS)
        one, other = self._scores(outside).tolist()
        loss, folds = one - other, min(FOLDS, count)
        if self.score is MEAN:
            error = standard_error(outside[0] - outside[1])
        else:
            resampled = self.score.resampled(_resampling(count, self.seed), outside)
            error = float((resampled[:, 0] - resampled[:, 1]).std(ddof=1))
        error *= math.sqrt(1 + folds / (folds - 1))
        if error <= 1e-12 * max(abs(loss), 1.0):
            # All differences are equal: a sign test.
            return dict(zip(LOSS, (loss, loss, loss, 0.5**count if loss > 0 else 1.0), strict=True))
        from scipy.special import stdtr, stdtrit

        reach = float(stdtrit(count - 1, 1 - LEVEL)) * error
        return dict(zip(LOSS, (loss, loss - reach, loss + reach, float(stdtr(count - 1, -loss / error))), strict=True))


@lru_cache(maxsize=64)
def _resampling(problems: int, seed: int) -> Resamples:
    """Return the resamples of a number of problems, which many maps share."""
    return Resamples(problems, seed=seed)


def _recommended(rows: list[dict[str, Any]], total: float | None) -> Iterator[bool]:
    """Yield for each map whether to recommend its own choice; `total` is the p-value over all maps.

    It has to beat the common one on the held-out problems of the map, corrected for the number of maps (Benjamini and
    Hochberg), or by any amount if own choices do so over all maps. Without a common choice it is the only one.
    """
    tested = sorted(row["p"] for row in rows if row["p"] is not None)
    passed = [p for rank, p in enumerate(tested, 1) if p <= LEVEL * rank / len(tested)]
    for row in rows:
        if row["common_in_sample"] is None:
            yield row["own"] is not None
        elif row["loss"] is None or row["own"] == row["common"]:
            yield False
        else:
            yield row["loss"] > 0 and (_passes(total) or row["p"] <= max(passed, default=-1.0))


def _passes(p: float | None) -> bool:
    return p is not None and p <= LEVEL


def first_known(values: Values, ranking: Indices) -> Values:
    """Return for each column the value of the first row of a ranking that has one; nan if there is none."""
    if not len(ranking):
        return np.full(values.shape[1], np.nan)
    best: Values = values[ranking[0]]
    if not np.isnan(best).any():
        return best
    ranked = values[ranking]
    found: Values = ranked[(~np.isnan(ranked)).argmax(axis=0), np.arange(values.shape[1])]
    return found


def _best(scores: Values, available: Mask) -> int | None:
    """Return the available agent with the lowest score, the first of equals."""
    usable = available & ~np.isnan(scores)
    return int(np.where(usable, scores, np.inf).argmin()) if usable.any() else None


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
