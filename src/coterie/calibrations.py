"""Calibrations: curves that turn scores into probabilities, for pairs and for clusters."""

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
from coterie._core.texts import pluralize
from coterie._core.values import Value
from coterie.exceptions import InputError
from coterie.pairs import PairScores, row_start
from coterie.partition import Partition

__all__ = ["Abstained", "ClusterCalibration", "Confidences", "Isotonic", "Logistic"]

Calibration: TypeAlias = Callable[[Floats], Floats]
"""A function from scores to the probabilities that the pairs belong together."""

PROBABILITY_MARGIN = 1e-6
"""The least distance of probabilities from 0 and 1, so that log-odds lie between ±13.8."""


@dataclass(frozen=True)
class Logistic(Value):
    """Turn scores into probabilities: 1 / (1 + exp(−(slope · score + intercept))).

    Parameters
    ----------
    slope
        The increase of the log-odds per unit of score.
    intercept
        The log-odds of a pair with score 0.

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
        """Return the probability that each pair belongs together."""
        return np.asarray(expit(self.slope * as_floats("scores", scores) + self.intercept))


@dataclass(frozen=True, eq=False)
class Isotonic(Value):
    """Turn scores into probabilities by linear interpolation between knots.

    Below the first knot and above the last, the probability is constant.

    Parameters
    ----------
    scores
        The scores of the knots, strictly ascending.
    probabilities
        The probabilities of the knots, never falling.

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
                "two lists of the same length, with at least one number"
            )
        if not np.isfinite(scores).all() or not np.all(scores[1:] > scores[:-1]):
            raise InputError(
                "scores are not finite numbers in strictly ascending order; sort them, together "
                "with the probabilities, and drop duplicates and numbers that are not finite"
            )
        if not (np.all(probabilities >= 0) and np.all(probabilities <= 1)):
            raise InputError(
                "some probabilities are outside the range from 0 to 1; give numbers from 0 to 1"
            )
        if np.any(probabilities[1:] < probabilities[:-1]):
            raise InputError(
                "probabilities fall from one score to the next; give probabilities that never fall"
            )
        object.__setattr__(self, "scores", scores)
        object.__setattr__(self, "probabilities", probabilities)

    def __call__(self, scores: ArrayLike) -> Floats:
        """Return the probability that each pair belongs together."""
        return np.asarray(np.interp(as_floats("scores", scores), self.scores, self.probabilities))


