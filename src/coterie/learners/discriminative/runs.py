"""The iterations of SDC (cluster, measure, update), and the choice of a threshold."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from coterie._core.arrays import Bools, Floats, Pairs
from coterie._types import Clusterer, Features
from coterie.exceptions import InputError
from coterie.learners.discriminative.updates import Update
from coterie.metrics import Scores, macro, pair_scores, scorer, weighted_clustering_error
from coterie.objectives import KMeans
from coterie.pairs import PairScores
from coterie.partition import Partition
from coterie.similarities.distance import largest_distance


class ThresholdChoice(NamedTuple):
    """A threshold, with the partitions that it gives and their mean F1 over pairs."""

    threshold: float
    partitions: list[Partition]
    f1: float


class Iterate(NamedTuple):
    """One clustering of the training sets, and the weights of its distance.

    `objective` is the mean weighted clustering error of the training sets (Li & Roth 2005, eq. 3),
    `f1` their mean F1 over pairs. `regret` is lowest for the best iterate. It is the objective or
    the chosen metric, negated if higher is better, of the held-out sets if there are any.
    """

    objective: float
    f1: float
    regret: float
    threshold: float | None
    coef: Floats


@dataclass(frozen=True, eq=False)
class DistanceSet:
    """An item set with the features of its pairs and its truth."""

    features: Features
    pairs: Pairs | None
    truth: Partition
    n_clusters: int | None

    def with_n_clusters(self) -> "DistanceSet":
        """Return the set with a number of clusters, from the truth if it has none itself."""
        n_clusters = self.truth.n_clusters if self.n_clusters is None else self.n_clusters
        return replace(self, n_clusters=n_clusters)

    def scores(self, distances: Floats, threshold: float | None) -> PairScores:
        """Score pairs by the threshold, or else the largest distance, minus their distance."""
        n_items = len(self.truth)
        top = largest_distance(distances) if threshold is None else threshold
        diagonal = np.full(n_items, top)  # an item has distance 0 from itself
        return PairScores(n_items, self.pairs, top - distances, diagonal, self.n_clusters)


@dataclass(frozen=True)
class Criterion:
    """The measure that decides which iterate is best: a metric, or the clustering error."""

    metric: Any = None

    def __post_init__(self) -> None:
        if self.metric is not None:
            scorer(self.metric)  # refuses metrics of unknown direction

    def regret(
        self,
        sets: Sequence[DistanceSet],
        distances: Sequence[Floats],
        partitions: Sequence[Partition],
    ) -> float:
        """Return the value that is lowest for the best iterate."""
        if self.metric is None:
            return mean_error(sets, distances, partitions)
        score = macro(self.metric, _truths(sets), partitions)
        value = score.f1 if isinstance(score, Scores) else float(score)
        return -value if self.metric.greater_is_better else value


@dataclass(frozen=True, eq=False)
class DiscriminativeRun:
    """The data and parameters that all iterations share.

    The criterion is measured on the held-out sets, or on the training sets if there are none.
    `free` has True for the columns whose weights are learned.
    """

    training_sets: Sequence[DistanceSet]
    held_out_sets: Sequence[DistanceSet]
    criterion: Criterion
    clusterer: Clusterer
    update: Update
    learning_rate: float
    max_iter: int
    free: Bools

    def iterates(self, start: Floats) -> Iterator[Iterate]:
        """Yield the result of each clustering, starting from the given weights."""
        coef: Floats | None = self.initial_coef(start)
        for _ in range(self.max_iter):
            if coef is None:  # all partitions are correct, or no weight is left
                return
            iterate, partitions = self._cluster(coef)
            yield iterate
            coef = self._next_coef(coef, partitions)

    def initial_coef(self, start: Floats) -> Floats:
        """Return normalised weights to start from; all are 0 if no column is free and positive."""
        coef = self.update.normalised(np.where(self.free, start, 0.0))
        return np.zeros(len(self.free)) if coef is None else coef

    def choose_threshold(self, coef: Floats) -> ThresholdChoice:
        """Choose the threshold for item sets without a number of clusters."""
        sets = [replace(distance_set, n_clusters=None) for distance_set in self.training_sets]
        return self._best_threshold(sets, self._distances(sets, coef))

    def _best_threshold(
        self, sets: Sequence[DistanceSet], distances: Sequence[Floats]
    ) -> ThresholdChoice:
        # If the clusterer joins only scores above its own threshold, the chosen threshold has to
        # be higher by that threshold.
        offset = None
        if self.clusterer.objective is None:
            offset = getattr(self.clusterer, "threshold", None)
        return best_threshold(
            distances,
            _truths(sets),
            lambda threshold: self._partitions(sets, distances, threshold),
            float(offset or 0.0),
        )

    def _cluster(self, coef: Floats) -> tuple[Iterate, list[Partition]]:
        """Cluster the training sets and the held-out sets."""
        distances = self._distances(self.training_sets, coef)
        if self.uses_threshold:
            threshold, partitions, f1 = self._best_threshold(self.training_sets, distances)
        else:
            threshold, partitions = None, self._partitions(self.training_sets, distances, None)
            f1 = macro(pair_scores, _truths(self.training_sets), partitions).f1
        objective = mean_error(self.training_sets, distances, partitions)
        regret = self._regret(coef, threshold, distances, partitions)
        return Iterate(objective, f1, regret, threshold, coef), partitions

    def _regret(
        self,
        coef: Floats,
        threshold: float | None,
        distances: Sequence[Floats],
        partitions: Sequence[Partition],
    ) -> float:
        """Apply the criterion to the held-out sets, or else to the clustered training sets."""
        if not self.held_out_sets:
            return self.criterion.regret(self.training_sets, distances, partitions)
        distances = self._distances(self.held_out_sets, coef)
        partitions = self._partitions(self.held_out_sets, distances, threshold)
        return self.criterion.regret(self.held_out_sets, distances, partitions)

    def _next_coef(self, coef: Floats, partitions: Sequence[Partition]) -> Floats | None:
        """Return the next weights, or None if all partitions are correct or no weight is left."""
        examples = list(zip(self.training_sets, partitions, strict=True))
        if all(example.truth == predicted for example, predicted in examples):
            return None
        gradients = [
            self.update.gradient(example.features, example.truth, predicted, coef, example.pairs)
            for example, predicted in examples
        ]
        with np.errstate(over="ignore", invalid="ignore"):
            next_coef = coef - self.learning_rate * np.mean(gradients, axis=0)
        if not np.isfinite(next_coef).all():
            raise InputError(
                f"a step with learning_rate={self.learning_rate:g} makes weights infinite; lower "
                "the rate, or make the features smaller, for example with Scaled(featurizer)"
            )
        return self.update.normalised(np.where(self.free, next_coef, 0.0))

    def _distances(self, sets: Sequence[DistanceSet], coef: Floats) -> list[Floats]:
        return [self.update.distance(distance_set.features, coef) for distance_set in sets]

    def _partitions(
        self, sets: Sequence[DistanceSet], distances: Sequence[Floats], threshold: float | None
    ) -> list[Partition]:
        return [
            self.clusterer(distance_set.scores(pair_distances, threshold))
            for distance_set, pair_distances in zip(sets, distances, strict=True)
        ]

    @property
    def uses_threshold(self) -> bool:
        """Return whether a threshold decides the number of clusters of some training set."""
        return stops_at_threshold(self.clusterer, [s.n_clusters for s in self.training_sets])


def stops_at_threshold(clusterer: Clusterer, n_clusters: Sequence[int | None]) -> bool:
    """Return whether a clusterer stops joining at a threshold, not at a number of clusters.

    Linkage stops at a threshold if an item set has no number of clusters, given by `n_clusters`.
    """
    if clusterer.objective is not None:
        return not isinstance(clusterer.objective, KMeans)
    if not hasattr(clusterer, "threshold") or getattr(clusterer, "n_clusters", None) is not None:
        return False
    return clusterer.threshold is not None or None in n_clusters


def takes_n_clusters(clusterer: Clusterer) -> bool:
    """Return whether a clusterer takes the number of clusters from each item set."""
    if hasattr(clusterer, "n_clusters"):
        return clusterer.n_clusters is None
    estimator = getattr(clusterer, "estimator", None)
    return estimator is not None and estimator.get_params().get("n_clusters") is not None


def _truths(sets: Sequence[DistanceSet]) -> list[Partition]:
    return [distance_set.truth for distance_set in sets]


def mean_error(
    sets: Sequence[DistanceSet], distances: Sequence[Floats], partitions: Sequence[Partition]
) -> float:
    """Return the mean weighted clustering error of item sets."""
    errors = [
        weighted_clustering_error(example.truth, predicted, pair_distances, example.pairs)
        for example, pair_distances, predicted in zip(sets, distances, partitions, strict=True)
    ]
    return float(np.mean(errors))


N_COARSE, N_FINE = 16, 6
"""Number of thresholds tried first, over all distances, and then each time near the best one."""


def best_threshold(
    distances: Sequence[Floats],
    truths: Sequence[Partition],
    cluster: Callable[[float], list[Partition]],
    offset: float = 0.0,
) -> ThresholdChoice:
    """Return the threshold whose clustering has the highest mean F1 over pairs.

    Candidates are the midpoints between neighbouring distances, plus `offset`. The first ones tried
    are those below which the number of pairs grows by equal factors. Then come candidates around
    the best one so far, until all of these have been tried. Among neighbours of equal F1, the
    middle one is returned. A better threshold further away may be missed.
    """
    values, counts = np.unique(np.concatenate(distances), return_counts=True)
    if not len(values):
        return _try_threshold(offset, truths, cluster)
    # No distance is below the first threshold, and all distances are below the last.
    thresholds = np.concatenate([values[:1], (values[1:] + values[:-1]) / 2, [values[-1] + 1.0]])
    thresholds += offset
    below = np.concatenate([[0], np.cumsum(counts)])
    to_try = np.append(np.searchsorted(below, np.geomspace(1, below[-1], N_COARSE).round()), 0)
    tried: dict[int, ThresholdChoice] = {}
    while any(index not in tried for index in to_try.tolist()):
        for index in sorted(set(to_try.tolist()) - tried.keys()):
            tried[index] = _try_threshold(float(thresholds[index]), truths, cluster)
        indices = sorted(tried)
        first, last = _plateau([tried[index].f1 for index in indices])
        low, high = indices[max(first - 1, 0)], indices[min(last + 1, len(indices) - 1)]
        to_try = np.linspace(low, high, N_FINE + 2).round().astype(np.intp)
    return tried[indices[(first + last) // 2]]


def _plateau(values: Sequence[float]) -> tuple[int, int]:
    """Return the first and the last index of the first run of highest values.

    >>> _plateau([0.1, 0.5, 0.5, 0.2, 0.5])
    (1, 2)
    """
    first = last = values.index(max(values))
    while last + 1 < len(values) and values[last + 1] == values[first]:
        last += 1
    return first, last


def _try_threshold(
    threshold: float, truths: Sequence[Partition], cluster: Callable[[float], list[Partition]]
) -> ThresholdChoice:
    partitions = cluster(threshold)
    return ThresholdChoice(threshold, partitions, macro(pair_scores, truths, partitions).f1)
