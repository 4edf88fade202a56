"""Options: fields of frozen dataclasses, read from user input and forwarded by every layer.

A new option is one field. Its check converts and validates the user's value. The command line and the Python interface
read its name and its default here.
"""

from collections.abc import Callable, Mapping
from dataclasses import Field, field, fields
from typing import Any, TypeVar

from permove.common.checks import in_range

_Options = TypeVar("_Options")


def option(default: Any, check: Callable[[Any], Any] | None = None, *, name: str | None = None) -> Any:
    """Declare a field. `check` converts the user's value; `name` is the name of the option if it differs."""
    return field(default=default, metadata={"check": check, "name": name})


def number(default: Any, minimum: int, maximum: int = 2**53) -> Any:
    """Declare a field for a number in a range."""
    return field(default=default, metadata={"range": (minimum, maximum)})


def defaults(kind: type[Any]) -> dict[str, Any]:
    """Return the defaults of a dataclass by the names of its options."""
    return {_name(each): each.default for each in fields(kind)}


def read(kind: type[_Options], given: Mapping[str, Any]) -> _Options:
    """Return a dataclass with its options from `given`, checked. Other options are ignored."""
    return kind(**{each.name: _checked(each, given[_name(each)]) for each in fields(kind) if _name(each) in given})  # type: ignore[arg-type]


def changed(options: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that differ from their defaults."""
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
