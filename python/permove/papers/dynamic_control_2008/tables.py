"""Tables 3 to 6 and 9 to 14: what is printed beside what came out here."""

import math

import polars as pl

from permove.analysis.amortization import amortization, closest
from permove.analysis.guide import choices
from permove.papers.claim import NotMeasuredError
from permove.papers.dynamic_control.algorithms import (
    CENTROIDS,
    K_LRTA_CURRENT,
    PDB_PDB,
    PR_F_G,
    WEIGHTED_REOPENING,
    Algorithm,
)
from permove.papers.dynamic_control.figures import figure
from permove.papers.dynamic_control.study import Built, Evidence, Shelf, Study
from permove.papers.dynamic_control_2008.printed import (
    DATABASES,
    HOUR,
    SECTION_7_7,
    SIZES,
    TABLE_3,
    TABLE_4,
    TABLE_6,
    Databases,
)
from permove.papers.outcome import Column, Entry
from permove.papers.shown import Shown
from permove.report.plot import Data

OURS = (K_LRTA_CURRENT, CENTROIDS, WEIGHTED_REOPENING.family)
"""What the paper does not have: no part of its guide."""

PLANNING = Column("planning", "states expanded per move, pooled; standard errors are those of a ratio of totals")
SUBOPTIMALITY = Column("suboptimality", "suboptimality (times)", digits=3)


def table_3(evidence: Evidence) -> Shown:
    """Comparison of high-performance algorithms."""
    study = evidence.upscaled
    figures = []
    for algorithm, row in TABLE_3.items():
        point = study.find(algorithm)
        figures += [
            figure(
                algorithm.name,
                "planning",
                row.planning,
                point.planning,
                row.planning_se,
                point.planning_se,
            ),
            figure(
                algorithm.name,
                "suboptimality",
                row.suboptimality,
                point.suboptimality,
                row.suboptimality_se,
                point.suboptimality_se,
            ),
        ]
        if row.worst is not None:
            figures.append(figure(algorithm.name, "worst", row.worst, point.worst))
    columns = (PLANNING, SUBOPTIMALITY, Column("worst", "the worst move, in states expanded (Section 7.5)"))
    notes = [
        "A*: 119.8 states per move and 88,138 for the worst move are out of reach of an A* that expands no state twice "
        "with a consistent heuristic: states of f at most the optimal cost do not fill so much of these maps. "
        "Re-expansion by rounding errors may explain a part.",
        "Weighted A*: “15 g + h”, taken literally, is nearly Dijkstra's algorithm; it is read as g + 15 h. Closed "
        "states stay closed; " + _reopening(study),
    ]
    if PDB_PDB(3, 3000) not in study:
        notes.append(
            f"{PDB_PDB(3, 3000).name} did not walk: {study.why.get(PDB_PDB(3, 3000), 'it was not asked for')}."
        )
    return Shown(columns, (("planning",), ("suboptimality",), ("worst",)), figures, notes=notes)


def _reopening(study: Study) -> str:
    point = study.find(WEIGHTED_REOPENING)
    if not point.problems:
        return "the option `reopen=yes` opens them again."
    return (
        f"opened again, it comes to {point.planning:.2f} ± {point.planning_se:.2f} states per move, "
        f"{point.suboptimality:.3f}, worst {point.worst:,.0f}."
    )


