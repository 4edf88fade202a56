"""The rule for unsolved problems: which records count in means and comparisons, on the same problems for all agents.

Agents that exceeded the run's limit on planning per move are disqualified: they are not ranked, and their problems do
not limit the problems of the others. A problem counts if every ranked agent was run on it and, if unsolved problems are
excluded, solved it.
"""

from dataclasses import dataclass

import polars as pl

from permove.analysis.compatibility import PROBLEM
from permove.analysis.outcomes import OVER, SOLVED
from permove.common.errors import InputError
from permove.records.settings import CONVERGE, Settings

EXCLUDE, CAP = "exclude", "cap"
"""Rules: only problems that all ranked agents solved, or unsolved trials as multiples of the optimum."""


@dataclass(frozen=True)
class Unsolved:
    """A rule for unsolved problems."""

    cap: float | None = None
    """Unsolved trials count as this many times the optimum; `None` excludes the problems that they are on."""

    @classmethod
    def of(cls, name: str | None, settings: Settings) -> "Unsolved":
        """Return the rule of a name for a run; by default `cap` if single trials have a cap on travel."""
        converging = settings.trials == CONVERGE
        if name is None:
            return cls(None if converging else settings.alpha)
        if name not in (EXCLUDE, CAP):
            raise InputError(f"unknown rule '{name}' for unsolved problems; use {EXCLUDE} or {CAP}")
        if name == EXCLUDE:
            return cls()
        if converging:
            raise InputError(
                f"a run to convergence sums over trials, which a cap on travel cannot replace; use {EXCLUDE}"
            )
        if settings.alpha is None:
            raise InputError(f"the run has no cap on travel (--alpha) to count unsolved trials with; use {EXCLUDE}")
        return cls(settings.alpha)

    @property
    def name(self) -> str:
        """Name of the rule, as in `--unsolved`."""
        return EXCLUDE if self.cap is None else CAP

    def ranked(self, records: pl.DataFrame) -> list[str]:
        """Return the agents that never exceeded the limit and have a record that can count."""
        over = records.filter(OVER)["agent"].unique().to_list()
        return self.countable(records).filter(~pl.col("agent").is_in(over))["agent"].unique().sort().to_list()

    def counted(self, records: pl.DataFrame) -> pl.DataFrame:
        """Return the records that count, all with the status `solved`.

        With a cap, the suboptimality of an unsolved trial is the cap, and its cost follows from it. All other columns
        are those of the trial until it ended. Records of disqualified agents are included on the same problems if the
        agent kept the limit there; a comparison that uses them must name the agent as disqualified.
        """
        rows, ranked = self.countable(records), self.ranked(records)
        if not ranked:
            return rows
        counts = rows.filter(pl.col("agent").is_in(ranked)).group_by(PROBLEM).len()
        common = counts.filter(pl.col("len") == len(ranked))
        return rows.join(common, on=PROBLEM, how="semi", maintain_order="left")

    def comparable(self, records: pl.DataFrame) -> pl.DataFrame:
        """Return the original records of ranked agents on the problems that count; there must be one."""
        ranked = records.filter(pl.col("agent").is_in(self.ranked(records)))
        found = ranked.join(self.counted(records), on=PROBLEM, how="semi", maintain_order="left")
        if found.is_empty():
            raise InputError(
                "there is no problem that all ranked agents solved; use --unsolved cap, or run fewer agents"
            )
        return found

    def countable(self, records: pl.DataFrame) -> pl.DataFrame:
        """Return the records that can count, on any problem, as `counted` describes them."""
        return records.filter(SOLVED) if self.cap is None else self.capped(records.filter(~OVER), ~SOLVED)

    def capped(self, records: pl.DataFrame, trials: pl.Expr) -> pl.DataFrame:
        """Return records in which some unsolved trials count as the cap, and have the status `solved`."""
        if self.cap is None:
            return records
        return records.with_columns(
            status=pl.when(trials).then(pl.lit("solved")).otherwise("status"),
            suboptimality=pl.when(trials).then(self.cap).otherwise("suboptimality"),
            cost=pl.when(trials).then(self.cap * pl.col("optimal")).otherwise("cost"),
        )


def counted(records: pl.DataFrame, rule: Unsolved | None) -> pl.DataFrame:
    """Return the records that count under a rule or, without one, all solved records: then each agent has its own."""
    return records.filter(SOLVED) if rule is None else rule.counted(records)


@dataclass(frozen=True)
class Coverage:
    """Numbers of problems and trials that count under a rule."""

    problems: int
    """Problems that any agent was run on."""
    counted: int
    """Problems that count, the same for all ranked agents."""
    ranked: int
    """Ranked agents."""
    capped: int
    """Trials of ranked agents that count as the cap."""
    unranked: int
    """Agents that keep the limit but have no record that can count."""


def coverage(records: pl.DataFrame, rule: Unsolved) -> Coverage:
    """Return how many problems and trials of a run's records count under a rule."""
    rows, ranked = rule.counted(records), rule.ranked(records)
    over = records.filter(OVER)["agent"].n_unique()
    capped = records.filter(~SOLVED & pl.col("agent").is_in(ranked)).join(rows, on=PROBLEM, how="semi")
    return Coverage(
        problems=records.select(PROBLEM).n_unique(),
        counted=rows.select(PROBLEM).n_unique(),
        ranked=len(ranked),
        capped=capped.height,
        unranked=records["agent"].n_unique() - over - len(ranked),
    )
