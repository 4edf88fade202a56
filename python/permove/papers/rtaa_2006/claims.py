"""The claims of Section 8 about Table 1, in its order."""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np

from permove.papers.claims import (
    ABOUT_EQUAL,
    ERRORS,
    Finding,
    Predicate,
    about_equal,
    above,
    claims,
    not_below,
    predicate,
    rising,
)
from permove.papers.rtaa_2006.table import (
    BACKWARD,
    DSTAR_LITE,
    FORWARD,
    LOOKAHEADS,
    LRTA,
    RTAA,
    Row,
    Sample,
    Samples,
    lookahead_text,
)

BELOW_DSTAR_LITE = 20.00 / 20.99
"""The share of D* Lite's own time that the paper uses as a limit."""

PROPORTIONAL = 2.0
"""Maximum ratio of times per expansion between lookaheads; in the paper it is 1.8."""

UP_TO_CHANCE = f"apart from differences within {ERRORS:g} standard errors"
EQUAL = f"within {ABOUT_EQUAL:.0%} or {ERRORS:g} standard errors"
DOWNWARDS = LOOKAHEADS[::-1]
COLUMN = {
    "b": ("the number of cell expansions", ""),
    "c": ("the number of search episodes", ""),
    "d": ("the trajectory cost", ""),
    "f": ("the time", " µs"),
}


def _all(samples: Samples, method: str, lookaheads: Iterable[float] = LOOKAHEADS) -> list[Sample]:
    return [samples[Row(method, lookahead)] for lookahead in lookaheads]


def _for_times(make: Callable[[str], Predicate[Samples]]) -> tuple[Predicate[Samples], Predicate[Samples]]:
    """A predicate on cell expansions, and the same on times."""
    return make("b"), make("f").on_the_clock()


@predicate("every run reaches the goal")
def _arrived(samples: Samples) -> Finding:
    return samples.solved == samples.runs, f"{samples.solved:,} of {samples.runs:,} runs reached the goal."


def _forward_is_cheaper(column: str) -> Predicate[Samples]:
    def check(samples: Samples) -> Finding:
        forward, backward = samples[Row(FORWARD)], samples[Row(BACKWARD)]
        found = f"{_title(column)} forward and backward: {_list([forward[column], backward[column]])}{_unit(column)}."
        return above(backward.values(column), forward.values(column)), found

    return Predicate(f"{COLUMN[column][0]} of forward A* is significantly smaller than that of backward A*", check)


@predicate("without a limit on lookahead, RTAA*, LRTA*, D* Lite and both A* have about the same trajectory cost", EQUAL)
def _same_cost(samples: Samples) -> Finding:
    rows = (Row(RTAA, math.inf), Row(LRTA, math.inf), Row(DSTAR_LITE), Row(FORWARD), Row(BACKWARD))
    five = [samples[row] for row in rows]
    costs = [each["d"] for each in five]
    so = all(about_equal(one.cost, other.cost) for one in five for other in five)
    return so, f"Trajectory costs: {_list(costs)}; at most {max(costs) / min(costs) - 1:.1%} apart."


def _forward_rtaa_lrta(column: str) -> Predicate[Samples]:
    def check(samples: Samples) -> Finding:
        means = [samples[row][column] for row in (Row(FORWARD), Row(RTAA, math.inf), Row(LRTA, math.inf))]
        found = f"{_title(column)} of forward A*, RTAA* ∞ and LRTA* ∞: {_list(means)}{_unit(column)}."
        return all(one > other for one, other in pairwise(means)), found

    return Predicate(
        f"{COLUMN[column][0]} of forward A* is larger than that of RTAA* ∞, and that larger than that of LRTA* ∞", check
    )


def _grows(column: str) -> Predicate[Samples]:
    def check(samples: Samples) -> Finding:
        some = _all(samples, RTAA, DOWNWARDS)
        found = f"From lookahead ∞ to 1: {_list(each[column] for each in some)}."
        return rising([each.values(column) for each in some]), found

    return Predicate(f"{COLUMN[column][0]} of RTAA* grows as the lookahead shrinks", check, UP_TO_CHANCE)


def _falls_at_first(column: str) -> Predicate[Samples]:
    def check(samples: Samples) -> Finding:
        series, smallest, found = _curve(samples, column)
        return smallest > 0 and rising(series[smallest::-1]), found

    return Predicate(f"{COLUMN[column][0]} of RTAA* falls at first as the lookahead shrinks", check, UP_TO_CHANCE)


