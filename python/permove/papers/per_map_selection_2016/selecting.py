"""Section 6: algorithm selection per map and per problem; Tables 1 and 2, Figures 3 and 4.

Our matrix may have fewer algorithms than the paper's 1500. Therefore the rows of the tables have equal numbers of
algorithms run on each map instead of equal shares.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import polars as pl

from permove.common.terminal import Bar
from permove.data import Suite, load
from permove.papers.claims import Claim, Finding, NotMeasuredError, Number, claims, predicate
from permove.papers.item import Experiment, Item, Measured, made_by
from permove.papers.outcome import Column, Figure, Shown
from permove.papers.per_map_selection_2016 import space
from permove.select.explore import SUITE, Exploration
from permove.select.matrix import Matrix
from permove.select.selection import Selected, per_map, per_problem
from permove.select.tables import selected_data

PAPER_ALGORITHMS = 1500
"""Number of algorithms in the paper's matrix."""

NEAR = 0.1
"""Maximum relative difference of a mean."""

FEW, MANY = 1.0, 5.0
"""The smallest and the largest percentage in the tables: 15 and 75 algorithms."""


@dataclass(frozen=True)
class Table:
    """A published table: means and standard errors, by percentage of the known values for `sample`."""

    select: Callable[..., Selected]
    exhaustive: tuple[float, float]
    prior: tuple[float, float]
    sample: dict[float, tuple[float, float]]
    worse: float
    """By how much `sample` with 1% of the algorithms is worse than `exhaustive`."""


PER_MAP = Table(
    per_map,
    (12.6, 0.15),
    (19.3, 0.23),
    {5.0: (14.1, 0.18), 4.0: (14.3, 0.17), 3.0: (14.6, 0.18), 2.0: (15.0, 0.19), 1.5: (15.4, 0.19), 1.0: (15.9, 0.21)},
    0.26,
)
PER_PROBLEM = Table(
    per_problem,
    (8.0, 0.02),
    (19.2, 0.09),
    {5.0: (8.9, 0.03), 4.0: (9.1, 0.03), 3.0: (9.3, 0.03), 2.0: (9.6, 0.03), 1.5: (10.0, 0.03), 1.0: (10.5, 0.04)},
    0.28,
)
ABOUT = {
    "exhaustive": "every algorithm is run on every new one, and the best chosen for each",
    "prior": "the best algorithm on the old ones",
    "sample": "the best of the algorithms that were run on the new one",
}


def full_matrix(experiment: Experiment, algorithms: int, problems: int, seed: int) -> tuple[Exploration, Suite, Matrix]:
    """Run all algorithms on the same problems."""
    with Bar(f"loading {SUITE}", None, shown=experiment.shown) as bar:
        suite = load(SUITE, bar.advance)
    found = space.explored(experiment, suite, algorithms=algorithms, problems=problems, batch=algorithms, seed=seed)
    return found, suite, Matrix.of(found.runs).placed(suite)


def measure(
    table: Table, _item: Item, experiment: Experiment, *, algorithms: int, problems: int, trials: int, seed: int
) -> Measured:
    """Select algorithms on random splits of a full matrix."""
    exploration, _suite, matrix = full_matrix(experiment, algorithms, problems, seed)
    selected = table.select(matrix, trials, seed, progress=experiment.progress)
    return Measured(selected, facts(exploration, matrix, trials), exploration.folder)


def facts(exploration: Exploration, matrix: Matrix, trials: int) -> dict[str, str]:
    """Return the size of the matrix for a report."""
    maps = matrix.problems.select("set", "map").unique().height
    return {
        "matrix": f"{len(matrix.agents):,} random algorithms on {matrix.problems.height:,} problems of {maps} maps, "
        "travel up to 10³ times the optimum",
        "trials": f"{trials} random splits into two thirds and one third",
        **made_by(exploration.runs[0]),
    }


def show_table(table: Table, selected: Selected) -> Shown:
    """Published next to measured means."""
    figures = []
    for percent, sample in table.sample.items():
        row = f"{PAPER_ALGORITHMS * percent / 100:g} algorithms ({percent:g}% of {PAPER_ALGORITHMS:,})"
        published = {"exhaustive": table.exhaustive, "prior": table.prior, "sample": sample}
        figures += [
            Figure(row, method, *values, *at(selected, method, percent)) for method, values in published.items()
        ]
    note = (
        "Rows have equal numbers of algorithms run on each new map; exhaustive and prior choose from "
        f"{selected.algorithms:,} algorithms here and from {PAPER_ALGORITHMS:,} in the paper."
    )
    columns = [Column(name, about) for name, about in ABOUT.items()]
    return Shown(columns, [[name] for name in ABOUT], figures, notes=[note])


