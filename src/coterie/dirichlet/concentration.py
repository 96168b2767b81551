"""The concentration α of a Chinese restaurant process; a high α makes many clusters."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, gammaln

from coterie._core.arguments import as_positive, as_whole
from coterie.partition import PartitionLike, as_partition

__all__ = ["estimate_concentration", "log_crp", "sample_concentration"]


def log_crp(partition: PartitionLike, alpha: float) -> float:
    """Return the log probability of a partition in the Chinese restaurant process.

    For K clusters of sizes n_k, it is Σ_k (log α + log (n_k − 1)!) − Σ_{i<n} log (α + i).

    Parameters
    ----------
    partition
        A partition, or anything that `as_partition` accepts.
    alpha
        The concentration, above 0.

    Examples
    --------
    >>> float(np.exp(log_crp([0, 0, 1], alpha=1.0)).round(6))
    0.166667
    """
    alpha = as_positive("alpha", alpha)
    sizes = as_partition(partition).sizes
    numerator = len(sizes) * np.log(alpha) + gammaln(sizes).sum()
    return float(numerator - np.log(alpha + np.arange(sizes.sum())).sum())


def estimate_concentration(
    partitions: Sequence[PartitionLike], shape: float = 0.1, rate: float = 0.01
) -> float:
    """Return the most probable concentration, given the partitions of several item sets.

    A weak prior α ~ Gam(shape, rate) keeps α finite if all clusters have one item, and above 0 if
    all items are together. As a function of log α, the posterior has one maximum, where

        shape − rate α + Σ_sets (K − Σ_{i<n} α / (α + i)) = 0.

    Parameters
    ----------
    partitions
        The partition of each item set, or anything that `as_partition` accepts. For an empty list,
        the result is shape / rate.
    shape, rate
        The shape and the rate of the prior, above 0.

    Examples
    --------
    >>> round(estimate_concentration([[0, 0, 1, 2, 0, 1], [0, 0, 0, 1]]), 2)
    1.39
    >>> estimate_concentration([[0] * 50]) < 0.03, estimate_concentration([range(50)]) > 300
    (True, True)
    """
    shape, rate = as_positive("shape", shape), as_positive("rate", rate)
    checked = [as_partition(partition) for partition in partitions]
    lengths = np.array([len(partition) for partition in checked], dtype=np.intp)
    n_clusters = sum(partition.n_clusters for partition in checked)

    def excess(log_alpha: float) -> float:
        alpha = np.exp(log_alpha)
        expected = alpha * (digamma(alpha + lengths) - digamma(alpha)).sum()
        return float(shape - rate * alpha + n_clusters - expected)

    # Brackets of the root: an item set has at most 1 + α Σ 1/i expected clusters, at least 0.
    low = shape / 2 / (rate + (digamma(np.maximum(lengths, 1)) - digamma(1)).sum())
    high = 2 * (shape + n_clusters) / rate
    return float(np.exp(brentq(excess, np.log(low), np.log(high))))


def sample_concentration(
    alpha: float, n_clusters: int, n_items: int, rng: np.random.Generator
) -> float:
    """Draw the next concentration of a chain, given the number of clusters and a Gam(1, 1) prior.

    Escobar & West 1995: draw η ~ Beta(α + 1, n). Then the next α is Gam(1 + K, 1 − log η) with odds
    K to n (1 − log η), else Gam(K, 1 − log η). Repeated draws converge to p(α | K, n).

    Parameters
    ----------
    alpha
        The last concentration, above 0.
    n_clusters, n_items
        The number of clusters and the number of items; without items, the draw is from the prior.
    rng
        The random generator.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> alpha = 1.0
    >>> draws = [alpha := sample_concentration(alpha, 5, 100, rng) for _ in range(2000)]
    >>> float(np.mean(draws).round(1))
    1.0
    """
    alpha, n_items = as_positive("alpha", alpha), as_whole("n_items", n_items)
    n_clusters = as_whole("n_clusters", n_clusters, low=min(n_items, 1), high=n_items)
    if not n_items:
        return float(rng.standard_gamma(1.0))
    rate = 1 - np.log(rng.beta(alpha + 1, n_items))
    odds = n_clusters / (n_items * rate)
    is_first = rng.random() * (1 + odds) < odds
    return float(rng.standard_gamma(n_clusters + is_first) / rate)
