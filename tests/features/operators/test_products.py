"""Products over pairs that are not written out: kernels, compared with plain loops."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie._kernels.pairs import products
from coterie.features import DenseFeatures, LinkedNodeProducts, NodeProducts, SparseFeatures
from coterie.features.operators import blocks, matrices
from coterie.features.operators import nodes as nodes_module
from coterie.pairs import all_pairs, condensed_positions, count_pairs


def plain_products(nodes, pairs, coef, weights):
    """Compute scores and sums one pair and one column at a time."""
    scores, sums = np.zeros(len(pairs)), np.zeros(nodes.shape[1])
    for p, (i, j) in enumerate(pairs):
        for f in range(nodes.shape[1]):
            product = nodes[i, f] * nodes[j, f]
            scores[p] += coef[f] * product
            sums[f] += weights[p] * product
    return scores, sums


@pytest.mark.parametrize("dense_column_share", [0.0, 0.3, 1.0])
@given(n_items=st.integers(0, 8), n_columns=st.integers(0, 5), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_sparse_products_agree_with_plain_loops(dense_column_share, n_items, n_columns, seed):
    rng = np.random.default_rng(seed)
    filled = rng.random((n_items, n_columns)) < rng.random(n_columns)
    matrix = rng.normal(size=(n_items, n_columns)) * filled
    coef = rng.normal(size=n_columns) * (rng.random(n_columns) < 0.7)
    pairs = all_pairs(n_items)
    half = pairs[rng.permutation(len(pairs))[: (len(pairs) + 1) // 2]]
    weights = rng.normal(size=len(pairs)) * (rng.random(len(pairs)) < 0.7)
    scores, sums = plain_products(matrix, pairs, coef, weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nodes_module, "DENSE_COLUMN_SHARE", dense_column_share)
        patch.setattr(nodes_module, "DENSE_WORK_RATIO", 0)
        nodes = nodes_module.SparseNodes(sp.csr_array(matrix))
        np.testing.assert_allclose(nodes._all_scores(coef), scores, atol=1e-12)
        np.testing.assert_allclose(nodes._all_sums(weights), sums, atol=1e-12)
    np.testing.assert_allclose(nodes._listed_scores(coef, pairs), scores, atol=1e-12)
    np.testing.assert_allclose(nodes._listed_sums(weights, pairs), sums, atol=1e-12)
    half_weights = weights[: len(half)]
    scores, sums = plain_products(matrix, half, coef, half_weights)
    np.testing.assert_allclose(nodes._listed_scores(coef, half), scores, atol=1e-12)
    np.testing.assert_allclose(nodes._listed_sums(half_weights, half), sums, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("many_pairs", [0.0, 1.0])
@pytest.mark.parametrize("n_pairs", [3, 20])
def test_dense_products_agree_with_plain_loops(dtype, many_pairs, n_pairs, rng, monkeypatch):
    monkeypatch.setattr(nodes_module, "MANY_PAIRS", many_pairs)
    matrix = rng.normal(size=(8, 5)).astype(dtype)
    pairs = rng.permutation(all_pairs(8))[:n_pairs]
    coef, weights = rng.normal(size=5), rng.normal(size=n_pairs)
    operator = NodeProducts(matrix, pairs)
    scores, sums = plain_products(matrix.astype(np.float64), pairs, coef, weights)
    np.testing.assert_allclose(operator @ coef, scores, rtol=1e-10)
    np.testing.assert_allclose(operator.T @ weights, sums, rtol=1e-10)


def test_columns_that_most_items_have_are_multiplied_densely(rng):
    shares = np.repeat([0.9, 0.1], [30, 200])
    matrix = rng.normal(size=(60, 230)) * (rng.random((60, 230)) < shares)
    split = nodes_module.split_columns(sp.csr_array(matrix))
    np.testing.assert_array_equal(split.dense_columns, np.arange(30))
    np.testing.assert_array_equal(split.dense, matrix[:, :30])
    assert split.by_item[1].min() == 30
    assert len(split.by_column[1]) == np.count_nonzero(matrix[:, 30:])
    assert not len(nodes_module.split_columns(sp.csr_array(matrix[:, 28:])).dense_columns)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.2, 1.0])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_weights_that_are_mostly_zero_have_the_same_products(share, order, dtype, rng, monkeypatch):
    monkeypatch.setattr(nodes_module, "MANY_ROWS", 0)
    monkeypatch.setattr(matrices, "MANY_ROWS", 0)
    matrix = np.asarray(rng.normal(size=(45, 9)), order=order, dtype=dtype)
    nodes = matrix[:10]
    features = [DenseFeatures(matrix), SparseFeatures(matrix), LinkedNodeProducts(nodes, [(0, 1)])]
    features += [NodeProducts(nodes), NodeProducts(sp.csr_array(nodes))]
    weights = rng.normal(size=45)
    weights[int(45 * share) :] = 0.0
    for operator in features:
        expected = weights @ operator.to_matrix()
        np.testing.assert_allclose(operator.T @ weights, expected, rtol=1e-12)


def test_kernels_are_compiled_once(rng):
    for dtype in (np.float64, np.float32):
        matrix = rng.normal(size=(6, 3)).astype(dtype)
        for pairs in (None, [(0, 1), (2, 5)], np.asfortranarray([(3, 1), (2, 5)])):
            operator = NodeProducts(sp.csr_array(matrix), pairs)
            for part in (operator, operator.take([0, 1]), LinkedNodeProducts(matrix, [(1, 3)])):
                part @ rng.normal(size=(part.shape[1], 2))[:, 0]
                part.T @ rng.normal(size=(part.shape[0], 2))[:, 0]
    wide = DenseFeatures(rng.normal(size=(9000, 8)))
    for tall in (wide, wide.take(np.arange(8000))):
        tall.T @ np.eye(1, tall.shape[0])[0]
    for kernel in (
        products.add_scores,
        products.column_sums,
        products.listed_scores,
        products.listed_column_sums,
        products.weighted_row_sum,
    ):
        assert len(kernel.signatures) == 1


def test_pairs_are_found_by_their_positions():
    for n_items in range(2, 8):
        pairs = blocks.pairs_at(np.arange(count_pairs(n_items)), n_items)
        np.testing.assert_array_equal(pairs, all_pairs(n_items))
    assert blocks.pairs_at(np.arange(0), 0).shape == (0, 2)
    # For very many items, only the requested pairs are computed.
    requested = np.array([[0, 1], [70_000, 99_999], [99_998, 99_999]])
    np.testing.assert_array_equal(
        blocks.pairs_at(condensed_positions(requested, 100_000), 100_000), requested
    )


def test_wide_node_products_stay_within_memory():
    """WebKB has this shape; the matrix of 540,000 pairs × 50,000 features must not be built."""
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
