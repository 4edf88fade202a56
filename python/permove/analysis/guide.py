"""The selection guide: for every interval of the limit on a single move, the agent with the best suboptimality.

Suboptimality is the mean over the problems, as in the papers, or another score.

An agent that exceeds a limit even once does not qualify under it. Unsolved trials count as the run's cap on travel. An
agent with unsolved problems that do not count, or with failures, never qualifies, because its mean would be over other
problems. `candidates` lists every agent with the reason for its exclusion, if any.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove.analysis.compatibility import PROBLEM, check_compatible
from permove.analysis.limits import tolerant_interval, tolerant_limits, worst_interval
from permove.analysis.outcomes import BROKEN, OVER, SOLVED
from permove.analysis.scores import MEAN, MEDIAN, Score
from permove.analysis.statistics import Resamples, Values, interval
from permove.analysis.tradeoff import tradeoff
from permove.analysis.unsolved import Unsolved
from permove.analysis.violations import over_episodes
from permove.common.errors import InputError
from permove.records.columns import IDENTITY

STATES, TIME = "states", "time"
"""Quantities that can be limited."""

TIMES = {"worst": "time_max_ns", "99.9": "time_p999_ns", "99": "time_p99_ns"}
"""Columns of the quantiles of a problem's move times; the worst problem counts."""

CUTOFF, UNSOLVED, UNTIMED, MEMORY, BUILD, MAP = "cutoff", "unsolved", "untimed", "memory", "build", "map"
"""Reasons for exclusion: stopped by the run's own cutoff, unsolved problems, no times of single moves, or one of the
terms is exceeded."""

BEST, TIED, WORSE, OVER_LIMIT, EXCLUDED = "best", "tied", "worse", "over", "out"
"""Verdicts of `explained`: best, statistically tied, worse, over the limit, excluded."""


EXCLUDED_UNSOLVED = Unsolved()


@dataclass(frozen=True)
class Terms:
    """Settings of a guide."""

    by: str = STATES
    """The limited quantity: `states` expanded for any single move or, in timed runs, its `time` in nanoseconds."""
    quantile: str = "worst"
    """The share of a problem's moves, in percent, that must keep a time limit: `worst` (all), `99.9` or `99`."""
    max_memory: int | None = None
    """Maximum memory in bytes, on the worst problem: data built for the map, plus the peak of the agent's own tables.
    Agents whose memory is unknown are excluded."""
    max_build_ns: int | None = None
    """Maximum build time, on the map that takes longest."""
    known_map: bool = True
    """Whether agents may know the map beforehand. If false, agents that precompute from a fully visible map are
    excluded. Data that is built while a sensor reveals the map is allowed."""
    per_set: bool = False
    """Whether to compute a separate guide for each set of maps."""
    tolerate: float = 0.0
    """The share of an agent's planned moves, over all problems, that may exceed the limit."""
    speed: float = 1.0
    """With `time`: the speed of the machine that the guide is for, relative to the one that measured the times."""
    score: Score = MEAN
    """The score by which agents are chosen."""
    unsolved: Unsolved = EXCLUDED_UNSOLVED
    """The rule for unsolved problems: agents with unsolved trials that do not count as a cap never qualify."""
    cutoff: int | None = None
    """The run's own limit on the limited quantity: agents that exceeded it were stopped, so the guide ends there."""
    seed: int = 0
    """Seed of the bootstrap."""

    def __post_init__(self) -> None:
        """Reject invalid combinations."""
        if self.by not in (STATES, TIME):
            raise InputError(f"cannot limit '{self.by}'; use {STATES} or {TIME}")
        if self.quantile not in TIMES:
            raise InputError(f"unknown quantile '{self.quantile}'; use one of {', '.join(TIMES)}")
        if self.by == STATES and self.quantile != "worst":
            raise InputError(f"the quantile {self.quantile} applies only to times; limit by {TIME}, or omit it")
        if self.by == STATES and self.speed != 1:
            raise InputError(f"the speed {self.speed:g} applies only to times; limit by {TIME}, or omit it")
        if not (math.isfinite(self.speed) and self.speed > 0):
            raise InputError(f"invalid speed {self.speed:g}; use a positive number such as 0.5")
        if not 0 <= self.tolerate < 1:
            raise InputError(f"cannot tolerate a share of {self.tolerate:g}; use one such as 0.001 or 0.1%")
        if self.tolerate and self.quantile != "worst":
            raise InputError("a quantile and a tolerated share exclude each other; omit one of them")

    @property
    def column(self) -> str:
        """Column of records that must not exceed the limit."""
        return "expanded_max" if self.by == STATES else TIMES[self.quantile]


