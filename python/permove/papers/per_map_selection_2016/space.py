"""Section 5 and Figure 2: the space of algorithms, sampled at random."""

import polars as pl

from permove.agents.specs import parse
from permove.data import Suite
from permove.papers.item import Lab, made_by
from permove.papers.outcome import Column, Figure, Outcome, Statement
from permove.report.histogram import binned
from permove.report.plot import Data, Plot
from permove.select.explore import REFERENCES, SUITE, Exploration, explore

MEAN, RTA, DA_LRTA, BEST, PER_PROBLEM = 50.6, 186.7, 30.5, 17.84, 8.41
SHARES = {"the mean": 73.4, "RTA*": 94.4, "daLRTA*+E": 54.9}
"""How many algorithms of a hundred are better; RTA* is in the bottom 5.6%."""


def explored(lab: Lab, suite: str | Suite, *, algorithms: int, problems: int, batch: int, seed: int) -> Exploration:
    """An exploration in the lab, which goes on where it was stopped."""
    return explore(
        suite,
        algorithms=algorithms,
        problems=problems,
        batch=batch,
        seed=seed,
        out=lab.out,
        jobs=lab.jobs,
        progress=lab.progress,
        command=lab.command,
    )


def figure_2(lab: Lab, *, algorithms: int, problems: int, batch: int, seed: int) -> Outcome:
    """Let random algorithms walk random problems, and draw how good they are."""
    exploration = explored(lab, SUITE, algorithms=algorithms, problems=problems, batch=batch, seed=seed)
    return judge(exploration, problems, batch)


def judge(exploration: Exploration, problems: int, batch: int) -> Outcome:
    """The published figures beside those of an exploration."""
    summary = exploration.summary
    mean, rta, da_lrta = (_row(summary, what) for what in ("the algorithms", *map(_label, REFERENCES)))
    best, per_problem = _row(summary, "the best algorithm"), _row(summary, "the best for each problem")
    told = {
        "a random algorithm": (MEAN, mean),
        "RTA*": (RTA, rta),
        "daLRTA*+E": (DA_LRTA, da_lrta),
        "the best algorithm": (BEST, best),
        "the best for each problem": (PER_PROBLEM, per_problem),
    }
    figures = [
        Figure(name, "suboptimality", published, None, row["suboptimality"], row["suboptimality_se"], False, False)
        for name, (published, row) in told.items()
    ]
    better = {"the mean": mean["better"], "RTA*": rta["better"], "daLRTA*+E": da_lrta["better"]}
    figures += [
        Figure(f"better than {name}", "share", SHARES[name], None, share, None, False, False)
        for name, share in better.items()
    ]
    bins = binned(exploration.algorithms["suboptimality"].to_numpy())
    frame = pl.DataFrame({"from": bins.edges[:-1], "to": bins.edges[1:], "algorithms": bins.counts})
    plot = Plot("from", "algorithms", "Sample suboptimality", "Number of algorithms", bars_to="to")
    count = exploration.algorithms.height
    return Outcome(
        item="per-map-selection-2016/figure-2",
        title="Per-Map Algorithm Selection in Real-Time Heuristic Search, Figure 2: the space of algorithms",
        columns=(
            Column("suboptimality", "mean suboptimality on samples of problems, travel up to 10³ times the optimum"),
            Column("share", "percent of the algorithms", digits=1),
        ),
        tables=(("suboptimality",), ("share",)),
        figures=figures,
        statements=_statements(mean, rta, da_lrta, best, per_problem, better),
        facts={
            "algorithms": f"{count:,} random ones, {batch:,} on each sample of {problems:,} problems; the paper has "
            "55,700, 100 on "
            "each of 5,000",
            **made_by(exploration.runs[0]),
        },
        data=Data("How many algorithms have which sample suboptimality", frame, plot),
        notes=[
            "Each problem was walked by the algorithms of one sample or two, and in the paper by some 565: the best "
            "for "
            "each problem is chosen from fewer here.",
        ],
    ).kept_in(exploration.folder)


def _label(spec: str) -> str:
    return parse(spec).label


def _row(summary: pl.DataFrame, name: str) -> dict[str, float]:
    row: dict[str, float] = summary.filter((pl.col("what") == name) | (pl.col("algorithm") == name)).row(0, named=True)
    return row


def _statements(
    mean: dict[str, float],
    rta: dict[str, float],
    da_lrta: dict[str, float],
    best: dict[str, float],
    per_problem: dict[str, float],
    better: dict[str, float],
) -> list[Statement]:
    value = "suboptimality"
    off = rta[value] / RTA - 1
    return [
        Statement(
            "The average of the sample suboptimalities (50.6) is an estimate of the expected performance of an "
            "algorithm "
            "randomly sampled from the algorithm space.",
            "5",
            45 <= mean[value] <= 60,
            f"{mean[value]:.1f} ± {mean['suboptimality_se']:.1f}.",
            predicate="Ours is between 45 and 60.",
        ),
        Statement(
            "it is better than RTA* (Korf 1990) (186.7)",
            "5",
            mean[value] < rta[value] and abs(off) <= 0.1,
            f"RTA*: {rta[value]:.1f} ± {rta['suboptimality_se']:.1f}, {off:+.1%}.",
            predicate="RTA* is within 10% of that, and worse than the average.",
        ),
        Statement(
            "but worse than daLRTA*+E (Hernández and Baier 2012; Sharon, Sturtevant, and Felner 2013) (30.5).",
            "5",
            mean[value] > da_lrta[value],
            f"daLRTA*+E: {da_lrta[value]:.1f} ± {da_lrta['suboptimality_se']:.1f}.",
            predicate="daLRTA*+E is better than the average.",
        ),
        Statement(
            "73.4% of algorithms in the experiment had better sample suboptimality than the expectation for a randomly "
            "drawn algorithm (due to the long tail of the distribution).",
            "5",
            abs(better["the mean"] - SHARES["the mean"]) <= 10,
            f"{better['the mean']:.1f}%.",
            predicate="Within ten points.",
        ),
        Statement(
            "RTA* is once again in the bottom 5.6%;",
            "5",
            better["RTA*"] > 90,
            f"{better['RTA*']:.1f}% of the algorithms are better.",
            predicate="More than 90% of the algorithms are better.",
        ),
        Statement(
            "daLRTA*+E is outperformed by 54.9% of all sampled algorithms.",
            "5",
            abs(better["daLRTA*+E"] - SHARES["daLRTA*+E"]) <= 10,
            f"{better['daLRTA*+E']:.1f}%.",
            predicate="Within ten points.",
        ),
        Statement(
            "However, selecting the best algorithm from the set on a per-problem basis yielded the mean "
            "suboptimality of "
            "8.41, about a two-fold improvement.",
            "6",
            best[value] / per_problem[value] >= 1.8,
            f"{per_problem[value]:.2f}, and {best[value]:.2f} for the best algorithm: "
            f"{best[value] / per_problem[value]:.1f} "
            "times better.",
            predicate="At least 1.8 times better than the best algorithm.",
        ),
    ]
