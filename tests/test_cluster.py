"""Runs on a dask cluster: the same records, even if workers and schedulers fail."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from distributed import Client, LocalCluster

import permove as pm
from permove.data.folder import VARIABLE
from permove.engines import cluster, split
from permove.engines.interface import Work
from permove.records.columns import CLOCK
from permove.runs import store
from support import TIMEOUT, assert_same_records, error_of, rejects, wait_for

MAPS = ["rooms-128", "outdoor-woods-192"]
AGENTS = ["lrta(d={1,3})", "rtaa(k=10, ties=random)"]


def run_local(out: str | Path, agents: list[str] = AGENTS, **options: object) -> pm.Run:
    return pm.run("embedded", agents, **({"maps": MAPS, "limit": 40, "out": out} | options))


def run_on(scheduler: str, out: str, agents: list[str] = AGENTS, **options: object) -> pm.Run:
    return run_local(out, agents, engine="dask", scheduler=scheduler, **options)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    return run_local(tmp_path_factory.mktemp("local") / "run")


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """A cluster with two processes."""
    with processes(2) as made:
        yield made.scheduler_address


@contextlib.contextmanager
def processes(count: int, **options: object) -> Iterator[LocalCluster]:
    settings = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "memory_limit": None, "silence_logs": 50}
    with LocalCluster(n_workers=count, **(settings | options)) as made:
        yield made


@pytest.fixture
def threads() -> Iterator[str]:
    """A cluster in this process, so that tests can patch its workers."""
    with processes(1, processes=False, protocol="tcp") as made:
        yield made.scheduler_address


@pytest.fixture
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Make tasks small and write every result at once, so that the first files come long before the end."""
    monkeypatch.setattr(cluster, "MAX_RECORDS", 4)
    monkeypatch.setattr(cluster, "FLUSH_SECONDS", 0.0)
    return monkeypatch


def test_cluster_makes_the_records_of_a_local_run(expected: pm.Run, scheduler: str) -> None:
    run = run_on(scheduler, "run")
    assert_same_records(run, expected)
    (start,) = run.manifest.starts
    assert start.engine == "dask"
    assert start.workers is not None
    assert len(start.workers) == 2


@pytest.mark.parametrize(
    ("agents", "options"),
    [
        (["rtaa(k=30)", "lrts(d=3)"], {"limit": 6, "trials": "converge", "maps": ["rooms-128"]}),
        (["lrta(d=pdb, goal=pdb, l=3)", "pr-lrta(l=2)"], {"limit": 8}),
    ],
    ids=["convergence", "databases"],
)
def test_cluster_runs_convergence_and_databases(scheduler: str, agents: list[str], options: dict[str, Any]) -> None:
    local = run_local("local", agents, **options)
    assert local.trials.is_empty() == ("trials" not in options)
    assert_same_records(local, run_on(scheduler, "remote", agents, **options))


def test_databases_are_sent_to_workers_that_lack_them(tmp_path: Path) -> None:
    agents = ["lrta(d=pdb, goal=pdb, l=3)"]
    local = run_local("local", agents, limit=8)
    with processes(1, env={VARIABLE: str(tmp_path / "data of the worker")}) as made:
        assert_same_records(local, run_on(made.scheduler_address, "remote", agents, limit=8))
    assert not (tmp_path / "data of the worker").exists()


def test_run_resumes_on_another_engine(expected: pm.Run, scheduler: str) -> None:
    run_local("first", AGENTS[:1])
    run_on(scheduler, "second", AGENTS[:1])
    for run in (run_on(scheduler, "first"), run_local("second")):
        assert_same_records(run, expected)
        assert len(run.manifest.starts) == 2