def _rises_again(column: str) -> Predicate[Samples]:
    def check(samples: Samples) -> Finding:
        series, smallest, found = _curve(samples, column)
        return smallest < len(series) - 1 and rising(series[smallest:]), found

    text = f"{COLUMN[column][0]} of RTAA* rises again for the smallest lookaheads"
    return Predicate(text, check, UP_TO_CHANCE)


def _curve(samples: Samples, column: str) -> tuple[list[np.ndarray], int, str]:
    """RTAA* from lookahead infinity down to 1, the place of the minimum, and the measured values."""
    series = [each.values(column) for each in _all(samples, RTAA, DOWNWARDS)]
    means = [float(values.mean()) for values in series]
    smallest = means.index(min(means))
    return (
        series,
        smallest,
        (
            f"{_title(column)} from lookahead ∞ to 1: {_list(means)}{_unit(column)}, minimum at lookahead "
            f"{lookahead_text(DOWNWARDS[smallest])}."
        ),
    )


@predicate(
    "the time of RTAA* is proportional to its cell expansions",
    f"times per expansion within a factor of {PROPORTIONAL:g}",
)
def _proportional(samples: Samples) -> Finding:
    times = [1000 * each["f"] / each["b"] for each in _all(samples, RTAA, DOWNWARDS)]
    found = f"RTAA*'s time per expansion is {min(times):.1f} to {max(times):.1f} ns over all lookaheads."
    return max(times) <= PROPORTIONAL * min(times), found


BETWEEN = LOOKAHEADS[1:-1]


@predicate("with the same lookahead above 1, an update of RTAA* raises heuristics less than one of LRTA*", UP_TO_CHANCE)
def _less_informed(samples: Samples) -> Finding:
    pairs = list(zip(_all(samples, RTAA, BETWEEN), _all(samples, LRTA, BETWEEN), strict=True))
    wrong = []
    for lookahead, (one, other) in zip(BETWEEN, pairs, strict=True):
        (increase, error), (other_increase, other_error) = one.figure("i"), other.figure("i")
        wrong += [lookahead] if increase - other_increase > ERRORS * math.hypot(error, other_error) else []
    found = f"RTAA*: {_list(one['i'] for one, _ in pairs)}; LRTA*: {_list(other['i'] for _, other in pairs)}."
    return not wrong, found + _except(wrong)


def _costs_more(column: str) -> Predicate[Samples]:
    def check(samples: Samples) -> Finding:
        rtaa, lrta = ([each.values(column) for each in _all(samples, method, BETWEEN)] for method in (RTAA, LRTA))
        wrong = [at for at, one, other in zip(BETWEEN, rtaa, lrta, strict=True) if not not_below(one, other)]
        one, other = np.sum(rtaa, axis=0), np.sum(lrta, axis=0)
        found = f"{_title(column)}: {one.mean() / other.mean() - 1:+.1%} over these lookaheads together."
        return not_below(one, other) and not wrong, found + _except(wrong)

    text = f"with the same lookahead above 1, {COLUMN[column][0]} of RTAA* is not smaller than that of LRTA*"
    return Predicate(text, check, UP_TO_CHANCE)


@predicate("with the same lookahead above 1, RTAA* needs less time than LRTA*")
def _quicker(samples: Samples) -> Finding:
    rtaa, lrta = ([each["f"] for each in _all(samples, method, BETWEEN)] for method in (RTAA, LRTA))
    wrong = [at for at, one, other in zip(BETWEEN, rtaa, lrta, strict=True) if not one < other]
    return not wrong, f"RTAA*: {_list(rtaa)} µs; LRTA*: {_list(lrta)} µs.{_except(wrong)}"


@predicate("with lookahead 1, RTAA* and LRTA* have about the same trajectory cost and cell expansions", EQUAL)
def _same_with_one(samples: Samples) -> Finding:
    one, other = samples[Row(RTAA, 1)], samples[Row(LRTA, 1)]
    so = about_equal(one.cost, other.cost) and about_equal(one.expansions, other.expansions)
    return so, f"Trajectory costs: {_list([one['d'], other['d']])}; cell expansions: {_list([one['b'], other['b']])}."


