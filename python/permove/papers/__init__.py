"""The papers whose results can be reproduced, one module each: its experiments and its published figures.

A new paper is a module and a line in `PAPERS`; a new item of one is a line in its `PAPER`.
"""

from dataclasses import replace
from typing import Any

from permove.common.checks import in_range
from permove.common.errors import InputError
from permove.common.names import suggestion
from permove.common.options import defaults, read
from permove.papers import (
    dynamic_control_2007,
    dynamic_control_2008,
    graph_abstraction_2007,
    per_map_selection_2016,
    rtaa_2006,
)
from permove.papers.item import Item, Lab, Paper
from permove.papers.outcome import Outcome

PAPERS: tuple[Paper, ...] = (
    rtaa_2006.PAPER,
    graph_abstraction_2007.PAPER,
    dynamic_control_2008.PAPER,
    dynamic_control_2007.PAPER,
    per_map_selection_2016.PAPER,
)


def items() -> dict[str, Item]:
    """Everything that can be reproduced, by its name PAPER/ITEM."""
    return {f"{paper.key}/{item.name}": item for paper in PAPERS for item in paper.items}


def find(name: str) -> Item:
    """The item of a name."""
    known = items()
    if name not in known:
        raise InputError(
            f"there is no {name} to reproduce{suggestion(name, list(known))}; `permove reproduce` lists what there is"
        )
    return known[name]


def reproduce(name: str, **given: Any) -> Outcome:
    """Do what a paper did and set its figures beside ours, as in `reproduce("rtaa-2006/table-1", mazes=100)`.

    Keywords are the options of the item, and those of `permove.run` that say how it is executed: `out`, `jobs`,
    `progress`, `engine`, `scheduler`, ...
    """
    item = find(name)
    options = {option: value for option, value in given.items() if option not in defaults(Lab)}
    known = {option.name: option for option in item.options}
    for option in options:
        if option not in known:
            raise InputError(f"{name} has no option {option}{suggestion(option, known)}; leave it out")
    values = {option.name: option.default for option in item.options} | options
    for each in item.options:
        in_range(each.name, values[each.name], each.least, each.most)
    told = {option: value for option, value in options.items() if value != known[option].default}
    return replace(item.reproduce(read(Lab, given), **values), options=told)
