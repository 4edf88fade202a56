"""The selection guide of a run: which agent is best under which limit on planning per move, and its document."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from permove.analysis import guide as analysis
from permove.analysis.guide import (
    ALIKE,
    BEST,
    BUILD,
    CUTOFF,
    LEFT_OUT,
    MAP,
    MEMORY,
    STATES,
    TIME,
    TOO_MUCH,
    UNSOLVED,
    UNTIMED,
    WORSE,
    Terms,
)
from permove.common.units import format_duration, format_size
from permove.report.document import Block, Document, Heading, Rows, present
from permove.report.formats import ReportFormat, json_text, number, put
from permove.report.table import plus_minus, share

MOST_NAMED = 6
"""So many runners-up are named for readers; JSON and CSV have all."""

QUANTILES = {
    "worst": "the slowest move on any problem",
    "99.9": "99.9% of the moves on every problem",
    "99": "99% of the moves on every problem",
}


@dataclass(frozen=True)
class Guide:
    """What records advise, under some terms."""

    title: str
    terms: Terms
    records: pl.DataFrame = field(repr=False)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The intervals of the limit, from 1 upwards, with the best agent in each; see `permove.analysis.guide`."""
        return analysis.guide(self.records, self.terms)

    @cached_property
    def candidates(self) -> pl.DataFrame:
        """Every agent, with its worst move and with why it can never be chosen where that is so."""
        return analysis.candidates(self.records, self.terms)

    def explain(self, limit: int) -> pl.DataFrame:
        """What becomes of every agent under a limit, in states or nanoseconds, and by which problem and move."""
        return analysis.explained(self.records, limit, self.terms)

    def show(
        self,
        format: ReportFormat | str = ReportFormat.TABLE,
        output: Path | None = None,
        *,
        explain: int | None = None,
    ) -> None:
        """Show the guide, or what it says of one limit, on the terminal or write it to a file."""
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
    """The frames of `analysis.guide` and `analysis.candidates`."""
    blocks: list[Block] = [_asked(terms)]
    for part, who in zip(_parts(guide), _parts(candidates), strict=True):
        if name := _part_name(part, terms):
            blocks.append(Heading(name))
        blocks += _intervals(part, terms)
        blocks += _notes(part, who, terms)
        apart = who.filter(pl.col("out").is_not_null())
        if not apart.is_empty():
            blocks += [Heading("Never chosen"), _apart(apart, terms)]
    return Document(f"{title}: which agent under which limit", blocks)


def explained_document(title: str, limit: int, explained: pl.DataFrame, terms: Terms) -> Document:
    """The frame of `analysis.explained`."""
    blocks: list[Block] = [_asked(terms)]
    for part in _parts(explained):
        if name := _part_name(part, terms):
            blocks.append(Heading(name))
        within = part.filter(pl.col("verdict").is_in([BEST, ALIKE, WORSE]))
        over = part.filter(pl.col("verdict") == TOO_MUCH)
        out = part.filter(pl.col("verdict") == LEFT_OUT)
        if within.is_empty():
            blocks.append(f"No agent keeps the limit of {_limit(limit, terms)} on every problem and solves them all.")
        else:
            blocks += [Heading("Considered"), _considered(within, terms)]
            blocks += [ONE_PROBLEM] if within["problems"][0] == 1 else []
        if not over.is_empty():
            blocks += [Heading(f"Disqualified: over {_limit(limit, terms)}"), _over(over, terms)]
        if not out.is_empty():
            blocks += [Heading("Never chosen"), _apart(out, terms)]
    return Document(f"{title}: under a limit of {_limit(limit, terms)} for any one move", blocks)


def guide_json(document: Document, guide: pl.DataFrame, candidates: pl.DataFrame) -> str:
    """The intervals, and every agent with what was made of it."""
    sentences = [block for block in document.blocks if isinstance(block, str)]
    content = {
        "title": document.title,
        "notes": sentences,
        "intervals": guide.to_dicts(),
        "agents": candidates.to_dicts(),
    }
    return json_text(content) + "\n"


def guide_csv(guide: pl.DataFrame) -> str:
    """The intervals; of the runners-up there are the specs."""
    names = pl.col("runners_up").list.eval(pl.element().struct.field("agent")).list.join("; ")
    return guide.with_columns(names).write_csv()


ONE_PROBLEM = "There is one problem alone: a mean of it has no standard error, and nobody can be told from the best."


def _asked(terms: Terms) -> str:
    """What was asked for, in a sentence."""
    if terms.by == STATES:
        words = "The limit is on the states expanded for any one move"
    else:
        words = f"The limit is on time per move: it has to hold for {QUANTILES[terms.quantile]}"
    bounds = []
    if terms.max_memory is not None:
        bounds.append(f"at most {format_size(terms.max_memory)} of memory")
    if terms.max_build_ns is not None:
        bounds.append(f"at most {format_duration(terms.max_build_ns)} to build what is used on a map")
    if not terms.known_map:
        bounds.append("nothing built from the map beforehand")
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
    for row in part.iter_rows(named=True):
        within = _interval(row["least"], row["most"], terms)
        if row["agent"] is None:
            rows.append([within, "no agent qualifies", "–", "–", "–"])
            continue
        rows.append(
            [
                within,
                row["label"],
                plus_minus(row["suboptimality"], row["suboptimality_se"]),
                format_size(row["memory_bytes"] or None),
                format_duration(row["build_ns"] or None),
            ]
        )
        if row["runners_up"]:
            named.append([within, _named(row["runners_up"], row["least"], terms)])
    headers = ["limit", "best agent", "suboptimality", "memory", "build"]
    blocks: list[Block] = [Rows(headers, [True, False, True, True, True], rows)]
    if named:
        blocks += [
            Heading("Statistically indistinguishable from the best"),
            Rows(["limit", "runners-up, with the limit that they need"], [True, False], named),
        ]
    return blocks


