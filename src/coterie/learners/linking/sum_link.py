"""Sum-Link, which adds each item to the cluster with the highest sum of scores."""

from coterie._kernels.linking.descent import Scratch, Weights, sum_link_pass
from coterie._types import Clusterer
from coterie.clusterers import SumLink
from coterie.learners.linking.link_sets import LinkSet
from coterie.learners.linking.online import OnlineLearner


class SumLinkLearner(OnlineLearner):
    """Learn feature weights for Sum-Link, from one item after the other.

    Minimises λ/2 ‖w‖² + the mean over items of max_c (s_c + [c ≠ c*]) − s_c*. Here c is a true
    cluster of earlier items or a new cluster, s_c is the sum of the item's scores with the items of
    c, or 0 for a new cluster, and c* is the correct choice (Haider, Brefeld & Scheffer 2007;
    Samdani, Chang & Roth 2014, section 4, which leave the loss open).

    Parameters
    ----------
    lam
        Weight λ of the regulariser.
    n_passes
        The number of passes over the items.
    solver
        The solver, which sets the step sizes.
    featurizer
        Computes the features of pairs. None means the pair features of the item sets, or products
        of their item vectors, and a constant.
    blocker
        Chooses the candidate pairs; None means all pairs.
    random_state
        The seed of the initial weights, if the solver draws them at random.

    Attributes
    ----------
    similarity_, coef_
        The learned similarity of pairs, and its weights.
    history_
        One `PassStep` per pass, with its objective and its time.

    Examples
    --------
    >>> sets = [[[-2.0], [-3.0], [2.5]], [[-1.0], [1.0], [2.0], [3.0]]]
    >>> learner = SumLinkLearner().fit(sets, [[0, 0, 1], [0, 1, 1, 1]])
    >>> learner.predict([[[1.0], [-2.0], [-2.5], [1.5]]])
    [Partition([0, 1, 1, 0])]
    """

    @property
    def _clusterer(self) -> Clusterer:
        return SumLink()

    def _descend(
        self, link_set: LinkSet, first: int, rate: float, weights: Weights, scratch: Scratch
    ) -> float:
        loss: float = sum_link_pass(
            link_set.rows, link_set.labels, first, rate, float(self.lam), weights, scratch
        )
        return loss
