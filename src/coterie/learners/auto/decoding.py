"""The clusterers and thresholds that the automatic choice evaluates on held-out scores."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed

from coterie._core.arrays import Bools, Floats
from coterie._types import Clusterer
from coterie.clusterers.thresholds import partitions_at, with_missing_score
from coterie.learners.auto.candidates import SizeLimit
from coterie.learners.auto.measure import Measure
from coterie.learners.workers import call_all
from coterie.pairs import PairScores
from coterie.partition import Partition

N_QUANTILES = 14
"""Number of thresholds at quantiles of the scores."""

N_EVEN = 13
"""Number of further thresholds at even distances, for a single item set."""

N_NEIGHBOURS = 2
"""Number of thresholds on either side over which the results of a single item set are averaged."""

MIN_RATIO, MAX_RATIO = 0.12, 8.0
"""Bounds on the number of pairs above a threshold, relative to the number of pairs together."""

MAX_SHARE = 0.9
"""Largest share of all pairs that may score above a threshold."""


class MeasuredClusterer(NamedTuple):
    """A clusterer at several thresholds.

    `table` has one row per threshold: the mean of the metric over item sets, then the values whose
    spread gives its standard error.
    """

    clusterer: Clusterer
    thresholds: list[float]
    table: Floats


def measure_rules(
    clusterers: Sequence[Clusterer],
    set_scores: Sequence[PairScores],
    truths: Sequence[Partition],
    metric: Callable[..., Any],
    limit: SizeLimit | None,
    n_jobs: int = 1,
) -> list[MeasuredClusterer]:
    """Measure each clusterer at each threshold, by the scores of held-out item sets."""
    missing = mean_score_apart(set_scores, truths)
    thresholds = threshold_grid(set_scores, truths)
    costed = [
        with_size_cost(with_missing_score(clusterer, missing), limit, set_scores, truths)
        for clusterer in clusterers
    ]
    is_single = len(truths) == 1
    measures = [Measure(metric, truth, is_single) for truth in truths]
    calls = (
        delayed(_measure_all)(costed, scores, thresholds, measure)
        for scores, measure in zip(set_scores, measures, strict=True)
    )
    # Each array is clusterers × thresholds × (metric, values of the standard error).
    arrays = list(call_all(calls, n_jobs))
    means = np.mean([array[..., :1] for array in arrays], axis=0)
    tables = np.concatenate([means, *(array[..., 1:] for array in arrays)], axis=-1)
    if is_single:
        tables = smooth_over_thresholds(tables)
    return [
        MeasuredClusterer(clusterer, thresholds.tolist(), table)
        for clusterer, table in zip(costed, tables, strict=True)
    ]


def _measure_all(
    clusterers: list[Clusterer],
    scores: PairScores,
    thresholds: Floats,
    measure: Measure,
) -> Floats:
    """Measure each clusterer (axis 0) at each threshold (axis 1) on one item set."""
    return np.array(
        [
            [measure(predicted) for predicted in partitions_at(clusterer, scores, thresholds)]
            for clusterer in clusterers
        ]
    )


def threshold_grid(set_scores: Sequence[PairScores], truths: Sequence[Partition]) -> Floats:
    """Return 0 and some quantiles of the scores of all item sets, ascending.

    The quantiles lie around the base rate, which is the share of pairs that are together, at equal
    ratios. For a single item set, thresholds at even distances are added, because few scores may
    lie between the pairs together and the pairs apart. If a blocker left out pairs, no threshold is
    below the mean score of the pairs apart: such a threshold would join the left-out pairs too. The
    grid is 0 alone if all pairs are together, or none is.
    """
    scores = np.concatenate([pair_scores.scores for pair_scores in set_scores])
    together = _together(set_scores, truths)
    if together.all() or not together.any():
        return np.zeros(1)
    base_rate = float(together.mean())
    max_ratio = max(min(MAX_RATIO, MAX_SHARE / base_rate), MIN_RATIO)
    shares = base_rate * np.geomspace(MIN_RATIO, max_ratio, N_QUANTILES)
    grid = np.unique(np.append(np.quantile(scores, 1.0 - shares), 0.0))
    if len(set_scores) == 1:
        grid = np.union1d(grid, np.linspace(grid[0], grid[-1], N_EVEN + 2))
    if all(pair_scores.listed is None for pair_scores in set_scores):
        return grid
    return grid[grid >= mean_score_apart(set_scores, truths)]


def smooth_over_thresholds(results: Floats) -> Floats:
    """Average the results at each threshold, along axis 1, with those at neighbouring thresholds.

    A single join of two large clusters changes the result of an item set a lot, and on the next
    item set it happens at another threshold.

    >>> results = np.array([[[0.0], [60.0], [0.0], [0.0], [0.0]]])
    >>> smooth_over_thresholds(results).ravel().tolist()
    [20.0, 15.0, 12.0, 15.0, 0.0]
    """
    indices = np.arange(results.shape[1])
    is_near = (np.abs(indices[:, None] - indices) <= N_NEIGHBOURS).astype(np.float64)
    weights = is_near / is_near.sum(axis=1, keepdims=True)
    smoothed: Floats = np.einsum("tn,cnv->ctv", weights, results)
    return smoothed


def mean_score_apart(set_scores: Sequence[PairScores], truths: Sequence[Partition]) -> float:
    """Return the mean score of the pairs apart: an estimate for the pairs that a blocker left out.

    It is at most 0, and 0 if no pair is apart.
    """
    apart = np.concatenate(
        [
            pair_scores.scores[~truth.together(pair_scores.listed)]
            for pair_scores, truth in zip(set_scores, truths, strict=True)
        ]
    )
    return min(float(apart.mean()), 0.0) if len(apart) else 0.0


def with_size_cost(
    clusterer: Clusterer,
    limit: SizeLimit | None,
    set_scores: Sequence[PairScores],
    truths: Sequence[Partition],
) -> Clusterer:
    """Set what a join beyond the limit costs, in a clusterer that has a limit."""
    if limit is None or getattr(clusterer, "max_size", None) is None:
        return clusterer
    scores = np.concatenate([pair_scores.scores for pair_scores in set_scores])
    cost = limit.cost(scores, _together(set_scores, truths))
    return replace(clusterer, size_cost=cost)  # type: ignore[type-var]


def _together(set_scores: Sequence[PairScores], truths: Sequence[Partition]) -> Bools:
    """Return whether each scored pair is together."""
    return np.concatenate(
        [
            truth.together(pair_scores.listed)
            for pair_scores, truth in zip(set_scores, truths, strict=True)
        ]
    )
