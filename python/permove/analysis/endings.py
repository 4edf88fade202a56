"""How the walks of an agent ended: what every frame with one row per agent says of those that were not solved."""

import polars as pl

SOLVED = pl.col("status") == "solved"
OVER = pl.col("status") == "cutoff"
BROKEN = pl.col("status").is_in(["illegal", "error", "hung", "failed"])


def of_solved(name: str) -> pl.Expr:
    """A column where the problem was solved."""
    return pl.col(name).filter(SOLVED)


def mean(name: str) -> dict[str, pl.Expr]:
    """The mean of a column over the solved problems, under its own name, and its standard error under `name_se`."""
    values = of_solved(name)
    return {name: values.mean(), f"{name}_se": values.std() / values.count().sqrt()}


def endings(worst_by: str) -> dict[str, pl.Expr]:
    """For a group by agent: problems, solved, over, why, broken, how and unsolved, as counts; see `in_words`.

    What is told of those over the limit is the worst, and of those that broke down the first.
    """
    # A reason counts moves within a trial.
    trial = pl.when(pl.col("trials") > 1).then(pl.format(", trial {}", "trials")).otherwise(pl.lit(""))
    told = pl.format("{}/{}, problem {}{}: {}", "set", "map", "problem", trial, "reason")
    return {
        "problems": pl.len(),
        "solved": SOLVED.sum(),
        "over": OVER.sum(),
        "why": told.filter(OVER).sort_by(pl.col(worst_by).filter(OVER), descending=True).first(),
        "broken": BROKEN.sum(),
        "how": told.filter(BROKEN).first(),
        "unsolved": pl.col("status").filter(~SOLVED).value_counts(sort=True),
    }


def in_words(frame: pl.DataFrame, means: tuple[str, ...]) -> pl.DataFrame:
    """A frame with `endings` in it: unsolved as text, and whoever passed the cutoff without any of the `means`."""
    qualified = pl.col("over") == 0
    one = pl.format("{} {}", pl.element().struct.field("count"), pl.element().struct.field("status"))
    return frame.with_columns(
        qualified=qualified,
        unsolved=pl.col("unsolved").list.eval(one).list.join(", "),
        **{name: pl.when(qualified).then(pl.col(name)) for name in means},
    )
