"""The manifest of a run: the suite and settings that all records share, and every start of the run.

Records may be combined only if the version of the records, the suite and the settings are equal; see `differences`.
"""

import json
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from permove import _core
from permove.common.errors import InputError
from permove.common.machine import Machine, governor, load, machine
from permove.common.typed_json import typed
from permove.data.problem_choice import Choice
from permove.engines import LOCAL
from permove.records.settings import Settings

FORMAT = 2
"""The version of the run folder's layout."""

UNSEALED_FORMAT = 1
"""The last version without checksums."""


@dataclass(frozen=True)
class SuiteFacts:
    """The suite of a run."""

    name: str
    fingerprint: str
    rules: dict[str, str]


@dataclass(frozen=True)
class Start:
    """One start of the run: the first, or a later one that resumed it."""

    at: str
    command: list[str]
    revision: str
    agents: list[str]
    jobs: int
    tick_overhead_ns: float | None
    machine: Machine
    versions: dict[str, str]
    choice: dict[str, Any] = field(default_factory=dict)
    """The limits on the problems that were set; see `permove.data.problem_choice.Choice`."""
    engine: str = LOCAL
    workers: list[Machine] | None = None
    """The machines that ran agents, if not only this one."""
    load: float | None = None
    """The load of this machine when a timed run started."""
    governor: str | None = None
    """The rule by which the system sets the frequency of the cores, in timed runs."""

    @classmethod
    def now(
        cls,
        command: Sequence[str],
        agents: Sequence[str],
        choice: Choice,
        *,
        jobs: int,
        timed: bool = False,
        engine: str = LOCAL,
        workers: Sequence[Machine] | None = None,
    ) -> Self:
        """Return a start of this program on this machine at the current time."""
        return cls(
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            command=list(command),
            revision=revision(),
            agents=list(agents),
            jobs=jobs,
            tick_overhead_ns=_core.tick_overhead_ns() if timed else None,
            machine=machine(),
            versions={name: version(name) for name in ("numpy", "polars")},
            choice=choice.facts(),
            engine=engine,
            workers=None if workers is None else list(workers),
            load=load() if timed else None,
            governor=governor() if timed else None,
        )


def _current(start: dict[str, Any]) -> dict[str, Any]:
    """Return a start in the current form. Older manifests have the choice of problems among the other keys."""
    choice = {each.name: start[each.name] for each in fields(Choice) if start.get(each.name) is not None}
    return {"choice": choice, **start}


@dataclass(frozen=True)
class Manifest:
    """The content of `manifest.json`."""

    permove: str
    suite: SuiteFacts
    settings: Settings
    starts: list[Start]
    records: int = _core.RECORDS_VERSION
    """The version of the records; 1 for older manifests, which do not contain it."""
    format: int = FORMAT

    def to_json(self) -> bytes:
        """Return the manifest as a file."""
        return _core.seal_json(json.dumps(asdict(self), indent=2, ensure_ascii=False)).encode()

    @staticmethod
    def is_sealed(path: Path) -> bool:
        """Return whether a manifest has a checksum; those of older versions do not."""
        return _core.is_sealed_json(path.read_bytes()) is not None

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a manifest. The format is checked before anything else is read."""
        try:
            file = path.read_bytes()
            content = json.loads(file)
            found = content["format"]
            if found not in (UNSEALED_FORMAT, FORMAT):
                raise InputError(
                    f"{path} has format {found}, expected {FORMAT}; read it with the version of permove that wrote "
                    "it, or use another folder"
                )
            if _core.is_sealed_json(file) is not (True if found == FORMAT else None):
                raise InputError(
                    f"{path} is damaged: its content does not match its checksum; restore it from a copy, or choose "
                    "another folder with --out"
                )
            starts = [_current(start) for start in content["starts"]]
            manifest = typed(cls, {"records": 1, **content, "starts": starts, "format": FORMAT})
            if not manifest.starts:
                raise ValueError("there is no start")
            return manifest
        except InputError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(f"{path} is not a run's manifest or is damaged; choose another folder") from error

    def continued(self, other: Self) -> Self:
        """Return this manifest with the starts of another one added."""
        return replace(self, starts=[*self.starts, *other.starts])

    def differences(self, other: Self) -> list[str]:
        """Return the differences because of which the records of two manifests cannot be combined."""
        found = []
        if self.records != other.records:
            found.append(f"version {self.records} of the records, not {other.records}")
        if self.suite.fingerprint != other.suite.fingerprint:
            found.append(f"the suite {_suite_name(self.suite)}, not {_suite_name(other.suite)}")
        first, second = asdict(self.settings), asdict(other.settings)
        found += [
            f"{name.replace('_', ' ')} {_word(first[name])}, not {_word(second[name])}"
            for name in first
            if first[name] != second[name]
        ]
        return found

    def differs_in_alpha(self, other: Self) -> bool:
        """Return whether the limit on travel is the only difference from another manifest."""
        mine = self.settings
        equal = replace(other.settings, alpha=mine.alpha, cap_each_trial=mine.cap_each_trial)
        return mine != other.settings and not self.differences(replace(other, settings=equal))

    def again(self, out: Path, flag: str = "") -> str:
        """Return the command, or the call in Python, that makes the run in the folder `out`, perhaps with one flag."""
        words = self.starts[-1].command[1:]
        if words[:1] != ["run"]:
            return f"pm.run(..., out={str(out)!r}{f', {flag}=True' if flag else ''}) with the same settings"
        after_out = [False, *(word == "--out" for word in words)]
        kept = [
            word for word, after in zip(words, after_out, strict=False) if not after and word.split("=")[0] != "--out"
        ]
        return f"`{shlex.join(['permove', *kept, '--out', str(out), *([f'--{flag}'] if flag else [])])}`"

    @property
    def processors(self) -> list[str]:
        """All kinds of processors that computed records, in order."""
        machines = [machine for start in self.starts for machine in start.workers or [start.machine]]
        return list(dict.fromkeys(machine.get("cpu", "unknown") for machine in machines))


@cache
def revision() -> str:
    """Return the revision of the source that this package runs from, or its version if it is installed."""
    package = Path(__file__).parent.parent
    source = package.parent.parent
    if (source / "python" / "permove") != package or not (source / ".git").exists():
        return version("permove")
    command = ["git", "--no-optional-locks", "-C", str(source), "describe", "--always", "--dirty", "--tags"]
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
