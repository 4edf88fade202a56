"""Choosing an algorithm for each problem without running any: what per-map-selection-2016 asks for in Section 7.

Features of a problem and its map that cost microseconds (`Hierarchy.survey`) go into a forest of regression trees,
which predicts how well each algorithm of a small portfolio does. The portfolio is what the old maps say: the best
algorithm first, then whichever adds most to what was chosen so far. What is selected is the algorithm with the best
prediction. Old and new problems lie on different maps: nothing is known of a new map but what its cells tell.
"""

import math
import sys
import time
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove import _core
from permove.data import Suite
from permove.data.problems import CELLS
from permove.draws import stream
from permove.errors import InputError
from permove.progress import Bar
from permove.select.matrix import Matrix

Values = NDArray[np.float64]
Features = NDArray[np.float32]
Places = NDArray[np.intp]

PORTFOLIO = 12
"""So many algorithms are chosen from; with more of them predictions are wrong more often than they gain."""

TREES, LEAF, SHARE = 200, 10, 0.4
"""The forest: how many trees, problems in a leaf at least, share of the features that a split may use."""

FOLDS = 10
LEAST = 3
"""Maps, so that two thirds and one third of them are some."""


@dataclass(frozen=True)
class Surveyed:
    """The features of a matrix's problems, and what they took."""

    values: Features
    """Problems × features."""
    prepare_ns: float
    """On average to prepare a map, its hierarchy included."""
    look_ns: float
    """On average to look at a problem."""


@dataclass(frozen=True)
class Practice:
    """How well a choice without running anything does on maps that were never seen."""

    frame: pl.DataFrame
    """Method, mean and its standard error over the trials."""
    trials: int
    gain: float
    """What the practical choice is better by than prior: each problem once, its map never seen."""
    gain_se: float
    """Its standard error, with maps drawn, not problems: those of one map are alike."""
    prepare_ns: float
    look_ns: float
    choose_ns: float
    """The forest's share of a choice, many problems at a time."""
    importances: pl.DataFrame
    """Features by how much they decide."""
    algorithms: int
    problems: int
    maps: int


def survey(matrix: Matrix, suite: Suite, *, shown: bool) -> Surveyed:
    """The features of a matrix's problems, map by map."""
    if not matrix.is_placed:
        raise ValueError("the matrix knows where its problems start and end")
    names = _core.survey_features()
    values = np.zeros((matrix.problems.height, len(names)), np.float32)
    prepared = looked = 0
    maps = matrix.problems.with_row_index("column").partition_by("set", "map", as_dict=True, maintain_order=True)
    with Bar("surveying maps", len(maps), shown=shown) as bar:
        for (set_name, map_name), problems in maps.items():
            hierarchy = _core.Hierarchy(suite.grid(f"{set_name}/{map_name}"))
            found, prepare_ns, look_ns = hierarchy.survey(problems.select(CELLS).cast(pl.UInt32).to_numpy())
            values[problems["column"].to_numpy()] = found
            prepared += prepare_ns + hierarchy.build_ns
            looked += look_ns
            bar.advance(1)
    return Surveyed(values, prepared / len(maps), looked / len(values))


def portfolio(values: Values, size: int = PORTFOLIO) -> Places:
    """The algorithms to choose from: each adds most to the best that those before it can do together."""
    chosen: list[int] = []
    best = np.full(values.shape[1], np.inf)
    for _ in range(min(size, len(values))):
        together = np.minimum(values, best).mean(axis=1)
        together[chosen] = np.inf
        chosen.append(int(together.argmin()))
        best = np.minimum(best, values[chosen[-1]])
    return np.array(chosen, np.intp)


class Chooser:
    """A portfolio, and a forest that predicts what each of its algorithms is good for."""

    def __init__(self, features: Features, values: Values, seed: int) -> None:
        from sklearn.ensemble import ExtraTreesRegressor

        self.algorithms = portfolio(values)
        self.forest = ExtraTreesRegressor(
            TREES, min_samples_leaf=LEAF, max_features=SHARE, random_state=seed, n_jobs=-1
        )
        # The logarithm keeps the few problems on which an algorithm is lost for long from deciding alone.
        self.forest.fit(features, np.log(values[self.algorithms].T))
        # Threads would add up predictions in whatever order they come.
        self.forest.n_jobs = 1

    def choose(self, features: Features) -> Places:
        """The algorithm for each problem."""
        predicted = self.forest.predict(features).reshape(len(features), -1)
        chosen: Places = self.algorithms[predicted.argmin(axis=1)]
        return chosen


