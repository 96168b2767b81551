import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from coterie import ItemSet, as_item_set
from coterie.exceptions import FeatureError, ItemSetError, PairError
from coterie.features import DenseFeatures, LinkedNodeProducts, NodeProducts, SparseFeatures, stack
from coterie.features.operators import ConstantFeatures, as_operator, to_matrix
from coterie.items import as_item_sets
from coterie.pairs import all_pairs

COLUMNS = {"name": ["Ann", "Bob", None], "age": [1, 2, 3]}


@pytest.mark.parametrize(
    "items",
    [
        np.ones((3, 2)),
        np.ones((3, 2), dtype=np.int8),
        [[1, 2], [3, 4], [5, 6]],
        [np.ones(2)] * 3,
        sp.csr_array(np.ones((3, 2))),
        sp.coo_matrix(np.ones((3, 2))),
        COLUMNS,
        pd.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS),
        pa.table(COLUMNS),
        ["a text", "another", "a third"],
        np.array(["a text", "another", "a third"]),
        [{"name": "Ann"}, {"name": "Bob"}, {}],
    ],
)
def test_every_kind_of_items_has_a_length(items):
    item_set = ItemSet(items)
    assert len(item_set) == 3
    assert "3 items" in repr(item_set)
    assert as_item_set(item_set) is item_set
    for copied in (pickle.loads(pickle.dumps(item_set)), copy.deepcopy(item_set)):  # noqa: S301
        assert len(copied) == 3
        assert repr(copied) == repr(item_set)


@pytest.mark.parametrize(
    "items",
    [[], np.zeros((0, 4)), sp.csr_array((0, 4)), {}, {"name": []}, pd.DataFrame({"name": []})],
)
def test_an_empty_item_set_is_valid(items):
    assert len(ItemSet(items)) == 0


def test_an_item_set_has_no_array_interface():
    # Without it, scikit-learn takes a list of item sets as a list of objects.
    assert not hasattr(ItemSet, "__getitem__")
    assert not hasattr(ItemSet, "__array__")
    assert np.array([ItemSet(np.ones((2, 2))), ItemSet(np.ones((3, 2)))], dtype=object).shape == (
        2,
    )


def test_float32_is_kept_and_integers_become_float64():
    assert ItemSet(np.ones((2, 2), dtype=np.float32)).items.dtype == np.float32
    assert ItemSet([[1, 2]]).items.dtype == np.float64
    assert ItemSet(sp.csr_array(np.eye(2, dtype=np.float32))).items.dtype == np.float32


def test_items_are_a_read_only_view():
    array = np.ones((2, 2))
    item_set = ItemSet(array)
    assert np.shares_memory(item_set.items, array)
    with pytest.raises(ValueError, match="read-only"):
        item_set.items[0, 0] = 5
    array[0, 0] = 2.0


def test_sparse_items_are_read_only_views():
    matrix = sp.csr_array(np.eye(3))
    item_set = ItemSet(matrix)
    assert np.shares_memory(item_set.items.data, matrix.data)
    with pytest.raises(ValueError, match="read-only"):
        item_set.items.data[0] = 5
    unsorted = sp.csr_array(([1.0, 2.0, 3.0], [1, 0, 0], [0, 3, 3]), shape=(2, 2))
    assert ItemSet(unsorted).items.toarray().tolist() == [[5.0, 1.0], [0.0, 0.0]]
    assert unsorted.indices.tolist() == [1, 0, 0]


def test_columns_are_frozen():
    columns = {"name": ["Ann", "Bob"], "age": [1, 2]}
    item_set = ItemSet(columns)
    columns["name"].append("Cid")
    columns["more"] = [1, 2, 3]
    assert len(item_set) == 2
    assert dict(item_set.items) == {"name": ("Ann", "Bob"), "age": (1, 2)}
    assert repr(item_set) == "ItemSet(2 items, columns name, age)"
    with pytest.raises(TypeError):
        item_set.items["name"] = []


def test_a_frame_of_numbers_is_a_matrix_whatever_its_columns_are_called():
    frame = pd.DataFrame({"a": [1.0, 2.0], "longer": [3.0, 4.0]})
    assert NodeProducts(frame).nodes.tolist() == [[1.0, 3.0], [2.0, 4.0]]


