"""What a table or figure shows, before the claims that belong to it are judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from permove.papers.outcome import Column, Entry, Figure, Outcome, Statement
from permove.report.plot import Data


@dataclass(frozen=True)
class Shown:
    """Published figures and words beside measured ones, and the data of a plot; any of them may be missing."""

    columns: Sequence[Column] = ()
    tables: Sequence[Sequence[str]] = ()
    figures: Sequence[Figure] = ()
    entries: Sequence[Entry] = ()
    data: Data | None = None
    notes: Sequence[str] = ()

    def outcome(self, item: str, title: str, statements: Sequence[Statement], facts: Mapping[str, str]) -> Outcome:
        """The same with its claims judged; how near figures have to be is a matter of these."""
        return Outcome(
            item=item,
            title=title,
            columns=self.columns,
            tables=self.tables,
            figures=self.figures,
            statements=statements,
            facts=facts,
            entries=self.entries,
            data=self.data,
            notes=self.notes,
        )
