"""Kernel k-means against enumeration and a plain twin of its search."""

import numpy as np
import pytest

from coterie._kernels.kmeans.moves import ascend
from coterie.clusterers.kmeans import KernelKMeans, random_labels
from coterie.exceptions import InputError, ItemSetError, PairError, PartitionError
from coterie.objectives import KMeans
from coterie.pairs import PairScores
from coterie.partition import Partition
from tests.partitions import all_partitions


def value(matrix, labels):
    clusters = [np.flatnonzero(labels == c) for c in np.unique(labels)]
    return sum(matrix[np.ix_(c, c)].sum() / len(c) for c in clusters)


def symmetric(rng, n_items):
    matrix = rng.normal(size=(n_items, n_items))
    return matrix + matrix.T


def plain_ascent(matrix, labels, n_clusters):
    """The same search, every value computed anew."""
    labels, moved = labels.copy(), True
    while moved:
        moved = False
        for item in range(len(labels)):
            before, old = value(matrix, labels), labels[item]
            if np.count_nonzero(labels == old) == 1:
                continue
            values = np.full(n_clusters, -np.inf)
            for label in range(n_clusters):
                if label != old:
                    labels[item] = label
                    values[label] = value(matrix, labels)
            labels[item] = old
            if values.max() > before + 1e-9:
                labels[item] = values.argmax()
                moved = True
    return labels


def test_the_kernel_equals_its_plain_twin(rng):
    for _ in range(100):
        n_items = int(rng.integers(1, 15))
        k = int(rng.integers(1, n_items + 1))
        matrix, start = symmetric(rng, n_items), random_labels(n_items, k, rng)
        labels = start.copy()
        final_value = ascend(matrix, labels, k)
        np.testing.assert_array_equal(labels, plain_ascent(matrix, start, k))
        assert final_value == pytest.approx(value(matrix, labels))


def test_no_partition_into_k_clusters_is_better_than_the_best(rng):
    """Many starts find the best of few items, one start never exceeds it; K is indefinite."""
    for n_items in (1, 2, 4, 6, 7):
        scores = PairScores.from_matrix(symmetric(rng, n_items))
        for k in range(1, n_items + 1):
            best = max(
                KMeans().value(Partition(labels), scores)
                for labels in all_partitions(n_items)
                if len(set(labels)) == k
            )
            solution = KernelKMeans(k, n_init=50).solve(scores)
            assert solution.partition.n_clusters == k
            assert solution.value == pytest.approx(best)
            assert solution.value == KMeans().value(solution.partition, scores)
            assert KernelKMeans(k, n_init=1).solve(scores).value <= best + 1e-9


def test_a_large_search_ends_at_a_local_maximum(rng):
    matrix = symmetric(rng, 200)
    labels = KernelKMeans(12, n_init=1)(PairScores.from_matrix(matrix)).labels.copy()
    reached = value(matrix, labels)
    for item in rng.choice(200, 40, replace=False):
        old = labels[item]
        for label in range(12):
            labels[item] = label
            assert value(matrix, labels) <= reached + 1e-6
        labels[item] = old


def test_equal_scores_move_nothing():
    """Every partition into k clusters is worth the same (up to rounding), so the start stays."""
    start = Partition(np.arange(60) % 7)
    scores = PairScores(60, None, np.full(60 * 59 // 2, 0.1), diagonal=0.3)
    assert KernelKMeans(7, start=start)(scores) == start


def test_ties_go_to_the_smallest_label():
    matrix = np.zeros((4, 4))
    matrix[3, 1] = matrix[1, 3] = matrix[3, 2] = matrix[2, 3] = 1.0
    labels = np.array([0, 1, 2, 0])
    ascend(matrix, labels, 3)
    assert labels.tolist() == [0, 1, 2, 1]


def test_more_starts_are_never_worse(rng):
    scores = PairScores.from_matrix(symmetric(rng, 30))
    values = [KernelKMeans(5, n_init=n).solve(scores).value for n in (1, 2, 5, 20)]
    assert values == sorted(values)
    assert values[0] < values[-1]


def test_a_start_replaces_the_random_ones(rng):
    scores = PairScores.from_matrix(symmetric(rng, 12))
    best = KernelKMeans(3, n_init=50)(scores)
    assert KernelKMeans(3, start=best)(scores) == best
    start = Partition(np.arange(12) % 3)
    assert KernelKMeans(3, start=start).solve(scores).value >= KMeans().value(start, scores)
    assert start == Partition(np.arange(12) % 3)


def test_the_diagonal_and_absent_pairs_count():
    """Item 2 scores so much with itself that it is best alone."""
    scores = PairScores(3, [(0, 2)], [1.0], diagonal=[0.0, 0.0, 9.0], n_clusters=2)
    assert KernelKMeans()(scores) == Partition([0, 0, 1])


def test_wrong_starts_and_numbers_are_refused():
    scores = PairScores(3, None, [1.0, 2.0, 3.0])
    with pytest.raises(ItemSetError, match="number of clusters is not known"):
        KernelKMeans()(scores)
    with pytest.raises(ItemSetError, match="use at most"):
        KernelKMeans(4)(scores)
    with pytest.raises(
        PartitionError, match="3 items in 1 clusters; give a start with 3 items in 2"
    ):
        KernelKMeans(2, start=Partition([0, 0, 0]))(scores)
    with pytest.raises(PartitionError, match="2 items in 2 clusters"):
        KernelKMeans(2, start=Partition([0, 1]))(scores)
    with pytest.raises(InputError, match="give a Partition"):
        KernelKMeans(2, start=[0, 1, 1])
    with pytest.raises(InputError, match="n_init"):
        KernelKMeans(2, n_init=0)
    with pytest.raises(PairError, match="does not support cannot-link pairs"):
        KernelKMeans(2)(PairScores(3, None, [1.0, 2.0, 3.0], apart=[(0, 1)]))


def test_the_same_seed_gives_the_same_partition(rng):
    scores = PairScores.from_matrix(symmetric(rng, 40))
    seeds = [KernelKMeans(6, n_init=1, random_state=seed) for seed in range(8)]
    assert len({clusterer(scores) for clusterer in seeds}) > 1
    assert all(clusterer(scores) == clusterer(scores) for clusterer in seeds)
