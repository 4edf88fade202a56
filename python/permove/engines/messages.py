"""Messages between a run and its worker processes, in a fixed layout whose lengths are checked.

A worker runs code of plug-ins, so nothing in its messages is trusted or executed. A message is a header with its kind
and its length, and a payload. Frames are packed column by column, as the dtypes of a known schema prescribe: a byte for
each row that is 1 unless the value is null, then the values. Strings and lists are preceded by their lengths.
"""

import json
import socket
import struct
from dataclasses import asdict, dataclass
from enum import IntEnum
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
import polars as pl
from numpy.typing import DTypeLike, NDArray

from permove import _core
from permove.records.settings import Settings

MAX_BYTES = 2**28
"""The maximum length of a message: records with millions of trials."""

_HEADER = struct.Struct("<BQ")
_COUNT = struct.Struct("<I")
_ROW = np.dtype([(name, "<i8") for name in _core.PROBLEM_COLUMNS])


class BadMessageError(ValueError):
    """Raised if a message violates the layout."""


class Kind(IntEnum):
    """The kinds of messages."""

    JOB = 1
    FOUND = 2
    FAILED = 3


class Found(NamedTuple):
    """Records with their trials. The number of their agent is always 0."""

    records: pl.DataFrame
    trials: pl.DataFrame


class Cells(NamedTuple):
    """A map in the form in which it is sent: its free cells, eight per byte."""

    width: int
    height: int
    diagonal: str
    bits: bytes
    cliffs: bytes
    """The cliffs of each cell; empty if there are none."""

    @classmethod
    def of(cls, grid: _core.Grid) -> "Cells":
        """Return the cells of a grid."""
        cliffs = grid.cliffs()
        packed = np.packbits(grid.free()).tobytes()
        return cls(grid.width, grid.height, grid.diagonal, packed, b"" if cliffs is None else cliffs.tobytes())

    def grid(self) -> _core.Grid:
        """Return the grid with these cells."""
        shape = self.height, self.width
        bits = np.unpackbits(np.frombuffer(self.bits, np.uint8), count=self.width * self.height)
        cliffs = np.frombuffer(self.cliffs, np.uint8).reshape(shape) if self.cliffs else None
        return _core.Grid.from_array(bits.reshape(shape).astype(bool), self.diagonal, cliffs)


@dataclass(frozen=True)
class Job:
    """A plug-in on problems of one map."""

    spec: str
    replica: int
    settings: Settings
    problems: NDArray[np.void]
    numbers: NDArray[np.uint32]


