"""Sum-Link: the online rule of Haider, Brefeld and Scheffer."""

from dataclasses import dataclass

from coterie._core.arrays import Ints
from coterie._kernels.linking.links import condensed_sum_link_labels, sort_by_item, sum_link_labels
from coterie.clusterers._base import HeuristicClusterer
from coterie.objectives import Correlation
from coterie.pairs import PairScores


@dataclass(frozen=True)
class SumLink(HeuristicClusterer):
    """Add the items in their order, each to the cluster with the highest sum of scores.

    Item i joins the cluster c with the largest Σ_{j∈c, j<i} s_ij if this sum is above 0, and starts
    a new cluster otherwise (Haider, Brefeld & Scheffer 2007; Samdani, Chang & Roth 2014,
    section 4). Each step is thus the best next step for the value of correlation clustering. An
    absent pair scores 0. Of equal sums, the cluster that starts first wins. The time is linear in
    the number of pairs.

    Examples
    --------
    >>> SumLink()(PairScores(4, [(0, 1), (0, 2), (1, 2), (2, 3)], [1.0, 2.0, -3.0, 1.0]))
    Partition([0, 0, 1, 1])
    """

    maximises = Correlation

    def _labels(self, scores: PairScores) -> Ints:
        if scores.listed is None:
            labels: Ints = condensed_sum_link_labels(scores.n_items, scores.scores)
        else:
            labels = sum_link_labels(*sort_by_item(scores.n_items, scores.listed, scores.scores))
        return labels
