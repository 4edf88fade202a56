"""Zip files from the network, read with suspicion: nothing is extracted, and what lies about itself is refused."""

import zipfile
import zlib
from functools import partial
from pathlib import Path, PurePosixPath, PureWindowsPath

from permove.common.errors import InputError
from permove.data.collection import MAP, SCENARIOS, File

LARGEST_FILE = 128 << 20
"""No map or scenario file is larger than this: a map of 8192 × 8192 letters is half of it."""

LARGEST_ARCHIVE = 4 << 30
"""No collection is larger than this when unpacked; the largest one has some hundred megabytes."""


def files_in(path: Path) -> dict[str, File]:
    """The maps and scenarios in a zip file by their paths; they are read from it when they are needed."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    except zipfile.BadZipFile as error:
        raise _damaged(path, error) from error
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the path and its permissions") from error
    for entry in entries:
        _check_path(path, entry.filename)
    wanted = [entry for entry in entries if entry.filename.lower().endswith((MAP, SCENARIOS)) and not _hidden(entry)]
    for entry in wanted:
        if entry.file_size > LARGEST_FILE:
            raise _bomb(path, f"its file {entry.filename} would have {entry.file_size:,} bytes", LARGEST_FILE)
    size = sum(entry.file_size for entry in wanted)
    if size > LARGEST_ARCHIVE:
        raise _bomb(path, f"its maps and scenarios would have {size:,} bytes", LARGEST_ARCHIVE)
    return {entry.filename: File(f"{path}/{entry.filename}", partial(_read, path, entry)) for entry in wanted}


def check(path: Path) -> None:
    """Refuse a zip file that is cut off or damaged anywhere."""
    for file in files_in(path).values():
        file.read()


def _read(path: Path, entry: zipfile.ZipInfo) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive, archive.open(entry) as file:
            # The size that an entry claims is a claim; what is read is the truth.
            content = file.read(LARGEST_FILE + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise _damaged(path, error) from error
    except (RuntimeError, NotImplementedError) as error:
        raise InputError(
            f"{path}: {entry.filename} cannot be unpacked ({error}); pack it without a password"
        ) from error
    if len(content) > LARGEST_FILE:
        raise _bomb(path, f"its file {entry.filename} goes on and on", LARGEST_FILE)
    return content


def _check_path(path: Path, name: str) -> None:
    climbs = ".." in PurePosixPath(name.replace("\\", "/")).parts
    absolute = name.startswith(("/", "\\")) or bool(PureWindowsPath(name).drive)
    if climbs or absolute:
        raise InputError(f"{path}: its path {name} leads out of the folder; do not trust this file, get it elsewhere")


def _hidden(entry: zipfile.ZipInfo) -> bool:
    """What macOS adds beside each file, by the same name."""
    parts = PurePosixPath(entry.filename).parts
    return parts[0] == "__MACOSX" or parts[-1].startswith("._")


def _damaged(path: Path, error: Exception) -> InputError:
    return InputError(f"{path} is no whole zip file ({str(error).rstrip('.')}); download it again")


def _bomb(path: Path, what: str, most: int) -> InputError:
    return InputError(f"{path}: {what}, where {most:,} is the most; do not trust this file, get it elsewhere")
