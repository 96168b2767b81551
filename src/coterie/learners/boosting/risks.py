"""Objectives of boosting: functions of the scores of all pairs, with their derivatives."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from coterie import objectives
from coterie._core.arguments import as_real
from coterie._core.arrays import Floats, read_only
from coterie._core.values import Value
from coterie._kernels.trees.boosting import left_link_descent
from coterie._types import Clusterer
from coterie.clusterers import Greedy, LeftLink
from coterie.exceptions import InputError
from coterie.learners.boosting.pair_sets import PairSets

__all__ = ["CorrelationRisk", "LeftLinkRisk", "LogisticRisk"]


MIN_GAMMA = 1e-12
"""Smallest temperature other than 0: dividing by a smaller one would overflow."""

MIN_CURVATURE = 1e-12
"""Smallest curvature of the logistic loss, so that Newton steps never divide by 0."""


class RiskDerivatives(NamedTuple):
    """The value of a risk, its gradient by the scores, and an upper bound on its curvature.

    The curvature of a pair is the second derivative by its score.
    """

    value: float
    gradient: Floats
    curvature: Floats


class Risk(Value, ABC):
    """A function of the scores of pairs that boosting minimises."""

    @property
    @abstractmethod
    def clusterer(self) -> Clusterer:
        """The clusterer that predicts from scores that were learned by this risk."""

    @abstractmethod
    def first_score(self, pairs: PairSets) -> float:
        """Return the score of every pair before the first tree."""

    @abstractmethod
    def descend(self, pairs: PairSets, scores: Floats) -> RiskDerivatives:
        """Return the value and the derivatives of the risk at some scores."""


@dataclass(frozen=True)
class LeftLinkRisk(Risk):
    """The loss of latent left-linking by the scores (Samdani, Chang & Roth 2014, eq. 7).

    Σ_i [γ log Σ_j exp((F_ij + δ_ij)/γ) − γ log Σ_j′ exp(F_ij′/γ)], where j runs over the links of
    item i to the items on its left and to the dummy of score 0, and j′ over the correct ones among
    these links. The margin δ is 1 for wrong links and 0 for correct ones. Let p be the probability
    of a link among all links, and p′ its probability among the correct links (0 if it is wrong).
    Then the gradient is p − p′, and the curvature is at most (p(1 − p) + p′(1 − p′))/γ. In the
    limit γ = 0, the gradient is a subgradient, and the curvature is `floor`.

    Parameters
    ----------
    gamma
        Temperature γ, of training and of prediction.
    floor
        Lower bound on the curvature, which is almost 0 for the many pairs that never compete.
    start
        Score of every pair before the first tree.

    Examples
    --------
    >>> LeftLinkRisk(gamma=0.3).clusterer
    LeftLink(gamma=0.3)
    """

    gamma: float = 0.5
    floor: float = 0.02
    start: float = -1.0

    def __post_init__(self) -> None:
        if 0 < as_real("gamma", self.gamma) < MIN_GAMMA:
            raise InputError(f"gamma is {self.gamma:g}; use 0, or at least {MIN_GAMMA:g}")
        _refuse_zero_floor(self.floor)
        as_real("start", self.start, low=-inf)

    @property
    def clusterer(self) -> Clusterer:
        """Left-linking with the same γ."""
        return LeftLink(self.gamma)

    def first_score(self, pairs: PairSets) -> float:  # noqa: ARG002
        """Return `start`."""
        return self.start

    def descend(self, pairs: PairSets, scores: Floats) -> RiskDerivatives:
        """Return the value and the derivatives of the risk at some scores."""
        gradient, curvature = np.empty(len(scores)), np.empty(len(scores))
        links, gamma, floor = read_only(scores), float(self.gamma), float(self.floor)
        value = left_link_descent(
            pairs.starts, pairs.lefts, links, pairs.labels, gamma, floor, gradient, curvature
        )
        return RiskDerivatives(value, gradient, curvature)


@dataclass(frozen=True)
class LogisticRisk(Risk):
    """The logistic loss of pairs, as if they were independent: the baseline.

    Σ log(1 + exp(F)) − F [together]; its gradient is σ(F) − [together], its curvature
    σ(F)(1 − σ(F)).

    Examples
    --------
    >>> LogisticRisk().clusterer
    Greedy()
    """

    @property
    def clusterer(self) -> Clusterer:
        """Greedy correlation clustering."""
        return Greedy()

    def first_score(self, pairs: PairSets) -> float:
        """Return the log-odds that a pair is together, with half a pair added to each class."""
        n_together = np.count_nonzero(pairs.together)
        return float(np.log((n_together + 0.5) / (len(pairs) - n_together + 0.5)))

    def descend(self, pairs: PairSets, scores: Floats) -> RiskDerivatives:
        """Return the value and the derivatives of the loss at some scores."""
        probabilities = expit(scores)
        value = np.logaddexp(0.0, scores).sum() - scores[pairs.together].sum()
        gradient = probabilities - pairs.together
        curvature = np.maximum(probabilities * (1 - probabilities), MIN_CURVATURE)
        return RiskDerivatives(float(value), gradient, curvature)


GREEDY = Greedy()
LOGISTIC = LogisticRisk()


@dataclass(frozen=True)
class CorrelationRisk(Risk):
    """The structured hinge loss of correlation clustering, mixed with the logistic loss of pairs.

    The hinge loss of an item set is the maximum of Σ F w(C) + margin · (wrong pairs of C) over
    partitions C, minus Σ F w(truth) (Finley & Joachims 2005, with the scores F in place of w·φ).
    The clusterer searches for the maximum, and may find only a local one. The gradient is
    w(worst) − w(truth): −1, 0 or 1. The hinge loss is piecewise linear and has no curvature, so the
    curvature is that of the logistic loss. The logistic loss also separates pairs that are the same
    in the worst partition and in the truth.

    The clusterer breaks ties by the indices of the items, so that the learned trees depend a little
    on the order of the items in the training sets. The predictions do not depend on the order of
    the items.

    Parameters
    ----------
    share
        The share of the logistic loss, from 0 to 1.
    margin
        The amount that each wrong pair adds to the value of a partition.
    clusterer
        Searches for the worst partition, and predicts; it must maximise correlation.
    floor
        Lower bound on the curvature.
    start
        Score of every pair before the first tree.

    Examples
    --------
    >>> CorrelationRisk(share=0.25)
    CorrelationRisk(share=0.25, margin=1.0, clusterer=Greedy(), floor=0.1, start=-1.0)
    """

    share: float = 0.5
    margin: float = 1.0
    clusterer: Clusterer = GREEDY
    floor: float = 0.1
    start: float = -1.0

    def __post_init__(self) -> None:
        as_real("share", self.share, high=1.0)
        as_real("margin", self.margin)
        _refuse_zero_floor(self.floor)
        as_real("start", self.start, low=-inf)
        if not isinstance(getattr(self.clusterer, "objective", None), objectives.Correlation):
            raise InputError(
                f"the clusterer is {self.clusterer!r}; give a clusterer for "
                "correlation clustering, such as Greedy()"
            )

    def first_score(self, pairs: PairSets) -> float:  # noqa: ARG002
        """Return `start`."""
        return self.start

    def descend(self, pairs: PairSets, scores: Floats) -> RiskDerivatives:
        """Return the value and the derivatives of the mixed loss at some scores."""
        logistic = LOGISTIC.descend(pairs, scores)
        margins = np.where(pairs.together, -self.margin, self.margin)
        worst = self._worst_weights(pairs, scores + margins)
        errors = worst - pairs.together  # 1: wrongly together, −1: wrongly apart
        hinge = scores @ errors + self.margin * np.count_nonzero(errors)
        value = (1 - self.share) * hinge + self.share * logistic.value
        gradient = (1 - self.share) * errors + self.share * logistic.gradient
        curvature = np.maximum(logistic.curvature, self.floor)
        return RiskDerivatives(float(value), gradient, curvature)

    def _worst_weights(self, pairs: PairSets, augmented: Floats) -> Floats:
        """Return the weights of pairs in the worst partitions: 1 if together, else 0."""
        weights = np.empty(len(augmented))
        for pair_set in pairs.sets:
            worst = self.clusterer(pair_set.pair_scores(augmented[pair_set.rows]))
            weights[pair_set.rows] = pair_set.is_together(worst)
        return weights


def _refuse_zero_floor(floor: float) -> None:
    if not as_real("floor", floor):
        raise InputError("floor is 0; use a number above 0, because steps are divided by it")
