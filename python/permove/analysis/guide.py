"""The selection guide: for every interval of the limit on a single move, the agent with the best suboptimality.

Who passes a limit even once is out of the question under it, and so is who has not solved every problem at all: its
mean would be one over other problems.
"""

import polars as pl

from permove.analysis.tradeoff import tradeoff

BY = {"states": "expanded_max", "time": "time_max_ns"}
"""What may be limited: the column of the worst single move for each."""


def guide(records: pl.DataFrame, *, by: str = "states") -> pl.DataFrame:
    """The guide that a run's records give, from the lowest limit under which any agent can be had.

    `by` says what is limited: `states` expanded for any one move, or the `time` of one, in nanoseconds, which timed
    runs alone have.

    | column | meaning |
    | --- | --- |
    | least, most | the interval of the limit, both ends within; the last interval has no end |
    | label, agent | the best choice there |
    | suboptimality, .._se | its mean, and standard error |
    | expanded_per_move | pooled |
    | worst | its worst move, which is where the interval begins |
    """
    return choices(tradeoff(records), worst=BY[by])


def choices(means: pl.DataFrame, *, worst: str = "expanded_max") -> pl.DataFrame:
    """The same from one row for each agent, as `tradeoff` gives it; the column `worst` has the worst move."""
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
