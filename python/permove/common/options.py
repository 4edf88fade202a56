"""Options: fields of frozen dataclasses that are read from what a user gives and forwarded by every layer.

A new option is one field. Its check converts and validates the user's value; the command line and Python find its name
and its default here.
"""

from collections.abc import Callable, Mapping
from dataclasses import Field, field, fields
from typing import Any, TypeVar

from permove.common.checks import in_range

_Options = TypeVar("_Options")


def option(default: Any, check: Callable[[Any], Any] | None = None, *, name: str | None = None) -> Any:
    """Declare a field; `check` converts a value that a user gives, and `name` is the user's name if it differs."""
    return field(default=default, metadata={"check": check, "name": name})


def number(default: Any, minimum: int, maximum: int = 2**53) -> Any:
    """Declare a field for a number in a range."""
    return field(default=default, metadata={"range": (minimum, maximum)})


def defaults(kind: type[Any]) -> dict[str, Any]:
    """Return the options of a dataclass by the user's names, with their defaults."""
    return {_name(each): each.default for each in fields(kind)}


def read(kind: type[_Options], given: Mapping[str, Any]) -> _Options:
    """Return a dataclass with the options among `given` that belong to it, checked; others are ignored."""
    return kind(**{each.name: _checked(each, given[_name(each)]) for each in fields(kind) if _name(each) in given})  # type: ignore[arg-type]


def changed(options: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that are not at their defaults."""
    values = {each.name: getattr(options, each.name) for each in fields(options)}
    return {each.name: values[each.name] for each in fields(options) if values[each.name] != each.default}


def _name(each: Field[Any]) -> str:
    return str(each.metadata.get("name") or each.name)


def _checked(each: Field[Any], value: Any) -> Any:
    if value is None:
        return each.default
    if limits := each.metadata.get("range"):
        return in_range(_name(each).replace("_", "-"), value, *limits)
    check = each.metadata.get("check")
    return check(value) if check else value
