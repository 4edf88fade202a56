"""What Section 8 says of Table 1, in its order, checked against samples of ours."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from permove.papers.checks import ALIKE, BY_CHANCE, CHANCE, about_equal, above, not_below, rising
from permove.papers.outcome import Statement
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

JUST_BELOW = 20.00 / 20.99
"""How far below D* Lite's own time the paper sets its limit per search episode."""

PROPORTIONAL = 2.0
"""How much longer an expansion may take with one lookahead than with another; in the paper it is 1.8 times."""


def statements(samples: Samples) -> Iterator[Statement]:
    """All of them."""
    rtaa = [samples[Row(RTAA, lookahead)] for lookahead in LOOKAHEADS]
    lrta = [samples[Row(LRTA, lookahead)] for lookahead in LOOKAHEADS]
    yield from _direction(samples[Row(FORWARD)], samples[Row(BACKWARD)])
    yield from _unlimited(rtaa[-1], lrta[-1], *(samples[Row(method)] for method in (DSTAR_LITE, FORWARD, BACKWARD)))
    yield from _lookaheads(rtaa[::-1])
    yield from _against_lrta(rtaa, lrta)
    yield _least_planning(rtaa, {row.name: sample for row, sample in samples.items() if row.method != RTAA})
    for column, per, percent, larger, smaller in LIMITS:
        yield _dstar_lite(samples, column, per, larger)
        yield _real_time(rtaa, lrta, samples[Row(DSTAR_LITE)], column, per, percent, smaller)


def _direction(forward: Sample, backward: Sample) -> Iterator[Statement]:
    quote = (
        "Notice that the total number of cell expansions and total search time of forward A* searches are "
        "significantly smaller than the ones of backward A* searches."
    )
    yield Statement(
        quote,
        "8, footnote 1",
        above(backward.expansions, forward.expansions),
        f"Cell expansions forward and backward: {_list([forward['b'], backward['b']])}.",
    )
    yield Statement(
        quote,
        "8, footnote 1",
        above(backward.time_us, forward.time_us),
        f"Time forward and backward: {_list([forward['f'], backward['f']])} µs.",
        timed=True,
    )


def _unlimited(rtaa: Sample, lrta: Sample, dstar: Sample, forward: Sample, backward: Sample) -> Iterator[Statement]:
    """Lookahead infinity, and the methods that have no lookahead."""
    five = [rtaa, lrta, dstar, forward, backward]
    costs = [each["d"] for each in five]
    yield Statement(
        "RTAA* with lookahead infinity, LRTA* with the same lookahead, D* Lite and forward and backward A* searches "
        "follow the same trajectories if they break ties in the same way and their trajectory costs are indeed "
        "approximately equal.",
        "8",
        all(about_equal(one.cost, other.cost) for one in five for other in five),
        f"Trajectory costs: {_list(costs)}; at most {max(costs) / min(costs) - 1:.1%} apart, where {ALIKE:.0%} and "
        f"{BY_CHANCE}.",
    )
    quote = (
        "The total number of cell expansions and the total search time are indeed larger for forward A* searches than "
        "RTAA*, and larger for RTAA* than LRTA*"
    )
    falling = [forward, rtaa, lrta]
    for column, what, unit in (("b", "Cell expansions", ""), ("f", "Time", " µs")):
        means = [each[column] for each in falling]
        yield Statement(
            quote,
            "8",
            all(one > other for one, other in pairwise(means)),
            f"{what} of forward A*, and of RTAA* and LRTA* with lookahead infinity: {_list(means)}{unit}.",
            timed=column == "f",
        )


