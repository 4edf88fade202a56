"""Reproductions of papers, one package per paper: its experiments, its claims, and a file with its published values.

To add a paper, write a package with a `PAPER` and add a line to `MODULES`. It is imported when its paper is used.
"""

from dataclasses import replace
from importlib import import_module
from typing import Any

from permove.common.checks import in_range
from permove.common.errors import InputError
from permove.common.names import suggestion
from permove.common.option_fields import defaults, read
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


def reproduce(name: str, **given: Any) -> Outcome:
    """Repeat an experiment of a paper and compare, for example `reproduce("rtaa-2006/table-1", mazes=100)`.

    Keywords are the options of the item, and those of `permove.run` that say how it is executed: `out`, `jobs`,
    `progress`, `engine`, `scheduler`, ...

        outcome = pm.reproduce("rtaa-2006/table-1", mazes=10)
        outcome.passed
    """
    item = find(name)
    options = {option: value for option, value in given.items() if option not in defaults(Experiment)}
    known = {option.name: option.default for option in item.options}
    for option in options:
        if option not in known:
            raise InputError(f"{name} has no option {option}{suggestion(option, known)}; omit it")
    values = known | options
    for each in item.options:
        in_range(each.name, values[each.name], each.minimum, each.maximum)
    measured = item.measure(item, read(Experiment, given), **values)
    outcome = load(name.partition("/")[0]).judge(item, measured.evidence, measured.facts)
    changed = {option: value for option, value in options.items() if value != known[option]}
    return replace(outcome, folder=measured.folder, options=changed)
