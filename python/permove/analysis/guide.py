"""The selection guide: for every interval of the limit on a single move, the agent with the best suboptimality.

Who passes a limit even once is out of the question under it, and so is who has not solved every problem at all: its
mean would be one over other problems. Nobody is dropped for that without a word: `candidates` has every agent, with
why it can never be chosen where that is so.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from permove.analysis.belonging import PROBLEM, check_together
from permove.analysis.endings import OVER, SOLVED
from permove.analysis.statistics import Resamples, Values, interval
from permove.analysis.tradeoff import tradeoff
from permove.common.errors import InputError
from permove.records.columns import IDENTITY

STATES, TIME = "states", "time"
"""What may be limited."""

TIMES = {"worst": "time_max_ns", "99.9": "time_p999_ns", "99": "time_p99_ns"}
"""For each quantile of the time of a problem's moves, its column; the worst of the problems counts."""

ENTRY_BYTES = 8
"""What a stored heuristic value takes: the number of its state and the value itself, four bytes each."""

CUTOFF, UNSOLVED, UNTIMED, MEMORY, BUILD, MAP = "cutoff", "unsolved", "untimed", "memory", "build", "map"
"""Why an agent can never be chosen: stopped by the run's own cutoff, not solved, no time of single moves, and past one
of the terms."""

BEST, ALIKE, WORSE, TOO_MUCH, LEFT_OUT = "best", "alike", "worse", "over", "out"
"""What `explained` says of an agent under a limit."""


@dataclass(frozen=True)
class Terms:
    """What a guide is asked for."""

    by: str = STATES
    """What is limited: `states` expanded for any one move, or the `time` of one, in nanoseconds, in timed runs."""
    quantile: str = "worst"
    """Of a problem's times, `worst`, `99.9` or `99`: the share of its moves, in percent, that has to keep the limit."""
    max_memory: int | None = None
    """In bytes: what was built for a map, and `ENTRY_BYTES` for every heuristic value stored, on the worst problem.
    What a search holds only while it plans, such as open lists, is no part of it."""
    max_build_ns: int | None = None
    """For the map that took longest."""
    known_map: bool = True
    """Whether agents may know the map beforehand. Otherwise those are left out that had something built from a map
    which they saw all of; what is built where a sensor shows the map bit by bit tells nothing of it."""
    per_set: bool = False
    """Whether each set of maps has a guide of its own."""
    cutoff: int | None = None
    """The run's own limit on what is limited here: of who passed it, nothing is known beyond."""
    seed: int = 0
    """Of the bootstrap."""

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        if self.by not in (STATES, TIME):
            raise InputError(f"'{self.by}' is nothing to be limited; give {STATES} or {TIME}")
        if self.quantile not in TIMES:
            raise InputError(f"the quantile '{self.quantile}' is not known; give one of {', '.join(TIMES)}")
        if self.by == STATES and self.quantile != "worst":
            raise InputError(f"the quantile {self.quantile} is one of times; ask by {TIME}, or leave it out")

    @property
    def column(self) -> str:
        """The column of records that must not pass the limit."""
        return "expanded_max" if self.by == STATES else TIMES[self.quantile]


PART = ("set", "cpu", "hosts")
"""What a guide holds for: a set where each has its own, a processor and the machines that have it where times rule."""


def guide(records: pl.DataFrame, terms: Terms | None = None) -> pl.DataFrame:
    """The guide that a run's records give: intervals of the limit from 1 upwards, without a gap.

    | column | meaning |
    | --- | --- |
    | set, cpu, hosts | what it holds for, where there are several; nothing otherwise |
    | least, most | the interval of the limit, both ends within; the last has no end, or ends with the run's cutoff |
    | label, agent | the best choice there; nothing where no agent qualifies |
    | suboptimality, .._se, .._low, .._high | its mean, standard error, and bootstrap interval |
    | expanded_per_move | pooled |
    | worst | its worst move, which is where the interval begins |
    | memory_bytes, build_ns | of the worst problem, and of the map that took longest |
    | problems | how many it was measured on |
    | runners_up | who cannot be told from it: label, agent, the `least` limit needed, and the mean `difference` in \
suboptimality with its paired bootstrap interval from `low` to `high` |
    """
    terms = terms or Terms()
    parts = [_guided(part, who, terms) for part, who in _parts(records, terms)]
    return pl.concat(parts)