def test_pair_features_are_items_of_a_set():
    item_set = ItemSet.from_pair_features(np.ones((3, 5)), n_items=3, n_clusters=2, ordered=True)
    assert len(item_set) == 3
    assert item_set.items.pairs is None
    assert (item_set.n_clusters, item_set.ordered) == (2, True)
    of_one_pair = ItemSet.from_pair_features([[1.0]], n_items=3, pairs=[(2, 0)])
    assert of_one_pair.items.pairs.tolist() == [[0, 2]]
    operator = ItemSet.from_pair_features(NodeProducts(np.ones((3, 4))), n_items=3)
    assert repr(operator) == "ItemSet(3 items, 3 pairs × 4 features)"
    assert len(ItemSet.from_pair_features(np.zeros((0, 5)), n_items=1)) == 1
    assert len(ItemSet.from_pair_features([], n_items=0)) == 0


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([[1, 2], [3]], "row 1 has 1 values, but row 0 has 2 values; give rows of equal length"),
        ([[1, 2], 3], "row 1 is a single value, but row 0 has 2 values"),
        ([[1.0, np.nan]], "row 0, column 1 is nan; give finite numbers"),
        (np.array([[0.0], [np.inf]]), "row 1, column 0 is inf"),
        (sp.csr_array([[0.0, 1.0], [np.nan, 0.0]]), "row 1, column 0 is nan"),
        ([[1, "a"]], "row 0, column 1 is 'a', which is not a real number"),
        ([[1.0, None]], "row 0, column 1 is None, which is not a real number"),
        (np.array([["a", "b"]]), "row 0, column 0 is 'a', which is not a real number"),
        ([[1j, 2.0]], "row 0, column 0 is 1j, which is not a real number"),
        ([1.0, 2.0], r"x\[:, None\]"),
        (np.arange(3), r"shape \(3,\)"),
        (np.zeros((2, 2, 2)), r"shape \(2, 2, 2\)"),
        ([[1, [2, 3]], [4, 5]], "a row of features contains lists"),
        ([[10**400]], "too large for a float"),
        (np.ma.array([[1.0]], mask=[[True]]), "masked array"),
        (sp.coo_array([1.0, 2.0]), r"sparse features have shape \(2,\)"),
        (sp.csr_array([[1j]]), "sparse features are of type complex128"),
    ],
)
def test_bad_features_are_refused(items, message):
    with pytest.raises(FeatureError, match=message):
        ItemSet(items)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: ItemSet(5), "items are of type int; give an array"),
        (lambda: ItemSet({"a": [1], "b": [1, 2]}), "'a' has 1, 'b' has 2"),
        (lambda: ItemSet({"name": "Ann"}), "column 'name' is of type str; give a list"),
        (lambda: ItemSet({"a": 1}), "column 'a' is of type int"),
        (lambda: ItemSet({"a": iter([1])}), "column 'a' is of type list_iterator"),
        (lambda: ItemSet([[1.0]], ids=5), "ids are not hashable .*; use strings"),
        (lambda: ItemSet([[1.0]], ids=[[]]), "ids are not hashable .*; use strings"),
        (lambda: ItemSet.from_pair_features(np.ones((1, 1)), -1), "n_items is -1"),
        (lambda: ItemSet.from_pair_features(np.ones((1, 1)), 2.0), "n_items is 2.0"),
        (lambda: as_item_sets(5), "got one int"),
        (lambda: ItemSet([[1.0]], ids=["a", "b"]), "2 ids for 1 items"),
        (lambda: ItemSet([[1.0], [2.0]], ids=["a", "a"]), "'a' occurs more than once"),
        (lambda: ItemSet([[1.0]], n_clusters=2), "n_clusters is 2, but there are 1 items"),
        (lambda: as_item_sets(np.ones((2, 2))), "wrap it in a list"),
        (lambda: as_item_sets(ItemSet([[1.0]])), "got one ItemSet; wrap it in a list"),
        (lambda: as_item_sets(pd.DataFrame(COLUMNS)), "got one DataFrame; wrap it in a list"),
    ],
)
def test_inconsistent_item_sets_are_refused(build, message):
    with pytest.raises(ItemSetError, match=message):
        build()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            (np.ones((2, 1)), 3),
            FeatureError,
            r"2 rows of pair features for 3 pairs \(all pairs of 3",
        ),
        ((np.ones((2, 1)), 3, [(0, 1)]), FeatureError, "2 rows of pair features for 1 pairs"),
        (([[1.0], [np.nan], [0.0]], 3), FeatureError, "row 1, column 0 is nan"),
        ((np.ones((1, 1)), 3, [(0, 3)]), PairError, "indices run from 0 to 2"),
        ((np.ones((1, 1)), 3, [(-1, 2)]), PairError, r"pair 0 is \(-1, 2\)"),
        ((np.ones((1, 1)), 3, [(1, 1)]), PairError, "an item with itself"),
        ((np.ones((2, 1)), 3, [(0, 1), (1, 0)]), PairError, "list each pair once"),
        ((None, 2), FeatureError, "features have shape"),
        (
            (NodeProducts(np.ones((3, 1)), [(0, 1)]), 3, [(1, 2)]),
            PairError,
            "belong to other pairs",
        ),
    ],
)
def test_bad_pair_features_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        ItemSet.from_pair_features(*arguments)


