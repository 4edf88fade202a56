"""Scores of records as in per-map-selection-2016: suboptimality, including the cost of unsolved problems.

A large exploration has millions of records. Names are replaced with numbers chunk by chunk to save memory.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove.common.errors import InputError
from permove.runs import store
from permove.runs.run import Run

COLUMNS = ("agent", "label", "set", "map", "problem", "optimal", "status", "cost", "travel")

SOLVED, CAPPED, STUCK = "solved", "travel-cap", "stuck"


@dataclass(frozen=True)
class Scores:
    """One row per agent and problem: numbers of agent and map, problem, optimal, value."""

    agents: list[str]
    """Canonical specs, sorted. `frame` has indexes into this list."""
    labels: list[str]
    maps: list[tuple[str, str]]
    """Sets and maps, sorted."""
    frame: pl.DataFrame
    alpha: float


def scores(runs: Sequence[Run], *, prefix: str = "", only: Collection[str] | None = None) -> Scores:
    """Return the scores in several runs of the agents whose specs start with `prefix` and, if given, are in `only`.

    The score of a solved problem is its cost over the optimal cost. The score of a problem that exceeded the limit on
    travel is its travel over the optimal cost: α and at most one move more. If the agent got stuck, the score is α plus
    a move of cost 1 over the optimal cost. The last two follow footnotes of the paper.
    """
    alpha = _common_alpha(runs)
    labels: dict[str, str] = {}
    agents: dict[str, int] = {}
    maps: dict[str, int] = {}
    frames = []
    for run in runs:
        for chunk in store.read_columns(run.folder, COLUMNS):
            wanted = pl.col("agent").str.starts_with(prefix)
            kept = chunk.filter(wanted if only is None else wanted & pl.col("agent").is_in(list(only)))
            if kept.is_empty():
                continue
            _reject_other_statuses(kept, run)
            labels |= dict(kept.select("agent", "label").unique().iter_rows())
            place = kept.select(pl.concat_str("set", "map", separator="\0")).to_series()
            frames.append(
                kept.select(
                    _numbers(kept["agent"], agents).alias("agent"),
                    _numbers(place, maps).alias("map"),
                    "problem",
                    "optimal",
                    value=_value(alpha),
                )
            )
    if not agents:
        raise InputError(f"{_names(runs)} has no records of these agents; use a run of `permove select explore`")
    frame = pl.concat(frames)
    specs, places = sorted(agents), sorted(maps)
    keys = ["agent", "map", "problem"]
    # Sort, so that sums are identical to the last bit, regardless of the order in which the records were made.
    frame = frame.with_columns(
        agent=_places([agents[spec] for spec in specs])[frame["agent"].to_numpy()],
        map=_places([maps[place] for place in places])[frame["map"].to_numpy()],
    ).sort(keys)
    return Scores(
        agents=specs,
        labels=[labels[spec] for spec in specs],
        maps=[(place.split("\0")[0], place.split("\0")[1]) for place in places],
        frame=frame if len(runs) == 1 else frame.unique(keys, keep="first", maintain_order=True),
        alpha=alpha,
    )


def _value(alpha: float) -> pl.Expr:
    status = pl.col("status")
    return (
        pl.when(status == SOLVED)
        .then(pl.col("cost") / pl.col("optimal"))
        .when(status == CAPPED)
        .then(pl.col("travel") / pl.col("optimal"))
        .when(status == STUCK)
        .then(alpha + 1 / pl.col("optimal"))
    )


def _numbers(names: pl.Series, numbers: dict[str, int]) -> pl.Series:
    """Replace names with numbers. New names get the next numbers."""
    own = names.unique().to_list()
    for name in own:
        numbers.setdefault(name, len(numbers))
    return names.replace_strict(own, [numbers[name] for name in own], return_dtype=pl.UInt32)


def _places(order: list[int]) -> NDArray[np.uint32]:
    """Return the position of each number in an order."""
    places = np.empty(len(order), dtype=np.uint32)
    places[order] = np.arange(len(order), dtype=np.uint32)
    return places


def _common_alpha(runs: Sequence[Run]) -> float:
    """Return the limit on travel that all runs share, or raise an error if the runs are not comparable."""
    if not runs:
        raise InputError("no run is given to select from; specify the folder of at least one run")
    first = runs[0]
    alpha = first.manifest.settings.alpha
    for run in runs:
        if run.manifest.settings.alpha is None:
            raise InputError(
                f"the run {run.folder} has no limit on travel, so unsolved problems have no score; use a run with "
                "--alpha 1000 or of `permove select explore`"
            )
        if run.manifest.settings.replicas > 1:
            raise InputError(f"the run {run.folder} has several records per problem; use a run without --replicas")
        if run.manifest.suite.fingerprint != first.manifest.suite.fingerprint:
            raise InputError(
                f"the suites of the runs {first.folder} and {run.folder}, {first.manifest.suite.name} and "
                f"{run.manifest.suite.name}, have different problems; use runs of the same suite"
            )
        expected, actual = asdict(first.manifest.settings), asdict(run.manifest.settings)
        for name in expected:
            # Samples that were drawn with different seeds can be combined.
            if name != "seed" and expected[name] != actual[name]:
                raise InputError(
                    f"the runs {first.folder} and {run.folder} have different settings: {name} is {expected[name]} and "
                    f"{actual[name]}; use runs with the same settings"
                )
    assert alpha is not None
    return alpha


def _reject_other_statuses(records: pl.DataFrame, run: Run) -> None:
    others = records.filter(~pl.col("status").is_in([SOLVED, CAPPED, STUCK]))
    if not others.is_empty():
        row = others.row(0, named=True)
        raise InputError(
            f"{run.folder}: {row['label']} has status {row['status']} on {row['set']}/{row['map']}, problem "
            f"{row['problem']}, but only {SOLVED}, {CAPPED} and {STUCK} have a score; use a run without a cutoff"
        )


def _names(runs: Sequence[Run]) -> str:
    return " and ".join(str(run.folder) for run in runs)
