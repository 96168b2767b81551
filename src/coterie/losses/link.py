"""Losses of link structures: left-linking trees and spanning forests."""

from dataclasses import dataclass, field

import numpy as np

from coterie._core.arrays import Bools, Floats, Ints, Pairs
from coterie.exceptions import InputError
from coterie.objectives import Forest, LeftLink
from coterie.pairs import as_pairs
from coterie.partition import Partition, as_partition


@dataclass(frozen=True)
class LinkLoss:
    """Count the links that violate the truth.

    Unlike the other losses it is a count, not a percentage: of n items it is at most n for left
    links, and below 2 n for forests.

    - Left links: Δ = Σ_i 1 − C(i, link of i), where C(i, j) is 1 if items i and j are truly
      together, and the dummy is right for the first item of each true cluster only (Samdani, Chang
      & Roth 2014, section 3.3).
    - Spanning forests: Δ = n − k − Σ (+1 for an edge between items that are truly together, −1 for
      any other), where the n items truly have k clusters (Yu & Joachims 2009).

    It is a loss of links, of which one partition may have many sets. For the set that the scores
    choose, take `linearize` with the weights of the objective. Called on two partitions it takes
    the least violating set of links that connects the predicted clusters.

    Parameters
    ----------
    objective
        The objective whose links are counted: `objectives.LeftLink` or `objectives.Forest`.

    Examples
    --------
    >>> truth, predicted = Partition([0, 0, 1, 1]), Partition([0, 0, 0, 1])
    >>> LinkLoss()(truth, predicted)   # item 2 should start a cluster, item 3 should not
    2.0
    >>> LinkLoss(Forest())(truth, predicted)   # one edge wrong (-1) where one is missing
    2.0
    >>> LinkLoss(Forest()).linearize(truth, None)
    (2.0, array([-1.,  1.,  1.,  1.,  1., -1.]))
    """

    objective: LeftLink | Forest = field(default_factory=LeftLink)

    def __post_init__(self) -> None:
        if not isinstance(self.objective, LeftLink | Forest):
            raise InputError(
                f"the objective is {self.objective!r}, which has no links; give "
                "objectives.LeftLink or objectives.Forest"
            )

    def __call__(self, truth: Partition, predicted: Partition) -> float:
        """Return the least loss of any links whose clusters are the predicted ones."""
        truth = as_partition(truth)
        predicted = as_partition(predicted, len(truth))
        shared = Partition(truth.labels * predicted.n_clusters + predicted.labels)
        if isinstance(self.objective, Forest):
            # A predicted cluster in r pieces of true ones needs r − 1 wrong edges between them, and
            # has right ones inside: in total n − pieces right, and pieces − clusters wrong.
            return float(2 * shared.n_clusters - truth.n_clusters - predicted.n_clusters)
        # The first item of a piece has no right link inside its cluster, all others have; it is
        # right only where it starts a cluster in both, with the dummy.
        right = np.intersect1d(_firsts(truth), _firsts(predicted), assume_unique=True)
        return float(shared.n_clusters - len(right))

    def linearize(self, truth: Partition, pairs: Pairs | None) -> tuple[float, Floats]:
        """Return base and costs with loss = base + costs @ weights.

        Left links: the weights of an item's links add up to 1, or to 0 if it links to the dummy. So
        base counts the items that have a right link, for which the dummy is wrong; a right link
        takes that back (−1), a wrong one costs 1 where the dummy is right, and 0 where both are
        wrong. Forests: base is n − k, a right edge costs −1, a wrong one 1.

        Only listed pairs (None: all) can be links. An item none of whose right links is listed
        counts as the first of its cluster, and a true cluster that they leave in pieces as several:
        so the truth itself always loses 0.
        """
        truth = as_partition(truth)
        pairs = as_pairs(pairs, len(truth))
        together = truth.together(pairs)
        if isinstance(self.objective, Forest):
            connected = (
                truth if pairs is None else Partition.from_links(pairs[together], len(truth))
            )
            return float(len(truth) - connected.n_clusters), np.where(together, -1.0, 1.0)
        linked = np.zeros(len(truth), dtype=np.bool_)
        linked[_non_firsts(truth) if pairs is None else pairs[together, 1]] = True
        wrong = np.where(_of_later(linked, pairs), 0.0, 1.0)
        return float(np.count_nonzero(linked)), np.where(together, -1.0, wrong)


def _firsts(partition: Partition) -> Ints:
    """Return the first item of each cluster."""
    return np.unique(partition.labels, return_index=True)[1]


def _non_firsts(partition: Partition) -> Ints:
    return np.setdiff1d(np.arange(len(partition)), _firsts(partition), assume_unique=True)


def _of_later(values: Bools, pairs: Pairs | None) -> Bools:
    """Return the value of the later item of each pair."""
    if pairs is None:
        rows = [values[item + 1 :] for item in range(len(values))]
        return np.concatenate(rows) if rows else np.empty(0, dtype=np.bool_)
    later: Bools = values[pairs[:, 1]]
    return later
