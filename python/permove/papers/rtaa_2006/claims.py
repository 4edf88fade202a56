"""The claims of Section 8 about Table 1, in its order."""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

import numpy as np

from permove.analysis.statistics import Values
from permove.papers import claims as c
from permove.papers.rtaa_2006.table import LOOKAHEADS, METHODS, Row, Sample, Samples, lookahead_text

RTAA, LRTA, DSTAR_LITE, FORWARD, BACKWARD = METHODS
BELOW_DSTAR_LITE = 20.00 / 20.99
"""The share of D* Lite's own time that the paper uses as a limit."""

PROPORTIONAL = 2.0
"""Maximum ratio of times per expansion between lookaheads; in the paper it is 1.8."""

UP_TO_CHANCE = f"apart from differences within {c.ERRORS:g} standard errors"
EQUAL = f"within {c.ABOUT_EQUAL:.0%} or {c.ERRORS:g} standard errors"
DOWNWARDS, BETWEEN = LOOKAHEADS[::-1], LOOKAHEADS[1:-1]
COLUMN = {
    "b": "the number of cell expansions",
    "c": "the number of search episodes",
    "d": "the trajectory cost",
    "f": "the time",
}
Claimed = c.Predicate[Samples]


def _all(samples: Samples, method: str, lookaheads: Iterable[float] = LOOKAHEADS) -> list[Sample]:
    return [samples[Row(method, lookahead)] for lookahead in lookaheads]


def _for_times(make: Callable[[str], Claimed]) -> tuple[Claimed, Claimed]:
    """A predicate on cell expansions, and the same on times."""
    return make("b"), make("f").on_the_clock()


@c.predicate("every run reaches the goal")
def _arrived(samples: Samples) -> c.Finding:
    return samples.solved == samples.runs, f"{samples.solved:,} of {samples.runs:,} runs reached the goal."


def _forward_is_cheaper(column: str) -> Claimed:
    def check(samples: Samples) -> c.Finding:
        forward, backward = (samples[Row(method)].values(column) for method in (FORWARD, BACKWARD))
        found = f"{_title(column)} forward and backward: {_list(c.means([forward, backward]))}{_unit(column)}."
        return c.above(backward, forward), found

    return c.Predicate(f"{COLUMN[column]} of forward A* is significantly smaller than that of backward A*", check)


@c.predicate(
    "without a limit on lookahead, RTAA*, LRTA*, D* Lite and both A* have about the same trajectory cost", EQUAL
)
def _same_cost(samples: Samples) -> c.Finding:
    rows = (Row(RTAA, math.inf), Row(LRTA, math.inf), Row(DSTAR_LITE), Row(FORWARD), Row(BACKWARD))
    five = [samples[row].cost for row in rows]
    costs = c.means(five)
    found = f"Trajectory costs: {_list(costs)}; at most {max(costs) / min(costs) - 1:.1%} apart."
    return all(c.about_equal(*pair) for pair in combinations(five, 2)), found


def _forward_rtaa_lrta(column: str) -> Claimed:
    def check(samples: Samples) -> c.Finding:
        means = [samples[row][column] for row in (Row(FORWARD), Row(RTAA, math.inf), Row(LRTA, math.inf))]
        found = f"{_title(column)} of forward A*, RTAA* ∞ and LRTA* ∞: {_list(means)}{_unit(column)}."
        return means == sorted(set(means), reverse=True), found

    text = f"{COLUMN[column]} of forward A* is larger than that of RTAA* ∞, and that larger than that of LRTA* ∞"
    return c.Predicate(text, check)


def _grows(column: str) -> Claimed:
    def check(samples: Samples) -> c.Finding:
        series = [each.values(column) for each in _all(samples, RTAA, DOWNWARDS)]
        return c.rising(series), f"From lookahead ∞ to 1: {_list(c.means(series))}."

    return c.Predicate(f"{COLUMN[column]} of RTAA* grows as the lookahead shrinks", check, UP_TO_CHANCE)


def _curve(column: str, text: str, side: Callable[[list[Values], int], list[Values]]) -> Claimed:
    """RTAA* from lookahead infinity down to 1 rises on one side of its minimum, away from it."""

    def check(samples: Samples) -> c.Finding:
        series = [each.values(column) for each in _all(samples, RTAA, DOWNWARDS)]
        means = c.means(series)
        smallest = means.index(min(means))
        some = side(series, smallest)
        return len(some) > 1 and c.rising(some), (
            f"{_title(column)} from lookahead ∞ to 1: {_list(means)}{_unit(column)}, minimum at lookahead "
            f"{lookahead_text(DOWNWARDS[smallest])}."
        )

    return c.Predicate(f"{COLUMN[column]} of RTAA* {text}", check, UP_TO_CHANCE)


def _falls_at_first(column: str) -> Claimed:
    return _curve(column, "falls at first as the lookahead shrinks", lambda series, at: series[at::-1])


def _rises_again(column: str) -> Claimed:
    return _curve(column, "rises again for the smallest lookaheads", lambda series, at: series[at:])


@c.predicate(
    "the time of RTAA* is proportional to its cell expansions",
    f"times per expansion within a factor of {PROPORTIONAL:g}",
)
def _proportional(samples: Samples) -> c.Finding:
    times = [1000 * each["f"] / each["b"] for each in _all(samples, RTAA, DOWNWARDS)]
    found = f"RTAA*'s time per expansion is {min(times):.1f} to {max(times):.1f} ns over all lookaheads."
    return max(times) <= PROPORTIONAL * min(times), found


