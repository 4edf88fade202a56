"""The one exception of the package: something a user gave is wrong, and its message says where and what to do."""

import os

from permove._core import InputError

__all__ = ["InputError", "reason"]


def reason(error: OSError) -> str:
    """Why the system refused something, in its own words."""
    return os.strerror(error.errno) if error.errno else str(error)
