"""The run folder: a manifest and records in chunks, each written whole or not at all.

    manifest.json        see `permove.manifest`
    records/000001.parquet ...
    trials/000001.parquet ...   the trials of the records in the chunk of the same name, where there may be several
    traces/*.npz         see `permove.traces`
    lock                 held by the process that writes; it holds that process's number

A run goes on by subtracting the records that are there from those that are wanted, so chunks may have any size and any
order. The trials of a chunk are written before its records, and count only where the records are there, too: what a
killed run leaves behind of them is neither read nor kept. The lock is the kernel's: it falls with the process that
held it, however that one ended, and a file that stays behind means nothing.
"""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Self

import polars as pl

from permove.common.errors import InputError
from permove.common.files import write_whole
from permove.records import traces
from permove.records.columns import IDENTITY, SCHEMA, TRIALS
from permove.records.settings import CONVERGE
from permove.runs.manifest import Manifest

MANIFEST = "manifest.json"
RECORDS = "records"
TRIALS_FOLDER = "trials"
LOCK = "lock"

PIECE_ROWS = 200_000
"""How many rows are read before they are handed on, at least."""


def read_manifest(folder: Path) -> Manifest:
    """The manifest of the run in a folder."""
    if not folder.is_dir():
        raise InputError(f"there is no run folder {folder}; `permove run --out {folder}` makes one")
    if not (folder / MANIFEST).is_file():
        raise InputError(
            f"{folder} is not a run folder: it has no {MANIFEST}; give the folder that `permove run` named"
        )
    return Manifest.read(folder / MANIFEST)


def read_records(folder: Path) -> pl.DataFrame:
    """All records of a run, sorted by identity."""
    return _read(_chunks(folder), dict(SCHEMA)).sort(IDENTITY)


def count_records(folder: Path) -> int:
    """How many records a run has."""
    read_manifest(folder)
    return _read(_chunks(folder), {"problem": SCHEMA["problem"]}).height