PART = ("set", "cpu", "hosts")
"""Columns that identify a part with its own guide: the set, or for times the CPU and its hosts."""


def guide(records: pl.DataFrame, terms: Terms | None = None) -> pl.DataFrame:
    """Return the guide of a run's records: consecutive intervals of the limit, starting at 1.

    | column | meaning |
    | --- | --- |
    | set, cpu, hosts | the part that the interval applies to; null unless guides are per set or by time |
    | min_limit, max_limit | the interval of the limit, inclusive; the last is unbounded or ends at the run's cutoff |
    | label, agent | the recommended agent; null if no agent qualifies |
    | score | name of the score |
    | suboptimality, .._se, .._low, .._high | its score, standard error, and bootstrap interval |
    | median | its median suboptimality |
    | expanded_per_move | pooled |
    | worst, .._low, .._high | its worst move, at which the interval starts; for times with a bootstrap interval over \
problems and repetitions |
    | maps, best_maps | number of maps, and of those on which it has the best score among the agents within the limit |
    | by_median | agents with a lower median: label, agent, `median`, and the `min_limit` from which it is the lowest; \
`better_maps`, the number of maps on which it has the better score; and the `hardest_maps` with its score `on_them` \
and `without_them`; empty if the score is the median |
    | memory_bytes, build_ns | maxima over problems and over maps; memory is null if it is unknown on a problem |
    | problems, solved | number of problems, and of those that it solved; the others count as the cap on travel |
    | runners_up | agents that are statistically tied with it: label, agent, the `min_limit` that the agent needs, \
and the `difference` in suboptimality with its paired bootstrap interval from `low` to `high` |
    """
    terms = terms or Terms()
    return pl.concat([_guided(part, agents, terms) for part, agents in _parts(records, terms)])


def candidates(records: pl.DataFrame, terms: Terms | None = None) -> pl.DataFrame:
    """Return one row per part and agent: agents that can be recommended first, sorted by their worst move.

    | column | meaning |
    | --- | --- |
    | set, cpu, hosts | as in `guide` |
    | label, agent, problems, solved | as in `tradeoff`, with `problems` that any agent was run on |
    | capped | number of unsolved trials that count as the cap on travel |
    | missing | number of problems that this agent was not run on |
    | unsolved | counts of all statuses other than `solved`, as text |
    | suboptimality, .._se, expanded_per_move | as in `tradeoff` |
    | worst | the worst move on any problem: the lowest limit that the agent keeps |
    | worst_set, worst_map, worst_problem, worst_move | its problem, and its number if states are limited |
    | disturbed | number of moves that other programs disturbed in every repetition of a timed run |
    | memory_bytes, build_ns, needs_map | values that the terms constrain; memory is null if it is unknown |
    | out | reason for exclusion: `cutoff`, `unsolved`, `untimed`, `memory`, `build` or `map` |
    """
    terms = terms or Terms()
    return pl.concat([agents for _, agents in _parts(records, terms)])


