"""Sums of trees and their contributions, compared with plain loops and all subsets of columns."""

from dataclasses import replace
from itertools import combinations
from math import factorial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie import ItemSet, Model
from coterie._kernels.trees import sums as tree_kernels
from coterie.blocking import AllPairs
from coterie.clusterers import Greedy
from coterie.exceptions import FeatureError, InputError
from coterie.features import GivenFeatures
from coterie.features.operators import blocks
from coterie.pairs import all_pairs
from coterie.similarities import Trees, TreeSimilarity

STUMP = {
    "roots": [0],
    "columns": [1, -1, -1],
    "thresholds": [0.5, 0.0, 0.0],
    "lefts": [1, 0, 0],
    "rights": [2, 0, 0],
    "values": [0.0, -1.0, 2.0],
    "covers": [4, 3, 1],
}
LEAF = Trees([0], [-1], [0.0], [0], [0], [1.5], [0])


def random_tree(rng, n_leaves, n_columns, integers):
    """Split leaves at random; some leaves have no training pairs."""
    columns, thresholds, lefts, rights, covers = [-1], [0.0], [0], [0], [1.0 + rng.integers(50)]
    for _ in range(n_leaves - 1):
        open_leaves = [i for i, c in enumerate(columns) if c < 0 and covers[i] > 0]
        node = int(rng.choice(open_leaves))
        columns[node], lefts[node] = int(rng.integers(n_columns)), len(columns)
        rights[node] = len(columns) + 1
        thresholds[node] = float(rng.integers(-2, 3)) if integers else rng.normal()
        left_cover = float(rng.integers(0, int(covers[node]) + 1))
        for cover in (left_cover, covers[node] - left_cover):
            columns.append(-1)
            thresholds.append(0.0)
            lefts.append(0)
            rights.append(0)
            covers.append(cover)
    return Trees([0], columns, thresholds, lefts, rights, rng.normal(size=len(columns)), covers)


def random_trees(rng, n_trees, max_leaves, n_columns, integers=True):
    sizes = rng.integers(1, max_leaves + 1, size=n_trees)
    return Trees.joined([random_tree(rng, size, n_columns, integers) for size in sizes])


def random_rows(rng, n_rows, n_columns, integers=True):
    # Integers are often equal to a threshold.
    if integers:
        return rng.integers(-3, 4, size=(n_rows, n_columns)).astype(float)
    return rng.normal(size=(n_rows, n_columns))


def plain_sum(trees, row):
    """Follow one row from each root to a leaf, as the kernel does."""
    total = 0.0
    for root in trees.roots:
        node = root
        while trees.columns[node] >= 0:
            left = row[trees.columns[node]] <= trees.thresholds[node]
            node = trees.lefts[node] if left else trees.rights[node]
        total += trees.values[node]
    return total


def mean_sum(trees, row, known_columns):
    """Return the mean sum of the trees if only some columns of a row are known."""

    def mean_below(node):
        column, covers = trees.columns[node], trees.covers
        if column < 0:
            return trees.values[node]
        left, right = trees.lefts[node], trees.rights[node]
        if column in known_columns:
            return mean_below(left if row[column] <= trees.thresholds[node] else right)
        return (covers[left] * mean_below(left) + covers[right] * mean_below(right)) / covers[node]

    return sum(mean_below(root) for root in trees.roots)


def plain_contributions(trees, row):
    """Return Shapley values by their definition, over all subsets of the columns."""
    d = len(row)
    values = np.zeros(d)
    for column in range(d):
        other_columns = [index for index in range(d) if index != column]
        for size in range(d):
            weight = factorial(size) * factorial(d - size - 1) / factorial(d)
            for subset in combinations(other_columns, size):
                gain = mean_sum(trees, row, {*subset, column}) - mean_sum(trees, row, {*subset})
                values[column] += weight * gain
    return values


@given(
    n_trees=st.integers(0, 4),
    max_leaves=st.integers(1, 12),
    n_columns=st.integers(1, 5),
    n_rows=st.integers(0, 150),
    integers=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=60)
def test_sums_equal_a_plain_walk(n_trees, max_leaves, n_columns, n_rows, integers, seed):
    rng = np.random.default_rng(seed)
    trees = random_trees(rng, n_trees, max_leaves, n_columns, integers)
    matrix = random_rows(rng, n_rows, n_columns, integers)
    expected = [plain_sum(trees, row) for row in matrix]
    assert (
        trees(matrix).tolist() == expected
    )  # the terms are added in the same order, so the sums are equal to the bit


