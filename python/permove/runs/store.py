"""The run folder: a manifest and records in chunks, each of which is written completely or not at all.

    manifest.json        see `permove.runs.manifest`
    records/000001-CHECKSUM.parquet ...
    trials/000001-CHECKSUM.parquet ...   the trials of the records with the same number, in runs to convergence
    traces/*.npz         see `permove.records.traces`
    lock                 held by the process that writes; contains the number of that process

The name of a chunk contains the checksum of its content, which is verified before the content is parsed. Chunks of
older versions have only a number. A writer renames damaged chunks to `*.damaged`, so that their records are computed
again.

A run resumes by subtracting the existing records from the requested ones, so chunks may have any size and order. The
trials of a chunk are written before its records and count only if the records exist; trials that a killed run leaves
behind are ignored and removed. The lock is the kernel's: it is released when its process ends, so a remaining file has
no effect.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Self

import polars as pl

from permove._core import checksum
from permove.common.errors import InputError, reason
from permove.common.files import write_atomic
from permove.common.system import lock
from permove.common.terminal import note
from permove.records import traces
from permove.records.columns import ADDED, IDENTITY, SCHEMA, TRIALS
from permove.records.settings import CONVERGE
from permove.runs.manifest import Manifest

MANIFEST = "manifest.json"
RECORDS = "records"
TRIALS_FOLDER = "trials"
LOCK = "lock"
DAMAGED = ".damaged"
"""The suffix of damaged chunks."""

_NAME = re.compile(r"(?P<number>.*?)(-(?P<checksum>[0-9a-f]{16}))?\.parquet(\.damaged)?", re.DOTALL)

PIECE_ROWS = 200_000
"""The minimum number of rows in a piece."""


class DamagedChunkError(InputError):
    """Raised if a chunk cannot be read or has changed."""


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of the run in a folder."""
    if not folder.is_dir():
        raise InputError(f"the run folder {folder} does not exist; `permove run --out {folder}` creates it")
    if not (folder / MANIFEST).is_file():
        raise InputError(
            f"{folder} is not a run folder: it has no {MANIFEST}; use the folder that `permove run` printed"
        )
    return Manifest.read(folder / MANIFEST)


def read_records(folder: Path) -> pl.DataFrame:
    """Return all records of a run, sorted by identity."""
    return _read(_chunks(folder), dict(SCHEMA)).sort(IDENTITY)


def count_records(folder: Path) -> int:
    """Return the number of records of a run."""
    read_manifest(folder)
    return _read(_chunks(folder), {"problem": SCHEMA["problem"]}).height


