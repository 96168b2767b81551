"""Kernel k-means by moves of single items."""

from dataclasses import dataclass

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Floats, Ints
from coterie._kernels.kmeans.moves import ascend
from coterie.clusterers._base import HeuristicClusterer, require_n_clusters
from coterie.exceptions import InputError, PartitionError
from coterie.objectives import KMeans
from coterie.pairs import PairScores
from coterie.partition import Partition

__all__ = ["KernelKMeans"]


@dataclass(frozen=True)
class KernelKMeans(HeuristicClusterer):
    """Move one item at a time to the cluster that raises the k-means objective most.

    It maximises Σ_c 1/|c| Σ_{i,j∈c} K_ij  (Finley & Joachims 2008, eq. 7), where K holds the scores
    with their diagonal, and 0 for absent pairs. This is the algorithm "Iterative" of the paper,
    except that an item moves if and only if the move raises the objective, and not to the closest
    centre (the first-variation rule). The search therefore ends for every symmetric K, positive
    semidefinite or not. Items are visited in index order. A move goes to the best cluster, and of
    equally good clusters to the one with the smallest label. No move empties a cluster, so there
    are always k clusters.

    Parameters
    ----------
    n_clusters
        Number of clusters; None means the `n_clusters` of the item set, or else that of `start`.
    n_init
        Number of random starts. The best result is returned, and of equally good ones the first.
    start
        A partition into k clusters to start from, in place of random starts.
    random_state
        Seed of the random starts.

    Examples
    --------
    >>> kernel = PairScores.from_matrix([[2, 2, 0, 0], [2, 2, 1, 0], [0, 1, 3, 2], [0, 0, 2, 3]])
    >>> KernelKMeans(n_clusters=2).solve(kernel).value
    9.0
    >>> KernelKMeans(n_clusters=2)(kernel)
    Partition([0, 0, 1, 1])
    """

    n_clusters: int | None = None
    n_init: int = 10
    start: Partition | None = None
    random_state: int = 0
    maximises = KMeans

    def __post_init__(self) -> None:
        as_whole("n_init", self.n_init, 1)
        as_whole("random_state", self.random_state)
        if self.start is not None and not isinstance(self.start, Partition):
            raise InputError(
                f"start is of type {type(self.start).__name__}; give a Partition, such as "
                "Partition(labels) for a list of labels"
            )

    def _labels(self, scores: PairScores) -> Ints:
        requested = self.n_clusters
        if requested is None and scores.n_clusters is None and self.start is not None:
            requested = self.start.n_clusters
        n_clusters = require_n_clusters(requested, scores)
        if self.start is None:
            rng = np.random.default_rng(self.random_state)
            return best_ascent(scores.to_matrix(), n_clusters, self.n_init, rng)[0]
        labels = _start_labels(self.start, n_clusters, scores.n_items)
        ascend(scores.to_matrix(), labels, n_clusters)
        return labels


def best_ascent(
    matrix: Floats, n_clusters: int, n_init: int, rng: np.random.Generator
) -> tuple[Ints, float]:
    """Return the labels and the value of the best of several ascents from random starts."""
    best_labels, best_value = np.empty(0, dtype=np.intp), -np.inf
    for _ in range(n_init):
        labels = random_labels(len(matrix), n_clusters, rng)
        value = ascend(matrix, labels, n_clusters)
        if value > best_value:
            best_labels, best_value = labels, value
    return best_labels, best_value


def random_labels(n_items: int, n_clusters: int, rng: np.random.Generator) -> Ints:
    """Label items at random, such that each cluster has at least one item."""
    labels = rng.integers(n_clusters, size=n_items, dtype=np.intp)
    labels[rng.choice(n_items, n_clusters, replace=False)] = np.arange(n_clusters)
    return labels


def _start_labels(start: Partition, n_clusters: int, n_items: int) -> Ints:
    if len(start) != n_items or start.n_clusters != n_clusters:
        raise PartitionError(
            f"start has {len(start)} items in {start.n_clusters} clusters; give a start with "
            f"{n_items} items in {n_clusters} clusters"
        )
    return start.labels.copy()
