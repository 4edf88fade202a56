"""A run's manifest: what all of its records share, and every time that the run was started or continued.

Records may only stand together where version, suite and settings are the same, for which see `differences`, and where
the same build of the core made them, unless the user says that this does not matter.
"""

import json
import subprocess
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from permove import _core
from permove.common.errors import InputError
from permove.common.machine import Machine, machine
from permove.records.settings import Settings

FORMAT = 1
"""The version of the run folder's layout."""


@dataclass(frozen=True)
class SuiteFacts:
    """Which problems a run is about."""

    name: str
    fingerprint: str
    rules: dict[str, str]


@dataclass(frozen=True)
class Start:
    """One time that the run was started or continued."""

    at: str
    command: list[str]
    revision: str
    core: str
    agents: list[str]
    limit: int | None
    maps: list[str] | None
    jobs: int
    tick_overhead_ns: float | None
    machine: Machine
    versions: dict[str, str]
    sample: list[int] | None = None
    """The first and the count of a `Sample`; manifests that are older than samples say nothing of them."""
    shard: str | None = None
    """Which part of the problems was walked, as in 3/8."""
    engine: str = "local"
    workers: list[Machine] | None = None
    """The machines that walked, where that was not this one alone."""


@dataclass(frozen=True)
class Manifest:
    """The whole of `manifest.json`."""

    permove: str
    suite: SuiteFacts
    settings: Settings
    starts: list[Start]
    format: int = field(default=FORMAT)

    def to_json(self) -> bytes:
        """The manifest as a file."""
        return (json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n").encode()

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a manifest; one of another format is refused before anything else in it is looked at."""
        try:
            content = json.loads(path.read_bytes())
            found = content["format"]
            if found != FORMAT:
                raise InputError(
                    f"{path} has the format {found} of another version of permove, not {FORMAT}; "
                    "read it with that version, or run into another folder"
                )
            return cls._from_dict(content)
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{path} is not a run's manifest or is damaged; give another folder") from error

    @classmethod
    def _from_dict(cls, content: dict[str, Any]) -> Self:
        return cls(
            permove=content["permove"],
            suite=SuiteFacts(**content["suite"]),
            settings=Settings(**content["settings"]),
            starts=[Start(**start) for start in content["starts"]],
            format=content["format"],
        )

    def continued(self, other: Self) -> Self:
        """This manifest with another's start added."""
        return replace(self, starts=[*self.starts, *other.starts])

    def differences(self, other: Self) -> list[str]:
        """What keeps another's records from standing beside these, each in a few words; cores are another matter."""
        found = []
        if self.permove != other.permove:
            found.append(f"permove {self.permove}, not {other.permove}")
        if self.suite.fingerprint != other.suite.fingerprint:
            found.append(f"the suite {_suite_name(self.suite)}, not {_suite_name(other.suite)}")
        ours, theirs = asdict(self.settings), asdict(other.settings)
        found += [
            f"{name.replace('_', ' ')} {_word(ours[name])}, not {_word(theirs[name])}"
            for name in ours
            if ours[name] != theirs[name]
        ]
        return found

    @property
    def cores(self) -> list[str]:
        """Every build of the core that had a part in the records, in order."""
        return list(dict.fromkeys(start.core for start in self.starts))

    @property
    def processors(self) -> list[str]:
        """Every kind of processor that had a part in the records, in order."""
        walked = [machine for start in self.starts for machine in start.workers or [start.machine]]
        return list(dict.fromkeys(machine["cpu"] for machine in walked))


def start(
    command: list[str],
    agents: list[str],
    *,
    limit: int | None,
    maps: list[str] | None,
    jobs: int,
    tick_overhead_ns: float | None,
    sample: list[int] | None = None,
    shard: str | None = None,
    engine: str = "local",
    workers: list[Machine] | None = None,
) -> Start:
    """A start that happens now, with this program on this machine."""
    return Start(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        command=command,
        revision=revision(),
        core=_core.core_hash(),
        agents=agents,
        limit=limit,
        maps=maps,
        jobs=jobs,
        tick_overhead_ns=tick_overhead_ns,
        machine=machine(),
        versions={name: version(name) for name in ("numpy", "polars")},
        sample=sample,
        shard=shard,
        engine=engine,
        workers=workers,
    )


@cache
def revision() -> str:
    """The revision of the source that this package runs from, or its version where it is installed by itself."""
    package = Path(__file__).parent
    source = package.parent.parent
    if (source / "python" / "permove") != package or not (source / ".git").exists():
        return version("permove")
    command = ["git", "-C", str(source), "describe", "--always", "--dirty", "--tags"]
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return version("permove")


def _suite_name(suite: SuiteFacts) -> str:
    return f"{suite.name} ({suite.fingerprint[:12]})"


def _word(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
