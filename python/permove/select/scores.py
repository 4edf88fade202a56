"""What records count in per-map-selection-2016: suboptimality with what unsolved problems cost, by number.

A large exploration has millions of records: names become numbers chunk by chunk, and only what counts is kept.
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
    """One row for every agent on every problem: numbers of agent and map, problem, optimal, value."""

    agents: list[str]
    """Canonical specs, sorted; `frame` has their places here."""
    labels: list[str]
    maps: list[tuple[str, str]]
    """Sets and maps, sorted."""
    frame: pl.DataFrame
    alpha: float


def scores(runs: Sequence[Run], *, prefix: str = "", only: Collection[str] | None = None) -> Scores:
    """The scores of several runs together, of the agents whose specs begin with `prefix`, or of `only` those named.

    A problem that the agent solved counts what it cost in optimal costs. One that took too long counts what was walked
    until then, α and at most a move; one that the agent got stuck in counts α and the least expensive move, which
    costs 1 (the paper's footnotes on both).
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
            _refuse_others(kept, run)
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
        raise InputError(f"{_names(runs)} has no record that is asked for; `permove select explore` makes some")
    frame = pl.concat(frames)
    specs, places = sorted(agents), sorted(maps)
    keys = ["agent", "map", "problem"]
    # Sums come out the same to the last bit in whatever order threads and machines made the records.
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
    """Names as numbers; new ones get the next."""
    own = names.unique().to_list()
    for name in own:
        numbers.setdefault(name, len(numbers))
    return names.replace_strict(own, [numbers[name] for name in own], return_dtype=pl.UInt32)


def _places(order: list[int]) -> NDArray[np.uint32]:
    """Where each number stands in an order."""
    places = np.empty(len(order), dtype=np.uint32)
    places[order] = np.arange(len(order), dtype=np.uint32)
    return places


def _common_alpha(runs: Sequence[Run]) -> float:
    """What all runs cap travel with; runs that do not compare are refused."""
    if not runs:
        raise InputError("there is no run to select from; name the folder of at least one")
    first = runs[0]
    alpha = first.manifest.settings.alpha
    for run in runs:
        if run.manifest.settings.alpha is None:
            raise InputError(
                f"the run {run.folder} has no limit on travel, without which unsolved problems count nothing; "
                "make one with --alpha 1000, as `permove select explore` does"
            )
        if run.manifest.suite.fingerprint != first.manifest.suite.fingerprint:
            raise InputError(
                f"the runs {first.folder} and {run.folder} are about the suites {first.manifest.suite.name} and "
                f"{run.manifest.suite.name}, whose problems do not compare; give runs of one suite"
            )
        ours, theirs = asdict(first.manifest.settings), asdict(run.manifest.settings)
        for name in ours:
            # What is drawn by a seed may well stand beside what another one drew.
            if name != "seed" and ours[name] != theirs[name]:
                raise InputError(
                    f"the runs {first.folder} and {run.folder} were made with {name} {ours[name]} and {theirs[name]}; "
                    "give runs that were made alike"
                )
    assert alpha is not None
    return alpha


def _refuse_others(records: pl.DataFrame, run: Run) -> None:
    others = records.filter(~pl.col("status").is_in([SOLVED, CAPPED, STUCK]))
    if not others.is_empty():
        row = others.row(0, named=True)
        raise InputError(
            f"{run.folder}: {row['label']} ended with status {row['status']} on {row['set']}/{row['map']}, problem "
            f"{row['problem']}, for which there is no suboptimality; give a run without such limits"
        )


def _names(runs: Sequence[Run]) -> str:
    return " and ".join(str(run.folder) for run in runs)
