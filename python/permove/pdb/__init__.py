"""Pattern databases: their files (`files`), and opening or building them on demand (`build`)."""

from permove.pdb.build import (
    NoSuchLevelError,
    Place,
    Stopped,
    build,
    check,
    check_sensor,
    depths_for,
    gather,
    is_of,
    keep,
    key_of,
    needs,
    open_,
    title,
    write,
)
from permove.pdb.files import Key

__all__ = [
    "Key",
    "NoSuchLevelError",
    "Place",
    "Stopped",
    "build",
    "check",
    "check_sensor",
    "depths_for",
    "gather",
    "is_of",
    "keep",
    "key_of",
    "needs",
    "open_",
    "title",
    "write",
]
