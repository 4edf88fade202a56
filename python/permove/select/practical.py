"""Choosing an algorithm for each problem without running any, a question from Section 7 of per-map-selection-2016.

Features of a problem and its map that cost microseconds (`Hierarchy.survey`) are the input of a random forest. For each
of the best algorithms on old maps it predicts the difference to the best of them, called the prior; the algorithm with
the best prediction is selected. Differences cancel the difficulty of a problem, which all algorithms share. Large
leaves and a small portfolio of good algorithms limit overfitting. Old and new problems are on different maps, so that
only the cells of a new map are known.

The possible gain is reported, too: whether the best algorithm on some problems of a map is good on its other problems,
and how much of the difference between two good algorithms depends on the map.
"""

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove import _core
from permove.common.errors import InputError
from permove.common.extras import require
from permove.common.random_numbers import stream
from permove.common.terminal import Bar
from permove.data import Suite
from permove.data.problems import CELLS
from permove.select.choices import Choices, clustered, mean_known, named, others_mean
from permove.select.matrix import Matrix

Values = NDArray[np.float64]
Features = NDArray[np.float32]
Indices = NDArray[np.intp]

TREES, SHARE = 100, 0.4
"""The forest: the number of trees, and the share of the features that a split may use."""

HALVES = 20
"""The number of random splits of the problems of each map into halves."""

FOLDS = 10
MIN_MAPS = 3
"""The minimum number of maps, so that both two thirds and one third of them are at least one."""


class Target(StrEnum):
    """The value that a forest predicts for each algorithm."""

    DIFFERENCE = "differences to prior"
    LOGARITHM = "logarithms"
    VALUE = "values"

    def of(self, values: Values) -> Values:
        """Return the targets for the values of algorithms × problems, the best algorithm first."""
        if self is Target.DIFFERENCE:
            values = values - values[0]
        elif self is Target.LOGARITHM:
            values = np.log(values)
        return values


@dataclass(frozen=True)
class Method:
    """A method of choosing algorithms by features."""

    portfolio: int = 20
    """The number of algorithms to choose from, the best on old maps. With more of them, chance has more influence."""
    leaf: int = 300
    """The minimum number of problems per leaf."""
    target: Target = Target.DIFFERENCE

    def __str__(self) -> str:
        return f"{self.target} of the best {self.portfolio}, {self.leaf} problems in a leaf"


METHOD = Method()
OTHER_METHODS = (
    Method(portfolio=5),
    Method(portfolio=60),
    Method(leaf=50),
    Method(leaf=1000),
    Method(target=Target.LOGARITHM),
    Method(target=Target.LOGARITHM, leaf=50),
    Method(target=Target.VALUE),
)
"""Alternatives, which are reported for comparison."""


@dataclass(frozen=True)
class Surveyed:
    """The features of the problems of a matrix, and the time of computing them."""

    values: Features
    """Problems × features."""
    prepare_ns: float
    """The mean time of preparing a map, including its hierarchy."""
    look_ns: float
    """The mean time of computing the features of a problem."""


@dataclass(frozen=True)
class Practice:
    """The quality of choosing an algorithm by features on unseen maps."""

    frame: pl.DataFrame
    """Method, mean and its standard error over the trials; held_out and held_out_se on other problems of the maps."""
    trials: int
    gain: float
    """The mean of prior minus practical over all problems, with the map of each problem excluded from training."""
    gain_se: float
    """Its standard error over maps, since the problems of one map are similar."""
    carried: float
    """The gain over prior of the best algorithm on half of the problems of each map, on the other half."""
    carried_se: float
    between: float
    """The share of the variance between maps in the log ratio of the two best algorithms."""
    prepare_ns: float
    look_ns: float
    choose_ns: float
    """The mean time of a prediction by the forest, for many problems at once."""
    importances: pl.DataFrame
    """Features sorted by importance."""
    algorithms: int
    problems: int
    maps: int
    tried: pl.DataFrame
    """The alternatives with their gains and standard errors, on the same problems."""
    choices: Choices
    """The algorithm for each problem, chosen with its map excluded from training."""


def survey(matrix: Matrix, suite: Suite, *, shown: bool) -> Surveyed:
    """Compute the features of the problems of a matrix, map by map."""
    if not matrix.is_placed:
        raise ValueError("the matrix has no starts and goals; call placed first")
    names = _core.survey_features()
    values = np.zeros((matrix.problems.height, len(names)), np.float32)
    prepared = looked = 0
    maps = matrix.problems.with_row_index("column").partition_by("set", "map", as_dict=True, maintain_order=True)
    with Bar("surveying maps", len(maps), shown=shown) as bar:
        for (set_name, map_name), problems in maps.items():
            hierarchy = _core.Hierarchy(suite.grid(f"{set_name}/{map_name}"), "free")
            found, prepare_ns, look_ns = hierarchy.survey(problems.select(CELLS).cast(pl.UInt32).to_numpy())
            values[problems["column"].to_numpy()] = found
            prepared += prepare_ns + hierarchy.build_ns
            looked += look_ns
            bar.advance(1)
    return Surveyed(values, prepared / len(maps), looked / len(values))


