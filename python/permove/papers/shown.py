"""What a table or figure shows, before the claims that belong to it are judged."""

from collections.abc import Sequence
from dataclasses import dataclass

from permove.papers.outcome import Column, Data, Entry, Figure


@dataclass(frozen=True)
class Shown:
    """Published figures and words beside measured ones, and the data of a plot; any of them may be missing."""

    columns: Sequence[Column] = ()
    tables: Sequence[Sequence[str]] = ()
    figures: Sequence[Figure] = ()
    entries: Sequence[Entry] = ()
    data: Data | None = None
    notes: Sequence[str] = ()
