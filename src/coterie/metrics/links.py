"""Metrics over the links of a clustering: MUC, LEA and BLANC."""

import numpy as np

from coterie._core.arrays import Ints
from coterie.metrics.contingency import Contingency, pairs_within
from coterie.metrics.metric import Ratio, Scores, metric, scores_from_ratios


@metric(greater_is_better=True)
def muc(table: Contingency) -> Scores:
    """Return the links that must be added or removed to turn one clustering into the other.

    Recall is Σ (|t| − parts of t) / Σ (|t| − 1) over true clusters t (Vilain et al. 1995);
    precision exchanges the sides. As in the CoNLL scorer 0/0 is 0: clusterings without links
    score 0.

    >>> muc([["a", "b", "c", "d"]], [["a", "b"], ["c", "d"]])
    Scores(precision=1.0, recall=0.6666666666666666, f1=0.8)
    """
    return _link_scores(table, undefined=0.0)


@metric(greater_is_better=False)
def mitre_loss(table: Contingency) -> float:
    """Return Δ_M = 100 (1 − F1) of the MUC score with 0/0 = 1, so that equal clusterings lose 0.

    Finley & Joachims 2005, section 6, whose printed formula is the harmonic mean of the errors: it
    would be 0 for all items in one cluster.

    >>> mitre_loss([0, 1, 2], [0, 1, 2]), mitre_loss([0, 0, 0], [0, 1, 2])
    (0.0, 100.0)
    """
    return 100.0 * (1.0 - _link_scores(table, undefined=1.0).f1)


@metric(greater_is_better=True)
def lea(table: Contingency) -> Scores:
    """Return the share of each cluster's links that the other side has, weighted by its size.

    Recall is Σ |t| · resolved(t) / Σ |t| (Moosavi & Strube 2016); a cluster of one has a single
    link, to itself, resolved where it is alone on the other side too. Two empty clusterings
    score 1.

    >>> lea([[1, 2], [3, 4, 5]], [[1, 2, 3], [4, 5]]).recall
    0.6
    """
    return scores_from_ratios(
        Ratio(_resolved(table.T), table.n_predicted), Ratio(_resolved(table), table.n_truth)
    )


@metric(greater_is_better=True)
def blanc(table: Contingency) -> Scores:
    """Return the mean of the scores of links inside clusters and of links between clusters.

    Recasens & Hovy 2011, for differing items as in Luo et al. 2014 and the CoNLL scorer: each
    part is averaged (also the two F1), 0/0 is 0; a truth without links between clusters is scored
    by the links inside alone, and the reverse. A truth without any link scores 1 against its
    equal, else 0.

    >>> blanc([["a"], ["b", "c"], ["d", "e", "f"]], [["a"], ["d", "e"]]).f1
    0.35384615384615387
    """
    truth, predicted, shared = (pairs_within(table.n_items[:, side]) for side in range(3))
    both, neither = table.shared_pairs, shared - _shared_inside(table)
    inside = scores_from_ratios(
        Ratio(both, table.predicted_pairs), Ratio(both, table.truth_pairs), undefined=0.0
    )
    between = scores_from_ratios(
        Ratio(neither, predicted - table.predicted_pairs),
        Ratio(neither, truth - table.truth_pairs),
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
    # A cluster's parts are its overlaps and, one by one, its items unknown to the other side:
    # summed over clusters, size − parts is shared items − overlaps for truth and prediction alike.
    kept = table.n_shared - len(table.counts)
    return scores_from_ratios(
        Ratio(kept, table.n_predicted - table.n_predicted_clusters),
        Ratio(kept, table.n_truth - table.n_truth_clusters),
        undefined=undefined,
    )


def _resolved(table: Contingency) -> float:
    """Sum |t| · resolved(t) over true clusters: 2 · links kept / (|t| − 1), or 1 if alone."""
    sizes = table.truth_sizes[table.rows]
    kept = table.counts * (table.counts - 1) / np.maximum(sizes - 1, 1)
    alone = (sizes == 1) & (table.predicted_sizes[table.columns] == 1)
    return float(kept.sum() + np.count_nonzero(alone))


def _shared_inside(table: Contingency) -> int:
    """Count the pairs of shared items that are together on either side."""
    true = pairs_within(_totals(table.rows, table.counts))
    guessed = pairs_within(_totals(table.columns, table.counts))
    return true + guessed - table.shared_pairs


def _totals(groups: Ints, counts: Ints) -> Ints:
    return np.bincount(groups, weights=counts).astype(np.intp)


def _all_or_nothing(*, equal: bool) -> Scores:
    return Scores(*[float(equal)] * 3)