def portfolio(values: Values, size: int = METHOD.portfolio) -> Indices:
    """Return the algorithms to choose from: the `size` best on average, the best first."""
    best: Indices = np.argsort(values.mean(axis=1), kind="stable")[:size]
    return best


class Chooser:
    """A portfolio of algorithms, and a forest that predicts the target of a `Method` for each of them."""

    def __init__(self, features: Features, values: Values, seed: int, method: Method = METHOD) -> None:
        from sklearn.ensemble import RandomForestRegressor

        self.algorithms = portfolio(values, method.portfolio)
        leaf = max(1, min(method.leaf, len(features) // 4))
        self.forest = RandomForestRegressor(
            TREES, min_samples_leaf=leaf, max_features=SHARE, random_state=seed, n_jobs=-1
        )
        targets = method.target.of(values[self.algorithms])
        # scikit-learn expects a single column to be flat.
        self.forest.fit(features, targets.T if len(targets) > 1 else targets[0])
        # With several threads, the order in which predictions are added up would vary.
        self.forest.n_jobs = 1

    def choose(self, features: Features) -> Indices:
        """Return the chosen algorithm for each problem."""
        predicted = self.forest.predict(features).reshape(len(features), -1)
        chosen: Indices = self.algorithms[predicted.argmin(axis=1)]
        return chosen


def practical(
    matrix: Matrix,
    suite: Suite,
    trials: int = 20,
    seed: int = 0,
    *,
    others: Sequence[Method] = (),
    progress: bool | None = None,
) -> Practice:
    """Choose algorithms for problems on new maps, trained on old maps, in random splits into two thirds and one third.

    `others` are alternatives whose gains are reported, too.
    """
    require("training", "choosing by features")
    shown = sys.stderr.isatty() if progress is None else progress
    if np.isnan(matrix.values).any():
        raise InputError(
            "the matrix has missing values; explore with --batch set to the number of algorithms, and finish the "
            "exploration"
        )
    names, map_of = matrix.maps
    if len(names) < MIN_MAPS:
        raise InputError(
            f"the runs have problems on {len(names)} maps, expected at least {MIN_MAPS}; explore more maps"
        )
    surveyed = survey(matrix, suite, shown=shown)
    means: dict[str, list[tuple[float, float]]] = {
        name: [] for name in ("exhaustive", "portfolio", "practical", "prior")
    }
    with Bar("choosing without running", trials + (1 + len(others)) * min(FOLDS, len(names)), shown=shown) as bar:
        for number in range(trials):
            order = np.argsort(stream(seed, f"practical {number}", len(names)), kind="stable")
            is_new = np.isin(map_of, order[2 * len(names) // 3 :])
            outside = others_mean(matrix.values[:, is_new], map_of[is_new])
            for name, rows in _method_rows(matrix.values, surveyed.values, is_new, seed).items():
                inside = float(_picked(matrix.values[:, is_new], rows).mean())
                # The others choose without the outcome on the new problems, so their scores are held out.
                chosen_by_outcome = name in ("exhaustive", "portfolio")
                means[name].append((inside, mean_known(_picked(outside, rows)) if chosen_by_outcome else inside))
            bar.advance(1)
        folds = _folds(matrix.values, surveyed.values, map_of, seed, bar, METHOD)
        tried = [
            (str(method), *_mean(_folds(matrix.values, surveyed.values, map_of, seed, bar, method).gains, map_of))
            for method in others
        ]
    scores = []
    for name, each in means.items():
        (inside, outside), (error, outside_error) = np.mean(each, 0), np.std(each, 0, ddof=1) / math.sqrt(trials)
        scores.append((name, inside, error, outside, outside_error))
    gain, error = _mean(folds.gains, map_of)
    ranked = pl.DataFrame({"feature": _core.survey_features(), "importance": folds.importances}).sort(
        "importance", descending=True
    )
    carried, carried_se = _carried(matrix.values, map_of, seed)
    return Practice(
        frame=pl.DataFrame(scores, schema=["method", "mean", "se", "held_out", "held_out_se"], orient="row").fill_nan(
            None
        ),
        trials=trials,
        gain=gain,
        gain_se=error,
        carried=carried,
        carried_se=carried_se,
        between=_between(matrix.values, map_of),
        prepare_ns=surveyed.prepare_ns,
        look_ns=surveyed.look_ns,
        choose_ns=folds.choose_ns,
        importances=ranked,
        algorithms=len(matrix.agents),
        problems=len(folds.gains),
        maps=len(names),
        tried=pl.DataFrame(tried, schema={"method": pl.String, "gain": pl.Float64, "se": pl.Float64}, orient="row"),
        choices=_choices(matrix, map_of, folds),
    )


def _choices(matrix: Matrix, map_of: Indices, folds: "_Folds") -> Choices:
    """Return the choices by features, recommended for all problems or for none."""
    values, place = matrix.values, np.arange(len(map_of))
    loss, error = clustered(folds.gains, map_of)
    common = int(values.mean(axis=1).argmin())
    prior = np.full(len(place), common)
    rows = {"agent": folds.chosen if loss > error else prior, "own": folds.chosen, "common": prior}
    scores = {"own_held_out": values[folds.chosen, place], "common_held_out": values[folds.prior, place]}
    frame = pl.concat([matrix.problems.select("set", "map", "problem"), pl.DataFrame(rows | scores)], how="horizontal")
    own, held_out = float(scores["own_held_out"].mean()), float(scores["common_held_out"].mean())
    best = float(values[common].mean())
    return Choices("problem", named(matrix, frame), own, own, best, held_out, loss, error, "on maps without records")


class _Folds(NamedTuple):
    """Choices for all problems, each with its map excluded from training."""

    gains: Values
    """Prior minus practical."""
    chosen: Indices
    prior: Indices
    choose_ns: float
    importances: Values


def _mean(values: Values, map_of: Indices) -> tuple[float, float]:
    """Return a mean over problems, with its standard error over maps."""
    # The error of a ratio estimate: the sampled units are the sums over maps.
    sums, counts = np.bincount(map_of, values), np.bincount(map_of).astype(np.float64)
    mean = float(values.mean())
    residuals = sums - mean * counts
    return mean, math.sqrt(float((residuals**2).sum()) * len(counts) / (len(counts) - 1)) / len(values)


def _method_rows(values: Values, features: Features, is_new: NDArray[np.bool_], seed: int) -> dict[str, Indices]:
    """Return the algorithms that each method chooses for the new problems."""
    old, new = values[:, ~is_new], values[:, is_new]
    chooser = Chooser(features[~is_new], old, seed)
    return {
        "exhaustive": new.argmin(axis=0),
        "portfolio": chooser.algorithms[new[chooser.algorithms].argmin(axis=0)],
        "practical": chooser.choose(features[is_new]),
        "prior": np.full(new.shape[1], old.mean(axis=1).argmin()),
    }


def _folds(values: Values, features: Features, map_of: Indices, seed: int, bar: Bar, method: Method) -> _Folds:
    """Choose an algorithm for every problem, with its map excluded from training.

    Also measure the time of a choice in nanoseconds, and the importance of each feature.
    """
    maps = int(map_of.max()) + 1
    fold_of = np.argsort(np.argsort(stream(seed, "folds", maps), kind="stable"), kind="stable") % min(FOLDS, maps)
    chosen, prior, seconds = np.zeros(values.shape[1], np.intp), np.zeros(values.shape[1], np.intp), 0.0
    importances = np.zeros(features.shape[1])
    for fold in range(min(FOLDS, maps)):
        is_new = fold_of[map_of] == fold
        old = values[:, ~is_new]
        chooser = Chooser(features[~is_new], old, seed, method)
        started = time.perf_counter()
        chosen[is_new] = chooser.choose(features[is_new])
        seconds += time.perf_counter() - started
        prior[is_new] = old.mean(axis=1).argmin()
        importances += chooser.forest.feature_importances_
        bar.advance(1)
    gains = _picked(values, prior) - _picked(values, chosen)
    # All importances are 0 if there is only one algorithm.
    return _Folds(gains, chosen, prior, seconds / len(gains) * 1e9, importances / (importances.sum() or 1.0))


def _carried(values: Values, map_of: Indices, seed: int) -> tuple[float, float]:
    """Return prior minus the best algorithm on half of the problems of each map, on the other half, with its error."""
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


def _between(values: Values, map_of: Indices) -> float:
    """Return the share of the variance between maps in the log ratio of the two best algorithms, without noise."""
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


def _picked(values: Values, rows: Indices) -> Values:
    picked: Values = values[rows, np.arange(values.shape[1])]
    return picked
