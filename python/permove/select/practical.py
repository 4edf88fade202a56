"""Choosing an algorithm for each problem without running any: what per-map-selection-2016 asks for in Section 7.

Features of a problem and its map that cost microseconds (`Hierarchy.survey`) go into a forest of regression trees,
which predicts by how much each of the best algorithms on old maps will do better or worse than the very best of them,
the prior; the one with the best prediction is selected. Predicting differences leaves out what all have in common, that
some problems are hard; large leaves and few, good algorithms keep it from believing in luck. Old and new problems lie
on different maps: nothing is known of a new map but what its cells tell.

How much there is to gain is told as well: whether what was best on some problems of a map is good on its other ones,
and how much of the difference between two good algorithms depends on the map at all.
"""

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove import _core
from permove.common.draws import stream
from permove.common.errors import InputError
from permove.common.terminal import Bar
from permove.data import Suite
from permove.data.problems import CELLS
from permove.select.matrix import Matrix

Values = NDArray[np.float64]
Features = NDArray[np.float32]
Places = NDArray[np.intp]

TREES, SHARE = 100, 0.4
"""The forest: how many trees, share of the features that a split may use."""

HALVES = 20
"""How often the problems of all maps are split to see what carries over."""

FOLDS = 10
LEAST = 3
"""Maps, so that two thirds and one third of them are some."""


class Target(StrEnum):
    """What a forest predicts of each algorithm."""

    DIFFERENCE = "differences to prior"
    LOGARITHM = "logarithms"
    VALUE = "values"

    def of(self, values: Values) -> Values:
        """That, of algorithms × problems, the best algorithm first."""
        if self is Target.DIFFERENCE:
            values = values - values[0]
        elif self is Target.LOGARITHM:
            values = np.log(values)
        return values


@dataclass(frozen=True)
class Way:
    """How algorithms are chosen by features."""

    portfolio: int = 20
    """So many are chosen from, the best on old maps; with more, luck on old maps counts for more."""
    leaf: int = 300
    """Problems in a leaf at least."""
    target: Target = Target.DIFFERENCE

    def __str__(self) -> str:
        return f"{self.target} of the best {self.portfolio}, {self.leaf} problems in a leaf"


WAY = Way()
OTHER_WAYS = (
    Way(portfolio=5),
    Way(portfolio=60),
    Way(leaf=50),
    Way(leaf=1000),
    Way(target=Target.LOGARITHM),
    Way(target=Target.LOGARITHM, leaf=50),
    Way(target=Target.VALUE),
)
"""What else could be done, and is told beside it."""


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
    carried: float
    """What the best algorithm on half of the problems of each map is better by than prior on the other half."""
    carried_se: float
    between: float
    """The share of the variance of the difference, in logarithms, of the two best algorithms that lies between maps."""
    prepare_ns: float
    look_ns: float
    choose_ns: float
    """The forest's share of a choice, many problems at a time."""
    importances: pl.DataFrame
    """Features by how much they decide."""
    algorithms: int
    problems: int
    maps: int
    tried: pl.DataFrame
    """Way, gain and its standard error of other ways to choose, on the same problems."""


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


def portfolio(values: Values, size: int = WAY.portfolio) -> Places:
    """The algorithms to choose from: the best on average, the best first."""
    best: Places = np.argsort(values.mean(axis=1), kind="stable")[:size]
    return best


