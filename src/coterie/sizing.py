"""The meaning of scores in a table of another size than that from which a model has learned.

In a table of n rows, the pairs that belong together (matches) grow like n, but other pairs of high
score (non-matches) grow like n². So the same score means less in a larger table. The counts of
held-out pairs by score, and of the candidate pairs of the table at hand, tell by how much.
"""

from dataclasses import dataclass
from functools import cached_property
from math import asinh, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import isotonic_regression

from coterie._core.arguments import as_floats, as_real
from coterie._core.arrays import Bools, Floats
from coterie._core.values import Value
from coterie.exceptions import InputError

__all__ = ["ScoreCounts"]

N_BINS = 96
"""The number of bins of held-out scores."""

BEND = 3.0
"""The log-odds up to which bins are about equally wide; beyond, they widen with the score."""

MAX_LOG_ODDS = 9.0
"""The largest log-odds of a bin; more cannot be learned from a histogram."""

SMOOTH_MATCHES, SMOOTH_OTHERS = 20.0, 100.0
"""Penalties on the curvature of the logarithms of the densities."""

PSEUDO = 0.5
"""Non-matches that are added to all bins together, so that none is impossible."""

OVERDISPERSION = 2.0
"""Variance of counts relative to their mean: pairs of one entity are alike."""

ATTENUATION = 0.2
"""Non-matches grow like the number of rows to the power of 2 minus this, since blocks are cut."""

GROWTH_ERROR = 0.3
"""Relative error of that growth, per unit of the logarithm of the ratio of sizes."""

SHAPE_ERROR = 0.4
"""Relative error of the density of matches in another table."""

TOTAL_ERROR = 0.15
"""Relative error of the number of matches in another table."""

MIN_EXCESS = 1.0
"""Non-matches per match from which on a bin shows how many there are."""

ANCHOR, ANCHOR_GROWTH, ANCHOR_SPREAD = -6.5, 0.5, 2.0
"""Log-odds of non-matches among the best quarter of the matches, its growth, and its spread."""

MAX_VARIANCE = 1.5
"""The largest variance of the logarithm of a count that raises the expected count."""

MAX_STEPS, N_GATED = 300, 50
"""Numbers of Newton steps: of all, and of those before the informative bins are fixed."""


@dataclass(frozen=True, eq=False)
class ScoreCounts(Value):
    """Numbers of held-out pairs by score, of pairs that belong together and of all others.

    Parameters
    ----------
    edges
        The limits between bins, strictly ascending. The first and the last bin are open.
    matches, others
        The numbers of pairs in each bin, one more than there are edges.
    n_rows
        The number of different rows of the table. Of several tables: of a table that has the mean
        number of pairs per row.
    n_tables
        The number of tables of this size.
    """

    edges: Floats
    matches: Floats
    others: Floats
    n_rows: float
    n_tables: float = 1.0

    def __post_init__(self) -> None:
        for name in ("edges", "matches", "others"):
            object.__setattr__(self, name, as_floats(name, getattr(self, name)))
        as_real("n_rows", self.n_rows, low=1.0)
        as_real("n_tables", self.n_tables, low=1.0)
        if len(self.edges) < 4 or not np.all(np.diff(self.edges) > 0):
            raise InputError("edges must be at least four numbers in strictly ascending order")
        for name in ("matches", "others"):
            counts = getattr(self, name)
            if counts.shape != (len(self.edges) + 1,) or np.any(counts < 0):
                raise InputError(f"{name} must be {len(self.edges) + 1} counts, one per bin")

    @cached_property
    def centres(self) -> Floats:
        """The middle of each bin but the first; that of the last is its lower limit."""
        return np.append((self.edges[:-1] + self.edges[1:]) / 2.0, self.edges[-1])


class SizedOdds(NamedTuple):
    """Log-odds that pairs of a score belong together, in a table of some size.

    `centres` are scores; `log_odds` never fall. `n_others` are the expected numbers of non-matches
    around each, and `covariance` is that of their logarithms.
    """

    centres: Floats
    log_odds: Floats
    n_others: Floats
    covariance: Floats

    def score_at(self, log_odds: float) -> float:
        """Return the lowest score with these log-odds."""
        return float(np.interp(log_odds, self.log_odds, self.centres))

    def spread_above(self, score: float) -> float:
        """Return the standard error of the logarithm of the number of non-matches above a score."""
        weights = self.n_others * (self.centres > score)
        weights /= max(weights.sum(), 1e-300)
        return sqrt(max(float(weights @ self.covariance @ weights), 0.0))


def bin_edges(scores: Floats, is_match: Bools, slope: float) -> Floats:
    """Return limits of bins for held-out scores whose log-odds rise by about `slope` per unit."""
    slope = min(max(slope, 1e-9), 1e9)
    log_odds = scores[is_match] * slope
    low = np.quantile(log_odds, 0.01).item() if len(log_odds) else -2.0
    high = 1.5 * max(float(log_odds.max(initial=0.0)), 4.0)
    start, end = asinh(min(max(low, -8.0), -2.0) / BEND), asinh(high / BEND)
    return np.asarray(np.sinh(np.linspace(start, end, N_BINS - 1)) * BEND / slope)


