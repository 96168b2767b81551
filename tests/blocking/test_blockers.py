import logging
import math
from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie import ItemSet, blocking
from coterie._types import Blocker
from coterie.blocking import (
    AllIfSmall,
    AllPairs,
    Canopies,
    Combined,
    NearestNeighbours,
    NearestTexts,
    Prefix,
    QGrams,
    RareTokens,
    SharedKeys,
    SortedNeighbourhood,
    Union,
    WholeValue,
    Window,
)
from coterie.blocking._base import PairBlocker
from coterie.checks.blockers import check_blocker
from coterie.exceptions import InputError, ItemSetError
from coterie.pairs import all_pairs
from tests.memory import limit_memory

MISSING = [None, "", float("nan"), np.nan, pd.NA, pd.NaT, np.datetime64("NaT", "D")]

VECTORS = np.random.default_rng(1).normal(size=(7, 3))
TABLE = {"name": ["a", "b", "a", "", "b", "c", "a"], "tags": [["x"], [], ["y", "x"]] + [["z"]] * 4}
WORDS = {"word": ["on trees", "trees", None, "on kites", "", "kites", "trees and kites"]}
LISTED = ItemSet.from_pair_features(np.ones((5, 2)), 6, [(4, 2), (0, 1), (0, 5), (1, 2), (3, 4)])
WHOLE = ItemSet.from_pair_features(np.ones((15, 2)), 6)


def pairs_of(blocker: Blocker, item_set: ItemSet) -> list[tuple[int, int]]:
    pairs = blocker(item_set)
    return list(map(tuple, (all_pairs(len(item_set)) if pairs is None else pairs).tolist()))


def brute_force(n_items, is_candidate):
    return [(i, j) for i in range(n_items) for j in range(i + 1, n_items) if is_candidate(i, j)]


# The contract, for every member of the family.

TAKEN = [
    *[(AllPairs(), items) for items in (VECTORS, ["a", "b", "c"], TABLE)],
    *[(AllPairs(), item_set) for item_set in (LISTED, WHOLE)],
    *[(Window(2), items) for items in (VECTORS, sp.csr_array(VECTORS), TABLE, LISTED, WHOLE)],
    *[(SharedKeys(["name", "tags"]), make(TABLE)) for make in (dict, pd.DataFrame, pl.DataFrame)],
    (SharedKeys(["name"], max_block=2), pa.table(TABLE)),
    *[(NearestNeighbours(2), items) for items in (VECTORS, sp.coo_array(VECTORS))],
    *[(Canopies(0.5, 0.2), items) for items in (VECTORS, sp.csr_array(VECTORS))],
    *[(Canopies(columns="word"), make(WORDS)) for make in (dict, pd.DataFrame, pl.DataFrame)],
    (Canopies(), ["a kite", "kites", "one kite", ""]),
    *[(WholeValue("word"), make(WORDS)) for make in (dict, pd.DataFrame, pl.DataFrame, pa.table)],
    (Prefix("word", 2), WORDS),
    (Combined([Prefix("word", 1), WholeValue("word")]), WORDS),
    (RareTokens("word", 3), WORDS),
    (QGrams("word", 3), WORDS),
    (SortedNeighbourhood("word", 2), WORDS),
    (SortedNeighbourhood("name", 1, backwards=True), TABLE),
    (NearestTexts("word", 2), WORDS),
    (Union([Prefix("word", 2), NearestTexts("word", 1)], max_block=2), WORDS),
    (AllIfSmall(Union([WholeValue("word")]), limit=5), WORDS),
    (AllIfSmall(Window(1), limit=1), LISTED),
]


@pytest.mark.parametrize(("blocker", "items"), TAKEN)
def test_blockers_keep_their_contract(blocker, items):
    check_blocker(blocker, items if isinstance(items, ItemSet) else ItemSet(items))


