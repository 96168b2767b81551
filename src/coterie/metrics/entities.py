"""Metrics over clusters as entities: B-cubed, CEAF and the CoNLL average."""

import numpy as np

from coterie.metrics._matching import heaviest_matching
from coterie.metrics.contingency import Contingency
from coterie.metrics.links import muc
from coterie.metrics.metric import Ratio, Scores, metric, scores_from_ratios


@metric(greater_is_better=True)
def b_cubed(table: Contingency) -> Scores:
    """Return the B-cubed scores: the mean share of each item's cluster that is correct.

    Recall is 1/n Σ_i |t(i) ∩ p(i)| / |t(i)| over the n items i of the truth, where t(i) and p(i)
    are the true and the predicted cluster of i (Bagga & Baldwin 1998). Precision exchanges truth
    and prediction. An item that the other side does not cover counts 0. Two empty clusterings score
    1.

    >>> b_cubed([0, 0, 1, 1], [0, 0, 0, 1])
    Scores(precision=0.6666666666666666, recall=0.75, f1=0.7058823529411765)
    """
    precise = (table.squares / table.predicted_sizes[table.columns]).sum()
    recalled = (table.squares / table.truth_sizes[table.rows]).sum()
    return scores_from_ratios(Ratio(precise, table.n_predicted), Ratio(recalled, table.n_truth))


@metric(greater_is_better=True)
def ceaf_mention(table: Contingency) -> Scores:
    """Return the share of items in the intersections of the best one-to-one matching of clusters.

    This is CEAF-m, with the similarity φ₃ = |t ∩ p| of a true cluster t and a predicted cluster p
    (Luo 2005). Two empty clusterings score 1.

    >>> ceaf_mention([["a"], ["b", "c"], ["d", "e", "f"]], [["a"], ["d", "e"]])
    Scores(precision=1.0, recall=0.5, f1=0.6666666666666666)
    """
    matched = heaviest_matching(table.rows, table.columns, table.counts.astype(np.float64))
    return scores_from_ratios(Ratio(matched, table.n_predicted), Ratio(matched, table.n_truth))


@metric(greater_is_better=True)
def ceaf_entity(table: Contingency) -> Scores:
    """Return the total similarity of the best one-to-one matching, per cluster.

    This is CEAF-e, with the similarity φ₄ = 2 |t ∩ p| / (|t| + |p|) of a true cluster t and a
    predicted cluster p (Luo 2005). Two empty clusterings score 1.

    >>> ceaf_entity([["a"], ["b", "c"], ["d", "e", "f"]], [["a"], ["d", "e"]])
    Scores(precision=0.9, recall=0.6, f1=0.7200000000000001)
    """
    sizes = table.truth_sizes[table.rows] + table.predicted_sizes[table.columns]
    matched = heaviest_matching(table.rows, table.columns, 2.0 * table.counts / sizes)
    return scores_from_ratios(
        Ratio(matched, table.n_predicted_clusters), Ratio(matched, table.n_truth_clusters)
    )


@metric(greater_is_better=True)
def conll_score(table: Contingency) -> float:
    """Return the CoNLL score: the mean F1 of MUC, B-cubed and CEAF-e.

    MUC is 0 without links, so equal clusterings of singletons score only 2/3.

    >>> conll_score([0, 0, 1, 1], [0, 0, 1, 1])
    1.0
    """
    return sum(part.from_table(table).f1 for part in (muc, b_cubed, ceaf_entity)) / 3
