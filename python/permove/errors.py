"""The one exception of the package: something a user gave is wrong, and its message says where and what to do."""

from permove._core import InputError

__all__ = ["InputError"]