def test_every_blocker_is_checked():
    family = [getattr(blocking, name) for name in blocking.__all__]
    blockers = {kind for kind in family if isinstance(kind, type) and issubclass(kind, PairBlocker)}
    assert {type(blocker) for blocker, _ in TAKEN} == blockers


def test_blockers_are_values():
    assert SharedKeys(["name"]) == SharedKeys(("name",)) == SharedKeys("name")
    assert SharedKeys(["name"]).get_params() == {"columns": ("name",), "max_block": 1000}
    assert Window(np.int64(3)).get_params() == {"n": 3}
    with pytest.raises(FrozenInstanceError):
        Window(3).n = 4  # type: ignore[misc]


@pytest.mark.parametrize(
    "blocker", [AllPairs(), Window(1), SharedKeys("a"), NearestNeighbours(1), Canopies()]
)
@pytest.mark.parametrize("items", [[], [[1.0]], {"a": ["x"]}, {"a": []}, {}, np.zeros((0, 3))])
def test_fewer_than_two_items_have_no_pairs(blocker, items):
    assert pairs_of(blocker, ItemSet(items)) == []


@pytest.mark.parametrize(
    "make",
    [
        lambda: Window(0),
        lambda: Window(1.5),
        lambda: NearestNeighbours(0),
        lambda: SharedKeys([]),
        lambda: SharedKeys([3]),
        lambda: SharedKeys(3),
        lambda: SharedKeys(["a"], max_block=1),
        lambda: Canopies(loose=-0.1),
        lambda: Canopies(loose=2.1),
        lambda: Canopies(loose=0.3, tight=0.4),
        lambda: Canopies(columns=[]),
    ],
)
def test_bad_parameters_are_refused(make):
    with pytest.raises(InputError, match="; give"):
        make()


# All pairs and windows.


def test_all_pairs_are_none_or_those_that_are_there():
    assert AllPairs()(ItemSet(VECTORS)) is None
    assert AllPairs()(WHOLE) is None
    assert pairs_of(AllPairs(), LISTED) == [(0, 1), (0, 5), (1, 2), (2, 4), (3, 4)]
    shuffled = ItemSet.from_pair_features(np.ones((3, 1)), 3, [(1, 2), (0, 1), (0, 2)])
    # As a list, because None would stand for the features in the order that they are in.
    assert AllPairs()(shuffled).tolist() == [[0, 1], [0, 2], [1, 2]]
    assert Window(1)(shuffled).tolist() == [[0, 1], [1, 2]]


def test_no_listed_pairs_stay_none():
    nothing = ItemSet.from_pair_features(np.ones((0, 1)), 4, np.empty((0, 2), dtype=int))
    assert pairs_of(AllPairs(), nothing) == pairs_of(Window(2), nothing) == []
    assert AllPairs()(nothing).shape == (0, 2)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7, 100])
def test_windows_are_brute_force(n):
    expected = brute_force(7, lambda i, j: j - i <= n)
    assert pairs_of(Window(n), ItemSet(VECTORS)) == expected
    assert (Window(n)(ItemSet(VECTORS)) is None) == (n >= 6)
    pairs = pairs_of(AllPairs(), LISTED)
    assert pairs_of(Window(n), LISTED) == [(i, j) for i, j in pairs if j - i <= n]


def test_plain_items_are_taken_as_an_item_set():
    assert Window(1)(["a", "b", "c"]).tolist() == [[0, 1], [1, 2]]


# Shared keys.


def tokens_of(value):
    values = value if isinstance(value, list | tuple | set | frozenset | np.ndarray) else [value]
    return {v for v in values if v is not None and v == v and v != ""}  # noqa: PLR0124


def sharing(table, columns):
    n_items = len(next(iter(table.values())))
    keys = [
        {(name, t) for name in columns for t in tokens_of(table[name][i])} for i in range(n_items)
    ]
    return brute_force(n_items, lambda i, j: bool(keys[i] & keys[j]))


