"""The compiled core: grids, agents and the batch. Thin on purpose; the package `permove` is what users import."""

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
    "PluginRunner",
    "Scenarios",
    "Table",
    "Trace",
    "World",
    "canonical",
    "catalogue",
    "draw_buckets",
    "draw_problems",
    "feature_names",
    "generate_map",
    "generators",
    "library_agents",
    "needs",
    "no_records",
    "solve",
    "survey_features",
    "tick_overhead_ns",
]

class _Settings(Protocol):
    """The attributes of `permove.records.settings.Settings`: what determines a record besides agent and problem."""

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

DATABASE_MAGIC: Final[bytes]
"""The first bytes of every pattern database."""

RECORDS_VERSION: Final[int]
"""The version of the records: it changes when the same agent, problem and settings give another record."""

class InputError(ValueError):
    """Something a user gave is wrong; the message is one sentence that says where and what to do.

    The attributes are facts of the error; those that are unknown or do not apply are `None`.
    """

    agent: str | None
    """The name of the agent."""
    param: str | None
    """The name of the parameter that is wrong."""
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
        """Read a MovingAI `.map`; `source` is named in errors."""
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    def letters(self) -> NDArray[np.uint8]:
        """The letters as an array of height × width bytes."""
    def scaled(self, width: int, height: int) -> Map:
        """The map at another size: each cell takes the letter under its centre."""
    def text(self) -> bytes:
        """The map as a file."""
    def grid(self, terrain: str, diagonal: str) -> Grid:
        """The map as a search space under a terrain rule and a diagonal rule."""

def generate_map(kind: str, width: int, height: int, seed: int, options: Mapping[str, float]) -> Map:
    """Make a map; `generators()` lists the kinds and their options."""

def generators() -> list[tuple[str, str, list[tuple[str, float, float, float, str]]]]:
    """Name and description of every kind of map, with its options: name, default, least, most, description."""

@final
class Grid:
    """A map as a search space: free cells and legal moves."""

    @staticmethod
    def from_array(free: NDArray[np.bool_], diagonal: str) -> Grid: ...
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
    def with_diagonal(self, diagonal: str) -> Grid: ...
    def components(self) -> NDArray[np.int32]:
        """The number of every cell's component, -1 for obstacles."""
    def distances(self, x: int, y: int) -> NDArray[np.float64]:
        """The cost of a shortest path from the cell (x, y) to every cell, infinite where there is none."""
    def optimal(self, problems: NDArray[np.uint32], jobs: int) -> NDArray[np.int64]:
        """Cardinal and diagonal moves of an optimal path for each row start x, start y, goal x, goal y.

        Both are -1 where there is no way; `jobs` is the number of threads, 0 for one on every core.
        """

def survey_features() -> list[str]:
    """The names of the columns of `Hierarchy.survey`."""

@final
class Hierarchy:
    """A grid, which is level 0, and its clique abstractions, up to one state for every connected part.

    An `InputError` says where a level is above the top.
    """

    def __new__(cls, grid: Grid) -> Hierarchy: ...
    @property
    def top(self) -> int:
        """The highest level; 0 where no cell has a neighbour."""
    @property
    def bytes(self) -> int: ...
    @property
    def build_ns(self) -> int:
        """The time that it took to build."""
    def states(self, level: int) -> int:
        """How many states a level has."""
    def degrees(self, level: int) -> NDArray[np.uint32]:
        """How many neighbours each state of a level has."""
    def children(self, level: int) -> NDArray[np.uint32]:
        """How many children each state of a level above the ground has."""
    def regions(self, level: int) -> NDArray[np.int32]:
        """The number of every cell's ancestor on a level, -1 for obstacles."""
    def survey(self, problems: NDArray[np.uint32]) -> tuple[NDArray[np.float32], int, int]:
        """What can be told of problems in microseconds: a row of `survey_features` for each.

        `problems` are rows of start x, start y, goal x, goal y. Also the nanoseconds that it took to prepare the map,
        beside its hierarchy, and those that all problems took.
        """
    def check(self) -> str | None:
        """A sentence on which of properties 1 to 8 of graph-abstraction-2007 is broken, and where; None: all hold."""

