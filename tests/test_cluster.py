"""Runs on a dask cluster: the records of any other run, whatever becomes of workers and schedulers."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from distributed import Client, LocalCluster

import permove as pm
from permove.common.errors import InputError
from permove.data.folder import VARIABLE
from permove.engines import cluster, split
from permove.engines.interface import Work
from permove.records.columns import CLOCK
from permove.runs import store
from support import PATIENCE, permove, wait_for

MAPS = ["rooms-128", "outdoor-woods-192"]
AGENTS = ["lrta(d={1,3})", "rtaa(k=10, ties=random)"]


def walk(out: Path, agents: list[str] = AGENTS, **options: object) -> pm.Run:
    return pm.run("embedded", agents, **({"maps": MAPS, "limit": 40, "out": out} | options))


def same(one: pm.Run, other: pm.Run) -> None:
    assert one.records.drop(CLOCK).equals(other.records.drop(CLOCK))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    return walk(tmp_path_factory.mktemp("local") / "run")


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """A cluster of two processes."""
    with processes(2) as made:
        yield made.scheduler_address


@contextlib.contextmanager
def processes(count: int, **options: object) -> Iterator[LocalCluster]:
    settings = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "memory_limit": None, "silence_logs": 50}
    with LocalCluster(n_workers=count, **(settings | options)) as made:
        yield made


@pytest.fixture
def threads() -> Iterator[str]:
    """A cluster in this process, so that tests can reach into its workers."""
    with processes(1, processes=False, protocol="tcp") as made:
        yield made.scheduler_address


def test_cluster_makes_the_records_of_a_local_run(expected: pm.Run, scheduler: str, tmp_path: Path) -> None:
    run = walk(tmp_path / "run", engine="dask", scheduler=scheduler)
    same(run, expected)
    this = run.manifest.starts[0]
    assert this.engine == "dask"
    assert this.workers is not None
    assert len(this.workers) == 2


def test_cluster_runs_convergence_and_databases(scheduler: str, tmp_path: Path) -> None:
    options = {"limit": 6, "trials": "converge", "maps": ["rooms-128"]}
    one = walk(tmp_path / "one", ["rtaa(k=30)", "lrts(d=3)"], **options)
    other = walk(tmp_path / "other", ["rtaa(k=30)", "lrts(d=3)"], engine="dask", scheduler=scheduler, **options)
    same(one, other)
    assert one.trials.drop("time_ns").equals(other.trials.drop("time_ns"))
    with_databases = ["lrta(d=pdb, goal=pdb, l=3)", "pr-lrta(l=2)"]
    same(
        walk(tmp_path / "first", with_databases, limit=8),
        walk(tmp_path / "second", with_databases, limit=8, engine="dask", scheduler=scheduler),
    )


def test_databases_are_sent_to_workers_that_lack_them(tmp_path: Path) -> None:
    agents = ["lrta(d=pdb, goal=pdb, l=3)"]
    one = walk(tmp_path / "one", agents, limit=8)
    with processes(1, env={VARIABLE: str(tmp_path / "elsewhere")}) as made:
        same(one, walk(tmp_path / "other", agents, limit=8, engine="dask", scheduler=made.scheduler_address))
    assert not (tmp_path / "elsewhere").exists()


def test_run_resumes_on_another_engine(expected: pm.Run, scheduler: str, tmp_path: Path) -> None:
    for first, second in (({}, {"engine": "dask", "scheduler": scheduler}), ({"engine": "dask"}, {})):
        folder = tmp_path / str(len(first))
        walk(folder, AGENTS[:1], **({"scheduler": scheduler} if first else {}), **first)
        same(walk(folder, **second), expected)
        assert len(pm.Run(folder).manifest.starts) == 2


STOPPED = """
import os, sys
import permove as pm
from permove.engines import cluster

