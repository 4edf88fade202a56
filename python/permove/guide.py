"""The selection guide of a run: which agent is best under which limit on planning per move."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import polars as pl

from permove.analysis import guide as analysis
from permove.analysis.guide import Terms
from permove.report.document import WRITERS
from permove.report.formats import Format, ReportFormat, put, show
from permove.report.guide import explained_document, guide_csv, guide_document, guide_json


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
        wanted = ReportFormat(format)
        if explain is not None:
            frame = self.explain(explain)
            document = explained_document(self.title, explain, frame, self.terms)
        else:
            frame = self.frame
            document = guide_document(self.title, frame, self.candidates, self.terms)
        if wanted in WRITERS:
            put(WRITERS[wanted](document), output)
        elif explain is not None:
            show(frame, document.title, Format(wanted), output)
        elif wanted is ReportFormat.CSV:
            put(guide_csv(frame), output)
        else:
            put(guide_json(document, frame, self.candidates), output)
