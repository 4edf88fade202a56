"""The experiment behind the items of both papers: problems, databases, trees, runs and times.

There are 300 problems, 100 on each of three maps, in the original size and scaled up to 512×512. The maps are three of
MovingAI's original Warcraft III maps, which have the published numbers of states in both sizes.

With `--standins 1`, three maps of `wc3maps512` replace them: as they are for the upscaled size, scaled down to their
largest component for the original size. Problems on upscaled maps are then drawn from an interval of optimal costs that
is longer by the same factor.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from statistics import mean

from permove import _core, pdb
from permove.common.machine import usable_cores
from permove.data import Suite
from permove.data.folder import data_folder, writing
from permove.data.random_suites import bucket_suite, moved_suite, resized
from permove.papers.dynamic_control.algorithms import ABSTRACTION, PATH, PR_F_G, Algorithm, sweeps
from permove.papers.dynamic_control.study import Built, Databases, Evidence, Study, Tree, empty
from permove.papers.item import ALL_CLAIMS, STAND_INS, Experiment, Item, Measured, Option, PaperFile, made_by, sources
from permove.papers.outcome import Shown
from permove.pdb.files import DEPTHS, SUBGOALS, Key, path_of
from permove.runs.run import Run

MAPS = [("wc3maps", name) for name in ("thecrucible", "darkforest", "divideandconquer")]

MOVES = 140_000
"""The number of moves in the conference paper. Runs on upscaled maps have millions, and fitting takes the time."""

SIDES = {"heart2heart": 161, "theglaive": 177, "gnollwood": 193}
"""Stand-ins for the maps, and their sides in the original size."""

COSTS, UPSCALED_COSTS = (90, 100), (256, 284)
"""The bounds of the optimal costs in the original size, and on upscaled stand-ins, larger by a factor of 512/180."""

TRAINING_SEED = 1_000_003
"""The offset from the seed of the problems to that of the training problems."""


def original(count: int, seed: int, standins: int = 0) -> Suite:
    """Draw `count` problems on each of the maps."""
    names = [("wc3maps512", *each) for each in SIDES.items()] if standins else MAPS
    return bucket_suite("dynamic-control-original", sources(names), COSTS, count, seed)


def upscaled(count: int, seed: int, standins: int = 0) -> Suite:
    """Draw the same problems on the upscaled maps, or other ones on upscaled stand-ins."""
    name = "dynamic-control-upscaled"
    if standins:
        return bucket_suite(name, sources(("wc3maps512", each) for each in SIDES), UPSCALED_COSTS, count, seed)
    return moved_suite(name, original(count, seed), [resized(each, 512, 512) for each in sources(MAPS)])


DRAW = {"original": original, "upscaled": upscaled}
"""The sizes, and the functions that draw their problems."""

PROBLEMS = Option("problems", 100, 1, 100_000, "number of problems on each of the three maps")
SEED = Option("seed", 0, 0, 2**53, "seed of the problems")
TRAINING = Option("training", 450, 1, 100_000, "number of other problems on each map for training decision trees")
"""The default gives 140 thousand moves at d_max = 20, as many as in the conference paper."""

LOWEST = Option(
    "depths", 3, 0, 9, "lowest level with depths for global goals on upscaled maps: 5 takes seconds, 3 minutes"
)
CELLS = Option(
    "cells", 0, 0, 1, "1: compute depths for global goals for all pairs of cells (original size, a quarter of an hour)"
)
TIMED = Option("timed", 0, 0, 1, "1: also measure the times of Table 6, on one thread")

LONGER = 512 / 180
"""Paths on upscaled maps are longer by this factor, so that fewer problems give as many moves."""


def states(suite: Suite) -> list[list[int]]:
    """Return the number of states on each level, map by map."""
    found = [_core.Hierarchy(suite.grid(key), ABSTRACTION) for key in suite.maps]
    return [[hierarchy.states(level) for level in range(hierarchy.top + 1)] for hierarchy in found]


def databases(suite: Suite) -> Databases:
    """Return the databases of the ground. Build times are means over the maps, if all have files."""
    sizes, grids = states(suite), [suite.grid(key) for key in suite.maps]
    found = {}
    for kind, level in product((SUBGOALS, DEPTHS), range(8)):
        paths = [path_of(grid.fingerprint, Key(kind, 0, level, ABSTRACTION, PATH)) for grid in grids]
        built = Built(mean(levels[level] for levels in sizes) ** 2)
        if all(path.is_file() for path in paths):
            facts = [_core.Database.look(str(path)) for path in paths]
            built = replace(
                built, build_ns=mean(each.build_ns for each in facts), jobs=max(each.jobs for each in facts)
            )
        found[kind, 0, level] = built
    return found


@dataclass(frozen=True)
class Training:
    """How trees are trained."""

    features: str
    """The paper that defines the features."""
    leaf: int
    """Minimum number of moves in a leaf."""
    moves: int | None = None
    """Number of moves drawn from all runs; `None` means all moves."""


def trained(
    experiment: Experiment,
    suite: Suite,
    training: Training,
    dmax: Sequence[int],
    maps: Sequence[str] | None = None,
    pruned_as: Mapping[int, Tree] | None = None,
) -> dict[int, Tree]:
    """Return a tree for each d_max, trained on the problems of a suite or of some of its maps.

    Trees are stored in the data folder under a digest of everything that they depend on. Cross-validation chooses the
    pruning, unless a tree has to be pruned as another tree with the same d_max.
    """
    ccp_alphas = {depth: None if pruned_as is None else pruned_as[depth].ccp_alpha for depth in dmax}
    parts: list[object] = [suite.fingerprint, training.features, training.leaf, training.moves, maps]
    parts.append(_core.RECORDS_VERSION)
    if pruned_as is not None:
        parts.append(list(ccp_alphas.values()))
    folder = data_folder() / "trees" / hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]
    paths = {depth: folder / f"dt-{depth}.tree" for depth in dmax}
    from permove.control import train

    missing = [depth for depth, path in paths.items() if not path.is_file()]
    if missing:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        for depth in missing:
            how = {"jobs": experiment.jobs, "progress": experiment.progress, **asdict(training)}
            train(suite, paths[depth], dmax=depth, maps=maps, ccp_alpha=ccp_alphas[depth], **how)
    return {depth: _read(path) for depth, path in paths.items()}


def training_text(trees: Mapping[int, Tree], problems: int) -> str:
    """Return how trees were trained, for a report."""
    moves = ", ".join(f"{tree.samples:,}" for tree in trees.values())
    accuracies = ", ".join(f"{tree.accuracy:.0%} for dmax = {dmax}" for dmax, tree in trees.items())
    return (
        f"trained on {problems} other problems on each of the maps, {moves} moves; accuracy by ten-fold "
        f"cross-validation {accuracies}"
    )


def _read(path: Path) -> Tree:
    facts = json.loads(path.read_bytes())["training"]
    accuracy = math.nan if facts["accuracy"] is None else facts["accuracy"]
    return Tree(str(path), accuracy, facts["moves"], facts["ccp_alpha"])


@dataclass(frozen=True)
class Plan:
    """The parts in which the two papers differ."""

    file: PaperFile
    training: Mapping[str, Training]
    """How trees are trained for each size."""
    clocked: Callable[[Study], Mapping[Algorithm, str]] = lambda _: {}
    """The algorithms on upscaled maps whose times are measured."""

    def algorithms(self, names: str) -> tuple[Algorithm, ...]:
        """Return the algorithms of some groups in the file, whose names are separated by spaces."""
        lines = (line for name in names.split() for line in self.file["algorithms"][name])
        return tuple(dict.fromkeys(sweeps(lines)))

    def item(
        self,
        name: str,
        show: Callable[[Evidence], Shown] = lambda _: Shown(),
        upscaled: str = "",
        original: str = "",
        *,
        further: Iterable[Algorithm] = (),
        timed: bool = False,
    ) -> Item:
        """Return an item that needs groups of algorithms in each size, and further ones; `timed`: and their times."""
        needs = {"original": self.algorithms(original), "upscaled": (*further, *self.algorithms(upscaled))}
        wanted = {
            PROBLEMS: True,
            SEED: True,
            TRAINING: any(algorithm.family.tree for some in needs.values() for algorithm in some),
            LOWEST: any(algorithm.deep is not None for algorithm in needs["upscaled"]),
            CELLS: any(algorithm.deep == 0 for algorithm in needs["original"]),
            STAND_INS: True,
            TIMED: name == ALL_CLAIMS and any(algorithm.family == PR_F_G for algorithm in needs["upscaled"]),
        }
        options = tuple(option for option, is_wanted in wanted.items() if is_wanted)
        setup = f"permove ran the same algorithms on {{{'upscaled' if needs['upscaled'] else 'original'}}}."
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
    depths: int = LOWEST.default,
    cells: int = CELLS.default,
    timed: int = 0,
    standins: int = 0,
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
        suites[size] = suite = DRAW[size](problems, seed, standins)
        depths_of_trees = sorted({int(algorithm["dmax"]) for algorithm in algorithms if algorithm.family.tree})
        if depths_of_trees:
            count = training if size == "original" else math.ceil(training / LONGER)
            others = DRAW[size](count, seed + TRAINING_SEED, standins)
            trees[size] = trained(experiment, others, plan.training[size], depths_of_trees)
            facts[f"trees, {size}"] = training_text(trees[size], count)
        run, studies[size] = run_all(experiment, suite, algorithms, trees[size], seed, lowest[size])
        runs.append(run)
        facts[size] = _problems_text(suite, studies[size], problems, seed, standins)
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
        cache(lambda: {size: states(draw(1, seed, standins)) for size, draw in DRAW.items()}),
    )
    return Measured(evidence, facts | made_by(runs[-1]), runs[-1].folder)


def within(experiment: Experiment, part: str) -> Experiment:
    """Return the experiment with a subfolder for a part, if the user names a folder."""
    return experiment if experiment.out is None else replace(experiment, out=experiment.out / part)


def run_all(
    experiment: Experiment, suite: Suite, needed: Iterable[Algorithm], trees: Mapping[int, Tree], seed: int, lowest: int
) -> tuple[Run, Study]:
    """Run algorithms, except for those that need depths for global goals below the lowest level."""
    paths = {dmax: tree.path for dmax, tree in trees.items()}
    agents, skipped = {}, {}
    for algorithm in dict.fromkeys(needed):
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


def _problems_text(suite: Suite, study: Study, problems: int, seed: int, standins: int) -> str:
    costs = suite.problems["optimal"].to_numpy()
    names = ", ".join(f"{source.name} ({suite.grid(key).free_cells:,})" for key, source in suite.maps.items())
    return (
        f"{suite.problems.height:,} problems{' on stand-ins' * standins}, {problems} on each of {names}; optimal "
        f"costs {costs.min():.0f} to {costs.max():.0f}, seed {seed}; {len(study.agents)} algorithms"
    )
