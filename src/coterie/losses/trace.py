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
    """Measure how little the clusters of two partitions overlap, from 0 to 100.

    Δ = 100 (1 − 1/k trace(Yᵀ Z Zᵀ Y)) = 100 (1 − 1/k Σ |c ∩ ĉ|² / (|c| |ĉ|)), where c runs over the
    k true clusters and ĉ over the predicted ones. Y has one column per true cluster c, with |c|^-½
    for its items and 0 elsewhere, and Z likewise for the predicted clusters (Finley & Joachims
    2008, eq. 16 to 18).

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
        """The objective whose weights the loss is linear in."""
        return KMeans()

    def __call__(self, truth: Partition, predicted: Partition) -> float:
        """Return the loss of a predicted partition, from 0 to 100."""
        return trace_loss(truth, predicted)

    def linearize(self, truth: Partition, pairs: Pairs | None) -> tuple[float, Floats]:
        """Return base and costs with loss = base + costs @ weights, for partitions.

        In a partition, the weight of an item with itself is z_ii = 1 − ½ Σ_j w_ij, so the diagonal
        can be replaced by the pairs. With M = YYᵀ, the base is 0 and the cost of a pair is
        (100/k) (½ (M_ii + M_jj) − M_ij), which is 0 for pairs that are truly together. The diagonal
        of a relaxed matrix does not follow from its pairs: use `linearize_relaxed` for those.
        """
        truth = as_partition(truth)
        pairs = as_pairs(pairs, len(truth))
        diagonal = 1.0 / truth.sizes[truth.labels]
        costs_between = _percent(truth) * 0.5 * _pair_sums(diagonal, pairs)
        return 0.0, np.where(truth.together(pairs), 0.0, costs_between)

    def linearize_relaxed(
        self, truth: Partition, pairs: Pairs | None
    ) -> tuple[float, Floats, Floats]:
        """Return base, costs and diagonal: loss = base + costs @ weights + diagonal @ self_weights.

        This holds for partitions and for relaxed matrices ZZᵀ: it is the separation oracle of the
        paper with K − (100/k) YYᵀ, including the diagonal of YYᵀ. If pairs are absent, only the
        given ones count, which makes the loss too high.
        """
        truth = as_partition(truth)
        pairs = as_pairs(pairs, len(truth))
        zeros = PairScores(len(truth), pairs, np.zeros(count_pairs(len(truth), pairs)))
        # The pair weights of the truth are 2 (YYᵀ)_ij, those of the prediction 2 (ZZᵀ)_ij.
        costs = -0.5 * _percent(truth) * KMeans().weights(truth, zeros)
        diagonal = -_percent(truth) * KMeans().self_weights(truth, zeros)
        return 100.0 if len(truth) else 0.0, costs, diagonal


def _percent(truth: Partition) -> float:
    return 100.0 / max(truth.n_clusters, 1)


def _pair_sums(values: Floats, pairs: Pairs | None) -> Floats:
    """Return the sum of the values of the two items of each pair."""
    if pairs is None:
        rows = [values[item] + values[item + 1 :] for item in range(len(values))]
        return np.concatenate(rows) if rows else np.empty(0)
    sums: Floats = values[pairs[:, 0]] + values[pairs[:, 1]]
    return sums
