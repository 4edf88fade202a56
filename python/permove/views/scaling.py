"""How a measure grows with the size of problems."""

import math

from permove.analysis.measures import Measure, Table
from permove.analysis.scaling import scaling
from permove.report.document import Block, Document, Rows
from permove.report.table import compact
from permove.views.view import MOST_ROWS, Axes, RunLike, Seen, View, apart, figure, more


def see(run: RunLike, axes: Axes) -> Seen:
    """One row for each agent, one column for each range of buckets."""
    _, measure = axes.measures(run)
    frame = scaling(run.records, measure, seed=axes.seed)
    parts = frame.partition_by("least_bucket", maintain_order=True)
    labels = dict(frame.select("agent", "label").iter_rows())
    found = {(row["agent"], row["least_bucket"]): row for row in frame.iter_rows(named=True)}
    starts = [part["least_bucket"][0] for part in parts]
    rows = []
    last = {row["agent"]: row[measure.column] for row in parts[-1].iter_rows(named=True)}
    # Those that the largest problems are hardest for come last, and after them who has no figure there.
    for agent, label in sorted(labels.items(), key=lambda each: (_or_last(last.get(each[0])), each[0])):
        own = [found.get((agent, start)) for start in starts]
        rows.append([label, *("–" if row is None else _cell(row, measure) for row in own)])
    headers = ["\nagent"]
    for part in parts:
        least, most = part["least_bucket"][0], part["most_bucket"][0]
        buckets = f"{least}" if least == most else f"{least}–{most}"
        headers.append(f"{buckets}\n≈{part['optimal'][0]:,.0f}")
    blocks: list[Block] = [
        f"{measure.about.capitalize()} by bucket; below the buckets are the mean optimal costs.",
        Rows(headers, [False, *([True] * len(parts))], rows[:MOST_ROWS]),
        *more(len(rows)),
        *apart(Table(run.records).averages([])),
    ]
    return Seen(frame, Document(f"{run.title}: {measure.about} by size of problem", blocks))


def _or_last(figure: float | None) -> float:
    return math.inf if figure is None else figure


def _cell(row: dict[str, float | None], measure: Measure) -> str:
    name = measure.column
    if name.endswith("_ns"):
        return figure(row[name], measure)
    return compact(row[name], row[f"{name}_se"])


VIEW = View("scaling", "a measure, --y, by the size of problems", see)
