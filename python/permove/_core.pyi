"""The compiled core: grids, agents and batches. Users import the package `permove` instead."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CARDINAL",
    "DATABASE_MAGIC",
    "DIAGONAL",
    "HEARTBEAT_BYTES",
    "INFINITY",
    "PROBLEM_COLUMNS",
    "RECORDS_VERSION",
    "AgentInfo",
    "Batch",
    "Collection",
    "Database",
    "DatabaseBuild",
    "DatabaseFacts",
    "DecisionTree",
    "GoalDepths",
    "Grid",
    "Hierarchy",
    "IncompatibleAgentError",
    "InputError",
    "Map",
    "Param",
    "PastCutoff",
    "Plugin",
    "PluginJob",
    "PluginRunner",
    "Scenarios",
    "Table",
    "Trace",
    "World",
    "bucket_bounds",
    "canonical",
    "catalogue",
    "checksum",
    "draw_buckets",
    "draw_problems",
    "feature_names",
    "generate_map",
    "generators",
    "is_sealed_json",
    "library_agents",
    "needs",
    "no_records",
    "seal_json",
    "solve",
    "survey_features",
    "tick_overhead_ns",
]

class _Settings(Protocol):
    """The attributes of `permove.records.settings.Settings`, which affect records."""

    @property
    def sensor(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def timed(self) -> bool: ...
    @property
    def repeats(self) -> int: ...
    @property
    def max_trials(self) -> int | None: ...
    @property
    def cutoff(self) -> int | None: ...
    @property
    def time_limit_ns(self) -> int | None: ...
    @property
    def alpha(self) -> float | None: ...
    @property
    def cap_each_trial(self) -> bool: ...

DATABASE_MAGIC: Final[bytes]
"""The first bytes of every pattern database."""

RECORDS_VERSION: Final[int]
"""The version of the records, which changes when the same agent, problem and settings produce another record."""

class InputError(ValueError):
    """The input of a user is invalid; the message says what is wrong, where, and how to fix it.

    Attributes that are unknown or do not apply are `None`.
    """

    agent: str | None
    """The name of the agent."""
    param: str | None
    """The name of the invalid parameter."""
    file: str | None
    line: int | None

class IncompatibleAgentError(InputError):
    """An agent cannot run on a map."""

    grid: int
    """The number of the map."""

@final
class Map:
    """A map file: a rectangle of letters."""

    @staticmethod
    def parse(text: bytes, source: str) -> Map:
        """Read a MovingAI `.map` file; errors contain `source`."""
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    def letters(self) -> NDArray[np.uint8]:
        """The letters as an array of height × width bytes."""
    def scaled(self, width: int, height: int) -> Map:
        """The map at another size; each cell gets the letter under its centre, or, with cliffs, over its corner."""
    def largest_part(self, terrain: str, diagonal: str) -> Map:
        """The map with walls in place of the free cells outside its largest connected part."""
    def text(self) -> bytes:
        """The content of a map file; `InputError` for a scaled map or a part of one with cliffs."""
    def grid(self, terrain: str, diagonal: str) -> Grid:
        """The map as a search space under a terrain rule and a diagonal rule."""

def generate_map(kind: str, width: int, height: int, seed: int, options: Mapping[str, float]) -> Map:
    """Generate a map; `generators()` lists the kinds and their options."""

def generators() -> list[tuple[str, str, list[tuple[str, float, float, float, str]]]]:
    """Name and description of every kind of map, with its options: name, default, minimum, maximum, description."""

@final
class Grid:
    """A map as a search space: free cells and legal moves."""

    @staticmethod
    def from_array(free: NDArray[np.bool_], diagonal: str, cliffs: NDArray[np.uint8] | None = None) -> Grid: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def diagonal(self) -> str: ...
    @property
    def free_cells(self) -> int: ...
    @property
    def fingerprint(self) -> str: ...
    def free(self) -> NDArray[np.bool_]: ...
    def cliffs(self) -> NDArray[np.uint8] | None:
        """For each cell the cardinal moves that a cliff blocks, as bits 0 (north), 2, 4 and 6, or `None`."""
    def with_diagonal(self, diagonal: str) -> Grid: ...
    def components(self) -> NDArray[np.int32]:
        """The number of each cell's connected component, -1 for obstacles."""
    def distances(self, x: int, y: int) -> NDArray[np.float64]:
        """The cost of a shortest path from the cell (x, y) to each cell, infinite without a path."""
    def optimal(self, problems: NDArray[np.uint32], jobs: int) -> NDArray[np.int64]:
        """Cardinal and diagonal moves of an optimal path for each row start x, start y, goal x, goal y.

        Both are -1 without a path. `jobs` is the number of threads, 0 for one per core.
        """

