"""Performance profiles: the share of problems on which each agent is within a factor of the optimum, or of the best."""

import numpy as np
import polars as pl

from permove.analysis.measures import Table
from permove.analysis.profiles import BEST, FACTORS, OPTIMUM, profiles
from permove.common.errors import InputError
from permove.report.document import Block, Document, Figure, Rows
from permove.report.figures import Axis, Curves, curves
from permove.views.figures import MAX_CURVES
from permove.views.view import MAX_ROWS, Axes, RunLike, View, ViewResult, rows_note, unsolved_blocks

POINTS = 200
"""Number of points of a curve, from a factor of 1 to the highest one of the table."""


def render(run: RunLike, axes: Axes) -> ViewResult:
    """Return one row per agent, with one column per factor."""
    _, measure = axes.measures(run)
    relative_to, rule = axes.relative_to or OPTIMUM, axes.rule(run)
    if relative_to not in (OPTIMUM, BEST):
        raise InputError(f"profiles cannot be relative to '{relative_to}'; use {OPTIMUM} or {BEST}")
    if relative_to == OPTIMUM and measure.column != "suboptimality":
        raise InputError(f"{measure.column} has no optimum; use --relative-to {BEST}, or --y suboptimality")
    frame = profiles(run.by_problem, measure, relative_to=relative_to, rule=rule, seed=axes.seed)
    parts = frame.partition_by("agent", maintain_order=True)
    rows = [[part["label"][0], *(f"{100 * share:.0f}%" for share in part["share"])] for part in parts[:MAX_ROWS]]
    value, goal = ("cost", "the optimum") if relative_to == OPTIMUM else (measure.about, "that of the best agent")
    headers = ["agent", *(f"{factor:g}×" for factor in FACTORS)]

    shown = frame["agent"].unique(maintain_order=True).head(MAX_CURVES).to_list()

    def plot() -> str:
        own = run.by_problem.filter(pl.col("agent").is_in(rule.ranked(run.by_problem)))
        factors = np.geomspace(1, FACTORS[-1], POINTS).tolist()
        found = profiles(own, measure, relative_to=relative_to, factors=factors, rule=rule, seed=axes.seed)
        lines = found.filter(pl.col("agent").is_in(shown))
        x = Axis(f"{value[0].upper()}{value[1:]}, times {goal}", "factor", True)
        return curves(Curves(lines, x, Axis("Share of problems", "share", False), steps=True))

    blocks: list[Block] = [
        f"Share of the problems on which the {value} of an agent is at most this many times {goal}.",
        Rows(headers, [False, *([True] * len(FACTORS))], rows),
        *rows_note(len(parts)),
        Figure(plot, "Profiles of the agents that are most often within these factors."),
        axes.note(run),
        *unsolved_blocks(Table(run.by_problem).averages([])),
    ]
    return ViewResult(frame, Document(f"{run.title}: performance profiles", blocks))


VIEW = View(
    "profiles",
    "the share of problems within a factor of the optimum or the best (--relative-to)",
    render,
    uses=("relative_to",),
)
