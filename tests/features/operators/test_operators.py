import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie import checks, features
from coterie.exceptions import FeatureError, ItemSetError, PairError
from coterie.features import (
    ConstantFeatures,
    DenseFeatures,
    LinkedNodeProducts,
    NodeProducts,
    SparseFeatures,
    as_features,
    select_rows,
    stack,
    to_matrix,
)
from coterie.features.operators import LinearOperator, ScaledFeatures, blocks
from coterie.pairs import all_pairs, count_pairs
from tests.memory import limit_memory


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


def stacked_dense(n, rng):
    return stack([nodes(n, rng), dense(n, rng), constant(n, rng)])


def constant(n, rng):
    return ConstantFeatures(count_pairs(n))


def scaled(n, rng):
    return ScaledFeatures(stacked(n, rng), rng.random(17) + 0.5)


def scaled_dense(n, rng):
    return ScaledFeatures(with_diagonal(n, rng), rng.random(3) + 0.5)


class Foreign:
    """An operator with the methods of the protocol `Features` only."""

    def __init__(self, matrix, diagonal):
        self.matrix, self.diagonal_matrix, self.shape = matrix, diagonal, matrix.shape

    @property
    def T(self):  # noqa: N802
        return self.matrix.T

    @property
    def diagonal(self):
        return DenseFeatures(self.diagonal_matrix)

    def __matmul__(self, coef):
        return self.matrix @ coef


def foreign(n, rng):
    return Foreign(rng.normal(size=(count_pairs(n), 3)), rng.normal(size=(n, 3)))


def selected_from_foreign(n, rng):
    return select_rows(foreign(n, rng), rng.permutation(count_pairs(n)))