def survey_features() -> list[str]:
    """The names of the columns of `Hierarchy.survey`."""

@final
class Hierarchy:
    """A grid, which is level 0, and its clique abstractions, up to one state per connected component.

    Methods raise `InputError` for a level above the top.
    """

    def __new__(cls, grid: Grid, abstraction: str = "aligned") -> Hierarchy: ...
    @property
    def top(self) -> int:
        """The highest level; 0 if no cell has a neighbour."""
    @property
    def bytes(self) -> int: ...
    @property
    def build_ns(self) -> int:
        """The build time."""
    def states(self, level: int) -> int:
        """The number of states of a level."""
    def degrees(self, level: int) -> NDArray[np.uint32]:
        """The number of neighbours of each state of a level."""
    def children(self, level: int) -> NDArray[np.uint32]:
        """The number of children of each state of a level above the ground."""
    def regions(self, level: int) -> NDArray[np.int32]:
        """The number of each cell's ancestor on a level, -1 for obstacles."""
    def survey(self, problems: NDArray[np.uint32]) -> tuple[NDArray[np.float32], int, int]:
        """Quick features of problems: a row of `survey_features` for each row start x, start y, goal x, goal y.

        Also the nanoseconds of preparing the map, without its hierarchy, and those of all problems.
        """
    def check(self) -> str | None:
        """A violation of properties 1 to 8 of graph-abstraction-2007; `None` if all hold."""

@final
class DatabaseFacts:
    """The header of a pattern database: its identity, size and build."""

    @property
    def kind(self) -> str:
        """Either `subgoals` or `depths`."""
    @property
    def base(self) -> int:
        """The level on which its agents plan."""
    @property
    def level(self) -> int:
        """The level whose states are its regions."""
    @property
    def abstraction(self) -> str:
        """Either `free` or `aligned`."""
    @property
    def path(self) -> str:
        """The moves that paths to intermediate goals take first: `diagonal` or `cardinal`."""
    @property
    def fingerprint(self) -> str:
        """The fingerprint of the grid."""
    @property
    def states(self) -> int: ...
    @property
    def regions(self) -> int: ...
    @property
    def pairs(self) -> int: ...
    @property
    def computed(self) -> int:
        """The number of computed depths."""
    @property
    def bytes(self) -> int: ...
    @property
    def build_ns(self) -> int: ...
    @property
    def jobs(self) -> int:
        """The number of threads of the build."""
    @property
    def max_depth(self) -> int:
        """The maximum depth."""

@final
class Database:
    """A pattern database, mapped into memory."""

    @staticmethod
    def open(path: str, grid: Grid) -> Database:
        """Open a file and check all its bytes; raise `InputError` if it is not a database of this grid."""
    @staticmethod
    def look(path: str) -> DatabaseFacts:
        """Read the header of a file, and check nothing else except its length."""
    @staticmethod
    def check(path: str) -> DatabaseFacts:
        """Check all bytes of a file, of any map, and return its header."""
    @property
    def facts(self) -> DatabaseFacts: ...
    def depths(self, x: int, y: int) -> NDArray[np.int32]:
        """The uncapped depth of each cell for the goal (x, y); -1 for obstacles."""

@final
class GoalDepths:
    """Depths for the single goal (x, y), as in a database of depths."""

    def __new__(cls, grid: Grid, level: int, abstraction: str, x: int, y: int) -> GoalDepths: ...
    @property
    def total(self) -> int:
        """The number of regions."""
    def regions(self) -> NDArray[np.int32]:
        """The number of each cell's region, -1 for obstacles."""
    def depths(self, first: int, count: int, jobs: int) -> NDArray[np.int32]:
        """The optimal depths in `count` regions starting at `first`, -1 without a path."""

@final
class DatabaseBuild:
    """A pattern database that is being built; its file is renamed when it is complete.

    The constructor raises `InputError` if a level does not exist.
    """

    def __new__(cls, grid: Grid, file: str, parts: tuple[str, int, int, str, str], jobs: int) -> DatabaseBuild: ...
    @property
    def total(self) -> int:
        """The number of work units."""
    @property
    def finished(self) -> int:
        """The number of finished work units."""
    def wait(self, timeout: float) -> bool:
        """Wait up to `timeout` seconds; return whether the build has ended. Raise `OSError` if it failed."""
    def cancel(self) -> None:
        """Stop the build and remove its file."""