@dataclass(frozen=True, eq=False)
class ClusterCalibration(Value):
    """Turn scores into probabilities of pairs, and these into confidences of clusters.

    The evidence for a cluster is the mean probability p̄ of its pairs, as log-odds. A curve turns it
    into the share of the pairs of the cluster that is expected to belong together.

    The evidence for a singleton, a cluster of one item, is the log-odds of 1 − p, where p is the
    highest probability of the pairs of its item. Another curve turns it into the probability that
    the item truly is a cluster of its own.

    Only candidate pairs count. Without any, p̄ and p are 0.

    Parameters
    ----------
    pairs
        Turns the score of a pair into the probability that it belongs together.
    clusters
        Turns the evidence for a cluster of two or more items into its confidence.
    singletons
        Turns the evidence for a singleton into its confidence.

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
                raise InputError(f"{name} is {curve!r}; give a calibration, such as Logistic()")

    def __call__(self, scores: ArrayLike) -> Floats:
        """Return the probability that each pair belongs together."""
        return self.pairs(as_floats("scores", scores))

    def confidences(self, scores: PairScores, partition: Partition) -> "Confidences":
        """Return the confidences of the clusters of a partition, and pair probabilities."""
        probabilities = self.pairs(scores.scores)
        evidence = self.evidence(scores, partition, probabilities)
        is_singleton = partition.sizes == 1
        confidences = np.empty(len(is_singleton))
        confidences[is_singleton] = self.singletons(evidence[is_singleton])
        confidences[~is_singleton] = self.clusters(evidence[~is_singleton])
        return Confidences(partition, confidences, probabilities)

    def evidence(self, scores: PairScores, partition: Partition, probabilities: Floats) -> Floats:
        """Return the evidence for each cluster, as log-odds."""
        return cluster_evidence(scores, partition, probabilities)


@dataclass(frozen=True, eq=False, repr=False)
class Confidences:
    """A predicted partition, with the confidences of its clusters and pairs.

    Parameters
    ----------
    partition
        The predicted partition.
    clusters
        One confidence per cluster, in the order of the labels: for two or more items the share of
        their pairs that is expected to belong together (of a model for tables: the probability that
        all of them are one entity), for a singleton the probability that its item truly is a
        cluster of its own.
    pairs
        One probability per pair, in the order of the scores: that the pair belongs together.
    """

    partition: Partition
    clusters: Floats
    pairs: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "clusters", read_only(self.clusters))
        object.__setattr__(self, "pairs", read_only(self.pairs))

    def __repr__(self) -> str:
        n_clusters = pluralize(self.partition.n_clusters, "cluster")
        return f"Confidences({n_clusters}, {pluralize(len(self.pairs), 'pair')})"

    @cached_property
    def items(self) -> Floats:
        """The confidence of the cluster of each item."""
        return read_only(self.clusters[self.partition.labels])

    def abstain(self, precision: float) -> "Abstained":
        """Assert only the clusters whose confidence is at least `precision`.

        >>> confidences = Confidences(Partition([0, 0, 1]), np.array([0.9, 0.6]), np.array([]))
        >>> confidences.abstain(0.8).labels
        array([ 0,  0, -1])
        """
        is_asserted = self.items >= as_real("precision", precision, high=1.0)
        return Abstained(self.partition, read_only(is_asserted))


@dataclass(frozen=True, eq=False, repr=False)
class Abstained:
    """A partition of which only some clusters are asserted.

    Parameters
    ----------
    partition
        The partition with all clusters, asserted or not.
    is_asserted
        One truth value per item: whether its cluster is asserted.
    """

    partition: Partition
    is_asserted: Bools

    def __repr__(self) -> str:
        return f"Abstained({self.is_asserted.sum():,} of {pluralize(len(self.partition), 'item')})"

    @cached_property
    def labels(self) -> Ints:
        """The label of each item in the partition, or −1 if its cluster is not asserted."""
        return read_only(np.where(self.is_asserted, self.partition.labels, -1))


def cluster_evidence(scores: PairScores, partition: Partition, probabilities: Floats) -> Floats:
    """Return the evidence for each cluster, as log-odds, from the probabilities of the pairs.

    For two or more items it is the mean probability of their pairs. For a singleton it is 1 minus
    the highest probability of the pairs of its item.
    """
    means = _means_inside(scores, partition, probabilities)
    is_singleton = partition.sizes == 1
    if is_singleton.any():
        highest = np.zeros(partition.n_clusters)
        highest[partition.labels] = _highest_by_item(scores, probabilities)
        means = np.where(is_singleton, 1.0 - highest, means)
    return np.asarray(logit(np.clip(means, PROBABILITY_MARGIN, 1.0 - PROBABILITY_MARGIN)))


def _means_inside(scores: PairScores, partition: Partition, probabilities: Floats) -> Floats:
    """Return the mean probability of the scored pairs inside each cluster, or 0 without any."""
    inside = np.flatnonzero(partition.together(scores.listed))
    if scores.listed is None:  # the array of all pairs would be large, so it is not made
        starts = row_start(np.arange(scores.n_items), scores.n_items)
        first = np.searchsorted(starts[:-1], inside, side="right") - 1
    else:
        first = scores.listed[inside, 0]
    labels, n_clusters = partition.labels[first], partition.n_clusters
    sums = np.bincount(labels, probabilities[inside], n_clusters)
    return np.asarray(sums / np.maximum(np.bincount(labels, minlength=n_clusters), 1))


def _highest_by_item(scores: PairScores, probabilities: Floats) -> Floats:
    """Return the highest probability of the scored pairs of each item, or 0 without any."""
    highest = np.zeros(scores.n_items)
    if scores.listed is not None:
        for items in scores.listed.T:
            np.maximum.at(highest, items, probabilities)
        return highest
    start = 0
    for item in range(scores.n_items - 1):
        later = highest[item + 1 :]
        row = probabilities[start : start + len(later)]
        highest[item] = max(highest[item], row.max())
        np.maximum(later, row, out=later)
        start += len(later)
    return highest
