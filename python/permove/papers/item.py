"""What can be reproduced: papers, their tables and figures, the options that each of these takes, and where it runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

from permove.agents.specs import expand_all
from permove.data import Choice, Sample, Suite
from permove.papers.outcome import Outcome
from permove.records.settings import Settings
from permove.runs.execute import execute
from permove.runs.manifest import Start
from permove.runs.options import Execution
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
class Lab(Execution):
    """How an item runs agents: in ordinary runs, which resume.

    Items that use the same problems share a folder, so that no record is computed twice.
    """

    def run(self, suite: Suite, agents: Sequence[str], *, sample: Sample | None = None, **settings: Any) -> Run:
        """Run agents on the problems of a suite; the run may contain records of other agents, too."""
        shared = replace(self, common=True)
        return execute(suite, expand_all(agents), Settings.of(settings), Choice(sample=sample), shared)


def made_by(run: Run) -> dict[str, str]:
    """What made the records of a run: revision and machine, for those who want to do it again."""
    return _told(run.manifest.permove, run.manifest.starts[-1])


def made_here(jobs: int) -> dict[str, str]:
    """The same where nobody walked: this program on this machine, now."""
    return _told(version("permove"), Start.now([], [], Choice(), jobs=jobs))


def _told(permove: str, last: Start) -> dict[str, str]:
    this = last.machine
    return {
        "permove": f"{permove}, revision {last.revision}",
        "processor": f"{this['cpu']}, {last.jobs} threads on {this['cores']} cores",
        "system": f"{this['system']}, Python {this['python']}",
        "date": last.at[:10],
    }