def needs(agent: str) -> list[tuple[str, int, int, str, str]]:
    """The pattern databases that an agent needs on each map: kind, base, level, abstraction and path."""

def draw_problems(
    grid: Grid, count: int, min: float, max: float, seed: int
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Different random problems with optimal cost in [min, max): rows of start and goal, and their optimal moves."""

def draw_buckets(grid: Grid, count: int, every: int, seed: int) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Up to `count` problems in each `every`-th of MovingAI's buckets of four cells, from short to long."""

@final
class Scenarios:
    """The problems of one or more `.scen` files, by column."""

    @staticmethod
    def parse(text: bytes, source: str) -> Scenarios: ...
    def text(self) -> bytes: ...
    @staticmethod
    def from_columns(
        map: Sequence[str],
        bucket: NDArray[np.uint32],
        size: NDArray[np.uint32],
        cells: NDArray[np.uint32],
        length: NDArray[np.float64],
    ) -> Scenarios: ...
    @property
    def map(self) -> list[str]: ...
    @property
    def bucket(self) -> NDArray[np.uint32]: ...
    @property
    def size(self) -> NDArray[np.uint32]:
        """Rows of width, height."""
    @property
    def cells(self) -> NDArray[np.uint32]:
        """Rows of start x, start y, goal x, goal y."""
    @property
    def length(self) -> NDArray[np.float64]: ...
    @property
    def line(self) -> NDArray[np.uint32]:
        """The line of each problem in its file."""
    def __len__(self) -> int: ...

@final
class Param:
    """A parameter of an agent."""

    @property
    def name(self) -> str: ...
    @property
    def default(self) -> str: ...
    @property
    def range(self) -> str:
        """The accepted values, such as `1..1000`, `1.. or inf`, `one | all`."""
    @property
    def about(self) -> str: ...

@final
class AgentInfo:
    """An entry of the catalogue."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def paper(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def counts(self) -> str:
        """The states that count as `expanded` and `touched`."""
    @property
    def complete(self) -> bool:
        """Whether it promises to reach the goal of every solvable problem."""
    @property
    def learns(self) -> bool:
        """Whether it learns heuristics and improves from trial to trial."""
    @property
    def optimal(self) -> bool:
        """Whether it promises a shortest path on known maps."""
    @property
    def params(self) -> list[Param]: ...
    @property
    def samples(self) -> list[str]:
        """Specs that the tests of all agents run; the default spec is the first."""
    @property
    def samples_with_databases(self) -> list[str]:
        """The samples that need pattern databases and therefore known maps."""

def catalogue() -> list[AgentInfo]:
    """All agents, in the order of the documentation."""

def canonical(name: str, params: dict[str, str]) -> tuple[str, str]:
    """The canonical spec, with every default, and the label in the papers' notation."""

@final
class Table:
    """Rows as Arrow columns."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __len__(self) -> int: ...

PROBLEM_COLUMNS: Final[Sequence[str]]
"""The columns of problems, which are the fields of a structured array of 64-bit integers.

`grid` is the number of the problem's grid, `cardinal` and `diagonal` are the moves of an optimal path, and `ordinal` is
the problem's place in its scenario.
"""

@final
class Batch:
    """Agents × problems in progress on worker threads.

    `problems` has the fields `PROBLEM_COLUMNS`. Task `i` runs agent `task_agents[i]` on the problems
    `task_problems[task_offsets[i]:task_offsets[i + 1]]`, which are on one grid. `replicas` has a number for each agent,
    which changes its order of ties or is added to its seed. With `max_trials` in the settings each agent solves a
    problem repeatedly until a trial passes without learning or discovery, at most that many times.
    """

    def __new__(
        cls,
        grids: Sequence[Grid],
        problems: NDArray[np.void],
        agents: Sequence[str],
        task_agents: NDArray[np.uint32],
        task_offsets: NDArray[np.uint64],
        task_problems: NDArray[np.uint32],
        settings: _Settings,
        *,
        jobs: int,
        databases: Sequence[Database] = ...,
        replicas: Sequence[int] = ...,
    ) -> Batch: ...
    def next(self, timeout: float) -> tuple[Table, Table] | None:
        """Wait up to `timeout` seconds and return the results since the last call; `None` if there are none.

        The first table has one row per record. With `max_trials`, the second has one row per trial.
        """
    @property
    def finished(self) -> int:
        """The number of finished problems."""
    @property
    def done(self) -> bool:
        """Whether `next` has returned all results, or all that were finished before `cancel`."""
    def running(self) -> list[tuple[int, int, float]]:
        """Return agent, problem and duration in seconds of each trial in progress."""
    def cancel(self) -> None:
        """Start no further problems and abandon those in progress; `next` still returns finished ones."""

@final
class Trace:
    """One trial, move by move."""

    @property
    def record(self) -> Table: ...
    @property
    def cells(self) -> NDArray[np.uint32]:
        """Rows of x, y: the start, then the cell after each move."""
    @property
    def expanded(self) -> NDArray[np.uint64]:
        """States expanded before each move."""
    @property
    def touched(self) -> NDArray[np.uint64]: ...
    @property
    def time_ns(self) -> NDArray[np.uint64]: ...
    @property
    def expansions(self) -> NDArray[np.uint32]:
        """Rows of x, y: every cell that was expanded, in order."""
    @property
    def rises(self) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
        """Changes of heuristics, in order: rows of x, y, and the new increase over the initial value, in cells."""
    @property
    def discovered(self) -> NDArray[np.uint32]:
        """Rows of x, y: every cell that was found to be blocked, in order."""
    @property
    def ends(self) -> NDArray[np.uint64]:
        """The numbers of expansions, rises and discoveries when the agent arrived at each of `cells`.

        If the problem was not solved, the last row includes the planning of the move that was not made.
        """

def solve(
    grid: Grid,
    problem: np.void,
    agent: str,
    settings: _Settings,
    *,
    databases: Sequence[Database] = ...,
) -> Trace:
    """Run one timed trial, regardless of `max_trials`, and return its trace.

    `problem` is a row as in `Batch`; its grid number is ignored.
    """

@final
class Collection:
    """Features and labels of every move of LRTA* with an oracle, in progress on worker threads.

    `problems` as in `Batch`. `features` is the set "2008" or "2007", which needs `presearch` 0. Runs end when travel
    exceeds `alpha` times the optimum. `jobs` is the number of threads, 0 for one per core.
    """

    def __new__(
        cls,
        grids: Sequence[Grid],
        problems: NDArray[np.void],
        *,
        features: str,
        n: int,
        presearch: int,
        dmax: int,
        jobs: int,
        alpha: float | None = None,
    ) -> Collection: ...
    def wait(self, timeout: float) -> bool:
        """Wait up to `timeout` seconds; return whether the collection has finished or was cancelled."""
    @property
    def total(self) -> int:
        """The number of problems."""
    @property
    def finished(self) -> int:
        """The number of finished problems."""
    def cancel(self) -> None:
        """Start no further problems and abandon those in progress."""
    def samples(self) -> tuple[NDArray[np.float32], NDArray[np.uint32], NDArray[np.uint32]] | None:
        """A row of features for each move, its label, and the number of its problem, in the order of the problems.

        `None` if the collection was cancelled or is not finished.
        """

def feature_names(features: str) -> list[str]:
    """A short description of each feature of a set."""

@final
class DecisionTree:
    """A decision tree that chooses depths."""

    @staticmethod
    def read(path: str) -> DecisionTree:
        """Read and check a tree file, given as in specs: `path` or `path#hash`."""
    @property
    def features(self) -> str:
        """The name of its set of features."""
    @property
    def n(self) -> int:
        """The number of recent moves that its features use."""
    @property
    def presearch(self) -> int: ...
    @property
    def dmax(self) -> int: ...
    @property
    def is_sealed(self) -> bool:
        """Whether the file has a checksum; those of older versions do not."""
    def depths(self, features: NDArray[np.float32]) -> NDArray[np.uint32]:
        """The depth for each row of features."""

def checksum(content: bytes) -> str:
    """Return the checksum of some bytes, 16 hexadecimal digits. It finds damage, not manipulation."""

def seal_json(text: str) -> str:
    """Return the text of a JSON object with a checksum of it as its last entry."""

def is_sealed_json(content: bytes) -> bool | None:
    """Return whether a JSON file has the content that was sealed, or `None` if it has no checksum."""

def bucket_bounds() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the smallest and the largest value of each bucket of a histogram in records."""

def tick_overhead_ns() -> float:
    """Measure the overhead of one reading of the clock in a timed run."""

CARDINAL: Final[int]
"""The cost of a move north, east, south or west; costs are integers."""

DIAGONAL: Final[int]
"""The cost of a diagonal move, √2 times as much, to eight digits."""

INFINITY: Final[int]
"""The cost without a path."""

HEARTBEAT_BYTES: Final[int]
"""The size of a worker's heartbeat file."""

class PastCutoff(Exception):  # noqa: N818
    """Planning has exceeded ten times the cutoff; the world returns no more successors in this episode."""

@final
class World:
    """The view of an agent in Python while it plans: the current state, the metered graph and learned heuristics.

    States are the cells of the map, numbered row by row from 0. Costs and heuristics are integers; a cardinal move
    costs `CARDINAL`. The world is available only while `plan` runs.
    """

    @property
    def at(self) -> int:
        """The current state."""
    @property
    def goal(self) -> int:
        """The goal."""
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def seed(self) -> int:
        """A seed for random choices, which depends on the run's seed, the agent and the problem."""
    @property
    def discovered(self) -> list[int]:
        """Cells that were assumed to be free and were discovered to be blocked since the last plan."""
    @property
    def expanded(self) -> int:
        """The number of states expanded so far in this episode."""
    @property
    def cutoff(self) -> int | None:
        """The maximum number of expanded states per move."""
    def expand(self, state: int) -> list[tuple[int, int, int]]:
        """Return the successors of a state, with the costs of the moves and their heuristics. Counts as one expansion.

        Successors are clockwise from the direction of the parameter `ties`. Raises `PastCutoff` after ten times the
        cutoff.
        """
    def reread(self, state: int) -> list[tuple[int, int, int]]:
        """Like `expand`, for a state that was already expanded in this episode. Counts only as touched."""
    def heuristic(self, state: int) -> int:
        """The learned heuristic of a state, or the initial one if nothing was learned."""
    def initial(self, state: int, goal: int | None = None) -> int:
        """The initial heuristic from a state to the goal or to another state."""
    def learn(self, state: int, value: int) -> None:
        """Set the heuristic of a state. Values below the initial heuristic have no effect."""
    def memory(self, bytes: int) -> None:
        """Report the bytes that the agent's own tables use now, without learned heuristics. The maximum is recorded."""
    def cell(self, state: int) -> tuple[int, int]:
        """The column and row of a state, counted from the top left."""
    def state(self, x: int, y: int) -> int:
        """The state in a column and row."""

def library_agents(path: str) -> list[tuple[str, str, list[tuple[str, str, list[str], bool, float, float, float]]]]:
    """Load a shared library and return its agents: name, description and parameters.

    Parameters have a name, a description, the words of a choice, whether they are integers, minimum, maximum, default.
    """

@final
class Plugin:
    """A plug-in's agent."""

    @staticmethod
    def python(make: Callable[[], object]) -> Plugin:
        """An agent in Python; `make` creates an instance, which has a method `plan`."""
    @staticmethod
    def library(path: str, name: str, values: Sequence[float]) -> Plugin:
        """An agent in a shared library, with the values of its parameters."""

@final
class PluginRunner:
    """A plug-in's agent on one grid, run in this thread. Successors are clockwise from the direction `first`."""

    def __new__(cls, grid: Grid, plugin: Plugin, canonical: str, first: int, settings: _Settings) -> PluginRunner: ...
    def run(self, problems: NDArray[np.void], numbers: NDArray[np.uint32], seconds: float) -> tuple[Table, Table]:
        """Run problems, rows as in `Batch`, until `seconds` have passed, but at least one.

        Returns records with these numbers, and trials, as `Batch.next` does. The agent's number is 0.
        """
    def trace(self, problem: np.void) -> Trace:
        """Run one trial and return its trace, as `solve` does."""

@final
class PluginJob:
    """Problems of one plug-in on a grid that comes from the socket `descriptor`: bits of free cells, then any cliffs.

    No object of Python contains the grid. Problems are rows as in `Batch`, and records contain their numbers.
    """

    def __new__(
        cls,
        descriptor: int,
        shape: tuple[int, int],
        diagonal: str,
        has_cliffs: bool,
        problems: NDArray[np.void],
        numbers: NDArray[np.uint32],
    ) -> PluginJob: ...
    def begin(self, plugin: Plugin, canonical: str, first: int, settings: _Settings, heartbeat: str) -> None:
        """Set the agent, once. `heartbeat` is a file that shows its progress to other processes."""
    def next(self, seconds: float) -> tuple[Table, Table] | None:
        """Continue until `seconds` have passed, with at least one problem; `None` if all are finished.

        Returns records and trials, as `Batch.next` does. The agent's number is 0.
        """

def no_records() -> tuple[Table, Table]:
    """Return empty tables with the columns of records and trials."""
