"""The progress of a run on the terminal: how much is done, how fast, how long it still takes."""

from types import TracebackType
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from permove.report.formats import console


class Bar:
    """A bar on the error stream, or nothing where `shown` says so; use it in a `with` block.

    Where the total is not known, it only shows what is done and how fast.
    """

    def __init__(self, title: str, total: int | None, *, shown: bool) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            TimeRemainingColumn(),
            console=console(stderr=True),
            transient=True,
            disable=not shown,
        )
        self._task = self._progress.add_task(title, total=total)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._progress.stop()

    def update(self, done: int) -> None:
        """So much is done."""
        self._progress.update(self._task, completed=done)

    def advance(self, more: int) -> None:
        """So much more is done."""
        self._progress.advance(self._task, more)


class _Rate(ProgressColumn):
    """How many problems are walked per second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s", style="progress.data.speed")