def practical(
    matrix: Matrix, suite: Suite, trials: int = 20, seed: int = 0, *, progress: bool | None = None
) -> Practice:
    """Choose for problems on new maps what old maps teach, in random splits into two thirds and one third of them."""
    shown = sys.stderr.isatty() if progress is None else progress
    if np.isnan(matrix.values).any():
        raise InputError(
            "the matrix has missing values, from which nothing practical is learned; explore with a --batch of as "
            "many as "
            "there are algorithms, and to the end"
        )
    keys = matrix.problems.select(pl.concat_str("set", "map", separator="/")).to_series().to_numpy().astype(str)
    names, map_of = np.unique(keys, return_inverse=True)
    if len(names) < LEAST:
        raise InputError(f"the runs have problems on {len(names)} maps, and {LEAST} at least are needed; explore more")
    surveyed = survey(matrix, suite, shown=shown)
    means: dict[str, list[float]] = {name: [] for name in ("exhaustive", "portfolio", "practical", "prior")}
    with Bar("choosing without running", trials + FOLDS, shown=shown) as bar:
        for number in range(trials):
            order = np.argsort(stream(seed, f"practical {number}", len(names)), kind="stable")
            is_new = np.isin(map_of, order[2 * len(names) // 3 :])
            for name, values in _outcome(matrix.values, surveyed.values, is_new, seed).items():
                means[name].append(float(values.mean()))
            bar.advance(1)
        gains, choose_ns, importances = _folds(matrix.values, surveyed.values, map_of, len(names), seed, bar)
    rows = [
        (name, float(np.mean(each)), float(np.std(each, ddof=1)) / math.sqrt(trials)) for name, each in means.items()
    ]
    # Sums over maps are what is drawn: a ratio estimate's error.
    sums = np.bincount(map_of, gains)
    counts = np.bincount(map_of).astype(np.float64)
    gain = float(gains.mean())
    residuals = sums - gain * counts
    error = math.sqrt(float((residuals**2).sum()) * len(names) / (len(names) - 1)) / len(gains)
    ranked = pl.DataFrame({"feature": _core.survey_features(), "importance": importances}).sort(
        "importance", descending=True
    )
    return Practice(
        frame=pl.DataFrame(rows, schema=["method", "mean", "se"], orient="row"),
        trials=trials,
        gain=gain,
        gain_se=error,
        prepare_ns=surveyed.prepare_ns,
        look_ns=surveyed.look_ns,
        choose_ns=choose_ns,
        importances=ranked,
        algorithms=len(matrix.agents),
        problems=len(gains),
        maps=len(names),
    )


def _outcome(values: Values, features: Features, is_new: NDArray[np.bool_], seed: int) -> dict[str, Values]:
    """What ways of choosing come to on the new problems."""
    old, new = values[:, ~is_new], values[:, is_new]
    chooser = Chooser(features[~is_new], old, seed)
    return {
        "exhaustive": new.min(axis=0),
        "portfolio": new[chooser.algorithms].min(axis=0),
        "practical": _picked(new, chooser.choose(features[is_new])),
        "prior": new[old.mean(axis=1).argmin()],
    }


def _folds(
    values: Values, features: Features, map_of: Places, maps: int, seed: int, bar: Bar
) -> tuple[Values, float, Values]:
    """Prior minus practical on every problem, with its map left out of what is learned.

    Also the time of a choice, and how much each feature decides.
    """
    fold_of = np.argsort(np.argsort(stream(seed, "folds", maps), kind="stable"), kind="stable") % min(FOLDS, maps)
    gains, took = np.zeros(values.shape[1]), 0.0
    importances = np.zeros(features.shape[1])
    for fold in range(min(FOLDS, maps)):
        is_new = fold_of[map_of] == fold
        old, new = values[:, ~is_new], values[:, is_new]
        chooser = Chooser(features[~is_new], old, seed)
        begun = time.perf_counter()
        chosen = chooser.choose(features[is_new])
        took += time.perf_counter() - begun
        gains[is_new] = new[old.mean(axis=1).argmin()] - _picked(new, chosen)
        importances += chooser.forest.feature_importances_
        bar.advance(1)
    return gains, took / len(gains) * 1e9, importances / importances.sum()


def _picked(values: Values, rows: Places) -> Values:
    picked: Values = values[rows, np.arange(values.shape[1])]
    return picked