class Chooser:
    """A portfolio, and a forest that predicts how much better than the first each of its algorithms is.

    Or it predicts something else of each of them: what its `Way` says.
    """

    def __init__(self, features: Features, values: Values, seed: int, way: Way = WAY) -> None:
        from sklearn.ensemble import RandomForestRegressor

        self.algorithms = portfolio(values, way.portfolio)
        leaf = max(1, min(way.leaf, len(features) // 4))
        self.forest = RandomForestRegressor(
            TREES, min_samples_leaf=leaf, max_features=SHARE, random_state=seed, n_jobs=-1
        )
        targets = way.target.of(values[self.algorithms])
        # A column alone is to be flat.
        self.forest.fit(features, targets.T if len(targets) > 1 else targets[0])
        # Threads would add up predictions in whatever order they come.
        self.forest.n_jobs = 1

    def choose(self, features: Features) -> Places:
        """The algorithm for each problem."""
        predicted = self.forest.predict(features).reshape(len(features), -1)
        chosen: Places = self.algorithms[predicted.argmin(axis=1)]
        return chosen


def practical(
    matrix: Matrix,
    suite: Suite,
    trials: int = 20,
    seed: int = 0,
    *,
    others: Sequence[Way] = (),
    progress: bool | None = None,
) -> Practice:
    """Choose for problems on new maps what old maps teach, in random splits into two thirds and one third of them.

    `others` are further ways to choose, of which the gain is told as well.
    """
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
    with Bar("choosing without running", trials + (1 + len(others)) * min(FOLDS, len(names)), shown=shown) as bar:
        for number in range(trials):
            order = np.argsort(stream(seed, f"practical {number}", len(names)), kind="stable")
            is_new = np.isin(map_of, order[2 * len(names) // 3 :])
            for name, values in _outcome(matrix.values, surveyed.values, is_new, seed).items():
                means[name].append(float(values.mean()))
            bar.advance(1)
        gains, choose_ns, importances = _folds(matrix.values, surveyed.values, map_of, seed, bar, WAY)
        tried = [
            (str(way), *_mean(_folds(matrix.values, surveyed.values, map_of, seed, bar, way)[0], map_of))
            for way in others
        ]
    rows = [
        (name, float(np.mean(each)), float(np.std(each, ddof=1)) / math.sqrt(trials)) for name, each in means.items()
    ]
    gain, error = _mean(gains, map_of)
    ranked = pl.DataFrame({"feature": _core.survey_features(), "importance": importances}).sort(
        "importance", descending=True
    )
    carried, carried_se = _carried(matrix.values, map_of, seed)
    return Practice(
        frame=pl.DataFrame(rows, schema=["method", "mean", "se"], orient="row"),
        trials=trials,
        gain=gain,
        gain_se=error,
        carried=carried,
        carried_se=carried_se,
        between=_between(matrix.values, map_of),
        prepare_ns=surveyed.prepare_ns,
        look_ns=surveyed.look_ns,
        choose_ns=choose_ns,
        importances=ranked,
        algorithms=len(matrix.agents),
        problems=len(gains),
        maps=len(names),
        tried=pl.DataFrame(tried, schema={"way": pl.String, "gain": pl.Float64, "se": pl.Float64}, orient="row"),
    )


def _mean(values: Values, map_of: Places) -> tuple[float, float]:
    """A mean over problems, with its standard error where maps are drawn, not problems."""
    # Sums over maps are what is drawn: a ratio estimate's error.
    sums, counts = np.bincount(map_of, values), np.bincount(map_of).astype(np.float64)
    mean = float(values.mean())
    residuals = sums - mean * counts
    return mean, math.sqrt(float((residuals**2).sum()) * len(counts) / (len(counts) - 1)) / len(values)


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
    values: Values, features: Features, map_of: Places, seed: int, bar: Bar, way: Way
) -> tuple[Values, float, Values]:
    """Prior minus practical on every problem, with its map left out of what is learned.

    Also the time of a choice, and how much each feature decides.
    """
    maps = int(map_of.max()) + 1
    fold_of = np.argsort(np.argsort(stream(seed, "folds", maps), kind="stable"), kind="stable") % min(FOLDS, maps)
    gains, took = np.zeros(values.shape[1]), 0.0
    importances = np.zeros(features.shape[1])
    for fold in range(min(FOLDS, maps)):
        is_new = fold_of[map_of] == fold
        old, new = values[:, ~is_new], values[:, is_new]
        chooser = Chooser(features[~is_new], old, seed, way)
        begun = time.perf_counter()
        chosen = chooser.choose(features[is_new])
        took += time.perf_counter() - begun
        gains[is_new] = new[old.mean(axis=1).argmin()] - _picked(new, chosen)
        importances += chooser.forest.feature_importances_
        bar.advance(1)
    # Where there is nothing to choose, nothing decides.
    return gains, took / len(gains) * 1e9, importances / (importances.sum() or 1.0)


def _carried(values: Values, map_of: Places, seed: int) -> tuple[float, float]:
    """Prior minus the best on half of a map's problems, on the other half: a mean with its error."""
    gains = []
    for number in range(HALVES):
        is_old = stream(seed, f"half {number}", values.shape[1]) % np.uint64(2) == 0
        prior = values[:, is_old].mean(axis=1).argmin()
        gain, count = 0.0, 0
        for place in np.unique(map_of):
            old, new = values[:, is_old & (map_of == place)], values[:, ~is_old & (map_of == place)]
            if old.shape[1] and new.shape[1]:
                gain += float((new[prior] - new[old.mean(axis=1).argmin()]).sum())
                count += new.shape[1]
        gains.append(gain / max(count, 1))
    return float(np.mean(gains)), float(np.std(gains, ddof=1)) / math.sqrt(HALVES)


def _between(values: Values, map_of: Places) -> float:
    """How much of the variance of the difference between the two best algorithms lies between maps, chance left out."""
    first, second = portfolio(values, 2) if len(values) > 1 else (0, 0)
    difference = np.log(values[first]) - np.log(values[second])
    counts = np.bincount(map_of)
    means = np.bincount(map_of, difference) / counts
    freedom = len(difference) - len(counts)
    total = float(difference.var(ddof=1))
    if freedom < 1 or total == 0:
        return 0.0
    within = float(((difference - means[map_of]) ** 2).sum()) / freedom
    return max(0.0, 1 - within / total)


def _picked(values: Values, rows: Places) -> Values:
    picked: Values = values[rows, np.arange(values.shape[1])]
    return picked
