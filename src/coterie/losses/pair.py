"""The pairwise loss of Finley and Joachims."""

from dataclasses import dataclass

import numpy as np

from coterie._core.arrays import Floats, Pairs
from coterie.metrics import pair_loss
from coterie.objectives import Correlation
from coterie.pairs import as_pairs
from coterie.partition import Partition, as_partition


@dataclass(frozen=True)
class PairLoss:
    """Return the percentage of pairs on which two partitions disagree, from 0 to 100.

    Δ_P = 100 W / T, where W of all T pairs are together in one partition but not in the other
    (Finley & Joachims 2005, section 6).

    Examples
    --------
    >>> truth = Partition([0, 0, 1, 1])
    >>> PairLoss()(truth, Partition([0, 0, 0, 1]))
    50.0
    >>> base, costs = PairLoss().linearize(truth, [(0, 1), (1, 2)])
    >>> base, costs.tolist()
    (50.0, [-50.0, 50.0])
    """

    @property
    def objective(self) -> Correlation:
        """The objective whose weights the loss is linear in."""
        return Correlation()

    def __call__(self, truth: Partition, predicted: Partition) -> float:
        """Return the loss of a predicted partition, from 0 to 100, over all pairs."""
        return pair_loss(truth, predicted)

    def linearize(self, truth: Partition, pairs: Pairs | None) -> tuple[float, Floats]:
        """Return base and costs with loss = base + costs @ weights, over the given pairs.

        For weights e from 0 to 1, including relaxed ones, the loss is 100/T Σ |e_ij − y_ij| over
        the T given pairs, where y_ij is 1 for pairs that are truly together, else 0. None means all
        pairs.
        """
        truth = as_partition(truth)
        together = truth.together(as_pairs(pairs, len(truth)))
        share = 100.0 / max(len(together), 1)
        return float(share * np.count_nonzero(together)), np.where(together, -share, share)
