"""Plots and table rows of both papers: suboptimality against planning per move."""

import math
from collections.abc import Sequence

import polars as pl

from permove.papers.dynamic_control.algorithms import F_G, Algorithm, Family
from permove.papers.dynamic_control.claims import factors, mean_of_means, pooled
from permove.papers.dynamic_control.study import Built, Evidence, Point, Study
from permove.papers.outcome import Column, Figure, Shown
from permove.report.plot import Data, Plot

CUTOFF = 1000
WIDER = 10_000
"""The real-time cutoffs of Section 7 and of Section 7.3."""

KOENIG = (
    "K LRTA* with the full update of Koenig (2004) performs far better than published; an A*-shaped search that "
    "updates only the current state (“one update”) is closest to the published curve."
)
MAX_NAMED = 6
"""Larger groups of a family are counted instead of named."""

X, Y = "Mean number of states expanded per move", "Suboptimality (times)"

PAIRS = Column("pairs", "pairs of abstract states, mean of the three maps")
SECONDS = Column("seconds", "seconds to build; the paper estimates levels 0 to 2", timed=True)
PLANNING = Column("planning", "states expanded per move, pooled; standard errors are those of a ratio of totals")
SUBOPTIMALITY = Column("suboptimality", "suboptimality (times)", digits=3)


def plane(
    study: Study,
    families: Sequence[Family],
    cutoff: float,
    *,
    log: bool,
    lines: Sequence[Family] = (F_G,),
    notes: Sequence[str] = (),
    compared: Sequence[Family] = (),
) -> Shown:
    """Plot some families, and list the algorithms that exceed the cutoff; `compared` are compared with LRTA* (F, G)."""
    rows = [point.row() for family in families for point in study.points(family, cutoff=cutoff)]
    frame = pl.DataFrame(rows, schema_overrides={"planning": pl.Float64}, infer_schema_length=None)
    joined = [family.name for family in lines]
    plot = Plot("planning", "suboptimality", X, Y, lines=joined, errors="suboptimality_se", log_x=log, log_y=log)
    limit = "" if math.isinf(cutoff) else f", real-time cutoff {cutoff:,.0f}"
    further = [note for note in (_factors_note(study, family) for family in compared) if note]
    return Shown(
        data=Data(f"Suboptimality against planning per move{limit}", frame, plot),
        notes=[*notes, *_excluded(study, families, cutoff), *further],
    )


def _excluded(study: Study, families: Sequence[Family], cutoff: float) -> list[str]:
    over = [point.algorithm for point in study.points(*families) if point.worst > cutoff]
    everyone = [*study.agents, *study.skipped]
    notes = []
    if over:
        notes.append(f"Over the cutoff of {cutoff:,.0f} on some move: {names(over, everyone)}.")
    missing = [each for each in study.skipped if each.family in families]
    if missing:
        reasons = "; ".join(dict.fromkeys(study.skipped[each] for each in missing))
        notes.append(f"Did not run: {names(missing, everyone)}, because {reasons}.")
    return notes


def names(some: Sequence[Algorithm], everyone: Sequence[Algorithm]) -> str:
    """Return algorithms by family, with their parameters, or counted if there are many."""
    parts = []
    for family in dict.fromkeys(algorithm.family for algorithm in some):
        settings = [algorithm.setting for algorithm in some if algorithm.family == family]
        total = sum(algorithm.family == family for algorithm in everyone)
        shown = "; ".join(settings) if len(settings) <= MAX_NAMED else f"{len(settings)} of {total}"
        parts.append(f"{family.name} ({shown})")
    return ", ".join(parts)


def _factors_note(study: Study, family: Family) -> str:
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
    column: Column,
    published: float,
    measured: float | None,
    published_se: float | None = None,
    measured_se: float | None = None,
) -> Figure:
    """A published and a measured value. No value is judged, since the maps are not those of the paper."""
    value = math.nan if measured is None else measured
    return Figure(row, column.key, published, published_se, value, measured_se, timed=column.timed)


def planning_figure(point: Point, row: str, published: float, published_se: float | None = None) -> Figure:
    """Published and measured planning per move."""
    return figure(row, PLANNING, published, point.planning, published_se, point.planning_se)


def suboptimality_figure(point: Point, row: str, published: float, published_se: float | None = None) -> Figure:
    """Published and measured suboptimality."""
    return figure(row, SUBOPTIMALITY, published, point.suboptimality, published_se, point.suboptimality_se)


def database_figures(evidence: Evidence, kind: str, sizes: Sequence[float], seconds: Sequence[float]) -> list[Figure]:
    """Published and measured sizes and build times of databases, level by level."""
    figures = []
    for level, (size, published) in enumerate(zip(sizes, seconds, strict=True)):
        built = evidence.databases().get((kind, 0, level), Built(math.nan))
        took = None if built.build_ns is None else built.build_ns / 1e9
        figures += [figure(f"ℓ = {level}", PAIRS, size, built.pairs), figure(f"ℓ = {level}", SECONDS, published, took)]
    return figures
