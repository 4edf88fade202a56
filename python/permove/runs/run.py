"""A run folder: its manifest, its records, and the analyses of them."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path

import polars as pl

from permove import views
from permove.agents.specs import learns
from permove.analysis.compatibility import check_compatible
from permove.analysis.convergence import convergence
from permove.analysis.guide import STATES, Terms
from permove.analysis.replicas import by_problem, replica_deviation
from permove.analysis.tradeoff import tradeoff
from permove.common.errors import InputError
from permove.common.units import format_duration, parse_duration, parse_size
from permove.records.settings import CONVERGE, MAX_TRIALS, Settings
from permove.report.convergence_table import convergence_table
from permove.report.formats import Format, ReportFormat, put, show
from permove.report.table import tradeoff_table
from permove.runs import store
from permove.views.guide import Guide
from permove.views.run_page import run_page


class Run:
    """A run folder: its manifest and its records."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.manifest = store.read_manifest(self.folder)

    @property
    def settings(self) -> Settings:
        """The settings that all records of the run share."""
        return self.manifest.settings

    @cached_property
    def records(self) -> pl.DataFrame:
        """One row for every agent on every problem in every replica, sorted by identity."""
        return store.read_records(self.folder)

    @cached_property
    def by_problem(self) -> pl.DataFrame:
        """One row for every agent on every problem: the mean over its replicas."""
        return by_problem(self.records)

    @cached_property
    def trials(self) -> pl.DataFrame:
        """One row for every trial of a run to convergence, sorted by identity; empty for runs of single trials."""
        return store.read_trials(self.folder)

    def trials_of(self, agents: Sequence[str]) -> pl.DataFrame:
        """Return the trials of some agents; those of a large run may not fit into memory."""
        return store.read_trials(self.folder, agents)

    def tradeoff(self) -> pl.DataFrame:
        """Return suboptimality and planning per move, one row per agent.

        With several replicas, `replica_sd` is the standard deviation of the mean suboptimality between them.
        """
        check_compatible(self.by_problem)
        return self._with_deviation(tradeoff(self.by_problem, worst_by=self._worst_by), "suboptimality")

    def convergence(self) -> pl.DataFrame:
        """Return the five measures of convergence, one row per agent.

        With several replicas, `replica_sd` is the standard deviation of the mean travel between them.
        """
        check_compatible(self.by_problem)
        return self._with_deviation(convergence(self.by_problem, worst_by=self._worst_by), "travel")

    def _with_deviation(self, frame: pl.DataFrame, column: str) -> pl.DataFrame:
        if self.settings.replicas == 1:
            return frame
        deviation = replica_deviation(self.records, column)
        return frame.join(deviation, on="agent", how="left", maintain_order="left")

    def report(
        self, format: ReportFormat | Format | str = ReportFormat.TABLE, output: Path | str | None = None
    ) -> None:
        """Show the trade-off, or the measures of a run to convergence, on the terminal or write them to a file.

        The format `html` is a page for a browser and needs a file.
        """
        title, wanted = self.title, ReportFormat(format)
        output = None if output is None else Path(output)
        converging = self.settings.trials == CONVERGE
        frame = self.convergence() if converging else self.tradeoff()
        if wanted is not ReportFormat.HTML:
            table = convergence_table(frame, title) if converging else tradeoff_table(frame, title)
            show(frame, title, Format(wanted), output, table=table)
        elif output is None:
            raise InputError("the format html needs a file; specify one, for example -o report.html")
        else:
            put(run_page(self, asdict(self.manifest), frame), output)

    def guide(
        self,
        *,
        by: str = STATES,
        quantile: str = "worst",
        max_memory: str | int | None = None,
        max_build: str | float | None = None,
        known_map: bool = True,
        per_set: bool = False,
        seed: int = 0,
    ) -> Guide:
        """Return the best agent for every limit on planning per move, by `states` expanded or by `time`.

        `max_memory` is a number of bytes or text such as "10MB", `max_build` a number of seconds or text such as "2s";
        `permove.analysis.guide.Terms` describes the rest. The guide has a `frame` of intervals, the `candidates`,
        `explain` for one limit, and `show`.
        """
        settings = self.settings
        terms = Terms(
            by=by,
            quantile=quantile,
            max_memory=None if max_memory is None else parse_size(max_memory),
            max_build_ns=None if max_build is None else parse_duration(max_build),
            known_map=known_map,
            per_set=per_set,
            cutoff=settings.cutoff if by == STATES else settings.time_limit_ns,
            seed=seed,
        )
        return Guide(self.title, terms, self.by_problem)

    def view(self, name: str, *, x: str | None = None, y: str | None = None, seed: int = 0) -> views.ViewResult:
        """Return a view such as `tradeoff` or `scaling`, which has a `frame` and `show`.

        `x` and `y` are measures, named by their columns; the defaults depend on the kind of the run.
        """
        return views.find(name).render(self, views.Axes(x, y, seed))

    @property
    def never_learning(self) -> list[str]:
        """Names of the agents that neither learn nor discover anything, and therefore run one trial to convergence."""
        settings = self.settings
        if settings.trials != CONVERGE or settings.sensor != "all":
            return []
        specs = (spec for start in self.manifest.starts for spec in start.agents)
        return list(dict.fromkeys(spec.partition("(")[0] for spec in specs if not learns(spec)))

    @property
    def _worst_by(self) -> str:
        settings = self.settings
        by_time = settings.cutoff is None and settings.time_limit_ns is not None
        return "time_max_ns" if by_time else "expanded_max"

    @property
    def title(self) -> str:
        """Suite and limits of the run, as a title."""
        settings = self.settings
        words = [self.manifest.suite.name]
        if settings.cutoff is not None:
            words.append(f"cutoff {settings.cutoff:,} states per move")
        if settings.time_limit_ns is not None:
            words.append(f"time limit {format_duration(settings.time_limit_ns)} per move")
        if settings.alpha is not None:
            words.append(f"travel cap {settings.alpha:,g}{' per trial' if settings.cap_each_trial else ''}")
        if settings.sensor != "all":
            words.append(f"sensor {settings.sensor}")
        if settings.trials == CONVERGE:
            cap = "" if settings.max_trials == MAX_TRIALS else f" of at most {settings.max_trials:,} trials"
            words.append(f"convergence{cap}")
        if settings.replicas > 1:
            words.append(f"{settings.replicas} replicas")
        return ", ".join(words)

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r}): {self.title}"


class Interrupted(KeyboardInterrupt):
    """Raised if a run is interrupted. Finished records are kept."""

    def __init__(self, folder: Path, done: int, total: int, what: str = "records") -> None:
        self.folder, self.done, self.total = folder, done, total
        super().__init__(
            f"interrupted: {done:,} of {total:,} {what} are kept in {folder}; run the same command again to resume"
        )
