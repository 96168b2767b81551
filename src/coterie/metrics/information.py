"""Metrics of information: what one clustering tells of the other."""

import math

import numpy as np

from coterie._core.arguments import as_real
from coterie._core.arrays import Ints
from coterie.exceptions import MetricError
from coterie.metrics.contingency import Contingency
from coterie.metrics.metric import Scores, metric


@metric(greater_is_better=False, same_items=True)
def variation_of_information(table: Contingency, base: float = math.e) -> float:
    """Return H(truth | predicted) + H(predicted | truth), in nats unless a base is given.

    Meilă 2003. No items give 0. The micro average weights item sets by their items.

    >>> variation_of_information([0, 0, 1, 1], [0, 1, 0, 1], base=2)
    2.0
    """
    if as_real("base", base) <= 1:
        raise MetricError(f"base is {base}; give a base of logarithms above 1, such as 2")
    surprise = table.counts * np.log(table.squares / table.size_products)
    return max(0.0, -float(surprise.sum())) / max(table.n_shared, 1) / math.log(base)


@metric(greater_is_better=True, summable=False, same_items=True)
def normalized_mutual_info_score(table: Contingency) -> float:
    """Return the mutual information divided by the mean of the two entropies.

    It is 1 where both clusterings are trivial alike: no items, or one cluster on both sides.

    >>> normalized_mutual_info_score([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    if table.n_truth_clusters == table.n_predicted_clusters <= 1:
        return 1.0
    mean = (_entropy(table.truth_sizes) + _entropy(table.predicted_sizes)) / 2
    return min(1.0, _mutual_information(table) / mean)


@metric(greater_is_better=True, summable=False, same_items=True)
def v_measure(table: Contingency, beta: float = 1.0) -> Scores:
    """Return homogeneity, completeness and their weighted harmonic mean.

    Rosenberg & Hirschberg 2007. Homogeneity, that clusters hold one true cluster each, stands as
    precision; completeness, that true clusters are not split, as recall. Above 1, `beta` favors
    completeness. Both are 1 where the entropy that they divide by is 0.

    >>> v_measure([0, 0, 1, 1], [0, 1, 2, 3]).recall
    0.5
    """
    as_real("beta", beta)
    information = _mutual_information(table)
    true, guessed = _entropy(table.truth_sizes), _entropy(table.predicted_sizes)
    homogeneity = min(1.0, information / true) if true else 1.0
    completeness = min(1.0, information / guessed) if guessed else 1.0
    total = beta * homogeneity + completeness
    v = (1 + beta) * homogeneity * completeness / total if total else 0.0
    return Scores(homogeneity, completeness, v)


@metric(greater_is_better=False, same_items=True)
def trace_loss(table: Contingency) -> float:
    """Return Δ = 100 (1 − 1/k Σ |c ∩ ĉ|² / (|c| |ĉ|)), where k counts the true clusters.

    Finley & Joachims 2008, eq. 18. It is made for k clusters on both sides: all items in one
    cluster lose 100 (k − 1)/k, but splitting true clusters further loses nothing. No items lose 0.

    >>> trace_loss([0, 0, 1, 1], [0, 0, 0, 0])
    50.0
    """
    if not table.n_truth:
        return 0.0
    kept = float((table.squares / table.size_products).sum())
    return max(0.0, 100.0 * (1.0 - kept / table.n_truth_clusters))


def _entropy(sizes: Ints) -> float:
    used = sizes[sizes > 0]
    if len(used) < 2:
        return 0.0
    shares = used / used.sum()
    return -float(shares @ np.log(shares))


def _mutual_information(table: Contingency) -> float:
    if table.n_truth_clusters < 2 or table.n_predicted_clusters < 2:
        return 0.0
    ratios = table.counts * float(table.n_shared) / table.size_products
    return max(0.0, float(table.counts @ np.log(ratios)) / table.n_shared)
