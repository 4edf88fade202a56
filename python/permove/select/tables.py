"""Explorations of the algorithm space and what selecting from it is worth, as tables and pictures."""

import polars as pl
from rich.console import Group, RenderableType
from rich.text import Text

from permove.common.units import format_duration
from permove.report import histogram, plot
from permove.report.formats import number
from permove.report.plot import Data, Plot
from permove.report.table import headed_table, plus_minus
from permove.select import Exploration, Selected
from permove.select.practical import Practice
from permove.select.selection import NEAREST

SUBOPTIMALITY = "sample suboptimality"


def exploration_table(exploration: Exploration) -> RenderableType:
    """The summary of an exploration, and the histogram of Figure 2 below it."""
    table = headed_table("", "problems", "suboptimality", "better")
    for row in exploration.summary.iter_rows(named=True):
        table.add_row(
            Text.assemble(f"{row['what']}: ", (row["algorithm"], "bold")),
            number(row["problems"]),
            plus_minus(row["suboptimality"], row["suboptimality_se"]),
            f"{row['better']:.1f}%",
        )
    values = exploration.algorithms["suboptimality"].to_numpy()
    caption = "“better” is the share of the algorithms whose sample suboptimality is less.\n"
    return Group(
        Text(exploration.title, style="bold"),
        table,
        Text(caption),
        Text(f"Algorithms by {SUBOPTIMALITY}", style="bold"),
        histogram.bars(histogram.binned(values, open_end=True), _marks(exploration)),
    )


def exploration_svg(exploration: Exploration) -> str:
    """The histogram of Figure 2 as a picture."""
    return histogram.svg(
        exploration.algorithms["suboptimality"].to_numpy(), SUBOPTIMALITY.capitalize(), _marks(exploration)
    )


def selected_title(selected: Selected) -> str:
    """What was selected from, in a few words."""
    return f"{selected.title}: {selected.algorithms:,} algorithms, {selected.columns:,} {selected.what}"


def selected_table(selected: Selected) -> RenderableType:
    """A row for each share of the new values that is present, a column for each way of selecting.

    What neither the paper's tables have nor depends on that share stands below.
    """
    methods = [name for name in selected.methods if name != NEAREST]
    table = headed_table("present", "algorithms\nrun", *methods)
    table.columns[0].no_wrap = True
    frame = selected.frame.sort("present", maintain_order=True)
    for (present,), part in frame.partition_by("present", as_dict=True, maintain_order=True).items():
        rows = {row["method"]: row for row in part.iter_rows(named=True)}
        cells = [plus_minus(rows[name]["mean"], rows[name]["se"]) for name in methods]
        table.add_row(f"{number(present)}%", number(part["algorithms"][0]), *cells)
    nearest = frame.filter(pl.col("method") == NEAREST).head(1)
    below = [
        f"“{NEAREST}”, which runs nothing on new {selected.what}: {plus_minus(mean, error)}.\n"
        for mean, error in nearest.select("mean", "se").iter_rows()
    ]
    below.append(f"Means on the new {selected.what}, with standard errors over {_trials(selected)}.\n")
    return Group(Text(selected_title(selected), style="bold"), table, *map(Text, below))


def _trials(selected: Selected) -> str:
    """How many trials there were, of some ways of selecting fewer."""
    counts = dict(selected.frame.select("method", "trials").unique(maintain_order=True).iter_rows())
    most = max(counts.values())
    fewer = [f"“{method}” over the first {count:,}" for method, count in counts.items() if count < most]
    return ", ".join([f"{most:,} trials", *fewer])


def selected_data(selected: Selected) -> Data:
    """What Figures 3 and 4 plot."""
    drawn = Plot(
        x="present",
        y="mean",
        x_title="Test data present (%)",
        y_title="Mean suboptimality",
        group="method",
        lines=selected.methods,
        errors="se",
    )
    return Data(selected_title(selected), selected.frame, drawn)


def selected_svg(selected: Selected) -> str:
    """Figures 3 and 4 as a picture: mean suboptimality against how much of the new values is present."""
    return plot.svg(selected_data(selected))


def practice_title(found: Practice) -> str:
    """What was chosen from, in a few words."""
    return (
        f"Choosing an algorithm per problem by its features: {found.algorithms:,} algorithms, {found.problems:,} "
        "problems "
        f"on {found.maps:,} maps"
    )


def practice_table(found: Practice) -> RenderableType:
    """A row for each way of choosing, and below what the practical one gains and takes."""
    table = headed_table("method", "suboptimality\non new maps")
    for method, mean, error in found.frame.select("method", "mean", "se").iter_rows():
        table.add_row(method, plus_minus(mean, error))
    below = (
        f"Means over {found.trials:,} splits into two thirds and one third of the maps. With each problem chosen for "
        "once, "
        f"its map never seen, practical is better than prior by {plus_minus(found.gain, found.gain_se)}.\n"
        f"A choice takes {format_duration(found.look_ns)} for the features and {format_duration(found.choose_ns)} "
        "for the "
        f"forest, many at a time; a map is prepared in {format_duration(found.prepare_ns)}, with its hierarchy.\n"
        f"What decides most: {', '.join(found.importances['feature'][:8])}.\n"
    )
    return Group(Text(practice_title(found), style="bold"), table, Text(below))


def _marks(exploration: Exploration) -> dict[str, float]:
    """What the histogram points at: what people designed, and the mean."""
    rows = exploration.summary.filter(pl.col("what") == "designed by people").select("algorithm", "suboptimality")
    mean = exploration.algorithms["suboptimality"].mean()
    assert isinstance(mean, float)
    return {"mean": mean, **dict(rows.iter_rows())}
