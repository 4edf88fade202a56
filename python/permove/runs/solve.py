"""Solving one problem on a map file with one agent, and the trace of this trial."""

import base64
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove import _core, pdb, plugins
from permove.agents.specs import AgentSpec, check_bounds, columns, parse
from permove.common.errors import InputError
from permove.common.machine import usable_cores
from permove.common.units import format_duration
from permove.data.map_formats import read_map
from permove.data.suite import ROW
from permove.plugins.classes import spec_of
from permove.records import traces
from permove.records.columns import complete
from permove.records.settings import Settings
from permove.report import picture
from permove.report.formats import html_text, number
from permove.report.table import facts_table


@dataclass(frozen=True)
class Solution:
    """A trial: the map, the record, and the trace move by move.

    Typical use:

        solution = pm.solve("maps/caves-128.map", (3, 4), (100, 90), "astar")
        pathlib.Path("path.png").write_bytes(solution.png())
        solution.trace.cells
    """

    map: _core.Map
    trace: _core.Trace
    record: pl.DataFrame
    facts: traces.Facts

    @property
    def seen(self) -> NDArray[np.bool_] | None:
        """The cells that the agent has seen, or `None` if it knew the map."""
        return traces.seen(self.trace, self.facts.sensor, self.map.letters().shape)

    @property
    def summary(self) -> dict[str, str]:
        """The most important values of the record, as text."""
        record = self.record.row(0, named=True)
        return {
            "agent": f"{record['label']}  {record['agent']}",
            "status": record["status"] + (f": {record['reason']}" if record["reason"] else ""),
            "cost": f"{number(record['cost'])}, the optimum is {number(record['optimal'])}",
            "suboptimality": number(record["suboptimality"]),
            "moves": number(record["moves"]),
            "expanded": f"{number(record['expanded'])} states, {number(record['expanded_per_move'])} per move",
            "worst move": f"{number(record['expanded_max'])} states, at move {number(record['expanded_max_move'])}",
            "time": f"{format_duration(record['time_ns'])}, {format_duration(record['time_per_move_ns'])} per move",
        }

    def png(self) -> bytes:
        """Return a picture of the map with the path and the expanded states."""
        letters = self.map.letters()
        scale = picture.png_scale(letters)
        return picture.png(picture.image(letters, self.trace.cells, self.trace.expansions, scale, seen=self.seen))

    def _repr_html_(self) -> str:
        """Return the picture and the summary for a notebook."""
        data = base64.b64encode(self.png()).decode()
        drawn = f'<img alt="The map with the path" style="max-width: 40rem" src="data:image/png;base64,{data}">'
        return drawn + html_text(facts_table(self.summary))

    def save_trace(self, path: Path | str) -> None:
        """Write the trace to a file, for `permove replay`."""
        traces.write(traces.trace_of(self.trace, self.facts, self.map.letters()), Path(path))


def solve(
    path: Path | str,
    start: tuple[int, int],
    goal: tuple[int, int],
    agent: str | type[Any],
    *,
    terrain: str = "land",
    diagonal: str = "strict",
    cutoff: int | None = None,
    time_limit: str | float | None = None,
    alpha: float | None = None,
    seed: int = 0,
    sensor: str = "all",
    progress: bool | None = None,
) -> Solution:
    """Run an agent from `start` to `goal` on the map in a file. Cells are x and y, counted from the top left.

    A pattern database that the agent needs is built if it does not exist. `progress` shows a progress bar for that, by
    default if the error stream is a terminal. `alpha` limits the travel in multiples of the optimum. Its default
    is 1000, and `math.inf` means no limit.

        solution = pm.solve("maps/caves-128.map", (3, 4), (100, 90), "rtaa(k=10)")
        solution.record["suboptimality"]
        solution.save_trace("trial.npz")
    """
    settings = Settings.of(locals() | {"timed": True})
    path = Path(path)
    spec = parse(spec_of(agent))
    pdb.check_sensor([spec.spec], settings.sensor)
    check_bounds([spec], settings.alpha)
    drawn = read_map(path)
    grid = drawn.grid(terrain, diagonal)
    for name, cell in (("start", start), ("goal", goal)):
        _check_cell(path, grid, name, cell)
    if start == goal:
        raise InputError(f"{path}: start and goal are the same cell {_text(start)}; choose two different cells")
    cells = np.array([[*start, *goal]], np.uint32)
    cardinal, across = grid.optimal(cells, 1)[0].tolist()
    if cardinal < 0:
        raise InputError(
            f"{path}: there is no path from {_text(start)} to {_text(goal)}; choose cells that are connected"
        )
    shown = sys.stderr.isatty() if progress is None else progress
    place = pdb.Place(str(path), grid, [spec.spec])
    opened = pdb.gather([place], jobs=usable_cores(), shown=shown)
    problem = np.array([(0, *start, *goal, cardinal, across, 0)], ROW)[0]
    try:
        trace = trace_of(grid, problem, spec, settings, opened)
    except _core.IncompatibleAgentError as error:
        raise InputError(f"{path}: {error}") from None
    optimal = cardinal + across * np.sqrt(2)
    problems = pl.DataFrame({"set": [""], "map": [path.stem], "problem": [0], "bucket": [0], "optimal": [optimal]})
    record = complete(pl.DataFrame(trace.record), columns([spec]), problems, settings)
    facts = traces.facts_of(grid, goal, settings.sensor, record)
    return Solution(drawn, trace, record, facts)


def trace_of(
    grid: _core.Grid, problem: np.void, agent: AgentSpec, settings: Settings, opened: Sequence[_core.Database]
) -> _core.Trace:
    """Run one trial of an agent in this process; see `_core.solve`."""
    if agent.is_plugin:
        return _trace_of_plugin(agent, grid, problem, settings)
    return _core.solve(grid, problem, agent.spec, settings, databases=opened)


def _trace_of_plugin(spec: AgentSpec, grid: _core.Grid, problem: np.void, settings: Settings) -> _core.Trace:
    """Run one trial of a plug-in in this process. If the plug-in crashes, so does this process."""
    plugin, first = plugins.load(spec.spec)
    runner = _core.PluginRunner(grid, plugin, spec.spec, first, settings)
    with _ended_by_interrupt():
        return runner.trace(problem)


@contextmanager
def _ended_by_interrupt() -> Iterator[None]:
    """Let Ctrl-C end the process at once, since a plug-in that hangs does not return to Python."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def _check_cell(path: Path, grid: _core.Grid, name: str, cell: tuple[int, int]) -> None:
    x, y = cell
    if not (0 <= x < grid.width and 0 <= y < grid.height):
        raise InputError(
            f"{path}: the {name} {_text(cell)} is outside the map; "
            f"x is 0..{grid.width - 1} and y is 0..{grid.height - 1}"
        )
    if not grid.free()[y, x]:
        raise InputError(f"{path}: the {name} {_text(cell)} is an obstacle; choose a free cell")


def _text(cell: tuple[int, int]) -> str:
    return f"{cell[0]},{cell[1]}"
