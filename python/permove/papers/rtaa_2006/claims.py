"""The claims of Section 8 about Table 1, in its order."""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from permove.analysis import chance
from permove.analysis.statistics import Values
from permove.papers import claims as c
from permove.papers.rtaa_2006.table import LOOKAHEADS, METHODS, Row, Sample, Samples, lookahead_text

RTAA, LRTA, DSTAR_LITE, FORWARD, BACKWARD = METHODS
BELOW_DSTAR_LITE = 20.00 / 20.99
"""The share of D* Lite's own time that the paper uses as a limit."""

PROPORTIONAL = 2.0
"""Maximum ratio of times per expansion between lookaheads; in the paper it is 1.8."""

UP_TO_CHANCE = f"apart from differences within {chance.ERRORS:g} standard errors"
EQUAL = f"within {chance.ABOUT_EQUAL:.0%} or {chance.ERRORS:g} standard errors"
DOWNWARDS, BETWEEN = LOOKAHEADS[::-1], LOOKAHEADS[1:-1]
Claimed = c.Predicate[Samples]


class Measure(NamedTuple):
    """A column of the table in words."""

    column: str
    name: str
    unit: str = ""

    def text(self, values: Iterable[float], of: str) -> str:
        """Some of its values."""
        return f"{c.capitalized(self.name)} {of}: {_list(values)}{self.unit}"


EXPANSIONS, EPISODES = Measure("b", "the number of cell expansions"), Measure("c", "the number of search episodes")
COST, TIME = Measure("d", "the trajectory cost"), Measure("f", "the time", " µs")


def _all(samples: Samples, method: str, lookaheads: Iterable[float] = LOOKAHEADS) -> list[Sample]:
    return [samples[Row(method, lookahead)] for lookahead in lookaheads]


def _for_times(make: Callable[[Measure], Claimed]) -> tuple[Claimed, Claimed]:
    """A predicate on cell expansions, and the same on times."""
    return make(EXPANSIONS), make(TIME).on_the_clock()


@c.predicate("every run reaches the goal")
def _arrived(samples: Samples) -> c.Finding:
    return samples.solved == samples.runs, f"{samples.solved:,} of {samples.runs:,} runs reached the goal."


@c.predicates("{measure.name} of forward A* is significantly smaller than that of backward A*")
def _forward_is_cheaper(samples: Samples, measure: Measure) -> c.Finding:
    both = forward, backward = [samples[Row(method)].values(measure.column) for method in (FORWARD, BACKWARD)]
    return chance.above(backward, forward), f"{measure.text(chance.means(both), 'forward and backward')}."


@c.predicate(
    "without a limit on lookahead, RTAA*, LRTA*, D* Lite and both A* have about the same trajectory cost", EQUAL
)
def _same_cost(samples: Samples) -> c.Finding:
    rows = (Row(RTAA, math.inf), Row(LRTA, math.inf), Row(DSTAR_LITE), Row(FORWARD), Row(BACKWARD))
    five = [samples[row].cost for row in rows]
    costs = chance.means(five)
    found = f"Trajectory costs: {_list(costs)}; at most {max(costs) / min(costs) - 1:.1%} apart."
    return all(chance.about_equal(*pair) for pair in combinations(five, 2)), found


@c.predicates("{measure.name} of forward A* is larger than that of RTAA* ∞, and that larger than that of LRTA* ∞")
def _forward_rtaa_lrta(samples: Samples, measure: Measure) -> c.Finding:
    means = [samples[row][measure.column] for row in (Row(FORWARD), Row(RTAA, math.inf), Row(LRTA, math.inf))]
    found = measure.text(means, "of forward A*, RTAA* ∞ and LRTA* ∞")
    return means == sorted(set(means), reverse=True), f"{found}."


@c.predicates("{measure.name} of RTAA* {_words}", UP_TO_CHANCE)
def _curve(samples: Samples, measure: Measure, _words: str, part: str = "all") -> c.Finding:
    """RTAA* from lookahead infinity down to 1 rises: everywhere, or on one side of its minimum, away from it."""
    series = [each.values(measure.column) for each in _all(samples, RTAA, DOWNWARDS)]
    means = chance.means(series)
    at = means.index(min(means))
    some = {"all": series, "before": series[at::-1], "after": series[at:]}[part]
    return len(some) > 1 and chance.rising(some), (
        f"{measure.text(means, 'from lookahead ∞ to 1')}, minimum at lookahead {lookahead_text(DOWNWARDS[at])}."
    )


