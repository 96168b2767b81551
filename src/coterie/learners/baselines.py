"""Learners that learn nothing: what every other one should do better than."""

import numpy as np

from coterie._types import Blocker, Clusterer, Featurizer
from coterie.blocking import Window
from coterie.clusterers import Greedy, SingleLinkage
from coterie.learners.base import Examples, Learner
from coterie.similarities import ConstantSimilarity, LinearSimilarity

GREEDY = Greedy()


class Untrained(Learner):
    """Cluster by the plain sum of the features of a pair: all weights are equal.

    The row None of Finley & Joachims 2008, section 6.2. Only the featurizer is fitted.

    Parameters
    ----------
    clusterer
        Partitions the items by the scores.
    featurizer
        Computes the features of pairs. None takes those of the item sets (of pairs, or products of
        item vectors), without a constant.
    blocker
        Says which pairs are looked at; None stands for all.

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
    """A learner that looks at no features, and at one pair an item."""

    _score: float

    def _fit(self, examples: Examples) -> None:  # noqa: ARG002
        self.similarity_ = ConstantSimilarity(self._score)

    @property
    def _blocker(self) -> Blocker:
        return Window(1)


class Coarse(_Constant):
    """Put all items into one cluster, whatever they are.

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
    """Put every item into a cluster of its own, whatever they are.

    The row Default of Finley & Joachims 2005, Table 1, for the pair loss.

    Examples
    --------
    >>> Fine().fit([["a", "b"]], [[0, 0]]).predict([["c", "d", "e"]])
    [Partition([0, 1, 2])]
    """

    _score = -1.0

    @property
    def _predictor(self) -> Clusterer:
        # A threshold of its own goes before the number of clusters of an item set.
        return SingleLinkage(threshold=0.0)
