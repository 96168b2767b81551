"""Best-Left-Link by a pair classifier: what latent left-linking is compared with."""

from coterie._kernels.linking.descent import Scratch, Weights, closest_link_pass
from coterie._types import Blocker, Clusterer, Featurizer
from coterie.clusterers import LeftLink
from coterie.learners.linking.link_sets import LinkSet
from coterie.learners.linking.online import STOCHASTIC, OnlineLearner
from coterie.learners.linking.sgd import SGD


class BestLeftLinkLearner(OnlineLearner):
    """Train a linear SVM on the closest right link of each item and the links in between.

    The closest item on the left that is truly with it is a positive example, all items between the
    two are negative ones; one step of SGD on the hinge loss max(0, 1 − y s) for each, in their
    order. Prediction is Max-Left-Link (Bengtson & Roth 2008; the row Bin-Left-Link of Samdani,
    Chang & Roth 2014).

    Parameters
    ----------
    lam
        Weight λ of the regulariser.
    n_passes
        How many times to go over the items.
    teach_firsts
        Whether an item that starts a cluster has all items on its left as negative examples. If
        not, as in the paper, it teaches nothing, and where many items start clusters too many are
        joined.
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
        teaches = bool(self.teach_firsts)
        lost: float = closest_link_pass(rows, labels, first, teaches, rate, lam, weights, scratch)
        return lost