@predicate("RTAA* with the best lookahead needs less time than all other methods, but not the shortest trajectory")
def _least_time(samples: Samples) -> Finding:
    rtaa = _all(samples, RTAA)
    others = {row.name: sample for row, sample in samples.items() if row.method != RTAA}
    at = min(range(len(rtaa)), key=lambda at: rtaa[at]["f"])
    best, rival = rtaa[at], min(others, key=lambda name: others[name]["f"])
    shortest = min(each["d"] for each in (*rtaa, *others.values()))
    return best["f"] < others[rival]["f"] and best["d"] > shortest, (
        f"RTAA* with lookahead {lookahead_text(LOOKAHEADS[at])}: {_text(best['f'])} µs, trajectory cost "
        f"{_text(best['d'])}, the smallest of all being {_text(shortest)}; the fastest other method, {rival}: "
        f"{_text(others[rival]['f'])} µs."
    )


def _dstar_lite(column: str, per: str, limit: float) -> Predicate[Samples]:
    """Above a time limit, D* Lite is best."""

    def check(samples: Samples) -> Finding:
        dstar = samples[Row(DSTAR_LITE)]
        rivals = {
            row.name: each["d"]
            for row, each in samples.items()
            if each is not dstar and each[column] <= dstar[column] and not about_equal(each.cost, dstar.cost)
        }
        shortest = min(rivals, key=lambda name: rivals[name], default=None)
        rest = f", the shortest being {shortest} with {_text(rivals[shortest])}." if shortest else "."
        return shortest is None or rivals[shortest] > dstar["d"], (
            f"D* Lite: {_text(dstar[column])} µs per {per}, trajectory cost {_text(dstar['d'])}. No slower, and not "
            f"about equal in cost: {len(rivals)} other rows{rest}"
        )

    text = f"D* Lite has the shortest trajectories of all methods that need no more time per {per}"
    return Predicate(f"{text} (in the paper, {limit} µs)", check).on_the_clock()


def _real_time(column: str, per: str, percent: int) -> Predicate[Samples]:
    """Below a time limit, RTAA* is better than LRTA*."""

    def check(samples: Samples) -> Finding:
        limit = BELOW_DSTAR_LITE * samples[Row(DSTAR_LITE)][column]
        one, other = (at_limit(_all(samples, method), column, limit) for method in (RTAA, LRTA))
        more = f": {other[1] / one[1] - 1:+.0%}, in the paper about +{percent}%" if one and other else ""
        return one is not None and (other is None or one[1] < other[1]), (
            f"With {_text(limit)} µs per {per}, RTAA* {_fitting(one)}, LRTA* {_fitting(other)}{more}."
        )

    text = f"with slightly less time per {per} than D* Lite needs, RTAA* has shorter trajectories than LRTA*"
    return Predicate(text, check).on_the_clock()


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
    return (
        "has no lookahead that fits" if fit is None else f"with lookahead {fit[0]} has trajectories of {_text(fit[1])}"
    )


def _except(lookaheads: list[float]) -> str:
    return f" Exceptions: lookahead {', '.join(map(lookahead_text, lookaheads))}." if lookaheads else ""


def _title(column: str) -> str:
    return COLUMN[column][0].removeprefix("the ").capitalize()


def _unit(column: str) -> str:
    return COLUMN[column][1]


def _list(values: Iterable[float]) -> str:
    return ", ".join(map(_text, values))


def _text(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"


CLAIMS = (
    *claims("6", "table-1", _arrived),
    *claims("8, footnote 1", "table-1", *_for_times(_forward_is_cheaper)),
    *claims(
        "8",
        "table-1",
        _same_cost,
        *_for_times(_forward_rtaa_lrta),
        _grows("d"),
        _falls_at_first("b"),
        _rises_again("b"),
        _falls_at_first("f").on_the_clock(),
        _rises_again("f").on_the_clock(),
        _grows("c"),
        _proportional.on_the_clock(),
        _less_informed,
        _costs_more("d"),
        _costs_more("b"),
        _quicker.on_the_clock(),
        _same_with_one,
        _least_time.on_the_clock(),
        _dstar_lite("g", "search episode", 20.99),
        _real_time("g", "search episode", 23),
        _dstar_lite("h", "action", 6.62),
        _real_time("h", "action", 13),
    ),
)
