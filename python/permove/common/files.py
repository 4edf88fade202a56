"""Atomic writing of files: write to a temporary file in the same folder, sync it, rename it.

A process that is killed leaves its temporary files and folders. The next one that needs such files removes them.
"""

import glob
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

TEMPORARY = ".tmp"
"""The suffix of temporary files and folders."""

PREFIX = "permove-"
"""The beginning of the names of temporary folders in the folder of the system."""

SWEEP_SECONDS = 24 * 3600
"""The age at which a temporary file or folder counts as left over."""


def write_atomic(path: Path, content: bytes) -> None:
    """Write `content` to `path`. On any failure, the previous content of `path` is unchanged."""
    if path.exists() and not path.is_file() and not path.is_dir():
        # Devices and pipes, such as -o /dev/null, are written directly: a rename would replace them.
        path.write_bytes(content)
        return
    sweep(path.parent, f".{glob.escape(path.name)}.*{TEMPORARY}")
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=TEMPORARY, dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def temporary_folder() -> Path:
    """Create a folder in the folder of the system for temporary files. The caller removes it."""
    sweep(Path(tempfile.gettempdir()), f"{PREFIX}*")
    return Path(tempfile.mkdtemp(prefix=PREFIX))


def sweep(folder: Path, pattern: str) -> None:
    """Remove files and folders that have a temporary name, belong to this user, and are old."""
    for path in folder.glob(pattern):
        with suppress(OSError):
            found = path.lstat()
            # Folders for temporary files belong to one user on systems without the number of a user.
            is_own = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
            if is_own and time.time() - found.st_mtime > SWEEP_SECONDS:
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _umask() -> int:
    """Return the umask of the process. `mkstemp` creates private files, but results should be shared."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _sync_folder(folder: Path) -> None:
    """Make a rename survive a power failure, if the file system can sync folders."""
    if os.name == "nt":
        return  # folders cannot be opened
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        return
    finally:
        os.close(descriptor)
