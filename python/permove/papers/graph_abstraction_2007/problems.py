"""The 3000 problems: on each of six maps, 100 with an optimal cost in each of five buckets.

Three maps are AR0012SR, AR0013SR and AR0014SR of MovingAI's `bgmaps`, with the published 6176, 5672 and 5852 states.
The three others, with 7629, 9749 and 18841 states, are not known. Maps of `wc3maps512` with about as many states,
scaled down, replace them.
"""

from itertools import pairwise

from permove.data import Suite
from permove.data.random_suites import bucket_suite
from permove.papers.stand_ins import imported

NAME = "graph-abstraction-2007"

COSTS = tuple(range(50, 101, 10))
"""The bounds of the buckets of optimal costs."""

BUCKETS = {low // 10: (low + high) // 2 for low, high in pairwise(COSTS)}
"""The middle of each bucket, which is its name in the paper, by its number in the suite."""

MAPS = (
    ("bgmaps", "AR0012SR", None),
    ("bgmaps", "AR0013SR", None),
    ("bgmaps", "AR0014SR", None),
    ("wc3maps512", "stromguarde", 161),
    ("wc3maps512", "plainsofsnow", 161),
    ("wc3maps512", "divideandconquer", 193),
)
"""Set, name and side of each map; a map with a side replaces an unknown one."""


def suite(count: int, seed: int) -> Suite:
    """Draw `count` problems in each bucket on each map."""
    return bucket_suite(NAME, [imported(*wanted) for wanted in MAPS], COSTS, count, seed)
