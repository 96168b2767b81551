"""Metrics of the information that one clustering gives about the other."""

import math

import numpy as np

from coterie._core.arguments import as_real
from coterie._core.arrays import Ints
from coterie.exceptions import MetricError
from coterie.metrics.contingency import Contingency
from coterie.metrics.metric import Scores, metric


@metric(greater_is_better=False, same_items=True)
def variation_of_information(table: Contingency, base: float = math.e) -> float:
    """Return the variation of information, H(truth | predicted) + H(predicted | truth).

    It is in nats unless a base is given (Meilă 2003). Without items it is 0. The micro average
    weights item sets by their numbers of items.

    >>> variation_of_information([0, 0, 1, 1], [0, 1, 0, 1], base=2)
    2.0
    """
    if as_real("base", base) <= 1:
        raise MetricError(f"base is {base}; give a logarithm base above 1, such as 2")
    surprise = table.counts * np.log(table.squares / table.size_products)
    return max(0.0, -float(surprise.sum())) / max(table.n_shared, 1) / math.log(base)


@metric(greater_is_better=True, summable=False, same_items=True)
def normalized_mutual_info_score(table: Contingency) -> float:
    """Return the mutual information divided by the mean of the two entropies.

    It is 1 if both clusterings have no items, or if both have a single cluster.

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

    Homogeneity is high if each predicted cluster holds items of one true cluster only; it is
    returned as precision. Completeness is high if true clusters are not split; it is returned as
    recall (Rosenberg & Hirschberg 2007). A `beta` above 1 gives completeness more weight. Either is
    1 if the entropy in its denominator is 0.

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
    """Return the trace loss Δ = 100 (1 − 1/k Σ |c ∩ ĉ|² / (|c| |ĉ|)), from 0 to 100.

    The sum is over the k true clusters c and the predicted clusters ĉ (Finley & Joachims 2008,
    eq. 18). The loss is meant for k predicted clusters: one cluster of all items has the loss
    100 (k − 1)/k, but splitting true clusters costs nothing. Without items the loss is 0.

    >>> trace_loss([0, 0, 1, 1], [0, 0, 0, 0])
    50.0
    """
    if not table.n_truth:
        return 0.0
    overlap = float((table.squares / table.size_products).sum())
    return max(0.0, 100.0 * (1.0 - overlap / table.n_truth_clusters))


def _entropy(sizes: Ints) -> float:
    non_empty = sizes[sizes > 0]
    if len(non_empty) < 2:
        return 0.0
    shares = non_empty / non_empty.sum()
    return -float(shares @ np.log(shares))


def _mutual_information(table: Contingency) -> float:
    if table.n_truth_clusters < 2 or table.n_predicted_clusters < 2:
        return 0.0
    ratios = table.counts * float(table.n_shared) / table.size_products
    return max(0.0, float(table.counts @ np.log(ratios)) / table.n_shared)
