"""The experiment behind the items of both papers: runs on two sizes of the maps, databases, trees and times."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from permove import pdb
from permove.common.machine import usable_cores
from permove.data import Suite
from permove.papers.dynamic_control.algorithms import PR_F_G, Algorithm
from permove.papers.dynamic_control.offline import Training, databases, states, trained, training_text
from permove.papers.dynamic_control.problems import TRAINING_SEED, original, upscaled
from permove.papers.dynamic_control.study import Evidence, Study, Tree, empty
from permove.papers.item import ALL_CLAIMS, Experiment, Item, Measured, Option, PaperFile, made_by
from permove.papers.outcome import Shown
from permove.runs.run import Run

DRAW = {"original": original, "upscaled": upscaled}
"""The sizes, and the functions that draw their problems."""

PROBLEMS = Option("problems", 100, 1, 100_000, "number of problems on each of the three maps")
SEED = Option("seed", 0, 0, 2**53, "seed of the problems")
TRAINING = Option("training", 450, 1, 100_000, "number of other problems on each map for training decision trees")
"""The default gives 140 thousand moves at d_max = 20, as many as in the conference paper."""

DEPTHS = Option(
    "depths", 3, 0, 9, "lowest level with depths for global goals on upscaled maps: 5 takes seconds, 3 minutes"
)
CELLS = Option(
    "cells", 0, 0, 1, "1: compute depths for global goals for all pairs of cells (original size, a quarter of an hour)"
)
TIMED = Option("timed", 0, 0, 1, "1: also measure the times of Table 6, on one thread")

LONGER = 512 / 180
"""Paths on upscaled maps are longer by this factor, so that fewer problems give as many moves."""

SAME_MAPS = "permove ran the same algorithms on {size}, on stand-ins for the unknown maps."


@dataclass(frozen=True)
class Plan:
    """The parts in which the two papers differ."""

    file: PaperFile
    training: Mapping[str, Training]
    """How trees are trained for each size."""
    clocked: Callable[[Study], Mapping[Algorithm, str]] = lambda _: {}
    """The algorithms on upscaled maps whose times are measured."""

    def item(
        self,
        name: str,
        show: Callable[[Evidence], Shown] = lambda _: Shown(),
        upscaled: tuple[Algorithm, ...] = (),
        original: tuple[Algorithm, ...] = (),
        *,
        timed: bool = False,
    ) -> Item:
        """Return an item that needs some algorithms in each size; `timed`: and their times."""
        needs = {"original": original, "upscaled": upscaled}
        wanted = {
            PROBLEMS: True,
            SEED: True,
            TRAINING: any(algorithm.family.tree for algorithm in (*original, *upscaled)),
            DEPTHS: any(algorithm.deep is not None for algorithm in upscaled),
            CELLS: any(algorithm.deep == 0 for algorithm in original),
            TIMED: name == ALL_CLAIMS and any(algorithm.family == PR_F_G for algorithm in upscaled),
        }
        options = tuple(option for option, is_wanted in wanted.items() if is_wanted)
        setup = SAME_MAPS.replace("size", "upscaled" if upscaled else "original")
        return self.file.item(name, partial(measure, self, clocked=timed), show, options, needs=needs, setup=setup)


def measure(
    plan: Plan,
    item: Item,
    experiment: Experiment,
    *,
    clocked: bool,
    problems: int,
    seed: int,
    training: int = TRAINING.default,
    depths: int = DEPTHS.default,
    cells: int = CELLS.default,
    timed: int = 0,
) -> Measured:
    """Run the algorithms of an item in each size."""
    facts: dict[str, str] = {}
    runs: list[Run] = []
    trees: dict[str, dict[int, Tree]] = {}
    studies: dict[str, Study] = {}
    suites: dict[str, Suite] = {}
    lowest = {"original": 0 if cells else 1, "upscaled": depths}
    for size, algorithms in (item.needs or {}).items():
        trees[size], studies[size] = {}, empty()
        if not algorithms:
            continue
        suites[size] = suite = DRAW[size](problems, seed)
        depths_of_trees = sorted({int(algorithm["dmax"]) for algorithm in algorithms if algorithm.family.tree})
        if depths_of_trees:
            count = training if size == "original" else math.ceil(training / LONGER)
            others = DRAW[size](count, seed + TRAINING_SEED)
            trees[size] = trained(experiment, others, plan.training[size], depths_of_trees)
            facts[f"trees, {size}"] = training_text(trees[size], count)
        run, studies[size] = run_all(experiment, suite, algorithms, trees[size], seed=seed, lowest=lowest[size])
        runs.append(run)
        facts[size] = _problems_text(suite, studies[size], problems, seed)
    clock = None
    if (clocked or timed) and "upscaled" in suites:
        agents = plan.clocked(studies["upscaled"])
        folder = within(experiment, "timed")
        run = folder.run(suites["upscaled"], list(agents.values()), sensor="all", seed=seed, timed=True)
        clock = Study(run.records, agents, {})
        facts["times"] = f"{len(agents)} algorithms again on upscaled maps, on one thread"
    evidence = Evidence(
        studies["original"],
        studies["upscaled"],
        cache(lambda: databases(suites["upscaled"])),
        trees["original"],
        clock,
        cache(lambda: {size: states(draw(1, seed)) for size, draw in DRAW.items()}),
    )
    return Measured(evidence, facts | made_by(runs[-1]), runs[-1].folder)


def within(experiment: Experiment, part: str) -> Experiment:
    """Return the experiment with a subfolder for a part, if the user names a folder."""
    return experiment if experiment.out is None else replace(experiment, out=experiment.out / part)


def run_all(
    experiment: Experiment,
    suite: Suite,
    algorithms: Sequence[Algorithm],
    trees: Mapping[int, Tree],
    *,
    seed: int,
    lowest: int = 0,
) -> tuple[Run, Study]:
    """Run algorithms, except for those that need depths for global goals below the lowest level."""
    paths = {dmax: tree.path for dmax, tree in trees.items()}
    agents, skipped = {}, {}
    for algorithm in dict.fromkeys(algorithms):
        level = algorithm.deep
        if level is not None and level < lowest:
            option = f"--depths {level}" if level else "--cells 1"
            skipped[algorithm] = f"depths for global goals at level {level} take long to compute (use {option})"
            continue
        agents[algorithm] = algorithm.spec(paths)
    # Build the databases even if all runs are complete, since reports contain their build times.
    places = [pdb.Place(key, suite.grid(key), list(agents.values())) for key in suite.maps]
    pdb.gather(places, jobs=experiment.jobs or usable_cores(), shown=experiment.shown)
    run = within(experiment, suite.name).run(suite, list(agents.values()), sensor="all", seed=seed)
    return run, Study(run.records, agents, skipped)


def _problems_text(suite: Suite, study: Study, problems: int, seed: int) -> str:
    costs = suite.problems["optimal"].to_numpy()
    names = ", ".join(f"{source.name} ({suite.grid(key).free_cells:,})" for key, source in suite.maps.items())
    return (
        f"{suite.problems.height:,} problems, {problems} on each of {names}; optimal costs {costs.min():.0f} to "
        f"{costs.max():.0f}, seed {seed}; {len(study.agents)} algorithms"
    )
