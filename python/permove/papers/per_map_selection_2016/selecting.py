"""Section 6: selecting an algorithm per map and per problem; Tables 1 and 2, Figures 3 and 4.

Our matrix may have fewer algorithms than the paper's 1500, so that the tables compare where as many algorithms are run
on each map, not where the same share of them is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import polars as pl

from permove.common.terminal import Bar
from permove.data import Suite, load
from permove.papers.item import Lab, made_by
from permove.papers.outcome import Column, Figure, Outcome, Statement
from permove.papers.per_map_selection_2016 import space
from permove.select.explore import SUITE, Exploration
from permove.select.matrix import Matrix
from permove.select.selection import Selected, per_map, per_problem
from permove.select.tables import selected_data

TITLE = "Per-Map Algorithm Selection in Real-Time Heuristic Search"

OF = 1500
"""How many algorithms the paper's matrix has."""

NEAR = 0.1
"""How far off, as a share, a mean may be."""


@dataclass(frozen=True)
class Published:
    """A table of the paper: by the percentage of the values that are there, means and standard errors."""

    exhaustive: tuple[float, float]
    prior: tuple[float, float]
    sample: dict[float, tuple[float, float]]


PER_MAP = Published(
    (12.6, 0.15),
    (19.3, 0.23),
    {5.0: (14.1, 0.18), 4.0: (14.3, 0.17), 3.0: (14.6, 0.18), 2.0: (15.0, 0.19), 1.5: (15.4, 0.19), 1.0: (15.9, 0.21)},
)
PER_PROBLEM = Published(
    (8.0, 0.02),
    (19.2, 0.09),
    {5.0: (8.9, 0.03), 4.0: (9.1, 0.03), 3.0: (9.3, 0.03), 2.0: (9.6, 0.03), 1.5: (10.0, 0.03), 1.0: (10.5, 0.04)},
)


def full_matrix(lab: Lab, algorithms: int, problems: int, seed: int) -> tuple[Exploration, Suite, Matrix]:
    """A full matrix: all algorithms on the same problems."""
    with Bar(f"loading {SUITE}", None, shown=lab.shown) as bar:
        suite = load(SUITE, bar.advance)
    exploration = space.explored(lab, suite, algorithms=algorithms, problems=problems, batch=algorithms, seed=seed)
    return exploration, suite, Matrix.of(exploration.runs).placed(suite)


def table(which: str, lab: Lab, *, algorithms: int, problems: int, trials: int, seed: int) -> Outcome:
    """Table 1 or 2."""
    made, published = WHICH[which]
    exploration, _, matrix = full_matrix(lab, algorithms, problems, seed)
    selected = made(matrix, trials, seed, progress=lab.progress)
    figures = []
    for percent, sample in published.sample.items():
        row = f"{OF * percent / 100:g} algorithms ({percent:g}% of {OF:,})"
        figures += [
            Figure(row, method, *theirs, *at(selected, method, percent), False, False)
            for method, theirs in (
                ("exhaustive", published.exhaustive),
                ("prior", published.prior),
                ("sample", sample),
            )
        ]
    number = "1" if which == "map" else "2"
    return Outcome(
        item=f"per-map-selection-2016/table-{number}",
        title=f"{TITLE}, Table {number}: algorithm selection per {which}",
        columns=[Column(name, about) for name, about in ABOUT.items()],
        tables=[["exhaustive"], ["prior"], ["sample"]],
        figures=figures,
        statements=CLAIMS[which](selected, published),
        facts=facts(exploration, matrix, trials),
        notes=[
            "Rows compare at the same number of algorithms run on each new map; exhaustive and prior choose from "
            f"{len(matrix.agents):,} algorithms here and from 1,500 in the paper.",
        ],
    ).kept_in(exploration.folder)


def figure(which: str, lab: Lab, *, algorithms: int, problems: int, trials: int, seed: int) -> Outcome:
    """Figure 3 or 4."""
    made, published = WHICH[which]
    exploration, _, matrix = full_matrix(lab, algorithms, problems, seed)
    selected = made(matrix, trials, seed, progress=lab.progress)
    number = "3" if which == "map" else "4"
    return Outcome(
        item=f"per-map-selection-2016/figure-{number}",
        title=f"{TITLE}, Figure {number}: algorithm selection per {which}",
        statements=CLAIMS[which](selected, published),
        facts=facts(exploration, matrix, trials),
        data=selected_data(selected),
    ).kept_in(exploration.folder)


ABOUT = {
    "exhaustive": "every algorithm is run on every new one, and the best chosen for each",
    "prior": "the best algorithm on the old ones",
    "sample": "the best of the algorithms that were run on the new one",
}


def facts(exploration: Exploration, matrix: Matrix, trials: int) -> dict[str, str]:
    """What was selected from."""
    maps = matrix.problems.select("set", "map").unique().height
    return {
        "matrix": f"{len(matrix.agents):,} random algorithms on {matrix.problems.height:,} problems of {maps} maps, "
        "travel up to 10³ times the optimum",
        "trials": f"{trials} random splits into two thirds and one third",
        **made_by(exploration.runs[0]),
    }