@final
class DatabaseFacts:
    """What the header of a pattern database says: what it is of, and what it took."""

    @property
    def kind(self) -> str:
        """Either `subgoals` or `depths`."""
    @property
    def base(self) -> int:
        """The level that agents with it plan on."""
    @property
    def level(self) -> int:
        """The level whose states are its regions."""
    @property
    def fingerprint(self) -> str:
        """That of the grid."""
    @property
    def states(self) -> int: ...
    @property
    def regions(self) -> int: ...
    @property
    def pairs(self) -> int: ...
    @property
    def computed(self) -> int:
        """How many depths were searched for."""
    @property
    def bytes(self) -> int: ...
    @property
    def build_ns(self) -> int: ...
    @property
    def jobs(self) -> int:
        """How many threads built it."""
    @property
    def most_depth(self) -> int:
        """The largest depth in it."""

@final
class Database:
    """A pattern database, mapped into memory."""

    @staticmethod
    def open(path: str, grid: Grid) -> Database:
        """Open a file, after a look at every byte; an `InputError` says why it is not a database of this grid."""
    @staticmethod
    def look(path: str) -> DatabaseFacts:
        """What a file says of itself, without a look at the rest."""
    @staticmethod
    def check(path: str) -> DatabaseFacts:
        """What a file says of itself, after a look at every byte, whatever map it is of."""
    @property
    def facts(self) -> DatabaseFacts: ...
    def depths(self, x: int, y: int) -> NDArray[np.int32]:
        """The depth stored for every cell, uncapped, where (x, y) is the goal; -1 for obstacles."""

@final
class GoalDepths:
    """Depths for the goal (x, y) alone, region by region: what a database of depths has of them."""

    def __new__(cls, grid: Grid, level: int, x: int, y: int) -> GoalDepths: ...
    @property
    def total(self) -> int:
        """How many regions there are."""
    def regions(self) -> NDArray[np.int32]:
        """The number of every cell's region, -1 for obstacles."""
    def depths(self, first: int, count: int, jobs: int) -> NDArray[np.int32]:
        """The optimal depths in `count` regions from `first` on, -1 where there is no way."""

@final
class DatabaseBuild:
    """A pattern database on its way into a file, which gets its name when it is whole.

    An `InputError` says where there is no such level.
    """

    def __new__(cls, grid: Grid, path: str, *, kind: str, base: int, level: int, jobs: int) -> DatabaseBuild: ...
    @property
    def total(self) -> int:
        """How many units of work there are."""
    @property
    def finished(self) -> int:
        """How many of them are done."""
    def wait(self, timeout: float) -> bool:
        """Wait up to so many seconds; whether it has ended, in a file or cancelled. An `OSError` says why it cannot."""
    def cancel(self) -> None:
        """Stop soon, and leave nothing behind."""

def needs(agent: str) -> list[tuple[str, int, int]]:
    """The pattern databases that an agent needs on each map: kind, base and level."""

