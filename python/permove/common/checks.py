"""Checks of option values."""

from enum import StrEnum
from typing import TypeVar

from permove.common.errors import InputError

_Number = TypeVar("_Number", int, float)
_Choice = TypeVar("_Choice", bound=StrEnum)


def in_range(name: str, value: _Number | None, minimum: int, maximum: int = 2**53) -> _Number | None:
    """Return the value of an option, or raise an error if it is out of range. Floats are exact up to 2**53."""
    if value is not None and not minimum <= value <= maximum:
        raise InputError(f"{name} {value} is out of range; it must be at least {minimum} and at most {maximum}")
    return value


def one_of(kind: type[_Choice], name: str, value: str) -> _Choice:
    """Return the member of an enumeration with a given value, or raise an error that lists all members."""
    try:
        return kind(value)
    except ValueError:
        raise InputError(f"unknown {name} '{value}'; choose one of {', '.join(kind)}") from None
