"""The interplay of two parameters on each measure."""

import polars as pl

from permove.analysis.interplay import AMPLIFIES, DIMINISHES, Interplay, interplay
from permove.analysis.measures import MEASURES, Measure, find
from permove.common.errors import InputError
from permove.records.settings import CONVERGE
from permove.report.document import Block, Document, Figure, Heading, Rows
from permove.report.plot import Data, Plot, svg
from permove.report.table import compact
from permove.views.view import Axes, RunLike, View, ViewResult, format_value

CONVERGENCE = ("travel", "first_move_touched", "touched", "memory", "suboptimality")
"""The measures of a run to convergence, as in the paper."""

ONCE = ("suboptimality", "expanded_per_move", "expanded_max", "memory")


def render(run: RunLike, axes: Axes) -> ViewResult:
    """Return one row per kind of agent, measure and pair of values."""
    names = [name.strip() for name in (axes.parameters or "").split(",")]
    if len(names) != 2 or not all(names):
        raise InputError("the view interplay needs two parameters; name them, for example --parameters d,gamma")
    columns = CONVERGENCE if run.settings.trials == CONVERGE else ONCE
    measures = [find(axes.y)] if axes.y else [MEASURES[column] for column in columns]
    one, other = names
    found = interplay(run.by_problem, one, other, measures, rule=axes.rule(run))
    blocks: list[Block] = [
        f"Means over the problems and over the further parameters. The effect is how {names[1]} changes the difference "
        f"between the first and the last value of {names[0]}: A amplifies it, D diminishes it, - hardly changes it.",
    ]
    for each in found:
        blocks += _blocks(each, names, [measure for measure in measures if measure.column in each.effects])
    frame = found[0].frame if len(found) == 1 else found[0].frame.vstack(found[1].frame)
    for each in found[2:]:
        frame = frame.vstack(each.frame)
    return ViewResult(frame, Document(f"{run.title}: interplay of {' and '.join(names)}", [*blocks, axes.note(run)]))


def _blocks(found: Interplay, names: list[str], measures: list[Measure]) -> list[Block]:
    one, other = names
    blocks: list[Block] = [
        Figure(lambda: svg(interplay_data(found, one, other, measures)), f"{found.name}: means by {one} and {other}")
    ]
    for measure in measures:
        cells = {
            (row[one], row[other]): row for row in found.frame.filter(measure=measure.column).iter_rows(named=True)
        }
        rows = [[f"{one} = {a}", *(_cell(cells[a, b], measure) for b in found.other)] for a in found.one]
        letter, differences = found.effects[measure.column]
        rows.append(["difference", *(format_value(value, measure) for value in differences)])
        headers = [f"{letter}", *(f"{other} = {value}" for value in found.other)]
        blocks += [
            Heading(f"{found.name}, {measure.about}: {_words(letter, one, other)}"),
            Rows(headers, [False, *([True] * len(found.other))], rows),
        ]
    return blocks


def interplay_data(found: Interplay, one: str, other: str, measures: list[Measure]) -> Data:
    """Return the data of the plot: a panel for each measure, and a line for each value of the first parameter."""
    words = {measure.column: measure.about for measure in measures}
    frame = found.frame.filter(pl.col("measure").is_in(list(words))).with_columns(
        panel=pl.col("measure").replace_strict(words), line=pl.format(f"{one} = {{}}", one)
    )
    numeric = frame.with_columns(pl.col(other).cast(pl.Float64, strict=False))
    usable = numeric[other].is_not_null().all() and numeric[other].is_finite().all()
    lines = [f"{one} = {value}" for value in found.one]
    ranks = {value: float(at) for at, value in enumerate(found.other)}
    shown = numeric if usable else frame.with_columns(pl.col(other).replace_strict(ranks))
    title = other if usable else f"{other}: {', '.join(found.other)}"
    look = Plot(other, "mean", title, "", group="line", lines=lines, errors="se", panel="panel")
    return Data(f"{found.name}: means by {one} and {other}", shown, look)


def _cell(row: dict[str, float | None], measure: Measure) -> str:
    return format_value(row["mean"], measure) if measure.column.endswith("_ns") else compact(row["mean"], row["se"])


def _words(letter: str, one: str, other: str) -> str:
    verb = {AMPLIFIES: "amplifies", DIMINISHES: "diminishes"}.get(letter, "hardly changes")
    return f"{other} {verb} the effect of {one}"


VIEW = View("interplay", "how two parameters (--parameters) act together on each measure", render, uses=("parameters",))
