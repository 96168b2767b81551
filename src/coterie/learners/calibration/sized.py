"""The calibration of a model for tables, which depends on the size of the table."""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from coterie._core.arrays import Bools, Floats, Ints
from coterie._types import Clusterer
from coterie.calibrations import ClusterCalibration, Logistic
from coterie.clusterers.thresholds import partitions_at
from coterie.learners.calibration.calibrated import fit_calibration
from coterie.learners.calibration.curve_fits import Platt
from coterie.pairs import PairScores
from coterie.partition import Partition
from coterie.sized_calibrations import SizedCalibration, WholeCalibration, rising_curve
from coterie.sizing import ScoreCounts, SizedOdds, bin_edges, count_scores, odds_at_training_size

LOWEST_LEVEL = -2.0
"""The lowest log-odds of a pair at which a larger table is divided."""

N_THRESHOLDS = 8
"""The number of thresholds above 0 for which the recall is measured."""

WRONG_JOINS = Logistic(1.0, 0.7)
"""The curve of clusters that is expected before any clusters are seen: they are right more often
than a pair of the score of their weakest join, since rows are joined to their best partners."""

CLUSTER_SPREADS, SINGLETON_SPREADS = (1.0, 0.25), (2.0, 1.0)
"""The expected distances of the intercept and the slope of a curve from the expected ones. That of
single items may be flat, where clusters are small: their best partner then has another one."""

HeldOut = Sequence[tuple[PairScores, Partition]]


def fit_sized_calibration(
    held_out: HeldOut,
    clusterer: Clusterer,
    distinct: Sequence[Bools] | None = None,
    weights: Sequence[Floats] | None = None,
) -> ClusterCalibration:
    """Learn from held-out scores how sure pairs and clusters are, in tables of any size.

    If `held_out` is empty, scores and evidence count as log-odds in any table.

    Parameters
    ----------
    held_out
        The scores and the correct partition of each item set.
    clusterer
        The clusterer of the learner's predictions.
    distinct
        For each item set, whether each item counts; copies of earlier items do not.
    weights
        For each item set, the number of pairs for which each scored pair stands; 1 by default.

    Examples
    --------
    >>> from coterie.clusterers import Greedy
    >>> scores = PairScores(4, None, [2.0, -1.0, 1.0, -2.0, 1.0, -2.0])
    >>> calibration = fit_sized_calibration([(scores, Partition([0, 0, 1, 1]))], Greedy())
    >>> calibration.n_entities, calibration.held_out.n_rows
    (2, 4.0)
    """
    if not held_out:
        return fit_calibration([], clusterer)
    counts = _count(held_out, distinct, weights)
    odds = odds_at_training_size(counts)
    curve = rising_curve(odds.centres, odds.log_odds)
    pairs_only = WholeCalibration(curve, Logistic(), Logistic())
    evidence, is_right, is_single = _predictions(held_out, clusterer, pairs_only)
    thresholds = _thresholds(counts)
    return SizedCalibration(
        curve,
        fit_near(WRONG_JOINS, evidence[~is_single], is_right[~is_single], CLUSTER_SPREADS),
        fit_near(Logistic(), evidence[is_single], is_right[is_single], SINGLETON_SPREADS),
        counts,
        _level(odds),
        thresholds,
        _recalls(held_out, clusterer, thresholds),
        sum(int(np.sum(truth.sizes > 1)) for _, truth in held_out),
    )


def fit_near(
    expected: Logistic,
    evidence: Floats,
    is_right: Bools,
    spreads: tuple[float, float] = CLUSTER_SPREADS,
) -> Logistic:
    """Fit a logistic curve that stays near an expected one where there are few examples.

    >>> fit_near(Logistic(), np.array([]), np.array([], dtype=bool))
    Logistic(slope=1.0, intercept=0.0)
    """
    prior = np.array([expected.intercept, expected.slope])
    precision = np.diag(np.array(spreads) ** -2.0)
    design = np.stack([np.ones(len(evidence)), evidence])
    weights = prior.copy()
    for _ in range(100):
        probabilities = expit(weights @ design)
        gradient = design @ (is_right - probabilities) - precision @ (weights - prior)
        curvature = (design * (probabilities * (1.0 - probabilities))) @ design.T + precision
        step = np.clip(np.linalg.solve(curvature, gradient), -0.5, 0.5)
        weights = weights + step
        if np.abs(step).max() < 1e-9:
            break
    return Logistic(max(float(weights[1]), 0.0), float(weights[0]))


