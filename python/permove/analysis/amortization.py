"""What was computed beforehand, set against what it saves on every move."""

import polars as pl


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
