"""Tables and pictures of explorations of the algorithm space and of selections from it."""

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
    """Return the summary of an exploration with the histogram of Figure 2."""
    table = headed_table("", "problems", "suboptimality", "better")
    for row in exploration.summary.iter_rows(named=True):
        table.add_row(
            f"{row['what']}: {row['algorithm']}",
            number(row["problems"]),
            plus_minus(row["suboptimality"], row["suboptimality_se"]),
            f"{row['better']:.1f}%",
        )
    values = exploration.algorithms["suboptimality"].to_numpy()
    caption = "“better” is the share of the algorithms with a lower sample suboptimality.\n"
    return Group(
        Text(exploration.title, style="bold"),
        table,
        Text(caption),
        Text(f"Algorithms by {SUBOPTIMALITY}", style="bold"),
        histogram.bars(histogram.binned(values, open_end=True), _marks(exploration)),
    )


def exploration_svg(exploration: Exploration) -> str:
    """Return the histogram of Figure 2 as SVG."""
    return histogram.svg(
        exploration.algorithms["suboptimality"].to_numpy(), SUBOPTIMALITY.capitalize(), _marks(exploration)
    )


def selected_title(selected: Selected) -> str:
    """Return a title with the numbers of algorithms and of maps or problems."""
    return f"{selected.title}: {selected.algorithms:,} algorithms, {selected.columns:,} {selected.what}"


def selected_table(selected: Selected) -> RenderableType:
    """Return tables with one row per share of present values and one column per method, in-sample and held out.

    The method `nearest` does not depend on that share and is reported below the tables.
    """
    frame = selected.frame.sort("present", maintain_order=True)
    nearest = frame.filter(pl.col("method") == NEAREST).head(1)
    below = [
        f"“{NEAREST}”, which runs no algorithm on new {selected.what}: {plus_minus(row['mean'], row['se'])}, held out "
        f"{plus_minus(row['held_out'], row['held_out_se'])}.\n"
        for row in nearest.iter_rows(named=True)
    ]
    below.append(
        f"Means on the new {selected.what}, with standard errors over {_trials(selected)}. In-sample scores are over "
        "the problems by which an algorithm is chosen, held-out scores over other problems of the same map.\n"
    )
    below.append(f"{selected.choices.sentence}\n")
    return Group(
        Text(selected_title(selected), style="bold"),
        Text("In-sample, as in the paper"),
        _methods_table(selected, frame, "mean", "se"),
        Text("Held out"),
        _methods_table(selected, frame, "held_out", "held_out_se"),
        *map(Text, below),
    )


def _methods_table(selected: Selected, frame: pl.DataFrame, score: str, error: str) -> RenderableType:
    """Return one row per share of present values, and one column per method that depends on it."""
    methods = [name for name in selected.methods if name != NEAREST]
    table = headed_table("present", "algorithms\nrun", *methods)
    for (present,), part in frame.partition_by("present", as_dict=True, maintain_order=True).items():
        rows = {row["method"]: row for row in part.iter_rows(named=True)}
        cells = [plus_minus(rows[name][score], rows[name][error]) for name in methods]
        table.add_row(f"{number(present)}%", number(part["algorithms"][0]), *cells)
    return table


def _trials(selected: Selected) -> str:
    """Return the number of trials, and the methods with fewer trials."""
    counts = dict(selected.frame.select("method", "trials").unique(maintain_order=True).iter_rows())
    total = max(counts.values())
    fewer = [f"“{method}” over the first {count:,}" for method, count in counts.items() if count < total]
    return ", ".join([f"{total:,} trials", *fewer])


def selected_data(selected: Selected) -> Data:
    """Return the data of Figures 3 and 4."""
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
    """Return Figures 3 and 4 as SVG: mean suboptimality against the share of new values that is present."""
    return plot.svg(selected_data(selected))


def practice_title(found: Practice) -> str:
    """Return a title with the numbers of algorithms, problems and maps."""
    return (
        f"Choosing an algorithm per problem by its features: {found.algorithms:,} algorithms, "
        f"{found.problems:,} problems on {found.maps:,} maps"
    )


def practice_table(found: Practice) -> RenderableType:
    """Return a table with one row per method, and below it the gain and the time of the practical choice."""
    table = headed_table("method", "in-sample,\non new maps", "\nheld out")
    for row in found.frame.iter_rows(named=True):
        scores = plus_minus(row["mean"], row["se"]), plus_minus(row["held_out"], row["held_out_se"])
        table.add_row(row["method"], *scores)
    below = (
        f"Means over {found.trials:,} splits into two thirds and one third of the maps. Over all problems, with the "
        "map of each excluded from training, practical is better than prior by "
        f"{plus_minus(found.gain, found.gain_se)}.\n"
        f"A choice takes {format_duration(found.look_ns)} for the features and {format_duration(found.choose_ns)} for "
        "the forest, many problems at a time. Preparing a map, including its hierarchy, takes "
        f"{format_duration(found.prepare_ns)}.\n"
        f"Most important features: {', '.join(found.importances['feature'][:8])}.\n\n"
        "“exhaustive” and “portfolio” choose by the outcome on the problem itself; held out, they are scored on other "
        f"problems of its map. {found.choices.sentence}\n"
    )
    return Group(Text(practice_title(found), style="bold"), table, Text(below))


def _marks(exploration: Exploration) -> dict[str, float]:
    """Return the marks of the histogram: the mean, and the algorithms designed by people."""
    rows = exploration.summary.filter(pl.col("what") == "designed by people").select("algorithm", "suboptimality")
    mean = exploration.algorithms["suboptimality"].mean()
    assert isinstance(mean, float)
    return {"mean": mean, **dict(rows.iter_rows())}