def at(selected: Selected, method: str, percent: float) -> tuple[float, float | None]:
    """The mean, and its error, of a way of selecting where as many algorithms are run as the paper's percentage is."""
    rows = selected.frame.filter(pl.col("method") == method)
    count = OF * percent / 100
    # Half an algorithm is run on every other map.
    row = rows.sort((pl.col("algorithms") - count).abs(), "algorithms").row(0, named=True)
    return row["mean"], row["se"]


def _close(selected: Selected, method: str, percent: float, published: float) -> tuple[bool, str]:
    mean, error = at(selected, method, percent)
    off = mean / published - 1
    return abs(off) <= NEAR, f"{method} {mean:.2f} ± {error or float('nan'):.2f} for {published} ({off:+.1%})"


def _table_claims(selected: Selected, published: Published, quote: str, ratio: float, section: str) -> list[Statement]:
    found = [
        _close(selected, "prior", 1.0, published.prior[0]),
        *(_close(selected, "sample", percent, published.sample[percent][0]) for percent in (1.0, 5.0)),
    ]
    (exhaustive, _), (few, _), (prior, _) = (at(selected, name, 1.0) for name in ("exhaustive", "sample", "prior"))
    worse = few / exhaustive
    return [
        Statement(
            "In all three cases the performance measure is mean suboptimality of per-map selected algorithms on the "
            "test "
            "maps, averaged over the 100 trials.",
            "6.1",
            all(close for close, _ in found) and exhaustive < min(few, prior),
            "; ".join(text for _, text in found) + f"; exhaustive {exhaustive:.2f}.",
            predicate="Prior, and sample with 15 and with 75 algorithms, are within 10% of the published means, and "
            "exhaustive is below both.",
        ),
        Statement(
            quote,
            section,
            worse <= 1 + 1.5 * ratio,
            f"Sample with 15 algorithms is {worse - 1:.0%} worse than exhaustive.",
            predicate=f"At most {1.5 * ratio:.0%} worse, with 15 algorithms run.",
        ),
    ]


def _per_map_claims(selected: Selected, published: Published) -> list[Statement]:
    quote = (
        "the sample method runs only 1% of the available algorithms and yet yields suboptimality only 26% worse than "
        "the "
        "exhaustive search."
    )
    prior, _ = at(selected, "prior", 1.0)
    factored = selected.frame.filter(pl.col("method") == "factorization", pl.col("present") <= 5)
    best = float(factored["mean"].to_numpy().min())
    return [
        *_table_claims(selected, published, quote, 0.26, "6.1"),
        Statement(
            "The results indicates that the predictions were insufficiently accurate as the algorithms selected "
            "using them "
            "did not outperformed those of the “prior” method.",
            "7",
            best >= prior,
            f"With up to 5% of the values present factorization is at {best:.2f} or above, and prior at {prior:.2f}.",
            predicate="With up to 5% of the values present, matrix factorization is not better than prior.",
        ),
    ]


def _per_problem_claims(selected: Selected, published: Published) -> list[Statement]:
    quote = (
        "while the sample method still evaluates only 1% of the algorithms for only 28% worse suboptimality, it is "
        "not a "
        "practical method for video games"
    )
    prior, _ = at(selected, "prior", 1.0)
    (factored, _), (few, _) = at(selected, "factorization", 5.0), at(selected, "sample", 5.0)
    claims = [
        *_table_claims(selected, published, quote, 0.28, "6.2"),
        Statement(
            "We then applied the same approach in the per-problem setting and while it outperformed the “prior” it "
            "was worse "
            "than “sample”.",
            "7",
            few < factored < prior,
            f"With 75 algorithms run: factorization {factored:.2f}, prior {prior:.2f}, sample {few:.2f}.",
            predicate="With 75 algorithms run on each problem, factorization lies between both.",
        ),
    ]
    if "nearest" in selected.methods:
        nearest, _ = at(selected, "nearest", 1.0)
        claims.append(
            Statement(
                "We attempted to select the best algorithm for a problem by finding problems with similar start and "
                "goal "
                "states on the same map and then combining the algorithms found to perform well on them. The results "
                "were "
                "worse than the those of the “prior” method",
                "7",
                nearest > prior,
                f"Nearest problems {nearest:.2f}, prior {prior:.2f}.",
                predicate="The nearest problems of the same map choose worse algorithms than prior does.",
            )
        )
    return claims


Claims = Callable[[Selected, Published], list[Statement]]
CLAIMS: dict[str, Claims] = {"map": _per_map_claims, "problem": _per_problem_claims}
WHICH: dict[str, tuple[Callable[..., Selected], Published]] = {
    "map": (per_map, PER_MAP),
    "problem": (per_problem, PER_PROBLEM),
}
table_1, table_2 = partial(table, "map"), partial(table, "problem")
figure_3, figure_4 = partial(figure, "map"), partial(figure, "problem")
