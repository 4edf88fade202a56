"""Figures 2 and 3: the optimal depth of every cell for a goal, and the one that the cells of a region share.

`permove pdb show` draws these pictures for any map; here are the shares of their shades, over several goals.
"""

from functools import partial

import numpy as np
import polars as pl

from permove.common.machine import usable_cores
from permove.papers.dynamic_control.exhibit import SEED
from permove.papers.dynamic_control.problems import original
from permove.papers.item import Lab, Option, legacy_item, made_here
from permove.papers.outcome import Outcome, Statement
from permove.pdb.build import depths_for
from permove.report.plot import Data

GOALS = Option("goals", 10, 1, 1000, "how many goals on each of the three maps")
BOUNDS = (1, 2, 5, 10, 20, 50)
"""Depths up to which shares are told."""

WHITE = (
    "Notice that many areas are bright white, indicating that the shallowest lookahead of depth one will be sufficient."
)
SHARED = "This is a memory-efficient approximation to the true per-ground-state values in Figure 2."


def shades(level: int, lab: Lab, *, goals: int, seed: int) -> Outcome:
    """The depths of the cells of each map for some goals."""
    suite = original(goals, seed)
    jobs, shown = lab.jobs or usable_cores(), lab.shown
    rows, alike = [], []
    for key, source in suite.maps.items():
        grid = suite.grid(key)
        cells = suite.problems.filter(map=source.name).select("goal_x", "goal_y").iter_rows()
        search = partial(depths_for, grid, name=source.name, jobs=jobs, shown=shown)
        pairs = [tuple(search(level=at, goal=(x, y)) for at in (level, 0)) for x, y in cells]
        free = grid.free()
        found = np.concatenate([depths[free] for depths, _ in pairs])
        true = np.concatenate([depths[free] for _, depths in pairs])
        alike.append(float((found == true).mean()))
        shares = {f"up_to_{bound}": 100 * float((found <= bound).mean()) for bound in BOUNDS}
        rows.append({"map": source.name, "cells": grid.free_cells, **shares, "deepest": int(found.max())})
    frame = pl.DataFrame(rows)
    facts = {
        "goals": f"{goals} on each of three maps, seed {seed}",
        "pictures": f"`permove pdb show MAP X,Y -l {level}` draws them",
        **made_here(jobs),
    }
    return judge(level, frame, float(np.mean(alike)), facts)


def judge(level: int, frame: pl.DataFrame, alike: float, facts: dict[str, str]) -> Outcome:
    """The outcome of shares in percent; `alike` is the part of cells whose shared depth is their own."""
    white = float(frame["up_to_1"].to_numpy().mean())
    if level == 0:
        statement = Statement(
            WHITE,
            "4",
            white > 50,
            f"{white:.1f}% of the cells, in the mean of the maps.",
            predicate="At most of the cells the optimal depth is one.",
        )
    else:
        statement = Statement(
            SHARED,
            "Figure 3",
            alike > 0.5,
            f"{alike:.1%} of the cells, in the mean of the maps; {white:.1f}% have depth one.",
            predicate="Most cells have the very depth that they share with their region.",
        )
    number = 2 if level == 0 else 3
    return Outcome(
        item=f"dynamic-control-2008/figure-{number}",
        title=f"Dynamic Control in Real-Time Heuristic Search, Figure {number}: {ABOUT[number]}",
        statements=[statement],
        facts=facts,
        data=Data("Percent of the cells with a depth of so much or less", frame),
    )


ABOUT = {2: "the optimal depth of every cell", 3: "a depth shared by the cells of a region of level 3"}
PICTURES = tuple(
    legacy_item(f"figure-{number}", ABOUT[number], partial(shades, level), (GOALS, SEED))
    for number, level in ((2, 0), (3, 3))
)
