"""The selection guide of a run as a document: the best agent for each limit on planning per move."""

import math
from dataclasses import dataclass, field
from functools import cached_property
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
from permove.common.units import format_duration, format_size
from permove.report.document import Block, Document, Heading, Rows, present
from permove.report.formats import ReportFormat, json_text, number, put
from permove.report.table import plus_minus, share

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
            put(guide_csv(self.frame), output)
        else:
            present(document, self.frame, format, output)


def guide_document(title: str, guide: pl.DataFrame, candidates: pl.DataFrame, terms: Terms) -> Document:
    """Return the document of the frames of `analysis.guide` and `analysis.candidates`."""
    blocks: list[Block] = [asked(terms)]
    for part, agents in zip(_parts(guide), _parts(candidates), strict=True):
        if name := _part_name(part, terms):
            blocks.append(Heading(name))
        blocks += _intervals(part, terms)
        blocks += _notes(part, agents, terms)
        excluded = agents.filter(pl.col("out").is_not_null())
        if not excluded.is_empty():
            blocks += [Heading("Never chosen"), _excluded(excluded, terms)]
    return Document(f"{title}: best agent for each limit", blocks)


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
            blocks.append(f"No agent solves every problem within the limit of {_limit(limit, terms)}.")
        else:
            blocks += [Heading("Considered"), _considered(within, terms)]
            blocks += [ONE_PROBLEM] if within["problems"][0] == 1 else []
        if not over.is_empty():
            blocks += [Heading(f"Disqualified: over {_limit(limit, terms)}"), _over(over, terms)]
        if not out.is_empty():
            blocks += [Heading("Never chosen"), _excluded(out, terms)]
    return Document(f"{title}: under a limit of {_limit(limit, terms)} for any single move", blocks)


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


def guide_csv(guide: pl.DataFrame) -> str:
    """Return the intervals as CSV, with only the specs of the runners-up and of the choices by median."""
    specs = pl.element().struct.field("agent")
    names = (pl.col(name).list.eval(specs).list.join("; ") for name in ("runners_up", "by_median"))
    return guide.with_columns(names).write_csv()


ONE_PROBLEM = "There is only one problem: means have no standard errors, and ties with the best agent cannot be tested."


def asked(terms: Terms) -> str:
    """Describe the terms in one sentence."""
    if terms.by == STATES:
        words = "The limit applies to the states expanded for any single move"
    else:
        words = f"The limit applies to the time per move: {QUANTILES[terms.quantile]} must keep it"
    bounds = []
    if terms.tolerate:
        bounds.append(f"at most {terms.tolerate:.3%} of an agent's planned moves may exceed it")
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
    builds = part["build_ns"].fill_null(0).max() != 0
    named_score = f"{terms.score.name} sub-\noptimality"
    headers = ["\nlimit", "\nbest agent", named_score, "\nmedian", "best on\nmaps", "\nmemory"]
    headers += ["\nbuild"] if builds else []
    ends = [*part.iter_rows(named=True)]
    for row, following in zip(ends, [*ends[1:], None], strict=True):
        within = interval_text(row, following, terms)
        if row["agent"] is None:
            rows.append([within, "no agent qualifies", *["–"] * (len(headers) - 2)])
            continue
        tied = [each["label"] for each in row["runners_up"] if each["min_limit"] <= row["min_limit"]]
        rows.append(
            [
                within,
                " or ".join([row["label"], *tied[:1]]),
                plus_minus(row["suboptimality"], row["suboptimality_se"]),
                number(row["median"]),
                f"{row['best_maps']} of {row['maps']}",
                format_size(row["memory_bytes"]),
                *([format_duration(row["build_ns"] or None)] if builds else []),
            ]
        )
        for each in row["by_median"]:
            start = "" if each["min_limit"] == row["min_limit"] else f" from {_limit(each['min_limit'], terms)}"
            typical = ["", f"by median{start}: {each['label']}", "", number(each["median"])]
            rows.append([*typical, *[""] * (len(headers) - len(typical))])
        if row["runners_up"]:
            named.append([within, _named(row["runners_up"], row["min_limit"], terms)])
    blocks: list[Block] = [Rows(headers, [header != "\nbest agent" for header in headers], rows)]
    if named:
        blocks += [
            Heading("Statistically tied with the best"),
            Rows(["limit", "agents, with the limit that they need"], [True, False], named),
        ]
    return blocks


def _named(runners_up: list[dict[str, Any]], limit: int, terms: Terms) -> str:
    words = [
        each["label"] if each["min_limit"] <= limit else f"{each['label']} (from {_limit(each['min_limit'], terms)})"
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
            f"The guide ends at the run's own cutoff, {_limit(terms.cutoff, terms)}: agents that were stopped there "
            "might be better under a higher limit."
        )
    if terms.by == TIME:
        speed = "" if terms.speed == 1 else f" They are given for a machine with {terms.speed:g} times the speed."
        notes.append(
            f"Times were measured on {part['cpu'][0]} ({part['hosts'][0]}) and differ on other machines.{speed}"
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
            if each["without_it"] is not None:
                words += (
                    f", but {number(each['on_it'])} on {each['hardest_map']}; without this map, its {terms.score.words}"
                    f" would be {number(each['without_it'])}"
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
            f"{row['worst_set']}/{row['worst_map']}" if several else row["worst_map"],
            number(row["worst_problem"]),
            number(row["worst_move"]),
            number(row["worst"]) if terms.by == STATES else format_duration(row["worst"]),
        ]
        for row in agents.iter_rows(named=True)
    ]
    headers = ["\nagent", "on\nproblems", "worst:\nmap", "\nproblem", "\nmove", "\n" + terms.by]
    return Rows(headers, [False, True, False, True, True, True], rows)


def _where(row: dict[str, Any], terms: Terms) -> str:
    place = f"{row['worst_set']}/{row['worst_map']}, problem {row['worst_problem']}"
    if terms.by == STATES:
        return f"{place}, move {row['worst_move']}: {row['worst']:,} states"
    return f"{place}: {format_duration(row['worst'])}"


def _limit(limit: int, terms: Terms) -> str:
    return f"{limit:,} states" if terms.by == STATES else format_duration(limit)


def interval_text(row: dict[str, Any], following: dict[str, Any] | None, terms: Terms) -> str:
    """Format the interval of the limit of a row, which ends where the following row starts."""
    first, last = row["min_limit"], row["max_limit"]
    if terms.by == TIME:
        return _time_interval(row, following)
    if last is None:
        return f"{first:,} and up"
    return number(first) if first == last else f"{first:,} to {last:,}"


def _time_interval(row: dict[str, Any], following: dict[str, Any] | None) -> str:
    """Format an interval of durations, each with the digits that its bootstrap interval supports."""
    first, last = row["min_limit"], row["max_limit"]
    if last is None:
        return f"{format_duration(first, _digits(row))} and up"
    # More digits if the ends would look the same.
    for digits in range(20):
        begin = format_duration(first, max(_digits(row), digits))
        end = format_duration(last + 1, max(_digits(following or {}), digits))
        if begin != end:
            break
    return f"below {end}" if first == 1 else f"{begin} to {end}"


def _digits(row: dict[str, Any]) -> int:
    """Return the number of significant digits of the start of an interval: one if it is known to 20% or worse."""
    low, high = row.get("worst_low"), row.get("worst_high")
    if low is None or high is None or high <= low:
        return 3
    return min(max(1 + math.floor(math.log10(row["worst"] / (high - low))), 1), 3)
