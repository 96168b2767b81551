"""Calibrations that depend on the size of the table, and confidences of whole clusters."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from coterie._core.arguments import as_floats, as_real, as_whole
from coterie._core.arrays import Floats
from coterie._kernels.linkage.sparse import scored_average_joins
from coterie.calibrations import (
    PROBABILITY_MARGIN,
    Calibration,
    ClusterCalibration,
    Isotonic,
    Logistic,
    cluster_evidence,
)
from coterie.exceptions import InputError
from coterie.pairs import PairScores
from coterie.partition import Partition
from coterie.sizing import MAX_LOG_ODDS, ScoreCounts, odds_at_size

__all__ = ["SizedCalibration", "TableCalibration", "WholeCalibration"]

LOST_PARTNERS = 0.5
"""The power with which the odds that a single item has no partner fall as more pairs are lost."""

COMPETITION = 0.15
"""Growth of the log-odds of clusters, at the same evidence, with the logarithm of the size: in a
larger table, more of the wrong pairs with a score lose against a better pair of the same row."""

MOST_GROWTH = 1.25
"""The largest fall of the log-odds of pairs per unit of the logarithm of the size; the number of
wrong pairs per right one grows like the size where no block is cut."""

MAX_LOSS = 0.75
"""The largest share of the held-out matches that may score below a threshold."""


@dataclass(frozen=True, eq=False)
class WholeCalibration(ClusterCalibration):
    """Turn scores into probabilities of pairs, and into confidences of whole clusters.

    The confidence of a cluster is the probability that all its items are one entity. The evidence
    is its weakest join: if its items are joined step by step, always the two parts with the highest
    mean score, it is the lowest of these means, as log-odds of a pair.

    The confidence of a singleton is the probability that no other item belongs to it, as with
    `ClusterCalibration`.

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
    >>> calibration = WholeCalibration(Logistic(), Logistic(), Logistic())
    >>> scores = PairScores(3, None, [3.0, 2.0, 1.0])
    >>> calibration.confidences(scores, Partition([0, 0, 0])).clusters.round(3)
    array([0.818])
    """

    def evidence(self, scores: PairScores, partition: Partition, probabilities: Floats) -> Floats:
        """Return the evidence for each cluster, as log-odds."""
        evidence = cluster_evidence(scores, partition, probabilities)
        weakest = weakest_joins(scores, partition)
        has_joins = np.isfinite(weakest)
        evidence[has_joins] = as_log_odds(self.pairs(weakest[has_joins]))
        return evidence


@dataclass(frozen=True, eq=False)
class TableCalibration(WholeCalibration):
    """The calibration for one table, made by `SizedCalibration.at`; scores are minus `threshold`.

    Parameters
    ----------
    pairs, clusters, singletons
        As of `WholeCalibration`.
    threshold
        The score from which rows are linked in this table, by the scores of the model.
    growth
        The logarithm of how many times more rows it has than the training table, at least 0.
    spread
        The standard error of the logarithm of the number of wrong pairs above the threshold.
    recall
        The share of the true pairs of held-out entities that were found with this threshold.
    n_entities
        The number of these entities.
    """

    threshold: float = 0.0
    growth: float = 0.0
    spread: float = 0.0
    recall: float = 1.0
    n_entities: int = 0


@dataclass(frozen=True, eq=False)
class SizedCalibration(WholeCalibration):
    """A calibration that can be adapted to the number of rows of a table, and to its scores.

    Called as it is, it holds for a table of the size of the training table.

    Parameters
    ----------
    pairs, clusters, singletons
        As of `WholeCalibration`.
    held_out
        Numbers of held-out pairs by score.
    level
        The log-odds of a pair of score 0 at which the training table was divided best.
    thresholds, recalls
        The shares of the true pairs of held-out entities that are found with some thresholds.
    n_entities
        The number of held-out entities of two or more rows.
    """

    held_out: ScoreCounts
    level: float
    thresholds: Floats
    recalls: Floats
    n_entities: int

    def __post_init__(self) -> None:
        super().__post_init__()
        as_real("level", self.level, low=-MAX_LOG_ODDS, high=MAX_LOG_ODDS)
        as_whole("n_entities", self.n_entities)
        for name in ("thresholds", "recalls"):
            object.__setattr__(self, name, as_floats(name, getattr(self, name)))
        shapes = {self.thresholds.shape, self.recalls.shape}
        if len(shapes) > 1 or not len(self.thresholds) or np.any(np.diff(self.thresholds) <= 0):
            raise InputError(
                "thresholds and recalls must be lists of the same length, and thresholds ascend"
            )

    def at(self, n_rows: int, edges: ArrayLike, counts: ArrayLike) -> TableCalibration:
        """Return the calibration for a table, and the threshold with which to divide it.

        In a larger table than the training table, the threshold is where a pair is as likely right
        as at score 0 in the training table, but never below 0. It rises gradually up to twice the
        size, and so do the probabilities change. In tables that are not larger, nothing changes.

        Parameters
        ----------
        n_rows
            The number of different rows of the table.
        edges, counts
            The limits of bins of scores, and the numbers of candidate pairs in each; the first and
            the last bin are open.
        """
        doublings = float(np.log2(max(n_rows, 1) / self.held_out.n_rows))
        if doublings <= 0.0:
            return self._table(self.pairs, 0.0, 0.0, 0.0)
        odds = odds_at_size(self.held_out, n_rows, edges, counts)
        growth, weight = doublings * float(np.log(2.0)), min(doublings, 1.0)
        as_trained = as_log_odds(self.pairs(odds.centres))
        most = odds.centres[np.searchsorted(as_trained[:-1], self.level + MOST_GROWTH * growth)]
        most = min(max(float(most), 0.0), self._highest_threshold(edges))
        # At the same log-odds of a pair, more of the joins are right in a larger table.
        level = self.level - COMPETITION * growth
        aim = min(max(odds.score_at(level), 0.0), most)
        threshold = weight * aim
        log_odds = weight * odds.log_odds + (1.0 - weight) * as_trained
        curve = rising_curve(odds.centres - threshold, log_odds)
        return self._table(curve, threshold, growth, odds.spread_above(threshold))

    def _table(
        self, pairs: Calibration, threshold: float, growth: float, spread: float
    ) -> TableCalibration:
        recall = float(np.interp(threshold, self.thresholds, self.recalls))
        least = 1.0 / (self.n_entities + 2.0)
        lost = float(np.log((1.0 - recall + least) / (1.0 - self.recalls[0] + least)))
        above = self.held_out.edges > 0.0
        return TableCalibration(
            pairs,
            _moved(self.clusters, COMPETITION * growth),
            _moved(self.singletons, -LOST_PARTNERS * lost),
            threshold,
            growth,
            float(np.hypot(spread, 1.0 / np.sqrt(1.0 + self.held_out.others[1:][above].sum()))),
            recall,
            self.n_entities,
        )

    def _highest_threshold(self, edges: ArrayLike) -> float:
        """Return the threshold beyond which too many matches, or unknown ones, would be lost."""
        below = np.cumsum(self.held_out.matches)
        index = int(np.searchsorted(below, MAX_LOSS * below[-1]))
        limits = self.held_out.edges
        return max(min(float(limits[min(index, len(limits) - 1)]), float(np.max(edges))), 0.0)


def _moved(curve: Calibration, log_odds: float) -> Calibration:
    """Return a curve with other log-odds; curves other than a logistic one stay as they are."""
    if not isinstance(curve, Logistic):
        return curve
    return Logistic(curve.slope, curve.intercept + log_odds)


def weakest_joins(scores: PairScores, partition: Partition) -> Floats:
    """Return the lowest mean score of the joins that hold each cluster together; ∞ without any.

    Pairs without a score count for nothing.

    >>> weakest_joins(PairScores(3, None, [3.0, 2.0, 1.0]), Partition([0, 0, 0]))
    array([1.5])
    """
    weakest = np.full(partition.n_clusters, np.inf)
    inside = np.flatnonzero(partition.together(scores.listed))
    pairs, values = scores.pairs[inside], scores.scores[inside]
    if len(values):
        below = float(values.min()) - 1.0
        links, heights, _ = scored_average_joins(
            scores.n_items, np.ascontiguousarray(pairs), np.ascontiguousarray(values), below
        )
        np.minimum.at(weakest, partition.labels[links[:, 0]], heights)
    return weakest


def rising_curve(scores: Floats, log_odds: Floats) -> Isotonic:
    """Return a curve through log-odds that never fall, and go on falling below the first score."""
    slope = (log_odds[-1] - log_odds[0]) / (scores[-1] - scores[0])
    below = scores[0] - MAX_LOG_ODDS / max(slope, 1e-3) * np.array([1.0, 0.5, 0.25])
    fallen = log_odds[0] - MAX_LOG_ODDS * np.array([1.0, 0.5, 0.25])
    probabilities = expit(np.concatenate([fallen, log_odds]))
    return Isotonic(np.concatenate([below, scores]), np.maximum.accumulate(probabilities))


def as_log_odds(probabilities: ArrayLike) -> Floats:
    """Return log-odds of probabilities, which are first moved away from 0 and 1."""
    clipped = np.clip(probabilities, PROBABILITY_MARGIN, 1.0 - PROBABILITY_MARGIN)
    return np.asarray(logit(clipped))
