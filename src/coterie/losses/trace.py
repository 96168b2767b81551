"""The trace loss of supervised k-means."""

from dataclasses import dataclass

import numpy as np

from coterie._core.arrays import Floats, Pairs
from coterie.metrics import trace_loss
from coterie.objectives import KMeans
from coterie.pairs import PairScores, as_pairs, count_pairs
from coterie.partition import Partition, as_partition


@dataclass(frozen=True)
class TraceLoss:
    """Measure how little two partitions overlap, cluster by cluster: 0 to 100.

    Δ = 100 (1 − 1/k trace(Yᵀ Z Zᵀ Y)) = 100 (1 − 1/k Σ |c ∩ ĉ|² / (|c| |ĉ|)), where Y and Z have
    |c|^-½ for the items of each cluster c of the truth, of which there are k, and of the prediction
    (Finley & Joachims 2008, eq. 16 to 18).

    Examples
    --------
    >>> truth = Partition([0, 0, 1, 1])
    >>> TraceLoss()(truth, Partition([0, 0, 0, 0]))
    50.0
    >>> base, costs = TraceLoss().linearize(truth, None)
    >>> base, costs.tolist()
    (0.0, [0.0, 25.0, 25.0, 25.0, 25.0, 0.0])
    """

    @property
    def objective(self) -> KMeans:
        """Return the objective in whose weights the loss is linear."""
        return KMeans()

    def __call__(self, truth: Partition, predicted: Partition) -> float:
        """Return the loss of a predicted partition."""
        return trace_loss(truth, predicted)

    def linearize(self, truth: Partition, pairs: Pairs | None) -> tuple[float, Floats]:
        """Return base and costs with loss = base + costs @ weights, for partitions.

        The diagonal is folded into the pairs: in a partition an item's weight with itself is
        z_ii = 1 − ½ Σ_j w_ij, so base is 0 and the costs are (100/k) (½ (Y_ii + Y_jj) − Y_ij), Y
        standing for YYᵀ: 0 for pairs that are truly together. For relaxed matrices, whose diagonal
        is their own, use `linearize_relaxed`.
        """
        truth = as_partition(truth)
        pairs = as_pairs(pairs, len(truth))
        shares = 1.0 / truth.sizes[truth.labels]
        between = 0.5 * _sums(shares, pairs)
        costs = np.where(truth.together(pairs), 0.0, _percent(truth) * between)
        return 0.0, costs

    def linearize_relaxed(
        self, truth: Partition, pairs: Pairs | None
    ) -> tuple[float, Floats, Floats]:
        """Return base, costs and diagonal: loss = base + costs @ weights + diagonal @ self_weights.

        It holds for partitions and relaxed matrices ZZᵀ alike: the separation oracle of the paper
        with K − (100/k) YYᵀ, the diagonal of YYᵀ included. Of a set with absent pairs it counts
        the listed ones alone, and so too high a loss.
        """
        truth = as_partition(truth)
        pairs = as_pairs(pairs, len(truth))
        known = PairScores(len(truth), pairs, np.zeros(count_pairs(len(truth), pairs)))
        # The weights of the truth are 2 Y_ij, and those of the prediction 2 Z_ij.
        costs = -0.5 * _percent(truth) * KMeans().weights(truth, known)
        diagonal = -_percent(truth) * KMeans().self_weights(truth, known)
        return 100.0 if len(truth) else 0.0, costs, diagonal


def _percent(truth: Partition) -> float:
    return 100.0 / max(truth.n_clusters, 1)


def _sums(values: Floats, pairs: Pairs | None) -> Floats:
    """Add up the values of the two items of each pair."""
    if pairs is None:
        rows = [values[item] + values[item + 1 :] for item in range(len(values))]
        return np.concatenate(rows) if rows else np.empty(0)
    sums: Floats = values[pairs[:, 0]] + values[pairs[:, 1]]
    return sums