@pytest.mark.parametrize(("n_rows", "n_columns"), [(1500, 3), (150, 2000)])
def test_sums_of_several_blocks_of_rows(n_rows, n_columns, rng):
    assert n_rows > max(64, min(1024, tree_kernels.BLOCK_ENTRIES // n_columns))
    trees = random_trees(rng, 5, 12, n_columns)
    matrix = random_rows(rng, n_rows, n_columns)
    expected_sums = [plain_sum(trees, row) for row in matrix]
    assert trees(matrix).tolist() == expected_sums
    assert trees(np.asfortranarray(matrix)).tolist() == expected_sums
    assert trees(sp.csr_array(matrix)).tolist() == expected_sums


@given(
    n_trees=st.integers(0, 3),
    max_leaves=st.integers(1, 10),
    n_columns=st.integers(1, 5),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=40)
def test_contributions_equal_shapley_values_over_all_subsets(n_trees, max_leaves, n_columns, seed):
    rng = np.random.default_rng(seed)
    trees = random_trees(rng, n_trees, max_leaves, n_columns)
    matrix = random_rows(rng, 3, n_columns)
    mean, parts = trees.contributions(matrix)
    assert mean == pytest.approx(mean_sum(trees, None, set()), abs=1e-12)
    expected = [plain_contributions(trees, row) for row in matrix]
    np.testing.assert_allclose(parts, expected, rtol=0, atol=1e-12)


def deepest_tree(rng, n_columns, depth):
    """Return a tree that is a chain of nodes, which test the columns in turn."""
    inner = np.arange(0, 2 * depth, 2)
    columns, lefts = np.full(2 * depth + 1, -1), np.zeros(2 * depth + 1, dtype=int)
    columns[inner], lefts[inner] = np.arange(depth) % n_columns, inner + 1
    covers = np.empty(2 * depth + 1)
    covers[inner], covers[inner + 1], covers[-1] = depth + 1 - np.arange(depth), 1, 1
    return Trees(
        roots=[0],
        columns=columns,
        thresholds=rng.normal(size=2 * depth + 1) - 1.5,
        lefts=lefts,
        rights=np.where(columns >= 0, lefts + 1, 0),
        values=rng.normal(size=2 * depth + 1),
        covers=covers,
    )


@pytest.mark.parametrize(("n_columns", "depth"), [(60, 60), (3, 200), (150, 300)])
def test_contributions_of_deep_trees_sum_to_the_score(n_columns, depth, rng):
    trees = deepest_tree(rng, n_columns, depth)
    matrix = rng.normal(size=(40, n_columns))
    mean, parts = trees.contributions(matrix)
    np.testing.assert_allclose(mean + parts.sum(axis=1), trees(matrix), rtol=0, atol=1e-12)
    assert np.ptp(trees(matrix)) > 1.0


def test_columns_that_trees_do_not_test_add_nothing(rng):
    trees = random_trees(rng, 4, 8, 3)
    matrix = np.column_stack([random_rows(rng, 9, 3), rng.normal(size=(9, 2))])
    mean, parts = trees.contributions(matrix)
    tested_mean, tested_parts = trees.contributions(matrix[:, :3])
    assert mean == tested_mean
    assert np.array_equal(parts, np.column_stack([tested_parts, np.zeros((9, 2))]))


def test_trees_of_one_leaf_have_constant_scores():
    matrix = np.zeros((3, 2))
    assert LEAF(matrix).tolist() == [1.5] * 3
    mean, parts = Trees.joined([LEAF, LEAF]).contributions(matrix)
    assert (mean, parts.tolist()) == (3.0, [[0.0, 0.0]] * 3)
    assert repr(LEAF) == "Trees(1 of 1 leaves)"


def test_trees_are_concatenated_and_separated(rng):
    parts = [random_trees(rng, n, 9, 4) for n in (2, 0, 3)]
    trees = Trees.joined(parts)
    matrix = random_rows(rng, 20, 4)
    assert [len(part) for part in (*parts, trees)] == [2, 0, 3, 5]
    np.testing.assert_allclose(trees(matrix), sum(part(matrix) for part in parts), atol=1e-12)
    assert np.array_equal(trees.first(2)(matrix), parts[0](matrix))
    assert not trees.first(0)(matrix).any()
    assert trees.first(5) is trees.first(9) is trees
    assert [len(trees.first(count)) for count in range(5)] == [0, 1, 2, 3, 4]
    assert len(Trees.joined([])) == 0
    with pytest.raises(InputError, match="n_trees is -1; give a whole number"):
        trees.first(-1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": [1, -1]}, "columns has length 2, but lefts has length 3; give both one"),
        ({"values": [0.0]}, "columns has length 3, but values has length 1; give both one"),
        ({"columns": [[1, -1, -1]]}, r"columns have shape \(1, 3\); give a one-dimensional"),
        ({"columns": [1, [2], 3]}, "columns must be real numbers"),
        ({"columns": ["a", "b", "c"]}, "columns must be real numbers"),
        ({"columns": [0.5, -1, -1]}, "columns 0 is 0.5; give whole numbers of at most"),
        ({"columns": [2**31, -1, -1]}, "columns 0 is 2147483648.0; give whole numbers of at"),
        ({"columns": [1, -2, -1]}, "node 1 tests column -2; give columns from 0"),
        ({"roots": [1]}, "the first root is node 1; make it node 0"),
        ({"roots": []}, "the first root is node 3; make it node 0"),
        ({"roots": [0, 0]}, "root 0 is 0, followed by 0 of 3 nodes; give the roots in ascending"),
        ({"roots": [0, 3]}, "root 1 is 3, followed by 3 of 3 nodes"),
        ({"roots": [0, -1]}, "root 0 is 0, followed by -1 of 3 nodes"),
        ({"lefts": [0, 0, 0]}, "the left child of node 0 is 0; give a later node of the same"),
        ({"lefts": [-1, 0, 0]}, "the left child of node 0 is -1"),
        ({"rights": [3, 0, 0]}, "the right child of node 0 is 3; .* ends before node 3"),
        ({"roots": [0, 2]}, "the right child of node 0 is 2; .* ends before node 2"),
        (
            {"rights": [1, 0, 0]},
            "node 1 is not a root, but the child of 2 nodes; give it one parent",
        ),
        ({"columns": [-1, -1, -1]}, "node 1 is not a root, but the child of 0 nodes"),
        ({"thresholds": [np.nan, 0, 0]}, "thresholds 0 is nan; give finite numbers"),
        ({"values": [0, np.inf, 0]}, "values 1 is inf; give finite numbers"),
        ({"covers": [4, 3, np.inf]}, "covers 2 is inf; give finite numbers"),
        ({"covers": [4, 5, -1]}, "the cover of node 2 is -1.0; give numbers of at least 0"),
        (
            {"covers": [4, 3, 2]},
            "cover of node 0 is 4.0, but the covers of its children sum to 5.0",
        ),
        (
            {"covers": [0, 0, 0]},
            "cover of node 0 is 0.0, but the covers of its children sum to 0.0",
        ),
    ],
)
def test_invalid_trees_are_refused(changes, message):
    Trees(**STUMP)
    with pytest.raises(InputError, match=message):
        Trees(**{**STUMP, **changes})


@given(seed=st.integers(0, 2**32 - 1))
def test_damaged_numbers_are_refused_or_harmless(seed):
    rng = np.random.default_rng(seed)
    trees = random_trees(rng, 3, 6, 3)
    fields = {name: getattr(trees, name).copy() for name in STUMP}
    for name in rng.choice(["roots", "columns", "lefts", "rights", "covers"], size=2):
        values = fields[name]
        values[rng.integers(len(values))] = rng.integers(-2, len(fields["columns"]) + 2)
    try:
        damaged = Trees(**fields)
    except InputError:
        return
    matrix = random_rows(rng, 5, len(fields["columns"]) + 2)
    sums = damaged(matrix)
    mean, parts = damaged.contributions(matrix)
    assert sums.tolist() == [plain_sum(damaged, row) for row in matrix]
    np.testing.assert_allclose(mean + parts.sum(axis=1), sums, rtol=0, atol=1e-12)


def test_arrays_cannot_change_after_the_checks():
    lefts = np.array(STUMP["lefts"], dtype=np.int32)
    trees = Trees(**{**STUMP, "lefts": lefts})
    lefts[0] = 99
    assert trees.lefts[0] == 1
    for name in STUMP:
        with pytest.raises(ValueError, match="read-only"):
            getattr(trees, name)[0] = 0


def test_matrices_of_other_shapes_are_refused():
    trees = Trees(**STUMP)
    for use in (trees, trees.contributions):
        with pytest.raises(FeatureError, match="have 1 columns, but the trees test column 1"):
            use([[1.0]])
        with pytest.raises(
            FeatureError, match=r"features have shape \(2,\); give a matrix with one row"
        ):
            use([1.0, 2.0])


KINDS = ["nodes", "sparse nodes", "pairs", "sparse pairs"]
SOME_PAIRS = np.array([[4, 1], [0, 6], [2, 3]])


def item_set(kind, rng, n_items=7, **options):
    """Return an item set, and the features of all its pairs."""
    pairs = all_pairs(n_items)
    sparse = sp.csr_array if "sparse" in kind else np.asarray
    if "pairs" in kind:
        matrix = random_rows(rng, len(pairs), 3)
        return ItemSet.from_pair_features(sparse(matrix), n_items, **options), matrix
    nodes = random_rows(rng, n_items, 3)
    return ItemSet(sparse(nodes), **options), nodes[pairs[:, 0]] * nodes[pairs[:, 1]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entries", [2**22, 12])  # 12: four rows per block
class TestSimilarity:
    def test_scores_and_contributions_are_those_of_a_plain_walk(
        self, kind, entries, rng, monkeypatch
    ):
        monkeypatch.setattr(blocks, "BLOCK_ENTRIES", entries)
        trees = random_trees(rng, 5, 9, 3)
        items, features = item_set(kind, rng, n_clusters=2)
        similarity = TreeSimilarity(GivenFeatures(), trees, bias=0.25)
        expected = np.array([plain_sum(trees, row) for row in features]) + 0.25
        pair_list = all_pairs(7).tolist()
        some_rows = [pair_list.index(sorted(pair)) for pair in SOME_PAIRS.tolist()]
        for pairs, rows in [(None, slice(None)), (SOME_PAIRS, some_rows)]:
            np.testing.assert_allclose(similarity(items, pairs), expected[rows], atol=1e-12)
            scores = similarity.pair_scores(items, pairs)
            np.testing.assert_allclose(scores.scores, expected[rows], atol=1e-12)
            assert (scores.diagonal, scores.n_clusters) == (None, 2)
            mean, parts = similarity.contributions(items, pairs)
            assert parts.shape == (len(expected[rows]), 3)
            np.testing.assert_allclose(mean + parts.sum(axis=1), expected[rows], atol=1e-12)
            np.testing.assert_allclose(parts, trees.contributions(features[rows])[1], atol=1e-12)
            assert mean == pytest.approx(0.25 + mean_sum(trees, None, set()))

    def test_no_pairs_have_no_scores(self, kind, entries, rng, monkeypatch):
        monkeypatch.setattr(blocks, "BLOCK_ENTRIES", entries)
        items, _ = item_set(kind, rng)
        no_pairs = np.empty((0, 2), dtype=np.intp)
        similarity = TreeSimilarity(GivenFeatures(), random_trees(rng, 2, 4, 3))
        assert similarity(items, no_pairs).shape == (0,)
        assert similarity.contributions(items, no_pairs)[1].shape == (0, 3)


def test_the_representation_and_the_bias_of_a_similarity(rng):
    similarity = TreeSimilarity(GivenFeatures(), Trees.joined([LEAF, LEAF]))
    assert repr(similarity) == "TreeSimilarity(2 trees)"
    shifted = replace(similarity, bias=similarity.bias - 2.0)
    assert repr(shifted) == "TreeSimilarity(2 trees, bias -2)"
    items, _ = item_set("nodes", rng)
    assert np.array_equal(shifted(items), similarity(items) - 2.0)


def test_invalid_tree_similarities_are_refused(rng):
    with pytest.raises(InputError, match="trees is None; give a Trees object"):
        TreeSimilarity(GivenFeatures(), None)
    with pytest.raises(InputError, match="bias is nan; give a finite"):
        TreeSimilarity(GivenFeatures(), LEAF, np.nan)
    with pytest.raises(InputError, match="featurizer is 'dense'; give an object with"):
        TreeSimilarity("dense", LEAF)
    items, _ = item_set("nodes", rng)
    too_wide = TreeSimilarity(GivenFeatures(), Trees(**{**STUMP, "columns": [5, -1, -1]}))
    for use in (too_wide, too_wide.pair_scores, too_wide.contributions):
        with pytest.raises(FeatureError, match="have 3 columns, but the trees test column 5"):
            use(items)


def test_a_model_of_trees_is_saved_and_loaded(rng, tmp_path):
    items, _ = item_set("nodes", rng)
    trees = random_trees(rng, 4, 8, 3)
    model = Model(AllPairs(), TreeSimilarity(GivenFeatures(), trees, bias=0.1), Greedy())
    model.save(tmp_path / "model")
    loaded = Model.load(tmp_path / "model")
    assert isinstance(loaded.similarity, TreeSimilarity)
    assert np.array_equal(loaded.scores(items).scores, model.scores(items).scores)
    loaded_parts, model_parts = (m.similarity.contributions(items)[1] for m in (loaded, model))
    assert np.array_equal(loaded_parts, model_parts)