SINGLE = st.sampled_from(["a", "b", "c", "d", 1, 2.5, None, "", float("nan")])
VALUES = st.one_of(SINGLE, st.lists(SINGLE, max_size=3), st.frozensets(SINGLE, max_size=2))


@settings(max_examples=200)
@given(st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=12))
def test_shared_keys_are_brute_force(rows):
    table = {"one": [one for one, _ in rows], "two": [two for _, two in rows]}
    assert pairs_of(SharedKeys(["one"]), ItemSet(table)) == sharing(table, ["one"])
    assert pairs_of(SharedKeys(["one", "two"]), ItemSet(table)) == sharing(table, ["one", "two"])


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_every_kind_of_table_gives_the_same_pairs(make):
    expected = sharing(TABLE, ["name", "tags"])
    assert pairs_of(SharedKeys(["name", "tags"]), ItemSet(make(TABLE))) == expected
    assert (0, 2) in expected


@pytest.mark.parametrize(
    "column",
    [
        np.array([1, 2, 1]),
        np.array(["x", "y", "x"]),
        np.array([[1, 5], [2, 2], [3, 1]]),
        pd.Series([1, 2, 1], index=[7, 8, 9]),
        pd.Series(["x", None, "x"], dtype="string"),
        pd.Series([1, None, 1], dtype="Int64"),
        pl.Series([["p", "q"], [None], ["q"]]),
        pa.chunked_array([["x", None], ["x"]]),
        pd.Categorical(["x", None, "x"]),
        np.array(["2020-01-01", "NaT", "2020-01-01"], dtype="datetime64[ns]"),
        (("p", "q"), (), {"q"}),
    ],
)
def test_every_kind_of_column_can_be_a_key(column):
    assert pairs_of(SharedKeys("key"), ItemSet({"key": column})) == [(0, 2)]


@pytest.mark.parametrize("missing", MISSING, ids=repr)
def test_what_is_missing_shares_nothing(missing):
    table = {"key": [missing, missing, "x", [missing], ["x", missing]]}
    assert pairs_of(SharedKeys("key"), ItemSet(table)) == [(2, 4)]


def test_missing_values_of_frames_share_nothing():
    for dtype in ("float64", "Int64", "object"):
        frame = pd.DataFrame({"key": pd.Series([None, None, 1, 1], dtype=dtype)})
        assert pairs_of(SharedKeys("key"), ItemSet(frame)) == [(2, 3)]


def test_a_token_counts_once_an_item():
    table = ItemSet({"key": [["x", "x"], ["y"], ["x"]]})
    assert pairs_of(SharedKeys("key", max_block=2), table) == [(0, 2)]


def test_values_of_different_columns_are_different_keys():
    assert pairs_of(SharedKeys(["a", "b"]), ItemSet({"a": ["x", "y"], "b": ["y", "x"]})) == []


def test_large_blocks_are_left_out_with_a_warning(caplog):
    table = {"town": ["Rome"] * 5 + ["Bari"] * 4 + ["Pisa"] * 3, "name": [*"abcabcdefghi"]}
    with caplog.at_level(logging.DEBUG):
        pairs = pairs_of(SharedKeys(["town", "name"], max_block=3), ItemSet(table))
    assert pairs == [(0, 3), (1, 4), (2, 5), (9, 10), (9, 11), (10, 11)]
    (record,) = caplog.records
    assert record.name == "coterie.blocking"
    assert record.levelno == logging.WARNING
    message = record.getMessage()
    assert "column 'town': left out 2 blocks of more than 3 items" in message
    assert "the largest has 5" in message
    assert "up to 16 pairs" in message