def show_figure(selected: Selected) -> Shown:
    """The plot of a selection."""
    return Shown(data=selected_data(selected))


def at(selected: Selected, method: str, percent: float) -> tuple[float, float | None]:
    """Return the mean and its error of a method for as many algorithms as a percentage in the paper stands for."""
    rows = selected.frame.filter(pl.col("method") == method)
    count = PAPER_ALGORITHMS * percent / 100
    # Half an algorithm is run on every other map.
    row = rows.sort((pl.col("algorithms") - count).abs(), "algorithms").row(0, named=True)
    return row["mean"], row["se"]


def _mean(method: str, percent: float = FEW) -> Number[Selected]:
    count = f" with {PAPER_ALGORITHMS * percent / 100:g} algorithms" if method in ("sample", "factorization") else ""
    return Number(f"the mean suboptimality of “{method}”{count}", lambda found: at(found, method, percent)[0], ".2f")


exhaustive, prior, few, many = _mean("exhaustive"), _mean("prior"), _mean("sample"), _mean("sample", MANY)
factored = Number[Selected](
    "the best mean suboptimality of matrix factorization with up to 5% of the values",
    lambda found: float(
        found.frame.filter(pl.col("method") == "factorization", pl.col("present") <= 5)["mean"].to_numpy().min()
    ),
    ".2f",
)


def _table_claims(table: Table, section: str) -> tuple[Claim[Selected], ...]:
    """The claims that both tables share."""

    @predicate(
        f"“prior”, and “sample” with 15 and 75 algorithms, are within {NEAR:.0%} of the published means, and "
        "“exhaustive” is better than both"
    )
    def near(selected: Selected) -> Finding:
        parts, holds = [], True
        for method, percent in (("prior", FEW), ("sample", FEW), ("sample", MANY)):
            published = table.prior[0] if method == "prior" else table.sample[percent][0]
            mean, error = at(selected, method, percent)
            off = mean / published - 1
            holds &= abs(off) <= NEAR
            parts.append(f"{method} {mean:.2f} ± {error or float('nan'):.2f} for {published} ({off:+.1%})")
        best = exhaustive.value(selected)
        holds &= best < min(few.value(selected), prior.value(selected))
        return holds, "; ".join(parts) + f"; exhaustive {best:.2f}."

    bound = 1 + 1.5 * table.worse
    cheap = (few / exhaustive).at_most(bound, f"{1 + table.worse:g}")
    return (*claims("6.1", "", near), *claims(section, "", cheap))


@predicate("matrix factorization does not outperform “prior” per map", "with up to 5% of the values present")
def _no_better(selected: Selected) -> Finding:
    best, reference = factored.value(selected), prior.value(selected)
    return best >= reference, (
        f"With up to 5% of the values present factorization is at {best:.2f} or above, and prior at {reference:.2f}."
    )


@predicate("per problem, matrix factorization is better than “prior” and worse than “sample”", "with 75 algorithms run")
def _in_between(selected: Selected) -> Finding:
    found = _mean("factorization", MANY).value(selected)
    low, high = many.value(selected), prior.value(selected)
    return low < found < high, (
        f"With 75 algorithms run: factorization {found:.2f}, prior {high:.2f}, sample {low:.2f}."
    )


@predicate("the algorithms of the nearest problems on the same map are worse than “prior”")
def _nearest(selected: Selected) -> Finding:
    if "nearest" not in selected.methods:
        raise NotMeasuredError("No problem has a neighbour on the same map.")
    nearest, reference = at(selected, "nearest", FEW)[0], prior.value(selected)
    return nearest > reference, f"Nearest problems {nearest:.2f}, prior {reference:.2f}."


MAP_CLAIMS = (*_table_claims(PER_MAP, "6.1"), *claims("7", "", _no_better))
PROBLEM_CLAIMS = (*_table_claims(PER_PROBLEM, "6.2"), *claims("7", "", _in_between, _nearest))
show_table_1, show_table_2 = partial(show_table, PER_MAP), partial(show_table, PER_PROBLEM)
measure_per_map, measure_per_problem = partial(measure, PER_MAP), partial(measure, PER_PROBLEM)