def _falls_and_rises(measure: Measure) -> tuple[Claimed, Claimed]:
    fall = _curve(measure, "falls at first as the lookahead shrinks", "before")
    return fall, _curve(measure, "rises again for the smallest lookaheads", "after")


@c.predicate(
    "the time of RTAA* is proportional to its cell expansions",
    f"times per expansion within a factor of {PROPORTIONAL:g}",
)
def _proportional(samples: Samples) -> c.Finding:
    times = [1000 * each["f"] / each["b"] for each in _all(samples, RTAA, DOWNWARDS)]
    found = f"RTAA*'s time per expansion is {min(times):.1f} to {max(times):.1f} ns over all lookaheads."
    return max(times) <= PROPORTIONAL * min(times), found


@c.predicates("with the same lookahead above 1, {_words}", "{_how}")
def _compared(
    samples: Samples,
    _words: str,
    so: Callable[[Sample, Sample], bool],
    found: Callable[[list[Sample], list[Sample]], str],
    _how: str = "",
    besides: Callable[[list[Sample], list[Sample]], bool] = lambda *_: True,
) -> c.Finding:
    """RTAA* and LRTA* with the same lookahead, for each lookahead above 1 except infinity."""
    rtaa, lrta = (_all(samples, method, BETWEEN) for method in (RTAA, LRTA))
    wrong = [at for at, one, other in zip(BETWEEN, rtaa, lrta, strict=True) if not so(one, other)]
    exceptions = f"Exceptions: lookahead {', '.join(map(lookahead_text, wrong))}." if wrong else ""
    return not wrong and besides(rtaa, lrta), c.join([found(rtaa, lrta), exceptions])


def _costs_more(measure: Measure) -> Claimed:
    """RTAA* costs at least as much as LRTA* with each lookahead, and over all lookaheads together."""

    def together(rtaa: list[Sample], lrta: list[Sample]) -> tuple[Values, Values]:
        one, other = (np.sum([each.values(measure.column) for each in some], axis=0) for some in (rtaa, lrta))
        return one, other

    def found(rtaa: list[Sample], lrta: list[Sample]) -> str:
        one, other = together(rtaa, lrta)
        return f"{c.capitalized(measure.name)}: {one.mean() / other.mean() - 1:+.1%} over these lookaheads together."

    return _compared(
        f"{measure.name} of RTAA* is not smaller than that of LRTA*",
        lambda one, other: chance.not_below(one.values(measure.column), other.values(measure.column)),
        found,
        UP_TO_CHANCE,
        lambda *both: chance.not_below(*together(*both)),
    )


def _informed(one: Sample, other: Sample) -> bool:
    (increase, error), (other_increase, other_error) = one.figure("i"), other.figure("i")
    return not increase - other_increase > chance.ERRORS * math.hypot(error, other_error)


less_informed = _compared(
    "an update of RTAA* raises heuristics less than one of LRTA*",
    _informed,
    lambda rtaa, lrta: f"RTAA*: {_list(one['i'] for one in rtaa)}; LRTA*: {_list(other['i'] for other in lrta)}.",
    UP_TO_CHANCE,
)
quicker = _compared(
    "RTAA* needs less time than LRTA*",
    lambda one, other: one["f"] < other["f"],
    lambda rtaa, lrta: f"RTAA*: {_list(one['f'] for one in rtaa)} µs; LRTA*: {_list(one['f'] for one in lrta)} µs.",
)


@c.predicate("with lookahead 1, RTAA* and LRTA* have about the same trajectory cost and cell expansions", EQUAL)
def _same_with_one(samples: Samples) -> c.Finding:
    costs, expansions = ([samples[Row(method, 1)].values(column) for method in (RTAA, LRTA)] for column in "db")
    found = f"Trajectory costs: {_list(chance.means(costs))}; cell expansions: {_list(chance.means(expansions))}."
    return chance.about_equal(*costs) and chance.about_equal(*expansions), found


@c.predicate("RTAA* with the best lookahead needs less time than all other methods, but not the shortest trajectory")
def _least_time(samples: Samples) -> c.Finding:
    own, rival = (
        min((row for row in samples if (row.method == RTAA) is is_own), key=lambda row: samples[row]["f"])
        for is_own in (True, False)
    )
    best, other, shortest = samples[own], samples[rival], min(each["d"] for each in samples.values())
    return best["f"] < other["f"] and best["d"] > shortest, (
        f"RTAA* with lookahead {lookahead_text(own.lookahead or 0)}: {_text(best['f'])} µs, trajectory cost "
        f"{_text(best['d'])}, the smallest of all being {_text(shortest)}; the fastest other method, {rival.name}: "
        f"{_text(other['f'])} µs."
    )


