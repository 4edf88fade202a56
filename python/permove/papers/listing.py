"""What can be reproduced, for the terminal: each paper once, and below it what of it there is.

A line has room for the name of an item within its paper and what it is about; the options stand below, or once for the
paper where all its items have the same.
"""

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from permove.papers.item import Item, Option, Paper


def listing(papers: Sequence[Paper]) -> RenderableType:
    """Papers with their items, for a terminal of any width."""
    parts: list[RenderableType] = []
    for paper in papers:
        parts += [Text(paper.key, style="bold"), Text(paper.title), *_items(paper), Text()]
    named = f"{papers[0].key}/{papers[0].items[0].name}"
    return Group(*parts, Text(f"One of them: permove reproduce {named}"))


def _items(paper: Paper) -> list[RenderableType]:
    alike = len({item.options for item in paper.items}) == 1 and len(paper.items) > 1
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column()
    for item in paper.items:
        table.add_row(item.name, _about(item, with_options=not alike))
    shared = [_indented(Text("each with ").append_text(_typed(paper.items[0].options)))] if alike else []
    return [*shared, _indented(table)]


def _about(item: Item, *, with_options: bool) -> Text:
    if not (with_options and item.options):
        return Text(item.about)
    return Text.assemble(item.about, "\n", _typed(item.options))


def _typed(options: Iterable[Option]) -> Text:
    """Options with their defaults, as they may be typed; lines are broken between them and never within one."""
    return Text(" ".join(f"--{option.name}={option.default}" for option in options), style="dim")


def _indented(part: RenderableType) -> Padding:
    return Padding(part, (0, 0, 0, 1))
