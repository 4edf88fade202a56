"""The selection guide of a run as a document: the best agent for each limit on planning per move."""

import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

from permove.analysis import guide as analysis
from permove.analysis.guide import (
    BEST,
    BUILD,
    CUTOFF,
    EXCLUDED,
    MAP,
    MEMORY,
    OVER_LIMIT,
    STATES,
    TIED,
    TIME,
    UNSOLVED,
    UNTIMED,
    WORSE,
    Terms,
)
from permove.analysis.scores import MEDIAN
from permove.common.names import listed
from permove.common.units import format_duration, format_size
from permove.report.document import Block, Document, Heading, Limit, Rows, drawn, fragment, present
from permove.report.formats import Format, ReportFormat, json_text, number, put, show
from permove.report.table import percent, plus_minus, share
from permove.views.figures import guide_figure

MAX_NAMED = 6
"""Maximum number of runners-up that are named; JSON and CSV have all."""

QUANTILES = {
    "worst": "the slowest move on any problem",
    "99.9": "99.9% of the planned moves on every problem",
    "99": "99% of the planned moves on every problem",
}


@dataclass(frozen=True)
class Guide:
    """Selection guide of a run's records."""

    title: str
    terms: Terms
    records: pl.DataFrame = field(repr=False)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Intervals of the limit, starting at 1, with the best agent of each; see `permove.analysis.guide`."""
        return analysis.guide(self.records, self.terms)

    @cached_property
    def candidates(self) -> pl.DataFrame:
        """All agents, with their worst moves and the reasons for exclusion; see `permove.analysis.candidates`."""
        return analysis.candidates(self.records, self.terms)

    def explain(self, limit: int) -> pl.DataFrame:
        """Return the verdict on every agent under a limit in states or nanoseconds."""
        return analysis.explained(self.records, limit, self.terms)

    def plot(self) -> str:
        """Return the score of each agent against its worst move as SVG, with the guide as steps."""
        return drawn(guide_document(self.title, self.frame, self.candidates, self.terms))

    def _repr_html_(self) -> str:
        """Return the guide for a notebook."""
        return fragment(guide_document(self.title, self.frame, self.candidates, self.terms))

    def show(
        self,
        format: ReportFormat | str = ReportFormat.TABLE,
        output: Path | None = None,
        *,
        explain: int | None = None,
    ) -> None:
        """Print the guide, or the verdicts under the limit `explain`, or write them to a file."""
        if explain is not None:
            frame = self.explain(explain)
            present(explained_document(self.title, explain, frame, self.terms), frame, format, output)
            return
        document = guide_document(self.title, self.frame, self.candidates, self.terms)
        if format == ReportFormat.JSON:
            put(guide_json(document, self.frame, self.candidates), output)
        elif format == ReportFormat.CSV:
            show(_flat(self.frame), document.title, Format.CSV, output)
        else:
            present(document, self.frame, format, output)


def guide_document(title: str, guide: pl.DataFrame, candidates: pl.DataFrame, terms: Terms) -> Document:
    """Return the document of the frames of `analysis.guide` and `analysis.candidates`."""
    blocks: list[Block] = [asked(terms)]
    for part, agents in zip(_parts(guide), _parts(candidates), strict=True):
        if name := _part_name(part, terms):
            blocks.append(Heading(name))
        if (agents["out"].is_null() & agents["suboptimality"].is_not_null()).any():
            quantity = "Limit on states per move" if terms.by == STATES else "Limit on time per move (µs)"
            blocks.append(
                guide_figure(agents, quantity, f"{terms.score.name} suboptimality", by_time=terms.by != STATES)
            )
        blocks += _intervals(part, terms)
        blocks += _notes(part, agents, terms)
        excluded = agents.filter(pl.col("out").is_not_null())
        if not excluded.is_empty():
            blocks += [Heading("Never chosen"), _excluded(excluded, terms)]
    limits = _slider(guide, terms) if len(_parts(guide)) == 1 else []
    return Document(f"{title}: best agent for each limit", blocks, "guide", limits, terms.by)


def _slider(guide: pl.DataFrame, terms: Terms) -> list[Limit]:
    """Return the intervals of a guide for the slider of its page."""
    rows = guide.to_dicts()
    return [
        Limit(
            row["min_limit"],
            row["max_limit"],
            row["label"],
            f"{terms.score.words} suboptimality {plus_minus(row['suboptimality'], row['suboptimality_se'])}",
            within,
        )
        for row, within in zip(rows, limits_text(rows, terms), strict=True)
    ]


def explained_document(title: str, limit: int, explained: pl.DataFrame, terms: Terms) -> Document:
    """Return the document of the frame of `analysis.explained`."""
    blocks: list[Block] = [asked(terms)]
    for part in _parts(explained):
        if name := _part_name(part, terms):
            blocks.append(Heading(name))
        within = part.filter(pl.col("verdict").is_in([BEST, TIED, WORSE]))
        over = part.filter(pl.col("verdict") == OVER_LIMIT)
        out = part.filter(pl.col("verdict") == EXCLUDED)
        if within.is_empty():
            blocks.append(f"No agent solves every problem within the limit of {limit_text(limit, terms)}.")
        else:
            blocks += [Heading("Considered"), _considered(within, terms)]
            blocks += [ONE_PROBLEM] if within["problems"][0] == 1 else []
        if not over.is_empty():
            blocks += [Heading(f"Disqualified: over {limit_text(limit, terms)}"), _over(over, terms)]
        if not out.is_empty():
            blocks += [Heading("Never chosen"), _excluded(out, terms)]
    return Document(f"{title}: under a limit of {limit_text(limit, terms)} for any single move", blocks)


def guide_json(document: Document, guide: pl.DataFrame, candidates: pl.DataFrame) -> str:
    """Return the intervals and all candidates as JSON."""
    sentences = [block for block in document.blocks if isinstance(block, str)]
    content = {
        "title": document.title,
        "notes": sentences,
        "intervals": guide.to_dicts(),
        "agents": candidates.to_dicts(),
    }
    return json_text(content) + "\n"


def _flat(guide: pl.DataFrame) -> pl.DataFrame:
    """Return the intervals for CSV, with only the specs of the runners-up and of the choices by median."""
    specs = pl.element().struct.field("agent")
    return guide.with_columns(pl.col(name).list.eval(specs).list.join("; ") for name in ("runners_up", "by_median"))


ONE_PROBLEM = "There is only one problem: means have no standard errors, and ties with the best agent cannot be tested."


def asked(terms: Terms) -> str:
    """Describe the terms in one sentence."""
    words = "The limit applies to the " + (
        "states expanded for any single move" if terms.by == STATES else "time per move"
    )
    if terms.tolerate:
        words += f": at most {percent(terms.tolerate)} of an agent's planned moves may exceed it"
    elif terms.by == TIME:
        words += f": {QUANTILES[terms.quantile]} must keep it"
    bounds = []
    if terms.max_memory is not None:
        bounds.append(f"at most {format_size(terms.max_memory)} of memory")
    if terms.max_build_ns is not None:
        bounds.append(f"at most {format_duration(terms.max_build_ns)} of build time per map")
    if not terms.known_map:
        bounds.append("no precomputation from the map")
    return f"{words}; {', '.join(bounds)}." if bounds else f"{words}."


def _parts(frame: pl.DataFrame) -> list[pl.DataFrame]:
    return frame.partition_by("set", "cpu", maintain_order=True)


def _part_name(part: pl.DataFrame, terms: Terms) -> str:
    words = [part["set"][0]] if terms.per_set else []
    if terms.by == TIME:
        words.append(f"{part['cpu'][0]} ({part['hosts'][0]})")
    return ", ".join(words)


def _intervals(part: pl.DataFrame, terms: Terms) -> list[Block]:
    rows, named = [], []
    # With build times, there is a separate table, which leaves room for labels in 80 columns.
    has_builds = part["build_ns"].fill_null(0).max() != 0
    named_score = f"{terms.score.name} sub-\noptimality"
    has_median = terms.score is not MEDIAN
    headers = ["\nlimit", "\nbest agent", named_score, *(["\nmedian"] if has_median else []), "best on\nmaps"]
    headers += [] if has_builds else ["\nmemory"]
    ends = part.to_dicts()
    for row, within in zip(ends, limits_text(ends, terms), strict=True):
        if row["agent"] is None:
            rows.append([within, "no agent qualifies", *["–"] * (len(headers) - 2)])
            continue
        tied = [each["label"] for each in row["runners_up"] if each["min_limit"] <= row["min_limit"]]
        rows.append(
            [
                within,
                " or ".join([row["label"], *tied[:1]]),
                plus_minus(row["suboptimality"], row["suboptimality_se"]),
                *([number(row["median"])] if has_median else []),
                f"{row['best_maps']} of {row['maps']}",
                *([] if has_builds else [format_size(row["memory_bytes"])]),
            ]
        )
        for each in row["by_median"]:
            start = "" if each["min_limit"] == row["min_limit"] else f" from {limit_text(each['min_limit'], terms)}"
            typical = ["", f"by median{start}: {each['label']}", "", number(each["median"])]
            rows.append([*typical, *[""] * (len(headers) - len(typical))])
        if row["runners_up"]:
            named.append([within, _named(row["runners_up"], row["min_limit"], terms)])
    blocks: list[Block] = [Rows(headers, [header != "\nbest agent" for header in headers], rows)]
    if has_builds:
        blocks += [Heading("Memory and build time of the best agents"), _needs(part)]
    if terms.by == TIME and any(row["worst_high"] is not None for row in ends):
        blocks += [Heading("Limits from which the agents qualify"), _starts(ends)]
    if named:
        blocks += [
            Heading("Statistically tied with the best"),
            Rows(["limit", "agents, with the limit that they need"], [True, False], named),
        ]
    return blocks


def _needs(part: pl.DataFrame) -> Rows:
    rows = [
        [row["label"], format_size(row["memory_bytes"]), format_duration(row["build_ns"] or None)]
        for row in part.drop_nulls("agent").iter_rows(named=True)
    ]
    return Rows(["agent", "memory", "build"], [False, True, True], rows)


def _starts(intervals: list[dict[str, Any]]) -> Rows:
    rows = [
        [
            row["label"],
            format_duration(row["worst"]),
            f"{format_duration(row['worst_low'])} to {format_duration(row['worst_high'])}",
        ]
        for row in intervals
        if row["agent"] is not None
    ]
    return Rows(["agent", "limit", "95% interval"], [False, True, True], rows)


def _named(runners_up: list[dict[str, Any]], limit: int, terms: Terms) -> str:
    words = [
        each["label"]
        if each["min_limit"] <= limit
        else f"{each['label']} (from {limit_text(each['min_limit'], terms)})"
        for each in runners_up[:MAX_NAMED]
    ]
    left = len(runners_up) - len(words)
    return "; ".join([*words, *([f"and {left} more"] if left else [])])


def _notes(part: pl.DataFrame, agents: pl.DataFrame, terms: Terms) -> list[Block]:
    notes: list[Block] = []
    if part["agent"].is_null().all():
        notes.append("No agent qualifies under any limit: the reasons are listed below.")
    problems = part["problems"][0]
    if problems == 1:
        notes.append(ONE_PROBLEM)
    else:
        ties = (
            "Agents are tied if the 95% paired bootstrap interval of their difference includes 0."
            if part["runners_up"].list.len().sum()
            else "No other agent is statistically tied with a recommended one (paired bootstrap, 95%)."
        )
        notes.append(f"Values are over {problems:,} problems, with standard errors. {ties}")
    notes += _unsolved(part, terms) + _typical(part, terms)
    if terms.cutoff is not None and (agents["out"] == CUTOFF).any():
        notes.append(
            f"The guide ends at the run's own cutoff, {limit_text(terms.cutoff, terms)}: agents that were stopped "
            "there might be better under a higher limit."
        )
    if terms.by == TIME:
        speed = "" if terms.speed == 1 else f" They are given for a machine with {terms.speed:g} times the speed."
        notes.append(
            f"Times were measured on {part['cpu'][0]} ({part['hosts'][0]}) and differ on other machines.{speed}"
        )
        if disturbed := agents.filter(pl.col("disturbed") > 0)["label"].to_list():
            notes.append(
                f"Other programs disturbed moves of {listed(disturbed, MAX_NAMED)} in every repetition: their limits "
                "may be too high."
            )
    return notes


def _unsolved(part: pl.DataFrame, terms: Terms) -> list[str]:
    """Return the unsolved trials of recommended agents, which count as the cap on travel."""
    rows = part.filter(pl.col("solved") < pl.col("problems")).unique("agent", maintain_order=True)
    left = [f"{row['problems'] - row['solved']:,} of {row['label']}" for row in rows.iter_rows(named=True)]
    if terms.unsolved.cap is None or not left:
        return []
    return [
        f"Unsolved trials count as {terms.unsolved.cap:,g} times the optimum (--unsolved {terms.unsolved.name}): "
        f"{', '.join(left)}."
    ]


def _typical(part: pl.DataFrame, terms: Terms) -> list[str]:
    """Explain why a choice by median differs from the choice by score."""
    notes = []
    for row in part.filter(pl.col("by_median").list.len() > 0).iter_rows(named=True):
        for each in row["by_median"]:
            better = f"{each['better_maps']} of {row['maps']} maps" if row["maps"] > 1 else "typical problems"
            words = f"{each['label']} has a lower {terms.score.words} than {row['label']} on {better}"
            if each["without_them"] is not None:
                maps = "this map" if len(each["hardest_maps"]) == 1 else "these maps"
                *first, last = each["hardest_maps"]
                names = f"{', '.join(first)} and {last}" if first else last
                words += (
                    f", but {number(each['on_them'])} on {names}; without {maps}, its "
                    f"{terms.score.words} would be {number(each['without_them'])}"
                )
            notes.append(f"{words}.")
    return list(dict.fromkeys(notes))


def _excluded(agents: pl.DataFrame, terms: Terms) -> Rows:
    rows = [
        [row["label"], share(row["solved"], row["problems"]), _reason(row, terms)]
        for row in agents.iter_rows(named=True)
    ]
    return Rows(["agent", "solved", "reason"], [False, True, False], rows)


def _reason(row: dict[str, Any], terms: Terms) -> str:
    missing = f"{row['missing']:,} missing" if row["missing"] else ""
    return {
        CUTOFF: f"over the run's cutoff on {row['problems'] - row['solved']:,} problems, worst: {_where(row, terms)}",
        UNSOLVED: ", ".join(filter(None, [row["unsolved"], missing])),
        UNTIMED: "the times of single moves were not measured",
        MEMORY: "memory unknown"
        if row["memory_bytes"] is None
        else f"uses {format_size(row['memory_bytes'])} of memory",
        BUILD: f"takes {format_duration(row['build_ns'])} to build",
        MAP: "precomputes from the map",
    }[row["out"]]


def _considered(agents: pl.DataFrame, terms: Terms) -> Rows:
    verdicts = {BEST: "best", TIED: "tied", WORSE: "worse"}
    rows = [
        [
            row["label"],
            plus_minus(row["suboptimality"], row["suboptimality_se"]),
            "–" if row["verdict"] == BEST else _difference(row),
            number(row["worst"]) if terms.by == STATES else format_duration(row["worst"]),
            verdicts[row["verdict"]],
        ]
        for row in agents.iter_rows(named=True)
    ]
    headers = [
        "\nagent",
        f"{terms.score.name}\nsuboptimality",
        "above the best,\n95% interval",
        "worst\nmove",
        "\nverdict",
    ]
    return Rows(headers, [False, True, True, True, False], rows)


def _difference(row: dict[str, Any]) -> str:
    if row["low"] is None:
        return f"{row['difference']:.3g}"
    return f"{row['difference']:.3g} ({row['low']:.3g} to {row['high']:.3g})"


def _over(agents: pl.DataFrame, terms: Terms) -> Rows:
    several = agents["worst_set"].n_unique() > 1
    rows = [
        [
            row["label"],
            f"{row['over_problems']:,} of {row['problems']:,}",
            percent(row["over_episodes"]),
            f"{row['worst_set']}/{row['worst_map']}" if several else row["worst_map"],
            number(row["worst_problem"]),
            number(row["worst_move"]),
            number(row["worst"]) if terms.by == STATES else format_duration(row["worst"]),
        ]
        for row in agents.iter_rows(named=True)
    ]
    headers = ["\nagent", "on\nproblems", "of\nepisodes", "worst:\nmap", "\nproblem", "\nmove", "\n" + terms.by]
    return Rows(headers, [False, True, True, False, True, True, True], rows)


def _where(row: dict[str, Any], terms: Terms) -> str:
    place = f"{row['worst_set']}/{row['worst_map']}, problem {row['worst_problem']}"
    if terms.by == STATES:
        return f"{place}, move {row['worst_move']}: {row['worst']:,} states"
    return f"{place}: {format_duration(row['worst'])}"


def limit_text(limit: int, terms: Terms) -> str:
    """Format a limit."""
    return f"{limit:,} states" if terms.by == STATES else format_duration(limit)


def limits_text(intervals: list[dict[str, Any]], terms: Terms) -> list[str]:
    """Format the intervals of the limit of a part. Durations have the digits that their bootstrap intervals support."""
    starts, last = [row["min_limit"] for row in intervals], intervals[-1]["max_limit"]
    if terms.by == STATES:
        ends = [row["max_limit"] for row in intervals]
        return [
            f"{first:,} and up" if end is None else number(first) if first == end else f"{first:,} to {end:,}"
            for first, end in zip(starts, ends, strict=True)
        ]
    bounds = starts if last is None else [*starts, last + 1]
    digits = [*map(_digits, intervals), 3][: len(bounds)]
    # More digits if bounds would look the same, or in another order.
    while close := [at for at, ends in enumerate(pairwise(map(_rounded, bounds, digits))) if ends[0] >= ends[1]]:
        for place in {*close, *(at + 1 for at in close)}:
            digits[place] += 1
    texts = list(map(format_duration, bounds, digits))
    closed = [
        f"below {end}" if first == 1 else f"{start} to {end}"
        for first, (start, end) in zip(bounds, pairwise(texts), strict=False)
    ]
    return closed if last is not None else [*closed, f"{texts[-1]} and up"]


def _rounded(bound: int, digits: int) -> float:
    return float(f"{bound:.{digits}g}")


def _digits(row: dict[str, Any]) -> int:
    """Return the number of significant digits of the start of an interval: one if it is known to 20% or worse."""
    low, high = row.get("worst_low"), row.get("worst_high")
    if low is None or high is None or high <= low:
        return 3
    return min(max(1 + math.floor(math.log10(row["worst"] / (high - low))), 1), 3)
