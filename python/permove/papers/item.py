"""What can be reproduced: papers, their tables and figures, the options that each of these takes, and where it runs."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from permove.data import Sample, Suite
from permove.engines.choice import LOCAL
from permove.papers.outcome import Outcome
from permove.records.settings import ONCE
from permove.runs.execute import run
from permove.runs.manifest import Start, start
from permove.runs.run import Run


@dataclass(frozen=True)
class Option:
    """A whole number that an item may be told."""

    name: str
    default: int
    least: int
    most: int
    about: str


@dataclass(frozen=True)
class Item:
    """A table, a figure or another result of a paper."""

    name: str
    about: str
    reproduce: Callable[..., Outcome]
    """Takes a `Lab`, and the options by name."""
    options: tuple[Option, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A paper with what of it can be reproduced."""

    key: str
    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Lab:
    """Where an item lets agents walk: in ordinary runs, which go on where they were stopped.

    Items that walk the same problems share a folder, so that none does what another has done.
    """

    out: Path | None = None
    jobs: int | None = None
    progress: bool | None = None
    command: Sequence[str] = ()
    engine: str = LOCAL
    scheduler: str | None = None

    @property
    def shown(self) -> bool:
        """Whether bars are shown."""
        return sys.stderr.isatty() if self.progress is None else self.progress

    def run(
        self,
        suite: Suite,
        agents: Sequence[str],
        *,
        sensor: str,
        seed: int,
        trials: str = ONCE,
        timed: bool = False,
        alpha: float | None = None,
        sample: Sample | None = None,
    ) -> Run:
        """Let agents walk the problems of a suite; others may have left records in the run, too."""
        return run(
            suite,
            agents,
            sensor=sensor,
            seed=seed,
            trials=trials,
            timed=timed,
            alpha=alpha,
            sample=sample,
            common=True,
            out=self.out,
            jobs=self.jobs,
            progress=self.progress,
            command=self.command,
            engine=self.engine,
            scheduler=self.scheduler,
        )


def made_by(run: Run) -> dict[str, str]:
    """What made the records of a run: revision and machine, for those who want to do it again."""
    return _told(run.manifest.permove, run.manifest.starts[-1])


def made_here(jobs: int) -> dict[str, str]:
    """The same where nobody walked: this program on this machine, now."""
    return _told(version("permove"), start([], [], limit=None, maps=None, jobs=jobs, tick_overhead_ns=None))


def _told(permove: str, last: Start) -> dict[str, str]:
    this = last.machine
    return {
        "permove": f"{permove}, revision {last.revision}, core {last.core}",
        "processor": f"{this['cpu']}, {last.jobs} threads on {this['cores']} cores",
        "system": f"{this['system']}, Python {this['python']}",
        "date": last.at[:10],
    }
