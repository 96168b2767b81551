"""Graph cuts against enumeration, random and spectral bisections, and planted clusters."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp

from coterie._kernels.graphs.cuts import match_nodes, refine_bisection
from coterie.clusterers import graph_cut
from coterie.clusterers.graph_cut import GraphCut, bisect_graph, neighbour_graph
from coterie.exceptions import InputError, ItemSetError
from coterie.pairs import PairScores, all_pairs
from coterie.partition import Partition


def cut_of(graph, labels):
    edges = graph.tocoo()
    return edges.data[labels[edges.row] != labels[edges.col]].sum() / 2


def random_graph(rng, n_nodes, share):
    weights = np.triu(rng.random((n_nodes, n_nodes)) * (rng.random((n_nodes, n_nodes)) < share), 1)
    return sp.csr_array(weights + weights.T)


def near_points(rng, n_items, n_features=2):
    points = rng.random((n_items, n_features))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    return PairScores.from_matrix(np.where(np.eye(n_items, dtype=bool), 0.0, -distances))


def test_the_graph_links_nearest_neighbours():
    scores = PairScores.from_matrix([[0, 5, 4, 1], [5, 0, 3, -2], [4, 3, 0, 1], [1, -2, 1, 0]])
    # Item 3 scores the same with 0 and 2: the smaller index is nearer.
    expected = [[0, 7, 6, 3], [7, 0, 0, 0], [6, 0, 0, 0], [3, 0, 0, 0]]
    np.testing.assert_array_equal(neighbour_graph(scores, 1).toarray(), expected)


@pytest.mark.parametrize("share", [1.0, 0.4])
def test_the_graph_equals_a_plain_one(share, rng):
    for _ in range(20):
        n_items = int(rng.integers(1, 12))
        pairs = all_pairs(n_items)
        pairs = rng.permutation(pairs[rng.random(len(pairs)) < share])
        values = rng.integers(-3, 4, len(pairs)).astype(float)
        scores = PairScores(n_items, pairs, values)
        lowest = values.min(initial=0.0) if len(pairs) == len(all_pairs(n_items)) else 0.0
        score_matrix = np.full((n_items, n_items), -np.inf)
        score_matrix[pairs[:, 0], pairs[:, 1]] = score_matrix[pairs[:, 1], pairs[:, 0]] = values
        expected = np.zeros((n_items, n_items))
        for item in range(n_items):
            for other in np.argsort(-score_matrix[item], kind="stable")[:3]:
                if score_matrix[item, other] > lowest:
                    expected[item, other] = expected[other, item] = (
                        score_matrix[item, other] - lowest
                    )
        np.testing.assert_array_equal(neighbour_graph(scores, 3).toarray(), expected)


def test_matching_pairs_each_node_once(rng):
    for _ in range(20):
        graph = random_graph(rng, 30, 0.2)
        sizes = rng.integers(1, 4, 30).astype(float)
        level = graph_cut._as_graph(graph, sizes)
        groups = match_nodes(*level, rng.permutation(30), 4.0)
        counts = np.bincount(groups)
        assert set(counts.tolist()) <= {1, 2}
        for group in np.flatnonzero(counts == 2):
            a, b = np.flatnonzero(groups == group)
            assert graph[a, b] > 0
            assert sizes[a] + sizes[b] <= 4


def test_refining_keeps_sizes_and_never_raises_the_cut(rng):
    for _ in range(40):
        graph = random_graph(rng, 25, 0.3)
        inside = rng.random(25) < 0.5
        size = np.count_nonzero(inside)
        before = cut_of(graph, inside)
        level = graph_cut._as_graph(graph, np.ones(25))
        after = refine_bisection(*level, inside, float(size), float(size))
        assert np.count_nonzero(inside) == size
        assert after == pytest.approx(cut_of(graph, inside))
        assert after <= before + 1e-9
        refine_bisection(*level, inside, 10.0, 12.0)
        assert 10 <= np.count_nonzero(inside) <= 12


def test_small_bisections_are_the_best_of_all(rng):
    hits = 0
    for _ in range(40):
        n_nodes = int(rng.integers(4, 11))
        graph = random_graph(rng, n_nodes, 0.6)
        low, high = n_nodes // 2, n_nodes - n_nodes // 2
        best = min(
            cut_of(graph, np.isin(np.arange(n_nodes), side))
            for size in range(low, high + 1)
            for side in combinations(range(n_nodes), size)
        )
        inside = bisect_graph(graph, (float(low), float(high)), np.random.default_rng(0))
        assert low <= np.count_nonzero(inside) <= high
        assert cut_of(graph, inside) >= best - 1e-9
        hits += cut_of(graph, inside) <= best + 1e-9
    assert hits >= 38


def test_bisections_beat_random_and_spectral_ones(rng):
    wins = 0
    for _ in range(10):
        graph = neighbour_graph(near_points(rng, 120), 8)
        inside = bisect_graph(graph, (54.0, 66.0), np.random.default_rng(0))
        assert 54 <= np.count_nonzero(inside) <= 66
        degrees = graph.sum(axis=1)
        fiedler = np.linalg.eigh(np.diag(degrees) - graph.toarray())[1][:, 1]
        spectral = fiedler > np.median(fiedler)
        assert cut_of(graph, inside) < cut_of(graph, rng.permutation(spectral))
        wins += cut_of(graph, inside) <= cut_of(graph, spectral)
    assert wins >= 9


@pytest.mark.parametrize("k", [1, 2, 3, 7, 20, 59, 60])
def test_there_are_k_clusters_always(k, rng):
    sets = [
        near_points(rng, 60),
        PairScores(60, None, np.zeros(1770)),
        PairScores(60, None, np.full(1770, 2.0)),
        PairScores(60, [], []),
        PairScores(60, [(0, item) for item in range(1, 60)], np.ones(59)),
    ]
    for scores in sets:
        partition = GraphCut(k, n_neighbors=5)(scores)
        assert partition.n_clusters == k


def test_two_clusters_are_balanced_as_promised(rng):
    """A pair of far items would be the smallest cut."""
    scores = near_points(rng, 100)
    assert min(GraphCut(2, n_neighbors=4)(scores).sizes) >= 25


def test_planted_clusters_of_unequal_size_are_found(rng):
    sizes = [40, 25, 30, 55, 35, 20, 45, 50]
    labels = rng.permutation(np.repeat(np.arange(8), sizes))
    centers = 10.0 * np.array([(x, y) for x in range(4) for y in range(2)])
    points = centers[labels] + rng.normal(size=(300, 2))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    np.fill_diagonal(distances, 0.0)
    scores = PairScores.from_matrix(-distances, n_clusters=8)
    assert GraphCut(n_neighbors=10)(scores) == Partition(labels)


def test_components_of_absent_pairs_are_not_cut(rng):
    labels = np.repeat(np.arange(4), 30)
    pairs = all_pairs(120)
    pairs = pairs[(labels[pairs[:, 0]] == labels[pairs[:, 1]]) & (rng.random(len(pairs)) < 0.5)]
    scores = PairScores(120, pairs, rng.random(len(pairs)), n_clusters=4)
    assert GraphCut()(scores) == Partition(labels)


def test_seeds_and_numbers(rng):
    scores = PairScores(80, None, rng.normal(size=3160))
    partitions = [GraphCut(5, random_state=seed)(scores) for seed in range(4)]
    assert partitions == [GraphCut(5, random_state=seed)(scores) for seed in range(4)]
    assert len(set(partitions)) > 1
    assert GraphCut(2).objective is None
    assert GraphCut(1)(PairScores(1, None, [])) == Partition([0])
    with pytest.raises(ItemSetError, match="use at most"):
        GraphCut(81)(scores)
    with pytest.raises(ItemSetError, match="not known"):
        GraphCut()(scores)
    with pytest.raises(InputError, match="n_neighbors"):
        GraphCut(2, n_neighbors=0)
