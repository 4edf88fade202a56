"""Decision trees for the study: trained on its maps, on other problems than those that are walked."""

from collections.abc import Sequence

from permove.data.collection import MapSource
from permove.errors import InputError
from permove.papers.dynamic_control_2008.study import Tree
from permove.papers.item import Lab


def trained(
    lab: Lab, sources: Sequence[MapSource], dmax: Sequence[int], *, upscaled: bool, seed: int
) -> dict[int, Tree]:
    """A tree for each d_max."""
    raise InputError(
        f"there is no training of decision trees yet ({lab.jobs}, {len(sources)}, {dmax}, {upscaled}, {seed})"
    )