STOPPED = """
import os, sys
import permove as pm
from permove.engines import cluster

# As in `small_tasks`; an attribute that does not exist is an error.
cluster.FLUSH_SECONDS, cluster.MAX_RECORDS = min(0.0, cluster.FLUSH_SECONDS), min(4, cluster.MAX_RECORDS)
files = 0

def stop(event, arguments):
    global files
    if event == "os.rename" and "records" in str(arguments[1]):
        files += 1
        if files == 2:
            os.kill(os.getpid(), {sign})

sys.addaudithook(stop)
pm.run("embedded", {agents!r}, maps={maps!r}, limit=40, out="run", engine="dask", jobs=2)
"""


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_stopped_run_keeps_its_records_and_resumes(expected: pm.Run, sign: signal.Signals) -> None:
    command = [sys.executable, "-c", STOPPED.format(agents=AGENTS, maps=MAPS, sign=int(sign))]
    result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert result.returncode == (-signal.SIGKILL if sign is signal.SIGKILL else 1), result.stderr
    assert ("Interrupted: interrupted: " in result.stderr) == (sign is signal.SIGINT)
    assert 0 < pm.Run("run").records.height < expected.records.height
    assert_same_records(run_local("run"), expected)


def test_killed_workers_cost_no_record(expected: pm.Run, small_tasks: pytest.MonkeyPatch) -> None:
    write, killed = store.Writer.write, []
    with processes(2) as made:

        def write_and_kill(writer: store.Writer, *tables: Any) -> None:
            write(writer, *tables)
            if len(killed) < 2:
                killed.append(next(nanny.pid for nanny in made.workers.values() if nanny.pid not in (None, *killed)))
                os.kill(killed[-1], signal.SIGKILL)

        small_tasks.setattr(store.Writer, "write", write_and_kill)
        run = run_on(made.scheduler_address, "run")
    assert len(killed) == 2
    assert_same_records(run, expected)


