"""Values of declared types from JSON, whose content may come from a damaged or foreign file."""

import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

_T = TypeVar("_T")


def typed(kind: type[_T], content: object) -> _T:
    """Return the dataclass `kind` for a JSON object, or raise a `ValueError` that names the entry with a wrong type.

    Entries without a field are ignored. Fields may be dataclasses, typed dictionaries, lists, fixed tuples,
    dictionaries, unions, numbers, strings and `Any`.
    """
    value: _T = _value(kind, content, kind.__name__)
    return value


def _value(kind: Any, content: Any, name: str) -> Any:
    if kind is Any or (kind is type(None) and content is None):
        return content
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _of_union(arguments, content, name)
    if is_dataclass(kind) and isinstance(content, dict):
        return _object(kind, content)
    if typing.is_typeddict(kind) and isinstance(content, dict):
        hints = _hints(kind)
        return {key: _value(hint, content[key], key) for key, hint in hints.items() if key in content}
    if origin is list and isinstance(content, list):
        return [_value(arguments[0], each, name) for each in content]
    if origin is tuple and isinstance(content, list) and len(content) == len(arguments):
        return tuple(_value(each, item, name) for each, item in zip(arguments, content, strict=True))
    if origin is dict and isinstance(content, dict):
        return {key: _value(arguments[1], item, name) for key, item in content.items()}
    if kind is float and type(content) is int:
        return content
    if kind in (bool, int, float, str) and type(content) is kind:
        return content
    raise ValueError(f"{name} is of the wrong type")


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _of_union(kinds: tuple[Any, ...], content: Any, name: str) -> Any:
    for kind in kinds:
        try:
            return _value(kind, content, name)
        except ValueError:
            continue
    raise ValueError(f"{name} is of the wrong type")


def _object(kind: Any, content: Mapping[str, Any]) -> Any:
    hints = _hints(kind)
    given = {}
    for field in fields(kind):
        if field.name in content:
            given[field.name] = _value(hints[field.name], content[field.name], field.name)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise ValueError(f"{field.name} is missing")
    return kind(**given)
