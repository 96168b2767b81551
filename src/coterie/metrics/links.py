"""Metrics over the links of a clustering: MUC, LEA and BLANC."""

import numpy as np

from coterie._core.arrays import Ints
from coterie.metrics.contingency import Contingency, pairs_within
from coterie.metrics.metric import Ratio, Scores, metric, scores_from_ratios


@metric(greater_is_better=True)
def muc(table: Contingency) -> Scores:
    """Return the MUC scores: the share of links that one clustering has of the other.

    Recall is Σ (|t| − parts of t) / Σ (|t| − 1) over the true clusters t, where the parts of t are
    the pieces into which the prediction divides it (Vilain et al. 1995). Precision exchanges truth
    and prediction. As in the CoNLL scorer, 0/0 is 0: clusterings without links score 0.

    >>> muc([["a", "b", "c", "d"]], [["a", "b"], ["c", "d"]])
    Scores(precision=1.0, recall=0.6666666666666666, f1=0.8)
    """
    return _link_scores(table, undefined=0.0)


@metric(greater_is_better=False)
def mitre_loss(table: Contingency) -> float:
    """Return the loss Δ_M = 100 (1 − F1) of the MUC score, from 0 to 100.

    Here 0/0 is 1, so that equal clusterings have loss 0 (Finley & Joachims 2005, section 6). The
    formula printed in the paper is the harmonic mean of the errors, which would be 0 for a single
    cluster of all items.

    >>> mitre_loss([0, 1, 2], [0, 1, 2]), mitre_loss([0, 0, 0], [0, 1, 2])
    (0.0, 100.0)
    """
    return 100.0 * (1.0 - _link_scores(table, undefined=1.0).f1)


@metric(greater_is_better=True)
def lea(table: Contingency) -> Scores:
    """Return the LEA scores: the share of each cluster's links that are resolved, by cluster size.

    Recall is Σ |t| · resolved(t) / Σ |t| over the true clusters t, where resolved(t) is the share
    of the links in t that are also inside predicted clusters (Moosavi & Strube 2016). A singleton
    has one link, to itself, which is resolved if the item is a singleton on the other side too.
    Precision exchanges truth and prediction. Two empty clusterings score 1.

    >>> lea([[1, 2], [3, 4, 5]], [[1, 2, 3], [4, 5]]).recall
    0.6
    """
    return scores_from_ratios(
        Ratio(_resolved(table.T), table.n_predicted), Ratio(_resolved(table), table.n_truth)
    )


@metric(greater_is_better=True)
def blanc(table: Contingency) -> Scores:
    """Return the BLANC scores: the mean of the scores of links inside and between clusters.

    Precision, recall and F1 are each averaged over the two kinds of links (Recasens & Hovy 2011).
    As in the CoNLL scorer, truth and prediction may cover different items (Luo et al. 2014), and
    0/0 is 0. If the truth has only one kind of links, only this kind is scored. A truth without any
    link scores 1 if the prediction is equal to it, else 0.

    >>> blanc([["a"], ["b", "c"], ["d", "e", "f"]], [["a"], ["d", "e"]]).f1
    0.35384615384615387
    """
    truth, predicted, shared = (pairs_within(table.n_items[:, side]) for side in range(3))
    # Shared pairs that are together on both sides, and those that are together on neither.
    both_inside, both_between = table.shared_pairs, shared - _together_on_either_side(table)
    inside = scores_from_ratios(
        Ratio(both_inside, table.predicted_pairs),
        Ratio(both_inside, table.truth_pairs),
        undefined=0.0,
    )
    between = scores_from_ratios(
        Ratio(both_between, predicted - table.predicted_pairs),
        Ratio(both_between, truth - table.truth_pairs),
        undefined=0.0,
    )
    if not truth:
        return _all_or_nothing(equal=table.n_truth == table.n_shared == table.n_predicted)
    if truth == table.truth_pairs:
        return inside
    if not table.truth_pairs:
        return between
    return Scores(*np.mean([inside, between], axis=0).tolist())


def _link_scores(table: Contingency, *, undefined: float) -> Scores:
    # The parts of a cluster are its intersections with clusters of the other side, and each item
    # that the other side does not cover. Summed over clusters, size − parts is therefore the number
    # of shared items − intersections, for truth and prediction alike.
    n_correct = table.n_shared - len(table.counts)
    return scores_from_ratios(
        Ratio(n_correct, table.n_predicted - table.n_predicted_clusters),
        Ratio(n_correct, table.n_truth - table.n_truth_clusters),
        undefined=undefined,
    )


def _resolved(table: Contingency) -> float:
    """Return Σ |t| · resolved(t) over true clusters t: 2 · resolved links / (|t| − 1) for each t.

    A true singleton adds 1 if it is a singleton in the prediction too, else 0.
    """
    sizes = table.truth_sizes[table.rows]
    resolved = table.counts * (table.counts - 1) / np.maximum(sizes - 1, 1)
    is_singleton = (sizes == 1) & (table.predicted_sizes[table.columns] == 1)
    return float(resolved.sum() + np.count_nonzero(is_singleton))


def _together_on_either_side(table: Contingency) -> int:
    """Count the pairs of shared items that are together on either side."""
    true = pairs_within(_totals(table.rows, table.counts))
    guessed = pairs_within(_totals(table.columns, table.counts))
    return true + guessed - table.shared_pairs


def _totals(groups: Ints, counts: Ints) -> Ints:
    return np.bincount(groups, weights=counts).astype(np.intp)


def _all_or_nothing(*, equal: bool) -> Scores:
    return Scores(*[float(equal)] * 3)
