"""What plots and tables of both papers are made of: points in the plane of suboptimality and planning per move."""

import math
from collections.abc import Callable, Sequence

import polars as pl

from permove.papers.dynamic_control.algorithms import F_G, Algorithm, Family
from permove.papers.dynamic_control.study import Point, Study, planning_at
from permove.papers.outcome import Figure
from permove.papers.shown import Shown
from permove.report.plot import Data, Plot

CUTOFF = 1000
WIDER = 10_000
"""The real-time cutoffs of Section 7 and of Section 7.3."""

KOENIG = (
    "K LRTA* with the full update of Koenig (2004) comes out far better than published; an A*-shaped search that "
    "updates the current state alone (“one update”) is nearest to the published curve."
)
MOST_NAMED = 6
"""More algorithms of a family than this are counted rather than named."""

X, Y = "Mean number of states expanded per move", "Suboptimality (times)"


def plane(study: Study, families: Sequence[Family], cutoff: float) -> pl.DataFrame:
    """The points of some families within a cutoff."""
    rows = [point.row() for family in families for point in study.points(family, cutoff=cutoff)]
    return pl.DataFrame(rows, schema_overrides={"planning": pl.Float64}, infer_schema_length=None)


def shown(
    study: Study,
    families: Sequence[Family],
    cutoff: float,
    *,
    log: bool,
    lines: Sequence[Family] = (F_G,),
    notes: Sequence[str] = (),
) -> Shown:
    """A plot of some families, and who did not make the cutoff."""
    frame = plane(study, families, cutoff)
    plot = Plot(
        "planning",
        "suboptimality",
        X,
        Y,
        lines=[family.name for family in lines],
        errors="suboptimality_se",
        log_x=log,
        log_y=log,
    )
    limit = "" if math.isinf(cutoff) else f", real-time cutoff {cutoff:,.0f}"
    return Shown(
        data=Data(f"Suboptimality against planning per move{limit}", frame, plot),
        notes=[*notes, *_left_out(study, families, cutoff)],
    )


def _left_out(study: Study, families: Sequence[Family], cutoff: float) -> list[str]:
    over = [point.algorithm for point in study.points(*families) if point.worst > cutoff]
    everyone = [*study.agents, *study.why]
    notes = []
    if over:
        notes.append(f"Over the cutoff of {cutoff:,.0f} on some move: {names(over, everyone)}.")
    missing = [each for each in study.why if each.family in families]
    if missing:
        reasons = "; ".join(dict.fromkeys(study.why[each] for each in missing))
        notes.append(f"Did not walk: {names(missing, everyone)}, since {reasons}.")
    return notes


def names(some: Sequence[Algorithm], everyone: Sequence[Algorithm]) -> str:
    """Algorithms by family, with their parameters in brackets, or how many there are of how many."""
    parts = []
    for family in dict.fromkeys(algorithm.family for algorithm in some):
        settings = [algorithm.setting for algorithm in some if algorithm.family == family]
        whole = sum(algorithm.family == family for algorithm in everyone)
        listed = "; ".join(settings) if len(settings) <= MOST_NAMED else f"{len(settings)} of {whole}"
        parts.append(f"{family.name} ({listed})")
    return ", ".join(parts)


def factors(study: Study, family: Family, planning: Callable[[Point], float]) -> dict[str, float]:
    """How many times more states LRTA* (F, G) expands for the same suboptimality, for each algorithm of a family."""
    curve = study.points(F_G)
    found = {
        point.algorithm.setting: (planning_at(curve, point.suboptimality, planning), point)
        for point in study.points(family)
    }
    return {setting: at / planning(point) for setting, (at, point) in found.items() if at is not None}


def pooled(point: Point) -> float:
    """Planning per move, all states over all moves."""
    return point.planning


def mean_of_means(point: Point) -> float:
    """Planning per move, the mean of the problems' own."""
    return point.planning_mean


def factors_note(study: Study, family: Family) -> str:
    """The factors of a family in both averages."""
    both = factors(study, family, pooled), factors(study, family, mean_of_means)
    if not both[0]:
        return ""
    parts = [", ".join(f"{setting}: {factor:.2f}" for setting, factor in some.items()) for some in both]
    beyond = [point.algorithm.setting for point in study.points(family) if point.algorithm.setting not in both[0]]
    rest = f" Beyond the ends of its curve: {', '.join(beyond)}." if beyond else ""
    return (
        f"States that LRTA* (F, G) expands per move for the same suboptimality, over those of {family.name}: "
        f"{parts[0]} (pooled); {parts[1]} (means of the problems' own ratios).{rest}"
    )


def figure(
    row: str,
    column: str,
    published: float,
    measured: float | None,
    published_se: float | None = None,
    measured_se: float | None = None,
    *,
    timed: bool = False,
) -> Figure:
    """A published figure with ours, which may be missing; none is judged, since the maps are not those of the paper."""
    ours = math.nan if measured is None else measured
    return Figure(row, column, published, published_se, ours, measured_se, judged=False, timed=timed)