@c.predicates(
    "D* Lite has the shortest trajectories of all methods that need no more time per {per} (in the paper, {_limit} µs)"
)
def _dstar_lite(samples: Samples, column: str, per: str, _limit: float) -> c.Finding:
    """Above a time limit, D* Lite is best."""
    dstar = samples[Row(DSTAR_LITE)]
    rivals = {
        row.name: each["d"]
        for row, each in samples.items()
        if each is not dstar and each[column] <= dstar[column] and not chance.about_equal(each.cost, dstar.cost)
    }
    shortest = min(rivals, key=lambda name: rivals[name], default=None)
    rest = f", the shortest being {shortest} with {_text(rivals[shortest])}." if shortest else "."
    return shortest is None or rivals[shortest] > dstar["d"], (
        f"D* Lite: {_text(dstar[column])} µs per {per}, trajectory cost {_text(dstar['d'])}. No slower, and not "
        f"about equal in cost: {len(rivals)} other rows{rest}"
    )


@c.predicates("with slightly less time per {per} than D* Lite needs, RTAA* has shorter trajectories than LRTA*")
def _real_time(samples: Samples, column: str, per: str, percent: int) -> c.Finding:
    """Below a time limit, RTAA* is better than LRTA*."""
    limit = BELOW_DSTAR_LITE * samples[Row(DSTAR_LITE)][column]
    one, other = (at_limit(_all(samples, method), column, limit) for method in (RTAA, LRTA))
    more = f": {other[1] / one[1] - 1:+.0%}, in the paper about +{percent}%" if one and other else ""
    return one is not None and (other is None or one[1] < other[1]), (
        f"With {_text(limit)} µs per {per}, RTAA* {_fitting(one)}, LRTA* {_fitting(other)}{more}."
    )


def _at_limits(column: str, per: str, limit: float, percent: int) -> tuple[Claimed, Claimed]:
    above, below = _dstar_lite(column, per, limit), _real_time(column, per, percent)
    return above.on_the_clock(), below.on_the_clock()


def at_limit(samples: Sequence[Sample], column: str, limit: float) -> tuple[str, float] | None:
    """Return the lookahead that a time limit allows and its trajectory cost, interpolated between the rows.

    Return `None` if the smallest lookahead exceeds the limit. Between 89 and infinity only the cost is interpolated.
    """
    times, costs = [each[column] for each in samples], [each["d"] for each in samples]
    if limit < times[0]:
        return None
    over = next((at for at, time in enumerate(times) if time > limit), None)
    if over is None:
        return lookahead_text(LOOKAHEADS[-1]), costs[-1]
    part = (limit - times[over - 1]) / (times[over] - times[over - 1])
    cost = costs[over - 1] + part * (costs[over] - costs[over - 1])
    low, high = LOOKAHEADS[over - 1], LOOKAHEADS[over]
    return (f"over {low:g}" if math.isinf(high) else f"{int(low + part * (high - low))}"), cost


def _fitting(fit: tuple[str, float] | None) -> str:
    if fit is None:
        return "has no lookahead that fits"
    return f"with lookahead {fit[0]} has trajectories of {_text(fit[1])}"


def _list(values: Iterable[float]) -> str:
    return ", ".join(map(_text, values))


def _text(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"


GROWS = "grows as the lookahead shrinks"
CLAIMS = (
    *c.claims("6", "table-1", _arrived),
    *c.claims("8, footnote 1", "table-1", *_for_times(_forward_is_cheaper)),
    *c.claims(
        "8", "table-1", _same_cost, *_for_times(_forward_rtaa_lrta), _curve(COST, GROWS), *_falls_and_rises(EXPANSIONS)
    ),
    *c.claims("8", "table-1", *(each.on_the_clock() for each in _falls_and_rises(TIME)), _curve(EPISODES, GROWS)),
    *c.claims("8", "table-1", _proportional.on_the_clock(), less_informed, _costs_more(COST), _costs_more(EXPANSIONS)),
    *c.claims("8", "table-1", quicker.on_the_clock(), _same_with_one, _least_time.on_the_clock()),
    *c.claims("8", "table-1", *_at_limits("g", "search episode", 20.99, 23), *_at_limits("h", "action", 6.62, 13)),
)
