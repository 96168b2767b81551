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
    """Make the Synth item sets, in which some features are helpful and others harmful.

    Finley & Joachims 2008, section 6.1.3. Every unordered pair of clusters (i, j), i = j included,
    has a region of features; a pair of items has `n_active` of the features of its clusters' region
    switched on. With probability `noise`, i is replaced by a cluster drawn at random (which may be
    i again), and so is j, independently for each pair of items.

    Parameters
    ----------
    n_sets, n_clusters, cluster_size
        Number of item sets, of clusters in each, of items in each cluster.
    region_size, n_active
        Features of a region, and how many of them a pair has.
    noise
        Probability that a cluster is replaced when a pair's region is chosen.
    random_state
        Seed.

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
        known = n_clusters if len(labels) else None
        item_set = ItemSet.from_pair_features(features, len(labels), n_clusters=known)
        corpus.item_sets.append(item_set)
        corpus.partitions.append(Partition(labels))
    return corpus


def _regions(labels: Ints, n_clusters: int, noise: float, rng: np.random.Generator) -> Ints:
    """Return the region of each pair: the number of its unordered pair of clusters, after noise."""
    ends = labels[all_pairs(len(labels))]
    replaced = rng.random(ends.shape) < noise
    ends = np.sort(np.where(replaced, rng.integers(n_clusters, size=ends.shape), ends), axis=1)
    low, high = ends.T
    numbers: Ints = low * n_clusters - low * (low - 1) // 2 + (high - low)
    return numbers


def _draw_active(n_pairs: int, size: int, n_active: int, rng: np.random.Generator) -> Ints:
    """Draw `n_active` different features of a region for each pair."""
    return np.argpartition(rng.random((n_pairs, size)), n_active - 1, axis=1)[:, :n_active]
