"""Outcomes of an agent's problems: the columns about unsolved problems in every frame with one row per agent."""

import polars as pl

SOLVED = pl.col("status") == "solved"
OVER = pl.col("status") == "cutoff"
BROKEN = pl.col("status").is_in(["illegal", "error", "hung", "failed"])


def outcomes(worst_by: str) -> dict[str, pl.Expr]:
    """Return aggregations by agent: problems, solved, over, why, broken, how and unsolved; see `format_outcomes`.

    `why` describes the worst problem on which the cutoff was exceeded, `how` the first failure.
    """
    # A reason counts moves within a trial.
    trial = pl.when(pl.col("trials") > 1).then(pl.format(", trial {}", "trials")).otherwise(pl.lit(""))
    description = pl.format("{}/{}, problem {}{}: {}", "set", "map", "problem", trial, "reason")
    return {
        "problems": pl.len(),
        "solved": SOLVED.sum(),
        "over": OVER.sum(),
        "why": description.filter(OVER).sort_by(pl.col(worst_by).filter(OVER), descending=True).first(),
        "broken": BROKEN.sum(),
        "how": description.filter(BROKEN).first(),
        "unsolved": pl.col("status").filter(~SOLVED).value_counts(sort=True),
    }


def format_outcomes(frame: pl.DataFrame, means: tuple[str, ...]) -> pl.DataFrame:
    """Format `unsolved` as text, add `qualified`, and remove the `means` of agents that exceeded the cutoff."""
    qualified = pl.col("over") == 0
    one = pl.format("{} {}", pl.element().struct.field("count"), pl.element().struct.field("status"))
    return frame.with_columns(
        qualified=qualified,
        unsolved=pl.col("unsolved").list.eval(one).list.join(", "),
        **{name: pl.when(qualified).then(pl.col(name)) for name in means},
    )
