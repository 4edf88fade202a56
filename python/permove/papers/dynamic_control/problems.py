"""The 300 problems: 100 on each of three maps, in the original size and upscaled to 512×512.

The paper does not name its maps. The three maps of MovingAI's `wc3maps512` with the closest numbers of states replace
them: as they are for the upscaled size, scaled down to their largest component for the original size. The paper scaled
up its problems, too; here they are drawn from an interval of optimal costs that is longer by the same factor.
"""

from permove.common.errors import InputError
from permove.data import Suite
from permove.data.catalogue import maps
from permove.data.collection import MapSource
from permove.data.random_suites import bucket_suite, shrunk

SET = "wc3maps512"
SIDES = {"heart2heart": 161, "theglaive": 177, "gnollwood": 193}
"""The maps and their sides in the original size."""

COSTS = (90, 100)
"""The bounds of the optimal costs."""

UPSCALED_COSTS = (256, 284)
"""The bounds on upscaled maps, larger by a factor of 512/180."""

TRAINING_SEED = 1_000_003
"""The offset from the seed of the problems to that of the training problems."""


def sources() -> list[MapSource]:
    """Return the upscaled maps."""
    imported = maps(SET)
    for name in SIDES:
        if name not in imported:
            raise InputError(
                f"the map {name} is not in the imported set {SET}; use `permove data import PATH` with MovingAI's "
                f"{SET}-map.zip"
            )
    return [imported[name] for name in SIDES]


def original_sources() -> list[MapSource]:
    """Return the maps in the original size."""
    return [shrunk(source, SIDES[source.name], SIDES[source.name]) for source in sources()]


def upscaled(count: int, seed: int) -> Suite:
    """Draw `count` problems on each of the upscaled maps."""
    return bucket_suite("dynamic-control-upscaled", sources(), UPSCALED_COSTS, count, seed)


def original(count: int, seed: int) -> Suite:
    """Draw `count` problems on each of the maps in the original size."""
    return bucket_suite("dynamic-control-original", original_sources(), COSTS, count, seed)