def test_item_sets_may_come_from_a_generator():
    assert len(as_item_sets(np.ones((n, 1)) for n in (1, 2, 3))) == 3


def test_errors_name_the_item_set():
    with pytest.raises(FeatureError, match="item set 2: row 0, column 0 is nan"):
        as_item_sets([[[1.0]], [[2.0]], [[np.nan]]])


# Reordering.

ORDER = [2, 0, 3, 1]
NAMES = ["a", "b", "c", "d"]


def as_list(values):
    """Return the values of a column, or the columns of a frame, as a plain list."""
    if hasattr(values, "to_pydict"):
        return list(values.to_pydict().values())
    if isinstance(values, pd.DataFrame | pl.DataFrame):
        return [values[name].to_list() for name in values.columns]
    return [None if value is None else str(value) for value in values]


@pytest.mark.parametrize(
    "column",
    [
        NAMES,
        np.array(NAMES),
        pd.Series(NAMES, index=[3, 2, 1, 0]),
        pd.Index(NAMES),
        pl.Series(NAMES),
        pa.array(NAMES),
        pa.chunked_array([NAMES[:1], NAMES[1:]]),
        {"a": 1, "b": 2, "c": 3, "d": 4}.keys(),
    ],
)
def test_columns_are_reordered(column):
    item_set = ItemSet({"name": column, "vector": np.arange(8).reshape(4, 2)})
    reordered = item_set.reordered(ORDER).items
    assert as_list(reordered["name"]) == ["c", "a", "d", "b"]
    assert reordered["vector"].tolist() == [[4, 5], [0, 1], [6, 7], [2, 3]]
    assert isinstance(reordered["name"], (type(column), tuple))
    assert as_list(item_set.items["name"]) == NAMES


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_are_reordered(frame):
    columns = {"name": ["Ann", None, "Cid", "Dan"], "age": [1, 2, 3, 4]}
    reordered_frame = ItemSet(frame(columns)).reordered(ORDER).items
    assert type(reordered_frame) is type(frame(columns))
    names, ages = as_list(reordered_frame)
    assert (names[:3], ages) == (["Cid", "Ann", "Dan"], [3, 1, 4, 2])
    assert pd.isna(names[3])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_matrices_are_reordered(kind, dtype, rng):
    matrix = rng.normal(size=(4, 3)).astype(dtype) * (rng.random((4, 3)) < 0.5)
    reordered_matrix = ItemSet(kind(matrix)).reordered(np.array(ORDER, dtype=np.uint8)).items
    assert reordered_matrix.dtype == dtype
    assert sp.issparse(reordered_matrix) == (kind is sp.csr_array)
    assert np.array_equal(
        reordered_matrix.toarray() if sp.issparse(reordered_matrix) else reordered_matrix,
        matrix[ORDER],
    )


def test_objects_are_reordered_as_they_are():
    objects = np.empty(4, dtype=object)
    objects[:] = ["a", 1, (2, 3), {"b": 4}]
    reordered_objects = ItemSet(objects).reordered(ORDER).items
    assert reordered_objects == ((2, 3), "a", {"b": 4}, 1)
    assert reordered_objects[0] is objects[2]


def test_ids_and_flags_are_reordered_with_the_items():
    item_set = ItemSet(np.eye(4), ids=[7, "x", None, 9], n_clusters=3, ordered=True)
    reordered = item_set.reordered(ORDER)
    assert (reordered.ids, reordered.n_clusters, reordered.ordered) == ((None, 7, 9, "x"), 3, True)
    assert item_set.ids == (7, "x", None, 9)


def features_by_names(item_set, names):
    """Map the unordered names of each pair to the features of the pair."""
    pairs = all_pairs(len(item_set)) if item_set.items.pairs is None else item_set.items.pairs
    features = item_set.items.features
    unit = np.eye(features.shape[1])
    rows = np.column_stack([as_operator(features) @ column for column in unit])
    features_of = {
        frozenset(names[pair]): row.tolist() for pair, row in zip(pairs, rows, strict=True)
    }
    assert len(features_of) == len(pairs)
    return features_of


