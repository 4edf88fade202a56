"""Atomic writing of files: write to a temporary file in the same folder, sync it, rename it."""

import os
import tempfile
from pathlib import Path


def write_atomic(path: Path, content: bytes) -> None:
    """Write `content` to `path`. On any failure, the previous content of `path` is unchanged."""
    if path.exists() and not path.is_file() and not path.is_dir():
        # Devices and pipes, such as -o /dev/null, are written directly: a rename would replace them.
        path.write_bytes(content)
        return
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
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