KINDS = [
    dense, dense32, sparse, sparse32, with_diagonal, sparse_with_diagonal, nodes, sparse_nodes,
    nodes32, listed_nodes,
    listed_sparse_nodes, linked, linked_sparse, linked_listed, stacked, stacked_plain,
    stacked_dense, constant, scaled, scaled_dense, foreign, selected_from_foreign,
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@given(n_items=st.integers(0, 9), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_operators_keep_their_contract(kind, n_items, seed):
    operator = kind(n_items, np.random.default_rng(seed))
    checks.check_features(operator, n_items=n_items, random_state=seed)


def test_the_contract_is_checked_for_every_operator(rng):
    tested = {type(kind(3, rng)).__name__ for kind in KINDS}
    members = {name: getattr(features, name) for name in features.__all__}
    classes = {name for name, member in members.items() if isinstance(member, type)}
    assert {name for name in classes if issubclass(members[name], LinearOperator)} <= tested


def written_out(nodes, pairs):
    array = nodes.toarray() if sp.issparse(nodes) else nodes
    return array[pairs[:, 0]] * array[pairs[:, 1]]


@pytest.mark.parametrize("kind", [nodes, sparse_nodes, nodes32, listed_nodes, listed_sparse_nodes])
@pytest.mark.parametrize("block_entries", [2**22, 8])
def test_node_products_are_products(kind, block_entries, rng, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_ENTRIES", block_entries)
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
    is_linked = np.array([tuple(pair) in links for pair in pairs.tolist()])
    assert is_linked.any()
    assert not is_linked.all()
    columns = np.column_stack([written_out(operator.nodes, pairs), np.ones(len(pairs))])
    matrix = columns * is_linked[:, None]
    coef = rng.normal(size=5)
    np.testing.assert_allclose(operator @ coef, matrix @ coef)


def test_links_have_no_direction_and_count_once():
    operator = LinkedNodeProducts(np.eye(3), [(1, 0), (0, 1), (2, 2)])
    assert operator.links.tolist() == [[0, 1]]
    assert LinkedNodeProducts(np.eye(3), []).shape == (3, 4)
    with pytest.raises(PairError, match=r"pair 0 is \(5, 0\), but there are 3 items"):
        LinkedNodeProducts(np.eye(3), [(5, 0), (0, 1)])
    for invalid in (None, 5, [0, 1], [(0,)], [(0, 1), (2,)], [(0.5, 1.0)]):
        with pytest.raises(PairError):
            LinkedNodeProducts(np.eye(3), invalid)


@pytest.mark.parametrize("kind", [dense32, sparse32])
def test_float32_is_multiplied_in_float64_by_blocks(kind, rng, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_ENTRIES", 12)
    operator = kind(9, rng)
    assert operator.matrix.dtype == np.float32
    matrix = operator.matrix.toarray() if sp.issparse(operator.matrix) else operator.matrix
    coef, weights = rng.normal(size=operator.shape[1]), rng.normal(size=operator.shape[0])
    np.testing.assert_allclose(operator @ coef, matrix.astype(np.float64) @ coef, rtol=1e-13)
    expected = weights @ matrix.astype(np.float64)
    np.testing.assert_allclose(operator.T @ weights, expected, rtol=1e-12)


def test_diagonals_are_the_products_of_items_with_themselves():
    nodes = np.array([[1.0, 2.0], [3.0, 0.0], [0.0, 5.0]])
    squares = NodeProducts(nodes).diagonal
    np.testing.assert_allclose(squares @ [1.0, 10.0], [41.0, 9.0, 250.0])
    np.testing.assert_allclose(squares.T @ np.ones(3), [10.0, 29.0])
    stacked = stack([NodeProducts(nodes), np.ones((3, 1))]).diagonal
    np.testing.assert_allclose(stacked @ [1.0, 10.0, 99.0], [41.0, 9.0, 250.0])
    np.testing.assert_allclose(stacked.T @ np.ones(3), [10.0, 29.0, 0.0])
    assert ConstantFeatures(3).diagonal @ [5.0] == 0.0
    halves = ScaledFeatures(NodeProducts(nodes), [2.0, 2.0]).diagonal
    np.testing.assert_allclose(halves @ [1.0, 10.0], [20.5, 4.5, 125.0])
    zero = DenseFeatures(np.ones((3, 2))).diagonal
    np.testing.assert_allclose(zero.T @ np.ones(3), [0.0, 0.0])


def test_float32_nodes_are_squared_in_float64():
    squares = NodeProducts(np.array([[1e20], [0.1]], dtype=np.float32)).diagonal @ [1.0]
    assert squares == pytest.approx([1e40, 0.01], rel=1e-6)


def test_other_arrays_with_a_diagonal_method_are_matrices():
    class Tensor(np.ndarray):
        pass

    assert isinstance(as_features(np.ones((3, 2)).view(Tensor)), DenseFeatures)


def test_weights_multiply_from_the_left_too(rng):
    operator = NodeProducts(rng.normal(size=(4, 2)))
    weights = rng.normal(size=6)
    np.testing.assert_array_equal(weights @ operator, operator.T @ weights)
    assert operator.T.shape == (2, 6)


def test_a_stack_of_one_part_is_that_part_and_matrices_become_operators():
    products = NodeProducts(np.eye(3))
    assert stack([products]) is products
    assert isinstance(as_features(sp.eye_array(3)), SparseFeatures)
    assert isinstance(as_features([[1.0]]), DenseFeatures)
    assert repr(stack([products, np.ones((3, 1))])) == "StackedFeatures(3 pairs × 4 columns)"


@pytest.mark.parametrize("kind", KINDS)
def test_matrices_selected_rows_and_squares_agree(kind, rng):
    operator = kind(6, rng)
    matrix = to_matrix(operator)
    dense_matrix = matrix.toarray() if sp.issparse(matrix) else matrix
    rows = np.array([3, 0, 3, 5])
    part = select_rows(operator, rows[rows < operator.shape[0]])
    part_matrix = to_matrix(part)
    part_dense = part_matrix.toarray() if sp.issparse(part_matrix) else part_matrix
    np.testing.assert_allclose(part_dense, dense_matrix[rows[rows < operator.shape[0]]])
    if kind is not foreign:
        assert type(part) is type(operator)
        assert sp.issparse(part_matrix) == sp.issparse(matrix)
        np.testing.assert_allclose(operator.column_squares(), (dense_matrix**2).sum(axis=0))


def test_features_stay_sparse_where_they_are(rng):
    kinds = [sparse, sparse_nodes, listed_sparse_nodes, linked, linked_listed, stacked, scaled]
    assert all(isinstance(to_matrix(kind(5, rng)), sp.csr_array) for kind in kinds)
    assert all(isinstance(to_matrix(kind(5, rng)), np.ndarray) for kind in [nodes, stacked_dense])


def test_selected_rows_share_prepared_arrays(rng):
    products = sparse_nodes(6, rng)
    part = products.take([0, 1])
    assert part._form is products._form
    assert part.diagonal is products.diagonal
    assert products.at(None) is products
    assert products.at([(2, 1)]).pairs.tolist() == [[1, 2]]
    linked_products = linked_listed(6, rng)
    linked_products @ np.ones(5)
    assert linked_products.take([0])._products is linked_products._products


class TakesTheFirstRows(DenseFeatures):
    def take(self, rows):
        return super().take(np.arange(len(rows)))


class TakesNoDiagonal(DenseFeatures):
    def take(self, rows):
        return DenseFeatures(self.matrix[rows])


class WritesOthers(DenseFeatures):
    def to_matrix(self):
        return self.matrix + 1.0


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (TakesTheFirstRows, "some rows have other products"),
        (TakesNoDiagonal, "some rows change the diagonal"),
        (WritesOthers, "F written out has other products"),
    ],
)
def test_the_check_catches_what_breaks_the_contract(broken, message, rng):
    matrix, diagonal = rng.normal(size=(6, 2)), rng.normal(size=(4, 2))
    checks.check_features(DenseFeatures(matrix, diagonal), n_items=4)
    with pytest.raises(AssertionError, match=message):
        checks.check_features(broken(matrix, diagonal), n_items=4)


def test_matrices_larger_than_the_memory_are_refused(monkeypatch, rng):
    limit_memory(monkeypatch, 1e5)
    wide = sp.random_array((100, 300), density=0.2, rng=rng, format="csr")
    too_large = [
        NodeProducts(np.ones((100, 30))),
        NodeProducts(wide),
        ConstantFeatures(10**9),
        ScaledFeatures(NodeProducts(np.ones((100, 30))), np.ones(30)),
        DenseFeatures(np.ones((10_000, 3), dtype=np.float32)),
        stack([np.ones((4_950, 2)), ConstantFeatures(4_950)]),
    ]
    for operator in too_large:
        with pytest.raises(ItemSetError, match=r"a matrix of .* takes .* more than the memory"):
            operator.to_matrix()
    assert NodeProducts(wide, [(0, 1)]).to_matrix().shape == (1, 300)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: DenseFeatures([[1.0], [2.0, 3.0]]), "row 1 has 2 values"),
        (lambda: DenseFeatures([[np.nan]]), "row 0, column 0 is nan"),
        (lambda: DenseFeatures([["a"]]), "is not a real number"),
        (lambda: DenseFeatures(sp.eye_array(2)), "use SparseFeatures"),
        (lambda: SparseFeatures(sp.csr_array([[np.inf]])), "row 0, column 0 is inf"),
        (lambda: DenseFeatures([[1.0, 2.0]]) @ [1.0], "the features have 2 columns"),
        (lambda: DenseFeatures([[1.0, 2.0]]).T @ [1.0, 2.0], "the features have 1 pairs"),
        (
            lambda: DenseFeatures([[1.0]], [[1.0, 2.0]]),
            "features of the diagonal have 2 columns, but those of the pairs have 1",
        ),
        (lambda: DenseFeatures(None), "features have shape"),
        (lambda: SparseFeatures(None), "features have shape"),
        (lambda: SparseFeatures([[1.0], [2.0, 3.0]]), "row 1 has 2 values"),
        (lambda: SparseFeatures(np.ones(3)), r"shape \(3,\)"),
        (lambda: DenseFeatures([[1.0]]) @ ["a"], "coef must be real numbers"),
        (lambda: DenseFeatures([[1.0]]).T @ [1j], "weights must be real numbers"),
        (lambda: stack(np.ones((3, 1))), "parts are of type ndarray; give a list of features"),
        (lambda: stack([]), "give a list of at least one"),
        (lambda: ConstantFeatures(-1), "n_pairs is -1"),
        (lambda: ScaledFeatures([[1.0]], [1.0, 2.0]), r"scale has shape \(2,\) for 1 columns"),
        (lambda: ScaledFeatures([[1.0]], [0.0]), "one positive, finite number"),
        (lambda: DenseFeatures([[1.0]]).take([1]), "row 1 was requested, but there are 1 rows"),
        (lambda: DenseFeatures([[1.0]]).take([-1]), "row -1 was requested"),
        (lambda: DenseFeatures([[1.0]]).take([True]), "convert a mask with np.flatnonzero"),
        (lambda: DenseFeatures([[1.0]]).take([[0]]), "give a list of row indices"),
        (lambda: stack([np.ones((3, 1)), np.ones((1, 1))]), "3, 1 rows; give features of the"),
    ],
)
def test_bad_input_is_refused(build, message):
    with pytest.raises(FeatureError, match=message):
        build()
