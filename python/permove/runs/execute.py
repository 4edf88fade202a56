"""Executing a run: an engine computes the missing records, which are stored in the run folder."""

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from permove import _core, data, pdb
from permove.agents.panels import specs_of
from permove.agents.specs import AgentSpec, check_bounds, columns, expand_all, note_unverified_trees
from permove.common.errors import InputError
from permove.common.option_fields import changed, read
from permove.common.signals import stop_signals
from permove.common.terminal import Bar
from permove.data.catalogue import AND, Draw
from permove.data.problem_choice import Choice, Sample
from permove.engines import HANG_SECONDS, LOCAL, MEMORY_BYTES, tasks
from permove.engines.interface import Engine, Work
from permove.engines.registry import opened
from permove.plugins.classes import spec_of
from permove.records.columns import complete, complete_trials
from permove.records.settings import CONVERGE, MAX_REPLICAS, ONCE, REPEATS, Settings
from permove.runs import record_traces, store
from permove.runs.execution_options import Execution
from permove.runs.manifest import Manifest, Start, SuiteFacts
from permove.runs.run import Interrupted, Run
from permove.runs.stalls import RunBar


def run(
    suite: str | data.Suite | Sequence[str] = "embedded",
    agents: str | type[Any] | Iterable[str | type[Any]] = (),
    *,
    panel: str | Iterable[str] = (),
    cutoff: int | None = None,
    time_limit: str | float | None = None,
    alpha: float | None = None,
    sensor: str = "all",
    seed: int = 0,
    timed: bool = False,
    repeats: int = REPEATS,
    trials: str = ONCE,
    max_trials: int | None = None,
    replicas: int = 1,
    problems: int | None = None,
    maps: Sequence[str] | None = None,
    limit: int | None = None,
    sample: Sample | None = None,
    shard: str | None = None,
    out: Path | str | None = None,
    jobs: int | None = None,
    engine: str = LOCAL,
    scheduler: str | None = None,
    hang_limit: str | float = HANG_SECONDS,
    memory_limit: str | float = MEMORY_BYTES,
    any_machine: bool = False,
    trace: bool = False,
    common: bool | str = False,
    progress: bool | None = None,
    command: Sequence[str] = (),
) -> Run:
    """Run agents on the problems of a suite, and store one record for each agent and problem.

    `agents` are specs, which may be sweeps, or classes with a method `plan`, such as `permove new-agent` writes. A
    `panel` adds a named set of baselines; see `permove.agents.panels`. `cutoff` limits the states expanded for any
    single move, `time_limit` its planning time ("1ms", or seconds), and `alpha` the travel over all trials in multiples
    of the optimum. By default, the travel of each trial is limited to 1000 times the optimum; `math.inf` means no
    limit. With `trials="converge"` each agent solves a problem repeatedly and keeps its knowledge, until a trial has no
    learning and no discovery or `max_trials` is reached.

    With `replicas`, each agent solves each problem that many times, with other tie orders: clockwise from another
    direction or, if its ties are random, with the next seed.

    A `timed` run measures each move. It repeats each trial `repeats` times, or less often if that takes seconds, and
    the time of a move is the minimum over the repetitions. An agent exceeds the `time_limit` only if the same move does
    so in every repetition.

    `suite` may be several names, whose problems are joined. `problems` draws that many problems on each map of a map
    file or a folder. `limit` draws a sample of that many problems, spread over maps. `maps` keeps the problems on the
    named maps. `sample` draws from the remaining problems regardless of maps. `shard`, as in "3/8", keeps one part of
    these problems. The parts are disjoint and together complete, and `permove.merge` joins their runs.

    Records are stored in the folder `out`, by default a folder in `runs/` that is named after everything that
    determines its content. Existing records are not computed again. With `common`, the name does not depend on agents
    and samples, so that runs of other agents on the same suite add to the same folder: all runs, or those with the same
    text. A timed run from another kind of machine is resumed only with `any_machine`. With `trace`, the trials are also
    recorded for `permove replay`. Timed runs use one thread unless `jobs` is set. A plug-in that plans one move for
    longer than `hang_limit`, or needs more memory than `memory_limit`, is stopped, and the run continues.

    With `engine="dask"`, agents run on a dask cluster: that of the `scheduler` at an address, or a new one with `jobs`
    processes on this machine. A run can be started on one engine and finished on another. `progress` shows a progress
    bar, by default if the error stream is a terminal.

        run = pm.run("embedded", ["lrta(d=1..5)", "rtaa(k={10,100})"], cutoff=1000, limit=160)
        run.report()
    """
    # The keywords are the fields of these dataclasses; every layer below forwards the dataclasses.
    options = locals()
    own = [agents] if isinstance(agents, str | type) else list(agents)
    panels = [panel] if isinstance(panel, str) else list(panel)
    specs = expand_all([*map(spec_of, own), *specs_of(panels)])
    joined = suite if isinstance(suite, str | data.Suite) else AND.join(suite)
    if problems is not None and isinstance(joined, data.Suite):
        raise InputError(f"{joined.name} has its own problems, so none can be drawn; omit the number of problems")
    return execute(joined, specs, Settings.of(options), read(Choice, options), read(Execution, options))


