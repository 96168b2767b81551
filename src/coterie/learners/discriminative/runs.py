"""The SDC learner at work: cluster, measure, update, again; and where to stop joining."""

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
    """A threshold, and what it makes of the training sets."""

    threshold: float
    partitions: list[Partition]
    f1: float


class Iterate(NamedTuple):
    """One clustering of the training sets, and the weights behind it.

    `objective` is the mean weighted clustering error of the training sets (Li & Roth 2005, eq. 3),
    `f1` their mean F1 over pairs. `regret` is what the best iterate has least of: the objective,
    or a metric, negated where higher is better, of the training sets or of those held out.
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

    def counted(self) -> "DistanceSet":
        """Return the set with its number of clusters; if it has none, that of the truth."""
        known = self.truth.n_clusters if self.n_clusters is None else self.n_clusters
        return replace(self, n_clusters=known)

    def scores(self, distances: Floats, threshold: float | None) -> PairScores:
        """Score pairs by how much nearer they are than the threshold, or than the furthest."""
        n_items = len(self.truth)
        top = largest_distance(distances) if threshold is None else threshold
        own = np.full(n_items, top)  # items are at no distance from themselves
        return PairScores(n_items, self.pairs, top - distances, own, self.n_clusters)


@dataclass(frozen=True)
class Judge:
    """Tells which iterate is the best: by a metric, or by the clustering error."""

    metric: Any = None

    def __post_init__(self) -> None:
        if self.metric is not None:
            scorer(self.metric)  # refuses what is no metric, or does not tell its direction

    def regret(
        self,
        sets: Sequence[DistanceSet],
        distances: Sequence[Floats],
        partitions: Sequence[Partition],
    ) -> float:
        """Return what the best iterate has least of."""
        if self.metric is None:
            return mean_error(sets, distances, partitions)
        found = macro(self.metric, [each.truth for each in sets], partitions)
        value = found.f1 if isinstance(found, Scores) else float(found)
        return -value if self.metric.greater_is_better else value


@dataclass(frozen=True, eq=False)
class DiscriminativeRun:
    """All that the iterations share.

    Without sets to judge by, the training sets do; `free` tells the columns whose weights are
    learned.
    """

    taught: Sequence[DistanceSet]
    judged: Sequence[DistanceSet]
    judge: Judge
    clusterer: Clusterer
    update: Update
    learning_rate: float
    max_iter: int
    free: Bools

    def iterates(self, start: Floats) -> Iterator[Iterate]:
        """Yield what each clustering comes to, from some weights on."""
        coef: Floats | None = self.started(start)
        for _ in range(self.max_iter):
            if coef is None:  # all is right, or no weight is left
                return
            iterate, partitions = self._clustered(coef)
            yield iterate
            coef = self._moved(coef, partitions)

    def started(self, start: Floats) -> Floats:
        """Return weights to start from, all 0 where no column tells anything."""
        coef = self.update.normalised(np.where(self.free, start, 0.0))
        return np.zeros(len(self.free)) if coef is None else coef

    def stop(self, coef: Floats) -> ThresholdChoice:
        """Find where to stop if no numbers of clusters are known."""
        sets = [replace(each, n_clusters=None) for each in self.taught]
        return self._stop(sets, self._distances(sets, coef))

    def _stop(self, sets: Sequence[DistanceSet], distances: Sequence[Floats]) -> ThresholdChoice:
        # A clusterer with a threshold of its own joins what is nearer by as much.
        own = getattr(self.clusterer, "threshold", None) if self.clusterer.objective is None else 0
        return best_threshold(
            distances,
            [each.truth for each in sets],
            lambda at: self._partitions(sets, distances, at),
            float(own or 0.0),
        )

    def _clustered(self, coef: Floats) -> tuple[Iterate, list[Partition]]:
        """Cluster the training sets, and those by which to judge."""
        distances = self._distances(self.taught, coef)
        if self.stops:
            threshold, partitions, f1 = self._stop(self.taught, distances)
        else:
            threshold, partitions = None, self._partitions(self.taught, distances, None)
            f1 = macro(pair_scores, [each.truth for each in self.taught], partitions).f1
        objective = mean_error(self.taught, distances, partitions)
        regret = self._regret(coef, threshold, distances, partitions)
        return Iterate(objective, f1, regret, threshold, coef), partitions

    def _regret(
        self,
        coef: Floats,
        threshold: float | None,
        distances: Sequence[Floats],
        partitions: Sequence[Partition],
    ) -> float:
        """Judge by the sets held out, or by the training sets as they were clustered."""
        if not self.judged:
            return self.judge.regret(self.taught, distances, partitions)
        distances = self._distances(self.judged, coef)
        partitions = self._partitions(self.judged, distances, threshold)
        return self.judge.regret(self.judged, distances, partitions)

    def _moved(self, coef: Floats, partitions: Sequence[Partition]) -> Floats | None:
        """Return the next weights; None if all is right, or no weight is left."""
        pairs = list(zip(self.taught, partitions, strict=True))
        if all(each.truth == found for each, found in pairs):
            return None
        gradients = [
            self.update.gradient(each.features, each.truth, found, coef, each.pairs)
            for each, found in pairs
        ]
        with np.errstate(over="ignore", invalid="ignore"):
            moved = coef - self.learning_rate * np.mean(gradients, axis=0)
        if not np.isfinite(moved).all():
            raise InputError(
                f"a step with the learning_rate {self.learning_rate:g} leads beyond all numbers; "
                "lower it, or make the features smaller, as Scaled(featurizer) does"
            )
        return self.update.normalised(np.where(self.free, moved, 0.0))

    def _distances(self, sets: Sequence[DistanceSet], coef: Floats) -> list[Floats]:
        return [self.update.distance(each.features, coef) for each in sets]

    def _partitions(
        self, sets: Sequence[DistanceSet], distances: Sequence[Floats], threshold: float | None
    ) -> list[Partition]:
        return [
            self.clusterer(each.scores(own, threshold))
            for each, own in zip(sets, distances, strict=True)
        ]

    @property
    def stops(self) -> bool:
        """Whether a threshold decides how many clusters there are of some training set."""
        return stops_at_threshold(self.clusterer, [each.n_clusters for each in self.taught])


def stops_at_threshold(clusterer: Clusterer, numbers: Sequence[int | None]) -> bool:
    """Tell clusterers that join what scores above 0 from those that make so many clusters.

    Linkage does either, by whether the numbers of clusters are known.
    """
    if clusterer.objective is not None:
        return not isinstance(clusterer.objective, KMeans)
    if not hasattr(clusterer, "threshold") or getattr(clusterer, "n_clusters", None) is not None:
        return False
    return clusterer.threshold is not None or None in numbers


def takes_number(clusterer: Clusterer) -> bool:
    """Tell clusterers that make as many clusters as the item set says, and say no number else."""
    if hasattr(clusterer, "n_clusters"):
        return clusterer.n_clusters is None
    estimator = getattr(clusterer, "estimator", None)
    return estimator is not None and estimator.get_params().get("n_clusters") is not None


def mean_error(
    sets: Sequence[DistanceSet], distances: Sequence[Floats], partitions: Sequence[Partition]
) -> float:
    """Return the mean weighted clustering error of item sets."""
    errors = [
        weighted_clustering_error(each.truth, found, own, each.pairs)
        for each, own, found in zip(sets, distances, partitions, strict=True)
    ]
    return float(np.mean(errors))


COARSE, FINE = 16, 6
"""How many thresholds are tried over all distances, and each time around the best so far."""


def best_threshold(
    distances: Sequence[Floats],
    truths: Sequence[Partition],
    cluster: Callable[[float], list[Partition]],
    offset: float = 0.0,
) -> ThresholdChoice:
    """Return the threshold whose clustering has the highest mean F1 over pairs.

    Thresholds lie between neighbouring distances. First come those below which the number of pairs
    grows by equal factors, then some around the best so far, until these are known; of equally good
    neighbours the middle one is taken. A better one further away may be missed. An offset is added
    to all.
    """
    places, counts = np.unique(np.concatenate(distances), return_counts=True)
    if not len(places):
        return _tried(offset, truths, cluster)
    # None of the distances is below the first threshold, and all are below the last.
    between = np.concatenate([places[:1], (places[1:] + places[:-1]) / 2, [places[-1] + 1.0]])
    between += offset
    below = np.concatenate([[0], np.cumsum(counts)])
    wanted = np.append(np.searchsorted(below, np.geomspace(1, below[-1], COARSE).round()), 0)
    tried: dict[int, ThresholdChoice] = {}
    while any(number not in tried for number in wanted.tolist()):
        for number in sorted(set(wanted.tolist()) - tried.keys()):
            tried[number] = _tried(float(between[number]), truths, cluster)
        known = sorted(tried)
        first, last = _plateau([tried[number].f1 for number in known])
        low, high = known[max(first - 1, 0)], known[min(last + 1, len(known) - 1)]
        wanted = np.linspace(low, high, FINE + 2).round().astype(np.intp)
    return tried[known[(first + last) // 2]]


def _plateau(values: Sequence[float]) -> tuple[int, int]:
    """Return the places of the first and the last of neighbours that are all the highest.

    >>> _plateau([0.1, 0.5, 0.5, 0.2, 0.5])
    (1, 2)
    """
    first = last = values.index(max(values))
    while last + 1 < len(values) and values[last + 1] == values[first]:
        last += 1
    return first, last


def _tried(
    threshold: float, truths: Sequence[Partition], cluster: Callable[[float], list[Partition]]
) -> ThresholdChoice:
    partitions = cluster(threshold)
    return ThresholdChoice(threshold, partitions, macro(pair_scores, truths, partitions).f1)
