"""Writing files so that each is whole or absent: a temporary name in the same folder, synced, then renamed."""

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Put `content` into `path`; whatever goes wrong, the path holds either what it held before or all of it."""
    if path.exists() and not path.is_file() and not path.is_dir():
        # A device or a pipe, as in -o /dev/null, is written to: another file must not take its place.
        path.write_bytes(content)
        return
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), 0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _umask() -> int:
    """The process's mask for new files: `mkstemp` makes private ones, and results are meant to be shared."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _sync_folder(folder: Path) -> None:
    """Make a rename last through a power cut, where the file system lets folders be synced."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        return
    finally:
        os.close(descriptor)