def execute(
    suite: str | data.Suite, specs: list[AgentSpec], settings: Settings, choice: Choice, execution: Execution
) -> Run:
    """Run agents like `run`, with options that are already checked."""
    if not specs:
        raise InputError(
            "a run needs an agent; add agents, for example -a 'lrta(d=1..5)' (see `permove agents`), or a panel, for "
            "example --panel real-time (see `permove panels`)"
        )
    pdb.check_sensor((spec.spec for spec in specs), settings.sensor)
    check_bounds(specs, settings.alpha)
    note_unverified_trees(specs)
    jobs = 1 if execution.jobs is None and settings.timed else execution.cores
    drawn = choice.problems is not None and isinstance(suite, str)
    draw = Draw(choice.problems or 0, settings.seed) if drawn else None
    chosen = data.open_suite(suite, shown=execution.shown, draw=draw)
    _check_replicas(chosen, settings)
    with Bar(f"optima of {chosen.name}", None, shown=execution.shown and chosen.optima is not None) as bar:
        selection = chosen.select(choice, settings.seed, bar.advance)
    if execution.trace:
        record_traces.check(specs, selection.problems.height, settings)
    same_machine = settings.timed and not execution.any_machine
    with opened(
        execution.engine, specs, scheduler=execution.scheduler, jobs=jobs, same_processor=same_machine
    ) as engine:
        this = Start.now(
            execution.command or sys.argv,
            [spec.spec for spec in specs],
            choice,
            jobs=jobs,
            timed=settings.timed,
            engine=engine.name,
            workers=None if engine.name == LOCAL else engine.machines,
        )
        facts = SuiteFacts(chosen.name, chosen.fingerprint, chosen.rules)
        manifest = Manifest(version("permove"), facts, settings, [this])
        named = common_folder(manifest, execution.common) if execution.common else default_folder(manifest)
        variants = [replace(spec, replica=replica) for replica in range(settings.replicas) for spec in specs]
        job = _Job(execution.out or named, manifest, variants, selection, jobs, execution)
        with store.Writer(job.folder, manifest, any_machine=execution.any_machine) as writer:
            job.solve(engine, writer)
            if execution.trace:
                job.trace()
    return Run(job.folder)


def _check_replicas(suite: data.Suite, settings: Settings) -> None:
    orders = MAX_REPLICAS // 2
    if suite.rules["diagonal"] == "none" and settings.replicas > orders:
        raise InputError(
            f"there are only {orders} orders of ties without diagonal moves, not {settings.replicas}; use --replicas "
            f"{orders} or less"
        )


def default_folder(manifest: Manifest) -> Path:
    """Return the default folder of a run. The same command always has the same folder."""
    this = manifest.starts[-1]
    problems = {name: value for name, value in this.choice.items() if name != "shard"}
    return _folder(manifest, [sorted(this.agents), problems])


def common_folder(manifest: Manifest, group: bool | str = True) -> Path:
    """Return the folder that several runs add to. Runs with different texts as `group` have different folders."""
    return _folder(manifest, [group] if isinstance(group, str) else [])


def _folder(manifest: Manifest, further: list[object]) -> Path:
    """Return a folder in `runs/` with a hash of the settings that all records share, and of `further` values.

    Settings at their defaults do not change the name, so that a new setting does not rename the folders of old runs.
    """
    hashed = [manifest.records, asdict(manifest.suite), changed(manifest.settings), *further]
    digest = hashlib.sha256(json.dumps(hashed, sort_keys=True).encode()).hexdigest()
    # The name of a suite may be a path, which contains characters that a folder name cannot have.
    name = re.sub(r"[^\w@.]+", "-", manifest.suite.name).strip("-.")
    return Path("runs") / f"{name}-{digest[:10]}"