def read_columns(folder: Path, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Yield some columns of the records in pieces and in any order; a large run may not fit into memory.

    A piece contains several chunks if they are small.
    """
    read_manifest(folder)
    schema = {name: SCHEMA[name] for name in columns}
    piece: list[pl.DataFrame] = []
    for chunk in _chunks(folder):
        piece.append(_read_chunk(chunk, schema))
        if sum(frame.height for frame in piece) >= PIECE_ROWS:
            yield pl.concat(piece)
            piece = []
    if piece:
        yield pl.concat(piece)


def read_trials(folder: Path, agents: Sequence[str] | None = None) -> pl.DataFrame:
    """Return the trials of a run or of some of its agents, sorted by identity; empty for runs of single trials."""
    if read_manifest(folder).settings.trials != CONVERGE:
        return TRIALS.to_frame()
    chunks = _trials_of(folder, _chunks(folder))
    wanted = True if agents is None else pl.col("agent").is_in(list(agents))
    return _read(chunks, dict(TRIALS), wanted).sort(*IDENTITY, "trial")


def read_chunks(folder: Path) -> Iterator[tuple[pl.DataFrame, pl.DataFrame | None]]:
    """Yield a run in chunks: records, and the trials of a run to convergence."""
    converging = read_manifest(folder).settings.trials == CONVERGE
    for chunk in _chunks(folder):
        trials = _read_chunk(_trials_of(folder, [chunk])[0], dict(TRIALS)) if converging else None
        yield _read_chunk(chunk, dict(SCHEMA)), trials


def note_unverified(folder: Path) -> None:
    """Print a note if some files of a run have no checksum."""
    chunks = [path for name in (RECORDS, TRIALS_FOLDER) for path in _chunks(folder, name)]
    old = [path for path in chunks if _checksum_of(path) is None]
    if not Manifest.is_sealed(folder / MANIFEST):
        old.append(folder / MANIFEST)
    if old:
        note(
            f"{len(old):,} of the {len(chunks) + 1:,} files of {folder} have no checksum, since an older version of "
            "permove wrote them; damage to them may go unnoticed"
        )


class Writer:
    """The only process that adds to a run folder, for use in a `with` block.

    Entering creates the folder, or checks that the run in it may be continued and otherwise raises an error before
    anything is changed.
    """

    def __init__(self, folder: Path, manifest: Manifest, *, any_machine: bool = False) -> None:
        self._folder = folder
        self._manifest = manifest
        self._any_machine = any_machine
        self._lock = -1
        self._next = 1
        self._announced = False

    def __enter__(self) -> Self:
        self._check()
        with _explained(self._folder, "create the run folder"):
            (self._folder / RECORDS).mkdir(parents=True, exist_ok=True)
            self._take_lock()
        try:
            # Another process may have created or continued the run before this one held the lock.
            self._check()
            self._set_damaged_aside()
            for leftover in self._leftovers():
                leftover.unlink(missing_ok=True)
            numbers = [number for path in (self._folder / RECORDS).iterdir() if (number := _number(path)).isdecimal()]
            self._next = max(map(int, numbers), default=0) + 1
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._leave()

    def identities(self) -> pl.DataFrame:
        """Return the identities of the existing records."""
        return _read(_chunks(self._folder), {name: SCHEMA[name] for name in IDENTITY})

    def write(self, records: pl.DataFrame, trials: pl.DataFrame | None = None) -> None:
        """Add a chunk with its trials, if any; a chunk counts only with both."""
        if not self._announced:
            self._announce()
        if trials is not None:
            with _explained(self._folder / TRIALS_FOLDER, "create the folder"):
                (self._folder / TRIALS_FOLDER).mkdir(exist_ok=True)
            self._write(TRIALS_FOLDER, trials)
        self._write(RECORDS, records)
        self._next += 1

    def _write(self, folder: str, frame: pl.DataFrame) -> None:
        buffer = BytesIO()
        frame.write_parquet(buffer, compression="zstd")
        content = buffer.getvalue()
        path = self._folder / folder / f"{self._next:06}-{checksum(content)}.parquet"
        with _explained(path, "write"):
            write_atomic(path, content)

    def _set_damaged_aside(self) -> None:
        """Rename each damaged chunk and its counterpart, so that their records are missing."""
        converging = self._manifest.settings.trials == CONVERGE
        for chunk in _chunks(self._folder):
            pair = [chunk]
            try:
                pair += _trials_of(self._folder, [chunk]) if converging else []
                for path, schema in zip(pair, (SCHEMA, TRIALS), strict=False):
                    _verify(path, dict(schema))
            except DamagedChunkError as damage:
                with _explained(chunk, "rename"):
                    for path in reversed(pair):
                        path.rename(path.with_name(path.name + DAMAGED))
                note(f"{damage.args[0].partition(';')[0]}; renamed to *{DAMAGED}, and its records are computed again")

    def _leftovers(self) -> list[Path]:
        """Return the files that a killed run may have left: unfinished files, and trials without records."""
        folders = (self._folder, *(self._folder / name for name in (RECORDS, TRIALS_FOLDER, traces.FOLDER)))
        unfinished = [path for folder in folders for path in folder.glob(".*.tmp")]
        records = {_number(chunk) for chunk in _chunks(self._folder)}
        return unfinished + [chunk for chunk in _chunks(self._folder, TRIALS_FOLDER) if _number(chunk) not in records]

    def _leave(self) -> None:
        """Release the folder, and remove a new one to which nothing was added."""
        if not (self._folder / MANIFEST).exists():
            with suppress(PermissionError):  # Windows does not remove open files
                (self._folder / LOCK).unlink(missing_ok=True)
            for folder in (self._folder / RECORDS, self._folder):
                with suppress(OSError):
                    folder.rmdir()
        os.close(self._lock)

    def _announce(self) -> None:
        """Add this start to the manifest; a start that adds no records is not listed."""
        path = self._folder / MANIFEST
        manifest = Manifest.read(path).continued(self._manifest) if path.exists() else self._manifest
        with _explained(path, "write"):
            write_atomic(path, manifest.to_json())
        self._announced = True

    def _check(self) -> None:
        """Reject a folder that this run may not continue."""
        folder = self._folder
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file, not a folder; choose another folder with --out")
        if (folder / MANIFEST).exists():
            self._check_manifest()
            return
        if folder.exists() and any(map(_is_unrelated, folder.iterdir())):
            raise InputError(f"{folder} contains files that are not from a run; choose another folder with --out")

    def _check_manifest(self) -> None:
        existing = Manifest.read(self._folder / MANIFEST)
        if differences := existing.differences(self._manifest):
            is_alpha = existing.differs_in_alpha(self._manifest)
            remedy = f"use {existing.settings.alpha_option if is_alpha else 'the same settings'}, or choose"
            if existing.records != self._manifest.records:
                remedy = "to make them again, choose"
            raise InputError(
                f"the records in {self._folder} were made with {', with '.join(differences)}; {remedy} another folder "
                "with --out"
            )
        if existing.settings.timed and not self._any_machine:
            processors = self._manifest.processors
            if others := [name for name in existing.processors if name not in processors]:
                raise InputError(
                    f"the times in {self._folder} were measured on {' and '.join(others)}, not on "
                    f"{' and '.join(processors)}; choose another folder with --out, or use --any-machine"
                )

    def _take_lock(self) -> None:
        path = self._folder / LOCK
        self._lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        if not lock(self._lock):
            holder = os.read(self._lock, 32).decode(errors="replace").strip() or "unknown"
            os.close(self._lock)
            raise InputError(
                f"another process ({holder}) writes to {self._folder}; wait for it, or choose another folder with --out"
            )
        try:
            os.ftruncate(self._lock, 0)
            os.write(self._lock, f"{os.getpid()}\n".encode())
        except BaseException:
            os.close(self._lock)
            raise


def _chunks(folder: Path, kind: str = RECORDS) -> list[Path]:
    return sorted((folder / kind).glob("[!.]*.parquet"))


def _number(path: Path) -> str:
    return _name_part(path, "number") or ""


def _checksum_of(path: Path) -> str | None:
    """Return the checksum in the name of a chunk; older ones have none."""
    return _name_part(path, "checksum")


def _name_part(path: Path, part: str) -> str | None:
    found = _NAME.fullmatch(path.name)
    return found[part] if found else None


def _trials_of(folder: Path, chunks: list[Path]) -> list[Path]:
    """Return the chunks with the trials of the records in some chunks."""
    existing = {_number(path): path for path in _chunks(folder, TRIALS_FOLDER)}
    for chunk in chunks:
        if _number(chunk) not in existing:
            raise DamagedChunkError(f"the chunk of {folder / TRIALS_FOLDER} for {chunk} is missing; {_REMEDY}")
    return [existing[_number(chunk)] for chunk in chunks]


def _is_unrelated(entry: Path) -> bool:
    """Return whether an entry of a folder without a manifest is not from a run that was killed at its start."""
    if entry.name == RECORDS:
        return any(not child.name.startswith(".") for child in entry.iterdir()) if entry.is_dir() else True
    return entry.name != LOCK and not entry.name.startswith(f".{MANIFEST}.")


def _read(chunks: list[Path], schema: dict[str, pl.DataType], wanted: pl.Expr | bool = True) -> pl.DataFrame:
    frames = (_read_chunk(chunk, schema).filter(wanted) for chunk in chunks)
    return pl.concat([pl.DataFrame(schema=schema), *frames])


def _read_chunk(path: Path, schema: dict[str, pl.DataType]) -> pl.DataFrame:
    content = _content(path)
    try:
        existing = pl.read_parquet_schema(BytesIO(content))
        frame = pl.read_parquet(BytesIO(content), columns=[name for name in schema if name in existing])
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise DamagedChunkError(f"{path} is damaged or not from permove; {_REMEDY}") from error
    added = {name: pl.lit(ADDED[name], schema[name]) for name in schema if name in ADDED and name not in existing}
    frame = frame.with_columns(**added).select(name for name in schema if name in existing or name in added)
    if dict(frame.schema) != schema:
        raise InputError(f"{path} has the columns of another version of permove; read it with that version")
    return frame


def _content(path: Path) -> bytes:
    """Return the content of a chunk, which agrees with the checksum in its name."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({reason(error)}); check the disk and the permissions") from error
    if _checksum_of(path) not in (None, checksum(content)):
        raise DamagedChunkError(f"{path} is damaged: its content does not match the checksum in its name; {_REMEDY}")
    return content


def _verify(path: Path, schema: dict[str, pl.DataType]) -> None:
    """Raise an error if a chunk is damaged. Those without a checksum are parsed."""
    if _checksum_of(path) is None:
        _read_chunk(path, schema)
    else:
        _content(path)


_REMEDY = "run the same `permove run` command again to recompute its records"


@contextmanager
def _explained(path: Path, action: str) -> Iterator[None]:
    """Convert an `OSError` to an `InputError` that says what could not be written, and how to resume."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"cannot {action} {path}: {error.strerror or error}; fix that or choose another folder with --out, "
            "then run the same command again to resume"
        ) from error
