"""Published values."""

from collections.abc import Mapping
from dataclasses import dataclass

from permove.papers.dynamic_control import algorithms as alg
from permove.papers.dynamic_control.algorithms import F_PDB, PDB_G, PDB_PDB, PR_F_G, PR_PDB_G, Algorithm, Family

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
YEAR = 365 * DAY


@dataclass(frozen=True)
class Row:
    """A row of Table 3: both measures with their standard errors, and the worst move if Section 7.5 has it."""

    planning: float
    planning_se: float
    suboptimality: float
    suboptimality_se: float
    worst: int | None = None


TABLE_3: Mapping[Algorithm, Row] = {
    PR_F_G(4, 5, 1.0): Row(15.06, 0.0722, 1.161, 0.0177),
    PDB_PDB(3, 3000): Row(1.032, 0.0054, 1.061, 0.0027),
    alg.ASTAR: Row(119.8, 3.5203, 1.0, 0.0, 88138),
    alg.WEIGHTED: Row(24.86, 1.4404, 1.146, 0.0072, 40734),
    alg.PRA: Row(10.83, 0.0829, 1.001, 0.0003, 3454),
}


@dataclass(frozen=True)
class Choice:
    """A row of Table 4: the limits for which an algorithm is the best choice, and its suboptimality in percent."""

    low: int
    high: int | None
    algorithm: Algorithm | None
    percent: float | None


TABLE_4 = (
    Choice(0, 0, None, None),
    Choice(1, 8, F_PDB(1, 3), 10.2267),
    Choice(9, 24, F_PDB(2, 3), 8.6692),
    Choice(25, 48, F_PDB(3, 3), 5.6793),
    Choice(49, 120, F_PDB(4, 3), 5.6765),
    Choice(121, 728, F_PDB(6, 3), 5.6688),
    Choice(729, 753, F_PDB(14, 4), 5.6258),
    Choice(754, 1223, PR_PDB_G(15, 1.0, 3), 4.2074),
    Choice(1224, 1934, PR_PDB_G(20, 1.0, 3), 3.6907),
    Choice(1935, 3453, PR_PDB_G(1000, 1.0, 3), 3.5358),
    Choice(3454, 88137, alg.PRA, 0.1302),
    Choice(88138, None, alg.ASTAR, 0.0),
)

SIZES = (1.1e10, 7.4e8, 5.9e7, 6.1e6, 8.6e5, 1.5e5, 3.1e4, 6.4e3)
"""Mean number of pairs of abstract states on the 512×512 maps, by level."""


# A table, its cap, the build times from level 0 (the first three are estimates), and for levels 3 to 7 the states per
# move and the suboptimality.
PRINTED = """
table-5    20   2y  45d  4d 13h   3h    1h   24m  10m     1.5   3.2   41.3 104.4 169.3  1.058 1.059  1.535 2.315  2.284
table-9    30   2y  45d  4d 13.4h 3.1h  1.1h 24m  11m     2.1  12.3   60.7 166.6 258.8  1.058 1.083  1.260 1.843  1.729
table-10   40   2y  45d  4d 13.1h 3.1h  1h   24m  10m     2.7  10.2   53.4 217.3 355.4  1.058 1.060  1.102 1.474  1.490
table-11   50   2y  45d  4d 13.6h 3.1h  1h   24m  11m     3.5  11.1   68.5 279.4 452.3  1.058 1.059  1.098 1.432  1.386
table-12   80   2y  45d  4d 13.5h 3.2h  1h   25m  10m     6.6  22.9  109.7 523.3 811.5  1.058 1.059  1.087 1.411  1.301
table-13 3000 350y  25y  2y 73d  10.3d  1.7d 9.8h 2.5h    1.0   4.8   27.9  86.7 174.1  1.061 1.062  1.133 3.626  3.474
table-14   20  12y 180d 13d 38h   7.5h  2.3h 52m  21m   349.9 331.6  281.0 298.1 216.1  6.468 8.766 10.425 8.155 14.989
"""
UNITS = {"m": MINUTE, "h": HOUR, "d": DAY, "y": YEAR}


@dataclass(frozen=True)
class Databases:
    """Tables 5 and 9 to 14: build seconds by level, and the results of an algorithm at levels 3 to 7."""

    family: Family
    cap: int
    seconds: tuple[float, ...]
    planning: tuple[float, ...]
    suboptimality: tuple[float, ...]
    depths: bool
    """Whether the databases contain depths for global goals."""


def _databases(line: str) -> tuple[str, Databases]:
    name, cap, *words = line.split()
    seconds = tuple(float(word[:-1]) * UNITS[word[-1]] for word in words[:8])
    planning, suboptimality = (tuple(map(float, words[at : at + 5])) for at in (8, 13))
    family, depths = PDB_G if name == "table-14" else PDB_PDB, name in ("table-13", "table-14")
    return name, Databases(family, int(cap), seconds, planning, suboptimality, depths)


DATABASES = dict(map(_databases, PRINTED.strip().splitlines()))


@dataclass(frozen=True)
class Recouped:
    """A row of Table 6: the closest static algorithm, and the moves and hours until the build is recouped."""

    competitor: Algorithm
    moves: float
    hours: float


TABLE_6: Mapping[Algorithm, Recouped] = {
    PDB_PDB(3, 20): Recouped(PR_F_G(4, 15, 0.6), 4.7e8, 4),
    PDB_PDB(4, 20): Recouped(PR_F_G(4, 15, 0.6), 1.2e8, 1.4),
    PDB_PDB(3, 30): Recouped(PR_F_G(4, 15, 0.6), 5.1e8, 5.1),
    PDB_PDB(3, 40): Recouped(PR_F_G(4, 15, 0.6), 5.3e8, 6),
    PDB_PDB(4, 40): Recouped(PR_F_G(4, 15, 0.4), 3.4e8, 9.3),
    PDB_PDB(3, 50): Recouped(PR_F_G(4, 15, 0.6), 6.2e8, 9),
    PDB_PDB(4, 50): Recouped(PR_F_G(4, 15, 0.6), 6.7e8, 21.1),
    PDB_PDB(3, 80): Recouped(PR_F_G(4, 15, 0.6), 1.1e9, 27),
}

SECTION_7_7 = {PDB_PDB(3, 20): (1.058, 1.536, 31.065), PR_F_G(4, 15, 0.6): (1.059, 28.63, 131.128)}
"""Suboptimality, states per move and microseconds per move in the text."""

CAPPED_80 = (1.36, 1214)
"""Appendix B: suboptimality and states per move of LRTA* (PDB, G) with ℓ = 3, c = 80 on upscaled maps."""
