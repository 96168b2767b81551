"""The thresholds that are tried, taken from all scores, and what is reached at them."""

from collections.abc import Sequence

import numpy as np

from coterie._core.arrays import Floats
from coterie.pairs import PairScores
from coterie.partition import Partition

N_THRESHOLDS, N_BETWEEN = 14, 13
"""How many thresholds are tried, and how many more of a single item set."""

BESIDE = 2
"""How many of the thresholds on either side count for one of a single item set."""

LEAST, MOST = 0.12, 8.0
"""The thresholds leave from 0.12 to 8 times as many pairs above them as are together, …"""

ALMOST_ALL = 0.9
"""… but at most this share of all."""


def threshold_grid(scored: Sequence[PairScores], truths: Sequence[Partition]) -> Floats:
    """Return 0 and some quantiles of the scores of all item sets, ascending.

    The quantiles lie around the base rate, the share of pairs together, on a logarithmic scale; of
    a single item set there are thresholds at even distances too, as few pairs may lie between those
    together and those apart. Where not all pairs are listed, none is below what those apart score
    on the average: it would join all that was not looked at. It is 0 alone where all pairs are
    together, or none is.
    """
    scores = np.concatenate([each.scores for each in scored])
    together = np.concatenate(
        [truth.together(each.listed) for each, truth in zip(scored, truths, strict=True)]
    )
    if together.all() or not together.any():
        return np.zeros(1)
    base = float(together.mean())
    most = max(min(MOST, ALMOST_ALL / base), LEAST)
    shares = base * np.geomspace(LEAST, most, N_THRESHOLDS)
    grid = np.unique(np.append(np.quantile(scores, 1.0 - shares), 0.0))
    if len(scored) == 1:
        grid = np.union1d(grid, np.linspace(grid[0], grid[-1], N_BETWEEN + 2))
    are_all = all(each.listed is None for each in scored)
    return grid if are_all else grid[grid >= mean_score_apart(scored, truths)]


def smooth_over_thresholds(reached: Floats) -> Floats:
    """Average what was reached at each threshold, along axis 1, with what was beside it.

    One join of two large clusters moves what a single item set reaches, and the next item set is
    joined at another threshold.

    >>> smooth_over_thresholds(np.array([[[0.0], [60.0], [0.0], [0.0], [0.0]]])).ravel().tolist()
    [20.0, 15.0, 12.0, 15.0, 0.0]
    """
    n_thresholds = reached.shape[1]
    places = np.arange(n_thresholds)
    near = (np.abs(places[:, None] - places) <= BESIDE).astype(np.float64)
    averaged: Floats = np.einsum("tn,cnv->ctv", near / near.sum(axis=1, keepdims=True), reached)
    return averaged


def mean_score_apart(scored: Sequence[PairScores], truths: Sequence[Partition]) -> float:
    """Return what pairs apart score on the average: what is foreseen of those not listed.

    Never above 0, which is what it is where no pair is apart.
    """
    both = zip(scored, truths, strict=True)
    apart = np.concatenate([each.scores[~truth.together(each.listed)] for each, truth in both])
    return min(float(apart.mean()), 0.0) if len(apart) else 0.0