# Every task is small and every answer gets its own file, so the second file comes long before the end.
cluster.FLUSH_SECONDS, cluster.MAX_RECORDS = 0.0, 4
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
def test_stopped_run_keeps_its_records_and_resumes(expected: pm.Run, tmp_path: Path, sign: signal.Signals) -> None:
    code = STOPPED.format(agents=AGENTS, maps=MAPS, sign=int(sign))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == (-signal.SIGKILL if sign is signal.SIGKILL else 1), done.stderr
    assert ("Interrupted: interrupted: " in done.stderr) == (sign is signal.SIGINT)
    assert 0 < pm.Run(tmp_path / "run").records.height < expected.records.height
    same(walk(tmp_path / "run"), expected)


def test_killed_workers_cost_no_record(tmp_path: Path) -> None:
    agents = ["lrta(d=1..4)", "klrta(k={10,100})", "rtaa(k={10,100})"]
    options = {"maps": ["rooms-256", "caves-256"], "limit": 300}
    one = walk(tmp_path / "one", agents, **options)
    done, killed = threading.Event(), 0
    with processes(3) as made:

        def kill() -> None:
            nonlocal killed
            while not done.wait(1.0):
                pids = [nanny.pid for nanny in list(made.workers.values()) if nanny.pid]
                # Again as soon as the last one is replaced, however long that takes here.
                if pids and len(made.scheduler.workers) == 3:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pids[killed % len(pids)], signal.SIGKILL)
                        killed += 1

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            other = walk(tmp_path / "other", agents, engine="dask", scheduler=made.scheduler_address, **options)
        finally:
            done.set()
            killer.join()
    assert killed > 1
    assert other.records["status"].unique().to_list() == ["solved"]
    same(one, other)