def test_task_that_keeps_failing_is_recorded_and_the_run_continues(
    expected: pm.Run, threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, attempts, bad = split.run, [], expected.records["problem"][0]

    def fail(work: Work, *rest: object) -> object:
        if bad in work.problems["ordinal"] and any(agent.spec.startswith("rtaa") for agent in work.agents):
            attempts.append(len(work.left))
            raise OSError(28, "No space left on device")
        return real(work, *rest)

    monkeypatch.setattr(split, "run", fail)
    run = run_on(threads, "run")
    failed = run.records.filter(pl.col("status") == "failed")
    assert set(failed["problem"]) == {bad}
    assert failed["agent"].str.starts_with("rtaa").all()
    assert failed["reason"][0].startswith("failed 3 times on the cluster: OSError: [Errno 28] No space left on device")
    assert attempts.count(1) >= 3
    others = run.records.filter(pl.col("status") != "failed")
    expected_others = expected.records.join(others, on=["agent", "set", "map", "problem"], how="semi")
    assert others.drop(CLOCK).equals(expected_others.drop(CLOCK))
    assert run.records.height == expected.records.height


def test_workers_with_another_version_of_the_records_get_no_tasks(
    threads: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = cluster.worker_facts(["astar"])
    monkeypatch.setattr(cluster, "worker_facts", lambda specs: facts._replace(records=0, specs=list(specs)))
    with rejects("has no usable worker (it makes version 0 of the records, not"):
        run_on(threads, "run")
    assert "gets no tasks: it makes version 0 of the records" in " ".join(capsys.readouterr().err.split())
    assert not Path("run").exists()


def test_worker_that_changes_its_version_during_the_run_is_detected(
    threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_task = cluster.run_task
    monkeypatch.setattr(cluster, "RECONNECT_SECONDS", 1)
    monkeypatch.setattr(
        cluster, "run_task", lambda maps, sent, payload: run_task(maps, sent, payload._replace(records=0))
    )
    with rejects("no usable worker for 1 seconds; ", " the same command"):
        run_on(threads, "run")


def test_timed_runs_mix_machines_only_on_request(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = cluster.worker_facts(["astar"])
    with Client(threads, set_as_default=False) as client:
        workers = cluster.Workers(client, ["astar"], same_processor=True)
        first, second = (
            workers._objection(facts._replace(specs=["astar"], machine={**facts.machine, "cpu": kind}))
            for kind in ("Abacus 1", "Abacus 2")
        )
    assert first is None
    assert second is not None
    assert "its processor is Abacus 2, not Abacus 1, so its times are not comparable; use --any-machine" in second
    run_on(threads, "run", ["astar"], limit=4, timed=True)
    other_machine = {**facts.machine, "cpu": "Abacus 3"}
    monkeypatch.setattr(cluster, "machine", lambda: other_machine)
    with rejects("were measured on ", ", not on Abacus 3; ", "--any-machine"):
        run_on(threads, "run", ["astar"], limit=8, timed=True)
    run = run_on(threads, "run", ["astar"], limit=8, timed=True, any_machine=True)
    assert set(run.records["cpu"]) == {run.manifest.starts[0].machine["cpu"], "Abacus 3"}


SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
WORKER = "from distributed.cli.dask_worker import main; main()"


def start(code: str, *words: str) -> subprocess.Popen[bytes]:
    null = subprocess.DEVNULL
    return subprocess.Popen([sys.executable, "-c", code, *words], stdout=null, stderr=null)


def test_run_continues_when_the_scheduler_comes_back(expected: pm.Run, small_tasks: pytest.MonkeyPatch) -> None:
    small_tasks.setattr(cluster, "RECONNECT_SECONDS", TIMEOUT)
    clients: list[Client] = []
    small_tasks.setattr(cluster, "Client", lambda *rest, **names: clients.append(Client(*rest, **names)) or clients[-1])
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"

    def begin() -> list[subprocess.Popen[bytes]]:
        scheduler = start(SCHEDULER, "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        return [scheduler, start(WORKER, address, "--nthreads", "1", "--no-dashboard")]

    running = begin()
    # The run waits after its first chunk until the scheduler has ended, so that it cannot finish before.
    written, ended, write = threading.Event(), threading.Event(), store.Writer.write

    def write_and_wait(writer: store.Writer, *tables: Any) -> None:
        write(writer, *tables)
        written.set()
        ended.wait(TIMEOUT)

    small_tasks.setattr(store.Writer, "write", write_and_wait)
    found: list[pm.Run | BaseException] = []

    def run() -> None:
        try:
            found.append(run_on(address, "run"))
        except BaseException as error:
            found.append(error)

    runner = threading.Thread(target=run)
    try:
        # A run waits only briefly for a cluster that never existed.
        with Client(address, timeout=TIMEOUT, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=TIMEOUT)
        runner.start()
        wait_for(lambda: found or written.is_set())
        assert not found
        running[0].kill()
        wait_for(lambda: clients[-1].status != "running")
        ended.set()
        running += begin()
        runner.join(timeout=TIMEOUT)
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait(timeout=TIMEOUT)
    assert isinstance(found[0], pm.Run), found[0]
    assert_same_records(expected, found[0])


WITHOUT_DASK = """
import sys
sys.modules["distributed"] = None
from permove.cli import main
run = ["run", "embedded", "--map", "rooms-128", "--limit", "1", "-a", "astar"]
assert main(run) == 0
sys.exit(main([*run, "--engine", "dask"]))
"""


def test_engine_without_dask_names_the_package_to_install() -> None:
    command = [sys.executable, "-c", WITHOUT_DASK]
    result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert result.returncode == 2, result.stderr
    assert result.stderr.splitlines()[-1].endswith("`pip install 'permove[dask]'` installs the extra dask")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--engine moon", "unknown engine 'moon'; choose local or dask"),
        ("--scheduler tcp://127.0.0.1:1", "add --engine dask, or omit --scheduler"),
        ("--engine dask --scheduler nonsense://x", "no dask scheduler answers at nonsense://x"),
    ],
)
def test_unavailable_engine_is_rejected(options: str, words: str) -> None:
    assert words in error_of(f"run embedded --limit 1 -a astar {options}")
    assert not any(Path().iterdir())
