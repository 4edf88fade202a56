"""What decision trees are trained on: features and label of every move of trips that an oracle guides."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from permove import _core, data


@dataclass(frozen=True)
class Recipe:
    """What an agent with the tree will know: which features, over how many moves, from which pre-search."""

    features: str
    n: int
    presearch: int
    dmax: int


@dataclass(frozen=True)
class Samples:
    """Moves in the order of the problems, whatever the number of threads: a row of features and a label for each."""

    features: NDArray[np.float32]
    labels: NDArray[np.uint32]

    def some(self, count: int, seed: int) -> "Samples":
        """So many of the moves at random, in their order; all of them where there are no more."""
        if len(self.labels) <= count:
            return self
        chosen = np.sort(np.random.default_rng(seed).choice(len(self.labels), count, replace=False))
        return Samples(self.features[chosen], self.labels[chosen])


def collect(
    selection: data.Selection, recipe: Recipe, *, jobs: int, alpha: float | None, update: Callable[[int], None]
) -> Samples:
    """Walk the problems; `update` is told how many are done. Ctrl-C ends it at once."""
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
    assert samples is not None, "nobody cancelled it"
    features, labels, _ = samples
    return Samples(features, labels)
