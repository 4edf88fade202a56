"""The page of a run: the trade-off with an adjustable limit, the guide, and the data behind them.

This module converts frames of the analysis to the JSON that the page's script reads. The frames are aggregated, so
the file is small. The script computes everything that depends on the limit from the worst moves.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import polars as pl

from permove.records.settings import Settings
from permove.report.families import families_of, names_of
from permove.report.page import page
from permove.report.table import MARK, MARK_NOTE

DIGITS, TIME_DIGITS, ERROR_DIGITS = 9, 4, 5
"""Significant digits of values, times and errors: enough to rank agents."""

MAX_CONTESTANTS = 12
"""Maximum number of agents that are compared problem by problem."""


@dataclass(frozen=True)
class Measure:
    """A measure that every agent has in every view, and its format."""

    key: str
    title: str
    unit: str
    """`number`, `states` or `time`."""
    limit: str = ""
    """Description of the limit, after "With at most 100"; only for measures that can be limited."""


ONCE = (
    Measure("suboptimality", "suboptimality", "number"),
    Measure("expanded_per_move", "states expanded per move", "states"),
    Measure("time_per_move_ns", "time per move", "time"),
)
CONVERGENCE = (
    Measure("travel", "convergence travel", "number"),
    Measure("first_move_expanded", "first-move lag, states", "states"),
    Measure("suboptimality", "suboptimality of the final trial", "number"),
    Measure("expanded", "convergence planning, states", "states"),
    Measure("memory", "convergence memory, states", "states"),
    Measure("trials", "trials to convergence", "number"),
    Measure("time_ns", "convergence planning, time", "time"),
)
WORST = (
    Measure("expanded_max", "states, worst move", "states", "states expanded for any single move"),
    Measure("time_max_ns", "time, worst move", "time", "time for any single move"),
    Measure("time_p999_ns", "time, 99.9% of planned moves", "time", "time for 99.9% of planned moves on any problem"),
    Measure("time_p99_ns", "time, 99% of planned moves", "time", "time for 99% of planned moves on any problem"),
)
"""Measures that can be limited."""


def measures_of(converging: bool, score: str) -> list[Measure]:
    """Return the measures of a run to convergence, or with one trial per problem; titles name the score.

    The measure of the agents' quality is first, the planning that it costs second.
    """
    prefix = "" if score == "mean" else f"{score} "
    if converging:
        return [replace(measure, title=f"{prefix}{measure.title}") for measure in CONVERGENCE]
    first, *others = ONCE
    median = [Measure("suboptimality_median", "median suboptimality", "number")] if score != "median" else []
    return [replace(first, title=f"{prefix}{first.title}"), *others, *median]


def run_page(
    title: str,
    settings: Settings,
    manifest: Mapping[str, Any],
    means: pl.DataFrame,
    views: pl.DataFrame,
    guides: Mapping[str, pl.DataFrame],
    front: pl.DataFrame,
    contests: pl.DataFrame,
    *,
    measures: Sequence[Measure],
    note: str = "",
) -> str:
    """Return the page of a run with these settings; `manifest` is the content of its manifest.

    `means` has one row per agent, from `tradeoff` or `convergence`. `views` is the frame of that name with the columns
    of `measures`: the best agent minimizes the first, at the cost of the second. `guides` has a guide for each column
    that can be limited, `front` is the Pareto front of the first two measures, and `contests` counts for pairs of
    agents on how many problems either dominates in these two. `note` says which problems the values are over.
    """
    agents = views.filter(pl.col("kind") == "run").select("agent").join(means, on="agent", maintain_order="left")
    # The page always needs two axes, even if no problem counts for all agents.
    known = [measure for measure in (*measures[2:], *WORST) if views[measure.key].is_not_null().any()]
    shown = [*measures[:2], *known]
    families, agent_families = families_of(agents["agent"].to_list(), agents["label"].to_list())
    numbers = {spec: number for number, spec in enumerate(agents["agent"])}
    content = {
        "title": title,
        "note": note,
        "mark": f"{MARK} {MARK_NOTE}",
        "suite": manifest["suite"]["name"],
        "agents": [
            {"name": name, "spec": spec, "family": family}
            for name, spec, family in zip(names_of(agents), agents["agent"], agent_families, strict=True)
        ],
        "families": families,
        "measures": [asdict(measure) for measure in shown],
        "limits": [
            asdict(measure)
            | {"max": {"expanded_max": settings.cutoff, "time_max_ns": settings.time_limit_ns}.get(measure.key)}
            for measure in shown
            if measure in WORST
        ],
        "views": _views(views, shown),
        "outcomes": [
            {"agent": number, "problems": row["problems"], "over": row["over"], "why": row["why"]}
            | {"unsolved": row["unsolved"]}
            for number, row in enumerate(agents.iter_rows(named=True))
        ],
        "worst": _worst(agents),
        "guides": {key: _runners_up(guide, numbers) for key, guide in guides.items()},
        "front": [
            {"agent": numbers[row["agent"]], "by": row["dominated_by"], "share": row["front"]}
            for row in front.filter(pl.col("dominated").is_not_null()).iter_rows(named=True)
        ],
        "contests": [
            {"one": numbers[row["one"]], "other": numbers[row["other"]], "problems": row["problems"]}
            | {"won": row["one_dominates"], "lost": row["other_dominates"]}
            for row in contests.iter_rows(named=True)
        ],
        "manifest": manifest,
    }
    return page("report", f"{title} – permove", content, kind="run")


def _views(views: pl.DataFrame, measures: Sequence[Measure]) -> list[dict[str, Any]]:
    """Return the content of each view: one column per measure, all in the same order of agents."""
    every = views.filter(pl.col("kind") == "run")["agent"]
    empty = pl.DataFrame({"agent": every})
    counts = ("tried", "solved", "over", "complete", "counted")
    # Only means are marked, and only those of suboptimality.
    marks = "concentrated" in views.columns and measures[0].title == "suboptimality"
    found = []
    for view in views.partition_by("kind", "view", maintain_order=True):
        facts = view.row(0, named=True)
        rows = empty.join(view, on="agent", how="left", maintain_order="left")
        found.append(
            {name: facts[name] for name in ("kind", "view", "problems")}
            | {end: _digits([facts[f"{end}_optimal"]], TIME_DIGITS)[0] for end in ("min", "max")}
            | {name: _column(rows[name].fill_null(0).to_list()) for name in counts}
            | {
                "values": {
                    measure.key: _column(_digits(rows[measure.key], TIME_DIGITS if measure.unit == "time" else DIGITS))
                    for measure in measures
                }
            }
            | ({"marked": _column(rows["concentrated"].fill_null(False).to_list())} if marks else {})
            | {
                "errors": {
                    measure.key: _column(_digits(rows[f"{measure.key}_se"], ERROR_DIGITS))
                    for measure in measures
                    if f"{measure.key}_se" in rows.columns
                }
            }
        )
    return found


def _column(values: list[Any]) -> Any:
    """Return a column as a list, or as a single value if all values are equal."""
    return values[0] if len(set(values)) == 1 else values


def _digits(values: Iterable[float | None], digits: int) -> list[float | None]:
    """Round values to significant digits; integers stay exact, since limits are compared with them."""
    return [value if value is None or isinstance(value, int) else _parse(f"{value:.{digits}g}") for value in values]


def _parse(text: str) -> float | None:
    value = float(text)
    if value != value or value in (float("inf"), float("-inf")):
        return None
    return int(value) if value.is_integer() else value


def _worst(agents: pl.DataFrame) -> list[str] | None:
    """Describe where each agent made its worst move in states, if the frame has that."""
    if "worst_map" not in agents.columns:
        return None
    description = pl.format("{}/{}, problem {}, move {}", "worst_set", "worst_map", "worst_problem", "worst_move")
    return agents.select(description.fill_null("")).to_series().to_list()


def _runners_up(guide: pl.DataFrame, numbers: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return the numbers of the recommended agent of each interval and of the agents that are tied with it."""
    return [
        {"agent": numbers[row["agent"]], "tied": [numbers[each["agent"]] for each in row["runners_up"]]}
        for row in guide.drop_nulls("agent").iter_rows(named=True)
    ]
