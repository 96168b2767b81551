"""The synthetic pair features of Finley & Joachims 2008."""

import numpy as np
import scipy.sparse as sp

from coterie._core.arguments import as_real, as_whole
from coterie._core.arrays import Ints
from coterie.datasets.corpus import Corpus
from coterie.items import ItemSet
from coterie.pairs import all_pairs
from coterie.partition import Partition


def make_synth(
    n_sets: int = 5,
    n_clusters: int = 5,
    cluster_size: int = 20,
    region_size: int = 50,
    n_active: int = 5,
    noise: float = 0.2,
    random_state: int = 0,
) -> Corpus:
    """Make the Synth item sets, in which some pair features are helpful and others harmful.

    Finley & Joachims 2008, section 6.1.3. Every unordered pair of clusters (i, j), also with i = j,
    has its own region of features. For a pair of items from clusters i and j, `n_active` random
    features of this region are 1, and all others are 0. Before, with probability `noise` each, i
    and j are replaced by a random cluster, independently for each pair of items.

    Parameters
    ----------
    n_sets, n_clusters, cluster_size
        The number of item sets, of clusters per set, and of items per cluster.
    region_size, n_active
        The number of features of a region, and of those that are 1 for a pair.
    noise
        The probability that a cluster is replaced when the region of a pair is chosen.
    random_state
        The seed.

    Examples
    --------
    >>> item_sets, partitions = make_synth()
    >>> item_sets[0]
    ItemSet(100 items, 4950 pairs × 750 features)
    """
    rng = np.random.default_rng(as_whole("random_state", random_state))
    cluster_size = as_whole("cluster_size", cluster_size)
    n_clusters = as_whole("n_clusters", n_clusters, 1)
    n_active = as_whole("n_active", n_active, 1, as_whole("region_size", region_size, 1))
    noise = as_real("noise", noise, high=1.0)
    corpus = Corpus([], [])
    for _ in range(as_whole("n_sets", n_sets)):
        labels = rng.permutation(np.repeat(np.arange(n_clusters), cluster_size))
        regions = _regions(labels, n_clusters, noise, rng)
        active = _draw_active(len(regions), region_size, n_active, rng)
        columns = regions[:, None] * region_size + active
        rows = np.repeat(np.arange(len(regions)), n_active)
        n_columns = n_clusters * (n_clusters + 1) // 2 * region_size
        features = sp.csr_array(
            (np.ones(rows.size), (rows, columns.ravel())), shape=(len(regions), n_columns)
        )
        item_set = ItemSet.from_pair_features(
            features, len(labels), n_clusters=n_clusters if len(labels) else None
        )
        corpus.item_sets.append(item_set)
        corpus.partitions.append(Partition(labels))
    return corpus


def _regions(labels: Ints, n_clusters: int, noise: float, rng: np.random.Generator) -> Ints:
    """Return the region of each pair: the index of its unordered pair of clusters, after noise."""
    clusters = labels[all_pairs(len(labels))]
    is_noisy = rng.random(clusters.shape) < noise
    random_clusters = rng.integers(n_clusters, size=clusters.shape)
    low, high = np.sort(np.where(is_noisy, random_clusters, clusters), axis=1).T
    regions: Ints = low * n_clusters - low * (low - 1) // 2 + (high - low)
    return regions


def _draw_active(n_pairs: int, size: int, n_active: int, rng: np.random.Generator) -> Ints:
    """Draw `n_active` distinct features of a region for each pair."""
    return np.argpartition(rng.random((n_pairs, size)), n_active - 1, axis=1)[:, :n_active]
