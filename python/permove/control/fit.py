"""Decision trees by scikit-learn: split by entropy, with many samples per leaf, pruned by cross-validation.

The papers used J48 of WEKA with a pruning factor of 0.05. scikit-learn does not have its error-based pruning, so we use
cost-complexity pruning with the largest `ccp_alpha` whose cross-validated accuracy is within one standard error of the
best. scikit-learn is imported inside functions, since its import takes longer than most commands.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from permove.common.errors import InputError
from permove.control.training_data import Samples

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

FOLDS = 10

CCP_ALPHAS = (0.0, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3)
"""The candidates for `ccp_alpha`, in bits of impurity that a leaf must save."""

Node = dict[str, int | float]
"""A split (feature, threshold, left, right) or a leaf (depth), as in tree files."""


@dataclass(frozen=True)
class Fitted:
    """A tree and its accuracy on moves that it was not trained on."""

    nodes: list[Node]
    accuracy: float | None
    """The mean over ten folds; `None` without cross-validation."""
    accuracy_se: float | None
    majority: float
    """The accuracy of always choosing the most frequent depth."""
    ccp_alpha: float
    leaves: int
    levels: int


def fit(samples: Samples, *, leaf: int, seed: int, jobs: int, ccp_alpha: float | None = None) -> Fitted:
    """Train a tree on all samples, with at least `leaf` samples per leaf.

    If `ccp_alpha` is given, there is no cross-validation, which takes ten times as long as training the tree.
    """
    count = len(samples.labels)
    if count < FOLDS:
        raise InputError(f"{count} moves are too few for training; use more problems")
    accuracy, accuracy_se = None, None
    if ccp_alpha is None:
        ccp_alpha, accuracy, accuracy_se = _cross_validate(samples, leaf=leaf, seed=seed, jobs=jobs)
    tree = _tree(leaf, ccp_alpha, seed).fit(samples.features, samples.labels)
    return Fitted(
        nodes(tree),
        accuracy=accuracy,
        accuracy_se=accuracy_se,
        majority=float(np.bincount(samples.labels).max() / count),
        ccp_alpha=ccp_alpha,
        leaves=int(tree.get_n_leaves()),
        levels=int(tree.get_depth()),
    )


def _cross_validate(samples: Samples, *, leaf: int, seed: int, jobs: int) -> tuple[float, float, float]:
    """Choose `ccp_alpha` by cross-validation; return it with its accuracy and standard error."""
    from sklearn.model_selection import KFold

    folds = list(KFold(FOLDS, shuffle=True, random_state=seed % 2**32).split(samples.features))

    def accuracies_of(fold: tuple[NDArray[np.intp], NDArray[np.intp]]) -> list[float]:
        train, test = fold
        tree = _tree(leaf, 0.0, seed).fit(samples.features[train], samples.labels[train])
        return [
            float((predicted == samples.labels[test]).mean())
            for predicted in pruned_predictions(tree, samples.features[test], CCP_ALPHAS)
        ]

    with ThreadPoolExecutor(jobs) as pool:
        accuracies = np.array(list(pool.map(accuracies_of, folds))).T
    means = accuracies.mean(axis=1)
    errors = accuracies.std(axis=1, ddof=1) / np.sqrt(FOLDS)
    best = int(means.argmax())
    chosen = int(np.flatnonzero(means >= means[best] - errors[best]).max())
    return CCP_ALPHAS[chosen], float(means[chosen]), float(errors[chosen])


def pruned_predictions(
    tree: "DecisionTreeClassifier", features: NDArray[np.float32], ccp_alphas: Sequence[float]
) -> Iterator[NDArray[np.uint32]]:
    """Yield the predictions of a fully grown tree after pruning it with each `ccp_alpha`.

    scikit-learn grows a new tree for every `ccp_alpha`. Pruning one tree repeatedly saves all but one of them.
    """
    inner = tree.tree_
    classes = tree.classes_[inner.value[:, 0, :].argmax(axis=1)]
    cut, parents, reached = _cuts(tree), _parents(tree), inner.apply(features)
    for ccp_alpha in ccp_alphas:
        # The leaf of the pruned tree that replaces each node, or the node itself. Parents precede their children.
        end = np.arange(inner.node_count)
        for node in range(1, inner.node_count):
            if cut[end[parents[node]]] <= ccp_alpha:
                end[node] = end[parents[node]]
        yield classes[end[reached]]


def _cuts(tree: "DecisionTreeClassifier") -> NDArray[np.float64]:
    """Return the smallest `ccp_alpha` at which each node is a leaf (minimal cost-complexity pruning, weakest link)."""
    inner = tree.tree_
    left, right, parents = inner.children_left, inner.children_right, _parents(tree)
    alone = inner.impurity * inner.weighted_n_node_samples / inner.weighted_n_node_samples[0]
    below, leaves = alone.copy(), np.ones(inner.node_count)
    inside = left >= 0
    for node in np.flatnonzero(inside)[::-1]:
        below[node] = below[left[node]] + below[right[node]]
        leaves[node] = leaves[left[node]] + leaves[right[node]]
    cut = np.where(inside, np.inf, 0.0)
    saved = np.full(inner.node_count, np.inf)
    saved[inside] = (alone[inside] - below[inside]) / (leaves[inside] - 1)
    level = 0.0
    while saved[0] < np.inf:
        weakest = int(saved.argmin())
        level = max(level, float(saved[weakest]))
        removed = [weakest]
        for node in removed:
            if cut[node] == np.inf:
                cut[node] = level
                removed += [int(left[node]), int(right[node])]
            saved[node] = np.inf
        change, fewer = alone[weakest] - below[weakest], leaves[weakest] - 1
        below[weakest], leaves[weakest] = alone[weakest], 1
        node = weakest
        while (node := int(parents[node])) >= 0:
            below[node] += change
            leaves[node] -= fewer
            saved[node] = (alone[node] - below[node]) / (leaves[node] - 1)
    return cut


def _parents(tree: "DecisionTreeClassifier") -> NDArray[np.intp]:
    inner = tree.tree_
    parents = np.full(inner.node_count, -1)
    inside = np.flatnonzero(inner.children_left >= 0)
    parents[inner.children_left[inside]] = inside
    parents[inner.children_right[inside]] = inside
    return parents


def nodes(tree: "DecisionTreeClassifier") -> list[Node]:
    """Return the nodes of a tree whose classes are depths. Parents precede their children."""
    inner = tree.tree_
    depths = tree.classes_[inner.value[:, 0, :].argmax(axis=1)]
    return [
        {"depth": int(depths[i])}
        if inner.children_left[i] < 0
        else {
            "feature": int(inner.feature[i]),
            "threshold": float(inner.threshold[i]),
            "left": int(inner.children_left[i]),
            "right": int(inner.children_right[i]),
        }
        for i in range(inner.node_count)
    ]


def _tree(leaf: int, ccp_alpha: float, seed: int) -> "DecisionTreeClassifier":
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(
        criterion="entropy", min_samples_leaf=leaf, ccp_alpha=ccp_alpha, random_state=seed % 2**32
    )
