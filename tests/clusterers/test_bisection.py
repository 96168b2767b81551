"""Repeated bisection against a plain twin that enumerates every bisection."""

from itertools import product

import numpy as np
import pytest

from coterie.clusterers.bisection import RepeatedBisection
from coterie.clusterers.kmeans import KernelKMeans
from coterie.exceptions import InputError, ItemSetError
from coterie.pairs import PairScores
from coterie.partition import Partition


def symmetric(rng, n_items):
    matrix = rng.normal(size=(n_items, n_items))
    return matrix + matrix.T


def worth(matrix, items):
    return matrix[np.ix_(items, items)].sum() / len(items)


def best_split(matrix, items):
    """Return the rise by the best of all bisections, and its sides."""
    best = (-np.inf, [], [])
    for choice in product((True, False), repeat=len(items) - 1):
        side = np.array([True, *choice])
        if not side.all():
            a, b = items[side], items[~side]
            rise = worth(matrix, a) + worth(matrix, b) - worth(matrix, items)
            best = max(best, (rise, a, b), key=lambda split: split[0])
    return best


def plain(matrix, n_clusters):
    clusters = [np.arange(len(matrix))]
    while len(clusters) < n_clusters:
        splits = [best_split(matrix, items) for items in clusters]
        at = int(np.argmax([split[0] for split in splits]))
        clusters[at : at + 1] = splits[at][1:]
    return Partition.from_clusters([c.tolist() for c in clusters])


def test_splits_are_the_best_of_all_bisections(rng):
    for _ in range(25):
        n_items = int(rng.integers(1, 8))
        k = int(rng.integers(1, n_items + 1))
        matrix = symmetric(rng, n_items)
        partition = RepeatedBisection(k, n_init=50)(PairScores.from_matrix(matrix))
        assert partition == plain(matrix, k)


def test_two_clusters_are_those_of_kernel_k_means(rng):
    scores = PairScores.from_matrix(symmetric(rng, 50), n_clusters=2)
    assert RepeatedBisection()(scores) == KernelKMeans()(scores)


def test_results_are_nested_and_have_k_clusters(rng):
    scores = PairScores.from_matrix(symmetric(rng, 12))
    coarse = Partition(np.zeros(12, dtype=int))
    for k in range(1, 13):
        fine = RepeatedBisection(k, n_init=3)(scores)
        assert fine.n_clusters == k
        assert all(len(set(coarse.labels[c].tolist())) == 1 for c in fine.clusters)
        coarse = fine


def test_planted_clusters_are_found(rng):
    labels = rng.permutation(np.repeat(np.arange(6), [30, 5, 12, 20, 8, 25]))
    matrix = 2.0 * (labels[:, None] == labels) + 0.2 * symmetric(rng, 100)
    scores = PairScores.from_matrix(matrix, n_clusters=6)
    assert RepeatedBisection()(scores) == Partition(labels)


def test_seeds_and_numbers(rng):
    scores = PairScores.from_matrix(symmetric(rng, 30))
    partitions = [RepeatedBisection(5, n_init=1, random_state=seed)(scores) for seed in range(5)]
    assert len(set(partitions)) > 1
    assert partitions == [RepeatedBisection(5, 1, seed)(scores) for seed in range(5)]
    assert RepeatedBisection(2).objective is None
    equal = PairScores(5, None, np.zeros(10))
    assert [RepeatedBisection(k)(equal).n_clusters for k in range(1, 6)] == [1, 2, 3, 4, 5]
    with pytest.raises(ItemSetError, match="use at most"):
        RepeatedBisection(31)(scores)
    with pytest.raises(ItemSetError, match="not known"):
        RepeatedBisection()(scores)
    with pytest.raises(InputError, match="n_init"):
        RepeatedBisection(2, n_init=0)
