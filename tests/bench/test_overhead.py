"""What Python adds to the batch: planning the tasks, naming the records, writing them down.

Both ways take the suite as it is loaded and walk the same problems in turns, none of them for ever. What counts is the
time of all threads on their cores, which others on the machine disturb less than the time on the wall, and the best
round of each, since noise only ever adds.
"""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import permove as pm
from permove import _core, data
from permove.agents.specs import expand_all
from permove.common.machine import usable_cores
from permove.engines import tasks
from permove.records.columns import IDENTITY, SCHEMA
from permove.records.settings import Settings
from support import seconds

AGENTS = ["klrta(k={10,100})", "lrta(d=1..8)", "rta(d=1..3)"]
ROUNDS = 3
PROBLEMS = 80
ALPHA = 10.0
MOST = 1.05


def batch_alone(suite: data.Suite) -> Callable[[], None]:
    """The batch with everything that it takes made beforehand."""
    agents = [agent.spec for agent in expand_all(AGENTS)]
    selection = suite.select(data.Choice(limit=PROBLEMS))
    nothing = pl.DataFrame(schema={name: SCHEMA[name] for name in IDENTITY})
    left = tasks.left_to_do(pl.DataFrame({"agent": agents}), selection.problems, nothing)
    cut = tasks.cut(left, usable_cores())

    def walk() -> None:
        batch = _core.Batch(
            selection.grids,
            selection.rows,
            agents,
            cut.agents,
            cut.offsets,
            cut.problems,
            Settings(alpha=ALPHA),
            jobs=usable_cores(),
        )
        records = 0
        while not batch.done:
            finished = batch.next(0.1)
            records += 0 if finished is None else len(finished[0])
        assert records == cut.total

    return walk


def test_run_from_python_costs_at_most_five_percent_more_than_the_batch(
    benchmark: BenchmarkFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = data.load("embedded")
    alone = batch_alone(suite)
    batches, runs = [], []

    def run() -> pm.Run:
        return pm.run(suite, AGENTS, limit=PROBLEMS, alpha=ALPHA, out=tmp_path / str(len(runs)))

    def both() -> None:
        batches.append(seconds(alone))
        runs.append(seconds(run))

    benchmark.pedantic(both, rounds=ROUNDS)
    ratio = min(runs) / min(batches)
    benchmark.extra_info["ratio"] = ratio
    with capsys.disabled():
        print(f"\nbatch {min(batches):.3f} s, run from Python {min(runs):.3f} s: ratio {ratio:.3f}, at most {MOST}")
    assert pm.Run(tmp_path / "0").records.height == PROBLEMS * len(expand_all(AGENTS))
    assert ratio <= MOST
