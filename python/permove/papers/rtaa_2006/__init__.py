"""Koenig, Likhachev: Real-Time Adaptive A*, AAMAS 2006.

Table 1: RTAA* against LRTA*, D* Lite, forward and backward A* in perfect mazes that the agents discover as they go. In
the paper's last rows of RTAA* and LRTA* the lookahead is printed as 1; it is infinity. The paper averages over 2500
mazes and gives standard errors for columns (b), (d) and (f).

The paper does not say whether its mazes have a wall around them. Without one, rooms on even coordinates, our figures
fit better: with one, RTAA* and LRTA* expand and travel some 5% less than published, on 3000 mazes.

Our times are those of the records: everything from the first look to the goal, moving and sensing included, with as
many threads side by side as the run has. They are shown beside the paper's, whose machine was another, and decide
nothing but the statements that are marked as timed.
"""

import math

import polars as pl

from permove.data.drawn import drawn_suite
from permove.papers.item import Lab, Option, Paper, legacy_item, made_by
from permove.papers.outcome import Figure, Outcome, Statement, Tolerance
from permove.papers.rtaa_2006.statements import statements
from permove.papers.rtaa_2006.table import COLUMNS, Sample, Samples, published

SIDE = 151


def table_1(lab: Lab, *, mazes: int, seed: int) -> Outcome:
    """Let the agents of all 29 rows walk the same mazes."""
    agents = {row: row.agent for row in published()}
    suite = drawn_suite("rtaa-2006", "maze", mazes, SIDE, seed, "none", {"border": 0})
    run = lab.run(suite, list(agents.values()), sensor="cross", seed=seed)
    records = run.records.filter(pl.col("agent").is_in(list(agents.values())))
    solved = int((records["status"] == "solved").sum())
    arrived = Statement(
        "The task of the agents is to move to the given goal cell, which we assume to be possible.",
        "6",
        solved == records.height,
        f"{solved:,} of {records.height:,} walks reached the goal.",
    )
    samples = {row: Sample.of(records.filter(pl.col("agent") == agent)) for row, agent in agents.items()}
    facts = {
        "mazes": f"{mazes:,} perfect ones of {SIDE} × {SIDE} cells without a wall around, seed {seed}",
        **made_by(run),
    }
    return judge(samples, [arrived, *statements(samples)], facts).kept_in(run.folder)


def judge(samples: Samples, said: list[Statement], facts: dict[str, str]) -> Outcome:
    """The published figures beside those of the samples."""
    figures = []
    for row, columns in published().items():
        for column in COLUMNS:
            if column.key in columns:
                paper, (ours, error) = columns[column.key], samples[row].figure(column.key)
                error_known = None if math.isnan(error) else error
                figures.append(
                    Figure(row.name, column.key, *paper, ours, error_known, judged=column.judged, timed=column.timed)
                )
    return Outcome(
        item=f"{PAPER.key}/table-1",
        title="Real-Time Adaptive A*, Table 1: experiments in mazes",
        columns=COLUMNS,
        tables=(("b",), ("d",), ("c", "e", "i"), ("f",), ("g", "h")),
        figures=figures,
        tolerance=Tolerance(least=54),
        statements=said,
        facts=facts,
    )


PAPER = Paper(
    "rtaa-2006",
    "Koenig, Likhachev: Real-Time Adaptive A*, AAMAS 2006",
    (
        legacy_item(
            "table-1",
            "RTAA* against LRTA*, D* Lite and A* in mazes",
            table_1,
            (
                Option("mazes", 1000, 2, 100_000, "how many mazes; the paper has 2500"),
                Option("seed", 0, 0, 2**53, "the seed of mazes, problems and ties"),
            ),
        ),
    ),
)
