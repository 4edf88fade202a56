"""What was computed beforehand, set against what it saves on every move."""

import numpy as np
import polars as pl

from permove.analysis.endings import SOLVED
from permove.analysis.measures import MEASURES, Table
from permove.analysis.statistics import interval
from permove.analysis.tradeoff import tradeoff
from permove.common.errors import InputError

COLUMNS = {"moves_low": pl.Float64, "moves_high": pl.Float64}
"""What `recouped` adds to `amortization`."""


def recouped(records: pl.DataFrame, *, seed: int = 0) -> pl.DataFrame:
    """`amortization` of every agent that has something built, against the one closest to it of those that have not.

    The build is the mean over the maps. `moves_low` and `moves_high` are the ends of the bootstrap interval of the
    moves, of which the upper one is infinite where nothing may be saved at all. Only agents that solved every problem
    are compared.
    """
    table = Table(records, seed=seed)
    means = tradeoff(records).filter(pl.col("solved") == table.problems.height)
    built = (
        records.filter(SOLVED)
        .group_by("agent", "set", "map")
        .agg(pl.col("build_ns").max().fill_null(0).cast(pl.Float64))
        .group_by("agent")
        .agg(pl.col("build_ns").mean())
        .filter(pl.col("build_ns") > 0)
    )
    own = means.filter(pl.col("agent").is_in(built["agent"].to_list()))
    others = means.filter(~pl.col("agent").is_in(built["agent"].to_list()))
    if own.is_empty() or others.is_empty():
        which = "has something built beforehand" if own.is_empty() else "does without anything built beforehand"
        raise InputError(f"no agent that solved every problem {which}: there is nothing to recoup; add one to the run")
    pairs = closest(own, others)
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


def closest(means: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """For each agent of `means`, the one of `others` whose suboptimality is the closest; of equals, who plans less.

    Both frames have the columns of `tradeoff`. One row for each agent: its `agent`, and the `other`.
    """
    pairs = means.select("agent", "suboptimality").join(
        others.select(other="agent", other_suboptimality="suboptimality", planning="expanded_per_move"),
        how="cross",
    )
    away = (pl.col("suboptimality") - pl.col("other_suboptimality")).abs()
    return (
        pairs.with_columns(away=away)
        .drop_nulls("away")
        .sort("away", "planning", "other")
        .group_by("agent", maintain_order=True)
        .first()
        .select("agent", "other")
    )


def amortization(pairs: pl.DataFrame, means: pl.DataFrame, built: pl.DataFrame) -> pl.DataFrame:
    """After how many moves the time to build what an agent uses has been recouped against another agent.

    `pairs` has a row of `agent` and `other` for each; `means` has the columns of `tradeoff` for all of them, from a
    timed run; `built` has a row of `agent` and `build_ns`.

    | column | meaning |
    | --- | --- |
    | agent, label, other, other_label | the two |
    | suboptimality, other_suboptimality | their means |
    | time_per_move_ns, other_time_per_move_ns | pooled |
    | build_ns | what it took to build what the agent uses and the other does not |
    | moves | build_ns over what is saved on each move; nothing where nothing is saved |
    | run_ns | the time that the agent takes for so many moves |
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
