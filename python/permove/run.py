"""Running agents on a suite: what is not done yet goes through the batch, and its records into the run folder."""

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

import polars as pl

from permove import _core, data, databases, recording, store, tasks, views
from permove.agents import AgentSpec, check_bounds, expand_all, learns
from permove.analysis.belonging import check_together
from permove.analysis.convergence import convergence
from permove.analysis.guide import STATES, Terms
from permove.analysis.tradeoff import tradeoff
from permove.durations import format_duration, parse_duration
from permove.engines import HANG_SECONDS, Engine, Work
from permove.engines.choice import LOCAL, opened
from permove.errors import InputError
from permove.guide import Guide
from permove.machine import usable_cores
from permove.manifest import Manifest, SuiteFacts, start
from permove.pages import run_page
from permove.panels import specs_of
from permove.progress import Bar
from permove.records import complete, complete_trials
from permove.report.convergence import convergence_table
from permove.report.formats import Format, ReportFormat, put, show
from permove.report.table import tradeoff_table
from permove.settings import CONVERGE, MAX_TRIALS, ONCE, Settings, in_range
from permove.signals import stop_signals
from permove.sizes import parse_size

MOST_JOBS = 4096
"""More threads than this are taken for a slip of the pen."""


class Run:
    """A run folder: its manifest and its records."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.manifest = store.read_manifest(self.folder)

    @cached_property
    def records(self) -> pl.DataFrame:
        """One row for every agent on every problem, sorted by identity."""
        return store.read_records(self.folder)

    @cached_property
    def trials(self) -> pl.DataFrame:
        """One row for every trial of a run to convergence, sorted by identity; no row where all was walked once."""
        return store.read_trials(self.folder)

    def trials_of(self, agents: Sequence[str]) -> pl.DataFrame:
        """The trials of some agents alone: those of a large run may be too many to read them all."""
        return store.read_trials(self.folder, agents)

    def tradeoff(self) -> pl.DataFrame:
        """Suboptimality and planning per move, one row per agent."""
        check_together(self.records)
        return tradeoff(self.records, worst_by=self._worst_by)

    def convergence(self) -> pl.DataFrame:
        """The five measures of convergence, one row per agent."""
        check_together(self.records)
        return convergence(self.records, worst_by=self._worst_by)

    def report(
        self, format: ReportFormat | Format | str = ReportFormat.TABLE, output: Path | str | None = None
    ) -> None:
        """Show the trade-off, or of a run to convergence its measures, on the terminal or write it to a file.

        The format `html` is a page for a browser, which needs a file.
        """
        title, wanted = self.title, ReportFormat(format)
        output = None if output is None else Path(output)
        converging = self.manifest.settings.trials == CONVERGE
        frame = self.convergence() if converging else self.tradeoff()
        if wanted is not ReportFormat.HTML:
            table = convergence_table(frame, title) if converging else tradeoff_table(frame, title)
            show(frame, title, Format(wanted), output, table=table)
        elif output is None:
            raise InputError("a page needs a file to be written to; name one, as in -o report.html")
        else:
            put(run_page(title, self.manifest, self.records, frame), output)

    def guide(
        self,
        *,
        by: str = STATES,
        quantile: str = "worst",
        max_memory: str | int | None = None,
        max_build: str | float | None = None,
        known_map: bool = True,
        per_set: bool = False,
        seed: int = 0,
    ) -> Guide:
        """Which agent is best under which limit on planning per move, by `states` expanded or by `time`.

        `max_memory` is a number of bytes or text as in "10MB", `max_build` one of seconds or text as in "2s"; the rest
        is what `permove.analysis.guide.Terms` says. The guide has a `frame` of intervals, the `candidates`, `explain`
        for one limit, and `show`.
        """
        settings = self.manifest.settings
        terms = Terms(
            by=by,
            quantile=quantile,
            max_memory=None if max_memory is None else parse_size(max_memory),
            max_build_ns=None if max_build is None else parse_duration(max_build),
            known_map=known_map,
            per_set=per_set,
            cutoff=settings.cutoff if by == STATES else settings.time_limit_ns,
            seed=seed,
        )
        return Guide(self.title, terms, self.records)

    def view(self, name: str, *, x: str | None = None, y: str | None = None, seed: int = 0) -> views.Seen:
        """One of `permove.views`, as `tradeoff` or `scaling`: its `frame`, and `show`.

        `x` and `y` are measures by the names of their columns, by default those that the run is about.
        """
        return views.find(name).see(self, views.Axes(x, y, seed))

    @property
    def never_learning(self) -> list[str]:
        """The agents of a run to convergence that neither learn nor discover anything, by their names in the catalogue.

        They walk one trial.
        """
        settings = self.manifest.settings
        if settings.trials != CONVERGE or settings.sensor != "all":
            return []
        specs = (spec for start in self.manifest.starts for spec in start.agents)
        return list(dict.fromkeys(spec.partition("(")[0] for spec in specs if not learns(spec)))

    @property
    def _worst_by(self) -> str:
        settings = self.manifest.settings
        by_time = settings.cutoff is None and settings.time_limit_ns is not None
        return "time_max_ns" if by_time else "expanded_max"

    @property
    def title(self) -> str:
        """The run in a few words: suite and limits."""
        settings = self.manifest.settings
        words = [self.manifest.suite.name]
        if settings.cutoff is not None:
            words.append(f"cutoff {settings.cutoff:,} states per move")
        if settings.time_limit_ns is not None:
            words.append(f"time limit {format_duration(settings.time_limit_ns)} per move")
        if settings.alpha is not None:
            words.append(f"travel up to {settings.alpha:,g} times the optimum")
        if settings.sensor != "all":
            words.append(f"sensor {settings.sensor}")
        if settings.trials == CONVERGE:
            cap = "" if settings.max_trials == MAX_TRIALS else f" of at most {settings.max_trials:,} trials"
            words.append(f"convergence{cap}")
        return ", ".join(words)

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r}): {self.title}"


class Interrupted(KeyboardInterrupt):
    """The run was stopped; what was done is kept."""

    def __init__(self, folder: Path, done: int, total: int, what: str = "records") -> None:
        self.folder, self.done, self.total = folder, done, total
        super().__init__(
            f"interrupted: {done:,} of {total:,} {what} are kept in {folder}; the same command goes on from there"
        )


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
    databases.check_sensor((spec.spec for spec in specs), settings.sensor)
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
        kept = databases.gather(_places(left, specs, selection), jobs=cores, shown=shown)
    except databases.NoSuchLevelError as error:
        raise InputError(f"{error}, or choose other maps with --map") from None
    except databases.Stopped:
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
    opened = databases.gather(_places(left, specs, selection), jobs=cores, shown=shown)
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


def _places(left: pl.DataFrame, specs: list[AgentSpec], selection: data.Selection) -> Iterator[databases.Place]:
    """The maps with something left to do for agents that need databases."""
    needy = [number for number, spec in enumerate(specs) if databases.needs(spec.spec)]
    if not needy:
        return
    pairs = left.filter(pl.col("agent_number").is_in(needy)).select("grid", "agent_number").unique().sort(pl.all())
    maps = dict(selection.problems.select("grid", pl.concat_str("set", "map", separator="/")).unique().iter_rows())
    for (grid,), agents in pairs.partition_by("grid", as_dict=True, maintain_order=True).items():
        chosen = [specs[number].spec for number in agents["agent_number"]]
        yield databases.Place(maps[grid], selection.grids[grid], chosen)
