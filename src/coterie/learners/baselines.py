"""Trivial learners, as lower limits for the results of all others."""

import numpy as np

from coterie._types import Blocker, Clusterer, Featurizer
from coterie.blocking import Window
from coterie.clusterers import Greedy, SingleLinkage
from coterie.learners.base import Examples, Learner
from coterie.similarities import ConstantSimilarity, LinearSimilarity

GREEDY = Greedy()


class Untrained(Learner):
    """Score each pair by the sum of its features, without learning any weights.

    The row None of Finley & Joachims 2008, section 6.2. Only the featurizer is fitted.

    Parameters
    ----------
    clusterer
        Partitions the items by the scores.
    featurizer
        Computes the features of pairs. None means the pair features of the item sets, or products
        of their item vectors, without a constant.
    blocker
        Chooses the candidate pairs; None means all pairs.

    Attributes
    ----------
    similarity_
        The sum of the features.

    Examples
    --------
    >>> learner = Untrained().fit([[[1.0, 0.0], [2.0, 1.0]]], [[0, 0]])
    >>> learner.predict([[[1.0, 1.0], [2.0, 1.0], [-1.0, -3.0]]])
    [Partition([0, 0, 1])]
    """

    _prediction_params = ("clusterer",)
    _adds_constant = False

    def __init__(
        self,
        clusterer: Clusterer = GREEDY,
        featurizer: Featurizer | None = None,
        blocker: Blocker | None = None,
    ) -> None:
        self.clusterer = clusterer
        self.featurizer = featurizer
        self.blocker = blocker

    def _fit(self, examples: Examples) -> None:
        featurizer = self._featurizer.fit(examples.item_sets)
        self.similarity_ = LinearSimilarity(featurizer, np.ones(len(featurizer.names)))

    @property
    def _predictor(self) -> Clusterer:
        return self.clusterer


class _Constant(Learner):
    """A learner that gives all pairs the same score, without computing any features."""

    _score: float

    def _fit(self, examples: Examples) -> None:  # noqa: ARG002
        self.similarity_ = ConstantSimilarity(self._score)

    @property
    def _blocker(self) -> Blocker:
        return Window(1)  # since scores are equal, pairs of neighbouring items are enough


class Coarse(_Constant):
    """Put all items of an item set into one cluster.

    The row Default of Finley & Joachims 2005, Table 1, for the MITRE loss.

    Examples
    --------
    >>> Coarse().fit([["a", "b"]], [[0, 1]]).predict([["c", "d", "e"]])
    [Partition([0, 0, 0])]
    """

    _score = 1.0

    @property
    def _predictor(self) -> Clusterer:
        return SingleLinkage(n_clusters=1)


class Fine(_Constant):
    """Put every item into a cluster of its own.

    The row Default of Finley & Joachims 2005, Table 1, for the pair loss.

    Examples
    --------
    >>> Fine().fit([["a", "b"]], [[0, 0]]).predict([["c", "d", "e"]])
    [Partition([0, 1, 2])]
    """

    _score = -1.0

    @property
    def _predictor(self) -> Clusterer:
        # With a threshold, the clusterer ignores the number of clusters of an item set.
        return SingleLinkage(threshold=0.0)