def _count(
    held_out: HeldOut, distinct: Sequence[Bools] | None, weights: Sequence[Floats] | None
) -> ScoreCounts:
    """Count the held-out pairs by score, without those of copies."""
    values, together, numbers, sizes = [], [], [], []
    for index, (scores, truth) in enumerate(held_out):
        counts = np.ones(len(truth), dtype=np.bool_) if distinct is None else distinct[index]
        is_counted = counts[scores.pairs].all(axis=1)
        values.append(scores.scores[is_counted])
        together.append(truth.together(scores.listed)[is_counted])
        ones = np.ones(len(scores.scores)) if weights is None else weights[index]
        numbers.append(ones[is_counted])
        sizes.append(float(counts.sum()))
    all_values, is_match = np.concatenate(values), np.concatenate(together)
    number = np.concatenate(numbers)
    slope = Platt().fit(all_values, is_match.astype(np.float64)).slope
    edges = bin_edges(all_values, is_match, slope)
    # Pairs grow like the square of the rows, so large tables count more.
    n_rows = max(sum(size**2 for size in sizes) / max(sum(sizes), 1.0), 1.0)
    return ScoreCounts(
        edges,
        count_scores(all_values[is_match], edges, number[is_match]),
        count_scores(all_values[~is_match], edges, number[~is_match]),
        n_rows,
        max(sum(sizes) / n_rows, 1.0),
    )


def _predictions(
    held_out: HeldOut, clusterer: Clusterer, calibration: WholeCalibration
) -> tuple[Floats, Bools, Bools]:
    """Return the evidence for each predicted cluster, and whether it is right, and of one item."""
    evidence, is_right, is_single = [], [], []
    for scores, truth in held_out:
        predicted = clusterer(scores)
        evidence.append(calibration.evidence(scores, predicted, calibration(scores.scores)))
        is_right.append(are_right(truth, predicted))
        is_single.append(predicted.sizes == 1)
    return np.concatenate(evidence), np.concatenate(is_right), np.concatenate(is_single)


def are_right(truth: Partition, predicted: Partition) -> Bools:
    """Return for each predicted cluster whether all its items are one entity.

    A cluster of one item is right if the item is alone in the truth.

    >>> are_right(Partition([0, 0, 1, 1]), Partition([0, 0, 1, 2]))
    array([ True, False, False])
    """
    lowest = np.full(predicted.n_clusters, len(truth))
    highest = np.full(predicted.n_clusters, -1)
    np.minimum.at(lowest, predicted.labels, truth.labels)
    np.maximum.at(highest, predicted.labels, truth.labels)
    is_pure: Bools = lowest == highest
    is_alone = truth.sizes[np.minimum(lowest, truth.n_clusters - 1)] == 1
    return np.where(predicted.sizes == 1, is_alone, is_pure)


def _level(odds: SizedOdds) -> float:
    """Return the log-odds of a pair of score 0, within bounds."""
    level = float(np.interp(0.0, odds.centres, odds.log_odds))
    return min(max(level, LOWEST_LEVEL), 0.0)


def _thresholds(counts: ScoreCounts) -> Floats:
    """Return 0 and some quantiles of the scores of matches."""
    below = np.cumsum(counts.matches)[:-1] / max(counts.matches.sum(), 1.0)
    shares = np.linspace(0.02, 0.8, N_THRESHOLDS)
    quantiles = counts.edges[np.minimum(np.searchsorted(below, shares), len(below) - 1)]
    return np.unique(np.append(quantiles[quantiles > 0.0], 0.0))


def _recalls(held_out: HeldOut, clusterer: Clusterer, thresholds: Floats) -> Floats:
    """Return the share of all true pairs that are together at each threshold; it never rises."""
    n_found = np.zeros(len(thresholds))
    n_true = 0.0
    for scores, truth in held_out:
        n_true += _n_pairs(truth.sizes)
        for index, predicted in enumerate(partitions_at(clusterer, scores, thresholds)):
            cells = truth.labels * max(predicted.n_clusters, 1) + predicted.labels
            n_found[index] += _n_pairs(np.unique(cells, return_counts=True)[1])
    return np.minimum.accumulate(n_found / n_true) if n_true else np.ones(len(thresholds))


def _n_pairs(sizes: Ints) -> float:
    return float(np.sum(sizes * (sizes - 1.0))) / 2.0
