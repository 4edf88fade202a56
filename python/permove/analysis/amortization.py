"""Amortization: the cost of precomputation against the time that it saves on every move."""

import numpy as np
import polars as pl

from permove.analysis.measures import MEASURES, Table
from permove.analysis.outcomes import SOLVED
from permove.analysis.scores import MEAN, Score
from permove.analysis.statistics import interval
from permove.analysis.tradeoff import tradeoff
from permove.analysis.unsolved import Unsolved
from permove.common.errors import InputError

CLOSEST = "closest"
"""The choice of another agent for each agent by suboptimality."""

SMALL = 0.1
"""The share of an agent's build time that the closest agent may take for structures of its own."""

COLUMNS = {"moves_low": pl.Float64, "moves_high": pl.Float64}
"""Columns that `recouped` adds to `amortization`."""


def recouped(
    records: pl.DataFrame,
    *,
    against: str = CLOSEST,
    rule: Unsolved | None = None,
    score: Score = MEAN,
    seed: int = 0,
) -> pl.DataFrame:
    """Return `amortization` of every agent that builds more than the one it is compared with.

    `against` is the spec of an agent, or `closest`: for each agent the one with the closest suboptimality among those
    that build at most a tenth as long, such as agents without precomputation or with small structures. The build time
    is the mean over the maps, and only the difference to that of the other agent has to be recouped. `moves_low` and
    `moves_high` are the bootstrap interval of `moves`; `moves_high` is infinite if the agent may save no time at all.
    Only agents with values on the same problems are compared: by default on all problems, otherwise on those that count
    under the `rule`.
    """
    table = Table(records, seed=seed, rule=rule)
    means = tradeoff(records, rule=rule, score=score).filter(
        pl.col("qualified") & (pl.col("counted") == table.problems.height)
    )
    build = (
        records.filter(SOLVED)
        .group_by("agent", "set", "map")
        .agg(pl.col("build_ns").max().fill_null(0).cast(pl.Float64))
        .group_by("agent")
        .agg(pl.col("build_ns").mean())
        .filter(pl.col("agent").is_in(means["agent"].to_list()))
    )
    pairs = _pairs(means, build, against)
    other = build.select(other="agent", other_build_ns="build_ns")
    built = (
        pairs.join(build, on="agent", how="left", maintain_order="left")
        .join(other, on="other", how="left", maintain_order="left")
        .select("agent", build_ns=pl.col("build_ns") - pl.col("other_build_ns"))
    )
    times = table.resampled(MEASURES["time_per_move_ns"])
    place = {agent: number for number, agent in enumerate(table.agents)}
    found = amortization(pairs, means, built)
    saved = np.stack(
        [times[:, place[row["other"]]] - times[:, place[row["agent"]]] for row in found.to_dicts()], axis=1
    )
    with np.errstate(divide="ignore"):
        moves = np.where(saved > 0, found["build_ns"].to_numpy() / np.where(saved > 0, saved, 1), np.inf)
    ends = interval(moves) if table.problems.height > 1 else (np.full(found.height, np.nan),) * 2
    return found.with_columns(
        pl.Series(name, values, pl.Float64).fill_nan(None) for name, values in zip(COLUMNS, ends, strict=True)
    )


def _pairs(means: pl.DataFrame, build: pl.DataFrame, against: str) -> pl.DataFrame:
    """Return each agent with the one that it is compared with, as `agent` and `other`."""
    times = dict(build.iter_rows())
    longest = [agent for agent, time in times.items() if time > 0]
    if against != CLOSEST:
        if against not in times:
            raise InputError(f"{against} did not solve the compared problems; compare with another agent")
        own = sorted(agent for agent in longest if times[agent] > times[against])
        if not own:
            raise InputError(f"no agent builds longer than {against}; compare with an agent that builds less")
        return pl.DataFrame({"agent": own, "other": [against] * len(own)})
    found = []
    for agent in sorted(longest):
        small = [other for other, time in times.items() if time <= SMALL * times[agent]]
        others = means.filter(pl.col("agent").is_in(small))
        if not others.is_empty():
            found.append(closest(means.filter(agent=agent), others))
    if not found:
        kind = "with" if not longest else "without"
        raise InputError(
            f"no agent {kind} precomputation solved the compared problems; add one to the run to compare with"
        )
    return pl.concat(found)


def closest(means: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """Return for each agent of `means` the one of `others` with the closest suboptimality, as `agent` and `other`.

    Both frames have the columns of `tradeoff`. On ties, the agent that plans less per move is used.
    """
    pairs = means.select("agent", "suboptimality").join(
        others.select(other="agent", other_suboptimality="suboptimality", planning="expanded_per_move"),
        how="cross",
    )
    distance = (pl.col("suboptimality") - pl.col("other_suboptimality")).abs()
    return (
        pairs.with_columns(distance=distance)
        .drop_nulls("distance")
        .sort("distance", "planning", "other")
        .group_by("agent", maintain_order=True)
        .first()
        .select("agent", "other")
    )


def amortization(pairs: pl.DataFrame, means: pl.DataFrame, built: pl.DataFrame) -> pl.DataFrame:
    """Return after how many moves an agent has recouped its build time, compared with another agent.

    `pairs` has the columns `agent` and `other`, `built` the columns `agent` and `build_ns`, and `means` the columns of
    `tradeoff` for all agents, from a timed run.

    | column | meaning |
    | --- | --- |
    | agent, label, other, other_label | the two agents |
    | suboptimality, other_suboptimality | their means, or other scores |
    | time_per_move_ns, other_time_per_move_ns | pooled |
    | build_ns | build time of the data that only the first agent uses |
    | moves | build_ns divided by the time saved per move; null if no time is saved |
    | run_ns | the time that the agent takes for this number of moves |
    """
    facts = means.select("agent", "label", "suboptimality", "time_per_move_ns")
    other = facts.select(pl.all().name.prefix("other_")).rename({"other_agent": "other"})
    saved = pl.col("other_time_per_move_ns") - pl.col("time_per_move_ns")
    return (
        pairs.join(facts, on="agent", how="left", maintain_order="left")
        .join(other, on="other", how="left", maintain_order="left")
        .join(built.select("agent", "build_ns"), on="agent", how="left", maintain_order="left")
        .with_columns(moves=pl.when(saved > 0).then(pl.col("build_ns") / saved))
        .with_columns(run_ns=pl.col("moves") * pl.col("time_per_move_ns"))
        .select(
            "agent",
            "label",
            "other",
            "other_label",
            "suboptimality",
            "other_suboptimality",
            "time_per_move_ns",
            "other_time_per_move_ns",
            "build_ns",
            "moves",
            "run_ns",
        )
    )
