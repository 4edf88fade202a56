"""How commands end when they are interrupted."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from permove.common.terminal import console
from permove.pdb.build import Stopped
from permove.runs.run import Interrupted


@contextmanager
def report_interrupt() -> Iterator[None]:
    """Report what an interrupted command has kept, and exit with code 130."""
    try:
        yield
    except (Interrupted, Stopped) as stopped:
        console(stderr=True).print(f"permove: {stopped}", soft_wrap=True)
        raise typer.Exit(130) from None
