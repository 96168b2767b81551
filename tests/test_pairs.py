import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from coterie import PairScores
from coterie.exceptions import CoterieError, ItemSetError, PairError
from coterie.pairs import all_pairs, as_pairs


def test_all_pairs_are_in_condensed_order():
    from scipy.spatial.distance import squareform

    matrix = squareform(np.arange(10))
    pairs = all_pairs(5)
    assert matrix[pairs[:, 0], pairs[:, 1]].tolist() == list(range(10))


@given(st.integers(0, 12), st.integers(0, 2**32 - 1))
def test_matrix_round_trip(n_items, seed):
    matrix = np.random.default_rng(seed).normal(size=(n_items, n_items))
    matrix = matrix + matrix.T
    scores = PairScores.from_matrix(matrix)
    assert scores.listed is None
    np.testing.assert_array_equal(scores.to_matrix(), matrix)


@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_sparse_matrix_lists_its_stored_pairs(n_items, seed):
    rng = np.random.default_rng(seed)
    dense = np.triu(rng.normal(size=(n_items, n_items)) * (rng.random((n_items, n_items)) < 0.4))
    dense = dense + dense.T
    scores = PairScores.from_matrix(sp.csr_array(dense))
    assert len(scores.scores) == np.count_nonzero(np.triu(dense, 1))
    np.testing.assert_allclose(scores.to_matrix(), dense)


def test_pairs_are_unordered_and_keep_their_order():
    scores = PairScores(4, [(3, 1), (0, 2)], [5.0, 6.0])
    assert scores.pairs.tolist() == [[1, 3], [0, 2]]
    assert scores.scores.tolist() == [5.0, 6.0]


def test_all_pairs_listed_in_order_are_recognized():
    assert as_pairs(all_pairs(4), 4) is None
    assert as_pairs(all_pairs(4)[::-1], 4) is not None
    assert as_pairs([], 1) is None
    assert as_pairs([], 2).shape == (0, 2)


def test_arrays_are_read_only_and_the_users_are_untouched():
    given_scores = np.array([1.0, 2.0, 3.0])
    scores = PairScores(3, None, given_scores)
    with pytest.raises(ValueError, match="read-only"):
        scores.scores[0] = 9
    given_scores[0] = 7.0
    with pytest.raises(AttributeError):
        scores.n_items = 5


def test_plus_adds_costs_and_diagonal():
    scores = PairScores(2, None, [1.0], n_clusters=1).plus([0.5], [1.0, 2.0])
    assert scores.to_matrix().tolist() == [[1.0, 1.5], [1.5, 2.0]]
    assert scores.n_clusters == 1


def test_empty():
    scores = PairScores(0, None, [])
    assert scores.to_matrix().shape == (0, 0)
    assert scores.pairs.shape == (0, 2)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, -1)], r"pair 0 is \(0, -1\), but there are 3 items; indices run from 0 to 2"),
        ([(0, 1), (1, 3)], r"pair 1 is \(1, 3\)"),
        ([(0, 1), (1, 0)], r"pairs 0 and 1 are both \(0, 1\); pairs are unordered, list each once"),
        ([(1, 2), (0, 1), (1, 2)], r"pairs 0 and 2 are both \(1, 2\)"),
        ([(2, 2)], r"an item with itself; leave it out"),
        ([(0.5, 1.0)], "give integer item indices"),
        ([(0, 1, 2)], r"give an \(m, 2\) array"),
        ([(0, 1), (1,)], "pairs are ragged"),
    ],
)
def test_bad_pairs_are_refused(pairs, message):
    with pytest.raises(PairError, match=message):
        PairScores(3, pairs, np.zeros(len(pairs)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, None, [1.0, 2.0]), "there are 3 pairs; give one for each"),
        ((3, None, [1.0, np.nan, 2.0]), "number 1 is nan; give finite numbers"),
        ((3, None, [1.0, np.inf, 2.0]), "number 1 is inf"),
        ((3, None, ["a", "b", "c"]), "scores must be numbers"),
        ((2, None, [1.0], [1.0]), "diagonal scores have shape"),
    ],
)
def test_bad_scores_are_refused(arguments, message):
    with pytest.raises(PairError, match=message):
        PairScores(*arguments)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1], [2, 0]], r"not symmetric: S\[0, 1\] = 1.0 and S\[1, 0\] = 2.0"),
        ([[0, 1, 2], [1, 0, 3]], r"shape \(2, 3\)"),
        ([[0, 1], [1]], "ragged"),
        ([[0, np.nan], [np.nan, 0]], "number 0 is nan"),
        (sp.csr_array([[0, 1], [2, 0]]), "not symmetric"),
    ],
)
def test_bad_matrices_are_refused(matrix, message):
    with pytest.raises(PairError, match=message):
        PairScores.from_matrix(matrix)


@pytest.mark.parametrize("n_clusters", [0, 4, -1, 1.5, "two"])
def test_bad_numbers_of_clusters_are_refused(n_clusters):
    with pytest.raises(ItemSetError, match="n_clusters"):
        PairScores(3, None, np.zeros(3), n_clusters=n_clusters)


def test_bad_number_of_items_is_refused():
    with pytest.raises(CoterieError, match="n_items is -1"):
        PairScores(-1, None, [])
