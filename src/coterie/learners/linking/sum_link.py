"""Sum-Link: learn to add each item to the cluster of the highest sum of scores."""

from coterie._kernels.linking.descent import Scratch, Weights, sum_link_pass
from coterie._types import Clusterer
from coterie.clusterers import SumLink
from coterie.learners.linking.link_sets import LinkSet
from coterie.learners.linking.online import OnlineLearner


class SumLinkLearner(OnlineLearner):
    """Learn pair weights for Sum-Link, one item after the other.

    Descends on λ/2 ‖w‖² + the mean over items of max_c (s_c + [c ≠ c*]) − s_c*, where c is a true
    cluster of the items before, s_c the sum of the item's scores with them, or a new cluster of
    score 0, and c* the right one (Haider, Brefeld & Scheffer 2007; Samdani, Chang & Roth 2014,
    section 4, which leave the loss open).

    Parameters
    ----------
    lam
        Weight λ of the regulariser.
    n_passes
        How many times to go over the items.
    solver
        The step sizes.
    featurizer
        Computes the features of pairs. None takes those of the item sets (of pairs, or products of
        item vectors), and a constant.
    blocker
        Says which pairs are looked at; None stands for all.
    random_state
        Seed of the first weights, where the solver draws them.

    Attributes
    ----------
    similarity_, coef_
        The learned similarity of pairs, and its weights.
    history_
        One `PassStep` a pass: its objective and its time.

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
        lost: float = sum_link_pass(
            link_set.rows, link_set.labels, first, rate, float(self.lam), weights, scratch
        )
        return lost