def draw_problems(
    grid: Grid, count: int, least: float, most: float, seed: int
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Different random problems with optimal cost in [least, most): rows of start and goal, and their optimal moves."""

def draw_buckets(grid: Grid, count: int, every: int, seed: int) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """`count` problems in every `every`-th of MovingAI's buckets of four, from short to long; fewer where few exist."""

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
        """The line of the file each problem stands in."""
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
        """What it may be, in words: `1..1000`, `1.. or inf`, `one | all`."""
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
        """What `expanded` and `touched` count for this agent."""
    @property
    def complete(self) -> bool:
        """Whether it promises to reach the goal of every solvable problem."""
    @property
    def learns(self) -> bool:
        """Whether it learns heuristics, and walks better from trial to trial."""
    @property
    def optimal(self) -> bool:
        """Whether it promises a shortest path where it sees all."""
    @property
    def params(self) -> list[Param]: ...
    @property
    def samples(self) -> list[str]:
        """Specs that the tests of all agents run; the default spec is the first."""
    @property
    def samples_with_databases(self) -> list[str]:
        """The samples that need pattern databases, which exist for known maps only."""

def catalogue() -> list[AgentInfo]:
    """Every agent, in the order of the documentation."""

def canonical(name: str, params: dict[str, str]) -> tuple[str, str]:
    """The canonical spec, with every default, and the label in the papers' notation."""

@final
class Table:
    """Rows as Arrow columns."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __len__(self) -> int: ...

PROBLEM_COLUMNS: Final[Sequence[str]]
"""The columns of problems, the fields of a structured array of 64-bit integers.

`grid` is the number of the problem's grid, `cardinal` and `diagonal` are the moves of an optimal path, and `ordinal` is
the problem's place in its scenario.
"""

@final
class Batch:
    """Agents × problems in progress on worker threads.

    `problems` has the fields `PROBLEM_COLUMNS`. Task `i` runs agent `task_agents[i]` on the problems
    `task_problems[task_offsets[i]:task_offsets[i + 1]]`, which lie on one grid. With `max_trials` in the settings each
    agent solves a problem repeatedly until a trial passes without learning or discovery, or that many times.
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
    ) -> Batch: ...
    def next(self, timeout: float) -> tuple[Table, Table] | None:
        """Wait up to `timeout` seconds, and return what has finished since the last call; `None` if nothing has.

        The first table has one row per record. With `max_trials`, the second has one row per trial.
        """
    @property
    def finished(self) -> int:
        """The number of finished problems."""
    @property
    def done(self) -> bool:
        """Whether `next` has returned everything, or everything that was finished before `cancel`."""
    def cancel(self) -> None:
        """Start no further problem and abandon those in progress; finished ones are still returned."""

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
        """Changes of heuristics, in order: rows of x, y, and how far above its initial value each is now, in cells."""
    @property
    def discovered(self) -> NDArray[np.uint32]:
        """Rows of x, y: every cell that was found to be blocked, in order."""
    @property
    def ends(self) -> NDArray[np.uint64]:
        """The numbers of expansions, rises and discoveries at the time when the agent arrived at each of `cells`.

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
    """Run one timed trial, whatever the settings say about trials, and return its trace.

    `problem` is a row as in `Batch`; its grid number is ignored.
    """

@final
class Collection:
    """Features and labels of every move of runs that an oracle guides, in progress on worker threads.

    `problems` as in `Batch`. `features` names a set, "2008" or "2007"; `presearch` is 0 for those of 2007. Runs end
    when travel exceeds `alpha` times the optimum. `jobs` is the number of threads, 0 for one per core.
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
        """Start no further problem and abandon those in progress."""
    def samples(self) -> tuple[NDArray[np.float32], NDArray[np.uint32], NDArray[np.uint32]] | None:
        """A row of features for each move, its label, and the number of its problem, in the order of the problems.

        `None` if the collection was cancelled or is not finished.
        """

def feature_names(features: str) -> list[str]:
    """What each feature of a set is."""

@final
class DecisionTree:
    """A decision tree that chooses depths."""

    @staticmethod
    def read(path: str) -> DecisionTree:
        """Read and check a tree file, named as in specs: `path` or `path#hash`."""
    @property
    def features(self) -> str:
        """The name of the set of features that it goes by."""
    @property
    def n(self) -> int:
        """How many of the last moves its features look at."""
    @property
    def presearch(self) -> int: ...
    @property
    def dmax(self) -> int: ...
    def depths(self, features: NDArray[np.float32]) -> NDArray[np.uint32]:
        """The depth for each row of features."""

