"""Plots and table rows of both papers: suboptimality against planning per move."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from permove.papers.dynamic_control.algorithms import F_G, Algorithm, Family
from permove.papers.dynamic_control.claims import MAX_NAMED, factors, factors_text
from permove.papers.dynamic_control.claims import NOTES as NOTES
from permove.papers.dynamic_control.study import Built, Evidence, Point, Size, Study
from permove.papers.outcome import Column, Entry, Figure, Shown
from permove.report.plot import Data, Plot

CUTOFF = 1000
WIDER = 10_000
"""The real-time cutoffs of Section 7 and of Section 7.3."""

UNITS = {"m": 60.0, "h": 3600.0, "d": 86400.0, "y": 365 * 86400.0}
HOUR = UNITS["h"]

X, Y = "Mean number of states expanded per move", "Suboptimality (times)"

PAIRS = Column("pairs", "pairs of abstract states, mean of the three maps")
SECONDS = Column("seconds", "seconds to build; the paper estimates levels 0 to 2", timed=True)
PLANNING = Column("planning", "states expanded per move, pooled; standard errors are those of a ratio of totals")
SUBOPTIMALITY = Column("suboptimality", "suboptimality (times)", digits=3)


@dataclass(frozen=True)
class Plane:
    """A plot of families in the plane of planning and suboptimality, which lists the algorithms over the cutoff."""

    families: Sequence[Family]
    cutoff: float = math.inf
    size: Size = "upscaled"
    log: bool = True
    lines: Sequence[Family] = (F_G,)
    """The families whose points are joined."""
    notes: Sequence[str] = ()
    compared: Sequence[Family] = ()
    """The families that are compared with LRTA* (F, G)."""
    within: tuple[float, float] | None = None
    """The largest planning and suboptimality, if the published plot is a detail."""
    accuracy: Mapping[int, float] = field(default_factory=dict)
    """Published accuracies of decision trees, by d_max."""

    def __call__(self, evidence: Evidence) -> Shown:
        """Show it."""
        study = evidence.of(self.size)
        rows = [point.row() for family in self.families for point in study.points(family, cutoff=self.cutoff)]
        frame = pl.DataFrame(rows, schema_overrides={"planning": pl.Float64}, infer_schema_length=None)
        limit = "" if math.isinf(self.cutoff) else f", real-time cutoff {self.cutoff:,.0f}"
        about = f"Suboptimality against planning per move{limit}"
        if self.within is not None:
            frame = frame.filter(pl.col("planning") <= self.within[0], pl.col("suboptimality") <= self.within[1])
            about = f"Up to {self.within[0]:g} states per move and a suboptimality of {self.within[1]:g}"
        joined = [family.name for family in self.lines]
        axes = ("planning", "suboptimality", X, Y)
        plot = Plot(*axes, lines=joined, errors="suboptimality_se", log_x=self.log, log_y=self.log)
        further = [note for family in self.compared for note in _factors_note(study, family)]
        notes = [*self.notes, *_excluded(study, self.families, self.cutoff), *further]
        entries = [
            Entry("accuracy", f"dmax = {dmax}", f"{printed:.0%}", f"{evidence.trees[dmax].accuracy:.0%}", None)
            for dmax, printed in self.accuracy.items()
            if dmax in evidence.trees
        ]
        return Shown(entries=entries, data=Data(about, frame, plot), notes=notes)


def _excluded(study: Study, families: Sequence[Family], cutoff: float) -> list[str]:
    over = [point.algorithm for point in study.points(*families) if point.worst > cutoff]
    everyone = [*study.agents, *study.skipped]
    notes = [f"Over the cutoff of {cutoff:,.0f} on some move: {_names(over, everyone)}."] if over else []
    missing = [each for each in study.skipped if each.family in families]
    reasons = "; ".join(dict.fromkeys(study.skipped[each] for each in missing))
    return notes + ([f"Did not run: {_names(missing, everyone)}, because {reasons}."] if missing else [])


def _names(some: Sequence[Algorithm], everyone: Sequence[Algorithm]) -> str:
    """Algorithms by family, with their parameters, or counted if there are many."""
    parts = []
    for family in dict.fromkeys(algorithm.family for algorithm in some):
        settings = [algorithm.setting for algorithm in some if algorithm.family == family]
        total = sum(algorithm.family == family for algorithm in everyone)
        shown = "; ".join(settings) if len(settings) <= MAX_NAMED else f"{len(settings)} of {total}"
        parts.append(f"{family.name} ({shown})")
    return ", ".join(parts)


def _factors_note(study: Study, family: Family) -> list[str]:
    """The factors of a family in both averages, if it has any."""
    found = factors(study, family)
    beyond = [point.algorithm.setting for point in study.points(family) if point.algorithm.setting not in found]
    rest = f" Beyond the ends of its curve: {', '.join(beyond)}." if beyond else ""
    about = "States that LRTA* (F, G) expands per move for the same suboptimality, over those of"
    return [f"{about} {family.name}, {factors_text(study, family)}.{rest}"] if found else []


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


def seconds(time: str) -> float:
    """Return a published time such as 13.4h in seconds."""
    return float(time[:-1]) * UNITS[time[-1]]


def database_figures(evidence: Evidence, kind: str, sizes: Sequence[float], times: Iterable[float]) -> list[Figure]:
    """Published and measured sizes and build times of databases, level by level."""
    figures = []
    for level, (size, published) in enumerate(zip(sizes, times, strict=True)):
        built = evidence.databases().get((kind, 0, level), Built(math.nan))
        took = None if built.build_ns is None else built.build_ns / 1e9
        figures += [figure(f"ℓ = {level}", PAIRS, size, built.pairs), figure(f"ℓ = {level}", SECONDS, published, took)]
    return figures