def explained(records: pl.DataFrame, limit: int, terms: Terms | None = None) -> pl.DataFrame:
    """Return the verdict on each agent under a limit: the columns of `candidates`, and

    | column | meaning |
    | --- | --- |
    | verdict | `best`, `tied` (statistically, with the best), `worse`, `over` (over the limit) or `out` (excluded) |
    | over_problems, over_episodes | number of problems on which the agent exceeded the limit, and share of all its \
planning episodes; null if unknown |
    | difference, low, high | difference in suboptimality to the best, with its paired bootstrap interval |
    """
    terms = terms or Terms()
    return pl.concat([_explained(part, agents, limit, terms) for part, agents in _parts(records, terms)])


def choices(means: pl.DataFrame, *, worst: str = "expanded_max") -> pl.DataFrame:
    """Return only the recommended agents, from a frame such as `tradeoff`; `worst` is the column of the worst move."""
    qualifying = means.filter((pl.col("solved") == pl.col("problems")) & pl.col(worst).is_not_null())
    # In order of their worst moves, an agent is chosen if it is better than all agents before it.
    ordered = qualifying.sort(worst, "suboptimality", "agent")
    before = pl.col("suboptimality").cum_min().shift(1)
    chosen = ordered.filter(before.is_null() | (pl.col("suboptimality") < before))
    # Among agents with the same worst move, the best is first, so only that one is chosen.
    return chosen.select(
        min_limit=pl.col(worst).cast(pl.Int64),
        max_limit=pl.col(worst).cast(pl.Int64).shift(-1) - 1,
        label="label",
        agent="agent",
        suboptimality="suboptimality",
        suboptimality_se="suboptimality_se",
        expanded_per_move="expanded_per_move",
        worst=pl.col(worst).cast(pl.Int64),
    )


