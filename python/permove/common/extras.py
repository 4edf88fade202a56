"""Optional dependencies: the base installation is small, and a command that needs an extra names it."""

from importlib.util import find_spec

from permove.common.errors import InputError

EXTRAS = {
    "plots": ("altair", "vl_convert"),
    "maps": ("PIL", "pytiled_parser", "yaml"),
    "training": ("sklearn", "threadpoolctl"),
    "dask": ("distributed",),
}
"""The modules that each extra installs."""


def is_installed(extra: str) -> bool:
    """Return whether all modules of an extra are installed."""
    return all(find_spec(module) is not None for module in EXTRAS[extra])


def require(extra: str, what: str) -> None:
    """Raise an error that names an extra if it is not installed; call it before the work that needs it.

    `what` is the subject of the error's sentence, for example "drawing a plot".
    """
    missing = [module for module in EXTRAS[extra] if find_spec(module) is None]
    if missing:
        raise InputError(
            f"{what} needs {' and '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not installed; "
            f"`pip install 'permove[{extra}]'` installs the extra {extra}"
        )
