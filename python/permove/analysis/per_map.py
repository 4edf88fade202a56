"""The guide for each map: the best agent for each map and limit, next to the common choice for all maps.

The limits are the intervals of the guide for all maps, and the common choice is the agent that it recommends. An agent
qualifies on a map if it keeps the limit on all problems of the map. `permove.analysis.held_out` compares the choices.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from permove.analysis.compatibility import PROBLEM
from permove.analysis.guide import LOST, TIME, Terms, candidates, guide
from permove.analysis.held_out import MAPS, MIN_PROBLEMS, Compared, Folded
from permove.common.errors import InputError

MAP = pl.concat_str("set", "map", separator="/")

AGENTS = ("chosen", "own", "common")
"""Columns with the number of an agent."""


@dataclass(frozen=True)
class PerMap:
    """The choices of one part: for times, of one kind of machine."""

    cpu: str | None
    hosts: str | None
    limits: pl.DataFrame
    """One row per interval of the limit; see `per_map`."""
    maps: pl.DataFrame
    """One row per interval of the limit and map; see `per_map`."""


def per_map(records: pl.DataFrame, terms: Terms, limit: int | None = None) -> list[PerMap]:
    """Return the choices for each map and interval of the limit, or only under one `limit`.

    | column of `maps` | meaning |
    | --- | --- |
    | min_limit, max_limit | the interval of the limit, as in `guide`, or the one limit |
    | map, problems | the map, named with its set, and its number of problems |
    | chosen, chosen_label | the recommended agent: the own or the common choice; null if no agent qualifies |
    | suboptimality, .._low, .._high | its score on the map, with a bootstrap interval |
    | own, own_label | the best agent on the map |
    | own_in_sample, own_held_out | its score on the problems of the map; and the score of choices by the other \
problems of the map |
    | common, common_label, common_in_sample, common_held_out | the best agent on all maps with its scores on the map; \
held out, it is chosen by the other problems of all maps |
    | loss_in_sample | in-sample score of the common choice minus that of the own one |
    | loss, loss_low, loss_high, p | the same held out, with a bootstrap interval and the p-value of a one-sided test |

    `limits` has for each interval the same scores over all maps that have both choices, with their number as `maps`,
    and as `own_maps` the number of maps for which the own choice is recommended.
    """
    parts = records.partition_by("cpu", maintain_order=True) if terms.by == TIME else [records]
    return [_part(part, terms, limit) for part in parts]


def _part(records: pl.DataFrame, terms: Terms, limit: int | None) -> PerMap:
    common = guide(records, terms)
    agents = candidates(records, terms)
    maps = records.select(MAP).to_series().unique().sort().to_list()
    _check(records, maps)
    values, map_of = _values(terms.unsolved.capped(records, LOST), agents["agent"].to_list(), maps)
    folded = Folded(values, map_of, maps, score=terms.score, seed=terms.seed)
    everywhere = _worst(agents, agents)
    by_map = dict(records.with_columns(key=MAP).partition_by("key", as_dict=True, include_key=False).items())
    by_place = np.array([_worst(agents, candidates(by_map[(name,)], terms)) for name in maps])
    labels = dict(enumerate(agents["label"]))
    specs = dict(enumerate(agents["agent"]))
    limits, rows = [], []
    for low, high in _limits(common, limit):
        compared = folded.compare(everywhere <= low, by_place <= low)
        ends = {"min_limit": pl.lit(low, pl.Int64), "max_limit": pl.lit(high, pl.Int64)}
        named = {f"{name}_label": pl.col(name).replace_strict(labels, return_dtype=pl.String) for name in AGENTS}
        numbers = [pl.col(name).replace_strict(specs, return_dtype=pl.String) for name in AGENTS]
        rows.append(compared.maps.with_columns(**ends, **named).with_columns(numbers))
        limits.append(_limit_row(compared, low, high, specs, labels))
    if not rows:
        raise InputError(
            "no agent qualifies under any limit on all maps; `--explain LIMIT` shows the choices under one limit"
        )
    columns = ["min_limit", "max_limit", "map", "problems"]
    order = [each for name in AGENTS for each in (name, f"{name}_label")]
    rest = [name for name in MAPS if name not in (*columns, *AGENTS)]
    return PerMap(
        common["cpu"][0],
        common["hosts"][0],
        pl.DataFrame(limits, infer_schema_length=None),
        pl.concat(rows).select(*columns, *order, *rest),
    )


def _limits(common: pl.DataFrame, limit: int | None) -> Iterator[tuple[int, int | None]]:
    """Yield the ends of the intervals that have a common choice, or the one limit."""
    if limit is not None:
        yield limit, limit
        return
    yield from common.filter(pl.col("agent").is_not_null()).select("min_limit", "max_limit").iter_rows()


def _limit_row(
    compared: Compared, low: int, high: int | None, specs: dict[int, str], labels: dict[int, str]
) -> dict[str, Any]:
    maps = compared.maps
    common = maps["common"][0]
    own = maps.filter((pl.col("chosen") == pl.col("own")) & pl.col("own").ne_missing(pl.col("common")))
    return {
        "min_limit": low,
        "max_limit": high,
        "common": None if common is None else specs[common],
        "common_label": None if common is None else labels[common],
        **compared.total,
        "own_maps": own.height,
        "pays": compared.pays,
    }


def _check(records: pl.DataFrame, maps: list[str]) -> None:
    sizes = records.select(*PROBLEM).unique().group_by(MAP.alias("map")).len()
    if int(sizes["len"].to_numpy().max()) < MIN_PROBLEMS:
        raise InputError(
            f"each map of the run has fewer than {MIN_PROBLEMS} problems, which is too few to choose an agent for it; "
            "run more problems with a larger --limit"
        )
    if len(maps) < 2:
        raise InputError(f"the run has one map, {maps[0]}; omit --per-map, or run agents on several maps")


def _values(records: pl.DataFrame, agents: list[str], maps: list[str]) -> tuple[Any, Any]:
    """Return agents × problems with the values that count, sorted by problem, and the number of each problem's map."""
    problems = records.select(*PROBLEM).unique().sort(*PROBLEM).with_row_index("column")
    place = pl.DataFrame({"agent": agents}).with_row_index("row")
    counted = records.filter(pl.col("status") == "solved").join(place, on="agent").join(problems, on=list(PROBLEM))
    values = np.full((len(agents), problems.height), np.nan)
    values[counted["row"].to_numpy(), counted["column"].to_numpy()] = counted["suboptimality"].to_numpy()
    numbers = {name: at for at, name in enumerate(maps)}
    return values, problems.select(MAP).to_series().replace_strict(numbers, return_dtype=pl.Int64).to_numpy()


def _worst(agents: pl.DataFrame, found: pl.DataFrame) -> Any:
    """Return the lowest limit that each agent keeps, infinite for agents that never qualify."""
    worst = found.filter(pl.col("out").is_null()).select("agent", pl.col("worst").cast(pl.Float64))
    joined = agents.select("agent").join(worst, on="agent", how="left", maintain_order="left")
    # Limits start at 1, even if an agent expands nothing.
    return joined["worst"].clip(lower_bound=1).fill_null(np.inf).to_numpy()
