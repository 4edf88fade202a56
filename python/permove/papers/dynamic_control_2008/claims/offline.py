"""Sections 4, 5, 7.7 and Appendices C and D: what is computed beforehand, and what it costs."""

import math
from itertools import pairwise
from statistics import mean

from permove.papers.claim import Claim, Finding, NotMeasuredError, Unchecked
from permove.papers.dynamic_control.algorithms import PDB_PDB
from permove.papers.dynamic_control.study import Evidence
from permove.papers.dynamic_control_2008.printed import HOUR, TABLE_6
from permove.papers.dynamic_control_2008.tables import pairs, recouped

HUNDRED = (50.0, 300.0)
"""“About one hundred”: the paper's own maps of 512×512 have 270 by Table 5."""

LONGEST_HOURS = 27


def _states(evidence: Evidence, size: str) -> list[list[int]]:
    found = evidence.states()
    if size not in found:
        raise NotMeasuredError("There are no hierarchies to look at.")
    return [list(levels) for levels in found[size]]


def _two_to_four(evidence: Evidence) -> Finding:
    found = []
    for size in ("original", "upscaled"):
        for levels in _states(evidence, size):
            found += [low / high for low, high in pairwise(levels[:6])]
    typical = mean(found)
    inside = sum(2 <= factor <= 4 for factor in found) / len(found)
    return 2 <= typical <= 4 and inside >= 0.9, (
        f"On six maps, from the ground to level 5: {min(found):.2f} to {max(found):.2f}, {typical:.2f} on average, "
        f"{inside:.0%} from 2 to 4."
    )


def _hundred(evidence: Evidence) -> Finding:
    found = {
        size: mean(levels[0] / levels[5] for levels in _states(evidence, size)) for size in ("original", "upscaled")
    }
    words = "; ".join(f"{size}: {each:.0f}" for size, each in found.items())
    return all(HUNDRED[0] <= each <= HUNDRED[1] for each in found.values()), f"Ground states per region, {words}."


def _four_orders(evidence: Evidence) -> Finding:
    memory = mean((levels[0] / levels[5]) ** 2 for levels in _states(evidence, "upscaled"))
    return 3.5 <= math.log10(memory) <= 5, f"On upscaled maps, {memory:,.0f} times fewer pairs at level 5."


def _closest(evidence: Evidence) -> Finding:
    study = evidence.upscaled
    names = {spec: algorithm for algorithm, spec in study.agents.items()}
    own = study[PDB_PDB(3, 20)]
    found = {row["agent"]: row["other"] for row in pairs(study).iter_rows(named=True)}
    other = study[names[found[study.agents[PDB_PDB(3, 20)]]]]
    ratio = other.planning / own.planning
    holds = abs(other.suboptimality - own.suboptimality) <= 0.01 and ratio >= 5
    return holds, (
        f"The closest is {other.name}: {other.suboptimality:.3f} at {other.planning:.2f} states per move, {ratio:.1f} "
        "times as many."
    )


def _within_hours(evidence: Evidence) -> Finding:
    frame = recouped(evidence)
    moves = [value for value in frame["moves"] if value is not None]
    hours = [value / 1e9 / HOUR for value in frame["run_ns"] if value is not None]
    if not hours:
        return False, "None of them saves time on a move here."
    return max(hours) <= LONGEST_HOURS, (
        f"{len(hours)} of {frame.height} recoup it, in {min(hours) * HOUR:.2g} to {max(hours) * HOUR:.2g} seconds of "
        f"pathfinding, after {min(moves):.2g} to {max(moves):.2g} moves."
    )


def _four_hours(evidence: Evidence) -> Finding:
    row = recouped(evidence).filter(label=PDB_PDB(3, 20).name).row(0, named=True)
    if row["moves"] is None:
        return False, "It saves no time on a move here."
    return row["moves"] <= TABLE_6[PDB_PDB(3, 20)].moves and row["run_ns"] / 1e9 < 4.5 * HOUR, (
        f"{row['moves']:.3g} moves, {row['run_ns'] / 1e9:.2g} seconds; building took {row['build_ns'] / 1e9:.2f} "
        f"seconds, and a move saves {row['other_time_per_move_ns'] - row['time_per_move_ns']:,.0f} ns."
    )


CLAIMS: tuple[Claim[Evidence] | Unchecked, ...] = (
    Unchecked(
        "Notice that many areas are bright white, indicating that the shallowest lookahead of depth one will be "
        "sufficient.",
        "4",
        "Records do not tell of the depths of a map; the item `figure-2` judges it, and `permove pdb show` draws them.",
    ),
    Claim(
        "In typical grid world computer-game maps, a single application of clique abstraction reduces the number of "
        "states by a factor of two to four.",
        "5.2",
        "Over the first five levels of our maps it does so on average, and in nine steps of ten.",
        _two_to_four,
        ("table-5",),
    ),
    Claim(
        "On average, at the abstraction level of five (i.e., after five applications of the abstraction procedure), "
        "each region contains about one hundred original (or ground-level) states.",
        "5.2",
        f"In both sizes between {HUNDRED[0]:g} and {HUNDRED[1]:g}.",
        _hundred,
        ("table-5",),
    ),
    Claim(
        "As a result, five-level clique abstraction yields a four orders of magnitude reduction in memory and about "
        "two orders of magnitude reduction in pre-computation time (as analyzed later).",
        "5.2",
        "The number of pairs goes down by 3.5 to 5 orders of magnitude.",
        _four_orders,
        ("table-5",),
    ),
    Unchecked(
        "Its overhead is negligible as the classifier itself can be implemented as a handful of nested conditional "
        "statements.",
        "5.1",
        "It is about time spent within a move; `make bench` measures it.",
    ),
    Claim(
        "Its closest statically controlled competitor is PR LRTA* (F, G) with ℓ = 4, d = 15, γ = 0.6 which has "
        "suboptimality of 1.059 while expanding an average of 28.63 states per move in 131.128 microseconds.",
        "7.7",
        "The PR LRTA* (F, G) that is closest to LRTA* (PDB, PDB) c = 20, ℓ = 3 is within 0.01 of its suboptimality, "
        "and expands five times as many states or more.",
        _closest,
        ("table-6",),
    ),
    Claim(
        "Consequently, 4.7 × 10⁸ moves are necessary to recoup the off-line PDB build time of 13 hours. With each move "
        "taking about 31 microseconds, LRTA* will have a lower total run-time after the first four hours of "
        "pathfinding.",
        "7.7",
        "With our times to build and to move: after no more moves, and in four hours, rounded, or less.",
        _four_hours,
        ("table-6",),
        timed=True,
    ),
    Claim(
        "The results are found in Table 6 and demonstrate that LRTA* (PDB, PDB) recoups the PDB build time in the "
        "first 1.4 to 27 hours of its pathfinding time.",
        "7.7",
        f"With our times, in at most {LONGEST_HOURS} hours wherever a move saves time.",
        _within_hours,
        ("table-6",),
        timed=True,
    ),
    Unchecked(
        "Given that loops occur fairly infrequently, we do not normally compute optimal lookahead depths for global "
        "goals.",
        "D",
        "Records do not count re-visits.",
    ),
)