def _parts(records: pl.DataFrame, terms: Terms) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Yield the records of each part that has its own guide, with its candidates."""
    if records.is_empty():
        raise InputError("the run has no records yet; run the same `permove run` command again to resume it")
    check_compatible(records)
    if records[terms.column].null_count() == records.height:
        raise InputError("the run has no times of single moves; `permove run --timed` measures them")
    records = _at_speed(records, terms.speed)
    keys = [*(["set"] if terms.per_set else []), *(["cpu"] if terms.by == TIME else [])]
    for part in records.sort(*keys, *IDENTITY).partition_by(keys, maintain_order=True) if keys else [records]:
        yield terms.unsolved.capped(part, LOST), _candidates(part, terms)


LOST = ~(SOLVED | OVER | BROKEN)
"""Unsolved trials that can count as a cap; failures never do."""


def _at_speed(records: pl.DataFrame, speed: float) -> pl.DataFrame:
    """Return records with the times of single moves on a machine with another speed."""
    if speed == 1:
        return records
    scaled = [(pl.col(name) / speed).ceil().cast(pl.UInt64) for name in TIMES.values()]
    repeats = pl.col("time_max_repeats_ns").list.eval((pl.element() / speed).ceil().cast(pl.UInt64))
    return records.with_columns(*scaled, repeats)


def _candidates(part: pl.DataFrame, terms: Terms) -> pl.DataFrame:
    problems = part.select(PROBLEM).n_unique()
    at = pl.col(terms.column).arg_max()
    built = (pl.col("build_ns").fill_null(0) > 0) | (pl.col("build_bytes").fill_null(0) > 0)
    bytes_used = pl.col("build_bytes").fill_null(0) + pl.col("memory_bytes")
    counts = SOLVED if terms.unsolved.cap is None else SOLVED | LOST
    # A run may limit both states and time: exceeding the other limit counts as unsolved, not as stopped.
    past_cutoff = pl.lit(False) if terms.cutoff is None else pl.col(terms.column) > terms.cutoff
    further = (
        part.sort(IDENTITY)
        .group_by("agent", maintain_order=True)
        .agg(
            worst=pl.col(terms.column).max().cast(pl.Int64),
            at_set=pl.col("set").get(at),
            at_map=pl.col("map").get(at),
            at_problem=pl.col("problem").get(at),
            at_move=pl.col("expanded_max_move").get(at) if terms.by == STATES else pl.lit(None, pl.UInt64),
            untimed=pl.col(terms.column).null_count() > 0,
            disturbed=pl.col("disturbed").sum().cast(pl.Int64),
            stopped=(counts | (OVER & past_cutoff)).all() & OVER.any(),
            capped=(counts & ~SOLVED).sum().cast(pl.Int64),
            memory_bytes=pl.when(bytes_used.null_count() == 0).then(bytes_used.max().cast(pl.Int64)),
            build_ns=pl.col("build_ns").max().fill_null(0).cast(pl.Int64),
            needs_map=(built & (pl.col("sensor") == "all")).any(),
        )
    )
    if terms.tolerate:
        limits = tolerant_limits(part, terms.column, terms.tolerate, speed=terms.speed)
        further = further.join(limits, on="agent", how="left", maintain_order="left").with_columns(worst="limit")
    complete = pl.col("solved") == problems
    # An agent that was stopped by the cutoff exceeds every limit up to it, on a known problem and move.
    stopped = pl.col("stopped") & (pl.col("missing") == 0)
    out = (
        pl.when(stopped)
        .then(pl.lit(CUTOFF))
        .when(~complete)
        .then(pl.lit(UNSOLVED))
        .when("untimed")
        .then(pl.lit(UNTIMED))
        .when(pl.col("needs_map") & pl.lit(not terms.known_map))
        .then(pl.lit(MAP))
        .when((pl.col("memory_bytes") > _bound(terms.max_memory)).fill_null(terms.max_memory is not None))
        .then(pl.lit(MEMORY))
        .when(pl.col("build_ns") > _bound(terms.max_build_ns))
        .then(pl.lit(BUILD))
    )
    hosts = ", ".join(sorted(part["host"].unique()))
    return (
        tradeoff(terms.unsolved.capped(part, LOST), score=terms.score)
        .join(further, on="agent", maintain_order="left")
        .with_columns(missing=problems - pl.col("problems").cast(pl.Int64))
        .with_columns(
            set=pl.lit(part["set"][0] if terms.per_set else None, pl.String),
            cpu=pl.lit(part["cpu"][0] if terms.by == TIME else None, pl.String),
            hosts=pl.lit(hosts if terms.by == TIME else None, pl.String),
            problems=pl.lit(problems, pl.Int64),
            solved=pl.col("solved").cast(pl.Int64) - pl.col("capped"),
            out=out,
            **{f"worst_{what}": pl.col(f"at_{what}") for what in ("set", "map", "problem", "move")},
        )
        .sort(pl.col("out").is_not_null(), "worst", "suboptimality", "agent", nulls_last=True)
        .select(CANDIDATES)
    )


CANDIDATES = (
    *PART,
    "label",
    "agent",
    "problems",
    "solved",
    "capped",
    "missing",
    "unsolved",
    "score",
    "suboptimality",
    "suboptimality_se",
    "expanded_per_move",
    "worst",
    "worst_set",
    "worst_map",
    "worst_problem",
    "worst_move",
    "disturbed",
    "memory_bytes",
    "build_ns",
    "needs_map",
    "out",
)
"""Columns of `candidates`."""

MAX_HARDEST = 3
"""Maximum number of maps that explain why an agent with a lower median is not chosen."""

RUNNER_UP = pl.Struct(
    {
        "label": pl.String,
        "agent": pl.String,
        "min_limit": pl.Int64,
        "difference": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
    }
)
"""Fields of an entry of `runners_up`."""

BY_MEDIAN = pl.Struct(
    {
        "label": pl.String,
        "agent": pl.String,
        "min_limit": pl.Int64,
        "median": pl.Float64,
        "better_maps": pl.Int64,
        "hardest_maps": pl.List(pl.String),
        "on_them": pl.Float64,
        "without_them": pl.Float64,
    }
)
"""Fields of an entry of `by_median`."""

GUIDE = pl.Schema(
    {
        **dict.fromkeys(PART, pl.String()),
        "min_limit": pl.Int64(),
        "max_limit": pl.Int64(),
        "label": pl.String(),
        "agent": pl.String(),
        "score": pl.String(),
        "suboptimality": pl.Float64(),
        "suboptimality_se": pl.Float64(),
        "suboptimality_low": pl.Float64(),
        "suboptimality_high": pl.Float64(),
        "expanded_per_move": pl.Float64(),
        "median": pl.Float64(),
        "worst": pl.Int64(),
        "worst_low": pl.Float64(),
        "worst_high": pl.Float64(),
        "maps": pl.Int64(),
        "best_maps": pl.Int64(),
        "memory_bytes": pl.Int64(),
        "build_ns": pl.Int64(),
        "problems": pl.Int64(),
        "solved": pl.Int64(),
        "runners_up": pl.List(RUNNER_UP),
        "by_median": pl.List(BY_MEDIAN),
    }
)
"""Columns of `guide`."""


def _bound(bound: int | None) -> pl.Expr:
    """Return a bound as an expression; comparisons with `None` are null, so nothing exceeds it."""
    return pl.lit(bound, pl.Int64)


class _Comparison:
    """Problem-by-problem comparison of one part's candidates, in the order of their frame, with common resamples."""

    def __init__(self, part: pl.DataFrame, qualifying: pl.DataFrame, terms: Terms) -> None:
        self.score = terms.score
        # All candidates solved every problem, so the table of values has no gaps.
        place = pl.DataFrame(
            {"agent": qualifying["agent"], "place": range(qualifying.height)}, schema_overrides={"place": pl.Int64}
        )
        values = part.join(place, on="agent").sort("place", *PROBLEM)["suboptimality"].to_numpy()
        self.problems = qualifying["problems"][0] if qualifying.height else 0
        self.values: Values = values.reshape(qualifying.height, self.problems)
        names = part.join(place.filter(pl.col("place") == 0), on="agent").sort(*PROBLEM).select("set", "map")
        label = pl.col("map") if names["set"].n_unique() <= 1 else pl.concat_str("set", "map", separator="/")
        self.maps = names.select(label).to_series().to_numpy()
        self.medians = self._scores(MEDIAN)
        self.scores = self._scores(self.score)
        several = self.problems > 1
        self.resampled = (
            self.score.resampled(Resamples(self.problems, seed=terms.seed), self.values) if several else None
        )

    def _scores(self, score: Score) -> Values:
        return np.array([score.of(own) for own in self.values])

    def best_maps(self, best: int, within: NDArray[np.bool_]) -> tuple[int, int]:
        """Return the number of maps, and of those on which a candidate has the best score of those within a limit."""
        maps = [self.values[:, self.maps == name] for name in np.unique(self.maps)]
        lowest = [min(self.score.of(own) for own in values[within]) for values in maps]
        scores = [self.score.of(values[best]) for values in maps]
        return len(maps), sum(own <= low + 1e-12 for own, low in zip(scores, lowest, strict=True))

    def hardest_maps(self, at: int, best: int) -> dict[str, Any]:
        """Return the maps without which a candidate's score is lowest, and its scores on them and without them.

        There are as many as it takes for the candidate to have a better score than the best one, but a few at most.
        """
        values, kept, hardest = self.values[at], np.ones(len(self.maps), bool), list[str]()
        for _ in range(MAX_HARDEST):
            rest = {name: self.score.of(values[kept & (self.maps != name)]) for name in np.unique(self.maps[kept])}
            hardest.append(min(rest, key=lambda name: (math.isnan(rest[name]), rest[name])))
            kept &= self.maps != hardest[-1]
            if not kept.any() or self.score.of(values[kept]) < self.score.of(self.values[best][kept]):
                break
        without_them = _known(self.score.of(values[kept]))
        return {"hardest_maps": hardest, "on_them": self.score.of(values[~kept]), "without_them": without_them}

    def better_maps(self, one: int, other: int) -> int:
        """Return the number of maps on which a candidate has a better score than another one."""
        maps = (self.values[:, self.maps == name] for name in np.unique(self.maps))
        return sum(self.score.of(values[one]) < self.score.of(values[other]) for values in maps)

    def intervals(self) -> tuple[Values, Values]:
        """Return the bootstrap intervals of the scores; nan if there is only one problem."""
        if self.resampled is None:
            return (np.full(len(self.values), np.nan),) * 2
        return interval(self.resampled)

    def to(self, best: int) -> tuple[Values, Values, Values]:
        """Return the difference of each candidate to one of them, with its bootstrap interval."""
        difference = self.scores - self.scores[best]
        if self.resampled is None:
            return (difference, *((np.full(len(self.values), np.nan),) * 2))
        return (difference, *interval(self.resampled - self.resampled[:, [best]]))


