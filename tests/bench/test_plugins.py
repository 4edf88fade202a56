"""The speed of plug-ins: compared with built-in agents of the same algorithm, and in moves per second.

All agents run the same problems alternately in one thread: built-in agents through the batch, plug-ins as in a worker,
but without its processes. The processor time of the best round of each counts, since noise only adds time.
"""

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from permove import _core, data, plugins
from permove.agents.specs import parse
from permove.plugins.example import BASELINES, Algorithm, Language, write_example
from permove.records.settings import Settings
from support import seconds

MAX_RATIO = 2.5
MIN_MOVES_PER_SECOND = 50_000
PROBLEMS = 300
ROUNDS = 5


class Problems:
    """The problems of one map, solved by built-in agents and by plug-ins."""

    def __init__(self) -> None:
        selection = data.load("embedded").select(data.Choice(["outdoor-woods-192"], PROBLEMS))
        (number,) = set(selection.rows["grid"].tolist())
        self.grid = selection.grids[number]
        self.rows = selection.rows.copy()
        self.rows["grid"] = 0
        self.numbers = np.arange(len(self.rows), dtype=np.uint32)

    def built_in(self, spec: str) -> int:
        """Run a built-in agent and return the number of its moves."""
        batch = _core.Batch(
            [self.grid],
            self.rows,
            [parse(spec).spec],
            np.zeros(1, np.uint32),
            np.array([0, len(self.rows)], np.uint64),
            self.numbers,
            Settings(),
            jobs=1,
        )
        moves = 0
        while not batch.done:
            if finished := batch.next(10):
                moves += moves_of(finished[0])
        return moves

    def plugin(self, spec: str) -> Callable[[], int]:
        """Return a function that runs a plug-in and returns the number of its moves."""
        agent = parse(spec).spec
        plugin, first = plugins.load(agent)
        runner = _core.PluginRunner(self.grid, plugin, agent, first, Settings())
        return lambda: moves_of(runner.run(self.rows, self.numbers, 1e6)[0])


def moves_of(records: _core.Table) -> int:
    return int(pl.DataFrame(records)["moves"].sum())


def built(language: Language, algorithm: Algorithm, folder: Path) -> str:
    written = write_example("mine", language, algorithm, folder)
    if written.build is not None:
        subprocess.run(shlex.split(written.build), check=True, capture_output=True)
    return written.spec


@pytest.mark.parametrize("algorithm", list(Algorithm))
@pytest.mark.parametrize("language", [Language.RUST, Language.C])
def test_library_takes_at_most_two_and_a_half_times_as_long_as_the_built_in_agent(
    benchmark: BenchmarkFixture,
    tmp_path: Path,
    language: Language,
    algorithm: Algorithm,
    capsys: pytest.CaptureFixture[str],
) -> None:
    problems = Problems()
    run = problems.plugin(built(language, algorithm, tmp_path))
    plugin, built_in = [], []

    def both() -> None:
        plugin.append(seconds(run))
        built_in.append(seconds(lambda: problems.built_in(BASELINES[algorithm])))

    assert run() == problems.built_in(BASELINES[algorithm])
    benchmark.pedantic(both, rounds=ROUNDS)
    ratio = min(plugin) / min(built_in)
    benchmark.extra_info["ratio"] = ratio
    with capsys.disabled():
        print(f"\n{algorithm} in {language} {min(plugin):.3f} s, built in {min(built_in):.3f} s: ratio {ratio:.2f}")
    assert ratio <= MAX_RATIO


def test_lrta_in_python_makes_fifty_thousand_moves_per_second(
    benchmark: BenchmarkFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Problems().plugin(built(Language.PYTHON, Algorithm.LRTA, tmp_path))
    moves, times = run(), []
    benchmark.pedantic(lambda: times.append(seconds(run)), rounds=ROUNDS)
    rate = moves / min(times)
    benchmark.extra_info["moves_per_second"] = rate
    with capsys.disabled():
        print(f"\nLRTA* in Python: {rate:,.0f} moves per second, at least {MIN_MOVES_PER_SECOND:,}")
    assert rate >= MIN_MOVES_PER_SECOND
