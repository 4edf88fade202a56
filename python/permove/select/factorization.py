"""Predicting how algorithms do on new maps from how a few of them did (per-map-selection-2016, Section 7).

Values on the training maps are factored into a few basis maps, all non-negative. A new map is the mixture of basis maps
that is most likely for the values sampled there, given how much of each basis map the training maps have; the mixture
predicts the other values. Without the latter, a handful of values would leave most of the mixture to chance.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

RANK = 5
"""How many basis maps there are, where there are training maps for so many; the paper does not tell.

Chosen, as was holding weights to the usual ones, after looking at ranks 1 to 10 on one small matrix of the embedded
suite: what comes out depends much on it, and 1 did about as well. A bad outcome says little of other factorizations.
"""

ITERATIONS, TOLERANCE = 200, 1e-4

SWEEPS, STILL = 100, 1e-9
"""Least squares go through all weights at most so often, and until none changes by more than this share."""


@dataclass(frozen=True)
class Basis:
    """Basis maps, and the weights that maps give them."""

    maps: Values
    """Algorithms × basis maps."""
    usual: Values
    """The mean weight of each basis map in the training maps."""
    pull: Values
    """How strongly a weight is held to the usual one: by the variance of the values over that of the weight."""

    @classmethod
    def of(cls, training: Values) -> "Basis":
        """Factor algorithms × training maps; what is missing is taken for the algorithm's own mean."""
        # scikit-learn takes long to load.
        from sklearn.decomposition import NMF
        from sklearn.exceptions import ConvergenceWarning

        known = ~np.isnan(training)
        mean = np.where(known, training, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        filled = np.where(known, training, mean[:, None])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            rank = min(RANK, *filled.shape)
            model = NMF(rank, init="nndsvda", max_iter=ITERATIONS, tol=TOLERANCE, random_state=0)
            maps: Values = model.fit_transform(filled)
        weights: Values = model.components_
        noise = float(((filled - maps @ weights) ** 2).mean())
        spread = weights.var(axis=1)
        pull = noise / np.where(spread > 0, spread, np.inf)
        return cls(maps, weights.mean(axis=1), pull)

    def predicted(self, values: Values, known: NDArray[np.bool_]) -> Values:
        """All values of some maps, predicted from those `known`."""
        rank = self.maps.shape[1]
        products = (self.maps[:, :, None] * self.maps[:, None, :]).reshape(len(self.maps), rank * rank)
        gram = (known.T.astype(np.float64) @ products).reshape(-1, rank, rank) + np.diag(self.pull)
        target = np.where(known, values, 0).T @ self.maps + self.pull * self.usual
        return self.maps @ _least_squares(gram, target).T


@contextmanager
def on_one_thread() -> Iterator[None]:
    """How sums are split among threads depends on the machine, and what comes out must not."""
    # What is to be limited has to be loaded.
    import sklearn.decomposition  # noqa: F401
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


def _least_squares(gram: Values, target: Values) -> Values:
    """Non-negative weights with least squared error, for many maps at once, by coordinate descent."""
    weights = np.zeros_like(target)
    # A basis map of zeros explains nothing, and gets no weight.
    diagonal = np.einsum("cii->ci", gram)
    safe = np.where(diagonal > 0, diagonal, np.inf)
    for _ in range(SWEEPS):
        before = weights.copy()
        for at in range(target.shape[1]):
            slope = (gram[:, at] * weights).sum(axis=1) - target[:, at]
            weights[:, at] = np.maximum(weights[:, at] - slope / safe[:, at], 0)
        if np.abs(weights - before).max() <= STILL * np.abs(weights).max():
            break
    return weights