def _guided(part: pl.DataFrame, agents: pl.DataFrame, terms: Terms) -> pl.DataFrame:
    qualifying = agents.filter(pl.col("out").is_null())
    shared = agents.select(*PART, "problems").row(0, named=True)
    empty: dict[str, Any] = {**dict.fromkeys(GUIDE), **shared, "runners_up": [], "by_median": []}
    # Limits start at 1, even if an agent expands nothing.
    chosen = (
        choices(qualifying.with_columns(solved="problems"), worst="worst")
        .with_columns(pl.col("min_limit").clip(1))
        .filter(pl.col("max_limit").is_null() | (pl.col("max_limit") >= 1))
    )
    place = {agent: number for number, agent in enumerate(qualifying["agent"])}
    compared = _Comparison(part, qualifying, terms)
    low, high = compared.intervals()
    # Beyond the run's own cutoff, a stopped agent might be better.
    end = terms.cutoff if (agents["out"] == CUTOFF).any() else None
    rows: list[dict[str, Any]] = []
    for row in chosen.iter_rows(named=True):
        at = place[row["agent"]]
        last = end if row["max_limit"] is None else row["max_limit"]
        facts = qualifying.row(at, named=True)
        rows.append(
            {
                **{name: facts[name] for name in GUIDE if name in facts},
                "min_limit": row["min_limit"],
                "max_limit": last,
                "suboptimality_low": _known(low[at]),
                "suboptimality_high": _known(high[at]),
                "runners_up": _runners_up(qualifying, compared, at, last),
                **_typical(qualifying, compared, at, row["min_limit"], last),
                **_worst_interval(part, row["agent"], terms),
            }
        )
    first = rows[0]["min_limit"] if rows else None
    if first is None or first > 1:
        rows.insert(0, {**empty, "min_limit": 1, "max_limit": end if first is None else first - 1})
    return pl.DataFrame(rows, schema=GUIDE)


