"""Keys against brute force, and that the order of the rows does not matter."""

import math

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
from coterie.blocking._keys import MAX_BLOCK, Sample
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


def sharing(parts, most=None):
    """The pairs that share a part, of those that at most so many have."""
    holders = {}
    for row, own in enumerate(parts):
        for part in own:
            holders.setdefault(part, []).append(row)
    found = set()
    for rows in holders.values():
        if most is None or len(rows) <= most:
            found |= {(i, j) for i in rows for j in rows if i < j}
    return sorted(found)


def grams(text, size):
    padded = [f" {token} " for token in text.split()]
    return {p[at : at + size] for p in padded for at in range(len(p) - size + 1)}


@given(TABLES, st.integers(1, 4))
def test_values_and_prefixes_are_brute_force(table, length):
    one, two = plain_cells(table, "one"), plain_cells(table, "two")
    assert pairs_of(WholeValue("one"), table) == sharing([{t} - {""} for t in one])
    begins = [t.replace(" ", "")[:length] for t in one]
    assert pairs_of(Prefix("one", length), table) == sharing([{t} - {""} for t in begins])
    both = [{(b, t)} if b and t else set() for b, t in zip(begins, two, strict=True)]
    key = Combined([Prefix("one", length), WholeValue("two")])
    assert pairs_of(key, table) == sharing(both)
    assert pairs_of(Combined([key, key]), table) == sharing(both)


@given(TABLES, st.integers(2, 5))
def test_rare_tokens_are_brute_force(table, most):
    tokens = [set(text.split()) for text in plain_cells(table, "one")]
    assert pairs_of(RareTokens("one", most), table) == sharing(tokens, most)


@given(TABLES, st.integers(2, 9), st.integers(2, 5))
def test_runs_of_characters_are_brute_force(table, size, most):
    runs = [grams(text, size) for text in plain_cells(table, "one")]
    assert pairs_of(QGrams("one", size, most), table) == sharing(runs, most)


@pytest.mark.parametrize("chunk", [1, 7, 2**20])
@pytest.mark.parametrize("size", [2, 3, 5, 40])
def test_runs_are_found_in_any_chunks(chunk, size, monkeypatch, rng):
    monkeypatch.setattr("coterie.blocking._parts.CHUNK", chunk)
    letters = [chr(code) for code in [*range(97, 123), *range(0x4E00, 0x4E40), 0x1F600, 32]]
    texts = [plain_text("".join(rng.choice(letters, 60))) for _ in range(20)]
    texts += texts[:5]
    spread = grams_of_texts(texts, size)
    found = [set(spread.parts[spread.texts == text].tolist()) for text in range(len(texts))]
    expected = [grams(text, size) for text in texts]
    assert [len(own) for own in found] == [len(own) for own in expected]
    assert sharing(found) == sharing(expected)


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
    known = {run for own in runs for run in own}
    df = {run: sum(run in own for own in runs) for run in known}
    idf = {run: 1 + math.log((1 + n_rows) / (1 + df[run])) for run in known}

    def cosine(i, j):
        lengths = [math.sqrt(sum(idf[run] ** 2 for run in runs[row])) for row in (i, j)]
        return sum(idf[run] ** 2 for run in runs[i] & runs[j]) / math.prod(lengths)

    found = set(pairs_of(NearestTexts(["one", "two"], count, size), table))
    for i in range(n_rows):
        near = {j: round(cosine(i, j), 9) for j in range(n_rows) if j != i and runs[i] & runs[j]}
        ranked = sorted(near.values(), reverse=True)
        least = ranked[min(count, len(ranked)) - 1] if ranked else math.inf
        own = {j for j in near if (min(i, j), max(i, j)) in found}
        # All that are nearer than the last are there, and of those as near as it some.
        assert {j for j in near if near[j] > least} <= own
        assert len([j for j in own if near[j] >= least]) >= min(count, len(near))
    assert len(found) <= count * n_rows
    assert all(runs[i] & runs[j] for i, j in found)


def test_a_row_looks_at_those_around_it_where_all_have_the_same(monkeypatch):
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
def test_a_table_of_the_same_size_is_foreseen_as_it_is(key, table):
    texts = TextTable.of(ItemSet(table).items, key.names, len(table["one"]), "a test")
    labels = np.arange(texts.n_rows) // 2
    foreseen = key.foresee(Sample(texts, labels, 1.0))
    assert foreseen.weight == 1.0
    assert np.array_equal(foreseen.keys, key.look(texts, MAX_BLOCK).keys)


def test_blocks_that_others_join_are_foreseen_to_grow():
    table = TextTable({"a": ["x", "x", "x", "y", "y"]}, 5)
    labels = np.array([0, 0, 1, 2, 2])
    foreseen = WholeValue("a").foresee(Sample(table, labels, 40.0, max_block=50))
    # Of x, another two of 0 would come to 1, and 40 of 1 to 0; y may have been missed.
    assert foreseen.weight == 1600.0
    together = labels[foreseen.keys // 5] == labels[foreseen.keys % 5]
    assert foreseen.keys[together].tolist() == [3 * 5 + 4]


def test_tables_that_are_less_large_may_have_more_pairs():
    table = TextTable({"a": ["x"] * 10}, 10)
    sample = Sample(table, np.arange(10), 16.0, max_block=50)
    foreseen = WholeValue("a").foresee(sample)
    # Of 160 rows the block is too large; of 40 it is not, and each row has 36 / 2 others.
    assert not len(foreseen.keys)
    assert foreseen.more == pytest.approx(18.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: WholeValue(3), "column is 3; give the name of a column"),
        (lambda: Prefix("a", 0), "length is 0"),
        (lambda: RareTokens("a", 1), "most is 1"),
        (lambda: QGrams("a", 1), "size is 1"),
        (lambda: SortedNeighbourhood("a", 0), "window is 0"),
        (lambda: NearestTexts([], 3), "columns are"),
        (lambda: NearestTexts("a", 0), "n_neighbours is 0"),
        (lambda: NearestTexts("a", 1, 1), "size is 1"),
        (lambda: Combined([Prefix("a", 1)]), "give two or more"),
        (lambda: Combined([Prefix("a", 1), RareTokens("a", 3)]), "give two or more"),
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
        ({"one": ["a", 3], "two": ["b", 3]}, "column '(one|two)', item 1: 3 is no text"),
        ({"one": [["a"], "b"], "two": [["a"], "b"]}, r"item 0: \['a'\] is no text"),
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