NODES = np.random.default_rng(1).normal(size=(5, 3))
FOUR_PAIRS = np.array([[3, 4], [0, 2], [1, 4], [0, 1]])
MATRIX = np.random.default_rng(2).normal(size=(10, 3))


class ForeignOperator:
    """An operator of another library, which only follows the protocol."""

    shape = (10, 3)
    T = MATRIX.T
    diagonal = DenseFeatures(NODES)

    def __matmul__(self, coef):
        return MATRIX @ coef


@pytest.mark.parametrize(
    ("features", "pairs"),
    [
        (MATRIX, None),
        (MATRIX.astype(np.float32), None),
        (sp.csr_array(MATRIX * (MATRIX > 0)), None),
        (MATRIX[:4], FOUR_PAIRS),
        (sp.csr_array(MATRIX[:4]), FOUR_PAIRS),
        (MATRIX, all_pairs(5)[::-1]),
        (DenseFeatures(MATRIX, diagonal=NODES), None),
        (SparseFeatures(MATRIX), None),
        (NodeProducts(NODES), None),
        (NodeProducts(sp.csr_array(NODES)), None),
        (NodeProducts(NODES, FOUR_PAIRS), FOUR_PAIRS),
        (LinkedNodeProducts(NODES, [(0, 3), (1, 2)]), None),
        (stack([NodeProducts(NODES), MATRIX, ConstantFeatures(10)]), None),
        (ForeignOperator(), None),
    ],
)
def test_features_are_reordered_with_their_pairs(features, pairs, rng):
    item_set = ItemSet.from_pair_features(features, 5, pairs)
    names, order = np.arange(5), np.arange(5)
    reordered = item_set
    for _ in range(3):  # reordered item sets can be reordered again
        permutation = rng.permutation(5)
        reordered, order = reordered.reordered(permutation), order[permutation]
        assert features_by_names(reordered, order) == features_by_names(item_set, names)
        assert (reordered.items.pairs is None) or (item_set.items.pairs is not None)
        _check_operator(item_set.items.features, reordered.items.features, order, rng)


def _check_operator(features, reordered, order, rng):
    """Check that the transpose and the diagonal have the same order as the rows."""
    weights, coef = rng.normal(size=reordered.shape[0]), rng.normal(size=reordered.shape[1])
    matrix = to_matrix(reordered)
    matrix = matrix.toarray() if sp.issparse(matrix) else matrix
    assert np.allclose(as_operator(reordered).T @ weights, matrix.T @ weights)
    before, after = as_operator(features).diagonal, as_operator(reordered).diagonal
    scores, shares = before @ coef, rng.normal(size=5)
    assert np.array_equal(after @ coef, scores[order] if scores.ndim else scores)
    restored = np.empty(5)
    restored[order] = shares
    assert np.allclose(after.T @ shares, before.T @ restored)


def test_the_inverse_order_restores_an_item_set():
    item_set = ItemSet.from_pair_features(MATRIX, 5, ids="abcde")
    order = np.array([4, 0, 3, 1, 2])
    restored = item_set.reordered(order).reordered(np.argsort(order))
    assert np.array_equal(restored.items.features, MATRIX)
    assert restored.ids == item_set.ids


def test_sets_without_items_are_reordered():
    for items in ([], {}, {"name": []}, np.zeros((0, 3)), pd.DataFrame({"name": []})):
        assert len(ItemSet(items).reordered([])) == 0
    assert len(ItemSet.from_pair_features([], 0).reordered([])) == 0
    assert ItemSet.from_pair_features(np.zeros((0, 2)), 1).reordered([0]).items.n_items == 1


@pytest.mark.parametrize(
    "order",
    [
        [0, 1],
        [0, 1, 1],
        [1, 2, 3],
        [-1, 0, 1],
        [0.0, 1.0, 2.0],
        [[0, 1, 2]],
        [[0], 1],
        np.array([True, False, False]),
        "abc",
        3,
        None,
    ],
)
def test_orders_that_are_not_permutations_are_refused(order):
    message = (
        "the order does not list each of the 3 items exactly once; give every index from 0 to 2"
    )
    with pytest.raises(ItemSetError, match=message):
        ItemSet(np.eye(3)).reordered(order)
