"""Prediction of values on new maps from the values of a few algorithms (per-map-selection-2016, Section 7).

The values on the training maps are factored into a few non-negative basis maps. A new map is described by the mixture
of basis maps that is most likely given its sampled values and the weights in the training maps; the mixture predicts
the other values. Without the weights of the training maps, a few values would hardly determine the mixture.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from permove.common.extras import require

Values = NDArray[np.float64]

RANK = 5
"""The maximum number of basis maps. The paper does not report it.

It was chosen, like the regularization of the weights, from ranks 1 to 10 on one small matrix of the embedded suite. The
result depends strongly on it, and rank 1 was about as good. A bad result says little about other factorizations.
"""

ITERATIONS, TOLERANCE = 200, 1e-4

SWEEPS, STILL = 100, 1e-9
"""Coordinate descent: the maximum number of sweeps, and the relative change of weights at which it stops."""


@dataclass(frozen=True)
class Basis:
    """Basis maps, and the distribution of their weights in the training maps."""

    maps: Values
    """Algorithms × basis maps."""
    usual: Values
    """The mean weight of each basis map in the training maps."""
    pull: Values
    """The strength of the regularization towards `usual`: the residual variance over the variance of the weight."""

    @classmethod
    def of(cls, training: Values) -> "Basis":
        """Factor algorithms × training maps. Missing values are replaced with the mean of the algorithm."""
        # Importing scikit-learn is slow.
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
        """Predict all values of some maps from the `known` ones."""
        rank = self.maps.shape[1]
        products = (self.maps[:, :, None] * self.maps[:, None, :]).reshape(len(self.maps), rank * rank)
        gram = (known.T.astype(np.float64) @ products).reshape(-1, rank, rank) + np.diag(self.pull)
        target = np.where(known, values, 0).T @ self.maps + self.pull * self.usual
        return self.maps @ _least_squares(gram, target).T


@contextmanager
def on_one_thread() -> Iterator[None]:
    """Use a single thread, since the result must not depend on how the machine splits sums among threads."""
    require("training", "selecting by factorization")
    # The limit applies only to libraries that are already loaded.
    import sklearn.decomposition  # noqa: F401
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


def _least_squares(gram: Values, target: Values) -> Values:
    """Return the non-negative weights with the least squared error, for many maps at once, by coordinate descent."""
    weights = np.zeros_like(target)
    # A basis map of zeros gets no weight.
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
