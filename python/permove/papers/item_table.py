"""The list of papers and items for the terminal. Options that all items of a paper share are listed once."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from permove.papers.item import Item, Paper


def item_table(papers: Sequence[Paper]) -> RenderableType:
    """Return papers with their items, for a terminal of any width."""
    parts: list[RenderableType] = []
    for paper in papers:
        parts += [Text(paper.key, style="bold"), Text(paper.title), *_items(paper), Text()]
    return Group(*parts, Text(f"For example: permove reproduce {papers[0].key}/{papers[0].items[0].name}"))


def _items(paper: Paper) -> list[RenderableType]:
    shared = len({item.options for item in paper.items}) == 1 and len(paper.items) > 1
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column()
    for item in paper.items:
        own = () if shared or not item.options else ("\n", _options(item))
        table.add_row(item.name, Text.assemble(item.about, *own))
    common = [_indented(Text("each with ").append_text(_options(paper.items[0])))] if shared else []
    return [*common, _indented(table)]


def _options(item: Item) -> Text:
    """Options with their defaults, as they may be typed. Lines break between options only."""
    return Text(" ".join(f"--{option.name}={option.default}" for option in item.options), style="dim")


def _indented(part: RenderableType) -> Padding:
    return Padding(part, (0, 0, 0, 1))
