"""Metrics over clusters as entities: B-cubed, CEAF and the CoNLL average."""

import numpy as np

from coterie.metrics._matching import heaviest_matching
from coterie.metrics.contingency import Contingency
from coterie.metrics.links import muc
from coterie.metrics.metric import Ratio, Scores, metric, scores_from_ratios


@metric(greater_is_better=True)
def b_cubed(table: Contingency) -> Scores:
    """Return the mean share of each item's cluster that is right.

    Recall is 1/n Σ_i |t(i) ∩ p(i)| / |t(i)| (Bagga & Baldwin 1998), over the items of the truth;
    precision exchanges the sides. An item unknown to the other side counts 0. Two empty
    clusterings score 1.

    >>> b_cubed([0, 0, 1, 1], [0, 0, 0, 1])
    Scores(precision=0.6666666666666666, recall=0.75, f1=0.7058823529411765)
    """
    precise = (table.squares / table.predicted_sizes[table.columns]).sum()
    recalled = (table.squares / table.truth_sizes[table.rows]).sum()
    return scores_from_ratios(Ratio(precise, table.n_predicted), Ratio(recalled, table.n_truth))


@metric(greater_is_better=True)
def ceaf_mention(table: Contingency) -> Scores:
    """Return the items that the best one-to-one matching of clusters has in common.

    CEAF-m with φ₃ = |t ∩ p| (Luo 2005). Two empty clusterings score 1.

    >>> ceaf_mention([["a"], ["b", "c"], ["d", "e", "f"]], [["a"], ["d", "e"]])
    Scores(precision=1.0, recall=0.5, f1=0.6666666666666666)
    """
    matched = heaviest_matching(table.rows, table.columns, table.counts.astype(np.float64))
    return scores_from_ratios(Ratio(matched, table.n_predicted), Ratio(matched, table.n_truth))


@metric(greater_is_better=True)
def ceaf_entity(table: Contingency) -> Scores:
    """Return the similarity of the best one-to-one matching of clusters.

    CEAF-e with φ₄ = 2 |t ∩ p| / (|t| + |p|) (Luo 2005). Two empty clusterings score 1.

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
    """Return the mean F1 of MUC, B-cubed and CEAF-e, the average of the CoNLL shared tasks.

    As MUC is 0 without links, equal clusterings of singletons alone score 2/3.

    >>> conll_score([0, 0, 1, 1], [0, 0, 1, 1])
    1.0
    """
    return sum(part.from_table(table).f1 for part in (muc, b_cubed, ceaf_entity)) / 3