def bucket_bounds() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the smallest and the largest value of each bucket of a histogram in records."""

def tick_overhead_ns() -> float:
    """What reading the clock once costs in a timed run, measured now."""

CARDINAL: Final[int]
"""What a move north, east, south or west costs: costs are whole numbers."""

DIAGONAL: Final[int]
"""What a diagonal move costs: √2 times as much, to eight digits."""

INFINITY: Final[int]
"""A cost that no way has."""

HEARTBEAT_BYTES: Final[int]
"""The size of a worker's heartbeat file."""

class PastCutoff(Exception):  # noqa: N818
    """Planning went on past ten times the cutoff: there is no more data in this episode."""

@final
class World:
    """What an agent in Python sees while it plans: where it is, the metered graph, and what it has learned.

    Cells are states, numbers from 0 up, row by row. Costs and heuristics are whole numbers, in which a cardinal move is
    `CARDINAL`. The world can be asked only while `plan` runs.
    """

    @property
    def at(self) -> int:
        """Where the agent stands."""
    @property
    def goal(self) -> int:
        """Where it wants to go."""
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def seed(self) -> int:
        """For whatever the agent draws: decided by the run's seed, the agent and the problem."""
    @property
    def discovered(self) -> list[int]:
        """Cells that were believed to be free and were found to be blocked since the last time that it planned."""
    @property
    def expanded(self) -> int:
        """How many states were expanded so far, this time."""
    @property
    def cutoff(self) -> int | None:
        """How many may be expanded for one move."""
    def expand(self, state: int) -> list[tuple[int, int, int]]:
        """All successors of a state, each with the cost of going there and its heuristic; counts as one expanded state.

        They come clockwise, from the direction that the parameter `ties` names. Past ten times the cutoff this raises
        `PastCutoff`.
        """
    def reread(self, state: int) -> list[tuple[int, int, int]]:
        """The same of a state that was expanded already, this time; counts in `touched` alone."""
    def heuristic(self, state: int) -> int:
        """The heuristic of a state: what was learned, or else the initial one."""
    def initial(self, state: int, goal: int | None = None) -> int:
        """The initial heuristic of a state, towards the goal or another state."""
    def learn(self, state: int, value: int) -> None:
        """Set the heuristic of a state; what is below the initial one has no effect."""
    def cell(self, state: int) -> tuple[int, int]:
        """Column and row of a state, from the top left."""
    def state(self, x: int, y: int) -> int:
        """The state in a column and row."""

def library_agents(path: str) -> list[tuple[str, str, list[tuple[str, str, list[str], bool, float, float, float]]]]:
    """Load a shared library: its agents, each with its name, what it is about, and its parameters.

    Of a parameter: name, what it is about, the words of a choice, whether it is a whole number, least, most, default.
    """

@final
class Plugin:
    """A plug-in's agent, ready to be made."""

    @staticmethod
    def python(make: Callable[[], object]) -> Plugin:
        """One in Python: what makes a fresh instance, which has a method `plan`."""
    @staticmethod
    def library(path: str, name: str, values: Sequence[float]) -> Plugin:
        """One in a shared library, with the values of its parameters."""

@final
class PluginRunner:
    """A plug-in's agent on one grid, which runs in this thread. Successors come clockwise from the direction `first`.

    `heartbeat` is a file of `HEARTBEAT_BYTES` that shows other processes how far the agent is.
    """

    def __new__(
        cls,
        grid: Grid,
        plugin: Plugin,
        canonical: str,
        first: int,
        settings: _Settings,
        *,
        heartbeat: str | None = None,
    ) -> PluginRunner: ...
    def run(self, problems: NDArray[np.void], numbers: NDArray[np.uint32], seconds: float) -> tuple[Table, Table]:
        """Run problems, rows as in `Batch`, until `seconds` have passed, but at least one.

        Returns records, which have these numbers, and trials, as `Batch.next` does; the agent's number is 0.
        """
    def trace(self, problem: np.void) -> Trace:
        """Run one trial and return its trace, as `solve` does."""

def no_records() -> tuple[Table, Table]:
    """Return empty tables with the columns of records and trials."""
