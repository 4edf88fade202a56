"""Tables that fit a terminal of any width: columns without room continue in another table, with the names repeated.

Names stay readable, since the first column never becomes narrower than `MIN_NAME` letters.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

MIN_NAME, MIN_TEXT = 12, 12
"""Minimum widths of the first column and of other text columns, if their cells are that long."""

GAP, EDGES = 2, 2
"""The widths between columns, and of both edges."""


@dataclass
class FittingTable:
    """A table: its headers, which columns are numeric, and its rows. Numbers are never wrapped."""

    headers: Sequence[str]
    numeric: Sequence[bool]
    rows: list[Sequence[str]] = field(default_factory=list)

    def add_row(self, *cells: str) -> None:
        """Add a row of texts, which may have several lines."""
        self.rows.append(cells)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for columns in self._parts(options.max_width):
            yield self._table(columns)

    def _parts(self, width: int) -> list[list[int]]:
        """Divide the columns such that each part fits, together with the first column."""
        needed = [self._needed(column) for column in range(len(self.headers))]
        parts, room = [[0]], width - EDGES - needed[0]
        for column in range(1, len(self.headers)):
            if needed[column] + GAP > room and len(parts[-1]) > 1:
                parts.append([0])
                room = width - EDGES - needed[0]
            parts[-1].append(column)
            room -= needed[column] + GAP
        return parts

    def _needed(self, column: int) -> int:
        cells = max((self._longest(row[column]) for row in self.rows), default=0)
        if self.numeric[column]:
            return max(cells, self._longest(self.headers[column]))
        return min(max(cells, self._longest(self.headers[column])), MIN_TEXT if column else MIN_NAME)

    @staticmethod
    def _longest(text: str) -> int:
        return max(map(len, text.split("\n")))

    def _table(self, columns: list[int]) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
        for column in columns:
            numeric = self.numeric[column]
            table.add_column(
                self.headers[column],
                justify="right" if numeric else "left",
                no_wrap=numeric,
                overflow="fold",
                min_width=None if numeric else self._needed(column),
            )
        for row in self.rows:
            # As Text, in which rich does not interpret square brackets as markup.
            table.add_row(*(Text(row[column]) for column in columns), end_section=any("\n" in cell for cell in row))
        return table
