"""A thousand small sets: no search is better than the best partition, no value is made up."""

from functools import cache

import numpy as np
import pytest

from coterie.clusterers import Exact, Greedy, KernelKMeans, LeftLink, LocalSearch, SpanningForest
from coterie.losses import LinkLoss, PairLoss, TraceLoss
from coterie.objectives import Correlation, Forest, KMeans
from coterie.objectives import LeftLink as LeftLinkObjective
from coterie.pairs import PairScores, all_pairs, upper_triangle
from coterie.partition import Partition
from tests.clusterers.instances import best_value, instance
from tests.partitions import all_partitions


@pytest.mark.parametrize("clusterer", [Greedy(), LocalSearch(sweeps=2)], ids=repr)
def test_searches_never_exceed_the_best_partition(clusterer):
    reached = 0
    for number in range(1000):
        scores = instance(number)
        best, solution = best_value(scores), clusterer.solve(scores)
        assert solution.value <= best + 1e-9
        assert solution.value == Correlation().value(solution.partition, scores)
        reached += solution.value >= best - 1e-9
    assert reached > 800


@cache
def every_kmeans(n_items):
    """Return the number of clusters, the pair weights and the self weights of every partition."""
    empty = PairScores(n_items, None, np.zeros(len(all_pairs(n_items))))
    partitions = [Partition(labels) for labels in all_partitions(n_items)]
    counts = np.array([partition.n_clusters for partition in partitions])
    weights = np.array([KMeans().weights(partition, empty) for partition in partitions])
    self_weights = np.array([KMeans().self_weights(partition, empty) for partition in partitions])
    return counts, weights, self_weights


def best_kmeans(scores, n_clusters):
    counts, weights, self_weights = every_kmeans(scores.n_items)
    diagonal = np.zeros(scores.n_items) if scores.diagonal is None else scores.diagonal
    values = weights @ upper_triangle(scores.to_matrix()) + self_weights @ diagonal
    return values[counts == n_clusters].max()


def test_kernel_kmeans_never_exceeds_the_best_partition():
    reached = 0
    for number in range(1000):
        plain = instance(number)
        rng = np.random.default_rng(number)
        diagonal = rng.normal(size=plain.n_items)
        scores = PairScores(plain.n_items, plain.listed, plain.scores, diagonal)
        n_clusters = int(rng.integers(1, plain.n_items + 1))
        best, solution = (
            best_kmeans(scores, n_clusters),
            KernelKMeans(n_clusters).solve(scores),
        )
        assert solution.partition.n_clusters == n_clusters
        assert solution.value <= best + 1e-9
        assert solution.value == KMeans().value(solution.partition, scores)
        reached += solution.value >= best - 1e-9
    assert reached > 900


CASES = [
    (Exact(), PairLoss()),
    (LeftLink(), LinkLoss(LeftLinkObjective())),
    (SpanningForest(), LinkLoss(Forest())),
    (KernelKMeans(n_clusters=2, n_init=30), TraceLoss()),
]


@pytest.mark.parametrize(("clusterer", "loss"), CASES, ids=["pair", "left", "forest", "trace"])
def test_decoding_of_shifted_scores_finds_the_most_of_value_and_loss(rng, clusterer, loss):
    """For all partitions (into 2 clusters, for k-means) of up to 6 items."""
    for _ in range(40):
        n_items = int(rng.integers(2, 7))
        scores = PairScores(n_items, None, rng.normal(size=len(all_pairs(n_items))))
        truth = Partition(rng.integers(2, size=n_items))
        base, costs = loss.linearize(truth, None)
        shifted = scores.plus(costs)
        solution = clusterer.solve(shifted)
        most = max(
            base
            + costs @ loss.objective.weights(partition, shifted)
            + loss.objective.weights(partition, shifted) @ scores.scores
            for partition in map(Partition, all_partitions(n_items))
            if partition.n_clusters == 2 or not isinstance(loss, TraceLoss)
        )
        assert solution.value + base == pytest.approx(most)
