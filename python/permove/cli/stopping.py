"""What a command says when it was stopped while it built something."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from permove.databases import Stopped
from permove.report.formats import console


@contextmanager
def told() -> Iterator[None]:
    """Say what became of a database whose building was stopped, and end as interrupted commands do."""
    try:
        yield
    except Stopped as stopped:
        console(stderr=True).print(f"permove: {stopped}", soft_wrap=True)
        raise typer.Exit(130) from None
