"""Finished records that an engine has not yielded yet: large enough pieces for a file, and none kept for long."""

import time

import polars as pl

from permove.engines.interface import Piece

FLUSH_SECONDS = 2.0
"""The maximum age of a buffered record, which a power failure would lose."""

FLUSH_ROWS = 50_000
"""The maximum number of buffered records and trials."""


class PieceBuffer:
    """Records and trials for the next piece."""

    def __init__(self) -> None:
        self._records: list[pl.DataFrame] = []
        self._trials: list[pl.DataFrame] = []
        self._since = time.monotonic()

    def add(self, records: pl.DataFrame, trials: pl.DataFrame) -> None:
        """Add finished records with their trials."""
        self._records.append(records)
        self._trials.append(trials)

    def __bool__(self) -> bool:
        return bool(self._records)

    @property
    def is_due(self) -> bool:
        """Whether the buffered records should be yielded now."""
        rows = sum(frame.height for frame in [*self._records, *self._trials])
        return bool(self) and (rows >= FLUSH_ROWS or time.monotonic() - self._since >= FLUSH_SECONDS)

    def take(self) -> Piece:
        """Remove and return everything that is buffered."""
        piece = Piece(pl.concat(self._records), pl.concat(self._trials))
        self._records, self._trials, self._since = [], [], time.monotonic()
        return piece
