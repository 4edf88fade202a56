"""The 300 problems: 100 on each of three maps, in the original size and upscaled to 512×512.

The paper does not name its maps. The three maps of MovingAI's `wc3maps512` with the closest numbers of states replace
them: as they are for the upscaled size, scaled down to their largest component for the original size. The paper scaled
up its problems, too; here they are drawn from an interval of optimal costs that is longer by the same factor.
"""

from permove.data import Suite
from permove.data.random_suites import bucket_suite
from permove.papers.stand_ins import imported

SET = "wc3maps512"
SIDES = {"heart2heart": 161, "theglaive": 177, "gnollwood": 193}
"""The maps and their sides in the original size."""

COSTS = (90, 100)
"""The bounds of the optimal costs."""

UPSCALED_COSTS = (256, 284)
"""The bounds on upscaled maps, larger by a factor of 512/180."""

TRAINING_SEED = 1_000_003
"""The offset from the seed of the problems to that of the training problems."""


def upscaled(count: int, seed: int) -> Suite:
    """Draw `count` problems on each of the upscaled maps."""
    maps = [imported(SET, name) for name in SIDES]
    return bucket_suite("dynamic-control-upscaled", maps, UPSCALED_COSTS, count, seed)


def original(count: int, seed: int) -> Suite:
    """Draw `count` problems on each of the maps in the original size."""
    maps = [imported(SET, name, side) for name, side in SIDES.items()]
    return bucket_suite("dynamic-control-original", maps, COSTS, count, seed)
