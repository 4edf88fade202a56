"""Decision trees for the studies: trained on their maps, on other problems than those that are walked, and kept.

They are kept in the data folder by everything that decides what they are like, and trained anew only by another core.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from permove import _core
from permove.data import Suite
from permove.data.folder import data_folder, writing
from permove.papers.dynamic_control.study import Tree
from permove.papers.item import Lab

MOVES = 140_000
"""As many as the conference paper had. Trips on upscaled maps have millions, and it is fitting that takes the time."""


@dataclass(frozen=True)
class School:
    """How trees are trained: the paper that gives the features, and how many moves a leaf has at least."""

    features: str
    leaf: int
    moves: int | None = None
    """How many moves are learned from, drawn from all trips; all of them where there is nothing."""


def trained(
    lab: Lab,
    suite: Suite,
    school: School,
    dmax: Sequence[int],
    maps: Sequence[str] | None = None,
    pruned_as: Mapping[int, Tree] | None = None,
) -> dict[int, Tree]:
    """A tree for each d_max, from the problems of a suite or those on some of its maps.

    Cross-validation chooses how each is pruned, unless it is to be pruned as another tree for the same d_max.
    """
    ccp_alphas = {depth: None if pruned_as is None else pruned_as[depth].ccp_alpha for depth in dmax}
    decisive: list[object] = [
        suite.fingerprint,
        school.features,
        school.leaf,
        school.moves,
        maps,
        _core.RECORDS_VERSION,
    ]
    if pruned_as is not None:
        decisive.append(list(ccp_alphas.values()))
    digest = hashlib.sha256(json.dumps(decisive).encode()).hexdigest()[:12]
    folder = data_folder() / "trees" / digest
    paths = {depth: folder / f"dt-{depth}.tree" for depth in dmax}
    from permove.control import train

    missing = [depth for depth, path in paths.items() if not path.is_file()]
    if missing:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        for depth in missing:
            train(
                suite,
                paths[depth],
                dmax=depth,
                features=school.features,
                leaf=school.leaf,
                maps=maps,
                moves=school.moves,
                ccp_alpha=ccp_alphas[depth],
                jobs=lab.jobs,
                progress=lab.progress,
            )
    return {depth: _read(path) for depth, path in paths.items()}


def _read(path: Path) -> Tree:
    facts = json.loads(path.read_bytes())["training"]
    accuracy = math.nan if facts["accuracy"] is None else facts["accuracy"]
    return Tree(str(path), accuracy, facts["moves"], facts["ccp_alpha"])