def count_scores(scores: ArrayLike, edges: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Return the number of scores in each bin, of which the first and the last are open.

    >>> count_scores([0.5, 1.0, 7.0], [0.0, 1.0])
    array([0., 1., 2.])
    """
    limits = np.asarray(edges)
    bins = np.searchsorted(limits, np.asarray(scores), side="right")
    return np.bincount(bins, weights, len(limits) + 1).astype(np.float64)


def odds_at_training_size(held_out: ScoreCounts) -> SizedOdds:
    """Return the log-odds in the table from which the scores were held out."""
    matches = _log_density(held_out.matches[1:], SMOOTH_MATCHES)
    return _Mixture(held_out, matches, 1.0, 0.0).odds()


def odds_at_size(
    held_out: ScoreCounts, n_rows: int, edges: ArrayLike, counts: ArrayLike
) -> SizedOdds:
    """Return the log-odds in a table, given the numbers of its candidate pairs by score.

    Parameters
    ----------
    held_out
        The held-out scores of the training table.
    n_rows
        The number of different rows of the table.
    edges, counts
        The limits of bins of scores, and the numbers of candidate pairs in each bin; the first and
        the last bin are open.
    """
    limits, numbers = np.asarray(edges, np.float64), np.asarray(counts, np.float64)
    ratio = max(n_rows / held_out.n_rows, 1.0)
    scale = _scale_of_matches(held_out, ratio / held_out.n_tables, limits, numbers)
    matches = _log_density(_rescaled(held_out, scale)[1:], SMOOTH_MATCHES)
    fewer_tables = float(np.log(held_out.n_tables))
    mixture = _Mixture(held_out, matches + np.log(ratio) - fewer_tables, ratio, fewer_tables)
    # Above the last limit, the histogram of the table does not tell scores apart.
    is_known = held_out.edges < limits[-1]
    middles = np.concatenate([limits[:1] - 1.0, (limits[:-1] + limits[1:]) / 2.0, limits[-1:]])
    table = count_scores(middles, held_out.edges, numbers)[1:]
    return mixture.odds_with(table, is_known)


class _Mixture:
    """Finds the log-density of non-matches, given that of matches, by penalised Newton steps."""

    def __init__(
        self, held_out: ScoreCounts, matches: Floats, ratio: float, fewer_tables: float
    ) -> None:
        self.centres = held_out.centres
        self.matches = np.exp(matches)
        self.others = held_out.others[1:] + PSEUDO / len(matches)
        self.log_ratio = float(np.log(ratio))
        self.growth = (2.0 - ATTENUATION) * self.log_ratio - fewer_tables
        above = np.cumsum(self.matches[::-1])[::-1] / max(self.matches.sum(), 1e-9)
        self.is_low = above >= 0.5
        best = ((above <= 0.25) & (above > 0.005)).astype(np.float64)
        if not best.any():
            best[-len(best) // 8 :] = 1.0
        best /= best.sum()
        self.penalty = SMOOTH_OTHERS * _curvature(len(matches))
        self.penalty += np.outer(best, best) / ANCHOR_SPREAD**2
        aim = best @ matches + ANCHOR + ANCHOR_GROWTH * self.log_ratio - self.growth
        self.pull = best * aim / ANCHOR_SPREAD**2

    def odds(self) -> SizedOdds:
        """Return the log-odds without a table at hand."""
        log_others, covariance = self._solve(None, None)
        return self._as_odds(self.matches, log_others, covariance)

    def odds_with(self, table: Floats, is_known: Bools) -> SizedOdds:
        """Return the log-odds in a table with these numbers of candidate pairs."""
        log_others, covariance = self._solve(table, is_known)
        others = np.exp(log_others)
        table = np.where(is_known, table, self.matches)
        # Where matches prevail, what is left of the table is nearer to the truth than the held-out
        # density; elsewhere, it is nearer to noise.
        rest = np.maximum(_moving_sum(table) - _moving_sum(others), 0.0) / WINDOW
        weight = self.matches / (self.matches + others)
        matches = (1.0 - weight) * self.matches + weight * np.maximum(rest, 1e-3)
        return self._as_odds(matches + 1e-9, log_others, covariance)

    def _solve(self, table: Floats | None, is_known: Bools | None) -> tuple[Floats, Floats]:
        """Return the logarithms of the numbers of non-matches, and their covariance."""
        density = _log_density(self.others, SMOOTH_OTHERS, ridge=1.0)
        is_informative = np.zeros(len(density), dtype=np.bool_)
        above = np.zeros_like(self.penalty)
        for step in range(MAX_STEPS):
            expected = np.exp(density)
            error = (GROWTH_ERROR * self.log_ratio * expected) ** 2
            variance = expected * OVERDISPERSION + error + 1e-9
            gradient = expected * (self.others - expected) / variance
            information = expected**2 / variance
            if table is not None and is_known is not None:
                grown = np.exp(density + self.growth)
                if step < N_GATED:
                    is_informative = is_known & self._informative(table, grown)
                variance = (self.matches + grown) * OVERDISPERSION
                variance += (SHAPE_ERROR * self.matches) ** 2 + 1e-9
                residual = table - self.matches - grown
                gradient += is_informative * grown * residual / variance
                information += is_informative * grown**2 / variance
                high = np.where(is_informative, 0.0, grown)
                surplus = min(np.sum(residual, where=~is_informative), 0.0)
                total = np.sum(self.matches + high, where=~is_informative) * OVERDISPERSION
                total += (TOTAL_ERROR * np.sum(self.matches, where=~is_informative)) ** 2 + 1e-9
                gradient += high * surplus / total
                above = np.outer(high, high) / total if surplus < 0.0 else above * 0.0
            hessian = np.diag(information + 1e-6) + self.penalty + above
            gradient += self.pull - self.penalty @ density
            change = np.clip(np.linalg.solve(hessian, gradient), -0.5, 0.5)
            density = np.clip(density + change, -60.0, 60.0)
            if (table is None or step > N_GATED) and np.abs(change).max() < 1e-4:
                break
        return density + self.growth, np.asarray(np.linalg.inv(hessian))

    def _informative(self, table: Floats, grown: Floats) -> Bools:
        """Return the low bins up to the first one in which matches prevail."""
        is_mixed = grown > MIN_EXCESS * self.matches
        is_mixed |= _moving_sum(table) > (1.0 + MIN_EXCESS) * _moving_sum(self.matches)
        return np.logical_and.accumulate(is_mixed & self.is_low)

    def _as_odds(self, matches: Floats, log_others: Floats, covariance: Floats) -> SizedOdds:
        # The mean of a number is above its median, exp(log), where its logarithm is uncertain.
        others = np.exp(log_others + np.minimum(np.diag(covariance), MAX_VARIANCE) / 2.0)
        log_ratio = np.log(matches) - np.log(others)
        rising = isotonic_regression(log_ratio, weights=matches + others).x
        log_odds = np.clip(rising, -MAX_LOG_ODDS, MAX_LOG_ODDS)
        return SizedOdds(self.centres, log_odds, others, covariance)


WINDOW = 7
"""The number of bins of a moving sum."""


def _moving_sum(values: Floats) -> Floats:
    return np.convolve(values, np.ones(WINDOW), "same")


def _curvature(n_bins: int) -> Floats:
    """Return the matrix of the sum of squared second differences."""
    differences = np.diff(np.eye(n_bins), 2, axis=0)
    return np.asarray(differences.T @ differences)


def _log_density(counts: Floats, smoothness: float, ridge: float = 0.0) -> Floats:
    """Return the logarithm of smooth expected counts; `ridge` penalises slopes."""
    slopes = np.diff(np.eye(len(counts)), axis=0)
    penalty = smoothness * _curvature(len(counts)) + ridge * slopes.T @ slopes
    penalty += 1e-9 * np.eye(len(counts))
    density = np.log(counts + 0.3)
    for _ in range(MAX_STEPS):
        expected = np.exp(density)
        gradient = counts - expected - penalty @ density
        change = np.clip(np.linalg.solve(np.diag(expected) + penalty, gradient), -1.0, 1.0)
        density = np.clip(density + change, -60.0, 60.0)
        if np.abs(change).max() < 1e-6:
            break
    return density


def _scale_of_matches(held_out: ScoreCounts, ratio: float, edges: Floats, counts: Floats) -> float:
    """Return by which factor the scores of matches are larger in the table than held out.

    Models of all entities differ from those that were fitted without the held-out ones. The median
    match of the table is the pair of the rank that half of the expected matches have.
    """
    n_matches = held_out.matches.sum() * ratio
    above = np.cumsum(counts[::-1])[::-1]  # pairs in a bin and in higher ones
    if not n_matches or above[0] < n_matches / 2.0:
        return 1.0
    index = int(np.flatnonzero(above >= n_matches / 2.0)[-1])
    score = edges[max(index - 1, 0)]
    share = min(max(above[index] / n_matches, 0.5), 0.95)
    held_above = np.cumsum(held_out.matches[::-1])[::-1] / held_out.matches.sum()
    before = held_out.edges[max(int(np.flatnonzero(held_above >= share)[-1]) - 1, 0)]
    if score <= 0.0 or before <= 0.0:
        return 1.0
    return float(np.clip(score / before, 0.5, 2.0))


def _rescaled(held_out: ScoreCounts, scale: float) -> Floats:
    """Return the numbers of matches by score if positive scores were `scale` times as large."""
    edges = held_out.edges
    moved = np.where(edges > 0.0, edges * scale, edges)
    below = np.cumsum(held_out.matches)
    totals = np.interp(edges, moved, below[:-1], right=below[-1])
    return np.diff(np.concatenate([[0.0], totals, below[-1:]]))
