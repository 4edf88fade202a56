"""Executing a run: the tasks that are not finished yet go through an engine, and their records into the run folder."""

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import polars as pl

from permove import _core, data, pdb
from permove.agents.panels import specs_of
from permove.agents.specs import AgentSpec, check_bounds, expand_all
from permove.common.checks import in_range
from permove.common.errors import InputError
from permove.common.machine import usable_cores
from permove.common.signals import stop_signals
from permove.common.terminal import Bar
from permove.common.units import parse_duration
from permove.engines import tasks
from permove.engines.choice import LOCAL, opened
from permove.engines.work import HANG_SECONDS, Engine, Work
from permove.records.columns import complete, complete_trials
from permove.records.settings import CONVERGE, ONCE, Settings
from permove.runs import recording, store
from permove.runs.manifest import Manifest, SuiteFacts, start
from permove.runs.run import Interrupted, Run

MOST_JOBS = 4096
"""More threads than this are taken for a slip of the pen."""


def run(
    suite: str | data.Suite = "embedded",
    agents: str | Iterable[str] = (),
    *,
    panel: str | Iterable[str] = (),
    cutoff: int | None = None,
    time_limit: str | float | None = None,
    alpha: float | None = None,
    out: Path | str | None = None,
    jobs: int | None = None,
    limit: int | None = None,
    sample: data.Sample | None = None,
    shard: str | None = None,
    seed: int = 0,
    sensor: str = "all",
    timed: bool = False,
    trials: str = ONCE,
    max_trials: int | None = None,
    maps: Sequence[str] | None = None,
    trace: bool = False,
    any_core: bool = False,
    hang_limit: str | float = HANG_SECONDS,
    any_machine: bool = False,
    engine: str = LOCAL,
    scheduler: str | None = None,
    common: bool | str = False,
    progress: bool | None = None,
    command: Sequence[str] = (),
) -> Run:
    """Let agents walk the problems of a suite, each on every one, and keep a record of each.

    `agents` are specs, which may sweep; those of a `panel`, see `permove.panels`, walk beside them. `cutoff` limits the
    states expanded for any one move, `time_limit` its time ("1ms", or seconds), `alpha` the travel in multiples of the
    optimum. With `trials="converge"` each agent walks a problem again and again, with all that it knows, until a trial
    teaches it nothing, or `max_trials` times.

    `limit` draws a sample of that many problems, spread over maps, `maps` takes those on the maps named, and `sample`
    draws from what these leave without regard to maps. `shard`, as in "3/8", walks one part of all these problems; the
    parts make up the whole, and `permove.merge` joins them.

    Records go into the folder `out`, by default one under `runs/` that is named after everything that decides what is
    in it; what is there already is not done again. With `common` that name leaves out agents and samples, so that runs
    of other agents on the same suite add to the same folder, all of them or those that give the same text. A run that
    another build of the core began, or a timed one of another kind of machine, is continued only where `any_core` or
    `any_machine` says that this does not matter. With `trace` the walks are kept move by move, for `permove replay`:
    who has no trace yet walks once more. Timed runs use one thread unless `jobs` says otherwise. A plug-in that plans
    one move for longer than `hang_limit` is ended, and the run goes on.

    With `engine="dask"` the walking is done on a dask cluster: that of the `scheduler` at an address, or one of `jobs`
    processes on this machine. A run may be begun on one engine and finished on another. `progress` shows a bar on the
    terminal, by default where there is one.
    """
    own, panels = ([value] if isinstance(value, str) else list(value) for value in (agents, panel))
    specs = expand_all([*own, *specs_of(panels)])
    if not specs:
        raise InputError(
            "a run needs an agent; name at least one, as in -a 'lrta(d=1..5)' (`permove agents` lists them), or a "
            "panel, as in --panel real-time (`permove panels`)"
        )
    settings = Settings.checked(
        cutoff=cutoff,
        time_limit=time_limit,
        alpha=alpha,
        sensor=sensor,
        seed=seed,
        timed=timed,
        trials=trials,
        max_trials=max_trials,
    )
    pdb.check_sensor((spec.spec for spec in specs), settings.sensor)
    check_bounds(specs, settings.alpha)
    cores = in_range("jobs", jobs, 1, MOST_JOBS) or usable_cores()
    jobs = 1 if jobs is None and settings.timed else cores
    limit = in_range("limit", limit, 1)
    hang_seconds = parse_duration(hang_limit) / 1e9
    part = None if shard is None else data.Shard.parse(shard)
    shown = sys.stderr.isatty() if progress is None else progress
    # Optima that are not on record yet are computed while the suite loads.
    with Bar(f"loading {suite if isinstance(suite, str) else suite.name}", None, shown=shown) as bar:
        chosen = data.load(suite, bar.advance) if isinstance(suite, str) else suite
        facts = SuiteFacts(chosen.name, chosen.fingerprint, chosen.rules)
        selection = chosen.select(limit=limit, seed=seed, maps=maps, sample=sample, shard=part)
    if trace:
        recording.check(specs, selection.problems.height, settings)
    alike = settings.timed and not any_machine
    with opened(engine, specs, scheduler=scheduler, jobs=jobs, alike=alike) as walker:
        manifest = Manifest(
            permove=version("permove"),
            suite=facts,
            settings=settings,
            starts=[
                start(
                    list(command) or sys.argv,
                    [spec.spec for spec in specs],
                    limit=limit,
                    maps=None if maps is None else list(maps),
                    jobs=jobs,
                    tick_overhead_ns=_core.tick_overhead_ns() if settings.timed else None,
                    sample=None if sample is None else [sample.first, sample.count],
                    shard=None if part is None else str(part),
                    engine=walker.name,
                    workers=None if walker.name == LOCAL else list(walker.machines),
                )
            ],
        )
        named = common_folder(manifest, common) if common else default_folder(manifest)
        folder = named if out is None else Path(out)
        with store.Writer(folder, manifest, any_core=any_core, any_machine=any_machine) as writer:
            _walk(
                writer, folder, manifest, walker, specs, selection, jobs, cores, hang_seconds=hang_seconds, shown=shown
            )
            if trace:
                _trace(folder, manifest, specs, selection, cores, shown=shown)
    return Run(folder)


