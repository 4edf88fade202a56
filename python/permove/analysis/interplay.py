"""The interplay of two parameters: how one changes the difference that the other makes (graph-abstraction-2007, F)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl

from permove.analysis.chance import falls, means, rises, slope
from permove.analysis.measures import Measure, Table
from permove.analysis.statistics import Values, standard_error
from permove.analysis.unsolved import Unsolved
from permove.common.errors import InputError

AMPLIFIES, DIMINISHES, NEITHER = "A", "D", "-"

NO_EFFECT = 0.25
"""A difference that changes by less than this share of its mean over the complete range is not affected."""


def effect(series: Sequence[Values], places: Sequence[float]) -> tuple[str, list[float]]:
    """Return whether a difference grows (A), shrinks (D) or hardly changes (-) along a parameter; and its means.

    The paper does not define its minor effects, so that there are only capital letters.
    """
    differences = means(series)
    total = slope(series, places)[0] * (places[-1] - places[0])
    if abs(total) < NO_EFFECT * abs(sum(differences) / len(differences)):
        return NEITHER, differences
    return AMPLIFIES if rises(series, places) else DIMINISHES if falls(series, places) else NEITHER, differences


@dataclass(frozen=True)
class Interplay:
    """The interplay of two parameters of the agents of one name."""

    name: str
    one: list[str]
    other: list[str]
    """The values of the parameters."""
    over: int
    """Number of combinations of the other parameters that each cell is the mean over."""
    frame: pl.DataFrame
    """Name, measure, the values of both parameters, mean and se: the mean over the problems and the combinations."""
    effects: dict[str, tuple[str, list[float]]]
    """For each measure, how the other parameter changes the difference between the first and the last value of `one`,
    and this difference for each value of the other; positive on average."""


def interplay(
    records: pl.DataFrame, one: str, other: str, measures: Sequence[Measure], *, rule: Unsolved | None = None
) -> list[Interplay]:
    """Return the interplay of two parameters for each kind of agent that has several values of both.

    Only combinations of further parameters that exist for all pairs of values count, so that cells are comparable.
    """
    if one == other:
        raise InputError(f"{one} is compared with itself; name two different parameters")
    table = Table(records, rule=rule)
    specs: dict[str, dict[str, dict[str, str]]] = {}
    for spec in table.agents:
        specs.setdefault(spec.partition("(")[0], {})[spec] = parameters(spec)
    found = [_of(table, name, own, one, other, measures) for name, own in specs.items()]
    complete = [each for each in found if each is not None]
    if not complete:
        known = ", ".join(dict.fromkeys(name for own in specs.values() for each in own.values() for name in each))
        raise InputError(
            f"no agent has several values of both {one} and {other} in all combinations; run a sweep such as "
            f"'lrta(d={{1,3}}, gamma={{0.5,1}})' and name two of its parameters (this run has {known or 'none'})"
        )
    return complete


def parameters(spec: str) -> dict[str, str]:
    """Return the parameters of a canonical spec with their values."""
    _, _, inside = spec.rstrip(")").partition("(")
    return dict(part.split("=", 1) for part in inside.split(", ") if "=" in part)


def _of(
    table: Table, name: str, specs: Mapping[str, dict[str, str]], one: str, other: str, measures: Sequence[Measure]
) -> Interplay | None:
    """Return the interplay of the agents of one name, if they have several values of both parameters."""
    cells: dict[tuple[str, str], dict[frozenset[tuple[str, str]], int]] = {}
    for spec, values in specs.items():
        if one in values and other in values:
            rest = frozenset((each, value) for each, value in values.items() if each not in (one, other))
            cells.setdefault((values[one], values[other]), {})[rest] = table.agents.index(spec)
    ones, others = (sorted({pair[at] for pair in cells}, key=_place) for at in (0, 1))
    pairs = list(product(ones, others))
    if len(ones) < 2 or len(others) < 2 or any(pair not in cells for pair in pairs):
        return None
    shared = frozenset.intersection(*(frozenset(cells[pair]) for pair in pairs))
    if not shared:
        return None
    rows, effects = [], {}
    for measure in measures:
        values_of = table.values(measure.column)
        samples = {
            pair: values_of[[cells[pair][rest] for rest in sorted(shared, key=sorted)]].mean(0) for pair in pairs
        }
        known = ~np.isnan(np.stack(list(samples.values()))).any(axis=0)
        if not known.any():
            continue
        samples = {pair: values[known] for pair, values in samples.items()}
        for pair, values in samples.items():
            mean, error = float(values.mean()), standard_error(values)
            rows.append([name, measure.column, *pair, len(values), mean, None if np.isnan(error) else error])
        series = [samples[ones[0], value] - samples[ones[-1], value] for value in others]
        sign = 1.0 if sum(means(series)) >= 0 else -1.0
        effects[measure.column] = effect([sign * values for values in series], _places(others))
    columns = ["name", "measure", one, other, "problems", "mean", "se"]
    frame = pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
    return Interplay(name, ones, others, len(shared), frame.cast({"se": pl.Float64}), effects)


def _place(value: str) -> tuple[float, str]:
    """Return a sort key that orders numbers by size, before words."""
    try:
        return float(value), ""
    except ValueError:
        return np.inf, value


def _places(values: Sequence[str]) -> list[float]:
    """Return the values of a parameter as numbers; their ranks if one of them is not a finite number."""
    numbers = [_place(value)[0] for value in values]
    return numbers if np.isfinite(numbers).all() else [float(at) for at in range(len(values))]
