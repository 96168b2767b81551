"""Partitions by scores minus a threshold, which shifts the scores of absent pairs too."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from coterie._core.arrays import Floats
from coterie._types import Clusterer
from coterie.pairs import PairScores
from coterie.partition import Partition


def subtract_threshold(scores: PairScores, threshold: float) -> PairScores:
    """Subtract a threshold from every score."""
    return scores.plus(np.full(len(scores.scores), -threshold)) if threshold else scores


def lower_missing_score(clusterer: Clusterer, threshold: float) -> Clusterer:
    """Subtract a threshold from a clusterer's score of absent pairs, unless that score is 0."""
    missing = getattr(clusterer, "missing", 0.0)
    return replace(clusterer, missing=missing - threshold) if missing else clusterer  # type: ignore[type-var]


def with_missing_score(clusterer: Clusterer, missing: float) -> Clusterer:
    """Set the score of absent pairs, in a clusterer that has a parameter for it."""
    if not missing or not hasattr(clusterer, "missing"):
        return clusterer
    return replace(clusterer, missing=missing)  # type: ignore[type-var]


def partition_one_by_one(
    clusterer: Clusterer, scores: PairScores, thresholds: Iterable[float]
) -> list[Partition]:
    """Cluster anew for each threshold."""
    return [
        lower_missing_score(clusterer, threshold)(subtract_threshold(scores, threshold))
        for threshold in thresholds
    ]


def partitions_at(clusterer: Clusterer, scores: PairScores, thresholds: Floats) -> list[Partition]:
    """Return one partition per threshold, each by the scores minus the threshold.

    A clusterer with a method `partitions_at` computes them together, which is faster.

    >>> from coterie.clusterers import Greedy
    >>> partitions_at(Greedy(), PairScores(3, None, [2.0, -1.0, -1.0]), np.array([0.0, 3.0]))
    [Partition([0, 0, 1]), Partition([0, 1, 2])]
    """
    method = getattr(clusterer, "partitions_at", None)
    if method is None:
        return partition_one_by_one(clusterer, scores, thresholds)
    partitions: list[Partition] = method(scores, thresholds)
    return partitions
