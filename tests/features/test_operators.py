import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie import checks, features
from coterie.exceptions import FeatureError, PairError
from coterie.features import (
    DenseFeatures,
    LinkedNodeProducts,
    NodeProducts,
    SparseFeatures,
    _blocks,
    as_features,
    stack,
)
from coterie.pairs import all_pairs, count_pairs


def nodes_of(n_items, rng, dtype=np.float64):
    dense = rng.normal(size=(n_items, 4)) * (rng.random((n_items, 4)) < 0.7)
    return dense.astype(dtype)


def some_pairs(n_items, rng):
    pairs = all_pairs(n_items)
    return pairs[rng.permutation(len(pairs))[: (len(pairs) + 1) // 2]]


def dense(n, rng):
    return DenseFeatures(rng.normal(size=(count_pairs(n), 3)))


def dense32(n, rng):
    return DenseFeatures(rng.normal(size=(count_pairs(n), 3)).astype(np.float32))


def sparse(n, rng):
    return SparseFeatures(sp.random_array((count_pairs(n), 5), density=0.4, rng=rng))


def sparse32(n, rng):
    matrix = sp.random_array((count_pairs(n), 5), density=0.4, rng=rng)
    return SparseFeatures(matrix.astype(np.float32))


def with_diagonal(n, rng):
    return DenseFeatures(rng.normal(size=(count_pairs(n), 3)), rng.normal(size=(n, 3)))


def sparse_with_diagonal(n, rng):
    return SparseFeatures(sp.csr_array((count_pairs(n), 3)), sp.csr_array(np.ones((n, 3))))


def nodes(n, rng):
    return NodeProducts(nodes_of(n, rng))


def sparse_nodes(n, rng):
    return NodeProducts(sp.csr_array(nodes_of(n, rng)))


def nodes32(n, rng):
    return NodeProducts(nodes_of(n, rng, np.float32))


def listed_nodes(n, rng):
    return NodeProducts(nodes_of(n, rng), some_pairs(n, rng))


def listed_sparse_nodes(n, rng):
    return NodeProducts(sp.csr_array(nodes_of(n, rng)), some_pairs(n, rng))


def linked(n, rng):
    return LinkedNodeProducts(nodes_of(n, rng), some_pairs(n, rng))


def linked_sparse(n, rng):
    return LinkedNodeProducts(sp.csr_array(nodes_of(n, rng)), some_pairs(n, rng))


def linked_listed(n, rng):
    return LinkedNodeProducts(nodes_of(n, rng), some_pairs(n, rng), some_pairs(n, rng))


def stacked(n, rng):
    return stack([nodes(n, rng), sparse(n, rng), linked(n, rng), dense(n, rng)])


def stacked_plain(n, rng):
    return stack([sparse(n, rng), dense(n, rng)])


KINDS = [
    dense, dense32, sparse, sparse32, with_diagonal, sparse_with_diagonal, nodes, sparse_nodes,
    nodes32, listed_nodes,
    listed_sparse_nodes, linked, linked_sparse, linked_listed, stacked, stacked_plain,
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@given(n_items=st.integers(0, 9), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_contract(kind, n_items, seed):
    operator = kind(n_items, np.random.default_rng(seed))
    checks.check_features(operator, n_items=n_items, random_state=seed)


def test_the_contract_runs_over_the_family(rng):
    tested = {type(kind(3, rng)).__name__ for kind in KINDS}
    classes = {name for name in features.__all__ if isinstance(getattr(features, name), type)}
    assert classes <= tested


def written_out(nodes, pairs):
    array = nodes.toarray() if sp.issparse(nodes) else nodes
    return array[pairs[:, 0]] * array[pairs[:, 1]]


@pytest.mark.parametrize("kind", [nodes, sparse_nodes, nodes32, listed_nodes, listed_sparse_nodes])
@pytest.mark.parametrize("block_entries", [2**22, 8])
def test_node_products_are_products(kind, block_entries, rng, monkeypatch):
    monkeypatch.setattr(_blocks, "BLOCK_ENTRIES", block_entries)
    operator = kind(8, rng)
    pairs = all_pairs(8) if operator.pairs is None else operator.pairs
    matrix = written_out(operator.nodes, pairs).astype(float)
    coef, weights = rng.normal(size=4), rng.normal(size=len(pairs))
    np.testing.assert_allclose(operator @ coef, matrix @ coef, atol=1e-6)
    np.testing.assert_allclose(operator.T @ weights, weights @ matrix, atol=1e-6)


@pytest.mark.parametrize("kind", [linked, linked_sparse, linked_listed])
def test_linked_products_are_zero_elsewhere(kind, rng):
    operator = kind(7, rng)
    pairs = all_pairs(7) if operator.pairs is None else operator.pairs
    links = {tuple(link) for link in operator.links.tolist()}
    on = np.array([tuple(pair) in links for pair in pairs.tolist()])
    assert on.any()
    assert not on.all()
    matrix = (
        np.column_stack([written_out(operator.nodes, pairs), np.ones(len(pairs))]) * on[:, None]
    )
    coef = rng.normal(size=5)
    np.testing.assert_allclose(operator @ coef, matrix @ coef)


def test_links_have_no_direction_and_count_once():
    operator = LinkedNodeProducts(np.eye(3), [(1, 0), (0, 1), (2, 2)])
    assert operator.links.tolist() == [[0, 1]]
    assert LinkedNodeProducts(np.eye(3), []).shape == (3, 4)
    with pytest.raises(PairError, match=r"pair 0 is \(5, 0\), but there are 3 items"):
        LinkedNodeProducts(np.eye(3), [(5, 0), (0, 1)])
    for wrong in (None, 5, [0, 1], [(0,)], [(0, 1), (2,)], [(0.5, 1.0)]):
        with pytest.raises(PairError):
            LinkedNodeProducts(np.eye(3), wrong)


@pytest.mark.parametrize("kind", [dense32, sparse32])
def test_float32_is_multiplied_in_float64_by_blocks(kind, rng, monkeypatch):
    monkeypatch.setattr(_blocks, "BLOCK_ENTRIES", 12)
    operator = kind(9, rng)
    assert operator.matrix.dtype == np.float32
    matrix = operator.matrix.toarray() if sp.issparse(operator.matrix) else operator.matrix
    coef, weights = rng.normal(size=operator.shape[1]), rng.normal(size=operator.shape[0])
    np.testing.assert_allclose(operator @ coef, matrix.astype(np.float64) @ coef, rtol=1e-13)
    expected = weights @ matrix.astype(np.float64)
    np.testing.assert_allclose(operator.T @ weights, expected, rtol=1e-12)


def test_diagonals():
    nodes = np.array([[1.0, 2.0], [3.0, 0.0], [0.0, 5.0]])
    own = NodeProducts(nodes).diagonal
    np.testing.assert_allclose(own @ [1.0, 10.0], [41.0, 9.0, 250.0])
    np.testing.assert_allclose(own.T @ np.ones(3), [10.0, 29.0])
    both = stack([NodeProducts(nodes), np.ones((3, 1))]).diagonal
    np.testing.assert_allclose(both @ [1.0, 10.0, 99.0], [41.0, 9.0, 250.0])
    np.testing.assert_allclose(both.T @ np.ones(3), [10.0, 29.0, 0.0])
    none = DenseFeatures(np.ones((3, 2))).diagonal
    np.testing.assert_allclose(none.T @ np.ones(3), [0.0, 0.0])


def test_float32_nodes_are_squared_in_float64():
    own = NodeProducts(np.array([[1e20], [0.1]], dtype=np.float32)).diagonal @ [1.0]
    assert own == pytest.approx([1e40, 0.01], rel=1e-6)


def test_other_arrays_with_a_diagonal_method_are_matrices():
    class Tensor(np.ndarray):
        pass

    assert isinstance(as_features(np.ones((3, 2)).view(Tensor)), DenseFeatures)


def test_weights_multiply_from_the_left_too(rng):
    operator = NodeProducts(rng.normal(size=(4, 2)))
    weights = rng.normal(size=6)
    np.testing.assert_array_equal(weights @ operator, operator.T @ weights)
    assert operator.T.shape == (2, 6)


def test_stack_of_one_is_itself_and_matrices_are_taken():
    one = NodeProducts(np.eye(3))
    assert stack([one]) is one
    assert isinstance(as_features(sp.eye_array(3)), SparseFeatures)
    assert isinstance(as_features([[1.0]]), DenseFeatures)
    assert repr(stack([one, np.ones((3, 1))])) == "StackedFeatures(3 pairs × 4 columns)"


def test_wide_node_products_stay_within_memory():
    """The shape of WebKB: no pairs × features matrix (540,000 × 50,000) is ever made."""
    import tracemalloc

    rng = np.random.default_rng(0)
    nodes = sp.random_array((1041, 50_000), density=0.002, rng=rng, format="csr")
    operator = NodeProducts(nodes)
    tracemalloc.start()
    scores = operator @ np.ones(50_000)
    operator.T @ scores
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 500e6


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: DenseFeatures([[1.0], [2.0, 3.0]]), "row 1 has 2 values"),
        (lambda: DenseFeatures([[np.nan]]), "row 0, column 0 is nan"),
        (lambda: DenseFeatures([["a"]]), "no real number"),
        (lambda: DenseFeatures(sp.eye_array(2)), "give them to SparseFeatures"),
        (lambda: SparseFeatures(sp.csr_array([[np.inf]])), "row 0, column 0 is inf"),
        (lambda: DenseFeatures([[1.0, 2.0]]) @ [1.0], "the features have 2 columns"),
        (lambda: DenseFeatures([[1.0, 2.0]]).T @ [1.0, 2.0], "the features have 1 pairs"),
        (
            lambda: DenseFeatures([[1.0]], [[1.0, 2.0]]),
            "the diagonal has 2 columns, the pairs have 1",
        ),
        (lambda: DenseFeatures(None), "features have shape"),
        (lambda: SparseFeatures(None), "features have shape"),
        (lambda: SparseFeatures([[1.0], [2.0, 3.0]]), "row 1 has 2 values"),
        (lambda: SparseFeatures(np.ones(3)), r"shape \(3,\)"),
        (lambda: DenseFeatures([[1.0]]) @ ["a"], "coef must be real numbers"),
        (lambda: DenseFeatures([[1.0]]).T @ [1j], "weights must be real numbers"),
        (lambda: stack(np.ones((3, 1))), "parts are of type ndarray; give a list of features"),
        (lambda: stack([]), "give at least one part"),
        (lambda: stack([np.ones((3, 1)), np.ones((1, 1))]), "3, 1 pairs; stack features of the"),
    ],
)
def test_bad_input_is_refused(build, message):
    with pytest.raises(FeatureError, match=message):
        build()
