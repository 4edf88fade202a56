"""What a command says when it was stopped."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from permove.common.terminal import console
from permove.pdb.build import Stopped
from permove.runs.run import Interrupted


@contextmanager
def told() -> Iterator[None]:
    """Say what became of what was being made, and end as interrupted commands do."""
    try:
        yield
    except (Interrupted, Stopped) as stopped:
        console(stderr=True).print(f"permove: {stopped}", soft_wrap=True)
        raise typer.Exit(130) from None
