"""The 3000 problems: on each of six maps, 100 with an optimal cost in each of five buckets.

Three maps are AR0012SR, AR0013SR and AR0014SR of MovingAI's `bgmaps`, with the published 6176, 5672 and 5852 states.
The three others, with 7629, 9749 and 18841 states, are not known. Maps of `wc3maps512` with about as many states,
scaled down, replace them.
"""

from dataclasses import dataclass
from itertools import pairwise

from permove.common.errors import InputError
from permove.data import Suite
from permove.data.catalogue import maps
from permove.data.collection import MapSource
from permove.data.random_suites import bucket_suite, shrunk

NAME = "graph-abstraction-2007"

COSTS = tuple(range(50, 101, 10))
"""The bounds of the buckets of optimal costs."""

BUCKETS = {low // 10: (low + high) // 2 for low, high in pairwise(COSTS)}
"""The middle of each bucket, which is its name in the paper, by its number in the suite."""


@dataclass(frozen=True)
class Wanted:
    """A MovingAI map, and the side that it is scaled to if it replaces an unknown one."""

    set: str
    name: str
    side: int | None = None

    def source(self) -> MapSource:
        """Return the imported map, scaled down if needed."""
        imported = maps(self.set)
        if self.name not in imported:
            raise InputError(
                f"the map {self.name} is not in the imported set {self.set}; use `permove data import PATH` with "
                f"MovingAI's {self.set}-map.zip"
            )
        source = imported[self.name]
        return source if self.side is None else shrunk(source, self.side, self.side)


MAPS = (
    Wanted("bgmaps", "AR0012SR"),
    Wanted("bgmaps", "AR0013SR"),
    Wanted("bgmaps", "AR0014SR"),
    Wanted("wc3maps512", "stromguarde", 161),
    Wanted("wc3maps512", "plainsofsnow", 161),
    Wanted("wc3maps512", "divideandconquer", 193),
)


def suite(count: int, seed: int) -> Suite:
    """Draw `count` problems in each bucket on each map."""
    return bucket_suite(NAME, [wanted.source() for wanted in MAPS], COSTS, count, seed)
