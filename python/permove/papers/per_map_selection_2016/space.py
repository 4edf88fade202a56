"""Section 5 and Figure 2: a random sample of the space of algorithms."""

from typing import Any, NamedTuple

import polars as pl

from permove.agents.specs import parse
from permove.data import Suite
from permove.papers.claims import Number, Predicate, claims
from permove.papers.item import Experiment, Item, Measured, Option, PaperFile, made_by
from permove.papers.outcome import Column, Shown
from permove.report.histogram import binned
from permove.report.plot import Data, Plot
from permove.select.explore import REFERENCES, SUITE, Exploration, explore

FILE = PaperFile(__package__)
PUBLISHED: dict[str, float] = FILE["figure-2"]["suboptimality"]
SHARES: dict[str, float] = FILE["figure-2"]["shares"]
"""Percent of the algorithms that are better."""

POINTS = 10
"""Percentage points by which a share may differ."""

MEAN = Column("suboptimality", "mean suboptimality on samples of problems, travel up to 10³ times the optimum")
SHARE = Column("share", "percent of the algorithms", digits=1)
OPTIONS = (
    Option("algorithms", 200, 2, 100_000, "number of random algorithms; the paper used 55,700"),
    Option("problems", 5000, 2, 493_298, "number of problems in each sample"),
    Option("batch", 100, 1, 100_000, "number of algorithms that share a sample"),
)


def explored(experiment: Experiment, suite: str | Suite, **settings: Any) -> Exploration:
    """Run an exploration, which resumes if it was stopped."""
    how = {name: getattr(experiment, name) for name in ("out", "jobs", "progress", "command")}
    return explore(suite, **settings, **how)


class Evidence(NamedTuple):
    """The rows of an exploration's summary by name, and the suboptimality of each algorithm."""

    rows: dict[str, dict[str, float]]
    algorithms: pl.Series

    def better(self, name: str) -> float:
        """Percent of the algorithms that are better than a reference."""
        return self.rows["a random algorithm" if name == "the mean" else name]["better"]


def measure(_: Item, experiment: Experiment, *, problems: int, batch: int, **rest: int) -> Measured:
    """Run random algorithms on random problems."""
    found = explored(experiment, SUITE, problems=problems, batch=batch, **rest)
    facts = {
        "algorithms": f"{found.algorithms.height:,} random algorithms, {batch:,} on each sample of {problems:,} "
        "problems; the paper used 55,700, 100 on each of 5,000",
        **made_by(found.runs[0]),
    }
    sources = ("the algorithms", *(parse(spec).label for spec in REFERENCES), *list(PUBLISHED)[3:])
    rows = {
        name: found.summary.filter((pl.col("what") == source) | (pl.col("algorithm") == source)).row(0, named=True)
        for name, source in zip(PUBLISHED, sources, strict=True)
    }
    return Measured(Evidence(rows, found.algorithms["suboptimality"]), facts, found.folder)


def show(found: Evidence) -> Shown:
    """Published next to measured values, and a histogram."""
    figures = [
        MEAN.figure(name, published, (found.rows[name]["suboptimality"], found.rows[name]["suboptimality_se"]))
        for name, published in PUBLISHED.items()
    ]
    figures += [SHARE.figure(f"better than {name}", share, found.better(name)) for name, share in SHARES.items()]
    bins = binned(found.algorithms.to_numpy())
    frame = pl.DataFrame({"from": bins.edges[:-1], "to": bins.edges[1:], "algorithms": bins.counts})
    plot = Plot("from", "algorithms", "Sample suboptimality", "Number of algorithms", bars_to="to")
    data = Data("Number of algorithms by sample suboptimality", frame, plot)
    return Shown((MEAN, SHARE), figures=figures, data=data, notes=[FILE["notes"]["fewer"]])


def _suboptimality(name: str) -> Number[Evidence]:
    def details(found: Evidence) -> str:
        return f"{name}: {found.rows[name]['suboptimality']:.2f} ± {found.rows[name]['suboptimality_se']:.2f}."

    return Number(f"the suboptimality of {name}", lambda found: found.rows[name]["suboptimality"], ".4g", details)


def _share(name: str) -> Number[Evidence]:
    return Number(f"the percentage of algorithms that are better than {name}", lambda found: found.better(name), ".1f")


def _near_share(name: str) -> Predicate[Evidence]:
    return _share(name).between(SHARES[name] - POINTS, SHARES[name] + POINTS, f"{SHARES[name]}")


mean, rta, da_lrta, best, per_problem = map(_suboptimality, PUBLISHED)
near_rta = rta.between(0.9 * PUBLISHED["RTA*"], 1.1 * PUBLISHED["RTA*"], "186.7")
CLAIMS = (
    *claims("5", "", mean.between(45, 60, "50.6"), mean.below(rta) & near_rta, da_lrta.below(mean)),
    *claims("5", "", _near_share("the mean"), _share("RTA*").above(90, "94.4"), _near_share("daLRTA*+E")),
    *claims("6", "", (best / per_problem).at_least(1.8, "about two")),
)