def test_task_that_keeps_failing_is_recorded_and_the_run_continues(
    expected: pm.Run, threads: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really, tried, bad = split.run, [], expected.records["problem"][0]

    def fail(work: Work, *rest: object) -> object:
        if bad in work.problems["ordinal"] and any(agent.spec.startswith("rtaa") for agent in work.agents):
            tried.append(len(work.left))
            raise OSError(28, "No space left on device")
        return really(work, *rest)

    monkeypatch.setattr(split, "run", fail)
    run = walk(tmp_path / "run", engine="dask", scheduler=threads)
    failed = run.records.filter(pl.col("status") == "failed")
    assert set(failed["problem"]) == {bad}
    assert failed["agent"].str.starts_with("rtaa").all()
    assert failed["reason"][0].startswith("failed 3 times on the cluster: OSError: [Errno 28] No space left on device")
    assert tried.count(1) >= 3
    left = run.records.filter(pl.col("status") != "failed")
    same_left = expected.records.join(left, on=["agent", "set", "map", "problem"], how="semi")
    assert left.drop(CLOCK).equals(same_left.drop(CLOCK))
    assert run.records.height == expected.records.height


def test_workers_with_another_version_of_the_records_get_no_tasks(
    threads: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = cluster.worker_facts(["astar"])
    monkeypatch.setattr(cluster, "worker_facts", lambda specs: answer._replace(records=0, specs=list(specs)))
    with pytest.raises(InputError, match=r"has no usable worker \(it makes version 0 of the records, not"):
        walk(tmp_path / "run", engine="dask", scheduler=threads)
    assert "gets no tasks: it makes version 0 of the records" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "run").exists()


def test_worker_that_changes_its_version_during_the_run_is_detected(
    threads: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "RECONNECT_SECONDS", 1)
    run_task = cluster.run_task
    monkeypatch.setattr(
        cluster, "run_task", lambda maps, sent, payload: run_task(maps, sent, payload._replace(records=0))
    )
    with pytest.raises(InputError, match=r"no usable worker for 1 seconds; .* the same command"):
        walk(tmp_path / "run", engine="dask", scheduler=threads)


def test_timed_runs_mix_machines_only_on_request(threads: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = cluster.worker_facts(["astar"])
    kinds = ["Abacus 1", "Abacus 2"]
    with Client(threads, set_as_default=False) as client:
        workers = cluster.Workers(client, ["astar"], same_processor=True)
        told = [
            workers._objection(answer._replace(specs=["astar"], machine={**answer.machine, "cpu": kind}))
            for kind in kinds
        ]
    assert told[0] is None
    assert told[1] is not None
    assert "its processor is Abacus 2, not Abacus 1, so its times are not comparable; use --any-machine" in told[1]
    walk(tmp_path / "run", ["astar"], limit=4, timed=True, engine="dask", scheduler=threads)
    elsewhere = {**answer.machine, "cpu": "Abacus 3"}
    monkeypatch.setattr(cluster, "machine", lambda: elsewhere)
    with pytest.raises(InputError, match=r"were measured on .*, not on Abacus 3; .*--any-machine"):
        walk(tmp_path / "run", ["astar"], limit=8, timed=True, engine="dask", scheduler=threads)
    run = walk(tmp_path / "run", ["astar"], limit=8, timed=True, engine="dask", scheduler=threads, any_machine=True)
    assert set(run.records["cpu"]) == {pm.Run(tmp_path / "run").manifest.starts[0].machine["cpu"], "Abacus 3"}


SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
WORKER = "from distributed.cli.dask_worker import main; main()"


def start(code: str, *words: str) -> subprocess.Popen[bytes]:
    null = subprocess.DEVNULL
    return subprocess.Popen([sys.executable, "-c", code, *words], stdout=null, stderr=null)


def test_run_continues_when_the_scheduler_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # However long it takes to come back here.
    monkeypatch.setattr(cluster, "RECONNECT_SECONDS", PATIENCE)
    clients: list[Client] = []
    monkeypatch.setattr(cluster, "Client", lambda *rest, **names: clients.append(Client(*rest, **names)) or clients[-1])
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"

    def begin() -> list[subprocess.Popen[bytes]]:
        scheduler = start(SCHEDULER, "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        return [scheduler, start(WORKER, address, "--nthreads", "1", "--no-dashboard")]

    running = begin()
    agents, options = [*AGENTS, "lrta(d=5)", "klrta(k=100)"], {"limit": 200}
    one = walk(tmp_path / "one", agents, **options)
    # The run waits after its first chunk until the scheduler is gone, so that it cannot finish before.
    written, gone, write = threading.Event(), threading.Event(), store.Writer.write

    def write_and_wait(writer: store.Writer, *tables: Any) -> None:
        write(writer, *tables)
        written.set()
        gone.wait(PATIENCE)

    monkeypatch.setattr(store.Writer, "write", write_and_wait)
    monkeypatch.setattr(cluster, "FLUSH_SECONDS", 0.0)
    found: list[pm.Run | BaseException] = []

    def go() -> None:
        try:
            found.append(walk(tmp_path / "other", agents, engine="dask", scheduler=address, **options))
        except BaseException as error:
            found.append(error)

    runner = threading.Thread(target=go)
    try:
        # A run does not wait long for a cluster that has never been there.
        with Client(address, timeout=PATIENCE, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=PATIENCE)
        runner.start()
        wait_for(lambda: found or written.is_set())
        assert not found
        running[0].kill()
        wait_for(lambda: clients[-1].status != "running")
        gone.set()
        running += begin()
        runner.join(timeout=PATIENCE)
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait(timeout=PATIENCE)
    assert isinstance(found[0], pm.Run), found[0]
    same(one, found[0])


def test_engine_without_dask_names_the_package_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['distributed'] = None; from permove.cli import main; sys.exit(main(sys.argv[1:]))"
    words = ["run", "embedded", "--map", "rooms-128", "--limit", "1", "-a", "astar"]
    run = partial(subprocess.run, cwd=tmp_path, capture_output=True, text=True, check=False)
    done = run([sys.executable, "-c", code, *words, "--engine", "dask"])
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("`pip install distributed` installs it")
    without = run([sys.executable, "-c", code, *words])
    assert without.returncode == 0


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--engine", "moon"), "unknown engine 'moon'; choose local or dask"),
        (("--scheduler", "tcp://127.0.0.1:1"), "add --engine dask, or omit --scheduler"),
        (("--engine", "dask", "--scheduler", "nonsense://x"), "no dask scheduler answers at nonsense://x"),
    ],
)
def test_unavailable_engine_is_rejected(words: tuple[str, ...], why: str, tmp_path: Path) -> None:
    done = permove("run", "embedded", "--limit", "1", "-a", "astar", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert why in done.stderr
    assert not list(tmp_path.iterdir())