def _runners_up(qualifying: pl.DataFrame, compared: _Comparison, best: int, last: int | None) -> list[dict[str, Any]]:
    """Return the agents that qualify within an interval and are statistically tied with the best, the closest first."""
    difference, low, high = compared.to(best)
    worst = qualifying["worst"].to_numpy()
    tied = (low <= 0) & (high >= 0) & (worst <= (np.inf if last is None else last))
    tied[best] = False
    found = [
        {
            "label": qualifying["label"][at],
            "agent": qualifying["agent"][at],
            "min_limit": max(int(worst[at]), 1),
            "difference": float(difference[at]),
            "low": float(low[at]),
            "high": float(high[at]),
        }
        for at in map(int, np.flatnonzero(tied))
    ]
    return sorted(found, key=lambda each: (each["difference"], each["min_limit"], each["agent"]))


def _typical(
    qualifying: pl.DataFrame, compared: _Comparison, best: int, first: int, last: int | None
) -> dict[str, Any]:
    """Return how typical the choice of an interval is: on how many maps it is the best, and who has a lower median."""
    worst, medians = qualifying["worst"].to_numpy(), compared.medians
    maps, best_maps = compared.best_maps(best, worst <= first)
    # Within the interval, further agents qualify one after the other.
    lowest = -np.inf if compared.score is MEDIAN else medians[best]
    by_median: list[dict[str, Any]] = []
    for at in sorted(map(int, np.flatnonzero(worst <= (np.inf if last is None else last))), key=lambda at: worst[at]):
        if medians[at] < lowest:
            limit = max(int(worst[at]), first)
            by_median = [each for each in by_median if each["min_limit"] < limit]
            lowest = medians[at]
            facts = {"label": qualifying["label"][at], "agent": qualifying["agent"][at]}
            by_median.append(
                {
                    **facts,
                    "min_limit": limit,
                    "median": float(medians[at]),
                    "better_maps": compared.better_maps(at, best),
                    **compared.hardest_maps(at, best),
                }
            )
    return {"median": float(medians[best]), "maps": maps, "best_maps": best_maps, "by_median": by_median}


