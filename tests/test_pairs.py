import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from coterie import PairScores
from coterie.exceptions import CoterieError, ItemSetError, PairError
from coterie.objectives import Correlation
from coterie.pairs import all_pairs, as_pairs, contract
from coterie.partition import Partition


def test_all_pairs_are_in_condensed_order():
    from scipy.spatial.distance import squareform

    matrix = squareform(np.arange(10))
    pairs = all_pairs(5)
    assert matrix[pairs[:, 0], pairs[:, 1]].tolist() == list(range(10))


@given(st.integers(0, 12), st.integers(0, 2**32 - 1))
def test_scores_from_a_matrix_give_the_matrix_back(n_items, seed):
    matrix = np.random.default_rng(seed).normal(size=(n_items, n_items))
    matrix = matrix + matrix.T
    scores = PairScores.from_matrix(matrix)
    assert scores.listed is None
    np.testing.assert_array_equal(scores.to_matrix(), matrix)


@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_scores_from_a_sparse_matrix_have_its_stored_pairs(n_items, seed):
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


def test_arrays_are_read_only_but_the_array_of_the_user_is_not():
    given_scores = np.array([1.0, 2.0, 3.0])
    scores = PairScores(3, None, given_scores)
    with pytest.raises(ValueError, match="read-only"):
        scores.scores[0] = 9
    given_scores[0] = 7.0
    with pytest.raises(AttributeError):
        scores.n_items = 5


def test_copies_are_read_only_too():
    scores = PairScores(3, [(0, 1)], [1.0], [1.0, 2.0, 3.0], n_clusters=2)
    for copied in (pickle.loads(pickle.dumps(scores)), copy.deepcopy(scores)):  # noqa: S301
        np.testing.assert_array_equal(copied.to_matrix(), scores.to_matrix())
        assert copied.n_clusters == 2
        assert not copied.scores.flags.writeable


def test_one_diagonal_score_is_repeated_for_all_items():
    assert PairScores(2, None, [1.0], 3.0).to_matrix().tolist() == [[3.0, 1.0], [1.0, 3.0]]


def test_features_without_a_diagonal_score_zero_there():
    from coterie.features import DenseFeatures

    features = DenseFeatures(np.ones((3, 2)))
    coef = np.ones(2)
    scores = PairScores(3, None, features @ coef, features.diagonal @ coef)
    assert np.diagonal(scores.to_matrix()).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([(0, 1, 0.0)], [[0, 1]]),
        ([(1, 0, 0.0)], [[0, 1]]),
        ([(0, 1, 2.0), (1, 0, 2.0), (2, 2, 5.0)], [[0, 1]]),
        ([(0, 1, 1e8), (1, 0, 1e8 + 1e-7)], [[0, 1]]),
    ],
)
def test_stored_entries_of_either_triangle_are_pairs(entries, expected):
    rows, columns, values = zip(*entries, strict=True)
    matrix = sp.coo_array((np.array(values), (rows, columns)), shape=(3, 3))
    assert PairScores.from_matrix(matrix).pairs.tolist() == expected


def test_small_integers_do_not_overflow_the_symmetry_check():
    matrix = sp.csr_array(np.array([[0, 100], [-28, 0]], dtype=np.int8))
    with pytest.raises(PairError, match="not symmetric"):
        PairScores.from_matrix(matrix)


