"""The parameters of plug-ins: their types and ranges, read from specs and formatted for canonical specs."""

import inspect
import math
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass
from fractions import Fraction
from typing import Annotated, Any, Final, Literal

from permove.common.errors import InputError

TIES: Final = ("n", "ne", "e", "se", "s", "sw", "w", "nw")
"""The directions of the first successor, clockwise. Every agent has this parameter."""

Value = bool | int | float | str


@dataclass(frozen=True)
class Range:
    """The range of a number, including both ends: `k: Annotated[int, Range(1, 1000)] = 10`."""

    min: float = -math.inf
    max: float = math.inf
    _: KW_ONLY
    # Old names, kept for existing plug-ins.
    least: InitVar[float | None] = None
    most: InitVar[float | None] = None

    def __post_init__(self, least: float | None, most: float | None) -> None:
        """Accept the old names."""
        for name, value in (("min", least), ("max", most)):
            if value is not None:
                object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Parameter:
    """A parameter, with the properties of the parameters of built-in agents."""

    name: str
    about: str
    kind: type[bool] | type[int] | type[float] | type[str]
    fallback: Value
    minimum: float = -math.inf
    maximum: float = math.inf
    words: tuple[str, ...] = ()
    """The allowed strings; if empty, any string is allowed."""
    is_open: bool = False
    """Whether an integer may also be infinite."""

    @property
    def default(self) -> str:
        """The default value, as in specs."""
        return self.text(self.fallback)

    @property
    def range(self) -> str:
        """The range in words."""
        if self.kind is bool:
            return "yes | no"
        if self.kind is str:
            return " | ".join(self.words) or "any word"
        bounds = (self.minimum, self.maximum)
        number = "an integer" if self.kind is int else "a number"
        minimum, maximum = (_number(bound) for bound in bounds)
        match tuple(map(math.isinf, bounds)):
            case (False, False):
                return f"{minimum}..{maximum}" if self.kind is int else f"{minimum} to {maximum}"
            case (False, True) if self.is_open:
                return f"{minimum}.. or inf"
            case (False, True):
                return f"{number}, at least {minimum}"
            case (True, False):
                return f"{number}, at most {maximum}"
        return number

    def read(self, text: str) -> Value:
        """Return the value of a text, or raise a `ValueError` or `KeyError` if it is invalid."""
        if self.kind is bool:
            return {"yes": True, "no": False, "true": True, "false": False}[text.lower()]
        if self.kind is str:
            if self.words and text not in self.words:
                raise ValueError(text)
            return text
        value = int(text) if self.kind is int and not (self.is_open and text == "inf") else _real(text)
        if not self.minimum <= value <= self.maximum:
            raise ValueError(text)
        return value

    def text(self, value: Value) -> str:
        """Format a value as in specs."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        return value if isinstance(value, str) else _number(value)


def _real(text: str) -> float:
    value = float(Fraction(text)) if "/" in text else float(text)
    if math.isnan(value):
        raise ValueError(text)
    return value


def _number(value: float) -> str:
    return str(int(value)) if math.isfinite(value) and value == int(value) else repr(float(value))


def of_library(parameter: tuple[str, str, list[str], bool, float, float, float]) -> Parameter:
    """Return a parameter of an agent in a shared library."""
    name, about, words, is_integer, minimum, maximum, default = parameter
    if words:
        return Parameter(name, about, str, words[int(default)], words=tuple(words))
    fallback = int(default) if is_integer and math.isfinite(default) else default
    is_open = is_integer and math.isinf(maximum)
    return Parameter(name, about, int if is_integer else float, fallback, minimum, maximum, is_open=is_open)


def to_library(parameters: Sequence[Parameter], values: dict[str, Value]) -> list[float]:
    """Return the values for a library: numbers, in the order of its parameters."""
    numbers = []
    for parameter in parameters:
        value = values[parameter.name]
        numbers.append(float(parameter.words.index(value) if isinstance(value, str) else value))
    return numbers


def of_class(cls: Callable[..., object], where: str) -> list[Parameter]:
    """Return the parameters of a class: those of its constructor, with their annotations and defaults."""
    try:
        signature = inspect.signature(cls)
        hints = _hints(cls)
    except (TypeError, ValueError, NameError) as error:
        raise InputError(f"{where}: cannot read the parameters ({error}); use plain annotations") from None
    found = []
    for name, parameter in signature.parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is parameter.empty:
            raise InputError(f"{where}: the parameter {name} has no default; add one, for example {name}: int = 10")
        found.append(_of_hint(name, hints.get(name, type(parameter.default)), parameter.default, where))
    return found


def _hints(cls: Callable[..., object]) -> dict[str, Any]:
    """Return the annotations of the parameters of a constructor, including those of the fields of a dataclass."""
    init = getattr(cls, "__init__", cls)
    hints = typing.get_type_hints(init, include_extras=True)
    return {**(typing.get_type_hints(cls, include_extras=True) if inspect.isclass(cls) else {}), **hints}


def _of_hint(name: str, hint: Any, fallback: Any, where: str) -> Parameter:
    extras: tuple[Any, ...] = ()
    if typing.get_origin(hint) is Annotated:
        hint, *rest = typing.get_args(hint)
        extras = tuple(rest)
    about = next((extra for extra in extras if isinstance(extra, str)), "")
    bounds = next((extra for extra in extras if isinstance(extra, Range)), Range())
    words: tuple[str, ...] = ()
    if typing.get_origin(hint) is Literal:
        words = typing.get_args(hint)
        if not all(isinstance(word, str) for word in words):
            raise InputError(f"{where}: the parameter {name} has choices that are not strings; use Literal['a', 'b']")
        hint = str
    if hint not in (bool, int, float, str) or isinstance(hint, types.UnionType):
        raise InputError(
            f"{where}: the parameter {name} has the unsupported type {hint}; use int, float, bool, str or Literal"
        )
    parameter = Parameter(name, about, hint, fallback, bounds.min, bounds.max, words)
    try:
        return Parameter(name, about, hint, parameter.read(parameter.default), bounds.min, bounds.max, words)
    except (ValueError, KeyError, TypeError):
        raise InputError(
            f"{where}: the default {fallback!r} of the parameter {name} is not {parameter.range}; fix one of them"
        ) from None
