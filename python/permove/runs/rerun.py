"""Repeating a run from its manifest, and comparing the records."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from permove import data
from permove.agents.specs import expand_all
from permove.common.errors import InputError
from permove.data.catalogue import Draw
from permove.data.problem_choice import Choice
from permove.records.columns import CLOCK, IDENTITY
from permove.runs.execute import execute
from permove.runs.execution_options import Execution
from permove.runs.run import Run


@dataclass(frozen=True)
class Rerun:
    """A repeated run, and the records that differ from those of the first one."""

    run: Run
    first: Run
    equal: int
    """The number of equal records."""
    differing: pl.DataFrame
    """Agent and problem of each record that differs, in anything but times and machines, or is missing in one run."""


def rerun(
    run: Run | Path | str,
    *,
    out: Path | str | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
    command: Sequence[str] = (),
) -> Rerun:
    """Repeat every start of a run with the agents, problems and settings of its manifest, and compare the records.

    The new run is stored in `out`, by default a folder next to the first one. Relative paths of suites and plug-ins are
    relative to the working folder.

        pm.rerun("first").differences
    """
    first = run if isinstance(run, Run) else Run(run)
    folder = Path(out) if out is not None else first.folder.with_name(f"{first.folder.resolve().name}-again")
    if folder.resolve() == first.folder.resolve():
        raise InputError(f"{folder} is the run itself; choose another folder with --out")
    manifest = first.manifest
    execution = Execution(out=folder, jobs=jobs, any_machine=True, progress=progress, command=command)
    again: Run | None = None
    done: list[object] = []
    for start in manifest.starts:
        if [start.agents, start.choice] in done:
            continue
        done.append([start.agents, start.choice])
        choice = Choice.of_facts(start.choice)
        draw = None if choice.problems is None else Draw(choice.problems, manifest.settings.seed)
        suite = data.open_suite(manifest.suite.name, shown=execution.shown, draw=draw)
        if suite.fingerprint != manifest.suite.fingerprint:
            raise InputError(
                f"the suite {suite.name} is not that of {first.folder}: its maps or problems have changed since then, "
                "or the folder is another one; restore them, or run in the folder of the first run"
            )
        again = execute(suite, expand_all(start.agents), manifest.settings, choice, execution)
    assert again is not None  # a manifest has at least one start
    return _compared(again, first)


def _compared(again: Run, first: Run) -> Rerun:
    one, other = (each.records.drop(CLOCK) for each in (first, again))
    names = [name for name in one.columns if name in other.columns and name not in ("host", "cpu")]
    keys = list(IDENTITY)
    equal = one.select(names).join(other.select(names), on=names, how="semi", nulls_equal=True)
    both = pl.concat([one.select(keys), other.select(keys)]).unique(maintain_order=True)
    differing = both.join(equal.select(keys), on=keys, how="anti", nulls_equal=True, maintain_order="left")
    return Rerun(again, first, equal.height, differing)
