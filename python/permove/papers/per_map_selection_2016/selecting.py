"""Section 6: algorithm selection per map and per problem; Tables 1 and 2, Figures 3 and 4.

Our matrix may have fewer algorithms than the paper's 1500. Therefore the rows of the tables have equal numbers of
algorithms run on each map instead of equal shares.
"""

from collections.abc import Callable
from typing import NamedTuple

import polars as pl

from permove.common.terminal import Bar
from permove.data import Suite, load
from permove.papers import claims as c
from permove.papers.item import Experiment, Item, Measured, Option, PaperFile, made_by
from permove.papers.outcome import Column, Shown
from permove.papers.per_map_selection_2016 import space
from permove.select.explore import SUITE, Exploration
from permove.select.matrix import Matrix
from permove.select.selection import Selected, per_map, per_problem

FILE = PaperFile(__package__)
PAPER_ALGORITHMS = 1500
"""Number of algorithms in the paper's matrix."""

NEAR = 0.1
"""Maximum relative difference of a mean."""

FEW, MANY = 1.0, 5.0
"""The smallest and the largest percentage in the tables: 15 and 75 algorithms."""

MATRIX = (
    Option("algorithms", 500, 15, 100_000, "number of random algorithms; the paper used 1500"),
    Option("problems", 4500, 3, 500_000, "number of problems, as in the paper"),
)
TRIALS = Option("trials", 100, 2, 100_000, "number of random splits into old and new maps or problems")


class Table(NamedTuple):
    """A published table: means and standard errors, by percentage of the known values for `sample`."""

    select: Callable[..., Selected]
    exhaustive: tuple[float, float]
    prior: tuple[float, float]
    sample: dict[float, tuple[float, float]]
    worse: float
    """By how much `sample` with 1% of the algorithms is worse than `exhaustive`."""

    @staticmethod
    def of(name: str, select: Callable[..., Selected]) -> "Table":
        """Return a table of the paper's file."""
        values = FILE[name]
        sample = dict(zip(values["percentages"], map(tuple, values["sample"]), strict=True))
        return Table(select, tuple(values["exhaustive"]), tuple(values["prior"]), sample, values["worse"])


PER_MAP, PER_PROBLEM = Table.of("table-1", per_map), Table.of("table-2", per_problem)
COLUMNS = (
    Column("exhaustive", "every algorithm is run on every new one, and the best chosen for each"),
    Column("prior", "the best algorithm on the old ones"),
    Column("sample", "the best of the algorithms that were run on the new one"),
)


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
        for column, published in zip(COLUMNS, (table.exhaustive, table.prior, sample), strict=True):
            figures.append(column.figure(row, published, at(selected, column.key, percent)))
    note = (
        "Rows have equal numbers of algorithms run on each new map; exhaustive and prior choose from "
        f"{selected.algorithms:,} algorithms here and from {PAPER_ALGORITHMS:,} in the paper."
    )
    return Shown(COLUMNS, figures=figures, notes=[note])


def at(selected: Selected, method: str, percent: float) -> tuple[float, float | None]:
    """Return the mean and its error of a method for as many algorithms as a percentage in the paper stands for."""
    count = PAPER_ALGORITHMS * percent / 100
    rows = selected.frame.filter(method=method)
    # Half an algorithm is run on every other map.
    row = rows.sort((pl.col("algorithms") - count).abs(), "algorithms").row(0, named=True)
    return row["mean"], row["se"]


def _mean(method: str, percent: float = FEW) -> c.Number[Selected]:
    count = f" with {PAPER_ALGORITHMS * percent / 100:g} algorithms" if method in ("sample", "factorization") else ""
    return c.Number(f"the mean suboptimality of “{method}”{count}", lambda found: at(found, method, percent)[0], ".2f")


exhaustive, prior, few, many = _mean("exhaustive"), _mean("prior"), _mean("sample"), _mean("sample", MANY)


@c.predicates(
    f"“prior”, and “sample” with 15 and 75 algorithms, are within {NEAR:.0%} of the published means, and "
    "“exhaustive” is better than both"
)
def _near(selected: Selected, table: Table) -> c.Finding:
    published = {("prior", FEW): table.prior} | {("sample", percent): table.sample[percent] for percent in (FEW, MANY)}
    parts, best = [], exhaustive.value(selected)
    holds = best < min(few.value(selected), prior.value(selected))
    for (method, percent), (expected, _) in published.items():
        mean, error = at(selected, method, percent)
        off = mean / expected - 1
        holds &= abs(off) <= NEAR
        parts.append(f"{method} {mean:.2f} ± {error or float('nan'):.2f} for {expected} ({off:+.1%})")
    return holds, f"{'; '.join(parts)}; exhaustive {best:.2f}."


@c.predicate("matrix factorization does not outperform “prior” per map", "with up to 5% of the values present")
def _no_better(selected: Selected) -> c.Finding:
    some = selected.frame.filter(pl.col("method") == "factorization", pl.col("present") <= 5)
    best, reference = float(some["mean"].to_numpy().min()), prior.value(selected)
    return best >= reference, (
        f"With up to 5% of the values present factorization is at {best:.2f} or above, and prior at {reference:.2f}."
    )


between_prior_and_sample = many.below(_mean("factorization", MANY)) & _mean("factorization", MANY).below(prior)


@c.predicate("the algorithms of the nearest problems on the same map are worse than “prior”")
def _nearest(selected: Selected) -> c.Finding:
    if "nearest" not in selected.methods:
        raise c.NotMeasuredError("No problem has a neighbour on the same map.")
    nearest, reference = at(selected, "nearest", FEW)[0], prior.value(selected)
    return nearest > reference, f"Nearest problems {nearest:.2f}, prior {reference:.2f}."


def _cheap(table: Table) -> c.Predicate[Selected]:
    return (few / exhaustive).at_most(1 + 1.5 * table.worse, f"{1 + table.worse:g}")


MAP_CLAIMS = (*c.claims("6.1", "", _near(PER_MAP), _cheap(PER_MAP)), *c.claims("7", "", _no_better))
PROBLEM_CLAIMS = (
    *c.claims("6.1", "", _near(PER_PROBLEM)),
    *c.claims("6.2", "", _cheap(PER_PROBLEM)),
    *c.claims("7", "", between_prior_and_sample, _nearest),
)
