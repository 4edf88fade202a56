"""A run as a page: the trade-off with a limit that the reader moves, the guide, and what lies behind them.

This puts frames of the analysis into the JSON that the page's script reads, aggregated, so that a run of many records
makes a small file. The script computes what depends on the reader's limit from the worst moves in there.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from permove.records.settings import Settings
from permove.report.page import page

DIGITS, TIME_DIGITS, ERROR_DIGITS = 9, 4, 5
"""How many digits figures keep, times and errors: enough to tell the better of two, and no more."""

MOST_FAMILIES = 6
"""An algorithm whose agents have more kinds of labels than this is one family."""


MAX_CONTESTANTS = 12
"""How many agents are set against each other problem by problem."""


@dataclass(frozen=True)
class Measure:
    """A figure that every agent has in every view, and how it is written."""

    key: str
    title: str
    unit: str
    """`number`, `states` or `time`."""
    limit: str = ""
    """What the figure limits, after "with at most 100"; only for those that a limit may be on."""


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
    Measure("expanded_max", "states, worst move", "states", "states expanded for any one move"),
    Measure("time_max_ns", "time, worst move", "time", "time for any one move"),
    Measure("time_p999_ns", "time, 99.9% of moves", "time", "time for 99.9% of the moves on any problem"),
    Measure("time_p99_ns", "time, 99% of moves", "time", "time for 99% of the moves on any problem"),
)
"""What a limit may be on."""


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
) -> str:
    """The page of a run with these settings; `manifest` is the content of its manifest.

    `means` has one row per agent, as `tradeoff` and `convergence` give it; `views` is the frame of that name with the
    columns that `measures` name, of which the first is what the best agent has least of, the second what it costs.
    `guides` has the guide for each column that may be limited, `front` the Pareto front of the first two measures, and
    `contests` tells of pairs of agents on how many problems which of them dominates in these two.
    """
    agents = views.filter(pl.col("kind") == "run").select("agent").join(means, on="agent", maintain_order="left")
    shown = [measure for measure in (*measures, *WORST) if views[measure.key].is_not_null().any()]
    families, of_agents = _families(agents["agent"].to_list(), agents["label"].to_list())
    numbers = {spec: number for number, spec in enumerate(agents["agent"])}
    content = {
        "title": title,
        "suite": manifest["suite"]["name"],
        "agents": [
            {"name": name, "spec": spec, "family": family}
            for name, spec, family in zip(_names(agents), agents["agent"], of_agents, strict=True)
        ],
        "families": families,
        "measures": [asdict(measure) for measure in shown],
        "limits": [
            asdict(measure)
            | {"most": {"expanded_max": settings.cutoff, "time_max_ns": settings.time_limit_ns}.get(measure.key)}
            for measure in shown
            if measure in WORST
        ],
        "views": _views(views, shown),
        "endings": [
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
    return page("report", f"{title} – permove", content)


def _views(views: pl.DataFrame, measures: Sequence[Measure]) -> list[dict[str, Any]]:
    """A view has a column for each figure, with the agents in the same order in all of them."""
    every = views.filter(pl.col("kind") == "run")["agent"]
    empty = pl.DataFrame({"agent": every})
    counts = ("tried", "solved", "over")
    found = []
    for view in views.partition_by("kind", "view", maintain_order=True):
        facts = view.row(0, named=True)
        whole = empty.join(view, on="agent", how="left", maintain_order="left")
        found.append(
            {name: facts[name] for name in ("kind", "view", "problems")}
            | {name: _digits([facts[name]], TIME_DIGITS)[0] for name in ("least", "most")}
            | {name: _column(whole[name].fill_null(0).to_list()) for name in counts}
            | {
                "figures": {
                    measure.key: _column(_digits(whole[measure.key], TIME_DIGITS if measure.unit == "time" else DIGITS))
                    for measure in measures
                }
            }
            | {
                "errors": {
                    measure.key: _column(_digits(whole[f"{measure.key}_se"], ERROR_DIGITS))
                    for measure in measures
                    if f"{measure.key}_se" in whole.columns
                }
            }
        )
    return found


def _column(values: list[Any]) -> Any:
    """A column as a list, or as the one value that all have."""
    return values[0] if len(set(values)) == 1 else values


def _digits(values: Iterable[float | None], digits: int) -> list[float | None]:
    """Figures to so many digits; whole numbers are exact, since limits are compared with them."""
    return [value if value is None or isinstance(value, int) else _whole(f"{value:.{digits}g}") for value in values]


def _whole(text: str) -> float | None:
    value = float(text)
    if value != value or value in (float("inf"), float("-inf")):
        return None
    return int(value) if value.is_integer() else value


def _worst(agents: pl.DataFrame) -> list[str] | None:
    """Where each agent made its worst move in states, for frames that know."""
    if "worst_map" not in agents.columns:
        return None
    told = pl.format("{}/{}, problem {}, move {}", "worst_set", "worst_map", "worst_problem", "worst_move")
    return agents.select(told.fill_null("")).to_series().to_list()


def _runners_up(guide: pl.DataFrame, numbers: Mapping[str, int]) -> list[dict[str, Any]]:
    """Who is chosen in each interval, with whom it cannot be told from, by the numbers of the agents."""
    return [
        {"agent": numbers[row["agent"]], "least": row["least"]}
        | {"alike": [numbers[each["agent"]] for each in row["runners_up"]]}
        for row in guide.drop_nulls("agent").iter_rows(named=True)
    ]


def _names(agents: pl.DataFrame) -> list[str]:
    """Labels, and specs in the place of labels that several agents share."""
    return agents.select(pl.when(pl.col("label").is_unique()).then("label").otherwise("agent")).to_series().to_list()


def _families(specs: Sequence[str], labels: Sequence[str]) -> tuple[list[str], list[int]]:
    """What agents differ in by more than the values of parameters: the families, and the number of each agent's.

    Labels without `name=value` say it for most; where a label has its values in other ways, the algorithm's name does.
    """
    kinds = [re.sub(r"\([^()]*=[^()]*\)|\S+=\S+", "", label).strip(" ,") for label in labels]
    algorithms = [spec.partition("(")[0] for spec in specs]
    of_algorithm: dict[str, set[str]] = {}
    for algorithm, kind in zip(algorithms, kinds, strict=True):
        of_algorithm.setdefault(algorithm, set()).add(kind)
    names = [
        kind if kind and len(of_algorithm[algorithm]) <= MOST_FAMILIES else algorithm
        for algorithm, kind in zip(algorithms, kinds, strict=True)
    ]
    families = list(dict.fromkeys(names))
    return families, [families.index(name) for name in names]
