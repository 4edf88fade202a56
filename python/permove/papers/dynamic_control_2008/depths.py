"""Figures 2 and 3: the optimal depth of every cell for a goal, and the depth that the cells of a region share.

`permove pdb show` draws these pictures for any map. The items report the shares of the depths over several goals.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl

from permove.common.machine import usable_cores
from permove.papers.claims import Number, claims
from permove.papers.dynamic_control.experiment import SEED, original
from permove.papers.dynamic_control_2008.tables import FILE
from permove.papers.item import STAND_INS, Experiment, Item, Measured, Option, made_here
from permove.papers.outcome import Shown
from permove.pdb.build import depths_for
from permove.report.plot import Data

GOALS = Option("goals", 10, 1, 1000, "number of goals on each of the three maps")
BOUNDS = (1, 2, 5, 10, 20, 50)
"""Depths up to which shares are reported."""


class Shades(NamedTuple):
    """Shares of the depths on each map, in percent, and the mean share of cells whose shared depth is their own."""

    frame: pl.DataFrame
    exact: float


def shades(level: int, _: Item, experiment: Experiment, *, goals: int, seed: int, standins: int) -> Measured:
    """Compute the depths of the cells of each map for some goals."""
    suite = original(goals, seed, standins)
    jobs, shown = experiment.jobs or usable_cores(), experiment.shown
    rows, exact = [], []
    for key, source in suite.maps.items():
        grid = suite.grid(key)
        cells = suite.problems.filter(map=source.name).select("goal_x", "goal_y").iter_rows()
        search = partial(depths_for, grid, name=source.name, jobs=jobs, shown=shown)
        pairs = [tuple(search(level=at, goal=(x, y)) for at in (level, 0)) for x, y in cells]
        free = grid.free()
        found = np.concatenate([depths[free] for depths, _ in pairs])
        true = np.concatenate([depths[free] for _, depths in pairs])
        exact.append(float((found == true).mean()))
        shares = {f"up_to_{bound}": 100 * float((found <= bound).mean()) for bound in BOUNDS}
        rows.append({"map": source.name, "cells": grid.free_cells, **shares, "deepest": int(found.max())})
    facts = {
        "goals": f"{goals} on each of three maps, seed {seed}",
        "pictures": f"`permove pdb show MAP X,Y -l {level}` draws them",
        **made_here(jobs),
    }
    return Measured(Shades(pl.DataFrame(rows), float(np.mean(exact))), facts)


def show(found: Shades) -> Shown:
    """The shares of the depths."""
    return Shown(data=Data("Percent of the cells with at most this depth", found.frame))


shallow = Number[Shades](
    "the share of cells whose optimal depth is one, in percent,",
    lambda found: float(found.frame["up_to_1"].to_numpy().mean()),
    ".1f",
)
shared = Number[Shades](
    "the share of cells whose own depth is the depth of their region, in percent,",
    lambda found: 100 * found.exact,
    ".1f",
)
FOUND = (
    claims("4", "", shallow.above(50, "many areas")),
    claims("Figure 3", "", shared.above(50).noting(shallow.found)),
)
PICTURES = tuple(
    FILE.item(name, partial(shades, level), show, (GOALS, SEED, STAND_INS), claims=own)
    for name, level, own in zip(("figure-2", "figure-3"), (0, 3), FOUND, strict=True)
)