def test_there_is_no_warning_if_nothing_is_left_out(caplog):
    with caplog.at_level(logging.DEBUG):
        SharedKeys("name", max_block=3)(ItemSet(TABLE))
    assert not caplog.records


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (VECTORS, "the items are vectors"),
        (sp.csr_array(VECTORS), "the items are vectors"),
        (["a", "b"], "of type tuple"),
        (LISTED, "features of pairs"),
        ({"nom": ["a", "b"]}, "no column 'name'; the columns are nom"),
        (pl.DataFrame({"nom": ["a", "b"]}), "no column 'name'; the columns are nom"),
        ({"name": ["a", {}]}, "column 'name', item 1: a dict cannot be a key"),
        ({"name": ["a", ["b", ["c"]]]}, "column 'name', item 1: a list cannot be a key"),
        ({"name": ["a", [("b", [])]]}, "column 'name', item 1: a tuple cannot be a key"),
    ],
)
def test_shared_keys_refuse_what_has_no_keys(items, message):
    with pytest.raises(ItemSetError, match=message):
        SharedKeys(["name"])(items if isinstance(items, ItemSet) else ItemSet(items))


def test_large_lists_of_pairs_are_refused(monkeypatch):
    limit_memory(monkeypatch, 100.0)
    with pytest.raises(ItemSetError, match="a list of 6 pairs"):
        Window(1)(ItemSet(VECTORS))


def test_a_hundred_thousand_items_are_joined_at_once(rng):
    keys = rng.integers(25_000, size=100_000)
    pairs = SharedKeys("key")(ItemSet({"key": keys}))
    sizes = np.bincount(keys)
    assert len(pairs) == np.sum(sizes * (sizes - 1) // 2)
    assert np.array_equal(keys[pairs[:, 0]], keys[pairs[:, 1]])


# Nearest neighbours.


def nearest_by_sorting(vectors, count):
    """Sort all the others by cosine, then by index; exact for small whole numbers."""
    lengths = np.linalg.norm(vectors, axis=1)
    nonzero = [i for i in range(len(vectors)) if lengths[i] > 0]
    pairs = set()
    for i in nonzero:
        cosine = {
            j: round(vectors[i] @ vectors[j] / (lengths[i] * lengths[j]), 9)
            for j in nonzero
            if j != i
        }
        for j in sorted(cosine, key=lambda j: (-cosine[j], j))[:count]:
            pairs.add((min(i, j), max(i, j)))
    return sorted(pairs)


ROWS = st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=2, max_size=12)


@settings(max_examples=200)
@given(ROWS, st.integers(1, 14))
def test_nearest_neighbours_are_brute_force(rows, count):
    vectors = np.array(rows, dtype=np.float64)
    expected = nearest_by_sorting(vectors, count)
    for items in (vectors, vectors.astype(np.float32), sp.csr_array(vectors)):
        assert pairs_of(NearestNeighbours(count), ItemSet(items)) == expected


@pytest.mark.parametrize("entries", [1, 50, 999])
def test_blocks_of_rows_change_nothing(entries, monkeypatch, rng):
    # Every vector six times over, so that nearly all is ties.
    vectors = np.tile(rng.normal(size=(10, 4)), (6, 1))
    expected = NearestNeighbours(3)(ItemSet(vectors))
    monkeypatch.setattr("coterie.features.operators.blocks.BLOCK_ENTRIES", entries)
    for items in (vectors, sp.csr_array(vectors)):
        assert np.array_equal(NearestNeighbours(3)(ItemSet(items)), expected)
    assert expected.tolist() == [list(pair) for pair in nearest_by_sorting(vectors, 3)]


@settings(max_examples=50)
@given(ROWS, st.sampled_from([1e-300, 1e-160, 0.1, 1e160, 1e300]), st.data())
def test_lengths_do_not_matter(rows, factor, data):
    vectors = np.array(rows, dtype=np.float64)
    which = data.draw(st.sets(st.integers(0, len(rows) - 1)))
    scaled = vectors.copy()
    scaled[list(which)] *= factor
    expected = pairs_of(NearestNeighbours(2), ItemSet(vectors))
    for items in (scaled, sp.csr_array(scaled)):
        assert pairs_of(NearestNeighbours(2), ItemSet(items)) == expected


