"""Keys against brute force, and that the order of the rows does not matter."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie import ItemSet
from coterie._core.texts import plain_text
from coterie.blocking import (
    Combined,
    NearestTexts,
    Prefix,
    QGrams,
    RareTokens,
    SortedNeighbourhood,
    Union,
    WholeValue,
)
from coterie.blocking._keys import MAX_BLOCK, LabelledSample
from coterie.blocking._parts import grams_of_texts
from coterie.blocking._tables import TextTable
from coterie.exceptions import InputError, ItemSetError
from coterie.pairs import all_pairs

WORDS = st.sampled_from(["Ann", "Anna", "bob", "Böb", "o'b", "x", "na", "annabel", "日本"])
CELLS = st.one_of(
    st.sampled_from([None, "", "?"]), st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
)
TABLES = st.lists(st.tuples(CELLS, CELLS), min_size=2, max_size=14).map(
    lambda rows: {"one": [one for one, _ in rows], "two": [two for _, two in rows]}
)

ALL_KEYS = [
    WholeValue("one"),
    Prefix("one", 2),
    Combined([Prefix("one", 1), WholeValue("two")]),
    RareTokens("one", 3),
    QGrams("one", 3, 4),
    SortedNeighbourhood("one", 2),
    SortedNeighbourhood("two", 1, backwards=True),
    NearestTexts(["one", "two"], 2),
    Union([WholeValue("one"), SortedNeighbourhood("two", 1), NearestTexts("two", 1)], max_block=3),
]


def pairs_of(blocker, items):
    item_set = ItemSet(items)
    pairs = blocker(item_set)
    return list(map(tuple, (all_pairs(len(item_set)) if pairs is None else pairs).tolist()))


def plain_cells(table, name):
    return [plain_text(cell or "") for cell in table[name]]


def pairs_that_share(parts, max_rows=None):
    """Return the pairs of rows that share a part which at most `max_rows` rows have."""
    rows_of_part = {}
    for row, row_parts in enumerate(parts):
        for part in row_parts:
            rows_of_part.setdefault(part, []).append(row)
    pairs = set()
    for rows in rows_of_part.values():
        if max_rows is None or len(rows) <= max_rows:
            pairs |= {(i, j) for i in rows for j in rows if i < j}
    return sorted(pairs)


def grams(text, size):
    padded = [f" {token} " for token in text.split()]
    return {p[i : i + size] for p in padded for i in range(len(p) - size + 1)}


@given(TABLES, st.integers(1, 4))
def test_values_and_prefixes_are_brute_force(table, length):
    one, two = plain_cells(table, "one"), plain_cells(table, "two")
    assert pairs_of(WholeValue("one"), table) == pairs_that_share([{t} - {""} for t in one])
    prefixes = [t.replace(" ", "")[:length] for t in one]
    expected = pairs_that_share([{prefix} - {""} for prefix in prefixes])
    assert pairs_of(Prefix("one", length), table) == expected
    combined = [{(b, t)} if b and t else set() for b, t in zip(prefixes, two, strict=True)]
    key = Combined([Prefix("one", length), WholeValue("two")])
    assert pairs_of(key, table) == pairs_that_share(combined)
    assert pairs_of(Combined([key, key]), table) == pairs_that_share(combined)


@given(TABLES, st.integers(2, 5))
def test_rare_tokens_are_brute_force(table, most):
    tokens = [set(text.split()) for text in plain_cells(table, "one")]
    assert pairs_of(RareTokens("one", most), table) == pairs_that_share(tokens, most)


@given(TABLES, st.integers(2, 9), st.integers(2, 5))
def test_runs_of_characters_are_brute_force(table, size, most):
    runs = [grams(text, size) for text in plain_cells(table, "one")]
    assert pairs_of(QGrams("one", size, most), table) == pairs_that_share(runs, most)


@pytest.mark.parametrize("chunk", [1, 7, 2**20])
@pytest.mark.parametrize("size", [2, 3, 5, 40])
def test_runs_are_found_in_any_chunks(chunk, size, monkeypatch, rng):
    monkeypatch.setattr("coterie.blocking._parts.CHUNK", chunk)
    letters = [chr(code) for code in [*range(97, 123), *range(0x4E00, 0x4E40), 0x1F600, 32]]
    texts = [plain_text("".join(rng.choice(letters, 60))) for _ in range(20)]
    texts += texts[:5]
    parts = grams_of_texts(texts, size)
    codes = [set(parts.parts[parts.texts == text].tolist()) for text in range(len(texts))]
    expected = [grams(text, size) for text in texts]
    assert list(map(len, codes)) == list(map(len, expected))
    assert pairs_that_share(codes) == pairs_that_share(expected)


@given(TABLES, st.integers(1, 4), st.booleans())
def test_sorted_neighbourhoods_are_brute_force(table, window, backwards):
    texts = plain_cells(table, "one")
    spelled = [text[::-1] if backwards else text for text in texts]
    others = plain_cells(table, "two")
    given_texts = [(table["one"][row] or "", table["two"][row] or "") for row in range(len(texts))]
    order = sorted(
        (row for row in range(len(texts)) if texts[row]),
        key=lambda row: (spelled[row], others[row], given_texts[row], row),
    )
    near = {
        tuple(sorted((order[a], order[b])))
        for a in range(len(order))
        for b in range(a + 1, min(a + window, len(order) - 1) + 1)
    }
    key = SortedNeighbourhood("one", window, backwards)
    assert pairs_of(key, table) == sorted(near)


@settings(max_examples=60)
@given(TABLES, st.integers(1, 4), st.integers(3, 4))
def test_nearest_texts_are_brute_force(table, count, size):
    texts = zip(plain_cells(table, "one"), plain_cells(table, "two"), strict=True)
    runs = [grams(f"{one} {two}", size) for one, two in texts]
    n_rows = len(runs)
    df = Counter(run for row_runs in runs for run in row_runs)
    idf = {run: 1 + math.log((1 + n_rows) / (1 + df[run])) for run in df}

    def cosine(i, j):
        lengths = [math.sqrt(sum(idf[run] ** 2 for run in runs[row])) for row in (i, j)]
        return sum(idf[run] ** 2 for run in runs[i] & runs[j]) / math.prod(lengths)

    pairs = set(pairs_of(NearestTexts(["one", "two"], count, size), table))
    for i in range(n_rows):
        near = {j: round(cosine(i, j), 9) for j in range(n_rows) if j != i and runs[i] & runs[j]}
        ranked = sorted(near.values(), reverse=True)
        lowest = ranked[min(count, len(ranked)) - 1] if ranked else math.inf
        partners = {j for j in near if (min(i, j), max(i, j)) in pairs}
        # All rows that are nearer than the last neighbour are partners; ties are broken anyhow.
        assert {j for j in near if near[j] > lowest} <= partners
        assert len([j for j in partners if near[j] >= lowest]) >= min(count, len(near))
    assert len(pairs) <= count * n_rows
    assert all(runs[i] & runs[j] for i, j in pairs)


def test_equal_texts_are_compared_with_the_rows_around_them(monkeypatch):
    monkeypatch.setattr("coterie.blocking.nearest_texts.BUDGET", 5)
    table = {"one": ["same"] * 40}
    pairs = np.array(pairs_of(NearestTexts("one", 3), table))
    assert np.abs(pairs[:, 0] - pairs[:, 1]).max() <= 5
    assert set(pairs.ravel()) == set(range(40))


@pytest.mark.parametrize("key", ALL_KEYS, ids=str)
@settings(max_examples=60)
@given(table=TABLES, data=st.data())
def test_the_order_of_rows_does_not_matter(key, table, data):
    rows = list(dict.fromkeys(zip(table["one"], table["two"], strict=True)))
    rows = list({tuple(cell or "" for cell in row): row for row in rows}.values())
    order = data.draw(st.permutations(range(len(rows))))

    def by_content(rows):
        if len(rows) < 2:
            return set()
        table = {"one": [one for one, _ in rows], "two": [two for _, two in rows]}
        return {frozenset((rows[i], rows[j])) for i, j in pairs_of(key, table)}

    assert by_content(rows) == by_content([rows[row] for row in order])


@pytest.mark.parametrize("key", ALL_KEYS[:-1], ids=str)
@settings(max_examples=30)
@given(table=TABLES)
def test_extrapolation_to_the_same_size_changes_nothing(key, table):
    texts = TextTable.of(ItemSet(table).items, key.names, len(table["one"]), "a test")
    labels = np.arange(texts.n_rows) // 2
    extrapolation = key.extrapolate(LabelledSample(texts, labels, 1.0))
    assert extrapolation.weight == 1.0
    assert np.array_equal(extrapolation.pair_ids, key.block(texts, MAX_BLOCK).pair_ids)


def test_blocks_with_rows_of_other_clusters_grow_with_the_table():
    table = TextTable({"a": ["x", "x", "x", "y", "y"]}, 5)
    labels = np.array([0, 0, 1, 2, 2])
    extrapolation = WholeValue("a").extrapolate(LabelledSample(table, labels, 40.0, max_block=50))
    # The block of x grows to over 50 rows; that of y stays small, even with one more row × 40.
    assert extrapolation.weight == 1600.0
    pair_ids = extrapolation.pair_ids
    together = labels[pair_ids // 5] == labels[pair_ids % 5]
    assert pair_ids[together].tolist() == [3 * 5 + 4]


def test_tables_of_a_size_in_between_may_have_more_pairs():
    table = TextTable({"a": ["x"] * 10}, 10)
    sample = LabelledSample(table, np.arange(10), 16.0, max_block=50)
    extrapolation = WholeValue("a").extrapolate(sample)
    # A block of 160 rows is too large. One of 40 is not, and has 36 / 2 pairs per row.
    assert not len(extrapolation.pair_ids)
    assert extrapolation.extra_pairs == pytest.approx(18.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: WholeValue(3), "column is 3; give the name of a column"),
        (lambda: Prefix("a", 0), "length is 0"),
        (lambda: RareTokens("a", 1), "most is 1"),
        (lambda: QGrams("a", 1), "size is 1"),
        (
            lambda: QGrams("a", 10**15),
            "size is 1000000000000000; give a whole number from 2 to 100",
        ),
        (lambda: SortedNeighbourhood("a", 0), "window is 0"),
        (lambda: NearestTexts([], 3), "columns are"),
        (lambda: NearestTexts("a", 0), "n_neighbours is 0"),
        (lambda: NearestTexts("a", 1, 1), "size is 1"),
        (lambda: NearestTexts("a", 1, 101), "size is 101"),
        (lambda: Combined([Prefix("a", 1)]), "give a list of two or more"),
        (lambda: Combined([Prefix("a", 1), RareTokens("a", 3)]), "give a list of two or more"),
    ],
)
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize("key", ALL_KEYS, ids=str)
@pytest.mark.parametrize(
    ("items", "message"),
    [
        (np.ones((3, 2)), "the items are vectors"),
        ({"three": ["a", "b"]}, "there is no column '(one|two)'; the columns are three"),
        ({"one": ["a", 3], "two": ["b", 3]}, "column '(one|two)', item 1: 3 is not a string"),
        ({"one": [["a"], "b"], "two": [["a"], "b"]}, r"item 0: \['a'\] is not a string"),
    ],
)
def test_what_has_no_texts_is_refused(key, items, message):
    with pytest.raises(ItemSetError, match=message):
        key(ItemSet(items))


def test_other_columns_may_hold_anything():
    table = {"one": ["a", "a", None], "other": [1, ["x"], {}], "more": ["b", "c", "d"]}
    assert pairs_of(WholeValue("one"), table) == [(0, 1)]


def test_tables_without_a_text_have_no_pairs():
    table = {"one": [None, "", "?"], "two": ["!", None, ""]}
    for key in ALL_KEYS:
        assert pairs_of(key, table) == []
