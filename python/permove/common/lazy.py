"""Lazy packages (PEP 562): public names are imported when they are first used, so that start-up is fast."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a module's `__getattr__`, given the submodule that defines each public name; submodules load too."""

    def load(name: str) -> Any:
        if name in modules:
            return getattr(import_module(f"{package}.{modules[name]}"), name)
        try:
            return import_module(f"{package}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{package}.{name}":
                raise
            raise AttributeError(f"module {package!r} has no attribute {name!r}") from None

    return load
