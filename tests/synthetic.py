"""Random records of a large run: agents of several families, each with its own distribution of values."""

import numpy as np
import polars as pl

from permove.records.columns import SCHEMA

FAMILIES = ("lrta", "rtaa", "klrta", "pr-lrts", "wastar", "rta", "plrta", "lrts", "sla", "gamma-trap")


def large_run(agents: int, problems: int, maps: int, *, seed: int = 0) -> pl.DataFrame:
    """Return a record of every agent on every problem; agents that plan more tend to find shorter paths."""
    draw = np.random.default_rng(seed)
    tasks = pl.DataFrame(
        {
            "set": "made",
            "map": [f"map-{at % maps:03}" for at in range(problems)],
            "problem": np.arange(problems, dtype=np.uint32) // maps,
            "optimal": draw.uniform(10, 2000, problems),
        }
    ).with_columns(bucket=(pl.col("optimal") // 4).cast(pl.UInt32))
    depth = np.exp(draw.uniform(0, 9, agents))
    families = [FAMILIES[at % len(FAMILIES)] for at in range(agents)]
    names = pl.DataFrame(
        {
            "agent": [f"{family}(d={at}, gamma={at / 7:.3f}, ties=n)" for at, family in enumerate(families)],
            "label": [f"{family.upper()} (d={at}, γ={at / 7:.3f})" for at, family in enumerate(families)],
        }
    )
    shape = (agents, problems)
    suboptimality = 1 + np.exp(draw.normal(3, 1, shape)) / np.sqrt(depth)[:, None]
    moves = (suboptimality * tasks["optimal"].to_numpy()).astype(np.int64) + 1
    per_move = depth[:, None] * draw.uniform(0.2, 0.6, shape)
    worst = np.maximum(depth[:, None] * draw.uniform(0.5, 1.0, shape), 1).astype(np.int64)
    time = (per_move * 40 + 60) * moves
    values = pl.DataFrame(
        {
            "suboptimality": suboptimality.ravel(),
            "moves": moves.ravel(),
            "expanded": (per_move * moves).astype(np.int64).ravel(),
            "expanded_max": worst.ravel(),
            "time_ns": time.astype(np.int64).ravel(),
            **{
                name: (worst * spread * draw.uniform(40, 60, shape)).astype(np.int64).ravel()
                for name, spread in (("time_max_ns", 9), ("time_p999_ns", 3), ("time_p99_ns", 1))
            },
        }
    ).with_columns(
        cost=pl.col("suboptimality"),
        touched=pl.col("expanded") * 8,
        status=pl.lit("solved"),
        trials=1,
        expanded_max_move=1,
        sensor=pl.lit("all"),
        seed=0,
        host=pl.lit("here"),
        cpu=pl.lit("fast"),
    )
    rows = pl.concat([names.join(tasks, how="cross"), values], how="horizontal")
    missing = [pl.lit(None).alias(name) for name in SCHEMA if name not in rows.columns]
    return rows.with_columns(missing).select(pl.col(name).cast(dtype) for name, dtype in SCHEMA.items())