class Incoming:
    """The bytes received so far, which become messages."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, content: bytes) -> None:
        """Add received bytes."""
        self._bytes += content

    def next(self) -> tuple[Kind, bytes] | None:
        """Remove and return the first message; `None` if it is not complete."""
        if len(self._bytes) < _HEADER.size:
            return None
        number, length = _HEADER.unpack_from(self._bytes)
        if number not in set(Kind) or length > MAX_BYTES:
            raise BadMessageError("its header is invalid")
        end = _HEADER.size + length
        if len(self._bytes) < end:
            return None
        payload = bytes(self._bytes[_HEADER.size : end])
        del self._bytes[:end]
        return Kind(number), payload


def message(kind: Kind, payload: bytes) -> bytes:
    """Return a message, or raise a `BadMessageError` if it is too long."""
    if len(payload) > MAX_BYTES:
        raise BadMessageError(f"it is longer than {MAX_BYTES:,} bytes")
    return _HEADER.pack(kind, len(payload)) + payload


def pack_job(job: Job, cells: Cells) -> bytes:
    """Return the message of a job, followed by the bytes of its map, which only the core of the worker reads."""
    facts = {"spec": job.spec, "replica": job.replica, "settings": asdict(job.settings), "count": len(job.numbers)}
    map_facts = {"shape": (cells.width, cells.height), "diagonal": cells.diagonal, "has_cliffs": bool(cells.cliffs)}
    head = json.dumps(facts | map_facts).encode()
    rows = job.problems.astype(_ROW).tobytes() + job.numbers.astype("<u4").tobytes()
    return message(Kind.JOB, _COUNT.pack(len(head)) + head + rows) + cells.bits + cells.cliffs


def receive_job(connection: socket.socket) -> tuple[Job, _core.PluginJob]:
    """Return the next job and its problems on its map, or raise an `EOFError`."""
    _, length = _HEADER.unpack(_exactly(connection, _HEADER.size))
    reader = _Reader(_exactly(connection, length))
    head = json.loads(reader.take(reader.count()))
    problems, numbers = reader.array(_ROW, head["count"]), reader.array("<u4", head["count"])
    job = Job(head["spec"], head["replica"], Settings(**head["settings"]), problems, numbers)
    map_facts = tuple(head["shape"]), head["diagonal"], head["has_cliffs"]
    return job, _core.PluginJob(connection.fileno(), *map_facts, problems, numbers)


def _exactly(connection: socket.socket, length: int) -> bytes:
    content = bytearray()
    while len(content) < length:
        if not (piece := connection.recv(length - len(content))):
            raise EOFError
        content += piece
    return bytes(content)


def pack_found(found: Found) -> bytes:
    """Return the payload of records and their trials."""
    return b"".join(_COUNT.pack(frame.height) + b"".join(map(_packed, frame)) for frame in found)


def unpack_found(payload: bytes) -> Found:
    """Return records and trials in the columns of the core."""
    reader = _Reader(payload)
    records, trials = (_frame(reader, schema) for schema in _schemas())
    if reader.rest():
        raise BadMessageError("it is longer than its content")
    return Found(records, trials)


@cache
def _schemas() -> tuple[pl.Schema, pl.Schema]:
    records, trials = map(pl.DataFrame, _core.no_records())
    return records.schema, trials.schema


def _frame(reader: "_Reader", schema: pl.Schema) -> pl.DataFrame:
    height = reader.count()
    return pl.DataFrame({name: _column(reader, dtype, height) for name, dtype in schema.items()})


def _packed(column: pl.Series) -> bytes:
    dtype, nulls = column.dtype, column.null_count()
    if nulls == len(column):
        return bytes(nulls)
    if nulls == 0:
        valid, filled = b"\x01" * len(column), column
    else:
        valid, filled = column.is_not_null().to_numpy().astype(np.uint8).tobytes(), column.drop_nulls()
    if dtype == pl.String:
        texts = [text.encode() for text in filled]
        return valid + _lengths([len(text) for text in texts]) + b"".join(texts)
    if isinstance(dtype, pl.List):
        lengths = filled.list.len()
        return valid + _lengths(lengths) + _packed(filled.filter(lengths > 0).explode())
    if isinstance(dtype, pl.Struct):
        return valid + b"".join(_packed(filled.struct.field(field.name)) for field in dtype.fields)
    return valid + filled.to_numpy().astype(_little(dtype)).tobytes()


def _lengths(lengths: Any) -> bytes:
    return np.asarray(lengths, "<u4").tobytes()


@cache
def _little(dtype: pl.DataType) -> np.dtype[Any]:
    """Return the dtype of packed numbers: little-endian, as on most machines."""
    native: np.dtype[Any] = pl.Series([], dtype=dtype).to_numpy().dtype
    return native.newbyteorder("<")


def _column(reader: "_Reader", dtype: pl.DataType, height: int) -> pl.Series:
    valid = reader.array(np.uint8, height)
    if valid.max(initial=0) > 1:
        raise BadMessageError("a value is neither null nor valid")
    count = int(valid.sum())
    if count == 0:
        return pl.Series([], dtype=dtype).extend_constant(None, height)
    values = _values(reader, dtype, count)
    if count == height:
        return values
    rows = pl.DataFrame({"valid": valid.astype(bool)}).with_columns(row=pl.col("valid").cum_sum().cast(pl.Int64) - 1)
    return values.gather(rows.select(pl.when("valid").then("row")).to_series())


def _values(reader: "_Reader", dtype: pl.DataType, count: int) -> pl.Series:
    """Return values that are not null."""
    if dtype == pl.String:
        lengths = reader.array("<u4", count)
        try:
            return pl.Series([reader.take(int(length)).decode() for length in lengths], dtype=pl.String)
        except UnicodeDecodeError:
            raise BadMessageError("a text is not UTF-8") from None
    if isinstance(dtype, pl.List):
        return _lists(reader, dtype, reader.array("<u4", count).astype(np.int64))
    if isinstance(dtype, pl.Struct):
        return pl.DataFrame(
            [_column(reader, cast(pl.DataType, field.dtype), count).alias(field.name) for field in dtype.fields]
        ).to_struct()
    return pl.Series(reader.array(_little(dtype), count).astype(_little(dtype).newbyteorder("=")), dtype=dtype)


def _lists(reader: "_Reader", dtype: pl.List, lengths: NDArray[np.int64]) -> pl.Series:
    total = int(lengths.sum())
    reader.check(total)  # every item has at least one byte
    items = _column(reader, cast(pl.DataType, dtype.inner), total)
    rows = pl.Series("row", np.repeat(np.arange(len(lengths)), lengths))
    filled = pl.DataFrame([rows, items.alias("items")]).group_by("row", maintain_order=True).agg("items")
    every = pl.DataFrame({"row": np.arange(len(lengths))}).join(filled, on="row", how="left", maintain_order="left")
    empty = pl.lit(pl.Series([[]], dtype=dtype))
    return every.select(pl.col("items").fill_null(empty)).to_series()


class _Reader:
    """A payload that is read from its beginning to its end."""

    def __init__(self, payload: bytes) -> None:
        self._payload, self._at = payload, 0

    def check(self, length: int) -> None:
        """Raise an error if fewer bytes are left."""
        if length > len(self._payload) - self._at:
            raise BadMessageError("it is shorter than its content")

    def take(self, length: int) -> bytes:
        self.check(length)
        self._at += length
        return self._payload[self._at - length : self._at]

    def count(self) -> int:
        (count,) = _COUNT.unpack(self.take(_COUNT.size))
        return int(count)

    def array(self, dtype: DTypeLike, count: int) -> NDArray[Any]:
        return np.frombuffer(self.take(count * np.dtype(dtype).itemsize), dtype)

    def rest(self) -> bytes:
        return self.take(len(self._payload) - self._at)
