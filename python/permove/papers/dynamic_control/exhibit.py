"""How a table or figure of these papers is reproduced: who walks, what is shown, and which claims are judged."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from permove import pdb
from permove.agents.specs import parse
from permove.common.machine import usable_cores
from permove.data import Suite
from permove.papers.claim import Claim, Unchecked
from permove.papers.dynamic_control.algorithms import PR_F_G, Algorithm
from permove.papers.dynamic_control.databases import shelf, states
from permove.papers.dynamic_control.problems import TRAINING_SEED, original, upscaled
from permove.papers.dynamic_control.study import Evidence, Study, Tree, empty
from permove.papers.dynamic_control.trees import School, trained
from permove.papers.item import Item, Lab, Option, Paper, legacy_item, made_by
from permove.papers.outcome import Outcome
from permove.papers.shown import Shown
from permove.runs.run import Run

EVERY_CLAIM = "claims"
DRAW = {"original": original, "upscaled": upscaled}
"""The sizes, and how their problems are drawn."""

PROBLEMS = Option("problems", 100, 1, 100_000, "how many problems on each of the three maps")
SEED = Option("seed", 0, 0, 2**53, "the seed of the problems")
TRAINING = Option("training", 450, 1, 100_000, "how many other problems on each map decision trees are trained on")
"""So many give 140 thousand moves at d_max = 20, as many as the conference paper had (Section Empirical Evaluation)."""

LONGER = 512 / 180
"""How many times as long a way is on upscaled maps: fewer problems there give as many moves."""

DEPTHS = Option(
    "depths",
    3,
    0,
    9,
    "the lowest level of upscaled maps whose depths for global goals are computed, 5 in seconds, 3 in minutes",
)
CELLS = Option(
    "cells",
    0,
    0,
    1,
    "1: compute depths for global goals of every pair of cells, too (level 0, original size), for a quarter of an hour",
)
TIMED = Option("timed", 0, 0, 1, "1: measure the times of Table 6, too, with one thread")


@dataclass(frozen=True)
class Exhibit:
    """A table or figure: the algorithms that it needs in each size, and what it shows of them."""

    name: str
    about: str
    show: Callable[[Evidence], Shown]
    upscaled: tuple[Algorithm, ...] = ()
    original: tuple[Algorithm, ...] = ()
    timed: bool = False
    """Whether it is about times."""

    @property
    def title(self) -> str:
        """How it is called in the paper."""
        return self.name.capitalize().replace("-", " ")

    @property
    def sizes(self) -> dict[str, tuple[Algorithm, ...]]:
        """The algorithms by size."""
        return {"original": self.original, "upscaled": self.upscaled}


@dataclass(frozen=True)
class Publication:
    """One of the two papers."""

    key: str
    title: str
    citation: str
    claims: Sequence[Claim[Evidence] | Unchecked]
    schools: Mapping[str, School]
    """How trees are trained for each size."""
    clocked: Callable[[Study], Mapping[Algorithm, str]]
    """Of the algorithms on upscaled maps, those whose times are wanted."""

    def paper(self, exhibits: Sequence[Exhibit], further: Sequence[Item] = ()) -> Paper:
        """The paper with an item for each exhibit."""
        items = [
            legacy_item(exhibit.name, exhibit.about, partial(reproduce, self, exhibit), options(exhibit))
            for exhibit in exhibits
        ]
        return Paper(self.key, self.citation, (*items, *further))


def options(exhibit: Exhibit) -> tuple[Option, ...]:
    """What an exhibit may be told."""
    deep = any(algorithm.deep is not None for algorithm in exhibit.upscaled)
    cells = any(algorithm.deep == 0 for algorithm in exhibit.original)
    clock = exhibit.name == EVERY_CLAIM and any(algorithm.family == PR_F_G for algorithm in exhibit.upscaled)
    trees = any(algorithm.family.tree for algorithm in (*exhibit.original, *exhibit.upscaled))
    return (
        PROBLEMS,
        SEED,
        *((TRAINING,) if trees else ()),
        *((DEPTHS,) if deep else ()),
        *((CELLS,) if cells else ()),
        *((TIMED,) if clock else ()),
    )


def reproduce(
    publication: Publication,
    exhibit: Exhibit,
    lab: Lab,
    *,
    problems: int,
    seed: int,
    training: int = TRAINING.default,
    depths: int = DEPTHS.default,
    cells: int = CELLS.default,
    timed: int = 0,
) -> Outcome:
    """Let the algorithms of an exhibit walk, show it, and judge the claims that belong to it."""
    facts: dict[str, str] = {}
    runs: list[Run] = []
    trees: dict[str, dict[int, Tree]] = {}
    studies: dict[str, Study] = {}
    suites: dict[str, Suite] = {}
    # From which level on there are depths for global goals.
    lowest = {"original": 0 if cells else 1, "upscaled": depths}
    for size, wanted in exhibit.sizes.items():
        trees[size], studies[size] = {}, empty()
        if not wanted:
            continue
        suites[size] = suite = DRAW[size](problems, seed)
        depths_of_trees = sorted({int(algorithm["dmax"]) for algorithm in wanted if algorithm.family.tree})
        if depths_of_trees:
            count = training if size == "original" else math.ceil(training / LONGER)
            others = DRAW[size](count, seed + TRAINING_SEED)
            trees[size] = trained(lab, others, publication.schools[size], depths_of_trees)
            facts[f"trees, {size}"] = schooling(trees[size], count)
        run, studies[size] = walk(lab, suite, wanted, trees[size], seed=seed, depths=lowest[size])
        runs.append(run)
        facts[size] = told(suite, studies[size], problems, seed)
    clock = None
    if (exhibit.timed or timed) and "upscaled" in suites:
        agents = publication.clocked(studies["upscaled"])
        run = within(lab, "timed").run(suites["upscaled"], list(agents.values()), sensor="all", seed=seed, timed=True)
        clock = Study(run.records, agents, {})
        facts["times"] = f"{len(agents)} algorithms once more on upscaled maps, on one thread"
    evidence = Evidence(
        studies["original"],
        studies["upscaled"],
        cache(lambda: shelf(suites["upscaled"])),
        trees["original"],
        clock,
        cache(lambda: {size: states(draw(1, seed)) for size, draw in DRAW.items()}),
    )
    return judge(publication, exhibit, evidence, facts | made_by(runs[-1])).kept_in(runs[-1].folder)


def within(lab: Lab, part: str) -> Lab:
    """The lab with a folder of its own for a part, where the user names a folder for all."""
    return lab if lab.out is None else replace(lab, out=lab.out / part)


def walk(
    lab: Lab, suite: Suite, wanted: Sequence[Algorithm], trees: Mapping[int, Tree], *, seed: int, depths: int = 0
) -> tuple[Run, Study]:
    """Let algorithms walk but for those whose databases of depths for global goals lie below a level."""
    paths = {dmax: tree.path for dmax, tree in trees.items()}
    agents, why = {}, {}
    for algorithm in dict.fromkeys(wanted):
        level = algorithm.deep
        if level is not None and level < depths:
            option = f"--depths {level}" if level else "--cells 1"
            why[algorithm] = f"depths for global goals at level {level} take long to compute ({option} does it)"
            continue
        agents[algorithm] = parse(algorithm.spec(paths)).spec
    # Also where all was walked before: what databases took is told by those that are kept.
    places = [pdb.Place(key, suite.grid(key), list(agents.values())) for key in suite.maps]
    pdb.gather(places, jobs=lab.jobs or usable_cores(), shown=lab.shown)
    run = within(lab, suite.name).run(suite, list(agents.values()), sensor="all", seed=seed)
    return run, Study(run.records, agents, why)


def told(suite: Suite, study: Study, problems: int, seed: int) -> str:
    """The problems of a size for a reader."""
    costs = suite.problems["optimal"].to_numpy()
    names = ", ".join(f"{source.name} ({suite.grid(key).free_cells:,})" for key, source in suite.maps.items())
    return (
        f"{suite.problems.height:,} problems, {problems} on each of {names}; optimal costs {costs.min():.0f} to "
        f"{costs.max():.0f}, seed {seed}; {len(study.agents)} algorithms"
    )


def schooling(trees: Mapping[int, Tree], problems: int) -> str:
    """How trees were trained, for a reader."""
    moves = ", ".join(f"{tree.samples:,}" for tree in trees.values())
    accuracies = ", ".join(f"{tree.accuracy:.0%} for dmax = {dmax}" for dmax, tree in trees.items())
    return (
        f"trained on {problems} other problems on each of the maps, {moves} moves; accuracy by ten-fold "
        f"cross-validation {accuracies}"
    )


def judge(publication: Publication, exhibit: Exhibit, evidence: Evidence, facts: Mapping[str, str]) -> Outcome:
    """What an exhibit shows, with its claims."""
    shown = exhibit.show(evidence)
    claims = [claim for claim in publication.claims if exhibit.name == EVERY_CLAIM or exhibit.name in claim.items]
    return shown.outcome(
        f"{publication.key}/{exhibit.name}",
        f"{publication.title}, {exhibit.title}: {exhibit.about}",
        [claim.judge(evidence) for claim in claims],
        facts,
    )


def nothing(_: Evidence) -> Shown:
    """What an item shows that has nothing but claims."""
    return Shown()