def _named(runners_up: list[dict[str, Any]], least: int, terms: Terms) -> str:
    words = [
        each["label"] if each["least"] <= least else f"{each['label']} (from {_limit(each['least'], terms)})"
        for each in runners_up[:MOST_NAMED]
    ]
    left = len(runners_up) - len(words)
    return "; ".join([*words, *([f"and {left} more"] if left else [])])


def _notes(part: pl.DataFrame, who: pl.DataFrame, terms: Terms) -> list[Block]:
    notes: list[Block] = []
    if part["agent"].is_null().all():
        notes.append("No agent qualifies under any limit: below is what keeps each of them out.")
    problems = part["problems"][0]
    if problems == 1:
        notes.append(ONE_PROBLEM)
    else:
        notes.append(
            f"Means over {problems:,} problems, with standard errors. "
            + (
                "Indistinguishable is whose paired bootstrap interval of 95% includes no difference."
                if part["runners_up"].list.len().sum()
                else "Nobody else is indistinguishable from a choice, by a paired bootstrap at 95%."
            )
        )
    if terms.cutoff is not None and (who["out"] == CUTOFF).any():
        notes.append(
            f"The guide ends with the run's own cutoff, {_limit(terms.cutoff, terms)}: who was stopped there may be "
            "better beyond it."
        )
    if terms.by == TIME:
        notes.append(f"Times are those of {part['cpu'][0]} ({part['hosts'][0]}): on another machine they are others.")
    return notes


def _apart(who: pl.DataFrame, terms: Terms) -> Rows:
    rows = [
        [row["label"], share(row["solved"], row["problems"]), _why(row, terms)] for row in who.iter_rows(named=True)
    ]
    return Rows(["agent", "solved", "why"], [False, True, False], rows)


def _why(row: dict[str, Any], terms: Terms) -> str:
    missing = f"{row['missing']:,} missing" if row["missing"] else ""
    return {
        CUTOFF: f"over the run's cutoff on {row['problems'] - row['solved']:,} problems, worst: {_where(row, terms)}",
        UNSOLVED: ", ".join(filter(None, [row["unsolved"], missing])),
        UNTIMED: "the time of single moves was not measured",
        MEMORY: f"takes {format_size(row['memory_bytes'])}",
        BUILD: f"what it uses takes {format_duration(row['build_ns'])} to build",
        MAP: "has something built from the map beforehand",
    }[row["out"]]


def _considered(who: pl.DataFrame, terms: Terms) -> Rows:
    words = {BEST: "best", ALIKE: "indistinguishable", WORSE: "worse"}
    rows = [
        [
            row["label"],
            plus_minus(row["suboptimality"], row["suboptimality_se"]),
            "–" if row["verdict"] == BEST else _difference(row),
            number(row["worst"]) if terms.by == STATES else format_duration(row["worst"]),
            words[row["verdict"]],
        ]
        for row in who.iter_rows(named=True)
    ]
    headers = ["\nagent", "\nsuboptimality", "more than the best,\n95% interval", "worst\nmove", "\nverdict"]
    return Rows(headers, [False, True, True, True, False], rows)


def _difference(row: dict[str, Any]) -> str:
    if row["low"] is None:
        return f"{row['difference']:.3g}"
    return f"{row['difference']:.3g} ({row['low']:.3g} to {row['high']:.3g})"


def _over(who: pl.DataFrame, terms: Terms) -> Rows:
    several = who["worst_set"].n_unique() > 1
    rows = [
        [
            row["label"],
            f"{row['over_problems']:,} of {row['problems']:,}",
            f"{row['worst_set']}/{row['worst_map']}" if several else row["worst_map"],
            number(row["worst_problem"]),
            number(row["worst_move"]),
            number(row["worst"]) if terms.by == STATES else format_duration(row["worst"]),
        ]
        for row in who.iter_rows(named=True)
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


def _interval(least: int, most: int | None, terms: Terms) -> str:
    if terms.by == TIME:
        return _time_interval(least, most)
    if most is None:
        return f"{least:,} and up"
    return number(least) if least == most else f"{least:,} to {most:,}"


def _time_interval(least: int, most: int | None) -> str:
    """Durations are rounded, so that the ends are where one interval gives way to the next."""
    if most is None:
        return f"{format_duration(least)} and up"
    # As many digits as it takes to tell the ends apart.
    pairs = ((format_duration(least, digits), format_duration(most + 1, digits)) for digits in range(3, 20))
    begin, end = next(pair for pair in pairs if pair[0] != pair[1])
    return f"below {end}" if least == 1 else f"{begin} to {end}"