def default_folder(manifest: Manifest) -> Path:
    """Where a run goes that names no folder: the same command finds the same one, another command another."""
    this = manifest.starts[-1]
    return _folder(manifest, [sorted(this.agents), this.limit, this.maps, *([this.sample] if this.sample else [])])


def common_folder(manifest: Manifest, whose: bool | str = True) -> Path:
    """Where a run goes that others are to add to: decided by what keeps records apart, and by whose it is."""
    return _folder(manifest, [whose] if isinstance(whose, str) else [])


def _folder(manifest: Manifest, further: list[object]) -> Path:
    """A folder under `runs/` that is named after what all records of a run share, and further things."""
    this = manifest.starts[-1]
    decisive = [manifest.permove, this.core, asdict(manifest.suite), asdict(manifest.settings), *further]
    digest = hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()
    # A suite may be named by a path, of which only the letters are fit for a folder's name.
    name = re.sub(r"[^\w@.]+", "-", manifest.suite.name).strip("-.")
    return Path("runs") / f"{name}-{digest[:10]}"


def _walk(
    writer: store.Writer,
    folder: Path,
    manifest: Manifest,
    engine: Engine,
    specs: list[AgentSpec],
    selection: data.Selection,
    jobs: int,
    cores: int,
    *,
    hang_seconds: float,
    shown: bool,
) -> None:
    """Do what is left to do; what has finished is on disk when this ends, however it ends.

    Databases that are missing are built on `cores`, also where a timed run walks on one.
    """
    agents = pl.DataFrame({"agent": [spec.spec for spec in specs], "label": [spec.label for spec in specs]})
    problems = selection.problems
    if problems.is_empty():
        raise InputError(
            f"nothing of the suite {manifest.suite.name} is left by --limit, --map and --shard; ask for more"
        )
    left = tasks.left_to_do(agents, problems, writer.identities())
    if left.is_empty():
        return
    total, settings = agents.height * problems.height, manifest.settings
    before = total - left.height
    try:
        kept = pdb.gather(_places(left, specs, selection), jobs=cores, shown=shown)
    except pdb.NoSuchLevelError as error:
        raise InputError(f"{error}, or choose other maps with --map") from None
    except pdb.Stopped:
        raise Interrupted(folder, before, total) from None
    work = Work(specs, selection.grids, selection.rows, left, settings, kept, jobs, hang_seconds)
    names = problems.select("set", "map", "problem", "bucket", "optimal")
    done = before
    try:
        with (
            stop_signals() as stop,
            Bar(_bar_title(manifest), total, shown=shown) as bar,
            closing(engine.walk(work, stop, lambda finished: bar.update(before + finished))) as pieces,
        ):
            for piece in pieces:
                writer.write(
                    complete(
                        piece.records, agents, names, sensor=settings.sensor, seed=settings.seed, where=piece.machine
                    ),
                    complete_trials(piece.trials, agents, names) if settings.trials == CONVERGE else None,
                )
                done += piece.records.height
    except _core.UnfitError as error:
        sentence, grid = error.args
        name = problems.filter(pl.col("grid") == grid)["map"][0]
        raise InputError(f"{name}: {sentence}, or choose other maps with --map") from None
    if done < total:
        raise Interrupted(folder, done, total)


def _trace(
    folder: Path,
    manifest: Manifest,
    specs: list[AgentSpec],
    selection: data.Selection,
    cores: int,
    *,
    shown: bool,
) -> None:
    """Record the traces that are missing; all records are there."""
    agents = pl.DataFrame({"agent": [spec.spec for spec in specs]})
    left = tasks.left_to_do(agents, selection.problems, recording.settled(folder, store.read_records(folder)))
    if left.is_empty():
        return
    opened = pdb.gather(_places(left, specs, selection), jobs=cores, shown=shown)
    done = recording.record(folder, left, specs, selection, manifest.settings, opened, jobs=cores, shown=shown)
    if done < left.height:
        total = agents.height * selection.problems.height
        raise Interrupted(folder, total - left.height + done, total, "traces")


def _bar_title(manifest: Manifest) -> str:
    """What is walked now: the suite, and of one that is walked in samples or shards which."""
    this, words = manifest.starts[-1], [manifest.suite.name]
    if this.sample is not None:
        first, count = this.sample
        words.append(f"problems drawn {first + 1:,} to {first + count:,}")
    if this.shard is not None:
        words.append(f"shard {this.shard}")
    return ", ".join(words)


def _places(left: pl.DataFrame, specs: list[AgentSpec], selection: data.Selection) -> Iterator[pdb.Place]:
    """The maps with something left to do for agents that need databases."""
    needy = [number for number, spec in enumerate(specs) if pdb.needs(spec.spec)]
    if not needy:
        return
    pairs = left.filter(pl.col("agent_number").is_in(needy)).select("grid", "agent_number").unique().sort(pl.all())
    maps = dict(selection.problems.select("grid", pl.concat_str("set", "map", separator="/")).unique().iter_rows())
    for (grid,), agents in pairs.partition_by("grid", as_dict=True, maintain_order=True).items():
        chosen = [specs[number].spec for number in agents["agent_number"]]
        yield pdb.Place(maps[grid], selection.grids[grid], chosen)
