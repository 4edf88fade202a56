"""Plots and table rows of both papers: suboptimality against planning per move."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from permove.papers.dynamic_control.algorithms import F_G, Algorithm, Family
from permove.papers.dynamic_control.claims import FILE, MAX_NAMED, factors, factors_text
from permove.papers.dynamic_control.study import Built, Evidence, Point, Size, Study
from permove.papers.outcome import Column, Entry, Figure, Shown, Value
from permove.pdb.files import SUBGOALS
from permove.report.plot import Data, Plot

CUTOFF = 1000
WIDER = 10_000
"""The real-time cutoffs of Section 7 and of Section 7.3."""

SIZES: list[float] = FILE["sizes"]
UNITS = {"m": 60.0, "h": 3600.0, "d": 86400.0, "y": 365 * 86400.0}
HOUR = UNITS["h"]

X, Y = "Mean number of states expanded per move", "Suboptimality (times)"

PAIRS = Column("pairs", "pairs of abstract states: the square of their mean number on the three maps")
SECONDS = Column("seconds", "seconds to build; the paper estimates levels 0 to 2", timed=True)
PLANNING = Column("planning", "states expanded per move, the mean of the problems' own ratios")
POOLED = Column("pooled", "states expanded per move, pooled: all states over all moves; the paper does not have it")
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


def result_figures(point: Point, planning: Value, suboptimality: Value, row: str = "") -> list[Figure]:
    """Published and measured planning per move and suboptimality, and measured planning per move if pooled."""
    name = row or point.name
    return [
        PLANNING.figure(name, planning, (point.planning, point.planning_se)),
        POOLED.figure(name, None, (point.pooled, point.pooled_se)),
        SUBOPTIMALITY.figure(name, suboptimality, (point.suboptimality, point.suboptimality_se)),
    ]


def seconds(time: str) -> float:
    """Return a published time such as 13.4h in seconds."""
    return float(time[:-1]) * UNITS[time[-1]]


@dataclass(frozen=True)
class DatabaseTable:
    """A table of databases: their sizes and build times by level, and the results of an algorithm at levels 3 to 7."""

    family: Family
    cap: int
    seconds: tuple[float, ...]
    planning: tuple[float, ...]
    suboptimality: tuple[float, ...]
    kind: str = SUBGOALS
    notes: Sequence[str] = ()
    others: str = ""
    """Groups of further algorithms that claims about the table need."""

    @staticmethod
    def of(line: str, family: Family, **further: Any) -> "DatabaseTable":
        """Return a table from a line of a paper's file: the cap, eight build times, and two times five results."""
        cap, *words = line.split()
        planning, suboptimality = (tuple(map(float, words[at : at + 5])) for at in (8, 13))
        return DatabaseTable(family, int(cap), tuple(map(seconds, words[:8])), planning, suboptimality, **further)

    @property
    def algorithms(self) -> tuple[Algorithm, ...]:
        """The algorithms with results."""
        return self.family.sweep(range(3, 8), (self.cap,))

    def __call__(self, evidence: Evidence) -> Shown:
        """Show it."""
        found, study, figures = evidence.databases(), evidence.upscaled, []
        for level, (size, published) in enumerate(zip(SIZES, self.seconds, strict=True)):
            built = found.get((self.kind, 0, level), Built(math.nan))
            took = None if built.build_ns is None else built.build_ns / 1e9
            figures += [
                PAIRS.figure(f"ℓ = {level}", size, built.pairs),
                SECONDS.figure(f"ℓ = {level}", published, took),
            ]
        for algorithm, planning, suboptimality in zip(self.algorithms, self.planning, self.suboptimality, strict=True):
            figures += result_figures(study.find(algorithm), planning, suboptimality, f"ℓ = {algorithm['ℓ']:g}")
        notes = [
            f"Planning per move and suboptimality are those of {self.family.name} with c = {self.cap}. One database "
            "serves every cap.",
            *self.notes,
        ]
        missing = [algorithm for algorithm in self.algorithms if algorithm not in study]
        if missing:
            reason = study.skipped.get(missing[0], "it was not requested")
            notes.append(f"Without a value, ℓ = {', '.join(str(each['ℓ']) for each in missing)}: {reason}.")
        jobs = sorted({built.jobs for built in found.values() if built.build_ns is not None})
        if jobs:
            threads = " or ".join(map(str, jobs))
            notes.append(
                f"Times are those of the builds in the data folder, by {threads} threads; means of three maps."
            )
        columns = (PAIRS, SECONDS, PLANNING, POOLED, SUBOPTIMALITY)
        tables = (("pairs", "seconds"), ("planning",), ("pooled",), ("suboptimality",))
        return Shown(columns, tables, figures, notes=notes)
