"""The file `paper.toml` in the folder of a paper: the words of its reports, and its published values.

Wide tables are text with a header line, so that they can be compared with the paper line by line.
"""

import tomllib
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

from permove.papers.claims import Claim
from permove.papers.item import Item, Measured, Option, Paper, show_nothing
from permove.papers.outcome import Shown


class PaperFile(dict[str, Any]):
    """The content of the file of a package."""

    def __init__(self, package: str) -> None:
        super().__init__(tomllib.loads(files(package).joinpath("paper.toml").read_text(encoding="utf-8")))

    def words(self, item: str) -> dict[str, Any]:
        """Return the words of an item: what it shows, or several sentences by the fields of `Item`."""
        words = self["items"][item]
        return {"about": words} if isinstance(words, str) else words

    def item(
        self,
        name: str,
        measure: Callable[..., Measured],
        show: Callable[[Any], Shown] = show_nothing,
        options: tuple[Option, ...] = (),
        **further: Any,
    ) -> Item:
        """Return an item with its words."""
        return Item(name, measure=measure, show=show, options=options, **self.words(name), **further)

    def paper(self, items: Sequence[Item], claims: Sequence[Claim[Any]] = ()) -> Paper:
        """Return the paper with its items and claims."""
        texts = {name: text for name, text in self.items() if isinstance(text, str)}
        return Paper(items=tuple(items), claims=claims, **texts)


def rows(table: str) -> list[dict[str, str]]:
    """Return the rows of a table by column. The first line names the columns; `-` stands for no value."""
    header, *lines = map(str.split, table.strip().splitlines())
    return [{name: word for name, word in zip(header, line, strict=True) if word != "-"} for line in lines]
