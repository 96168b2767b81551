"""What boosting lowers: functions of the scores of all pairs, with their slopes and bends."""

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


LEAST_GAMMA = 1e-12
"""The least temperature but 0: below, quotients by it leave the range of numbers."""


class RiskDerivatives(NamedTuple):
    """The value of a risk, its derivative by each score, and what bounds the second one."""

    value: float
    slopes: Floats
    bends: Floats


class Risk(Value, ABC):
    """A function of the scores of pairs that boosting lowers."""

    @property
    @abstractmethod
    def clusterer(self) -> Clusterer:
        """What predicts from scores that were learned by this risk."""

    @abstractmethod
    def first_score(self, pairs: PairSets) -> float:
        """Return what every pair scores before the first tree."""

    @abstractmethod
    def descend(self, pairs: PairSets, scores: Floats) -> RiskDerivatives:
        """Value the scores of all pairs, and say how each should move."""


@dataclass(frozen=True)
class LeftLinkRisk(Risk):
    """What latent left-linking loses by the scores (Samdani, Chang & Roth 2014, eq. 7).

    Σ_i γ log Σ_j exp((F_ij + δ_ij)/γ) over the links of item i to the items on its left and to the
    dummy of score 0, less the same over its right links without δ, which is 1 for wrong links. The
    slope of a score is p − p′, the probability of the link among all less that among the right
    ones; (p(1 − p) + p′(1 − p′))/γ is not below the second derivative. γ = 0 is the limit, with a
    sub-gradient and without bends.

    Parameters
    ----------
    gamma
        Temperature γ, of training and of prediction.
    floor
        The least bend: most pairs never compete, and have next to none.
    start
        What every pair scores before the first tree.

    Examples
    --------
    >>> LeftLinkRisk(gamma=0.3).clusterer
    LeftLink(gamma=0.3)
    """

    gamma: float = 0.5
    floor: float = 0.02
    start: float = -1.0

    def __post_init__(self) -> None:
        if 0 < as_real("gamma", self.gamma) < LEAST_GAMMA:
            raise InputError(f"gamma is {self.gamma:g}; give 0, or at least {LEAST_GAMMA:g}")
        _refuse_bad_floor(self.floor)
        as_real("start", self.start, low=-inf)

    @property
    def clusterer(self) -> Clusterer:
        """Left-linking with the same γ."""
        return LeftLink(self.gamma)

    def first_score(self, pairs: PairSets) -> float:  # noqa: ARG002
        """Return `start`."""
        return self.start

    def descend(self, pairs: PairSets, scores: Floats) -> RiskDerivatives:
        """Go once over the links of all items."""
        slopes, bends = np.empty(len(scores)), np.empty(len(scores))
        links, gamma, floor = read_only(scores), float(self.gamma), float(self.floor)
        value = left_link_descent(
            pairs.starts, pairs.lefts, links, pairs.labels, gamma, floor, slopes, bends
        )
        return RiskDerivatives(value, slopes, bends)


@dataclass(frozen=True)
class LogisticRisk(Risk):
    """The logistic loss of pairs, together or apart, as if they were independent: the baseline.

    Σ log(1 + exp(F)) − F [together]; the slope is σ(F) − [together], the bend σ(F)(1 − σ(F)).

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
        """Return the log-odds of a pair to be together, half a pair added to either side."""
        n_together = np.count_nonzero(pairs.together)
        return float(np.log((n_together + 0.5) / (len(pairs) - n_together + 0.5)))

    def descend(self, pairs: PairSets, scores: Floats) -> RiskDerivatives:
        """Compare the probability of each pair with the truth."""
        odds = expit(scores)
        value = np.logaddexp(0.0, scores).sum() - scores[pairs.together].sum()
        return RiskDerivatives(
            float(value), odds - pairs.together, np.maximum(odds * (1 - odds), 1e-12)
        )


GREEDY = Greedy()
LOGISTIC = LogisticRisk()


@dataclass(frozen=True)
class CorrelationRisk(Risk):
    """The structured hinge loss of correlation clustering, mixed with the logistic loss of pairs.

    Over item sets, the largest of Σ F w(C) + margin · (pairs that C has wrong) over partitions C,
    as far as the clusterer finds it, less Σ F w(truth) (Finley & Joachims 2005, with the scores
    themselves in place of w·φ). Its slopes are w(worst) − w(truth): −1, 0 or 1. It is piecewise
    linear, without bends of its own: those of the logistic loss, which also tells the pairs that
    no partition disputes, stand in.

    Among equal scores the clusterer takes items by their places, so that what is learned depends
    a little on the order of the items in the training sets; what is predicted does not.

    Parameters
    ----------
    share
        The share of the logistic loss, from 0 to 1.
    margin
        What each wrong pair of a partition adds to its value.
    clusterer
        Searches the worst partition, and predicts: one that maximises correlation.
    floor
        The least bend.
    start
        What every pair scores before the first tree.

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
        _refuse_bad_floor(self.floor)
        as_real("start", self.start, low=-inf)
        if not isinstance(getattr(self.clusterer, "objective", None), objectives.Correlation):
            raise InputError(
                f"the clusterer is {self.clusterer!r}; give one that maximises correlation, such "
                "as Greedy()"
            )

    def first_score(self, pairs: PairSets) -> float:  # noqa: ARG002
        """Return `start`."""
        return self.start

    def descend(self, pairs: PairSets, scores: Floats) -> RiskDerivatives:
        """Search the worst partition of each item set."""
        plain = LOGISTIC.descend(pairs, scores)
        margins = np.where(pairs.together, -self.margin, self.margin)
        worst = self._worst(pairs, scores + margins)
        wrong = worst - pairs.together  # 1: joined wrongly, −1: parted wrongly
        hinge = scores @ wrong + self.margin * np.count_nonzero(wrong)
        value = (1 - self.share) * hinge + self.share * plain.value
        slopes = (1 - self.share) * wrong + self.share * plain.slopes
        return RiskDerivatives(float(value), slopes, np.maximum(plain.bends, self.floor))

    def _worst(self, pairs: PairSets, augmented: Floats) -> Floats:
        """Return the weight of each pair in the partition that the clusterer finds."""
        weights = np.empty(len(augmented))
        for each in pairs.sets:
            found = self.clusterer(each.scored(augmented[each.at]))
            weights[each.at] = each.together(found)
        return weights


def _refuse_bad_floor(floor: float) -> None:
    if not as_real("floor", floor):
        raise InputError("floor is 0; give a number above 0, by which steps are divided")
