"""Average linkage whose joins beyond a size cost more, against naive agglomeration."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from coterie.clusterers import AverageLinkage
from coterie.clusterers.constraints import constrained_partition
from coterie.clusterers.thresholds import partitions_at
from coterie.pairs import PairScores
from coterie.partition import Partition


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def naive(matrix, threshold, max_size, size_cost):
    """Join the two clusters of the highest mean score, less the cost of their size."""
    clusters = [[item] for item in range(len(matrix))]

    def score(a, b):
        cost = size_cost if len(a) + len(b) > max_size else 0.0
        return matrix[np.ix_(a, b)].mean() - cost

    while len(clusters) > 1:
        scored = [(score(a, b), a, b) for a, b in combinations(clusters, 2)]
        height, first, second = max(scored, key=lambda entry: entry[0])
        if height <= threshold:
            break
        first += second
        clusters.remove(second)
    labels = np.empty(len(matrix), dtype=int)
    for label, members in enumerate(clusters):
        labels[members] = label
    return Partition(labels)


def symmetric(rng, n_items):
    upper = np.triu(rng.normal(size=(n_items, n_items)), 1)
    return upper + upper.T


def listed(rng, n_items, degree):
    ends = np.sort(rng.integers(n_items, size=(degree * n_items, 2)), axis=1)
    pairs = np.unique(ends[ends[:, 0] < ends[:, 1]], axis=0)
    return PairScores(n_items, pairs, rng.normal(size=len(pairs)))


def filled(scores, missing):
    matrix = np.full((scores.n_items, scores.n_items), missing)
    matrix[scores.pairs[:, 0], scores.pairs[:, 1]] = scores.scores
    matrix[scores.pairs[:, 1], scores.pairs[:, 0]] = scores.scores
    return matrix


@pytest.mark.parametrize("size_cost", [0.0, 0.3, 1.0, 50.0])
@pytest.mark.parametrize("max_size", [1, 2, 3, 5])
def test_all_pairs_equal_naive_agglomeration(max_size, size_cost, rng):
    for _ in range(15):
        matrix = symmetric(rng, int(rng.integers(2, 14)))
        threshold = float(rng.normal(scale=0.4))
        clusterer = AverageLinkage(threshold, max_size=max_size, size_cost=size_cost)
        expected = naive(matrix, threshold, max_size, size_cost)
        assert clusterer(PairScores.from_matrix(matrix)) == expected


@pytest.mark.parametrize("size_cost", [0.2, 0.6, 40.0])
def test_listed_pairs_equal_naive_agglomeration(size_cost, rng):
    for trial in range(12):
        scores = listed(rng, 40, 2)
        missing = (-0.05, -0.3, -9.0)[trial % 3]
        clusterer = AverageLinkage(missing=missing, max_size=2 + trial % 3, size_cost=size_cost)
        expected = naive(filled(scores, missing), 0.0, clusterer.max_size, size_cost)
        assert clusterer(scores) == expected


def test_listed_pairs_equal_all_pairs(rng):
    for trial in range(20):
        n_items = int(rng.integers(60, 200))
        scores = listed(rng, n_items, (1, 2, 4)[trial % 3])
        clusterer = AverageLinkage(missing=-0.2, max_size=3, size_cost=float(rng.uniform(0, 1)))
        matrix = filled(scores, -0.2)
        np.fill_diagonal(matrix, 0.0)
        assert clusterer(scores) == clusterer(PairScores.from_matrix(matrix))


def test_cuts_at_thresholds_equal_clustering_at_each(rng):
    for _ in range(10):
        scores = PairScores.from_matrix(symmetric(rng, 30))
        clusterer = AverageLinkage(max_size=2, size_cost=0.4)
        thresholds = np.array([-0.5, 0.0, 0.3])
        for threshold, partition in zip(
            thresholds, partitions_at(clusterer, scores, thresholds), strict=True
        ):
            assert partition == replace(clusterer, threshold=threshold)(scores)


def test_an_infinite_cost_is_a_wall_and_no_cost_is_no_limit(rng):
    for _ in range(10):
        scores = PairScores.from_matrix(symmetric(rng, 20) + 0.5)
        wall = AverageLinkage(max_size=3)(scores)
        assert wall.sizes.max() <= 3
        assert AverageLinkage(max_size=3, size_cost=1e6)(scores).sizes.max() <= 3
        assert AverageLinkage(max_size=3, size_cost=0.0)(scores) == AverageLinkage()(scores)


def test_must_link_pairs_may_exceed_the_size(rng):
    for trial in range(20):
        n_items = 12
        scores = PairScores.from_matrix(symmetric(rng, n_items))
        links = [(0, 5), (5, 7), (7, 9), (2, 9)] if trial % 2 else [(1, 2), (2, 3), (3, 4)]
        clusterer = AverageLinkage(max_size=2, size_cost=float(rng.uniform(0, 3)))
        partition = constrained_partition(clusterer, scores, links, [(0, 1)])
        assert partition.together(np.array(links)).all()
        assert partition.labels[0] != partition.labels[1]


def test_equal_scores_of_many_items_exceed_the_size():
    scores = PairScores(300, None, np.full(300 * 299 // 2, 9.0))
    assert AverageLinkage(max_size=3, size_cost=7.0)(scores).n_clusters == 1
    assert AverageLinkage(max_size=3, size_cost=9.0)(scores).n_clusters == 100
