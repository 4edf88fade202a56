"""Tables 3 to 6 and 9 to 14: published next to measured."""

import polars as pl

from permove.analysis.amortization import amortization, closest
from permove.analysis.guide import choices
from permove.papers.claims import NotMeasuredError
from permove.papers.dynamic_control import algorithms as alg
from permove.papers.dynamic_control import figures as shared
from permove.papers.dynamic_control.algorithms import PDB_PDB, PR_F_G, Algorithm
from permove.papers.dynamic_control.figures import HOUR, figure, planning_figure, suboptimality_figure
from permove.papers.dynamic_control.study import Evidence, Study
from permove.papers.dynamic_control_2008.printed import DATABASES, NOTES, SECTION_7_7, SIZES, TABLE_3, TABLE_4, TABLE_6
from permove.papers.outcome import Column, Entry, Shown
from permove.report.plot import Data

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
        point, name = study.find(algorithm), algorithm.name
        figures += [
            planning_figure(point, name, row.planning, row.planning_se),
            suboptimality_figure(point, name, row.suboptimality, row.suboptimality_se),
        ]
        figures += [] if row.worst is None else [figure(name, WORST, row.worst, point.worst)]
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
    columns = (shared.PLANNING, shared.SUBOPTIMALITY, WORST)
    return Shown(columns, (("planning",), ("suboptimality",), ("worst",)), figures, notes=notes)


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
        if row.algorithm is None or row.percent is None:
            continue
        point = study.find(row.algorithm)
        percent, error = 100 * point.excess, 100 * point.suboptimality_se
        figures.append(figure(point.name, PERCENT, row.percent, percent, None, error))
        figures.append(figure(point.name, LIMIT, row.low, point.worst))
    interval_text = pl.when(pl.col("max_limit").is_null()).then(pl.format("[{}, ∞)", "min_limit"))
    frame = own.select(
        limit=interval_text.otherwise(pl.format("[{}, {}]", "min_limit", "max_limit")),
        algorithm="label",
        suboptimality_percent=100 * (pl.col("suboptimality") - 1),
        se=100 * pl.col("suboptimality_se"),
        planning="expanded_per_move",
    )
    data = Data("The guide of the algorithms here", frame)
    return Shown((PERCENT, LIMIT), (("percent",), ("worst",)), figures, entries, data, [NOTES["table-4"]])


def guide(study: Study) -> pl.DataFrame:
    """Return our own guide, from the algorithms that the paper has."""
    added = [study.agents[algorithm] for algorithm in study.agents if algorithm.family in ADDED]
    return choices(study.means.filter(~pl.col("agent").is_in(added)))


def databases(name: str, evidence: Evidence) -> Shown:
    """Tables 5 and 9 to 14: sizes and times of databases, and the results of a representative algorithm."""
    table = DATABASES[name]
    figures = shared.database_figures(evidence, "depths" if table.depths else "subgoals", SIZES, table.seconds)
    missing = []
    for level, planning, suboptimality in zip(range(3, 8), table.planning, table.suboptimality, strict=True):
        point, row = evidence.upscaled.find(table.family(level, table.cap)), f"ℓ = {level}"
        missing += [] if point.problems else [level]
        figures += [planning_figure(point, row, planning), suboptimality_figure(point, row, suboptimality)]
    notes = [
        f"Planning per move and suboptimality are those of {table.family.name} with c = {table.cap}. One database "
        "serves every cap."
    ]
    if table.family == PDB_PDB and table.cap < 1000:
        notes.append(NOTES["loops"])
    if missing:
        reason = evidence.upscaled.skipped.get(table.family(missing[0], table.cap), "it was not requested")
        notes.append(f"Without a value, ℓ = {', '.join(map(str, missing))}: {reason}.")
    jobs = sorted({built.jobs for built in evidence.databases().values() if built.build_ns is not None})
    if jobs:
        threads = " or ".join(map(str, jobs))
        notes.append(f"Times are those of the builds in the data folder, by {threads} threads; means of three maps.")
    columns = (shared.PAIRS, shared.SECONDS, shared.PLANNING, shared.SUBOPTIMALITY)
    return Shown(columns, (("pairs", "seconds"), ("planning",), ("suboptimality",)), figures, notes=notes)


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
        figures += [figure(name, MOVES, published.moves, row["moves"]), figure(name, HSETUP, published.hours, hours)]
    for algorithm, (suboptimality, planning, micros) in SECTION_7_7.items():
        point = evidence.upscaled.find(algorithm)
        time = evidence.clock.find(algorithm).time / 1e3 if evidence.clock else None
        figures += [
            suboptimality_figure(point, algorithm.name, suboptimality),
            planning_figure(point, algorithm.name, planning),
            figure(algorithm.name, MICROSECONDS, micros, time),
        ]
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
    columns = (MOVES, HSETUP, shared.SUBOPTIMALITY, shared.PLANNING, MICROSECONDS)
    tables = (("moves", "hours"), ("suboptimality", "planning"), ("micros",))
    return Shown(columns, tables, figures, entries, Data("The values behind it", shown), [NOTES["table-6"]])
