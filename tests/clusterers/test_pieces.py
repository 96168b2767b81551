"""Splitting sets by components, and putting labels together again."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from coterie.clusterers import Greedy, _pieces
from coterie.clusterers._pieces import labels_by_piece, pieces
from coterie.pairs import PairScores
from coterie.partition import Partition
from tests.clusterers.instances import make_apart, make_listed, make_scores


def instances(rng):
    for number in range(60):
        make = make_scores if number % 2 else make_listed
        scores = make(rng, int(rng.integers(1, 12)), "noise")
        yield PairScores(scores.n_items, scores.listed, scores.scores - 1.0)


def test_pieces_are_the_components_of_positive_pairs(rng):
    for scores in instances(rng):
        matrix = scores.to_matrix()
        expected = Partition(connected_components(matrix > 0, directed=False)[1])
        parts = pieces(scores)
        labels = labels_by_piece(lambda s: np.zeros(s.n_items, np.intp), parts, scores.n_items)
        assert Partition(labels) == expected
        for items, part in parts:
            assert np.array_equal(part.to_matrix(), matrix[np.ix_(items, items)])


@pytest.mark.parametrize("min_pairs", [1, 5, 1000])
def test_packing_loses_no_pair_inside_components(rng, monkeypatch, min_pairs):
    monkeypatch.setattr(_pieces, "ALONE_ITEMS", 4)
    for scores in instances(rng):
        components = {(int(part.items[0]), len(part.items)) for part in pieces(scores)}
        packed = pieces(scores, min_pairs=min_pairs)
        assert sum(len(part.items) for part in packed) == sum(size for _, size in components)
        inside = sum(part.scores.scores.sum() for part in pieces(scores))
        assert sum(p.scores.scores.sum() for p in packed) == pytest.approx(inside)
        labels = labels_by_piece(lambda s: Greedy()(s).labels, packed, scores.n_items)
        assert Partition(labels) == Greedy()(scores)


def test_many_small_components_share_pieces():
    pairs = np.arange(2000).reshape(-1, 2)
    scores = PairScores(2000, pairs, np.ones(1000))
    assert len(pieces(scores)) == 1000
    assert len(pieces(scores, min_pairs=400)) == 3
    assert Greedy()(scores).n_clusters == 1000


@pytest.mark.parametrize("min_pairs", [0, 5])
def test_apart_pairs_inside_components_stay_with_their_piece(rng, min_pairs):
    for scores in instances(rng):
        if scores.n_items < 3:
            continue
        banned = make_apart(rng, scores)
        labels = labels_by_piece(
            lambda s: np.zeros(s.n_items, np.intp), pieces(banned), scores.n_items
        )
        inside = banned.apart[Partition(labels).together(banned.apart)]
        parts = pieces(banned, min_pairs=min_pairs)
        pairs_apart = [items[part.apart] for items, part in parts if part.apart is not None]
        assert (
            sorted(np.concatenate(pairs_apart).tolist() if pairs_apart else []) == inside.tolist()
        )