def read_columns(folder: Path, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Some columns of the records, piece by piece and in no order: those of a large run may be too many to hold.

    A piece has several chunks where they are small.
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
    """The trials of a run, or of some of its agents, sorted by identity; none where every problem was walked once."""
    if read_manifest(folder).settings.trials != CONVERGE:
        return TRIALS.to_frame()
    chunks = [folder / TRIALS_FOLDER / chunk.name for chunk in _chunks(folder)]
    for chunk in chunks:
        if not chunk.is_file():
            raise InputError(
                f"{chunk} is missing; move {folder / RECORDS / chunk.name} away, too, and the same `permove run` makes "
                "both again"
            )
    wanted = True if agents is None else pl.col("agent").is_in(list(agents))
    return _read(chunks, dict(TRIALS), wanted).sort(*IDENTITY, "trial")


def read_chunks(folder: Path) -> Iterator[tuple[pl.DataFrame, pl.DataFrame | None]]:
    """A run chunk by chunk: records, and their trials where there may be several."""
    converging = read_manifest(folder).settings.trials == CONVERGE
    for chunk in _chunks(folder):
        trials = folder / TRIALS_FOLDER / chunk.name
        yield _read_chunk(chunk, dict(SCHEMA)), _read_chunk(trials, dict(TRIALS)) if converging else None


class Writer:
    """The one process that adds to a run folder; use it in a `with` block.

    Entering makes the folder or checks that what is in it may be continued, and raises before anything is changed
    where it may not.
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
        with _sentence(self._folder, "make the run folder"):
            (self._folder / RECORDS).mkdir(parents=True, exist_ok=True)
            self._take_lock()
        try:
            # Another process may have made or continued the run before the lock was ours.
            self._check()
            for leftover in self._leftovers():
                leftover.unlink(missing_ok=True)
            numbers = [int(chunk.stem) for chunk in _chunks(self._folder) if chunk.stem.isdecimal()]
            self._next = max(numbers, default=0) + 1
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._leave()

    def identities(self) -> pl.DataFrame:
        """The records that are there, by identity."""
        return _read(_chunks(self._folder), {name: SCHEMA[name] for name in IDENTITY})

    def write(self, records: pl.DataFrame, trials: pl.DataFrame | None = None) -> None:
        """Add a chunk, with its trials where it has them: both, or neither that counts."""
        if not self._announced:
            self._announce()
        if trials is not None:
            with _sentence(self._folder / TRIALS_FOLDER, "make the folder"):
                (self._folder / TRIALS_FOLDER).mkdir(exist_ok=True)
            self._write(TRIALS_FOLDER, trials)
        self._write(RECORDS, records)
        self._next += 1

    def _write(self, folder: str, frame: pl.DataFrame) -> None:
        path = self._folder / folder / f"{self._next:06}.parquet"
        content = BytesIO()
        frame.write_parquet(content, compression="zstd")
        with _sentence(path, "write"):
            write_whole(path, content.getvalue())

    def _leftovers(self) -> list[Path]:
        """What a killed run may have left: files half written, and trials whose records were never written."""
        folders = (self._folder, *(self._folder / name for name in (RECORDS, TRIALS_FOLDER, traces.FOLDER)))
        half_written = [path for folder in folders for path in folder.glob(".*.tmp")]
        records = {chunk.name for chunk in _chunks(self._folder)}
        trials = (self._folder / TRIALS_FOLDER).glob("[!.]*.parquet")
        return half_written + [chunk for chunk in trials if chunk.name not in records]

    def _leave(self) -> None:
        """Let go of the folder, and of a new one altogether where nothing came of the run."""
        if not (self._folder / MANIFEST).exists():
            (self._folder / LOCK).unlink(missing_ok=True)
            for folder in (self._folder / RECORDS, self._folder):
                with suppress(OSError):
                    folder.rmdir()
        os.close(self._lock)

    def _announce(self) -> None:
        """Note this start in the manifest; a start that adds nothing to a run leaves no trace in it."""
        path = self._folder / MANIFEST
        manifest = Manifest.read(path).continued(self._manifest) if path.exists() else self._manifest
        with _sentence(path, "write"):
            write_whole(path, manifest.to_json())
        self._announced = True

    def _check(self) -> None:
        """Refuse a folder that is not ours to continue."""
        folder = self._folder
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file, not a folder; give another one with --out")
        if (folder / MANIFEST).exists():
            self._check_manifest()
            return
        if folder.exists() and any(map(_is_foreign, folder.iterdir())):
            raise InputError(f"{folder} holds other files and no run; give another folder with --out")

    def _check_manifest(self) -> None:
        there = Manifest.read(self._folder / MANIFEST)
        if differences := there.differences(self._manifest):
            raise InputError(
                f"the records in {self._folder} were made with {', with '.join(differences)}; "
                "give another folder with --out"
            )
        if there.settings.timed and not self._any_machine:
            here = self._manifest.processors
            if others := [name for name in there.processors if name not in here]:
                raise InputError(
                    f"the times in {self._folder} were measured on {' and '.join(others)}, not on "
                    f"{' and '.join(here)}; give another "
                    "folder with --out, or --any-machine to let them stand together"
                )

    def _take_lock(self) -> None:
        path = self._folder / LOCK
        self._lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._lock, 32).decode(errors="replace").strip() or "unknown"
            os.close(self._lock)
            raise InputError(
                f"another process, number {holder}, writes to {self._folder}; "
                "wait for it, or give another folder with --out"
            ) from None
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, f"{os.getpid()}\n".encode(), 0)


def _chunks(folder: Path) -> list[Path]:
    return sorted((folder / RECORDS).glob("[!.]*.parquet"))


def _is_foreign(entry: Path) -> bool:
    """Whether something in a folder without a manifest is not the beginning of a run that was killed at once."""
    if entry.name == RECORDS:
        return any(not child.name.startswith(".") for child in entry.iterdir()) if entry.is_dir() else True
    return entry.name != LOCK and not entry.name.startswith(f".{MANIFEST}.")


def _read(chunks: list[Path], schema: dict[str, pl.DataType], wanted: pl.Expr | bool = True) -> pl.DataFrame:
    frames = (_read_chunk(chunk, schema).filter(wanted) for chunk in chunks)
    return pl.concat([pl.DataFrame(schema=schema), *frames])


def _read_chunk(path: Path, schema: dict[str, pl.DataType]) -> pl.DataFrame:
    try:
        frame = pl.read_parquet(path, columns=list(schema), memory_map=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        records = path.parent.parent / RECORDS / path.name
        away = "it" if path == records else f"it and {records}"
        raise InputError(
            f"{path} is damaged or not ours; move {away} away, and the same `permove run` makes its records again"
        ) from error
    if dict(frame.schema) != schema:
        raise InputError(f"{path} has the columns of another version of permove; read it with that version")
    return frame


@contextmanager
def _sentence(path: Path, deed: str) -> Iterator[None]:
    """Say what could not be written, why, and that nothing is lost."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"cannot {deed} {path}: {error.strerror or error}; mend that or give another folder with --out, "
            "and the same command goes on with what is there"
        ) from error
