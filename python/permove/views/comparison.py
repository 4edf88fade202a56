"""Comparison of agents: a verdict in one sentence, the values behind it, and where the agent wins and loses."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from permove.analysis.comparison import BETTER, MIXED, NONE, SAME, WORSE
from permove.analysis.measures import Measure
from permove.report.document import Block, Document, Heading, Rows, present
from permove.report.formats import ReportFormat, number
from permove.report.plot import Data, Plot, svg

MAX_PLACES = 5
"""Maximum number of wins, and of losses, that are shown; the frames have all."""

ONE, OTHER, FIELD = "the agent", "compared with", "others"

FINDINGS = {BETTER: "better", WORSE: "worse", MIXED: "mixed", NONE: "no difference", SAME: "the same"}


@dataclass(frozen=True)
class Comparison:
    """Comparison of one agent with others."""

    title: str
    one: str
    label: str
    measure: Measure
    against: Measure
    pairs: pl.DataFrame
    """One row per other agent; see `permove.analysis.comparison.comparison`."""
    places: dict[str, pl.DataFrame]
    """Wins and losses by bucket, set and map, if there is one other agent; see `permove.analysis.comparison.places`."""
    means: pl.DataFrame
    """Trade-off of all agents."""

    def show(self, format: ReportFormat | str = ReportFormat.TABLE, output: Path | None = None) -> None:
        """Print the comparison or write it to a file."""
        present(comparison_document(self), self.pairs, format, output)

    def plot(self) -> str:
        """Return the trade-off of all agents as SVG, with the compared agents marked."""
        return comparison_plot(self)


def comparison_document(found: Comparison) -> Document:
    """Return the document of a comparison with one other agent, or with several."""
    if found.pairs.height == 1:
        pair = found.pairs.row(0, named=True)
        blocks: list[Block] = [verdict(pair, found), _values(pair, found)]
        for by, places in found.places.items():
            if places.height > 1:
                blocks += [Heading(f"By {by}"), *_places(places)]
        return Document(f"{found.title}: {found.label} against {pair['label']}", blocks)
    return Document(
        f"{found.title}: {found.label} against {found.pairs.height} others", [_summary(found), _field(found)]
    )


def comparison_plot(found: Comparison) -> str:
    """Return the trade-off of all agents as SVG, with the compared agents marked."""
    others = set(found.pairs["other"]) if found.pairs.height == 1 else set()
    role = (
        pl.when(pl.col("agent") == found.one)
        .then(pl.lit(ONE))
        .when(pl.col("agent").is_in(others))
        .then(pl.lit(OTHER))
        .otherwise(pl.lit(FIELD))
    )
    named = pl.when(role == FIELD).then(pl.lit("")).otherwise(pl.col("label"))
    frame = found.means.with_columns(role=role, name=named).sort("role", descending=True)
    plot = Plot(
        "expanded_per_move",
        "suboptimality",
        "States expanded per move",
        "Suboptimality",
        group="role",
        errors="suboptimality_se",
        log_x=True,
        log_y=True,
        names="name",
    )
    return svg(Data(found.title, frame, plot))


def verdict(pair: dict[str, Any], found: Comparison) -> str:
    """Return the result of a comparison with one other agent, with a second sentence if problems are missing."""
    one, other, about = found.label, pair["label"], found.measure.about
    count = f"{pair['problems']:,} problem{'' if pair['problems'] == 1 else 's'}"
    missing = ""
    if not pair["problems"] == pair["one_solved"] == pair["other_solved"] == pair["both_run"]:
        missing = (
            f" Both were run on {pair['both_run']:,} problems, of which {one} solved {pair['one_solved']:,} and "
            f"{other} {pair['other_solved']:,}; only problems that both solved are compared."
        )
    return f"{_found(pair, one, other, about, count)}.{missing}"


def _found(pair: dict[str, Any], one: str, other: str, about: str, count: str) -> str:
    if pair["problems"] == 0:
        return f"{one} and {other} solved no problem in common, so they cannot be compared"
    if pair["finding"] == SAME:
        return f"{one} and {other} have the same {about} on all {count}"
    if pair["problems"] == 1:
        return f"{one} is {_side(pair)} than {other} on the only problem, which is not enough to generalize"
    mean = f"its mean {about} is {_lower(pair['difference'])} ({_interval(pair)})"
    often = f"it is better on {pair['improvement']:.0%} of {count}"
    if pair["finding"] in (BETTER, WORSE):
        return f"{one} is {pair['finding']} than {other}: {mean}, and {often}{_price(pair)}"
    if pair["finding"] == NONE:
        return f"{count} show no significant difference between {one} and {other}: {mean}, and {often}"
    return f"{one} and {other} differ, but it is unclear which is better: {mean}, and {often} ({_test(pair)})"


def _side(pair: dict[str, Any]) -> str:
    return "better" if pair["difference"] < 0 else "worse"


def _lower(difference: float) -> str:
    return f"{'lower' if difference < 0 else 'higher'} by {number(abs(difference))}"


def _price(pair: dict[str, Any]) -> str:
    """Return the ratio of the measures that are traded off, if both agents have values."""
    one, other = pair["one_against"], pair["other_against"]
    if not one or not other:
        return ""
    times = "the same" if one == other else f"{number(one / other)} times the"
    return f", with {times} planning per move"


def _interval(pair: dict[str, Any]) -> str:
    low, high = pair["low"], pair["high"]
    return "no interval" if low is None else f"95% between {_signed(low)} and {_signed(high)}"


def _signed(value: float) -> str:
    return f"{'−' if value < 0 else '+'}{number(abs(value))}"


def _test(pair: dict[str, Any]) -> str:
    return "not tested" if pair["p_holm"] is None else f"Wilcoxon p {_p(pair['p_holm'])}"


def _p(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "–"
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}"


def _values(pair: dict[str, Any], found: Comparison) -> Rows:
    one, other = found.label, pair["label"]
    rows = [
        (f"{found.measure.about}, mean", number(pair["one_mean"]), number(pair["other_mean"]), _range(pair)),
        (found.against.about, number(pair["one_against"]), number(pair["other_against"]), ""),
        ("better on problems", number(pair["wins"]), number(pair["losses"]), f"{pair['ties']:,} ties"),
        ("probability of improvement", _share(pair), "", ""),
        (
            "dominates on problems",
            number(pair["one_dominates"]),
            number(pair["other_dominates"]),
            f"ratio {_ratio(pair)}",
        ),
        ("Wilcoxon's p", _p(pair["p"]), "", ""),
    ]
    return Rows(("", one, other, "difference"), (False, True, True, True), rows)


def _ratio(pair: dict[str, Any]) -> str:
    """Format the dominance ratio; there is none if neither agent ever dominates."""
    return "–" if pair["ratio"] is None or math.isnan(pair["ratio"]) else number(pair["ratio"])


def _range(pair: dict[str, Any]) -> str:
    if pair["difference"] is None:
        return "–"
    if pair["low"] is None:
        return _signed(pair["difference"])
    return f"{_signed(pair['difference'])} [{_signed(pair['low'])}, {_signed(pair['high'])}]"


def _share(pair: dict[str, Any]) -> str:
    if pair["improvement"] is None:
        return "–"
    low, high = pair["improvement_low"], pair["improvement_high"]
    return f"{pair['improvement']:.2f}" + ("" if low is None else f" [{low:.2f}, {high:.2f}]")


def _places(places: pl.DataFrame) -> Sequence[Block]:
    """Return the greatest wins and losses, or all if there are few."""
    few = places.height <= 2 * MAX_PLACES
    shown = places if few else pl.concat([places.head(MAX_PLACES), places.tail(MAX_PLACES)])
    rows = [
        (place["place"], number(place["problems"]), _range(place), number(place["wins"]), number(place["losses"]))
        for place in shown.iter_rows(named=True)
    ]
    table = Rows(("", "problems", "difference", "better on", "worse on"), (False, True, True, True, True), rows)
    left = places.height - shown.height
    return [table] if few else [table, f"{left:,} more between the greatest wins and the greatest losses are omitted."]


def _summary(found: Comparison) -> str:
    counts = dict(found.pairs["finding"].value_counts().iter_rows())
    words = {
        BETTER: "better than {}",
        WORSE: "worse than {}",
        MIXED: "neither clearly better nor clearly worse than {}",
        NONE: "not significantly different from {}",
        SAME: "the same as {}",
    }
    parts = [text.format(counts[finding]) for finding, text in words.items() if finding in counts]
    return (
        f"In {found.measure.about}, {found.label} is {', '.join(parts)} of {found.pairs.height} other agents, each on "
        f"up to {max(found.pairs['problems']):,} problems that both solved. The p-values are corrected for the number "
        "of agents; the 95% intervals are not."
    )


def _field(found: Comparison) -> Rows:
    ordered = found.pairs.sort("difference", "label", nulls_last=True)
    varies = ordered["problems"].n_unique() > 1
    rows = [
        (
            pair["label"],
            *([number(pair["problems"])] if varies else []),
            _range(pair),
            f"{pair['improvement']:.0%}" if pair["improvement"] is not None else "–",
            _ratio(pair),
            _p(pair["p_holm"]),
            FINDINGS[pair["finding"]],
        )
        for pair in ordered.iter_rows(named=True)
    ]
    return Rows(
        ("other", *(["problems"] if varies else []), "difference", "better\non", "dominance\nratio", "p", "verdict"),
        (False, *([True] if varies else []), True, True, True, True, False),
        rows,
    )
