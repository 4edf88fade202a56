"""Reproductions of papers, one module per paper: its experiments, its published values and its claims.

To add a paper, write a module with a `PAPER` and add a line to `MODULES`. A module is imported when its paper is used.
"""

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from permove.common.checks import in_range
from permove.common.errors import InputError
from permove.common.names import suggestion
from permove.engines.choice import LOCAL
from permove.papers.item import Experiment, Item, Paper
from permove.papers.outcome import Outcome

MODULES = {
    "rtaa-2006": "permove.papers.rtaa_2006",
    "graph-abstraction-2007": "permove.papers.graph_abstraction_2007",
    "dynamic-control-2008": "permove.papers.dynamic_control_2008",
    "dynamic-control-2007": "permove.papers.dynamic_control_2007",
    "per-map-selection-2016": "permove.papers.per_map_selection_2016",
}
"""The module of each paper by its key, in the order of the listing."""

PAPERS: tuple[Paper, ...]
"""All papers. Reading this name imports all of them; `load` imports one."""


def __getattr__(name: str) -> tuple[Paper, ...]:
    if name == "PAPERS":
        return tuple(map(load, MODULES))
    raise AttributeError(name)


def load(key: str) -> Paper:
    """Return the paper with a key and import its module."""
    paper: Paper = import_module(MODULES[key]).PAPER
    return paper


def items() -> dict[str, Item]:
    """Return all items of all papers, by their names PAPER/ITEM."""
    return {f"{key}/{item.name}": item for key in MODULES for item in load(key).items}


def find(name: str) -> Item:
    """Return the item with a name PAPER/ITEM."""
    key, _, item = name.partition("/")
    for each in load(key).items if key in MODULES else ():
        if each.name == item:
            return each
    raise InputError(
        f"there is no {name} to reproduce{suggestion(name, list(items()))}; `permove reproduce` lists all items"
    )


def reproduce(
    name: str,
    *,
    out: Path | str | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
    command: Sequence[str] = (),
    engine: str = LOCAL,
    scheduler: str | None = None,
    **options: int,
) -> Outcome:
    """Repeat an experiment of a paper and compare, for example `reproduce("rtaa-2006/table-1", mazes=100)`.

    `out`, `jobs`, `progress`, `engine` and `scheduler` are those of `permove.run`. `permove reproduce` lists the other
    options of each item.
    """
    item = find(name)
    known = {option.name: option for option in item.options}
    for given in options:
        if given not in known:
            raise InputError(f"{name} has no option {given}{suggestion(given, list(known))}; omit it")
    values = {option.name: option.default for option in item.options} | options
    for option in item.options:
        in_range(option.name, values[option.name], option.minimum, option.maximum)
    experiment = Experiment(Path(out) if out is not None else None, jobs, progress, command, engine, scheduler)
    measured = item.measure(item, experiment, **values)
    changed = {given: value for given, value in options.items() if value != known[given].default}
    outcome = load(name.partition("/")[0]).judge(item, measured.evidence, measured.facts)
    return replace(outcome, folder=measured.folder, options=changed)
