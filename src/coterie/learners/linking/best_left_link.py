"""Best-Left-Link by a pair classifier, a baseline for latent left-linking."""

from coterie._kernels.linking.descent import Scratch, Weights, closest_link_pass
from coterie._types import Blocker, Clusterer, Featurizer
from coterie.clusterers import LeftLink
from coterie.learners.linking.link_sets import LinkSet
from coterie.learners.linking.online import STOCHASTIC, OnlineLearner
from coterie.learners.linking.sgd import SGD


class BestLeftLinkLearner(OnlineLearner):
    """Train a linear SVM on each item's closest correct link and the wrong links after it.

    For each item, the link to the closest earlier item of its cluster is a positive example, and
    the links to all items between the two are negative examples. Each example, in order, is one
    step of SGD on the hinge loss max(0, 1 − y s). Prediction is Max-Left-Link (Bengtson & Roth
    2008; the row Bin-Left-Link of Samdani, Chang & Roth 2014).

    Parameters
    ----------
    lam
        Weight λ of the regulariser.
    n_passes
        The number of passes over the items.
    teach_firsts
        Whether the links from an item that starts a cluster to all earlier items are negative
        examples. If not, as in the paper, nothing is learned from such items, and where many items
        start clusters, prediction joins too many of them.
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
    >>> learner = BestLeftLinkLearner(teach_firsts=True).fit(sets, [[0, 0, 1], [0, 1, 1, 1]])
    >>> learner.predict([[[1.0], [-2.0], [-2.5], [1.5]]])
    [Partition([0, 1, 1, 0])]
    """

    def __init__(
        self,
        lam: float = 1e-4,
        n_passes: int = 5,
        teach_firsts: bool = False,
        solver: SGD = STOCHASTIC,
        featurizer: Featurizer | None = None,
        blocker: Blocker | None = None,
        random_state: int = 0,
    ) -> None:
        super().__init__(lam, n_passes, solver, featurizer, blocker, random_state)
        self.teach_firsts = teach_firsts

    @property
    def _clusterer(self) -> Clusterer:
        return LeftLink(gamma=0.0)

    def _descend(
        self, link_set: LinkSet, first: int, rate: float, weights: Weights, scratch: Scratch
    ) -> float:
        rows, labels, lam = link_set.rows, link_set.labels, float(self.lam)
        teach_firsts = bool(self.teach_firsts)
        loss: float = closest_link_pass(
            rows, labels, first, teach_firsts, rate, lam, weights, scratch
        )
        return loss
