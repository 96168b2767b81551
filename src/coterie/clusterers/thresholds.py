"""Partitions by scores less a threshold, and what a clusterer says of absent pairs then."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from coterie._core.arrays import Floats
from coterie._types import Clusterer
from coterie.pairs import PairScores
from coterie.partition import Partition


def subtract_threshold(scores: PairScores, threshold: float) -> PairScores:
    """Take a threshold from every score."""
    return scores.plus(np.full(len(scores.scores), -threshold)) if threshold else scores


def lower_missing_score(clusterer: Clusterer, threshold: float) -> Clusterer:
    """Take a threshold from what an absent pair scores."""
    missing = getattr(clusterer, "missing", 0.0)
    return replace(clusterer, missing=missing - threshold) if missing else clusterer  # type: ignore[type-var]


def with_missing_score(clusterer: Clusterer, missing: float) -> Clusterer:
    """Say what an absent pair scores, to a clusterer that asks for it."""
    if not missing or not hasattr(clusterer, "missing"):
        return clusterer
    return replace(clusterer, missing=missing)  # type: ignore[type-var]


def partition_one_by_one(
    clusterer: Clusterer, scores: PairScores, thresholds: Iterable[float]
) -> list[Partition]:
    """Partition the items anew for each threshold."""
    return [
        lower_missing_score(clusterer, each)(subtract_threshold(scores, each))
        for each in thresholds
    ]


def partitions_at(clusterer: Clusterer, scores: PairScores, thresholds: Floats) -> list[Partition]:
    """Partition the items by their scores less each of some thresholds.

    A clusterer that has a faster way than one by one says so by its `partitions_at`.

    >>> from coterie.clusterers import Greedy
    >>> partitions_at(Greedy(), PairScores(3, None, [2.0, -1.0, -1.0]), np.array([0.0, 3.0]))
    [Partition([0, 0, 1]), Partition([0, 1, 2])]
    """
    faster = getattr(clusterer, "partitions_at", None)
    if faster is None:
        return partition_one_by_one(clusterer, scores, thresholds)
    partitions: list[Partition] = faster(scores, thresholds)
    return partitions
