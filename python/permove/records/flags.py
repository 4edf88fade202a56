"""The flag of plug-ins that move through states which they never expanded."""

from typing import Final

import polars as pl

FLAG: Final = " ‡"
"""The end of the label of such an agent, in every table, plot and page."""

FLAG_NOTE: Final = (
    "‡ Some moves leave states that the plug-in never expanded, so it planned with knowledge that was not counted. Do "
    "not compare its planning with that of other agents."
)


def flagged(records: pl.DataFrame) -> pl.DataFrame:
    """Return records in which the labels of such agents have the flag."""
    is_flagged = (pl.col("unexpanded_moves").sum() > 0).over("agent")
    return records.with_columns(pl.when(is_flagged).then(pl.col("label") + FLAG).otherwise("label").alias("label"))