def table_4(evidence: Evidence) -> Shown:
    """The selection guide: the best solution quality under a strict limit."""
    study = evidence.upscaled
    own = guide(study)
    entries, figures = [], []
    for row in TABLE_4:
        interval = f"[{row.least:,}, {'∞)' if row.most is None else f'{row.most:,}]'}" if row.least else "0"
        measured = _choice(own, row.least)
        if row.algorithm is None or row.percent is None:
            entries.append(Entry(interval, "", "–", measured or "–", measured is None))
            continue
        name = row.algorithm.name
        entries.append(Entry(interval, "", name, measured or "–", measured == name))
        point = study.find(row.algorithm)
        figures += [
            figure(
                name,
                "percent",
                row.percent,
                100 * (point.suboptimality - 1),
                None,
                100 * point.suboptimality_se,
            ),
            figure(name, "worst", row.least, point.worst),
        ]
    columns = (
        Column("percent", "suboptimality (%)"),
        Column("worst", "the worst move in states expanded: where its interval begins"),
    )
    frame = own.select(
        limit=pl.when(pl.col("most").is_null())
        .then(pl.format("[{}, ∞)", "least"))
        .otherwise(pl.format("[{}, {}]", "least", "most")),
        algorithm="label",
        suboptimality_percent=100 * (pl.col("suboptimality") - 1),
        se=100 * pl.col("suboptimality_se"),
        planning="expanded_per_move",
    )
    notes = ["Beside each printed interval is our best choice under its lower end; our own intervals follow."]
    return Shown(
        columns, (("percent",), ("worst",)), figures, entries, Data("The guide of the algorithms here", frame), notes
    )


def guide(study: Study) -> pl.DataFrame:
    """Our own guide, from the algorithms that the paper has."""
    ours = [study.agents[algorithm] for algorithm in study.agents if algorithm.family in OURS]
    return choices(study.means.filter(~pl.col("agent").is_in(ours)))


def _choice(own: pl.DataFrame, limit: int) -> str | None:
    able = own.filter(pl.col("least") <= limit)
    return able["label"][-1] if able.height else None


def databases(name: str, evidence: Evidence) -> Shown:
    """Tables 5 and 9 to 14: sizes, times, and what a representative algorithm does with the databases."""
    table = DATABASES[name]
    shelf = evidence.shelf()
    figures = []
    kind = "depths" if table.depths else "subgoals"
    for level, (size, seconds) in enumerate(zip(SIZES, table.seconds, strict=True)):
        built = shelf.get((kind, 0, level), Built(math.nan))
        took = None if built.build_ns is None else built.build_ns / 1e9
        figures += [
            figure(f"ℓ = {level}", "pairs", size, built.pairs),
            figure(f"ℓ = {level}", "seconds", seconds, took, timed=True),
        ]
    missing = []
    for level, planning, suboptimality in zip(range(3, 8), table.planning, table.suboptimality, strict=True):
        point = evidence.upscaled.find(table.family(level, table.cap))
        if not point.problems:
            missing.append(level)
        figures += [
            figure(f"ℓ = {level}", "planning", planning, point.planning, None, point.planning_se),
            figure(
                f"ℓ = {level}",
                "suboptimality",
                suboptimality,
                point.suboptimality,
                None,
                point.suboptimality_se,
            ),
        ]
    columns = (
        Column("pairs", "pairs of abstract states, the mean of the three maps"),
        Column("seconds", "seconds to build; at levels 0 to 2 the paper has estimates", timed=True),
        PLANNING,
        SUBOPTIMALITY,
    )
    return Shown(
        columns,
        (("pairs", "seconds"), ("planning",), ("suboptimality",)),
        figures,
        notes=[*_notes(table, evidence, missing), *build_notes(shelf)],
    )


def _notes(table: Databases, evidence: Evidence, missing: list[int]) -> list[str]:
    notes = [
        f"Planning per move and suboptimality are those of {table.family.name} with c = {table.cap}. One database "
        "serves every cap."
    ]
    if table.family == PDB_PDB and table.cap < 1000:
        notes.append(
            "From ℓ = 4 on a few problems on which the agent comes by the same states again and again decide on the "
            "mean, so that 300 problems do not pin it down: see the standard errors."
        )
    if missing:
        reason = evidence.upscaled.why.get(table.family(missing[0], table.cap), "it was not asked for")
        notes.append(f"Without a figure, ℓ = {', '.join(map(str, missing))}: {reason}.")
    return notes