@dataclass(frozen=True)
class _Job:
    """Agents and problems of one run, and the options of their execution. The agents include their replicas."""

    folder: Path
    manifest: Manifest
    specs: list[AgentSpec]
    selection: data.Selection
    jobs: int
    execution: Execution

    def solve(self, engine: Engine, writer: store.Writer) -> None:
        """Compute and store the missing records. If this is interrupted, the finished records are stored.

        Missing databases are built on all cores, even if a timed run uses only one.
        """
        agents = columns(self.specs)
        problems, settings, shown = self.selection.problems, self.manifest.settings, self.execution.shown
        if problems.is_empty():
            raise InputError(
                f"--map, --limit and --shard select no problems of the suite {self.manifest.suite.name}; select more"
            )
        left = tasks.left_to_do(agents, problems, writer.identities())
        if left.is_empty():
            return
        total = agents.height * problems.height
        done = before = total - left.height
        try:
            databases = self._databases(left)
        except pdb.NoSuchLevelError as error:
            raise InputError(f"{error}, or choose other maps with --map") from None
        except pdb.Stopped:
            raise Interrupted(self.folder, before, total) from None
        grids, rows = self.selection.grids, self.selection.rows
        limits = self.execution.hang_seconds, self.execution.memory_limit
        work = Work(self.specs, grids, rows, left, settings, databases, self.jobs, *limits)
        names = problems.select("set", "map", "problem", "bucket", "optimal")
        try:
            with (
                stop_signals() as stop,
                Bar(self._title, total, shown=shown) as bar,
                closing(engine.run(work, stop, RunBar(bar, before, self.specs, problems))) as pieces,
            ):
                for piece in pieces:
                    records = complete(piece.records, agents, names, settings, where=piece.machine)
                    converging = settings.trials == CONVERGE
                    writer.write(records, complete_trials(piece.trials, agents, names) if converging else None)
                    done += piece.records.height
        except _core.IncompatibleAgentError as error:
            name = problems.filter(pl.col("grid") == error.grid)["map"][0]
            raise InputError(f"{name}: {error}, or choose other maps with --map") from None
        if done < total:
            raise Interrupted(self.folder, done, total)

    def trace(self) -> None:
        """Record the missing traces, after all records exist."""
        agents = columns(self.specs)
        settled = record_traces.settled(self.folder, store.read_records(self.folder))
        left = tasks.left_to_do(agents, self.selection.problems, settled)
        if left.is_empty():
            return
        cores, shown = self.execution.cores, self.execution.shown
        databases, settings = self._databases(left), self.manifest.settings
        done = record_traces.record(
            self.folder, left, self.specs, self.selection, settings, databases, jobs=cores, shown=shown
        )
        if done < left.height:
            total = agents.height * self.selection.problems.height
            raise Interrupted(self.folder, total - left.height + done, total, "traces")

    @property
    def _title(self) -> str:
        """The suite, with its sample or shard."""
        choice, words = self.manifest.starts[-1].choice, [self.manifest.suite.name]
        if sample := choice.get("sample"):
            first, count = sample
            words.append(f"problems drawn {first + 1:,} to {first + count:,}")
        if shard := choice.get("shard"):
            words.append(f"shard {shard}")
        return ", ".join(words)

    def _databases(self, left: pl.DataFrame) -> list[_core.Database]:
        return pdb.gather(self._places(left), jobs=self.execution.cores, shown=self.execution.shown)

    def _places(self, left: pl.DataFrame) -> Iterator[pdb.Place]:
        """Yield the maps on which agents that need databases have missing records."""
        specs, selection = self.specs, self.selection
        needy = [number for number, spec in enumerate(specs) if pdb.needs(spec.spec)]
        if not needy:
            return
        pairs = left.filter(pl.col("agent_number").is_in(needy)).select("grid", "agent_number").unique().sort(pl.all())
        maps = dict(selection.problems.select("grid", pl.concat_str("set", "map", separator="/")).unique().iter_rows())
        for (grid,), agents in pairs.partition_by("grid", as_dict=True, maintain_order=True).items():
            chosen = [specs[number].spec for number in agents["agent_number"]]
            yield pdb.Place(maps[grid], selection.grids[grid], chosen)