def _lookaheads(downwards: list[Sample]) -> Iterator[Statement]:
    """RTAA* from lookahead infinity down to 1."""
    yield Statement(
        "Decreasing the lookahead of RTAA* indeed increases the trajectory cost",
        "8",
        rising([each.cost for each in downwards]),
        f"From lookahead infinity to 1: {_list(each['d'] for each in downwards)}; {BY_CHANCE}.",
    )
    for column, series in (
        ("b", [each.expansions for each in downwards]),
        ("f", [each.time_us for each in downwards]),
    ):
        what, unit = ("Cell expansions", "") if column == "b" else ("Time", " µs")
        means = [float(values.mean()) for values in series]
        least = means.index(min(means))
        found = (
            f"{what} from lookahead infinity to 1: {_list(means)}{unit}, least at lookahead "
            f"{lookahead_text(LOOKAHEADS[::-1][least])}; {BY_CHANCE}."
        )
        yield Statement(
            "but initially decreases the total number of cell expansions and the total search time",
            "8",
            least > 0 and rising(series[least::-1]),
            found,
            timed=column == "f",
        )
        yield Statement(
            "If the lookahead is already small and continues to decrease, then eventually the speed with which the "
            "total number of search episodes increases is larger than the speed with which the lookahead and the time "
            "per search episode decreases, so that the number of cell expansions and the total search time increase "
            "again",
            "8",
            least < len(series) - 1 and rising(series[least:]),
            found,
            timed=column == "f",
        )
    yield Statement(
        "Increasing the trajectory cost increases the total number of search episodes.",
        "8",
        rising([each.episodes for each in downwards]),
        f"Search episodes from lookahead infinity to 1: {_list(each['c'] for each in downwards)}; {BY_CHANCE}.",
    )
    times = [1000 * each["f"] / each["b"] for each in downwards]
    yield Statement(
        "The graph also shows that the total number of cell expansions and the total search time are proportional, as "
        "expected.",
        "8",
        max(times) <= PROPORTIONAL * min(times),
        f"RTAA*'s time per expansion is {min(times):.1f} to {max(times):.1f} ns over all lookaheads; a factor of "
        f"{PROPORTIONAL:g} passes.",
        timed=True,
    )


def _against_lrta(rtaa: list[Sample], lrta: list[Sample]) -> Iterator[Statement]:
    """The same lookaheads, first those larger than one and smaller than infinity."""
    between = list(zip(LOOKAHEADS, rtaa, lrta, strict=True))[1:-1]
    exceptions = [lookahead for lookahead, one, other in between if _more_informed(one, other)]
    yield Statement(
        "RTAA* with lookaheads larger than one and smaller than infinity indeed increases the heuristics less than "
        "LRTA* with the same lookaheads per update",
        "8",
        not exceptions,
        f"RTAA*: {_list(one['i'] for _, one, _ in between)}; LRTA*: {_list(other['i'] for _, _, other in between)}; "
        f"{BY_CHANCE}." + _except(exceptions),
    )
    for column, what in (("d", "trajectory costs"), ("b", "total number of cell expansions")):
        exceptions = [
            lookahead for lookahead, one, other in between if not not_below(one.values(column), other.values(column))
        ]
        ours, theirs = (np.sum([each.values(column) for each in some[1:-1]], axis=0) for some in (rtaa, lrta))
        yield Statement(
            "Consequently, its trajectory costs and total number of cell expansions are larger than the ones of LRTA* "
            "with the same lookaheads.",
            "8",
            not_below(ours, theirs) and not exceptions,
            f"The {what}: {ours.mean() / theirs.mean() - 1:+.1%} over these lookaheads together; {BY_CHANCE}."
            + _except(exceptions),
        )
    exceptions = [lookahead for lookahead, one, other in between if not one["f"] < other["f"]]
    yield Statement(
        "However, it updates the heuristics much faster than LRTA* with the same lookaheads, resulting in smaller "
        "total search times.",
        "8",
        not exceptions,
        f"RTAA*: {_list(one['f'] for _, one, _ in between)} µs; LRTA*: {_list(other['f'] for _, _, other in between)} "
        "µs." + _except(exceptions),
        timed=True,
    )
    one, other = rtaa[0], lrta[0]
    yield Statement(
        "RTAA* with lookahead one and LRTA* with the same lookahead follow the same trajectories and update the same "
        "states if they break ties in the same way and their trajectory costs and total number of cell expansions are "
        "indeed approximately equal",
        "8",
        about_equal(one.cost, other.cost) and about_equal(one.expansions, other.expansions),
        f"Trajectory costs: {_list([one['d'], other['d']])}; cell expansions: {_list([one['b'], other['b']])}; "
        f"{ALIKE:.0%} and {BY_CHANCE}.",
    )


