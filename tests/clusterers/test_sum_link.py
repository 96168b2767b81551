"""Sum-Link against its rule written out."""

import numpy as np
import pytest

from coterie import PairScores, Partition
from coterie.clusterers._pieces import labels_by_piece, pieces
from coterie.clusterers.sum_link import SumLink
from coterie.exceptions import PairError


def textbook(scores):
    matrix, clusters = scores.to_matrix(), []
    for item in range(scores.n_items):
        sums = [sum(matrix[j, item] for j in cluster) for cluster in clusters]
        best = int(np.argmax(sums)) if sums else 0
        if sums and sums[best] > 0:
            clusters[best].append(item)
        else:
            clusters.append([item])
    return Partition.from_clusters(clusters)


def random_scores(rng, n_items, share):
    pairs = np.argwhere(np.triu(rng.random((n_items, n_items)) < share, 1))
    # Halves add up exactly, in any order, and often to the same sum.
    return PairScores(n_items, rng.permutation(pairs), rng.integers(-4, 5, size=len(pairs)) / 2)


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_the_online_rule(share, rng):
    for n_items in [*range(1, 9), 50]:
        scores = random_scores(rng, n_items, share)
        assert SumLink()(scores) == textbook(scores)


def test_all_pairs_are_never_listed(rng):
    scores = PairScores(40, None, rng.normal(size=780))
    partition = SumLink()(scores)
    assert "pairs" not in scores.__dict__
    assert partition == textbook(scores)
    order = rng.permutation(780)
    assert SumLink()(PairScores(40, scores.pairs[order], scores.scores[order])) == partition


def test_ties_go_to_a_new_cluster_then_to_the_smallest_first_item():
    assert SumLink()(PairScores(3, None, [0.0, 1.0, -1.0])) == Partition([0, 1, 0])
    assert SumLink()(PairScores(3, None, [-1.0, 2.0, 2.0])) == Partition([0, 1, 0])
    assert SumLink()(PairScores(3, [(1, 2), (0, 2)], [2.0, 2.0])) == Partition([0, 1, 0])


def test_components_of_positive_pairs_may_be_split(rng):
    for _ in range(30):
        scores = random_scores(rng, 14, 0.15)
        labels = labels_by_piece(lambda s: SumLink()(s).labels, pieces(scores), 14)
        assert Partition(labels) == SumLink()(scores)


def test_the_value_is_of_correlation_and_apart_pairs_are_refused():
    scores = PairScores(4, None, [1.0, 2.0, -1.0, 3.0, -1.0, -1.0])
    solution = SumLink().solve(scores)
    assert (solution.value, solution.status) == (6.0, "local")
    with pytest.raises(PairError, match="SumLink does not support cannot-link pairs"):
        SumLink()(PairScores(2, None, [1.0], apart=[(0, 1)]))
