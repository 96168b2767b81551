"""Sum-Link: the online rule of Haider, Brefeld and Scheffer."""

from dataclasses import dataclass

from coterie._core.arrays import Ints
from coterie._kernels.linking.links import condensed_sum_link_labels, sort_by_item, sum_link_labels
from coterie.clusterers._base import HeuristicClusterer
from coterie.objectives import Correlation
from coterie.pairs import PairScores


@dataclass(frozen=True)
class SumLink(HeuristicClusterer):
    """Add each item, in their order, to the cluster whose scores with it have the highest sum.

    Item i joins the cluster c with the largest Σ_{j∈c, j<i} s_ij if that is above 0, and starts one
    otherwise (Haider, Brefeld & Scheffer 2007; Samdani, Chang & Roth 2014, section 4): what the
    item adds to the value of correlation clustering is the most that it can add in its turn. An
    absent pair scores 0. Among equal sums the cluster whose first item is the smallest wins. The
    time is linear in the pairs.

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
