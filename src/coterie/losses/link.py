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

    Unlike the other losses it is a count and not a percentage. For n items it is at most n for left
    links, and below 2 n for spanning forests.

    - Left links: Δ = Σ_i 1 − C(i, link of i), where C(i, j) is 1 if items i and j are truly
      together, else 0. The dummy link is correct only for the first item of each true cluster
      (Samdani, Chang & Roth 2014, section 3.3).
    - Spanning forests: Δ = n − k − Σ (+1 for an edge between items that are truly together, −1 for
      any other), where k is the number of true clusters (Yu & Joachims 2009).

    Several sets of links can give the same partition, with different losses. Called on two
    partitions, the loss is that of the set with the fewest violations. For the set of links that
    the scores choose, use `linearize` and the weights of the objective.

    Parameters
    ----------
    objective
        The objective whose links are counted: `objectives.LeftLink` or `objectives.Forest`.

    Examples
    --------
    >>> truth, predicted = Partition([0, 0, 1, 1]), Partition([0, 0, 0, 1])
    >>> LinkLoss()(truth, predicted)   # item 2 must start a cluster, item 3 must not
    2.0
    >>> LinkLoss(Forest())(truth, predicted)   # one edge is wrong (-1), one is missing
    2.0
    >>> LinkLoss(Forest()).linearize(truth, None)
    (2.0, array([-1.,  1.,  1.,  1.,  1., -1.]))
    """

    objective: LeftLink | Forest = field(default_factory=LeftLink)

    def __post_init__(self) -> None:
        if not isinstance(self.objective, LeftLink | Forest):
            raise InputError(
                f"the objective is {self.objective!r}, which has no links; give "
                "objectives.LeftLink() or objectives.Forest()"
            )

    def __call__(self, truth: Partition, predicted: Partition) -> float:
        """Return the least loss of all sets of links that connect the predicted clusters."""
        truth = as_partition(truth)
        predicted = as_partition(predicted, len(truth))
        # The pieces are the intersections of a true and a predicted cluster.
        pieces = Partition(truth.labels * predicted.n_clusters + predicted.labels)
        if isinstance(self.objective, Forest):
            # The best tree of a predicted cluster of r pieces has r − 1 wrong edges between them
            # and only correct edges inside: in total n − pieces correct edges, and
            # pieces − predicted clusters wrong ones.
            return float(2 * pieces.n_clusters - truth.n_clusters - predicted.n_clusters)
        # All items but the first of a piece can link correctly inside it. The first item of a piece
        # is correct only if it starts both its true and its predicted cluster, by the dummy link.
        correct = np.intersect1d(_first_items(truth), _first_items(predicted), assume_unique=True)
        return float(pieces.n_clusters - len(correct))

    def linearize(self, truth: Partition, pairs: Pairs | None) -> tuple[float, Floats]:
        """Return base and costs with loss = base + costs @ weights.

        Left links: the weights of an item's links sum to 1, or to 0 if it links to the dummy. The
        base counts the items that have a correct link, because the dummy is wrong for them. A
        correct link costs −1. A wrong link costs 1 if the dummy is correct, and 0 if the dummy is
        wrong too. Forests: the base is n − k, a correct edge costs −1, a wrong one 1.

        Only the given pairs can be links; None means all pairs. An item without a correct link
        among them counts as the first of its cluster, and a true cluster that they do not connect
        counts as several clusters. The truth therefore always has loss 0.
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
        linked[_later_items(truth) if pairs is None else pairs[together, 1]] = True
        wrong_costs = np.where(_by_second_item(linked, pairs), 0.0, 1.0)
        return float(np.count_nonzero(linked)), np.where(together, -1.0, wrong_costs)


def _first_items(partition: Partition) -> Ints:
    """Return the first item of each cluster."""
    return np.unique(partition.labels, return_index=True)[1]


def _later_items(partition: Partition) -> Ints:
    """Return all items but the first of each cluster."""
    return np.setdiff1d(np.arange(len(partition)), _first_items(partition), assume_unique=True)


def _by_second_item(values: Bools, pairs: Pairs | None) -> Bools:
    """Return the value of the second item of each pair."""
    if pairs is None:
        rows = [values[item + 1 :] for item in range(len(values))]
        return np.concatenate(rows) if rows else np.empty(0, dtype=np.bool_)
    second_values: Bools = values[pairs[:, 1]]
    return second_values
