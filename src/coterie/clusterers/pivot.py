"""Random pivots: the fast first pass of correlation clustering."""

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
    """Let items in random order take all others that a positive pair links them to.

    The first item of the order that is in no cluster, the pivot, makes one with every item that is
    in none either and has a positive pair with it (Ailon, Charikar & Newman 2008). Where all pairs
    score +1 or −1, the pairs that disagree with the clusters (+1 between, −1 inside) are on average
    at most three times as many as the fewest possible. With other scores, or with absent pairs,
    nothing is promised: it looks at signs alone. Of `n_init` orders the one with the highest
    correlation value wins, the earlier among equals.

    Parameters
    ----------
    random_state
        Seed of the orders.
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
        cluster = _by_order(scores)
        found = (cluster(rng.permutation(scores.n_items)) for _ in range(self.n_init))
        if self.n_init == 1:
            return next(found)
        return max(found, key=lambda labels: Correlation().value(Partition(labels), scores))


def _by_order(scores: PairScores) -> Callable[[Ints], Ints]:
    """Return what labels the items by an order of pivots."""
    if scores.listed is None:
        return lambda order: condensed_pivots(scores.n_items, scores.scores, order)
    links = positive_neighbours(scores.n_items, scores.listed, scores.scores)
    return lambda order: listed_pivots(*links, order)
