"""Calibrations: curves that turn scores into probabilities, of pairs and of whole clusters."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from coterie._core.arguments import as_floats, as_real
from coterie._core.arrays import Bools, Floats, Ints, read_only
from coterie._core.values import Value
from coterie.exceptions import InputError
from coterie.pairs import PairScores, row_start
from coterie.partition import Partition

__all__ = ["Abstained", "ClusterCalibration", "Confidences", "Isotonic", "Logistic"]

Calibration: TypeAlias = Callable[[Floats], Floats]
"""Turns scores into probabilities that the items are together."""

PROBABILITY_MARGIN = 1e-6
"""Probabilities nearer to 0 or 1 than this count as that near: the log-odds end at ±13.8."""


@dataclass(frozen=True)
class Logistic(Value):
    """Turn scores into probabilities: 1 / (1 + exp(−(slope · score + intercept))).

    Parameters
    ----------
    slope
        How fast the probability grows with the score.
    intercept
        The log-odds of a pair that scores 0.

    Examples
    --------
    >>> Logistic(slope=2.0)([-1.0, 0.0, 1.0]).round(3)
    array([0.119, 0.5  , 0.881])
    """

    slope: float = 1.0
    intercept: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "slope", as_real("slope", self.slope, low=-inf))
        object.__setattr__(self, "intercept", as_real("intercept", self.intercept, low=-inf))

    def __call__(self, scores: ArrayLike) -> Floats:
        """Return the probability that the two items of each pair are together."""
        return np.asarray(expit(self.slope * as_floats("scores", scores) + self.intercept))


@dataclass(frozen=True, eq=False)
class Isotonic(Value):
    """Turn scores into probabilities by straight lines between knots, constant beyond the ends.

    Parameters
    ----------
    scores
        Where the knots are, ascending.
    probabilities
        The probability at each, never less than at the one before.

    Examples
    --------
    >>> Isotonic([-1.0, 1.0], [0.1, 0.7])([-5.0, -1.0, 0.0, 2.0]).round(3)
    array([0.1, 0.1, 0.4, 0.7])
    """

    scores: Floats
    probabilities: Floats

    def __post_init__(self) -> None:
        scores = as_floats("scores", self.scores)
        probabilities = as_floats("probabilities", self.probabilities)
        if scores.ndim != 1 or scores.shape != probabilities.shape or not len(scores):
            raise InputError(
                f"scores have shape {scores.shape} and probabilities {probabilities.shape}; give "
                "one of each a knot, at least one knot"
            )
        if not np.isfinite(scores).all() or not np.all(scores[1:] > scores[:-1]):
            raise InputError("the scores of the knots must be finite and ascend; sort them")
        if not (np.all(probabilities >= 0) and np.all(probabilities <= 1)):
            raise InputError("probabilities must be numbers from 0 to 1; give such ones")
        if np.any(probabilities[1:] < probabilities[:-1]):
            raise InputError("the probabilities of the knots fall; give ones that never do")
        object.__setattr__(self, "scores", scores)
        object.__setattr__(self, "probabilities", probabilities)

    def __call__(self, scores: ArrayLike) -> Floats:
        """Return the probability that the two items of each pair are together."""
        return np.asarray(np.interp(as_floats("scores", scores), self.scores, self.probabilities))


@dataclass(frozen=True, eq=False)
class ClusterCalibration(Value):
    """Turn scores into probabilities of pairs, and these into confidences of clusters.

    What speaks for a cluster is the mean probability p̄ of its pairs, as log-odds: a curve turns it
    into the share of its pairs that is expected to be truly together. What speaks for a single item
    is the highest probability p of its pairs, as log-odds of 1 − p; another curve turns it into the
    probability that the item is truly alone. Pairs that a blocker left out do not count. Where none
    is left, p̄ and p are 0: nothing speaks for such a cluster, or against such a single item.

    Parameters
    ----------
    pairs
        Turns scores into probabilities that two items are together.
    clusters
        Turns what speaks for clusters of at least two items into their confidences.
    singletons
        The same of clusters of one item.

    Examples
    --------
    >>> calibration = ClusterCalibration(Logistic(), Logistic(), Logistic())
    >>> calibration([0.0])
    array([0.5])
    >>> scores = PairScores(3, None, [2.0, -1.0, -3.0])
    >>> calibration.confidences(scores, Partition([0, 0, 1])).clusters.round(3)
    array([0.881, 0.731])
    """

    pairs: Calibration
    clusters: Calibration
    singletons: Calibration

    def __post_init__(self) -> None:
        for name in ("pairs", "clusters", "singletons"):
            curve: Any = getattr(self, name)
            if isinstance(curve, type) or not callable(curve):
                raise InputError(f"{name} is {curve!r}; give a curve such as Logistic()")

    def __call__(self, scores: ArrayLike) -> Floats:
        """Return the probability that the two items of each pair are together."""
        return self.pairs(as_floats("scores", scores))

    def confidences(self, scores: PairScores, partition: Partition) -> "Confidences":
        """Say how sure the pairs are, and the clusters of a partition that was made by them."""
        probabilities = self.pairs(scores.scores)
        evidence = cluster_evidence(scores, partition, probabilities)
        single = partition.sizes == 1
        found = np.empty(len(single))
        found[single] = self.singletons(evidence[single])
        found[~single] = self.clusters(evidence[~single])
        return Confidences(partition, found, probabilities)


@dataclass(frozen=True, eq=False)
class Confidences:
    """A predicted partition, and how sure its parts are.

    Parameters
    ----------
    partition
        The partition.
    clusters
        One probability a cluster, in the order of the labels: of at least two items the share of
        its pairs that is expected to be together, of a single item that it is alone.
    pairs
        One a pair, in the order of the scores: that its items are together.
    """

    partition: Partition
    clusters: Floats
    pairs: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "clusters", read_only(self.clusters))
        object.__setattr__(self, "pairs", read_only(self.pairs))

    @cached_property
    def items(self) -> Floats:
        """The confidence of the cluster of each item."""
        return read_only(self.clusters[self.partition.labels])

    def abstain(self, precision: float) -> "Abstained":
        """Keep the clusters whose confidence is at least `precision`.

        >>> sure = Confidences(Partition([0, 0, 1]), np.array([0.9, 0.6]), np.array([]))
        >>> sure.abstain(0.8).labels
        array([ 0,  0, -1])
        """
        kept = self.items >= as_real("precision", precision, high=1.0)
        return Abstained(self.partition, read_only(kept))


@dataclass(frozen=True, eq=False)
class Abstained:
    """A partition of which only some clusters are asserted.

    Parameters
    ----------
    partition
        The whole partition.
    kept
        Of each item, whether its cluster is asserted; all items of a cluster agree.
    """

    partition: Partition
    kept: Bools

    @cached_property
    def labels(self) -> Ints:
        """The label of each item in the partition, −1 where nothing is asserted."""
        return read_only(np.where(self.kept, self.partition.labels, -1))


def cluster_evidence(scores: PairScores, partition: Partition, probabilities: Floats) -> Floats:
    """Return what speaks for each cluster, as log-odds, from the probabilities of the pairs.

    Of at least two items it is the mean probability of their pairs, of a single item 1 less the
    highest of its pairs.
    """
    means = _inner_means(scores, partition, probabilities)
    single = partition.sizes == 1
    if single.any():
        highest = np.zeros(partition.n_clusters)
        highest[partition.labels] = _highest(scores, probabilities)
        means = np.where(single, 1.0 - highest, means)
    return np.asarray(logit(np.clip(means, PROBABILITY_MARGIN, 1.0 - PROBABILITY_MARGIN)))


def _inner_means(scores: PairScores, partition: Partition, probabilities: Floats) -> Floats:
    """Return the mean over the pairs inside each cluster, 0 where none is listed."""
    inside = np.flatnonzero(partition.together(scores.listed))
    if scores.listed is None:  # without the list of all pairs, which is large
        starts = row_start(np.arange(scores.n_items), scores.n_items)
        first = np.searchsorted(starts[:-1], inside, side="right") - 1
    else:
        first = scores.listed[inside, 0]
    labels, n_clusters = partition.labels[first], partition.n_clusters
    sums = np.bincount(labels, probabilities[inside], n_clusters)
    return np.asarray(sums / np.maximum(np.bincount(labels, minlength=n_clusters), 1))


def _highest(scores: PairScores, probabilities: Floats) -> Floats:
    """Return the highest over the pairs of each item, 0 where none is listed."""
    highest = np.zeros(scores.n_items)
    if scores.listed is not None:
        for end in scores.listed.T:
            np.maximum.at(highest, end, probabilities)
        return highest
    start = 0
    for item in range(scores.n_items - 1):
        later = highest[item + 1 :]
        row = probabilities[start : start + len(later)]
        highest[item] = max(highest[item], row.max())
        np.maximum(later, row, out=later)
        start += len(later)
    return highest