def test_zero_vectors_are_near_nothing():
    items = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    assert pairs_of(NearestNeighbours(9), ItemSet(items)) == [(1, 3), (1, 4), (3, 4)]
    stored = sp.csr_array((np.zeros(5), np.zeros(5, dtype=int), np.arange(6)), shape=(5, 2))
    assert pairs_of(NearestNeighbours(9), ItemSet(stored)) == []
    for shape in ((3, 2), (3, 0)):
        for zeros in (np.zeros(shape), sp.csr_array(shape)):
            assert pairs_of(NearestNeighbours(1), ItemSet(zeros)) == []


@pytest.mark.parametrize("items", [["a", "b"], TABLE, pl.DataFrame(TABLE), LISTED, WHOLE])
def test_nearest_neighbours_refuse_what_has_no_vectors(items):
    with pytest.raises(ItemSetError, match="NearestNeighbours compares vectors"):
        NearestNeighbours(1)(items if isinstance(items, ItemSet) else ItemSet(items))


# Canopies.


def sharing_canopies(cosines, nonzero, loose, tight):
    """Take the first item that is left as a centre, until none is left; item by item."""
    left, pairs = list(nonzero), set()
    while left:
        centre = left[0]
        canopy = [i for i in nonzero if 1 - cosines[centre][i] <= loose + 1e-9]
        left = [i for i in left if 1 - cosines[centre][i] > tight + 1e-9]
        pairs |= {(i, j) for i in canopy for j in canopy if i < j}
    return sorted(pairs)


def cosines_of(rows):
    """The cosines of rows that are mappings of words to weights, and those that have any."""
    lengths = [math.sqrt(sum(weight**2 for weight in row.values())) for row in rows]
    nonzero = [i for i, length in enumerate(lengths) if length > 0]
    cosines = {
        i: {
            j: sum(w * rows[j].get(word, 0.0) for word, w in rows[i].items())
            / (lengths[i] * lengths[j])
            for j in nonzero
        }
        for i in nonzero
    }
    return cosines, nonzero


THRESHOLDS = st.tuples(*[st.sampled_from([0.0, 0.2, 0.5, 0.7, 0.95, 1.0, 1.5])] * 2)


@settings(max_examples=200)
@given(ROWS, THRESHOLDS)
def test_canopies_of_vectors_are_brute_force(rows, thresholds):
    tight, loose = sorted(thresholds)
    expected = sharing_canopies(*cosines_of([dict(enumerate(row)) for row in rows]), loose, tight)
    vectors = np.array(rows, dtype=np.float64)
    for items in (vectors, vectors.astype(np.float32), sp.csr_array(vectors)):
        assert pairs_of(Canopies(loose, tight), ItemSet(items)) == expected


@settings(max_examples=100)
@given(
    st.lists(st.lists(st.sampled_from(["tree", "on", "kite", "of", "a"]), max_size=5), min_size=2),
    THRESHOLDS,
)
def test_canopies_of_texts_are_brute_force(texts, thresholds):
    tight, loose = sorted(thresholds)
    word_lists = [[word for word in words if len(word) > 1] for words in texts]
    idf = {
        word: 1 + math.log((1 + len(word_lists)) / (1 + sum(word in words for words in word_lists)))
        for words in word_lists
        for word in words
    }
    weighed = [{w: (1 + math.log(words.count(w))) * idf[w] for w in words} for words in word_lists]
    expected = sharing_canopies(*cosines_of(weighed), loose, tight)
    joined = [" ".join(words) for words in texts]
    assert pairs_of(Canopies(loose, tight), ItemSet(joined)) == expected
    # Words are taken together over columns, wherever they are.
    table = {"one": [text[:0] or None for text in joined], "two": joined}
    assert pairs_of(Canopies(loose, tight, ["one", "two"]), ItemSet(table)) == expected


def test_without_a_tight_threshold_all_near_pairs_are_there(rng):
    vectors = rng.normal(size=(40, 3))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    near = brute_force(40, lambda i, j: 1 - unit[i] @ unit[j] <= 0.3)
    assert set(near) <= set(pairs_of(Canopies(0.3, 0.0), ItemSet(vectors)))


