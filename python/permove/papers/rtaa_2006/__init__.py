"""Koenig, Likhachev: Real-Time Adaptive A*, AAMAS 2006.

Table 1: RTAA* against LRTA*, D* Lite, forward and backward A* in perfect mazes that the agents discover. In the last
rows of RTAA* and LRTA*, the lookahead is printed as 1; it is infinity. The paper averages over 2500 mazes and gives
standard errors for columns (b), (d) and (f).

The paper does not say whether its mazes have a surrounding wall. Mazes without one, with rooms on even coordinates, fit
the published values better: with one, RTAA* and LRTA* expand and travel some 5% less than published, on 3000 mazes.

Times include everything from the first observation to the goal, with as many parallel threads as the run has. They
decide only the statements that are marked as timed.
"""

import polars as pl

from permove.data.random_suites import drawn_suite
from permove.papers.item import Experiment, Item, Measured, Option, made_by
from permove.papers.outcome import Shown, Tolerance
from permove.papers.rtaa_2006.claims import CLAIMS
from permove.papers.rtaa_2006.table import COLUMNS, FILE, Sample, Samples, published

SIDE = 151


def measure(_: Item, experiment: Experiment, *, mazes: int, seed: int) -> Measured:
    """Run the agents of all 29 rows in the same mazes."""
    agents = {row: row.agent for row in published()}
    suite = drawn_suite("rtaa-2006", "maze", mazes, SIDE, seed, "none", {"border": 0})
    run = experiment.run(suite, list(agents.values()), sensor="cross", seed=seed)
    records = run.records.filter(pl.col("agent").is_in(list(agents.values())))
    samples = Samples({row: Sample.of(records.filter(pl.col("agent") == agent)) for row, agent in agents.items()})
    samples.runs, samples.solved = records.height, int((records["status"] == "solved").sum())
    facts = {"mazes": f"{mazes:,} perfect mazes of {SIDE} × {SIDE} cells without a surrounding wall, seed {seed}"}
    return Measured(samples, facts | made_by(run), run.folder)


def show(samples: Samples) -> Shown:
    """Published next to measured values."""
    figures = [
        column.figure(row.name, values[column.key], samples[row].figure(column.key))
        for row, values in published().items()
        for column in COLUMNS
        if column.key in values
    ]
    return Shown(COLUMNS, (("b",), ("d",), ("c", "e", "i"), ("f",), ("g", "h")), figures)


OPTIONS = (
    Option("mazes", 1000, 2, 100_000, "number of mazes; the paper used 2500"),
    Option("seed", 0, 0, 2**53, "seed of mazes, problems and ties"),
)

PAPER = FILE.paper([FILE.item("table-1", measure, show, OPTIONS, tolerance=Tolerance(least=54))], CLAIMS)
