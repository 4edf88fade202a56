"""Dominance problem by problem: how often an agent dominates another that it dominates on average, and the reverse."""

import math

import numpy as np
import polars as pl

from permove.analysis.dominance import dominates, ratios
from permove.analysis.pareto import pareto
from permove.common.errors import InputError
from permove.report.document import Block, Document, Rows
from permove.report.formats import number
from permove.views.figures import tradeoff_figure
from permove.views.view import MAX_ROWS, Axes, RunLike, View, ViewResult, rows_note, unsolved_blocks


def render(run: RunLike, axes: Axes) -> ViewResult:
    """Return one row per pair of a dominated agent and an agent of the front that dominates it."""
    x, y = axes.measures(run)
    rule = axes.rule(run)
    means = pareto(run.by_problem, x, y, rule=rule, score=axes.scoring(), seed=axes.seed)
    known = means.filter(pl.col("dominated").is_not_null())
    dominating = dominates(known[x.column].to_numpy(), known[y.column].to_numpy())
    front = np.flatnonzero(~dominating.any(axis=0))
    pairs = [
        {"one": known["agent"][one], "other": known["agent"][other]}
        for one in map(int, front)
        for other in range(known.height)
        if dominating[one, other]
    ]
    if not pairs:
        raise InputError(
            f"no agent dominates another in {x.column} and {y.column}; choose other measures with --x and --y"
        )
    labels = dict(known.select("agent", "label").iter_rows())
    found = ratios(rule.counted(run.by_problem), pl.DataFrame(pairs), x.column, y.column, seed=axes.seed)
    found = found.select(
        pl.col("one").replace_strict(labels).alias("one_label"),
        pl.col("other").replace_strict(labels).alias("other_label"),
        *found.columns,
    )
    rows = [
        [
            row["one_label"],
            row["other_label"],
            f"{100 * row['one_dominates'] / row['problems']:.0f}%",
            f"{100 * row['other_dominates'] / row['problems']:.0f}%",
            _ratio(row["ratio"]),
            f"{_ratio(row['ratio_low'])} to {_ratio(row['ratio_high'])}",
        ]
        for row in found.head(MAX_ROWS).iter_rows(named=True)
    ]
    headers = ["dominates", "on average", "on", "reverse", "ratio", "95% interval"]
    blocks: list[Block] = [
        tradeoff_figure(means, x, y, axes.title(y)),
        f"Shares of {known['counted'][0]:,} problems on which the first agent dominates the second and the reverse, "
        "and the ratio of the two with its bootstrap interval.",
        Rows(headers, [False, False, True, True, True, True], rows),
        *rows_note(found.height),
        axes.note(run),
        *unsolved_blocks(means),
    ]
    return ViewResult(found, Document(f"{run.title}: dominance in {x.about} and {y.about}", blocks))


def _ratio(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "–"
    return "∞" if math.isinf(value) else number(value)


VIEW = View("dominance", "how often agents dominate each other, problem by problem (--x, --y)", render)
