"""Repeated bisection: splitting one cluster at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Floats, Ints
from coterie.clusterers._base import HeuristicClusterer, require_n_clusters
from coterie.clusterers.kmeans import best_ascent
from coterie.pairs import PairScores

__all__ = ["RepeatedBisection"]


@dataclass(frozen=True)
class RepeatedBisection(HeuristicClusterer):
    """Split one cluster after the other in two, until there are k clusters.

    The criterion is CLUTO's I₁ = Σ_c 1/|c| Σ_{i,j∈c} s_ij (Zhao & Karypis 2004): the k-means
    objective over the scores with their diagonal, where absent pairs score 0. At first all items
    are one cluster. Each step splits the cluster whose best bisection raises I₁ most, or lowers it
    least; of equally good clusters it splits the older one (CLUTO's rb with -cstype=best). A
    bisection is the best of several ascents by moves of single items, as in `KernelKMeans` with two
    clusters.

    Parameters
    ----------
    n_clusters
        Number of clusters; None means the `n_clusters` of the item set.
    n_init
        Number of random starts of each bisection.
    random_state
        Seed of the random starts.

    Examples
    --------
    >>> kernel = PairScores.from_matrix([[2, 2, 0, 0], [2, 2, 1, 0], [0, 1, 3, 2], [0, 0, 2, 3]])
    >>> RepeatedBisection(n_clusters=2)(kernel)
    Partition([0, 0, 1, 1])
    """

    n_clusters: int | None = None
    n_init: int = 10
    random_state: int = 0
    # It has no objective, because the greedy splits do not reach even a local maximum of I₁.

    def __post_init__(self) -> None:
        as_whole("n_init", self.n_init, 1)
        as_whole("random_state", self.random_state)

    def _labels(self, scores: PairScores) -> Ints:
        n_clusters = require_n_clusters(self.n_clusters, scores)
        matrix = scores.to_matrix()
        rng = np.random.default_rng(self.random_state)
        return split_until(
            n_clusters, scores.n_items, lambda items: self._split(matrix, items, rng)
        )

    def _split(self, matrix: Floats, items: Ints, rng: np.random.Generator) -> "Bisection":
        submatrix = matrix if len(items) == len(matrix) else matrix[np.ix_(items, items)]
        side, value = best_ascent(submatrix, 2, self.n_init, rng)
        gain = value - float(submatrix.sum()) / len(items)
        return Bisection(items[side == side[0]], items[side != side[0]], gain)


class Bisection(NamedTuple):
    """The two sides of a bisected cluster, and the gain in the criterion.

    The first side keeps the label of the cluster, the other one gets a new label.
    """

    first: Ints
    second: Ints
    gain: float


def split_until(n_clusters: int, n_items: int, split: Callable[[Ints], Bisection]) -> Ints:
    """Label the items by splitting the cluster with the highest gain, until there are enough.

    Of clusters with equal gains the oldest is split. `split` bisects two or more items.
    """
    labels = np.zeros(n_items, dtype=np.intp)
    new_clusters = [np.arange(n_items)]
    candidates: dict[int, Bisection] = {}
    for new_label in range(1, n_clusters):
        for items in new_clusters:
            if len(items) > 1:
                candidates[int(labels[items[0]])] = split(items)
        best = max(candidates, key=lambda label: (candidates[label].gain, -label))
        bisection = candidates.pop(best)
        labels[bisection.second] = new_label
        new_clusters = [bisection.first, bisection.second]
    return labels
