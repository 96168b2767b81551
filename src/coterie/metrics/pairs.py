"""Metrics over pairs of items, which are together or not in the truth and in the prediction."""

import numpy as np
from numpy.typing import ArrayLike

from coterie._core.arguments import as_floats
from coterie._core.arrays import Floats
from coterie.exceptions import MetricError
from coterie.metrics.contingency import Contingency, pairs_within
from coterie.metrics.metric import Ratio, Scores, metric, scores_from_ratios, with_direction
from coterie.pairs import as_symmetric, count_pairs, upper_triangle
from coterie.partition import PartitionLike, as_partition


@metric(greater_is_better=False, same_items=True)
def pair_loss(table: Contingency) -> float:
    """Return the percentage of pairs on which the two clusterings disagree, from 0 to 100.

    Δ_P = 100 W / T for W of T pairs (Finley & Joachims 2005, section 6). Without any pair it is 0.

    >>> pair_loss([0, 0, 1, 1], [0, 0, 0, 1])
    50.0
    """
    return 100.0 * _disagreement(table)


@metric(greater_is_better=True, same_items=True)
def rand_score(table: Contingency) -> float:
    """Return the share of pairs on which the two clusterings agree (Rand 1971).

    Without any pair it is 1.

    >>> rand_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    """
    return 1.0 - _disagreement(table)


@metric(greater_is_better=True, summable=False, same_items=True)
def adjusted_rand_score(table: Contingency) -> float:
    """Return the Rand index corrected for chance (Hubert & Arabie 1985).

    Equal clusterings score 1. Random clusterings with the same cluster sizes score 0 on average.

    >>> adjusted_rand_score([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    together, split, joined = _confusion(table)
    if not split and not joined:
        return 1.0
    apart = _n_pairs(table) - together - split - joined
    expected = (together + split) * (split + apart) + (together + joined) * (joined + apart)
    return 2.0 * (together * apart - split * joined) / expected


@metric(greater_is_better=True)
def pair_scores(table: Contingency) -> Scores:
    """Return precision, recall and F1 of the pairs that are together.

    F1 = 2|M_p ∩ M_a| / (|M_p| + |M_a|), where M_p and M_a are the pairs that are together in the
    prediction and in the truth (Li & Roth 2005, section 6). If neither has such a pair, all three
    are 1. If only one has none, all three are 0.

    >>> pair_scores([0, 0, 1, 1], [0, 0, 0, 1])
    Scores(precision=0.3333333333333333, recall=0.5, f1=0.4)
    """
    shared = table.shared_pairs
    return scores_from_ratios(
        Ratio(shared, table.predicted_pairs), Ratio(shared, table.truth_pairs)
    )


@with_direction(greater_is_better=False)
def weighted_clustering_error(
    truth: PartitionLike,
    predicted: PartitionLike,
    distances: ArrayLike,
    pairs: ArrayLike | None = None,
) -> float:
    """Return the pairs on which two clusterings disagree, weighted by their distances.

    err = 1/n² Σ_{i,j} [d_ij A_ij + (D − d_ij) B_ij] over ordered pairs, where A marks wrongly split
    pairs, B marks wrongly joined pairs, and D is the largest distance (Li & Roth 2005, eq. 3). The
    error is 0 for equal clusterings and for fewer than two items.

    Parameters
    ----------
    truth, predicted
        Two clusterings of the same n items.
    distances
        Distances of all pairs, condensed or as a symmetric n × n matrix, or of the given pairs.
    pairs
        The pairs, of shape (m, 2). None means all pairs.

    Examples
    --------
    >>> weighted_clustering_error([0, 0, 1], [0, 1, 1], [2.0, 3.0, 4.0])
    0.4444444444444444
    """
    true = as_partition(truth)
    guessed = as_partition(predicted, len(true))
    same, joined = true.together(pairs), guessed.together(pairs)
    values = _as_distances(distances, len(true), None if pairs is None else len(same))
    if not len(values):
        return 0.0
    wrongly_joined = values.max() - values[joined & ~same]
    total = values[same & ~joined].sum() + wrongly_joined.sum()
    return 2.0 * float(total) / len(true) ** 2


def _confusion(table: Contingency) -> tuple[int, int, int]:
    """Return the numbers of pairs together in both, wrongly split, and wrongly joined."""
    together = table.shared_pairs
    return together, table.truth_pairs - together, table.predicted_pairs - together


def _n_pairs(table: Contingency) -> int:
    return pairs_within(table.n_items[:, 2])


def _disagreement(table: Contingency) -> float:
    _, split, joined = _confusion(table)
    return (split + joined) / max(_n_pairs(table), 1)


def _as_distances(distances: ArrayLike, n_items: int, n_listed: int | None) -> Floats:
    """Return the distances of all pairs in condensed order, or of `n_listed` given pairs."""
    values = as_floats("distances", distances, MetricError)
    if not np.isfinite(values).all():
        raise MetricError("distances have a NaN or an infinite entry; give finite numbers")
    if n_listed is not None:
        if values.shape != (n_listed,):
            raise MetricError(
                f"distances have shape {values.shape}, but there are {n_listed} pairs; give one "
                "distance per pair"
            )
        return values
    if values.ndim == 2:
        values = upper_triangle(as_symmetric(values))
    if values.shape != (count_pairs(n_items),):
        raise MetricError(
            f"there are {values.size} pairwise distances; for {n_items} items give a "
            f"symmetric matrix of shape ({n_items}, {n_items}) or {count_pairs(n_items)} "
            "condensed distances"
        )
    return values