def build_notes(shelf: Shelf) -> list[str]:
    """How the databases were built that have a time."""
    jobs = sorted({built.jobs for built in shelf.values() if built.build_ns is not None})
    if not jobs:
        return []
    return [
        f"Times are those of the builds in the data folder, by {' or '.join(map(str, jobs))} threads; means of three "
        "maps."
    ]


def pairs(study: Study) -> pl.DataFrame:
    """Each LRTA* (PDB, PDB) of Table 6 with the statically controlled PR LRTA* that is closest in suboptimality."""
    own = [study.agents[algorithm] for algorithm in TABLE_6 if algorithm in study]
    static = [spec for algorithm, spec in study.agents.items() if algorithm.family == PR_F_G]
    means = study.means
    found = closest(means.filter(pl.col("agent").is_in(own)), means.filter(pl.col("agent").is_in(static)))
    order = {spec: at for at, spec in enumerate(own)}
    return found.sort(pl.col("agent").replace_strict(order, return_dtype=pl.Int64))


def clocked(study: Study) -> dict[Algorithm, str]:
    """The algorithms that Table 6 wants the times of."""
    wanted = set(pairs(study).select("agent", "other").to_numpy().ravel())
    printed = [algorithm for algorithm in (*SECTION_7_7, *TABLE_6) if algorithm in study]
    return {algorithm: spec for algorithm, spec in study.agents.items() if spec in wanted or algorithm in printed}


def recouped(evidence: Evidence) -> pl.DataFrame:
    """After how many moves each database of Table 6 has paid, from the times of this machine."""
    clock = evidence.clock
    if clock is None:
        raise NotMeasuredError("There are no times; `table-6` measures them.")
    shelf = evidence.shelf()
    own = pairs(evidence.upscaled)
    by_agent = {spec: algorithm for algorithm, spec in evidence.upscaled.agents.items()}
    levels = [("subgoals", 0, int(by_agent[spec]["ℓ"])) for spec in own["agent"]]
    built = own.select("agent").with_columns(
        build_ns=pl.Series([shelf[key].build_ns if key in shelf else None for key in levels], dtype=pl.Float64)
    )
    return amortization(own, clock.means, built)


def table_6(evidence: Evidence) -> Shown:
    """Amortization of the time to build databases."""
    frame = recouped(evidence)
    by_name = {algorithm.name: (algorithm, row) for algorithm, row in TABLE_6.items()}
    figures, entries = [], []
    for row in frame.iter_rows(named=True):
        printed = by_name[row["label"]][1]
        competitor = printed.competitor.name
        entries.append(
            Entry(row["label"], "the closest", competitor, row["other_label"], row["other_label"] == competitor)
        )
        hours = None if row["run_ns"] is None else row["run_ns"] / 1e9 / HOUR
        figures += [
            figure(row["label"], "moves", printed.moves, row["moves"], timed=True),
            figure(row["label"], "hours", printed.hours, hours, timed=True),
        ]
    for algorithm, (suboptimality, planning, micros) in SECTION_7_7.items():
        point = evidence.upscaled.find(algorithm)
        figures += [
            figure(
                algorithm.name,
                "suboptimality",
                suboptimality,
                point.suboptimality,
                None,
                point.suboptimality_se,
            ),
            figure(algorithm.name, "planning", planning, point.planning, None, point.planning_se),
            figure(
                algorithm.name,
                "micros",
                micros,
                evidence.clock.find(algorithm).time / 1e3 if evidence.clock else None,
                timed=True,
            ),
        ]
    columns = (
        Column("moves", "moves until the build is recouped: its time over what is saved on each move", timed=True),
        Column("hours", "hours of pathfinding for so many moves", timed=True, digits=1),
        SUBOPTIMALITY,
        PLANNING,
        Column("micros", "microseconds per move", timed=True, digits=3),
    )
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
    return Shown(
        columns,
        (("moves", "hours"), ("suboptimality", "planning"), ("micros",)),
        figures,
        entries,
        Data("The figures behind it", shown),
        [
            "Times per move are those of whole trials on one thread. Where nothing is saved on a move, nothing is ever "
            "recouped."
        ],
    )
