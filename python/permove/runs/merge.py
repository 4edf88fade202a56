"""Joining runs, such as shards or runs from several machines, into one.

Records are joined by identity. A record that several runs contain must be equal in all of them, except for times and
machines, and is stored once. Traces are not copied; record them in the joined run if needed.
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
"""The columns in which all records of one identity agree."""


class Merged(NamedTuple):
    """The joined run, the number of records added to it, and the number that it contained already."""

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
    """Join the records of several runs in the folder `out`, which may contain a run; the runs do not change.

    Runs of other suites, settings or versions of the records are rejected. Timed runs of several kinds of machines
    cannot be compared and are rejected unless `any_machine` is set. The same call resumes an interrupted merge.

        pm.merge(["part-1", "part-2"], "whole").run.report()
    """
    folders, target = [Path(run) for run in runs], Path(out)
    manifest = _together(folders, any_machine=any_machine)
    total = sum(map(store.count_records, folders))
    added = again = 0
    with store.Writer(target, manifest, any_machine=any_machine) as writer:
        existing = writer.identities()
        with stop_signals() as stop, Bar(f"merging into {target}", total, shown=shown) as bar:
            for folder in folders:
                store.note_unverified(folder)
                for records, trials in store.read_chunks(folder):
                    if stop.requested:
                        raise Interrupted(target, added + again, total)
                    fresh = records.join(existing, on=IDENTITY, how="anti", maintain_order="left")
                    if fresh.height < records.height:
                        _check_same(records.join(existing, on=IDENTITY, how="semi"), folder, target)
                    if not fresh.is_empty():
                        new = None if trials is None else trials.join(fresh, on=IDENTITY, how="semi")
                        writer.write(fresh, new)
                        existing = pl.concat([existing, fresh.select(IDENTITY)])
                    added += fresh.height
                    again += records.height - fresh.height
                    bar.advance(records.height)
    return Merged(Run(target), added, again)


def _together(folders: Sequence[Path], *, any_machine: bool) -> Manifest:
    """Return one manifest for all runs, or raise an error if they do not belong together."""
    if not folders:
        raise InputError("no runs to merge; specify the folders of at least two runs")
    manifests = [store.read_manifest(folder) for folder in folders]
    first = manifests[0]
    for folder, other in zip(folders[1:], manifests[1:], strict=True):
        if differences := first.differences(other):
            raise InputError(
                f"{folders[0]} and {folder} cannot be merged: the first was made with "
                f"{', with '.join(differences)}; merge runs of the same suite and settings"
            )
    whole = reduce(Manifest.continued, manifests)
    if first.settings.timed and len(whole.processors) > 1 and not any_machine:
        raise InputError(
            f"these are timed runs of different machines, {' and '.join(whole.processors)}, whose times cannot be "
            "compared; merge runs of one kind, or use --any-machine to combine them"
        )
    return whole


def _check_same(records: pl.DataFrame, folder: Path, target: Path) -> None:
    """Reject records that differ from those of the target."""
    existing = store.read_records(target).select(SAME)
    both = records.select(SAME).join(existing, on=IDENTITY, suffix=" existing")
    differs = pl.any_horizontal(
        pl.col(name).ne_missing(pl.col(f"{name} existing")) for name in SAME if name not in IDENTITY
    )
    for row in both.filter(differs).head(1).iter_rows(named=True):
        what = next(name for name in SAME if name not in IDENTITY and row[name] != row[f"{name} existing"])
        raise InputError(
            f"{folder} and {target} have different records of {row['agent']} on {row['set']}/{row['map']}, problem "
            f"{row['problem']}: {what} {row[what]}, not {row[f'{what} existing']}; different "
            "programs made them, so merge only one of the two"
        )