def _compared(
    text: str, so: Callable[[Sample, Sample], bool], found: Callable[[list[Sample], list[Sample]], str], how: str = ""
) -> Claimed:
    """RTAA* and LRTA* with the same lookahead, for each lookahead above 1 except infinity."""

    def check(samples: Samples) -> c.Finding:
        rtaa, lrta = (_all(samples, method, BETWEEN) for method in (RTAA, LRTA))
        wrong = [at for at, one, other in zip(BETWEEN, rtaa, lrta, strict=True) if not so(one, other)]
        exceptions = f" Exceptions: lookahead {', '.join(map(lookahead_text, wrong))}." if wrong else ""
        return not wrong, found(rtaa, lrta) + exceptions

    return c.Predicate(f"with the same lookahead above 1, {text}", check, how)


def _costs_more(column: str) -> Claimed:
    def totals(rtaa: list[Sample], lrta: list[Sample]) -> list[Values]:
        return [np.sum([each.values(column) for each in some], axis=0) for some in (rtaa, lrta)]

    def found(rtaa: list[Sample], lrta: list[Sample]) -> str:
        one, other = c.means(totals(rtaa, lrta))
        return f"{_title(column)}: {one / other - 1:+.1%} over these lookaheads together."

    each = _compared(
        f"{COLUMN[column]} of RTAA* is not smaller than that of LRTA*",
        lambda one, other: c.not_below(one.values(column), other.values(column)),
        found,
        UP_TO_CHANCE,
    )

    def check(samples: Samples) -> c.Finding:
        together = totals(*(_all(samples, method, BETWEEN) for method in (RTAA, LRTA)))
        return c.both((c.not_below(*together), ""), each.check(samples))

    return c.Predicate(each.text, check, each.how)


def _informed(one: Sample, other: Sample) -> bool:
    (increase, error), (other_increase, other_error) = one.figure("i"), other.figure("i")
    return not increase - other_increase > c.ERRORS * math.hypot(error, other_error)


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
    found = f"Trajectory costs: {_list(c.means(costs))}; cell expansions: {_list(c.means(expansions))}."
    return c.about_equal(*costs) and c.about_equal(*expansions), found


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


def _dstar_lite(column: str, per: str, limit: float) -> Claimed:
    """Above a time limit, D* Lite is best."""

    def check(samples: Samples) -> c.Finding:
        dstar = samples[Row(DSTAR_LITE)]
        rivals = {
            row.name: each["d"]
            for row, each in samples.items()
            if each is not dstar and each[column] <= dstar[column] and not c.about_equal(each.cost, dstar.cost)
        }
        shortest = min(rivals, key=lambda name: rivals[name], default=None)
        rest = f", the shortest being {shortest} with {_text(rivals[shortest])}." if shortest else "."
        return shortest is None or rivals[shortest] > dstar["d"], (
            f"D* Lite: {_text(dstar[column])} µs per {per}, trajectory cost {_text(dstar['d'])}. No slower, and not "
            f"about equal in cost: {len(rivals)} other rows{rest}"
        )

    text = f"D* Lite has the shortest trajectories of all methods that need no more time per {per}"
    return c.Predicate(f"{text} (in the paper, {limit} µs)", check).on_the_clock()


def _real_time(column: str, per: str, percent: int) -> Claimed:
    """Below a time limit, RTAA* is better than LRTA*."""

    def check(samples: Samples) -> c.Finding:
        limit = BELOW_DSTAR_LITE * samples[Row(DSTAR_LITE)][column]
        one, other = (at_limit(_all(samples, method), column, limit) for method in (RTAA, LRTA))
        more = f": {other[1] / one[1] - 1:+.0%}, in the paper about +{percent}%" if one and other else ""
        return one is not None and (other is None or one[1] < other[1]), (
            f"With {_text(limit)} µs per {per}, RTAA* {_fitting(one)}, LRTA* {_fitting(other)}{more}."
        )

    text = f"with slightly less time per {per} than D* Lite needs, RTAA* has shorter trajectories than LRTA*"
    return c.Predicate(text, check).on_the_clock()


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


def _title(column: str) -> str:
    return COLUMN[column].removeprefix("the ").capitalize()


def _unit(column: str) -> str:
    return " µs" if column == "f" else ""


def _list(values: Iterable[float]) -> str:
    return ", ".join(map(_text, values))


def _text(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"


CLAIMS = (
    *c.claims("6", "table-1", _arrived),
    *c.claims("8, footnote 1", "table-1", *_for_times(_forward_is_cheaper)),
    *c.claims("8", "table-1", _same_cost, *_for_times(_forward_rtaa_lrta), _grows("d")),
    *c.claims("8", "table-1", _falls_at_first("b"), _rises_again("b")),
    *c.claims("8", "table-1", _falls_at_first("f").on_the_clock(), _rises_again("f").on_the_clock()),
    *c.claims("8", "table-1", _grows("c"), _proportional.on_the_clock(), less_informed),
    *c.claims("8", "table-1", _costs_more("d"), _costs_more("b"), quicker.on_the_clock()),
    *c.claims("8", "table-1", _same_with_one, _least_time.on_the_clock()),
    *c.claims("8", "table-1", _dstar_lite("g", "search episode", 20.99), _real_time("g", "search episode", 23)),
    *c.claims("8", "table-1", _dstar_lite("h", "action", 6.62), _real_time("h", "action", 13)),
)
