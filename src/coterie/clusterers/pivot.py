"""Random pivots: a fast approximation of correlation clustering."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Ints
from coterie._kernels.correlation.pivot import condensed_pivots, listed_pivots, positive_neighbours
from coterie.clusterers._base import HeuristicClusterer
from coterie.objectives import Correlation
from coterie.pairs import PairScores
from coterie.partition import Partition


@dataclass(frozen=True)
class Pivot(HeuristicClusterer):
    """Visit the items in random order, and cluster each with all unassigned positive neighbours.

    The next item in the order that has no cluster is the pivot. It forms a cluster with all other
    unassigned items that have a positive score with it (Ailon, Charikar & Newman 2008). If all
    pairs score +1 or −1, the expected number of pairs that disagree with the clusters (+1 between,
    −1 inside) is at most three times the least possible number. With other scores or absent pairs
    there is no such guarantee, because only the signs of scores are used. Of `n_init` orders the
    one with the highest correlation value wins, or the earliest of equals.

    Parameters
    ----------
    random_state
        Seed of the random orders.
    n_init
        Number of orders to try.

    Examples
    --------
    >>> Pivot()(PairScores(4, [(0, 1), (0, 2), (1, 2), (2, 3)], [1.0, 1.0, 1.0, -1.0]))
    Partition([0, 0, 0, 1])
    """

    random_state: int = 0
    n_init: int = 1
    maximises = Correlation

    def __post_init__(self) -> None:
        as_whole("random_state", self.random_state)
        as_whole("n_init", self.n_init, 1)

    def _labels(self, scores: PairScores) -> Ints:
        rng = np.random.default_rng(self.random_state)
        label_by_order = _pivot_function(scores)
        labelings = (label_by_order(rng.permutation(scores.n_items)) for _ in range(self.n_init))
        if self.n_init == 1:
            return next(labelings)
        return max(labelings, key=lambda labels: Correlation().value(Partition(labels), scores))


def _pivot_function(scores: PairScores) -> Callable[[Ints], Ints]:
    """Return the function that labels the items for an order of visiting them."""
    if scores.listed is None:
        return lambda order: condensed_pivots(scores.n_items, scores.scores, order)
    links = positive_neighbours(scores.n_items, scores.listed, scores.scores)
    return lambda order: listed_pivots(*links, order)
