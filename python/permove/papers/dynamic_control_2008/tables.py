"""Tables 3 to 6 and 9 to 14: published next to measured."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from permove.analysis.amortization import amortization, closest
from permove.analysis.guide import choices
from permove.papers.claims import NotMeasuredError
from permove.papers.dynamic_control import algorithms as alg
from permove.papers.dynamic_control import claims as shared
from permove.papers.dynamic_control.algorithms import PDB_G, PDB_PDB, PR_F_G, Algorithm, named
from permove.papers.dynamic_control.figures import HOUR, PLANNING, POOLED, SUBOPTIMALITY, DatabaseTable, result_figures
from permove.papers.dynamic_control.study import Evidence, Study
from permove.papers.item import PaperFile
from permove.papers.outcome import Column, Entry, Shown
from permove.pdb.files import DEPTHS
from permove.report.plot import Data

FILE = PaperFile(__package__)
NOTES: dict[str, str] = shared.NOTES | FILE["notes"]


class Choice(NamedTuple):
    """A row of Table 4: the limits for which an algorithm is the best choice, and its suboptimality in percent."""

    low: int
    high: float
    algorithm: Algorithm | None = None
    percent: float = math.nan

    @property
    def interval(self) -> str:
        """The limits."""
        if not self.low:
            return "0"
        return f"[{self.low:,}, {'∞)' if math.isinf(self.high) else f'{self.high:,}]'}"


class Recouped(NamedTuple):
    """A row of Table 6: the closest static algorithm, and the moves and hours until the build is recouped."""

    competitor: str
    moves: float
    hours: float


def _databases(name: str, line: str) -> DatabaseTable:
    if name == "table-14":
        return DatabaseTable.of(line, PDB_G, kind=DEPTHS)
    others = "caps centroids" if name == "table-5" else "caps"
    if name == "table-13":
        return DatabaseTable.of(line, PDB_PDB, kind=DEPTHS, others=others)
    return DatabaseTable.of(line, PDB_PDB, notes=[NOTES["loops"]], others=others)


TABLE_3: Mapping[Algorithm, list[float]] = {named(name): row for name, row in FILE["table-3"].items()}
TABLE_4 = tuple(Choice(*row[:2], *map(named, row[2:3]), *row[3:]) for row in FILE["table-4"]["rows"])
TABLE_6: Mapping[Algorithm, Recouped] = {named(name): Recouped(*row) for name, row in FILE["table-6"].items()}
SECTION_7_7: Mapping[Algorithm, list[float]] = {named(name): row for name, row in FILE["section 7.7"].items()}
DATABASES = {name: _databases(name, line) for name, line in FILE["databases"].items()}

ADDED = (alg.K_LRTA_CURRENT, alg.CENTROIDS, alg.WEIGHTED_REOPENING.family)
"""Families that the paper does not have, and that its guide cannot contain."""

WORST = Column("worst", "the worst move, in states expanded (Section 7.5)")
PERCENT = Column("percent", "suboptimality (%)")
LIMIT = Column("worst", "the worst move in states expanded, the lower end of its interval")
MOVES = Column("moves", "moves until the build is recouped: its time over the time saved on each move", timed=True)
HSETUP = Column("hours", "hours of pathfinding for these moves", timed=True, digits=1)
MICROSECONDS = Column("micros", "microseconds per move", timed=True, digits=3)


def table_3(evidence: Evidence) -> Shown:
    """Comparison of high-performance algorithms."""
    study, proposed = evidence.upscaled, PDB_PDB(3, 3000)
    figures = []
    for algorithm, row in TABLE_3.items():
        point = study.find(algorithm)
        figures += result_figures(point, (row[0], row[1]), (row[2], row[3]))
        figures += [WORST.figure(point.name, worst, point.worst) for worst in row[4:]]
    again = study.find(alg.WEIGHTED_REOPENING)
    reopening = "the option `reopen=yes` opens them again."
    if again.problems:
        reopening = (
            f"opened again, it has {again.planning:.2f} ± {again.planning_se:.2f} states per move, "
            f"{again.suboptimality:.3f}, worst {again.worst:,.0f}."
        )
    notes = [NOTES["table-3-astar"], NOTES["table-3-weighted"].format(reopening=reopening)]
    if proposed not in study:
        notes.append(f"{proposed.name} did not run: {study.skipped.get(proposed, 'it was not requested')}.")
    return Shown((PLANNING, POOLED, SUBOPTIMALITY, WORST), figures=figures, notes=notes)


def table_4(evidence: Evidence) -> Shown:
    """The selection guide: the best solution quality under a strict limit."""
    study = evidence.upscaled
    own = guide(study)
    entries, figures = [], []
    for row in TABLE_4:
        qualifying = own.filter(pl.col("min_limit") <= row.low)
        measured = qualifying["label"][-1] if qualifying.height else None
        name = row.algorithm.name if row.algorithm else None
        entries.append(Entry(row.interval, "", name or "–", measured or "–", measured == name))
        if row.algorithm is not None:
            point = study.find(row.algorithm)
            percent = 100 * point.excess, 100 * point.suboptimality_se
            figures.append(PERCENT.figure(point.name, row.percent, percent))
            figures.append(LIMIT.figure(point.name, row.low, point.worst))
    interval_text = pl.when(pl.col("max_limit").is_null()).then(pl.format("[{}, ∞)", "min_limit"))
    frame = own.select(
        limit=interval_text.otherwise(pl.format("[{}, {}]", "min_limit", "max_limit")),
        algorithm="label",
        suboptimality_percent=100 * (pl.col("suboptimality") - 1),
        se=100 * pl.col("suboptimality_se"),
        planning="expanded_per_move",
    )
    data = Data("The guide of the algorithms here", frame)
    return Shown((PERCENT, LIMIT), (), figures, entries, data, [NOTES["table-4"]])


def guide(study: Study) -> pl.DataFrame:
    """Return our own guide, from the algorithms that the paper has."""
    added = [study.agents[algorithm] for algorithm in study.agents if algorithm.family in ADDED]
    means = study.means.with_columns(expanded_per_move="expanded_per_move_mean")
    return choices(means.filter(~pl.col("agent").is_in(added)))


def pairs(study: Study) -> pl.DataFrame:
    """Return each LRTA* (PDB, PDB) of Table 6 with the static PR LRTA* that is closest in suboptimality."""
    own = [study.agents[algorithm] for algorithm in TABLE_6 if algorithm in study]
    static = [spec for algorithm, spec in study.agents.items() if algorithm.family == PR_F_G]
    found = closest(study.means.filter(pl.col("agent").is_in(own)), study.means.filter(pl.col("agent").is_in(static)))
    order = {spec: at for at, spec in enumerate(own)}
    return found.sort(pl.col("agent").replace_strict(order, return_dtype=pl.Int64))


def clocked(study: Study) -> dict[Algorithm, str]:
    """Return the algorithms whose times Table 6 needs."""
    wanted = set(pairs(study).select("agent", "other").to_numpy().ravel())
    named = [algorithm for algorithm in (*SECTION_7_7, *TABLE_6) if algorithm in study]
    return {algorithm: spec for algorithm, spec in study.agents.items() if spec in wanted or algorithm in named}


def recouped(evidence: Evidence) -> pl.DataFrame:
    """Return the number of moves after which each database of Table 6 pays off, with the times of this machine."""
    clock = evidence.clock
    if clock is None:
        raise NotMeasuredError("There are no times; the item `table-6` measures them.")
    found = evidence.databases()
    own = pairs(evidence.upscaled)
    by_agent = {spec: algorithm for algorithm, spec in evidence.upscaled.agents.items()}
    levels = [("subgoals", 0, int(by_agent[spec]["ℓ"])) for spec in own["agent"]]
    build_ns = pl.Series([found[key].build_ns if key in found else None for key in levels], dtype=pl.Float64)
    return amortization(own, clock.means, own.select("agent").with_columns(build_ns=build_ns))


def table_6(evidence: Evidence) -> Shown:
    """Amortization of the build times of databases."""
    frame = recouped(evidence)
    by_name = {algorithm.name: row for algorithm, row in TABLE_6.items()}
    figures, entries = [], []
    for row in frame.iter_rows(named=True):
        name, published = row["label"], by_name[row["label"]]
        other = row["other_label"]
        entries.append(Entry(name, "the closest", published.competitor, other, other == published.competitor))
        hours = None if row["run_ns"] is None else row["run_ns"] / 1e9 / HOUR
        figures += [MOVES.figure(name, published.moves, row["moves"]), HSETUP.figure(name, published.hours, hours)]
    for algorithm, (suboptimality, planning, micros) in SECTION_7_7.items():
        figures += result_figures(evidence.upscaled.find(algorithm), planning, suboptimality)
        time = evidence.clock.find(algorithm).time / 1e3 if evidence.clock else None
        figures.append(MICROSECONDS.figure(algorithm.name, micros, time))
    shown = frame.select(
        algorithm="label",
        closest="other_label",
        suboptimality="suboptimality",
        of_the_closest="other_suboptimality",
        ns_per_move="time_per_move_ns",
        ns_of_the_closest="other_time_per_move_ns",
        build_seconds=pl.col("build_ns") / 1e9,
        moves="moves",
        run_seconds=pl.col("run_ns") / 1e9,
    )
    columns = (MOVES, HSETUP, SUBOPTIMALITY, PLANNING, POOLED, MICROSECONDS)
    tables = (("moves", "hours"), ("suboptimality",), ("planning",), ("pooled",), ("micros",))
    return Shown(columns, tables, figures, entries, Data("The values behind it", shown), [NOTES["table-6"]])
