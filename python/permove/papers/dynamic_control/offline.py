"""Pattern databases and decision trees: how large the databases are, and how trees are trained and stored."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

from permove import _core
from permove.data import Suite
from permove.data.folder import data_folder, writing
from permove.papers.dynamic_control.study import Built, Databases, Tree
from permove.papers.item import Experiment
from permove.pdb.files import DEPTHS, SUBGOALS, Key, path_of

LEVELS = range(8)

MOVES = 140_000
"""The number of moves in the conference paper. Runs on upscaled maps have millions, and fitting takes the time."""


def states(suite: Suite) -> list[list[int]]:
    """Return the number of states on each level, map by map."""
    found = [_core.Hierarchy(suite.grid(key)) for key in suite.maps]
    return [[hierarchy.states(level) for level in range(hierarchy.top + 1)] for hierarchy in found]


def databases(suite: Suite) -> Databases:
    """Return the databases of the ground as means over the maps. Databases that are not stored have no build time."""
    sizes = states(suite)
    grids = [suite.grid(key) for key in suite.maps]
    return {
        (kind, 0, level): _built(grids, Key(kind, 0, level), mean(levels[level] ** 2 for levels in sizes))
        for kind in (SUBGOALS, DEPTHS)
        for level in LEVELS
    }


def _built(grids: Sequence[_core.Grid], key: Key, pairs: float) -> Built:
    paths = [path_of(grid.fingerprint, key) for grid in grids]
    if not all(path.is_file() for path in paths):
        return Built(pairs)
    found = [_core.Database.look(str(path)) for path in paths]
    build_ns = mean(each.build_ns for each in found)
    return Built(mean(each.pairs for each in found), build_ns, max(each.jobs for each in found))


@dataclass(frozen=True)
class Training:
    """How trees are trained."""

    features: str
    """The paper that defines the features."""
    leaf: int
    """Minimum number of moves in a leaf."""
    moves: int | None = None
    """Number of moves drawn from all runs; `None` means all moves."""


def trained(
    experiment: Experiment,
    suite: Suite,
    training: Training,
    dmax: Sequence[int],
    maps: Sequence[str] | None = None,
    pruned_as: Mapping[int, Tree] | None = None,
) -> dict[int, Tree]:
    """Return a tree for each d_max, trained on the problems of a suite or of some of its maps.

    Trees are stored in the data folder under a digest of everything that they depend on. Cross-validation chooses the
    pruning, unless a tree has to be pruned as another tree with the same d_max.
    """
    ccp_alphas = {depth: None if pruned_as is None else pruned_as[depth].ccp_alpha for depth in dmax}
    parts: list[object] = [suite.fingerprint, training.features, training.leaf, training.moves, maps]
    parts.append(_core.RECORDS_VERSION)
    if pruned_as is not None:
        parts.append(list(ccp_alphas.values()))
    folder = data_folder() / "trees" / hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]
    paths = {depth: folder / f"dt-{depth}.tree" for depth in dmax}
    from permove.control import train

    missing = [depth for depth, path in paths.items() if not path.is_file()]
    if missing:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        for depth in missing:
            how = {"jobs": experiment.jobs, "progress": experiment.progress, **asdict(training)}
            train(suite, paths[depth], dmax=depth, maps=maps, ccp_alpha=ccp_alphas[depth], **how)
    return {depth: _read(path) for depth, path in paths.items()}


def training_text(trees: Mapping[int, Tree], problems: int) -> str:
    """Return how trees were trained, for a report."""
    moves = ", ".join(f"{tree.samples:,}" for tree in trees.values())
    accuracies = ", ".join(f"{tree.accuracy:.0%} for dmax = {dmax}" for dmax, tree in trees.items())
    return (
        f"trained on {problems} other problems on each of the maps, {moves} moves; accuracy by ten-fold "
        f"cross-validation {accuracies}"
    )


def _read(path: Path) -> Tree:
    facts = json.loads(path.read_bytes())["training"]
    accuracy = math.nan if facts["accuracy"] is None else facts["accuracy"]
    return Tree(str(path), accuracy, facts["moves"], facts["ccp_alpha"])
