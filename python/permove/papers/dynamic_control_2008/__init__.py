"""Bulitko, Luštrek, Schaeffer, Björnsson, Sigmundarson: Dynamic Control in Real-Time Heuristic Search, JAIR 32, 2008.

Some 400 algorithms on 300 problems, in two sizes of the same maps. Every item lets those algorithms walk that it needs,
in one run folder for each size. Nothing is stopped by a cutoff: who passes one even once is left out afterwards, by the
worst move on record.

The maps are not known, so that no figure is judged by its standard error; what the paper says of its figures is judged
as claims.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial

from permove.agents import parse
from permove.data import Suite
from permove.papers.dynamic_control_2008 import figures, tables
from permove.papers.dynamic_control_2008.algorithms import (
    CENTROIDS,
    DMAX,
    FIXED,
    FIXED_SUBGOALS,
    GLOBAL,
    GLOBAL_DEPTHS,
    INTERMEDIATE,
    LEVELS,
    NOT_REAL_TIME,
    ORIGINAL,
    PDB_PDB,
    REFINED_FIXED,
    SUBGOALS,
    Algorithm,
)
from permove.papers.dynamic_control_2008.claims import CLAIMS
from permove.papers.dynamic_control_2008.databases import shelf, states
from permove.papers.dynamic_control_2008.printed import DATABASES, TABLE_3
from permove.papers.dynamic_control_2008.problems import original, original_sources, sources, upscaled
from permove.papers.dynamic_control_2008.study import Evidence, Study, Tree, empty
from permove.papers.dynamic_control_2008.trees import trained
from permove.papers.item import Item, Lab, Option, Paper, made_by
from permove.papers.outcome import Outcome, Tolerance
from permove.papers.shown import Shown
from permove.run import Run

NAME = "dynamic-control-2008"
TITLE = "Dynamic Control in Real-Time Heuristic Search"
EVERY_CLAIM = "claims"

PROBLEMS = Option("problems", 100, 1, 100_000, "how many problems on each of the three maps")
SEED = Option("seed", 0, 0, 2**53, "the seed of the problems")
DEPTHS = Option(
    "depths",
    5,
    0,
    9,
    "the lowest level of upscaled maps whose depths for global goals are computed, which takes hours for 3",
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


def nothing(_: Evidence) -> Shown:
    """What an item shows that has nothing but claims."""
    return Shown()


EVERYTHING = tuple(
    dict.fromkeys((*GLOBAL, *GLOBAL_DEPTHS, *INTERMEDIATE, *NOT_REAL_TIME, *CENTROIDS.sweep(LEVELS, (20,))))
)

EXHIBITS = (
    Exhibit("figure-10", "global-goal algorithms on maps of the original size", figures.figure_10, (), ORIGINAL),
    Exhibit("figure-11", "intermediate goals with fixed depths", figures.figure_11, (*FIXED, *FIXED_SUBGOALS)),
    Exhibit("figure-12", "intermediate goals with dynamic depths", figures.figure_12, (*GLOBAL_DEPTHS, *SUBGOALS)),
    Exhibit(
        "figure-13",
        "dynamic depths against dynamic goals",
        figures.figure_13,
        (*FIXED, *GLOBAL_DEPTHS, *FIXED_SUBGOALS),
    ),
    Exhibit("figure-14", "path refinement", figures.figure_14, INTERMEDIATE),
    Exhibit("figure-15", "global-goal algorithms on upscaled maps", figures.figure_15, GLOBAL),
    Exhibit("table-3", "high-performance algorithms", tables.table_3, (*TABLE_3, *NOT_REAL_TIME)),
    Exhibit("table-4", "the selection guide", tables.table_4, EVERYTHING),
    *(
        Exhibit(
            name,
            f"pattern databases and {table.family.name}, c = {table.cap}",
            partial(tables.databases, name),
            (
                *table.family.sweep(LEVELS, (table.cap,)),
                *(PDB_PDB.sweep((3,), (20, 30, 40, 50, 80)) if table.family == PDB_PDB else ()),
                *(CENTROIDS.sweep(LEVELS, (20,)) if name == "table-5" else ()),
            ),
        )
        for name, table in DATABASES.items()
    ),
    Exhibit("table-6", "amortization of databases", tables.table_6, (*SUBGOALS, *REFINED_FIXED), timed=True),
    Exhibit(EVERY_CLAIM, "every claim of the text: quote, section, predicate, result", nothing, EVERYTHING, ORIGINAL),
)


def reproduce(
    exhibit: Exhibit, lab: Lab, *, problems: int, seed: int, depths: int = DEPTHS.default, timed: int = 0
) -> Outcome:
    """Let the algorithms of an exhibit walk, show it, and judge the claims that belong to it."""
    facts: dict[str, str] = {}
    runs: list[Run] = []
    trees: dict[str, dict[int, Tree]] = {"original": {}, "upscaled": {}}
    studies: dict[str, Study] = {}
    suites: dict[str, Suite] = {}
    for size, wanted, draw in (
        ("original", exhibit.original, original),
        ("upscaled", exhibit.upscaled, upscaled),
    ):
        if not wanted:
            studies[size] = empty()
            continue
        suites[size] = suite = draw(problems, seed)
        if any(algorithm.family.tree for algorithm in wanted):
            on = sources() if size == "upscaled" else original_sources()
            trees[size] = trained(lab, on, DMAX, upscaled=size == "upscaled", seed=seed)
        run, studies[size] = walk(
            lab, suite, wanted, trees[size], seed=seed, depths=depths if size == "upscaled" else 0
        )
        runs.append(run)
        facts |= told(suite, size, studies[size], problems, seed)
    clock = None
    if exhibit.timed or timed:
        agents = tables.clocked(studies["upscaled"])
        run = within(lab, "timed").run(suites["upscaled"], list(agents.values()), sensor="all", seed=seed, timed=True)
        clock = Study(run.records, agents, {})
        facts["times"] = f"{len(agents)} algorithms again, one thread"
    evidence = Evidence(
        studies["original"],
        studies["upscaled"],
        cache(lambda: shelf(suites["upscaled"])),
        trees["original"],
        clock,
        {size: states(suite) for size, suite in (suites if exhibit.name == EVERY_CLAIM else {}).items()},
    )
    return judge(exhibit, evidence, facts | made_by(runs[-1])).kept_in(runs[-1].folder)


def within(lab: Lab, part: str) -> Lab:
    """The lab with a folder of its own for a part, where the user names a folder for all."""
    return lab if lab.out is None else replace(lab, out=lab.out / part)


def walk(
    lab: Lab,
    suite: Suite,
    wanted: tuple[Algorithm, ...],
    trees: Mapping[int, Tree],
    *,
    seed: int,
    depths: int = 0,
) -> tuple[Run, Study]:
    """Let algorithms walk but for those whose databases of depths lie below a level."""
    paths = {dmax: tree.path for dmax, tree in trees.items()}
    agents, why = {}, {}
    for algorithm in dict.fromkeys(wanted):
        if algorithm.deep is not None and algorithm.deep < depths:
            why[algorithm] = (
                f"the depths for global goals at level {algorithm.deep} take long to compute "
                f"(--depths {algorithm.deep} does it)"
            )
            continue
        agents[algorithm] = parse(algorithm.spec(paths)).spec
    run = within(lab, suite.name).run(suite, list(agents.values()), sensor="all", seed=seed)
    return run, Study(run.records, agents, why)


def told(suite: Suite, size: str, study: Study, problems: int, seed: int) -> dict[str, str]:
    """The problems of a size for a reader."""
    costs = suite.problems["optimal"].to_numpy()
    names = ", ".join(f"{source.name} ({suite.grid(key).free_cells:,})" for key, source in suite.maps.items())
    return {
        f"{size} size"
        if size == "original"
        else size: f"{suite.problems.height:,} problems, {problems} on each of {names}, "
        f"optimal costs {costs.min():.0f} to {costs.max():.0f}, seed {seed}; {len(study.agents)} algorithms",
    }


def judge(exhibit: Exhibit, evidence: Evidence, facts: dict[str, str]) -> Outcome:
    """What an exhibit shows, with its claims."""
    shown = exhibit.show(evidence)
    claims = [claim for claim in CLAIMS if exhibit.name == EVERY_CLAIM or exhibit.name in claim.items]
    return Outcome(
        item=f"{NAME}/{exhibit.name}",
        title=f"{TITLE}, {exhibit.title}: {exhibit.about}",
        columns=shown.columns,
        tables=shown.tables,
        figures=shown.figures,
        tolerance=Tolerance(least=0),
        statements=[claim.judge(evidence) for claim in claims],
        facts=facts,
        entries=shown.entries,
        data=shown.data,
        notes=shown.notes,
    )


def options(exhibit: Exhibit) -> tuple[Option, ...]:
    """What an exhibit may be told."""
    deep = any(algorithm.deep is not None for algorithm in exhibit.upscaled)
    return (PROBLEMS, SEED, *((DEPTHS,) if deep else ()), *((TIMED,) if exhibit.name == EVERY_CLAIM else ()))


PAPER = Paper(
    NAME,
    "Bulitko, Luštrek, Schaeffer, Björnsson, Sigmundarson: Dynamic Control in Real-Time Heuristic Search, JAIR 32, "
    "2008",
    tuple(Item(exhibit.name, exhibit.about, partial(reproduce, exhibit), options(exhibit)) for exhibit in EXHIBITS),
)
