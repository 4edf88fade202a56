"""An algorithm for each map or problem, which is recommended only if it beats one common choice on other problems."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove.analysis.held_out import LEVEL, Folded
from permove.common.errors import InputError
from permove.report.formats import Format, show
from permove.select.matrix import Matrix

Values = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Choices:
    """The algorithm for each map or problem."""

    what: str
    """What there is a choice for: "map" or "problem"."""
    frame: pl.DataFrame
    """Map and, per problem, its number; the recommended agent, the own choice and the common one, with their labels;
    further columns are scores."""
    own: float
    """The mean score of own choices on the problems by which they are made."""
    own_held_out: float
    """Their mean score on other problems of the same maps, or on other maps."""
    common: float
    common_held_out: float
    loss: float
    """What the common choice loses on held-out problems."""
    error: float
    """Half of the 95% interval of the loss; infinite if it cannot be estimated."""
    scope: str = "on other problems of the same map"

    @property
    def pays(self) -> bool:
        """Whether own choices beat the common one on held-out problems."""
        return self.loss > self.error

    @property
    def sentence(self) -> str:
        """Whether own choices beat the common one, with all scores."""
        own = self.frame.filter(pl.col("agent") != pl.col("common")).height
        label = self.frame["common_label"][0]
        verb = "beats" if self.pays else "does not beat"
        return (
            f"An own choice for each {self.what} {verb} the common one, {label}, {self.scope}: {self.own:.4g} "
            f"in-sample and {self.own_held_out:.4g} held out, against {self.common:.4g} and "
            f"{self.common_held_out:.4g}; the common choice loses {self.loss:.3g} ± {self.error:.2g} (95%). Own "
            f"choices are recommended for {own:,} of {self.frame.height:,} {self.what}s."
        )

    def write(self, path: Path) -> None:
        """Write the choices as CSV or JSON."""
        show(self.frame, f"Choices per {self.what}", Format(path.suffix.removeprefix(".")), path)


def check_file(path: Path | None) -> None:
    """Reject a file of choices that cannot be written, before hours of work."""
    if path is None:
        return
    if path.suffix not in (".csv", ".json"):
        raise InputError(f"--choices {path} is neither CSV nor JSON; use a name such as {path.stem}.csv")
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist; create it first")


def map_choices(matrix: Matrix, seed: int = 0) -> Choices:
    """Choose an algorithm for each map; see `permove.analysis.held_out` for the recommendation."""
    names, map_of = matrix.maps
    agents = len(matrix.agents)
    folded = Folded(matrix.values, map_of, names, seed=seed)
    compared = folded.compare(np.ones(agents, bool), np.ones((len(names), agents), bool))
    frame = named(matrix, compared.maps.rename({"chosen": "agent"}))
    total = {name: math.nan if value is None else value for name, value in compared.total.items()}
    error = (total["loss_high"] - total["loss_low"]) / 2
    return Choices(
        "map",
        frame,
        total["own_in_sample"],
        total["own_held_out"],
        total["common_in_sample"],
        total["common_held_out"],
        total["loss"],
        math.inf if math.isnan(error) else error,
    )


def problem_choices(matrix: Matrix, seed: int = 0) -> Choices:
    """Choose the best algorithm for each problem, and score it on the other problems of its map.

    They are recommended for all problems or for none, since a single problem has no other problem of its own.
    """
    names, map_of = matrix.maps
    values = matrix.values
    own: Indices = np.where(np.isnan(values), np.inf, values).argmin(axis=0)
    place = np.arange(len(own))
    everywhere = np.ones(len(values), bool)
    folded = Folded(values, map_of, names, seed=seed)
    compared = folded.compare(everywhere, np.ones((len(names), len(values)), bool))
    common = int(compared.maps["common"][0])
    outside = others_mean(values, map_of)[own, place]
    common_outside = folded.common_held_out(everywhere)
    known = ~np.isnan(outside + common_outside)
    loss, error = clustered(common_outside[known] - outside[known], map_of[known])
    pays = loss > error
    rows: dict[str, Any] = {
        "agent": own if pays else np.full(len(own), common),
        "own": own,
        "common": np.full(len(own), common),
        "own_in_sample": values[own, place],
        "own_held_out": outside,
        "common_in_sample": values[common],
        "common_held_out": common_outside,
    }
    frame = pl.concat([matrix.problems.select("set", "map", "problem"), pl.DataFrame(rows)], how="horizontal")
    own_in, own_out, common_in, common_out = (mean_known(rows[name]) for name in list(rows)[3:])
    return Choices("problem", named(matrix, frame), own_in, own_out, common_in, common_out, loss, error)


def mean_known(values: Values) -> float:
    """Return the mean of the values that are not NaN; NaN if there is none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def named(matrix: Matrix, frame: pl.DataFrame) -> pl.DataFrame:
    """Replace the numbers of algorithms in the columns `agent`, `own` and `common` with their specs and labels."""
    specs, labels = dict(enumerate(matrix.agents)), dict(enumerate(matrix.labels))
    columns: list[pl.Expr] = []
    for name in frame.columns:
        if name in ("agent", "own", "common"):
            columns.append(pl.col(name).replace_strict(specs, return_dtype=pl.String))
            label = "label" if name == "agent" else f"{name}_label"
            columns.append(pl.col(name).replace_strict(labels, return_dtype=pl.String).alias(label))
        else:
            columns.append(pl.col(name).fill_nan(None) if frame.schema[name].is_float() else pl.col(name))
    return frame.select(columns)


def others_mean(values: Values, map_of: Indices) -> Values:
    """Return for each algorithm and problem the mean over the other problems of the same map; NaN without any."""
    known = ~np.isnan(values)
    filled = np.where(known, values, 0)
    means = np.full(values.shape, np.nan)
    for place in np.unique(map_of):
        own = np.flatnonzero(map_of == place)
        number = known[:, own].sum(axis=1, keepdims=True) - known[:, own]
        sums = filled[:, own].sum(axis=1, keepdims=True) - filled[:, own]
        means[:, own] = np.where(number > 0, sums / np.maximum(number, 1), np.nan)
    return means


def clustered(values: Values, map_of: Indices) -> tuple[float, float]:
    """Return a mean over problems with half of its 95% interval over maps, since problems of a map are similar."""
    _, place = np.unique(map_of, return_inverse=True)
    sums, counts = np.bincount(place, values), np.bincount(place).astype(np.float64)
    if len(counts) < 2:
        return float(values.mean()) if len(values) else math.nan, math.inf
    mean = float(values.mean())
    # The error of a ratio estimate: the sampled units are the sums over maps.
    residuals = sums - mean * counts
    error = math.sqrt(float((residuals**2).sum()) * len(counts) / (len(counts) - 1)) / len(values)
    from scipy.special import stdtrit

    return mean, float(stdtrit(len(counts) - 1, 1 - LEVEL)) * error