def test_the_sparse_matrix_of_the_user_does_not_change():
    matrix = sp.coo_array(([1.0, 1.0, 2.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert PairScores.from_matrix(matrix).scores.tolist() == [2.0]
    assert matrix.nnz == 3


@pytest.mark.parametrize("costs", [[1.0, 2.0], ["a", "b", "c"], None, 1.0, [np.nan] * 3])
def test_plus_refuses_bad_costs(costs):
    with pytest.raises(PairError, match="costs"):
        PairScores(3, None, np.zeros(3)).plus(costs)


def test_plus_adds_costs_and_diagonal():
    scores = PairScores(2, None, [1.0], n_clusters=1).plus([0.5], [1.0, 2.0])
    assert scores.to_matrix().tolist() == [[1.0, 1.5], [1.5, 2.0]]
    assert scores.n_clusters == 1


def test_no_items_have_no_pairs():
    scores = PairScores(0, None, [])
    assert scores.to_matrix().shape == (0, 0)
    assert scores.pairs.shape == (0, 2)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, -1)], r"pair 0 is \(0, -1\), but there are 3 items; indices run from 0 to 2"),
        ([(0, 1), (1, 3)], r"pair 1 is \(1, 3\)"),
        (
            [(0, 1), (1, 0)],
            r"pairs 0 and 1 are both \(0, 1\); pairs are unordered, so list each pair once",
        ),
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
        ((3, None, [1.0, 2.0]), "there are 3 pairs; give one number per pair"),
        ((3, None, [1.0, np.nan, 2.0]), "entry 1 is nan; give finite numbers"),
        ((3, None, [1.0, np.inf, 2.0]), "entry 1 is inf"),
        ((3, None, ["a", "b", "c"]), "scores must be real numbers"),
        ((3, None, ["1", "2", "3"]), "scores must be real numbers"),
        ((3, None, [1j, 2.0, 3.0]), "scores must be real numbers"),
        ((3, None, [10**400, 2.0, 3.0]), "scores must be real numbers"),
        ((3, None, np.ma.array([1.0, 2.0, 3.0], mask=[1, 0, 0])), "scores must be real numbers"),
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
        ([[0, 1], [1]], "the matrix must be real numbers"),
        ([[0, np.nan], [np.nan, 0]], r"S\[0, 1\] is nan; give finite numbers"),
        (sp.csr_array([[0, 1], [2, 0]]), "not symmetric"),
        (sp.csr_array([[0, 1, 2]]), r"shape \(1, 3\)"),
        (sp.coo_array([0.0, 1.0]), r"shape \(2,\)"),
        ([["0", "1"], ["1", "0"]], "real numbers"),
        (np.zeros((3, 0)), r"shape \(3, 0\)"),
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


def test_repeated_cannot_link_pairs_count_once():
    scores = PairScores(4, [(0, 1)], [1.0], apart=[(3, 1), (1, 3), (0, 2)])
    assert scores.apart.tolist() == [[0, 2], [1, 3]]
    assert scores.plus([1.0]).apart is not None
    assert PairScores(4, [(0, 1)], [1.0], apart=[]).apart is None
    assert "2 apart" in repr(scores)
    with pytest.raises(PairError, match="an item with itself"):
        PairScores(4, [(0, 1)], [1.0], apart=[(1, 1)])


def test_contraction_sums_scores_and_values(rng):
    for _ in range(50):
        n_items = int(rng.integers(2, 8))
        pairs = all_pairs(n_items)[rng.random(len(all_pairs(n_items))) < 0.7]
        scores = PairScores(n_items, pairs, rng.normal(size=len(pairs)), rng.normal(size=n_items))
        contraction = contract(scores, rng.integers(n_items, size=(2, 2)))
        partition = Partition(rng.integers(2, size=contraction.scores.n_items))
        value = Correlation().value(contraction.expand(partition), scores)
        inside = Correlation().value(partition, contraction.scores) + contraction.inside
        assert value == pytest.approx(inside)
        assert np.array_equal(contraction.groups, Partition(contraction.groups).labels)
        matrix, groups = scores.to_matrix(), np.eye(contraction.scores.n_items)[contraction.groups]
        assert np.allclose(contraction.scores.to_matrix(), groups.T @ matrix @ groups)


def test_contraction_maps_cannot_link_pairs_and_refuses_contradictions():
    scores = PairScores(4, [(0, 1)], [1.0], apart=[(0, 3)])
    assert contract(scores, [(0, 1)]).scores.apart.tolist() == [[0, 2]]
    with pytest.raises(PairError, match="cannot-link pair, but must-link pairs connect its items"):
        contract(scores, [(0, 1), (1, 3)])


def test_a_contraction_expands_only_partitions_of_its_groups():
    scores = PairScores(4, None, np.ones(6), n_clusters=3)
    with pytest.raises(PairError, match="3 groups"):
        contract(scores, [(0, 1)]).expand(Partition([0, 1, 2, 3]))
    with pytest.raises(ItemSetError, match="leave 2 groups"):
        contract(scores, [(0, 1), (1, 2)])
