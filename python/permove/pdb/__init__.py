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
    has_key,
    key_of,
    needs,
    open_,
    open_or_build,
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
    "has_key",
    "key_of",
    "needs",
    "open_",
    "open_or_build",
    "title",
    "write",
]
