"""k-medoids: clusters around items that stand for them."""

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
    """Choose k items such that all others are as near as possible to one of them.

    Minimises Σ_i min_m d(i, m) over k medoids m, d(i, j) = max s − s_ij and d(i, i) = 0, absent
    pairs scoring 0, by FasterPAM (Schubert & Rousseeuw 2021): from random medoids, any swap of a
    medoid for another item is made as soon as it lowers the sum, candidates in index order. Each
    item belongs to its nearest medoid, the smallest index among equals, a medoid to itself.

    Parameters
    ----------
    n_clusters
        How many clusters to make; None takes the item set's number.
    n_init
        How many random starts; the least sum is kept, the first among equals.
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
    # No objective: distances to medoids are no weighted sum over pairs of a partition.

    def __post_init__(self) -> None:
        as_whole("n_init", self.n_init, 1)
        as_whole("random_state", self.random_state)

    def _labels(self, scores: PairScores) -> Ints:
        n_clusters = require_n_clusters(self.n_clusters, scores)
        distances = _distances(scores)
        rng = np.random.default_rng(self.random_state)
        best, lowest = np.empty(0, dtype=np.intp), np.inf
        for _ in range(self.n_init):
            medoids = rng.choice(scores.n_items, n_clusters, replace=False).astype(np.intp)
            loss = swap_medoids(distances, medoids)
            if loss < lowest:
                best, lowest = medoids, loss
        return _nearest(distances, np.sort(best))


def _distances(scores: PairScores) -> Floats:
    complete = len(scores.scores) == count_pairs(scores.n_items)
    highest = scores.scores.max(initial=-np.inf if complete else 0.0)
    distances = scores.to_matrix()
    np.subtract(highest, distances, out=distances)
    np.fill_diagonal(distances, 0.0)
    return distances


def _nearest(distances: Floats, medoids: Ints) -> Ints:
    labels: Ints = np.argmin(distances[:, medoids], axis=1)
    labels[medoids] = np.arange(len(medoids))
    return labels
