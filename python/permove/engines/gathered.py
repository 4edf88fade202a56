"""What an engine has and has not handed over yet: pieces are worth a file, and none is kept for long."""

import time

import polars as pl

from permove.engines.work import Piece

FLUSH_SECONDS = 2.0
"""How much work a power cut may cost."""

FLUSH_ROWS = 50_000
"""Nor are more records and trials than this kept in memory."""


class Gathered:
    """Records and trials on their way into a piece."""

    def __init__(self) -> None:
        self._records: list[pl.DataFrame] = []
        self._trials: list[pl.DataFrame] = []
        self._since = time.monotonic()

    def add(self, records: pl.DataFrame, trials: pl.DataFrame) -> None:
        """Take in some more."""
        self._records.append(records)
        self._trials.append(trials)

    def __bool__(self) -> bool:
        return bool(self._records)

    @property
    def is_due(self) -> bool:
        """Whether it is time to hand over what is there."""
        rows = sum(frame.height for frame in [*self._records, *self._trials])
        return bool(self) and (rows >= FLUSH_ROWS or time.monotonic() - self._since >= FLUSH_SECONDS)

    def take(self) -> Piece:
        """All that is there."""
        piece = Piece(pl.concat(self._records), pl.concat(self._trials))
        self._records, self._trials, self._since = [], [], time.monotonic()
        return piece
