"""The 3000 problems: on each of six maps, 100 with an optimal cost in each of five buckets.

The three maps of a role-playing game are AR0012SR, AR0013SR and AR0014SR of MovingAI's `bgmaps`: their 6176, 5672 and
5852 states are those of the paper. The three of a real-time strategy game, with 7629, 9749 and 18841 states, are not
known. In their place are maps of `wc3maps512` that have about as many, scaled down to the size of the originals.
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
"""Where the buckets of optimal costs begin, and where the last one ends."""

BUCKETS = {least // 10: (least + most) // 2 for least, most in pairwise(COSTS)}
"""The middle of each bucket, by which the paper calls it, by its number in the suite."""


@dataclass(frozen=True)
class Wanted:
    """A map of MovingAI's, and the side that it is scaled to where it is a stand-in."""

    set: str
    name: str
    side: int | None = None

    def source(self) -> MapSource:
        """The map as it was imported, or made smaller."""
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
    """`count` problems in each bucket on each map."""
    return bucket_suite(NAME, [wanted.source() for wanted in MAPS], COSTS, count, seed)
