"""Training data of decision trees: the features and the label of every move of trials guided by an oracle."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from permove import _core, data


@dataclass(frozen=True)
class Recipe:
    """Inputs of a tree: the set of features, the moves of history, the depth of the pre-search, the maximum depth."""

    features: str
    n: int
    presearch: int
    dmax: int


@dataclass(frozen=True)
class Samples:
    """A row of features and a label for each move, in the order of the problems, regardless of the threads."""

    features: NDArray[np.float32]
    labels: NDArray[np.uint32]

    def sample(self, count: int, seed: int) -> "Samples":
        """Return at most `count` random moves, in their original order."""
        if len(self.labels) <= count:
            return self
        chosen = np.sort(np.random.default_rng(seed).choice(len(self.labels), count, replace=False))
        return Samples(self.features[chosen], self.labels[chosen])


def collect(
    selection: data.Selection, recipe: Recipe, *, jobs: int, alpha: float | None, update: Callable[[int], None]
) -> Samples:
    """Collect the moves of all problems. `update` receives the number of finished problems. Ctrl-C stops at once."""
    collection = _core.Collection(
        selection.grids,
        selection.rows,
        features=recipe.features,
        n=recipe.n,
        presearch=recipe.presearch,
        dmax=recipe.dmax,
        jobs=jobs,
        alpha=alpha,
    )
    try:
        while not collection.wait(0.1):
            update(collection.finished)
    finally:
        collection.cancel()
    samples = collection.samples()
    assert samples is not None, "the collection was not cancelled"
    features, labels, _ = samples
    return Samples(features, labels)
