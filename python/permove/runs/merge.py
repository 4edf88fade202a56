"""Joining runs that were made apart, on several machines or in several shards, into one.

Records are joined by identity: one that several runs have must be the same in all of them, clocks and machines aside,
and stands in the result once. Traces stay where they are: whoever wants them beside the whole records them there.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from pathlib import Path
from typing import NamedTuple

import polars as pl

from permove.common.errors import InputError
from permove.common.signals import stop_signals
from permove.common.terminal import Bar
from permove.records.columns import CLOCK, IDENTITY, SCHEMA
from permove.runs import store
from permove.runs.manifest import Manifest
from permove.runs.run import Interrupted, Run

SAME = tuple(name for name in SCHEMA if name not in (*CLOCK, "host", "cpu"))
"""The columns in which the records of one identity agree, wherever they were made."""


class Merged(NamedTuple):
    """The run that came of it, how many records were added to it, and how many it had already."""

    run: Run
    added: int
    again: int


def merge(
    runs: Iterable[Path | str],
    out: Path | str,
    *,
    any_machine: bool = False,
    shown: bool = False,
) -> Merged:
    """Join the records of several runs in the folder `out`, which may be a run already, and leave the runs as they are.

    Runs of other suites, settings or versions of the records are rejected. So are timed runs of several kinds of
    machines unless `any_machine` is set, since their times do not compare. The same call resumes an interrupted merge.
    """
    folders, target = [Path(run) for run in runs], Path(out)
    manifest = _together(folders, any_machine=any_machine)
    total = sum(map(store.count_records, folders))
    added = again = 0
    with store.Writer(target, manifest, any_machine=any_machine) as writer:
        there = writer.identities()
        with stop_signals() as stop, Bar(f"merging into {target}", total, shown=shown) as bar:
            for folder in folders:
                for records, trials in store.read_chunks(folder):
                    if stop.asked:
                        raise Interrupted(target, added + again, total)
                    fresh = records.join(there, on=IDENTITY, how="anti", maintain_order="left")
                    if fresh.height < records.height:
                        _check_same(records.join(there, on=IDENTITY, how="semi"), folder, target)
                    if not fresh.is_empty():
                        new = None if trials is None else trials.join(fresh, on=IDENTITY, how="semi")
                        writer.write(fresh, new)
                        there = pl.concat([there, fresh.select(IDENTITY)])
                    added += fresh.height
                    again += records.height - fresh.height
                    bar.advance(records.height)
    return Merged(Run(target), added, again)


def _together(folders: Sequence[Path], *, any_machine: bool) -> Manifest:
    """One manifest for all runs, unless they do not belong together."""
    if not folders:
        raise InputError("there is nothing to merge; name the folders of at least two runs")
    manifests = [store.read_manifest(folder) for folder in folders]
    first = manifests[0]
    for folder, other in zip(folders[1:], manifests[1:], strict=True):
        if differences := first.differences(other):
            raise InputError(
                f"{folders[0]} and {folder} do not belong together: the first was made with "
                f"{', with '.join(differences)}; merge runs of the same suite and settings"
            )
    whole = reduce(Manifest.continued, manifests)
    if first.settings.timed and len(whole.processors) > 1 and not any_machine:
        raise InputError(
            f"these are timed runs of different machines, {' and '.join(whole.processors)}, whose times cannot be "
            "compared; merge those of one kind, or say --any-machine to let them stand together"
        )
    return whole


def _check_same(records: pl.DataFrame, folder: Path, target: Path) -> None:
    """Refuse records that the target has otherwise."""
    ours = store.read_records(target).select(SAME)
    both = records.select(SAME).join(ours, on=IDENTITY, suffix=" there")
    differs = pl.any_horizontal(
        pl.col(name).ne_missing(pl.col(f"{name} there")) for name in SAME if name not in IDENTITY
    )
    for row in both.filter(differs).head(1).iter_rows(named=True):
        what = next(name for name in SAME if name not in IDENTITY and row[name] != row[f"{name} there"])
        raise InputError(
            f"{folder} has another record than {target} of {row['agent']} on {row['set']}/{row['map']}, problem "
            f"{row['problem']}: {what} {row[what]}, not {row[f'{what} there']}; different programs made them, so merge "
            "one or the other"
        )
