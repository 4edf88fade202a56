"""The rich console that prints all output, and the progress bar."""

import os
from collections.abc import Iterable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.text import Text

from permove.common.text import printable_lines


def console(*, stderr: bool = False) -> Console:
    """Return a console for the current streams, which tests and pipes may have replaced."""
    # Rich keeps bold text when NO_COLOR is set. Plain text should not be bold either.
    plain = bool(os.environ.get("NO_COLOR"))
    return _PrintableConsole(
        stderr=stderr, highlight=False, soft_wrap=False, markup=False, color_system=None if plain else "auto"
    )


class _PrintableConsole(Console):
    """A console that prints no control characters of the content, which may come from files and plug-ins."""

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        return super()._render_buffer(
            segment if segment.control else Segment(printable_lines(segment.text), segment.style) for segment in buffer
        )


def note(sentence: str) -> None:
    """Print a note on the error stream."""
    console(stderr=True).print(f"permove: note: {sentence}", soft_wrap=True)


class Bar:
    """A progress bar on stderr, for use in a `with` block. It prints nothing unless `shown`.

    If the total is unknown, the bar shows only the finished units and the rate.
    """

    def __init__(self, title: str, total: int | None, *, shown: bool) -> None:
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            TimeRemainingColumn(),
            console=console(stderr=True),
            transient=True,
            disable=not shown,
        )
        self._title = title
        self._task = self._progress.add_task(title, total=total)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._progress.stop()

    def update(self, done: int, title: str | None = None) -> None:
        """Set the number of finished units, and show another title for the moment."""
        self._progress.update(self._task, completed=done, description=title or self._title)

    def advance(self, more: int) -> None:
        """Add to the number of finished units."""
        self._progress.advance(self._task, more)


class _Rate(ProgressColumn):
    """Finished units per second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s", style="progress.data.speed")
