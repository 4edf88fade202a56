"""The 300 problems: 100 on each of three maps, in the original size and upscaled to 512×512.

Which maps of Warcraft III the paper used is not known. In their place are the three of MovingAI's `wc3maps512` that are
nearest in the number of states; the upscaled ones are these maps as they are, those of the original size are the same
scaled down, without what is not connected to their largest part. The upscaled problems of the paper were the same
problems, further apart by 512 over the original side; here they are drawn from as long an interval of optimal costs.
"""

from permove.common.errors import InputError
from permove.data import Suite
from permove.data.catalogue import maps
from permove.data.collection import MapSource
from permove.data.random_suites import bucket_suite, shrunk

SET = "wc3maps512"
SIDES = {"heart2heart": 161, "theglaive": 177, "gnollwood": 193}
"""The maps, and the sides that they have in the original size."""

COSTS = (90, 100)
"""Between which the optimal costs are."""

UPSCALED_COSTS = (256, 284)
"""The same on upscaled maps: 512/180 times as far."""

TRAINING_SEED = 1_000_003
"""What is added to the seed of the problems for those on which decision trees are trained."""


def sources() -> list[MapSource]:
    """The upscaled maps."""
    imported = maps(SET)
    for name in SIDES:
        if name not in imported:
            raise InputError(
                f"the map {name} is not in the imported set {SET}; use `permove data import PATH` with MovingAI's "
                f"{SET}-map.zip"
            )
    return [imported[name] for name in SIDES]


def original_sources() -> list[MapSource]:
    """The maps in the original size."""
    return [shrunk(source, SIDES[source.name], SIDES[source.name]) for source in sources()]


def upscaled(count: int, seed: int) -> Suite:
    """`count` problems on each of the upscaled maps."""
    return bucket_suite("dynamic-control-upscaled", sources(), UPSCALED_COSTS, count, seed)


def original(count: int, seed: int) -> Suite:
    """`count` problems on each of the maps in their original size."""
    return bucket_suite("dynamic-control-original", original_sources(), COSTS, count, seed)
