"""Untrusted zip files: nothing is extracted to disk, and archives with unsafe paths or false sizes are rejected."""

import lzma
import struct
import zipfile
import zlib
from collections import Counter
from functools import partial
from pathlib import Path, PurePosixPath, PureWindowsPath

from permove.common.errors import InputError
from permove.data.collection import MAP, SCENARIOS, File

MAX_FILE_BYTES = 128 << 20
"""The maximum size of a map or scenario file, twice the size of a map of 8192 × 8192 letters."""

MAX_ARCHIVE_BYTES = 4 << 30
"""The maximum unpacked size of a collection. MovingAI's largest one has some hundred megabytes."""


def files_in(path: Path) -> dict[str, File]:
    """Return the maps and scenarios in a zip file by their paths. They are read on demand."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the path and its permissions") from error
    except (zipfile.BadZipFile, NotImplementedError, ValueError, RuntimeError, IndexError, struct.error) as error:
        raise _damaged(path, error) from error
    for entry in entries:
        _check_path(path, entry.filename)
    if repeated := [name for name, count in Counter(entry.filename for entry in entries).items() if count > 1]:
        raise InputError(f"{path}: the archive contains {repeated[0]} more than once; get it from a trusted source")
    wanted = [entry for entry in entries if entry.filename.lower().endswith((MAP, SCENARIOS)) and not _hidden(entry)]
    for entry in wanted:
        if entry.file_size > MAX_FILE_BYTES:
            raise _too_large(path, f"the file {entry.filename} has {entry.file_size:,} bytes", MAX_FILE_BYTES)
    size = sum(entry.file_size for entry in wanted)
    if size > MAX_ARCHIVE_BYTES:
        raise _too_large(path, f"the maps and scenarios have {size:,} bytes", MAX_ARCHIVE_BYTES)
    return {entry.filename: File(f"{path}/{entry.filename}", partial(_read, path, entry)) for entry in wanted}


def check(path: Path) -> None:
    """Raise an error if a zip file is truncated or damaged anywhere."""
    for file in files_in(path).values():
        file.read()


def _read(path: Path, entry: zipfile.ZipInfo) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive, archive.open(entry) as file:
            # The size in the directory of the archive may be false, so the actual size is limited, too.
            content = file.read(MAX_FILE_BYTES + 1)
    except (RuntimeError, NotImplementedError) as error:
        raise InputError(
            f"{path}: {entry.filename} cannot be unpacked ({error}); pack it with deflate and without a password"
        ) from error
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, struct.error) as error:
        raise _damaged(path, error) from error
    if len(content) > MAX_FILE_BYTES:
        raise _too_large(path, f"the file {entry.filename} is too large", MAX_FILE_BYTES)
    return content


def _check_path(path: Path, name: str) -> None:
    climbs = ".." in PurePosixPath(name.replace("\\", "/")).parts
    absolute = name.startswith(("/", "\\")) or bool(PureWindowsPath(name).drive)
    if climbs or absolute:
        raise InputError(f"{path}: unsafe path {name} in the archive; get the file from a trusted source")


def _hidden(entry: zipfile.ZipInfo) -> bool:
    """Return whether an entry is one of the metadata files that macOS adds."""
    parts = PurePosixPath(entry.filename).parts
    return parts[0] == "__MACOSX" or parts[-1].startswith("._")


def _damaged(path: Path, error: Exception) -> InputError:
    return InputError(f"{path} is not a valid zip file ({str(error).rstrip('.')}); download it again")


def _too_large(path: Path, what: str, maximum: int) -> InputError:
    return InputError(f"{path}: {what}, the maximum is {maximum:,} bytes; get the file from a trusted source")
