"""Comparison of agents: a verdict in one sentence, the values behind it, and where the agent wins and loses."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from permove.analysis.comparison import BETTER, DISQUALIFIED, INCOMPARABLE, MIXED, NONE, SAME, WORSE
from permove.analysis.measures import Measure
from permove.analysis.scores import Score
from permove.analysis.unsolved import Coverage, Unsolved
from permove.report.document import Block, Document, Figure, Heading, Rows, fragment, present
from permove.report.formats import ReportFormat, number
from permove.views.figures import pairs_figure, ranges_figure, tradeoff_figure
from permove.views.unsolved import counted, unsolved_note

MAX_PLACES = 5
"""Maximum number of wins, and of losses, that are shown; the frames have all."""

FINDINGS = {
    BETTER: "better",
    WORSE: "worse",
    MIXED: "mixed",
    NONE: "no difference",
    SAME: "the same",
    INCOMPARABLE: "–",
}


@dataclass(frozen=True)
class Comparison:
    """Comparison of one agent with others.

    Typical use:

        comparison = pm.compare("first", "rtaa(k=100)")
        comparison.show()
        comparison.pairs.select("other", "difference", "p_holm")
    """

    title: str
    one: str
    label: str
    measure: Measure
    against: Measure
    score: Score
    rule: Unsolved
    """The rule for unsolved problems."""
    coverage: Coverage
    """The problems that count for all compared agents that are not disqualified."""
    pairs: pl.DataFrame
    """One row per other agent; see `permove.analysis.comparison.comparison`."""
    places: dict[str, pl.DataFrame]
    """Wins and losses by bucket, set and map, if there is one other agent; see `permove.analysis.comparison.places`."""
    means: pl.DataFrame
    """Trade-off of all agents; see `permove.analysis.pareto`."""
    compared: pl.DataFrame
    """The records of the compared agents that count."""

    def show(self, format: ReportFormat | str = ReportFormat.TABLE, output: Path | None = None) -> None:
        """Print the comparison or write it to a file."""
        present(comparison_document(self), self.pairs, format, output)

    def _repr_html_(self) -> str:
        """Return the comparison for a notebook."""
        return fragment(comparison_document(self))

    def plot(self) -> str:
        """Return the trade-off of all agents as SVG, with the compared agents marked."""
        return comparison_plot(self)


def comparison_document(found: Comparison) -> Document:
    """Return the document of a comparison with one other agent, or with several."""
    if found.pairs.height == 1:
        pair = found.pairs.row(0, named=True)
        own, other = (found.one, found.label), (pair["other"], pair["label"])
        paired = [pairs_figure(found.compared, own, other, found.measure)] if pair["problems"] else []
        blocks: list[Block] = [verdict(pair, found), _values(pair, found), *paired]
        for by, places in found.places.items():
            if places.height > 1:
                blocks += [Heading(f"By {by}"), *_places(places, _sides(pair))]
        return Document(f"{found.title}: {found.label} against {pair['label']}", blocks, "comparison")
    ranked = found.pairs.filter(pl.col("finding") != DISQUALIFIED)
    disqualified = found.pairs.filter(pl.col("finding") == DISQUALIFIED)
    blocks = [_summary(found)]
    if not ranked.is_empty():
        blocks += [_field(ranked), _differences(ranked, found)]
    if not disqualified.is_empty():
        blocks += [Heading("Disqualified: compared on fewer problems"), _disqualified_field(disqualified)]
    return Document(f"{found.title}: {found.label} against {found.pairs.height} others", blocks, "comparison")


def comparison_plot(found: Comparison) -> str:
    """Return the trade-off of all agents as SVG, with the compared agents marked."""
    others = found.pairs["other"].to_list() if found.pairs.height == 1 else []
    return tradeoff_figure(found.means, found.against, found.measure, _score(found), [found.one, *others]).draw()


def verdict(pair: dict[str, Any], found: Comparison) -> str:
    """Return the result of a comparison with one other agent, and which problems it is about."""
    if pair["finding"] == DISQUALIFIED:
        return f"{_disqualified(pair, found)} {_on_common_problems(pair, found)}"
    return f"{_result(pair, found)}{_missing(pair, found)}"


def _result(pair: dict[str, Any], found: Comparison) -> str:
    one, other, count = found.label, pair["label"], counted(pair["problems"], "problem")
    if pair["finding"] == INCOMPARABLE:
        return f"{one} and {other} have no problem in common, so they cannot be compared."
    if pair["finding"] == SAME:
        where = "the only problem" if pair["problems"] == 1 else f"all {count}"
        return f"{one} and {other} have the same {found.measure.about} on {where}."
    if pair["problems"] == 1:
        side = "better" if pair["wins"] else "worse"
        return f"{one} is {side} than {other} on the only problem, which is not enough to generalize."
    score = f"{_score(found)} is {_lower(pair['difference'])} ({_interval(pair)})"
    often = f"better on {pair['wins']:,}, worse on {pair['losses']:,} and equal on {pair['ties']:,} of {count}"
    chance = f"The probability of improvement is {_share(pair)}."
    if pair["finding"] in (BETTER, WORSE):
        result = f"{one} is {pair['finding']} than {other}: its {score}, and it is {often}{_price(pair)}."
    elif pair["finding"] == NONE:
        result = f"{count} show no significant difference between {one} and {other}: the {score}, and {one} is {often}."
    else:
        result = (
            f"{one} and {other} differ, but it is unclear which is better: the {score}, and {one} is {often} "
            f"({_test(pair)})."
        )
    return f"{result} {chance}"


def _disqualified(pair: dict[str, Any], found: Comparison) -> str:
    labels = {"one": found.label, "other": pair["label"]}
    sides = [side for side in labels if pair[f"{side}_over"]]
    names = " and ".join(labels[side] for side in sides)
    over = " and ".join(f"{pair[f'{side}_over']:,} of {pair[f'{side}_run']:,}" for side in sides)
    verbs = "is disqualified: it exceeds" if len(sides) == 1 else "are disqualified: they exceed"
    return f"{names} {verbs} the limit on planning per move on {over} problems."


def _on_common_problems(pair: dict[str, Any], found: Comparison) -> str:
    kept = "that both solved" if found.rule.cap is None else "on which neither exceeds it"
    if not pair["problems"]:
        return f"There is no problem {kept}, so the agents cannot be compared."
    problems = "the only problem" if pair["problems"] == 1 else f"the {pair['problems']:,} problems"
    interval = "" if pair["low"] is None else f" ({_interval(pair)})"
    return (
        f"On {problems} {kept}, the {_score(found)} of {found.label} is {_lower(pair['difference'])}{interval}: it is "
        f"lower on {pair['wins']:,}, higher on {pair['losses']:,} and equal on {pair['ties']:,}."
    )


def _missing(pair: dict[str, Any], found: Comparison) -> str:
    """Describe how unsolved problems are counted, if there are any."""
    if pair["problems"] == pair["one_solved"] == pair["other_solved"] == pair["both_run"]:
        return ""
    rule = (
        "only problems that both solved are compared (--unsolved exclude)"
        if found.rule.cap is None
        else f"unsolved trials count as {found.rule.cap:,g} times the optimum (--unsolved cap)"
    )
    return (
        f" Both were run on {counted(pair['both_run'], 'problem')}, of which {found.label} solved "
        f"{pair['one_solved']:,} and {pair['label']} {pair['other_solved']:,}; {rule}."
    )


def _score(found: Comparison) -> str:
    return f"{found.score.words} {found.measure.about}"


def _lower(difference: float) -> str:
    if difference == 0:
        return "the same"
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
    return "0" if value == 0 else f"{'−' if value < 0 else '+'}{number(abs(value))}"


def _test(pair: dict[str, Any]) -> str:
    return "not tested" if pair["p_holm"] is None else f"Wilcoxon p {_p(pair['p_holm'])}"


def _p(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "–"
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}"


def _values(pair: dict[str, Any], found: Comparison) -> Rows:
    one, other = found.label, pair["label"]
    lower, _ = _sides(pair)
    about, visits = (f"{name}, {found.score.words}" for name in (found.measure.about, "visits per state"))
    rows = [
        (about, number(pair["one_score"]), number(pair["other_score"]), _range(pair)),
        (found.against.about, number(pair["one_against"]), number(pair["other_against"]), ""),
        (visits, number(pair["one_visits"]), number(pair["other_visits"]), ""),
        (f"{lower} problems", number(pair["wins"]), number(pair["losses"]), f"{pair['ties']:,} ties"),
        ("probability of improvement", _share(pair), "", ""),
        (
            "dominates on problems",
            number(pair["one_dominates"]),
            number(pair["other_dominates"]),
            f"ratio {_ratio(pair)}",
        ),
        ("Wilcoxon's p", _p(pair["p"]), "", ""),
    ]
    if pair["finding"] == DISQUALIFIED:
        del rows[4:]  # These rows would say which agent is better.
    if pair["one_visits"] is None and pair["other_visits"] is None:
        del rows[2]
    return Rows(("", one, other, "difference"), (False, True, True, True), rows)


def _sides(pair: dict[str, Any]) -> tuple[str, str]:
    """Return the headers of wins and losses; a disqualified agent is not better than others."""
    return ("lower on", "higher on") if pair["finding"] == DISQUALIFIED else ("better on", "worse on")


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


def _places(places: pl.DataFrame, sides: tuple[str, str]) -> Sequence[Block]:
    """Return the greatest wins and losses, or all if there are few."""
    few = places.height <= 2 * MAX_PLACES
    shown = places if few else pl.concat([places.head(MAX_PLACES), places.tail(MAX_PLACES)])
    rows = [
        (place["place"], number(place["problems"]), _range(place), number(place["wins"]), number(place["losses"]))
        for place in shown.iter_rows(named=True)
    ]
    table = Rows(("", "problems", "difference", *sides), (False, True, True, True, True), rows)
    left = places.height - shown.height
    return [table] if few else [table, f"{left:,} more between the greatest wins and the greatest losses are omitted."]


def _summary(found: Comparison) -> str:
    """Return how many other agents the agent is better and worse than; disqualified agents are counted separately."""
    counts = dict(found.pairs["finding"].value_counts().iter_rows())
    out, total = counts.pop(DISQUALIFIED, 0), found.pairs.height
    own = found.pairs.row(0, named=True)
    if own["one_over"]:
        return (
            f"{found.label} is disqualified: it exceeds the limit on planning per move on {own['one_over']:,} of "
            f"{own['one_run']:,} problems. It is not ranked among the {total:,} other agents; the differences are on "
            "problems on which it keeps the limit."
        )
    words = {
        BETTER: "better than {}",
        WORSE: "worse than {}",
        MIXED: "neither clearly better nor clearly worse than {}",
        NONE: "not significantly different from {}",
        SAME: "the same as {}",
        INCOMPARABLE: "without a problem in common with {}",
    }
    rivals = total - out
    parts = [text.format(f"{counts[finding]:,}") for finding, text in words.items() if finding in counts]
    if len(counts) == 1:
        every = "the only other ranked agent" if rivals == 1 else f"all {rivals:,} other ranked agents"
        listed = words[next(iter(counts))].format(every)
    else:
        listed = f"{', '.join(parts[:-1])} and {''.join(parts[-1:])} of {rivals:,} other ranked agents"
    ranked = f"In {_score(found)}, {found.label} is {listed}." if parts else ""
    left = "1 other agent is" if out == 1 else f"{out:,} other agents are"
    excluded = (
        f"{left} disqualified and not ranked; the differences to {'it' if out == 1 else 'them'} are on fewer problems."
    )
    tests = "The p-values are corrected for the number of agents; the 95% intervals are not." if parts else ""
    note = unsolved_note(found.rule, found.coverage, "Differences are")
    return " ".join(filter(None, [ranked, note, excluded if out else "", tests]))


def _field(pairs: pl.DataFrame) -> Rows:
    rows = [
        (pair["label"], _range(pair), _counts(pair), _p(pair["p_holm"]), FINDINGS[pair["finding"]])
        for pair in pairs.sort("difference", "label", nulls_last=True).iter_rows(named=True)
    ]
    return Rows(
        ("other", "difference", "better/\nworse/\nequal on", "p", "verdict"), (False, True, True, True, False), rows
    )


def _differences(pairs: pl.DataFrame, found: Comparison) -> Figure:
    """Return the differences to the other agents with their intervals."""
    kinds = pl.col("finding").replace_strict(FINDINGS, default="–", return_dtype=pl.String)
    rows = pairs.sort("difference", nulls_last=True).select("label", "low", "high", value="difference", kind=kinds)
    title = f"Difference in {found.measure.about}"
    about = f"{title}: {found.label} is better than agents with values below 0. Lines are 95% intervals."
    return ranges_figure(rows, title, about)


def _disqualified_field(pairs: pl.DataFrame) -> Rows:
    rows = [
        (pair["label"], number(pair["problems"]), _range(pair), _counts(pair))
        for pair in pairs.sort("difference", "label", nulls_last=True).iter_rows(named=True)
    ]
    return Rows(("other", "problems", "difference", "lower/\nhigher/\nequal on"), (False, True, True, True), rows)


def _counts(pair: dict[str, Any]) -> str:
    return f"{pair['wins']:,}/{pair['losses']:,}/{pair['ties']:,}"