def _more_informed(one: Sample, other: Sample) -> bool:
    """Whether one increases heuristics by significantly more per update than the other."""
    (increase, error), (other_increase, other_error) = one.figure("i"), other.figure("i")
    return increase - other_increase > CHANCE * math.hypot(error, other_error)


def _least_planning(rtaa: list[Sample], others: dict[str, Sample]) -> Statement:
    at = min(range(len(rtaa)), key=lambda at: rtaa[at]["f"])
    best, rival = rtaa[at], min(others, key=lambda name: others[name]["f"])
    shortest = min(each["d"] for each in (*rtaa, *others.values()))
    return Statement(
        "One advantage of RTAA* is that its total planning time with a carefully chosen lookahead is smaller than that "
        "of all other search methods, although its trajectory costs then are not the smallest ones.",
        "8",
        best["f"] < others[rival]["f"] and best["d"] > shortest,
        f"RTAA* with lookahead {lookahead_text(LOOKAHEADS[at])}: {_text(best['f'])} µs, trajectory cost "
        f"{_text(best['d'])}, the smallest of all being {_text(shortest)}; the fastest other method, {rival}: "
        f"{_text(others[rival]['f'])} µs.",
        timed=True,
    )


LIMITS = (
    (
        "g",
        "search episode",
        23,
        "If this time limit is larger than 20.99 microseconds, then one should use D* Lite for the search because the "
        "resulting trajectory costs are smaller than the ones of all other search methods whose search time per search "
        "episode is no larger than 20.99.",
        "However, if the time limit is smaller than 20.99 microseconds, then one has to use a real-time heuristics "
        "search method. In this case, one should use RTAA* rather than LRTA*.",
    ),
    (
        "h",
        "action",
        13,
        "If this time limit is larger than 6.62 microseconds, then one should use D* Lite for the search because the "
        "resulting trajectory costs are smaller than the ones of all other search methods whose search time per action "
        "execution is no larger than 6.62.",
        "However, if the time limit is smaller than 6.62 microseconds, then one has to use a real-time heuristics "
        "search method. In this case, one should use RTAA* rather than LRTA*.",
    ),
)
"""The argument with a time limit per search episode, and again with one per action: the column of the time, the excess
of LRTA*'s trajectory that the paper finds in percent, and what it says of larger and of smaller limits."""


def _dstar_lite(samples: Samples, column: str, per: str, quote: str) -> Statement:
    dstar = samples[Row(DSTAR_LITE)]
    rivals = {
        row.name: each["d"]
        for row, each in samples.items()
        if each is not dstar and each[column] <= dstar[column] and not about_equal(each.cost, dstar.cost)
    }
    shortest = min(rivals, key=lambda name: rivals[name], default=None)
    return Statement(
        quote,
        "8",
        shortest is None or rivals[shortest] > dstar["d"],
        f"D* Lite: {_text(dstar[column])} µs per {per}, trajectory cost {_text(dstar['d'])}. No slower, and not about "
        f"equal in cost: {len(rivals)} other rows"
        + (f", the shortest being {shortest} with {_text(rivals[shortest])}." if shortest else "."),
        timed=True,
    )


def _real_time(
    rtaa: list[Sample], lrta: list[Sample], dstar: Sample, column: str, per: str, percent: int, quote: str
) -> Statement:
    limit = JUST_BELOW * dstar[column]
    ours, theirs = (at_limit(some, column, limit) for some in (rtaa, lrta))
    more = f": {theirs[1] / ours[1] - 1:+.0%}, in the paper about +{percent}%" if ours and theirs else ""
    return Statement(
        quote,
        "8",
        ours is not None and (theirs is None or ours[1] < theirs[1]),
        f"With {_text(limit)} µs per {per}, RTAA* {_fitting(ours)}, LRTA* {_fitting(theirs)}{more}.",
        timed=True,
    )


def at_limit(samples: Sequence[Sample], column: str, limit: float) -> tuple[str, float] | None:
    """The lookahead that a time limit allows, and the trajectory cost with it, both interpolated between the rows.

    Nothing where not even the smallest lookahead fits; between 89 and infinity only the cost can be interpolated.
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
    return f" Not so with lookahead {', '.join(map(lookahead_text, lookaheads))}." if lookaheads else ""


def _list(values: Iterable[float]) -> str:
    return ", ".join(map(_text, values))


def _text(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"
