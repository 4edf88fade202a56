"""Whether guides by time repeat: the same timed run several times, with or without other busy processes.

    .venv/bin/python tests/bench/repeatability.py --busy 4 --out busy
    .venv/bin/python tests/bench/repeatability.py --busy 0 --out quiet

Each run is a folder in `--out`; run the same command again to resume. The script prints two shares of the range of
limits from 1 µs to 10 ms, on a logarithmic scale: where all guides name the same agent, and where each two guides name
the same agent or one names an agent that the other calls tied. It also prints how much the limit that each recommended
agent needs differs between the guides. It exits with 1 if a bound of `--help` is missed. The data of the suite must be
imported (`permove data import`).
"""

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl

import permove as pm

AGENTS = (
    "lrta(d={1,2,3,5,8})",
    "rtaa(k={10,33,100,330})",
    "klrta(k={10,33,100})",
    "plrta(q={5,20})",
    "rta(d={1,3})",
    "wastar(gamma=0.5)",
    "astar",
    "pra",
    "lrta(d=1, goal=pdb, l=3)",
)
"""Twenty agents, of which several are real-time and several plan complete paths."""

LOWEST, HIGHEST = 1e3, 1e7
"""The range of limits in nanoseconds."""

STEPS = 4000
"""Number of limits that are compared."""

MIN_AGREEMENT = 0.95


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Keep other processes busy meanwhile."""
    work = "x = bytearray(2**24)\nwhile True:\n    x[::64] = x[::64]"
    others = [subprocess.Popen([sys.executable, "-c", work]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def limits() -> list[float]:
    """Return the compared limits, evenly spaced on a logarithmic scale."""
    return [LOWEST * (HIGHEST / LOWEST) ** (at / (STEPS - 1)) for at in range(STEPS)]


def named(guide: pl.DataFrame, limit: float) -> tuple[str | None, set[str | None]]:
    """Return the agent that a guide recommends under a limit, and all agents that it names there."""
    within = guide.filter((pl.col("min_limit") <= limit) & (pl.col("max_limit").fill_null(2**62) + 1 > limit))
    if within.is_empty():
        return None, {None}
    row = within.row(-1, named=True)
    tied = {each["agent"] for each in row["runners_up"] if each["min_limit"] <= limit}
    return row["agent"], {row["agent"], *tied}


def agree(choices: list[tuple[str | None, set[str | None]]]) -> bool:
    """Return whether each two guides name the same agent, or one names an agent that the other calls tied."""
    return all(one in others or other in ones for (one, ones), (other, others) in combinations(choices, 2))


def compared(guides: list[pl.DataFrame]) -> dict[str, Any]:
    """Compare guides at all limits, and the limits that their agents need."""
    at_limits = [[named(guide, limit) for guide in guides] for limit in limits()]
    ends: dict[str, list[int]] = {}
    for guide in guides:
        for row in guide.drop_nulls("agent").iter_rows(named=True):
            ends.setdefault(row["agent"], []).append(row["min_limit"])
    shared = {agent: own for agent, own in ends.items() if len(own) == len(guides) and max(own) > 1}
    inside = {agent: own for agent, own in shared.items() if max(own) >= LOWEST and min(own) <= HIGHEST}
    spread = {agent: max(own) / min(own) - 1 for agent, own in inside.items()}
    return {
        "same": sum(len({agent for agent, _ in choices}) == 1 for choices in at_limits) / STEPS,
        "agreement": sum(map(agree, at_limits)) / STEPS,
        "ends": {agent: sorted(own) for agent, own in inside.items()},
        "difference": max(spread.values(), default=math.nan),
    }


def main() -> int:
    """Run the measurement, print its result, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="movingai/dao")
    parser.add_argument("--limit", type=int, default=60, help="problems (default: 60)")
    parser.add_argument("--runs", type=int, default=5, help="number of runs (default: 5)")
    parser.add_argument("--busy", type=int, default=4, help="other busy processes (default: 4)")
    parser.add_argument("--max-difference", type=float, help="bound of ends (default: 0.15 if busy, otherwise 0.05)")
    parser.add_argument("--out", type=Path, required=True, help="folder of the runs and of result.json")
    options = parser.parse_args()
    with busy(options.busy):
        runs = [
            pm.run(options.suite, AGENTS, limit=options.limit, timed=True, out=options.out / str(number))
            for number in range(options.runs)
        ]
    found = compared([run.guide(by="time").frame for run in runs])
    found["disturbed"] = [int(run.records["disturbed"].sum()) for run in runs]
    max_difference = options.max_difference or (0.15 if options.busy else 0.05)
    (options.out / "result.json").write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found, indent=2))
    holds = found["agreement"] >= MIN_AGREEMENT and found["difference"] <= max_difference
    print(f"{'holds' if holds else 'MISSED'}: agreement at least {MIN_AGREEMENT:.0%}, ends within {max_difference:.0%}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
