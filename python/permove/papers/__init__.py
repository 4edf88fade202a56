"""The papers whose results can be reproduced, one module each: its experiments and its published figures.

A new paper is a module and a line in `PAPERS`; a new item of one is a line in its `PAPER`.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from permove.common.checks import in_range
from permove.common.errors import InputError
from permove.common.names import suggestion
from permove.engines.choice import LOCAL
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
    """Do what a paper did and set its figures beside ours, as in `reproduce("rtaa-2006/table-1", mazes=100)`.

    `out`, `jobs`, `progress`, `engine` and `scheduler` are those of `permove.run`; which further options an item takes,
    it says itself.
    """
    item = find(name)
    known = {option.name: option for option in item.options}
    for given in options:
        if given not in known:
            raise InputError(f"{name} has no option {given}{suggestion(given, list(known))}; leave it out")
    values = {option.name: option.default for option in item.options} | options
    for option in item.options:
        in_range(option.name, values[option.name], option.least, option.most)
    lab = Lab(Path(out) if out is not None else None, jobs, progress, command, engine, scheduler)
    told = {given: value for given, value in options.items() if value != known[given].default}
    return replace(item.reproduce(lab, **values), options=told)
