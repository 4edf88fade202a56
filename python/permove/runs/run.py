"""A run folder: its manifest, its records, and the analyses of them."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import RenderableType

from permove import data, views
from permove.agents.citations import bibtex
from permove.agents.specs import learns, parse
from permove.analysis.amortization import CLOSEST
from permove.analysis.compatibility import check_compatible
from permove.analysis.convergence import convergence
from permove.analysis.guide import STATES, TIME, Terms
from permove.analysis.replicas import by_problem, replica_deviation
from permove.analysis.scores import MEAN, find_score
from permove.analysis.tradeoff import tradeoff
from permove.analysis.unsolved import Unsolved, coverage
from permove.common.errors import InputError
from permove.common.names import listed
from permove.common.terminal import Bar
from permove.common.units import format_duration, parse_duration, parse_share, parse_size
from permove.records.columns import REPEATED
from permove.records.flags import flagged
from permove.records.settings import CONVERGE, MAX_TRIALS, Settings
from permove.report.convergence_table import convergence_table
from permove.report.document import drawn, latex
from permove.report.formats import Format, ReportFormat, html_text, put, show
from permove.report.table import tradeoff_table
from permove.runs import store
from permove.views.guide import Guide
from permove.views.per_map import PerMapGuide
from permove.views.run_page import run_page
from permove.views.run_report import report_document
from permove.views.unsolved import unsolved_note

MAX_NAMED = 6
"""The maximum number of agents that a warning names."""


class Run:
    """A run folder: its manifest and its records.

    Typical use:

        run = pm.Run("first")
        run.report()
        run.records.group_by("label").agg(pl.col("suboptimality").mean())
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.manifest = store.read_manifest(self.folder)
        store.note_unverified(self.folder)

    @property
    def settings(self) -> Settings:
        """The settings that all records of the run share."""
        return self.manifest.settings

    @cached_property
    def records(self) -> pl.DataFrame:
        """One row for every agent on every problem in every replica, sorted by identity.

        The labels of plug-ins that move through states which they never expanded end with ‡.
        """
        return flagged(store.read_records(self.folder))

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

    def tradeoff(self, *, score: str = MEAN.name, unsolved: str | None = None) -> pl.DataFrame:
        """Return suboptimality and planning per move, one row per agent; `report` describes the options.

        With several replicas, `replica_sd` is the standard deviation of the mean suboptimality between them.
        """
        check_compatible(self.by_problem)
        settings = self.settings
        limits = {"expanded_max": settings.cutoff, "time_max_ns": settings.time_limit_ns}
        frame = tradeoff(
            self.by_problem,
            worst_by=self._worst_by,
            rule=Unsolved.of(unsolved, settings),
            score=find_score(score),
            limits={column: limit for column, limit in limits.items() if limit is not None},
        )
        return self._with_deviation(frame, "suboptimality", unsolved)

    def convergence(self, *, score: str = MEAN.name, unsolved: str | None = None) -> pl.DataFrame:
        """Return the five measures of convergence, one row per agent; `report` describes the options.

        With several replicas, `replica_sd` is the standard deviation of the mean travel between them.
        """
        check_compatible(self.by_problem)
        rule = Unsolved.of(unsolved, self.settings)
        frame = convergence(self.by_problem, worst_by=self._worst_by, rule=rule, score=find_score(score))
        return self._with_deviation(frame, "travel", unsolved)

    def _with_deviation(self, frame: pl.DataFrame, column: str, unsolved: str | None) -> pl.DataFrame:
        if self.settings.replicas == 1:
            return frame
        deviation = replica_deviation(self.records, column, Unsolved.of(unsolved, self.settings))
        return frame.join(deviation, on="agent", how="left", maintain_order="left")

    @property
    def citations(self) -> str:
        """The references of the run's agents, and of MovingAI's maps if the run uses them, as BibTeX."""
        agents = self.records["agent"].unique(maintain_order=True).to_list()
        return bibtex(agents, benchmarks=self.manifest.suite.name.startswith("movingai/"))

    def suite(self, *, shown: bool = False) -> data.Suite:
        """Return the suite of the run, if it is still available and unchanged."""
        facts = self.manifest.suite
        with Bar(f"loading {facts.name}", None, shown=shown) as bar:
            suite = data.load(facts.name, bar.advance)
            if suite.fingerprint != facts.fingerprint:
                raise InputError(f"the suite {facts.name} has changed since {self.folder} was made; make the run again")
        return suite

    def report(
        self,
        format: ReportFormat | Format | str = ReportFormat.TABLE,
        output: Path | str | None = None,
        *,
        score: str = MEAN.name,
        unsolved: str | None = None,
        scrubbing: bool = False,
    ) -> None:
        """Show the trade-off, or the measures of a run to convergence, on the terminal or write them to a file.

        The format `html` is a page for a browser and needs a file, and `latex` tables for a paper. `score` is `mean`,
        `median`, `gmean` (geometric mean), `iqm` (interquartile mean) or `p95` (95th percentile). `unsolved` is the
        rule for unsolved problems:
        `exclude` uses only problems that all ranked agents solved, `cap` counts unsolved trials as the run's cap on
        travel times the optimum, and is the default if there is a cap. `scrubbing` adds visits per state to the table.
        """
        wanted = ReportFormat(format)
        output = None if output is None else Path(output)
        frame, rule = self._frame(score, unsolved)
        if wanted is ReportFormat.LATEX:
            converging = self.settings.trials == CONVERGE
            put(latex(report_document(frame, self.title, self._note(rule), converging=converging)), output)
        elif wanted is not ReportFormat.HTML:
            note = self._note(rule)
            table = self._table(frame, note, scrubbing=scrubbing)
            show(frame, self.title, Format(wanted), output, table=table, note=note)
        elif output is None:
            raise InputError("the format html needs a file; specify one, for example -o report.html")
        else:
            put(run_page(self, asdict(self.manifest), frame, rule=rule, score=find_score(score)), output)

    def plot(self, *, score: str = MEAN.name, unsolved: str | None = None) -> str:
        """Return the trade-off as SVG, one column of a paper wide; `report` describes the options."""
        frame, _ = self._frame(score, unsolved)
        return drawn(report_document(frame, self.title, "", converging=self.settings.trials == CONVERGE))

    def _frame(self, score: str, unsolved: str | None) -> tuple[pl.DataFrame, Unsolved]:
        """Return the frame of the report, and the rule for unsolved problems."""
        measures = self.convergence if self.settings.trials == CONVERGE else self.tradeoff
        return measures(score=score, unsolved=unsolved), Unsolved.of(unsolved, self.settings)

    def _note(self, rule: Unsolved) -> str:
        return unsolved_note(rule, coverage(self.by_problem, rule)) if not self.records.is_empty() else ""

    def _table(self, frame: pl.DataFrame, note: str, *, scrubbing: bool = False) -> RenderableType:
        if self.settings.trials == CONVERGE:
            return convergence_table(frame, self.title, note=note)
        return tradeoff_table(frame, self.title, note=note, scrubbing=scrubbing)

    def guide(
        self,
        *,
        by: str = STATES,
        quantile: str = "worst",
        max_memory: str | int | None = None,
        max_build: str | float | None = None,
        known_map: bool = True,
        per_set: bool = False,
        tolerate: str | float = 0.0,
        speed: float = 1.0,
        score: str = MEAN.name,
        unsolved: str | None = None,
        seed: int = 0,
    ) -> Guide:
        """Return the best agent for every limit on planning per move, by `states` expanded or by `time`.

        `max_memory` is a number of bytes or text such as "10MB", `max_build` a number of seconds or text such as "2s",
        `tolerate` a share or text such as "0.1%"; `permove.analysis.guide.Terms` describes the rest. The `score`
        chooses agents and is one of those of `report`. `unsolved` is the rule for unsolved problems: `cap` counts
        unsolved trials as the run's cap on travel times the optimum, and is the default if there is a cap; `exclude`
        never recommends agents with unsolved problems. The guide has a `frame` of intervals, the `candidates`,
        `explain` for one limit, and `show`.
        """
        settings = self.settings
        if by == TIME and settings.timed and self.manifest.records < REPEATED:
            again = self.manifest.again(self.folder.with_name(f"{self.folder.name}-again"))
            raise InputError(
                f"the times in {self.folder} were measured by an earlier version of permove, which timed each trial "
                f"once and counted moves without planning; {again} measures them again"
            )
        terms = Terms(
            by=by,
            quantile=quantile,
            max_memory=None if max_memory is None else parse_size(max_memory),
            max_build_ns=None if max_build is None else parse_duration(max_build),
            known_map=known_map,
            per_set=per_set,
            tolerate=parse_share(tolerate),
            speed=speed,
            score=find_score(score),
            unsolved=Unsolved.of(unsolved, settings),
            cutoff=settings.cutoff if by == STATES else settings.time_limit_ns,
            seed=seed,
        )
        return Guide(self.title, terms, self.by_problem)

    def per_map(self, *, limit: int | None = None, **terms: Any) -> PerMapGuide:
        """Return the best agent for each map and limit, next to the common choice, or only under one `limit`.

        Further keywords are those of `guide`. The result has a `frame` with one row per limit and map, and `show`.
        Scores are in-sample and held out, and an agent is recommended by the latter.
        """
        return PerMapGuide(self.guide(**terms), limit)

    def view(
        self,
        name: str,
        *,
        x: str | None = None,
        y: str | None = None,
        score: str = MEAN.name,
        unsolved: str | None = None,
        relative_to: str | None = None,
        parameters: str | None = None,
        against: str | None = None,
        problem: str | None = None,
        seed: int = 0,
    ) -> views.ViewResult:
        """Return a view such as `tradeoff` or `profiles`, which has a `frame`, `show` and perhaps a `plot`.

        `x` and `y` are measures, named by their columns; the defaults depend on the kind of the run. `score` and
        `unsolved` are those of `report`. `relative_to` is `optimum` or `best`, for profiles. `parameters` are the two
        parameters of an interplay, as in "d,gamma", `against` the agent that amortization compares with, or "closest",
        and `problem` the problem of `best-so-far`, as in "caves-128:5".
        """
        if against not in (None, CLOSEST, *self.records["label"].unique()):
            # A text that is not a spec is reported by the view.
            with suppress(InputError):
                against = parse(str(against)).spec
        own = (parameters, against, problem)
        return views.find(name).result(self, views.Axes(x, y, seed, score, unsolved, relative_to, *own))

    @property
    def never_learning(self) -> list[str]:
        """Names of the agents that neither learn nor discover anything, and therefore run one trial to convergence."""
        settings = self.settings
        if settings.trials != CONVERGE or settings.sensor != "all":
            return []
        specs = (spec for start in self.manifest.starts for spec in start.agents)
        return list(dict.fromkeys(spec.partition("(")[0] for spec in specs if not learns(spec)))

    @property
    def timing_note(self) -> str | None:
        """How moves were timed, and which times are disturbed; `None` if the run is not timed."""
        this = self.manifest.starts[-1]
        if this.tick_overhead_ns is None:
            return None
        threads = "one thread" if this.jobs == 1 else f"{this.jobs} threads at once, which disturb each other"
        times = self.records.select("agent", "label", "repeats", "disturbed").drop_nulls()
        counts = times["repeats"].to_list() or [0]
        few, many = min(counts), max(counts)
        repeats = f"{few}" if few == many else f"{few} to {many}"
        note = (
            f"Timed on {threads}; reading the clock adds about {this.tick_overhead_ns:.0f} ns to each planned move. "
            f"Trials were repeated {repeats} times, and a move counts with its minimum."
        )
        disturbed = times.filter(pl.col("disturbed") > 0)
        if disturbed.is_empty():
            return note
        labels = disturbed["label"].unique(maintain_order=True).to_list()
        return (
            f"{note}\nWarning: other programs disturbed {disturbed['disturbed'].sum():,} moves of {disturbed.height:,} "
            f"records in every repetition, so the worst moves and quantiles of {listed(labels, MAX_NAMED)} may be too "
            "high. Run again on a quieter machine, or with more --repeats."
        )

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

    def _repr_html_(self) -> str:
        """Return the table of the run for a notebook."""
        if self.records.is_empty():
            return html_text(repr(self))
        frame, rule = self._frame(MEAN.name, None)
        return html_text(self._table(frame, self._note(rule)))

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r}): {self.title}"


class Interrupted(KeyboardInterrupt):
    """Raised if a run is interrupted. Finished records are kept.

    Typical use:

        try:
            pm.run("embedded", "astar", out="long")
        except pm.Interrupted as interrupted:
            run = pm.Run(interrupted.folder)
    """

    def __init__(self, folder: Path, done: int, total: int, what: str = "records") -> None:
        self.folder, self.done, self.total = folder, done, total
        super().__init__(
            f"interrupted: {done:,} of {total:,} {what} are kept in {folder}; run the same command again to resume"
        )
