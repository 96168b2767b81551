"""Repeated bisection: clusters made by splitting, one at a time."""

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
    """Split one cluster in two until there are k.

    The criterion is CLUTO's I₁ = Σ_c 1/|c| Σ_{i,j∈c} s_ij (Zhao & Karypis 2004), which is the
    k-means objective over the scores with their diagonal, absent pairs 0. All items are one cluster
    at first; then the cluster is split whose best bisection raises I₁ most, or lowers it least, the
    older one among equals (CLUTO's rb with -cstype=best). A bisection is the best of several
    ascents by moves of single items, as in `KernelKMeans` with two clusters.

    Parameters
    ----------
    n_clusters
        How many clusters to make; None takes the item set's number.
    n_init
        How many random starts each bisection has.
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
    # No objective: the splits are greedy, and the result not even a local maximum of I₁.

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
        inside = matrix if len(items) == len(matrix) else matrix[np.ix_(items, items)]
        side, value = best_ascent(inside, 2, self.n_init, rng)
        rise = value - float(inside.sum()) / len(items)
        return Bisection(items[side == side[0]], items[side != side[0]], rise)


class Bisection(NamedTuple):
    """The two sides of a cluster's best bisection, and how good that is."""

    kept: Ints
    new: Ints
    gain: float


def split_until(n_clusters: int, n_items: int, split: Callable[[Ints], Bisection]) -> Ints:
    """Label the items by splits of the cluster whose gain is the highest, the oldest of equals.

    `split` bisects two or more items.
    """
    labels = np.zeros(n_items, dtype=np.intp)
    waiting = [np.arange(n_items)]
    splits: dict[int, Bisection] = {}
    for new in range(1, n_clusters):
        for items in waiting:
            if len(items) > 1:
                splits[int(labels[items[0]])] = split(items)
        old = max(splits, key=lambda label: (splits[label].gain, -label))
        done = splits.pop(old)
        labels[done.new] = new
        waiting = [done.kept, done.new]
    return labels