def candidates(records: pl.DataFrame, terms: Terms | None = None) -> pl.DataFrame:
    """Every agent, one row for each in each part, those that may be chosen first, by their worst move.

    | column | meaning |
    | --- | --- |
    | set, cpu, hosts | as in `guide` |
    | label, agent, problems, solved | as in `tradeoff`, and how many `problems` others walked that are `missing` |
    | unsolved | how often each other status occurred, as text |
    | suboptimality, .._se, expanded_per_move | as in `tradeoff` |
    | worst | the worst move of all problems: no limit below it is kept |
    | worst_set, worst_map, worst_problem, worst_move | where that was; the move where states are limited |
    | memory_bytes, build_ns, needs_map | what the terms look at |
    | out | why it can never be chosen: `cutoff`, `unsolved`, `untimed`, `memory`, `build` or `map` |
    """
    terms = terms or Terms()
    return pl.concat([who for _, who in _parts(records, terms)])


def explained(records: pl.DataFrame, limit: int, terms: Terms | None = None) -> pl.DataFrame:
    """What becomes of each agent under a limit: the columns of `candidates`, and

    | column | meaning |
    | --- | --- |
    | verdict | `best`, `alike` (indistinguishable from it), `worse`, `over` the limit or `out` of the question |
    | over_problems | on how many problems it passed the limit |
    | difference, low, high | in mean suboptimality to the best, with its paired bootstrap interval |
    """
    terms = terms or Terms()
    return pl.concat([_explained(part, who, limit, terms) for part, who in _parts(records, terms)])


def choices(means: pl.DataFrame, *, worst: str = "expanded_max") -> pl.DataFrame:
    """The choices alone, from one row for each agent, as `tradeoff` gives it; the column `worst` has the worst move."""
    able = means.filter((pl.col("solved") == pl.col("problems")) & pl.col(worst).is_not_null())
    # From the lowest limit up, an agent is chosen that is better than every one that could be had before.
    ordered = able.sort(worst, "suboptimality", "agent")
    before = pl.col("suboptimality").cum_min().shift(1)
    chosen = ordered.filter(before.is_null() | (pl.col("suboptimality") < before))
    # Of several with the same worst move only the best is ever chosen, and it stands first.
    return chosen.select(
        least=pl.col(worst).cast(pl.Int64),
        most=pl.col(worst).cast(pl.Int64).shift(-1) - 1,
        label="label",
        agent="agent",
        suboptimality="suboptimality",
        suboptimality_se="suboptimality_se",
        expanded_per_move="expanded_per_move",
        worst=pl.col(worst).cast(pl.Int64),
    )


def _parts(records: pl.DataFrame, terms: Terms) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """The records that a guide of their own is for, and the candidates that they give."""
    if records.is_empty():
        raise InputError("there are no records to guide by; the same `permove run` makes them")
    check_together(records)
    if records[terms.column].null_count() == records.height:
        raise InputError("the run has no time of single moves; `permove run --timed` measures them")
    keys = [*(["set"] if terms.per_set else []), *(["cpu"] if terms.by == TIME else [])]
    for part in records.sort(*keys, *IDENTITY).partition_by(keys, maintain_order=True) if keys else [records]:
        yield part, _candidates(part, terms)