def test_canopies_depend_on_the_order_of_the_items():
    angles = np.array([0.0, 0.5, 1.0])
    vectors = np.column_stack([np.cos(angles), np.sin(angles)])
    blocker = Canopies(0.2, 0.2)  # up to an angle of 0.64
    assert pairs_of(blocker, ItemSet(vectors)) == [(0, 1), (1, 2)]
    assert blocker(ItemSet(vectors).reordered([1, 0, 2])) is None


def test_canopies_are_values():
    assert Canopies(columns="a") == Canopies(0.8, 0.4, ["a"])
    assert Canopies().get_params() == {"loose": 0.8, "tight": 0.4, "columns": None}


@pytest.mark.parametrize(
    ("blocker", "items", "message"),
    [
        (Canopies(), LISTED, "Canopies compares texts or vectors, but the items are features of"),
        (Canopies(), TABLE, "give the names of text columns, or another blocker"),
        (Canopies(), [None, {}], "item 1 is {}, not a string; give"),
        (Canopies(columns="name"), VECTORS, "Canopies compares columns, but the items are vectors"),
        (Canopies(columns="nom"), TABLE, "there is no column 'nom'"),
        (Canopies(columns="tags"), TABLE, r"tags of item 0 is \['x'\], not a string; give"),
    ],
)
def test_canopies_refuse_what_has_neither_words_nor_numbers(blocker, items, message):
    with pytest.raises(InputError, match=message):
        blocker(items if isinstance(items, ItemSet) else ItemSet(items))


def test_canopies_with_too_much_in_common_are_refused(monkeypatch):
    limit_memory(monkeypatch, 100.0)
    with pytest.raises(ItemSetError, match="the overlap of canopies takes"):
        Canopies(2.0, 0.0)(ItemSet(VECTORS))


# The check finds what is wrong.


@dataclass(frozen=True)
class Broken:
    pairs: object

    def __call__(self, item_set):
        return self.pairs if len(item_set) > 1 else None

    def get_params(self, deep=True):
        return {"pairs": self.pairs}


class Thawed(Broken):
    __setattr__ = object.__setattr__


class Restless(Broken):
    def __call__(self, item_set):
        self.pairs.append(0)
        return frozen_pairs([(0, len(self.pairs))])


class Eager(Broken):
    def __call__(self, item_set):
        return frozen_pairs([(0, 1)])


def frozen_pairs(pairs, dtype=np.intp):
    array = np.array(pairs, dtype=dtype)
    array.setflags(write=False)
    return array


@pytest.mark.parametrize(
    ("blocker", "message"),
    [
        (Broken([(0, 1)]), "of type list"),
        (Broken(np.array([(0, 1)])), "can be written to"),
        (Broken(frozen_pairs([(0, 1)], np.int32)), "not intp"),
        (Broken(frozen_pairs([0, 1])), "shape"),
        (Broken(frozen_pairs([(1, 0)])), "not in order i < j"),
        (Broken(frozen_pairs([(0, 6)])), "not there"),
        (Broken(frozen_pairs([(-1, 1)])), "negative"),
        (Broken(frozen_pairs([(0, 2), (0, 1)])), "not sorted"),
        (Broken(frozen_pairs([(0, 1), (0, 1)])), "without duplicates"),
        (Broken(frozen_pairs([(0, 2)])), "have no features"),
        (Broken(None), "given for other pairs"),
        (Thawed(None), "not frozen"),
        (Restless([]), "from call to call"),
        (Eager(None), "not there"),
    ],
)
def test_the_check_finds_broken_blockers(blocker, message):
    with pytest.raises(AssertionError, match=message):
        check_blocker(blocker, LISTED)


def test_an_array_of_no_dimension_is_refused_as_column_names():
    with pytest.raises(InputError, match="give the name of at least one column"):
        blocking.Canopies(columns=np.array(3))
