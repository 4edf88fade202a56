"""The guide for each map as a document: own choices next to the common one, in-sample and held out."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from permove.analysis.held_out import FOLDS, MIN_PROBLEMS
from permove.analysis.per_map import PerMap, per_map
from permove.common.errors import InputError
from permove.report.document import Block, Document, Heading, Rows, present
from permove.report.formats import ReportFormat, json_text, number, put
from permove.views.guide import Guide, asked, limit_text, limits_text

METHOD = (
    f"In-sample scores are over the problems by which an agent is chosen, as in the paper; held-out scores are over "
    f"others: the problems of each map are divided into up to {FOLDS} parts, and each part is scored with the agent "
    "that is best on the other parts, of the map (own choice) or of all maps (common choice). The last column is what "
    "the common choice loses against own ones, held out, with half of its 95% interval."
)


@dataclass(frozen=True)
class PerMapGuide:
    """The guide for each map of a run."""

    guide: Guide
    limit: int | None = None
    """The one limit that it is for, instead of the intervals of the guide."""

    @cached_property
    def parts(self) -> list[PerMap]:
        """The choices of each part; see `permove.analysis.per_map`."""
        if self.guide.terms.per_set:
            raise InputError("--per-map and --per-set exclude each other; omit one of them")
        return per_map(self.guide.records, self.guide.terms, self.limit)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per part, interval of the limit and map."""
        return pl.concat([part.maps.select(pl.lit(part.cpu, pl.String).alias("cpu"), pl.all()) for part in self.parts])

    def show(self, format: ReportFormat | str = ReportFormat.TABLE, output: Path | None = None) -> None:
        """Print the choices, or write them to a file."""
        document = self._document()
        if format == ReportFormat.JSON:
            content = {
                "title": document.title,
                "notes": [block for block in document.blocks if isinstance(block, str)],
                "limits": [row for part in self.parts for row in part.limits.to_dicts()],
                "maps": self.frame.to_dicts(),
            }
            put(json_text(content) + "\n", output)
        else:
            present(document, self.frame, format, output)

    def _document(self) -> Document:
        blocks: list[Block] = [asked(self.guide.terms), METHOD]
        for part in self.parts:
            if part.cpu is not None:
                blocks.append(Heading(f"{part.cpu} ({part.hosts})"))
            names = self._names(part)
            blocks += _limits(part, names)
            for row, name in zip(part.limits.iter_rows(named=True), names, strict=True):
                maps = part.maps.filter(pl.col("min_limit") == row["min_limit"])
                blocks.append(Heading(f"Limit {name}, common choice {row['common_label'] or 'none'}"))
                blocks += [choices_table(maps), *_few(maps)]
        return Document(f"{self.guide.title}: best agent for each map and limit", blocks)

    def _names(self, part: PerMap) -> list[str]:
        """Return the intervals of the limit, or the one limit, as text."""
        if self.limit is not None:
            return [limit_text(self.limit, self.guide.terms)]
        return limits_text(part.limits.to_dicts(), self.guide.terms)


def _limits(part: PerMap, names: list[str]) -> list[Block]:
    rows, sentences = [], []
    for row, name in zip(part.limits.iter_rows(named=True), names, strict=True):
        rows.append([name, row["common_label"] or "no agent", *summary_cells(row)])
        sentences.append(f"Limit {name}: {verdict(row)}")
    headers = ["\nlimit", "\ncommon choice", *SUMMARY]
    return [Rows(headers, [True, False, *([True] * len(SUMMARY))], rows), " ".join(sentences)]


SUMMARY = ("common,\nin / out", "own,\nin / out", "common\nloses")
"""Headers of the cells of `summary_cells`."""


def summary_cells(row: dict[str, Any]) -> list[str]:
    """Return the scores of the common and of own choices, in-sample and held out, and what the common one loses."""
    pairs = [f"{_short(row[f'{name}_in_sample'])} / {_short(row[f'{name}_held_out'])}" for name in ("common", "own")]
    if row["loss"] is None:
        return [*pairs, "–"]
    return [*pairs, f"{row['loss']:+.2g} ± {(row['loss_high'] - row['loss_low']) / 2:.2g}"]


def choices_table(maps: pl.DataFrame) -> Rows:
    """Return a table of the frame of `analysis.per_map`, with one row per map."""
    names = maps["map"].str.split("/").list.first().n_unique()
    rows = []
    for row in maps.iter_rows(named=True):
        name = row["map"] if names > 1 else row["map"].partition("/")[2]
        low, high = _short(row["suboptimality_low"]), _short(row["suboptimality_high"])
        score = f"{_short(row['suboptimality'])} ({low}–{high})"
        rows.append([name, row["chosen_label"] or "no agent qualifies", score, *summary_cells(row)])
    headers = ["\nmap", "\nrecommended", "\nsuboptimality", *SUMMARY]
    return Rows(headers, [False, False, *([True] * (len(headers) - 2))], rows)


def verdict(row: dict[str, Any], what: str = "map") -> str:
    """Return whether own choices beat the common one on held-out problems, in a sentence."""
    if row["loss"] is None:
        return f"there are too few problems on each {what} to compare own choices with the common one."
    verb = "beats" if row["pays"] else "does not beat"
    several = f"{row['own_maps']:,} of {row['maps']:,} {what}s"
    return (
        f"an own choice for each {what} {verb} the common one on held-out problems ({number(row['own_held_out'])} "
        f"against {number(row['common_held_out'])}); it is recommended for {several}."
    )


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _few(maps: pl.DataFrame) -> list[Block]:
    few = maps.filter(pl.col("problems") < MIN_PROBLEMS)
    if few.is_empty():
        return []
    return [f"{few.height:,} maps have fewer than {MIN_PROBLEMS} problems, and therefore no own choice."]
