"""Spanning forests against enumeration and Kruskal's algorithm."""

import numpy as np
import pytest

from coterie import PairScores, Partition
from coterie.clusterers.spanning_forest import SpanningForest
from coterie.exceptions import PairError
from coterie.objectives import Forest
from tests.partitions import all_partitions


def random_scores(rng, n_items, share):
    pairs = np.argwhere(np.triu(rng.random((n_items, n_items)) < share, 1))
    return PairScores(n_items, rng.permutation(pairs), rng.normal(-0.5, size=len(pairs)))


@pytest.mark.parametrize("share", [0.3, 0.7, 1.0])
def test_no_partition_is_better(share, rng):
    for n_items in range(1, 8):
        scores = random_scores(rng, n_items, share)
        solution = SpanningForest().solve(scores)
        values = [Forest().value(Partition(y), scores) for y in all_partitions(n_items)]
        assert solution.value == pytest.approx(max(values), abs=1e-12)
        assert (solution.bound, solution.status) == (solution.value, "exact")
        assert SpanningForest()(scores) == solution.partition


def kruskal(scores):
    """Take pairs from the highest score down to 0, unless they close a cycle."""
    clusters, edges = [{i} for i in range(scores.n_items)], []
    for pair in np.argsort(-scores.scores, kind="stable"):
        i, j = scores.pairs[pair]
        first, second = (next(c for c in clusters if item in c) for item in (i, j))
        if scores.scores[pair] > 0 and first is not second:
            first |= second
            clusters.remove(second)
            edges.append(pair)
    return Partition.from_clusters(clusters), edges


@pytest.mark.parametrize("share", [0.1, 1.0])
def test_kruskal(share, rng):
    scores = random_scores(rng, 40, share)
    partition, edges = kruskal(scores)
    solution = SpanningForest().solve(scores)
    assert solution.partition == partition
    assert np.flatnonzero(solution.weights).tolist() == sorted(edges)


def test_a_score_of_0_joins_nothing_and_all_pairs_are_never_listed():
    scores = PairScores(4, None, [0.0, 0.0, -1.0, 1.0, 0.0, 0.0])
    assert SpanningForest()(scores) == Partition([0, 1, 1, 2])
    assert "pairs" not in scores.__dict__


def test_apart_pairs_are_refused():
    with pytest.raises(PairError, match="SpanningForest does not support cannot-link pairs"):
        SpanningForest()(PairScores(2, None, [1.0], apart=[(0, 1)]))