def _candidates(part: pl.DataFrame, terms: Terms) -> pl.DataFrame:
    problems = part.select(PROBLEM).n_unique()
    at = pl.col(terms.column).arg_max()
    built = (pl.col("build_ns").fill_null(0) > 0) | (pl.col("build_bytes").fill_null(0) > 0)
    bytes_used = pl.col("build_bytes").fill_null(0) + ENTRY_BYTES * pl.col("memory").fill_null(0)
    # A run may have a cutoff in states and a limit on time: who passed the other one is merely not solved.
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
            stopped=(SOLVED | (OVER & past_cutoff)).all() & OVER.any(),
            memory_bytes=bytes_used.max().cast(pl.Int64),
            build_ns=pl.col("build_ns").max().fill_null(0).cast(pl.Int64),
            needs_map=(built & (pl.col("sensor") == "all")).any(),
        )
    )
    complete = pl.col("solved") == problems
    # Who was stopped by the cutoff is over every limit up to it, and told by problem and move.
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
        .when(pl.col("memory_bytes") > _or_any(terms.max_memory))
        .then(pl.lit(MEMORY))
        .when(pl.col("build_ns") > _or_any(terms.max_build_ns))
        .then(pl.lit(BUILD))
    )
    hosts = ", ".join(sorted(part["host"].unique()))
    return (
        tradeoff(part)
        .join(further, on="agent", maintain_order="left")
        .with_columns(missing=problems - pl.col("problems").cast(pl.Int64))
        .with_columns(
            set=pl.lit(part["set"][0] if terms.per_set else None, pl.String),
            cpu=pl.lit(part["cpu"][0] if terms.by == TIME else None, pl.String),
            hosts=pl.lit(hosts if terms.by == TIME else None, pl.String),
            problems=pl.lit(problems, pl.Int64),
            solved=pl.col("solved").cast(pl.Int64),
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
    "missing",
    "unsolved",
    "suboptimality",
    "suboptimality_se",
    "expanded_per_move",
    "worst",
    "worst_set",
    "worst_map",
    "worst_problem",
    "worst_move",
    "memory_bytes",
    "build_ns",
    "needs_map",
    "out",
)
"""The columns of `candidates`."""

RUNNER_UP = pl.Struct(
    {
        "label": pl.String,
        "agent": pl.String,
        "least": pl.Int64,
        "difference": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
    }
)
"""One of the `runners_up`."""

GUIDE = pl.Schema(
    {
        **dict.fromkeys(PART, pl.String()),
        "least": pl.Int64(),
        "most": pl.Int64(),
        "label": pl.String(),
        "agent": pl.String(),
        "suboptimality": pl.Float64(),
        "suboptimality_se": pl.Float64(),
        "suboptimality_low": pl.Float64(),
        "suboptimality_high": pl.Float64(),
        "expanded_per_move": pl.Float64(),
        "worst": pl.Int64(),
        "memory_bytes": pl.Int64(),
        "build_ns": pl.Int64(),
        "problems": pl.Int64(),
        "runners_up": pl.List(RUNNER_UP),
    }
)
"""The columns of `guide`."""


def _or_any(most: int | None) -> pl.Expr:
    """A bound as a column; without one, nothing is beyond it."""
    return pl.lit(most, pl.Int64)


class _Comparison:
    """Candidates of one part compared problem by problem: rows in the order of their frame, resampled together."""

    def __init__(self, part: pl.DataFrame, able: pl.DataFrame, seed: int) -> None:
        # Every one of them solved every problem, so that the values are a table without holes.
        place = pl.DataFrame(
            {"agent": able["agent"], "place": range(able.height)}, schema_overrides={"place": pl.Int64}
        )
        values = part.join(place, on="agent").sort("place", *PROBLEM)["suboptimality"].to_numpy()
        self.problems = able["problems"][0] if able.height else 0
        self.values: Values = values.reshape(able.height, self.problems)
        self.means = Resamples(self.problems, seed=seed).means(self.values) if self.problems > 1 else None

    def intervals(self) -> tuple[Values, Values]:
        """Of the means; nan where there is one problem alone."""
        if self.means is None:
            return (np.full(len(self.values), np.nan),) * 2
        return interval(self.means)

    def to(self, best: int) -> tuple[Values, Values, Values]:
        """The mean difference of each to one of them, and the ends of its interval."""
        difference = self.values.mean(axis=1) - self.values[best].mean()
        if self.means is None:
            return (difference, *((np.full(len(self.values), np.nan),) * 2))
        return (difference, *interval(self.means - self.means[:, [best]]))


def _guided(part: pl.DataFrame, who: pl.DataFrame, terms: Terms) -> pl.DataFrame:
    able = who.filter(pl.col("out").is_null())
    shared = who.select(*PART, "problems").row(0, named=True)
    empty: dict[str, Any] = {**dict.fromkeys(GUIDE), **shared, "runners_up": []}
    # The limit counts from 1; nobody has less, whatever little it does.
    chosen = (
        choices(able, worst="worst")
        .with_columns(pl.col("least").clip(1))
        .filter(pl.col("most").is_null() | (pl.col("most") >= 1))
    )
    place = {agent: number for number, agent in enumerate(able["agent"])}
    compared = _Comparison(part, able, terms.seed)
    low, high = compared.intervals()
    # Beyond the run's own cutoff who was stopped might be better.
    end = terms.cutoff if (who["out"] == CUTOFF).any() else None
    rows: list[dict[str, Any]] = []
    for row in chosen.iter_rows(named=True):
        at = place[row["agent"]]
        most = end if row["most"] is None else row["most"]
        facts = able.row(at, named=True)
        rows.append(
            {
                **{name: facts[name] for name in GUIDE if name in facts},
                "least": row["least"],
                "most": most,
                "suboptimality_low": _known(low[at]),
                "suboptimality_high": _known(high[at]),
                "runners_up": _runners_up(able, compared, at, most),
            }
        )
    first = rows[0]["least"] if rows else None
    if first is None or first > 1:
        rows.insert(0, {**empty, "least": 1, "most": end if first is None else first - 1})
    return pl.DataFrame(rows, schema=GUIDE)


def _runners_up(able: pl.DataFrame, compared: _Comparison, best: int, most: int | None) -> list[dict[str, Any]]:
    """Who may be had within an interval and cannot be told from the best, the nearest first."""
    difference, low, high = compared.to(best)
    worst = able["worst"].to_numpy()
    near = (low <= 0) & (high >= 0) & (worst <= (np.inf if most is None else most))
    near[best] = False
    found = [
        {
            "label": able["label"][at],
            "agent": able["agent"][at],
            "least": max(int(worst[at]), 1),
            "difference": float(difference[at]),
            "low": float(low[at]),
            "high": float(high[at]),
        }
        for at in map(int, np.flatnonzero(near))
    ]
    return sorted(found, key=lambda each: (each["difference"], each["least"], each["agent"]))


def _explained(part: pl.DataFrame, who: pl.DataFrame, limit: int, terms: Terms) -> pl.DataFrame:
    passed = pl.col(terms.column) > limit
    over = part.group_by("agent").agg(over_problems=passed.sum().cast(pl.Int64))
    able = who.filter(pl.col("out").is_null())
    within = able.filter(pl.col("worst") <= limit).sort("suboptimality", "worst", "agent")
    compared = _Comparison(part, within, terms.seed)
    difference, low, high = compared.to(0) if within.height else (np.empty(0),) * 3
    alike = (low <= 0) & (high >= 0)
    verdicts = [BEST if at == 0 else ALIKE if near else WORSE for at, near in enumerate(alike)]
    told = within.select("agent").with_columns(
        verdict=pl.Series(verdicts, dtype=pl.String),
        difference=pl.Series(difference, dtype=pl.Float64),
        low=pl.Series(low, dtype=pl.Float64).fill_nan(None),
        high=pl.Series(high, dtype=pl.Float64).fill_nan(None),
    )
    # A limit that the run's own cutoff is below is beyond what is known of who was stopped.
    stopped = (pl.col("out") == CUTOFF) & (pl.col("worst") > limit)
    otherwise = pl.when(pl.col("out").is_null() | stopped).then(pl.lit(TOO_MUCH)).otherwise(pl.lit(LEFT_OUT))
    order = {BEST: 0, ALIKE: 1, WORSE: 2, TOO_MUCH: 3, LEFT_OUT: 4}
    return (
        who.join(over, on="agent", how="left", maintain_order="left")
        .join(told, on="agent", how="left", maintain_order="left")
        .with_columns(verdict=pl.col("verdict").fill_null(otherwise))
        .sort(pl.col("verdict").replace_strict(order), "suboptimality", "worst", "agent", nulls_last=True)
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