def _worst_interval(part: pl.DataFrame, agent: str, terms: Terms) -> dict[str, float]:
    """Return the bootstrap interval of an agent's worst move; states do not vary, so only times have one."""
    if terms.by == STATES:
        return {}
    own = part.filter(pl.col("agent") == agent)
    low, high = (
        tolerant_interval(own, terms.column, terms.tolerate, speed=terms.speed, seed=terms.seed)
        if terms.tolerate
        else worst_interval(own, terms.column, seed=terms.seed)
    )
    return {"worst_low": low, "worst_high": high}


def _explained(part: pl.DataFrame, agents: pl.DataFrame, limit: int, terms: Terms) -> pl.DataFrame:
    over = part.group_by("agent").agg(over_problems=(pl.col(terms.column) > limit).sum().cast(pl.Int64))
    moves = "expanded_max" if terms.by == STATES else "time_max_ns"
    episodes = over_episodes(part, moves, limit, speed=terms.speed).rename({"share": "over_episodes"})
    over = over.join(episodes, on="agent", how="left")
    qualifying = agents.filter(pl.col("out").is_null())
    within = qualifying.filter(pl.col("worst") <= limit).sort("suboptimality", "worst", "agent")
    compared = _Comparison(part, within, terms)
    difference, low, high = compared.to(0) if within.height else (np.empty(0),) * 3
    tied = (low <= 0) & (high >= 0)
    verdicts = [BEST if at == 0 else TIED if is_tied else WORSE for at, is_tied in enumerate(tied)]
    compared_agents = within.select("agent").with_columns(
        verdict=pl.Series(verdicts, dtype=pl.String),
        difference=pl.Series(difference, dtype=pl.Float64),
        low=pl.Series(low, dtype=pl.Float64).fill_nan(None),
        high=pl.Series(high, dtype=pl.Float64).fill_nan(None),
    )
    # If the limit is above the run's own cutoff, the verdict on a stopped agent is unknown.
    stopped = (pl.col("out") == CUTOFF) & (pl.col("worst") > limit)
    otherwise = pl.when(pl.col("out").is_null() | stopped).then(pl.lit(OVER_LIMIT)).otherwise(pl.lit(EXCLUDED))
    order = {BEST: 0, TIED: 1, WORSE: 2, OVER_LIMIT: 3, EXCLUDED: 4}
    return (
        agents.join(over, on="agent", how="left", maintain_order="left")
        .join(compared_agents, on="agent", how="left", maintain_order="left")
        .with_columns(verdict=pl.col("verdict").fill_null(otherwise))
        .sort(pl.col("verdict").replace_strict(order), "suboptimality", "worst", "agent", nulls_last=True)
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
