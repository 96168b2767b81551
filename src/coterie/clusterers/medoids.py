"""k-medoids: clusters around items that represent them."""

from dataclasses import dataclass

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Floats, Ints
from coterie._kernels.kmeans.medoids import swap_medoids
from coterie.clusterers._base import HeuristicClusterer, require_n_clusters
from coterie.pairs import PairScores, count_pairs

__all__ = ["KMedoids"]


@dataclass(frozen=True)
class KMedoids(HeuristicClusterer):
    """Choose k items, the medoids, such that all others are as near as possible to one of them.

    It minimises Σ_i min_m d(i, m) over k medoids m, where d(i, j) = max s − s_ij, d(i, i) = 0, and
    absent pairs score 0. The algorithm is FasterPAM (Schubert & Rousseeuw 2021): starting from
    random medoids, it swaps a medoid for another item as soon as the swap lowers the sum, and tries
    items in index order. Each item belongs to its nearest medoid, and of equally near medoids to
    the one with the smallest index. A medoid belongs to its own cluster.

    Parameters
    ----------
    n_clusters
        Number of clusters; None means the `n_clusters` of the item set.
    n_init
        Number of random starts. The result with the least sum is returned, or the first of equals.
    random_state
        Seed of the random starts.

    Examples
    --------
    >>> scores = PairScores.from_matrix([[0, 3, 0, 0], [3, 0, 1, 0], [0, 1, 0, 2], [0, 0, 2, 0]])
    >>> KMedoids(n_clusters=2)(scores)
    Partition([0, 0, 1, 1])
    """

    n_clusters: int | None = None
    n_init: int = 10
    random_state: int = 0
    # It has no objective, because the sum of distances to medoids is not a weighted sum over pairs.

    def __post_init__(self) -> None:
        as_whole("n_init", self.n_init, 1)
        as_whole("random_state", self.random_state)

    def _labels(self, scores: PairScores) -> Ints:
        n_clusters = require_n_clusters(self.n_clusters, scores)
        distances = _distances(scores)
        rng = np.random.default_rng(self.random_state)
        best_medoids, lowest = np.empty(0, dtype=np.intp), np.inf
        for _ in range(self.n_init):
            medoids = rng.choice(scores.n_items, n_clusters, replace=False).astype(np.intp)
            loss = swap_medoids(distances, medoids)
            if loss < lowest:
                best_medoids, lowest = medoids, loss
        return _nearest(distances, np.sort(best_medoids))


LARGE = 2.0**900
"""Sums of distances from this number on might overflow."""


def _distances(scores: PairScores) -> Floats:
    complete = len(scores.scores) == count_pairs(scores.n_items)
    highest = scores.scores.max(initial=-np.inf if complete else 0.0)
    distances = scores.to_matrix()
    if np.abs(distances).max(initial=0.0) > LARGE:
        # Only comparisons of distances count, and a power of 2 rounds nothing.
        distances, highest = np.ldexp(distances, -100), np.ldexp(highest, -100)
    np.subtract(highest, distances, out=distances)
    np.fill_diagonal(distances, 0.0)
    return distances


def _nearest(distances: Floats, medoids: Ints) -> Ints:
    labels: Ints = np.argmin(distances[:, medoids], axis=1)
    labels[medoids] = np.arange(len(medoids))
    return labels
