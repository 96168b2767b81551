"""Distances of citations, against plain twins."""

import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie._saving import load_value, save_value
from coterie.checks.featurizers import check_featurizer
from coterie.exceptions import FeatureError, InputError
from coterie.features import CitationFeatures
from coterie.features.texts import citations
from coterie.features.texts.citations import COLUMNS, parse_authors
from coterie.items import ItemSet
from coterie.pairs import all_pairs

TABLE = {
    "title": ["On Trees.", "On trees,", None, "Leaves: a study", "leaves -- a STUDY", "..."],
    "author": ["A. Ash and B. Birch", "Ash, A., Birch, B.", "C. Cedar", None, "Ash, A.", "(1990)"],
    "venue": ["J. of Wood,", "Journal of Wood", "j of wood", "", "Forest", "J of Wood"],
    "year": ["(1990).", "1991", "May 1972", "in press", None, "no. 12345, 1990"],
}
SETS = [
    ItemSet(TABLE),
    ItemSet({name: values[:2] for name, values in TABLE.items()}),
    ItemSet({name: values[:1] for name, values in TABLE.items()}),
    ItemSet([]),
]


# A plain twin: it compares one pair at a time, with the edit distance of the textbooks.


def edit_distance(one, other):
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        left, row[0] = row[0], i
        for j, b in enumerate(other, start=1):
            left, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, left + (a != b))
    return row[-1]


def relative_edit_distance(one, other):
    return edit_distance(one, other) / max(len(one), len(other))


def clean(text):
    return " ".join(re.findall(r"\w+", (text or "").lower()))


def plain_items(table):
    venues = [clean(text) for text in table["venue"]]
    for title, author, venue, year in zip(
        table["title"], table["author"], venues, table["year"], strict=True
    ):
        names = parse_authors(author or "")
        years = [digits for digits in re.findall(r"\d+", year or "") if len(digits) == 4]
        yield {
            "title": clean(title) or None,
            "first author": names[0] if names else None,
            "authors": " ".join(names) or None,
            "venue": venue or None,
            "year": int(years[0]) if years else None,
            "venue frequency": venues.count(venue) if venue else None,
            "co-authors": len(names) or None,
        }


def plain_distances(table):
    """Yield the distances of all pairs, None where a field is missing."""
    items = list(plain_items(table))
    comparisons = {
        **dict.fromkeys(COLUMNS[:4], relative_edit_distance),
        "year": lambda a, b: min(abs(a - b) / 10, 1.0),
        "venue frequency": lambda a, b: abs(math.log10(a / b)),
        "co-authors": lambda a, b: min(abs(a - b) / 10, 1.0),
    }
    for i, j in all_pairs(len(items)).tolist():
        values = [(items[i][name], items[j][name]) for name in COLUMNS]
        yield [
            None if None in pair else comparisons[name](*pair)
            for name, pair in zip(COLUMNS, values, strict=True)
        ]


def plain_features(table, resolution=0.1):
    rows = list(plain_distances(table))
    known_values = [[row[k] for row in rows if row[k] is not None] for k in range(7)]
    means = [sum(column) / len(column) if column else 0.0 for column in known_values]
    completed_rows = [
        [m if v is None else v for v, m in zip(row, means, strict=True)] for row in rows
    ]
    return np.array([[math.sqrt(v**2 + resolution**2) for v in row] for row in completed_rows])


@pytest.mark.parametrize("resolution", [0.0, 0.1, 0.5])
def test_distances_are_those_of_the_twin(resolution):
    featurizer = CitationFeatures(resolution=resolution).fit(SETS[:1])
    distances = featurizer(SETS[0], None).to_matrix()
    np.testing.assert_allclose(distances, plain_features(TABLE, resolution), atol=1e-12)
    assert distances.min() == pytest.approx(resolution)


WORDS = st.sampled_from(["ash", "birch", "Cedar", "a.", "B.", "and", ",", "&", "of", "1990", "x-y"])
TEXTS = st.one_of(st.none(), st.lists(WORDS, max_size=6).map(" ".join))
YEARS = st.one_of(st.none(), st.sampled_from(["1990", "(1991b)", "1970.", "soon", "19900"]))


@settings(max_examples=60)
@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS, YEARS), min_size=2, max_size=7))
def test_distances_of_random_citations_are_those_of_the_twin(rows):
    table = dict(zip(TABLE, map(list, zip(*rows, strict=True)), strict=True))
    item_set = ItemSet(table)
    distances = CitationFeatures().fit([item_set])(item_set, None).to_matrix()
    np.testing.assert_allclose(distances, plain_features(table), atol=1e-12)


@pytest.mark.parametrize("factor", [0, 1, 10**6])
def test_tables_and_single_pairs_agree(factor, monkeypatch):
    expected = CitationFeatures().fit(SETS)(SETS[0], None).to_matrix()
    monkeypatch.setattr(citations, "TABLE_SPEEDUP", factor)
    monkeypatch.setattr("coterie.features.operators.blocks.BLOCK_ENTRIES", 4)
    featurizer = CitationFeatures().fit(SETS)
    np.testing.assert_array_equal(featurizer(SETS[0], None).to_matrix(), expected)
    pairs = all_pairs(6)[[7, 3, 11]]
    np.testing.assert_array_equal(featurizer(SETS[0], pairs).to_matrix(), expected[[7, 3, 11]])


def test_the_featurizer_keeps_its_contract():
    check_featurizer(CitationFeatures(), SETS)
    check_featurizer(CitationFeatures().fit(SETS), SETS)


def test_neutral_distances_are_means_over_all_training_sets():
    rows = [*plain_distances(TABLE), *plain_distances({k: v[:2] for k, v in TABLE.items()})]
    means = [np.mean([row[k] for row in rows if row[k] is not None]) for k in range(7)]
    np.testing.assert_allclose(CitationFeatures().fit(SETS).neutral, means)
    empty = ItemSet({name: [None] * 3 for name in TABLE})
    assert CitationFeatures().fit([empty]).neutral.tolist() == [0.0] * 7
    exact = CitationFeatures(resolution=0).fit([empty])
    assert not exact(empty, None).to_matrix().any()


def test_fitted_features_are_saved_and_loaded(tmp_path):
    fitted = CitationFeatures(venue="booktitle", resolution=0.25).fit(
        [ItemSet({**TABLE, "booktitle": TABLE["venue"]})]
    )
    save_value(tmp_path / "a", fitted, {"CitationFeatures": CitationFeatures}.get)
    loaded = load_value(tmp_path / "a", {"CitationFeatures": CitationFeatures}.get)
    assert (loaded.venue, loaded.resolution) == ("booktitle", 0.25)
    np.testing.assert_array_equal(loaded.neutral, fitted.neutral)
    assert not loaded.neutral.flags.writeable
    assert loaded.names == COLUMNS
    assert loaded.distances == (True,) * 7


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_columns_may_be_of_any_table_under_any_name(make):
    frame = make({f"my {name}": values for name, values in TABLE.items()})
    featurizer = CitationFeatures(*(f"my {name}" for name in TABLE)).fit([ItemSet(frame)])
    expected = CitationFeatures().fit(SETS[:1])(SETS[0], None).to_matrix()
    np.testing.assert_array_equal(featurizer(ItemSet(frame), None).to_matrix(), expected)


def test_years_may_be_numbers():
    years = [1990, 1991.0, np.int64(1972), None, float("nan"), float("inf")]
    by_number = ItemSet({**TABLE, "year": years})
    by_text = ItemSet({**TABLE, "year": ["1990", "1991", "1972", None, None, None]})
    fitted = CitationFeatures().fit([by_text])
    np.testing.assert_array_equal(
        fitted(by_number, None).to_matrix(), fitted(by_text, None).to_matrix()
    )


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([[1.0], [2.0]], "CitationFeatures compares columns, but the items are vectors"),
        (["a", "b"], "CitationFeatures compares columns, but the items are of type tuple"),
        ({"title": ["a", "b"]}, "there is no column 'author'"),
        ({**TABLE, "title": [3] * 6}, "title of item 0 is 3, not a string; give a string, or None"),
        (
            {**TABLE, "year": [[1990]] * 6},
            r"year of item 0 is \[1990\], not a year; give a number, a string",
        ),
        ({**TABLE, "year": [True] * 6}, "year of item 0 is True, not a year; give a number"),
    ],
)
def test_items_without_columns_of_citations_are_refused(items, message):
    with pytest.raises(FeatureError, match=f"item set 0: {message}"):
        CitationFeatures().fit([ItemSet(items)])


def test_unfitted_features_and_bad_parameters_are_refused():
    with pytest.raises(FeatureError, match="CitationFeatures is not fitted; call fit"):
        CitationFeatures()(SETS[0], None)
    for neutral in ([0.5] * 6, [-1.0] * 7, [np.nan] * 7):
        with pytest.raises(FeatureError, match=r"neutral has shape .*; give"):
            CitationFeatures(neutral=neutral)
    with pytest.raises(InputError, match="resolution is -1"):
        CitationFeatures(resolution=-1)


# Authors.


@pytest.mark.parametrize(
    ("text", "names"),
    [
        # Given names first.
        ("A. Ash, B. C. Birch, and D. Cedar.", ["ash a", "birch b c", "cedar d"]),
        ("Ann Ash and Bob C. Birch,", ["ash ann", "birch bob c"]),
        ("a.b. ash, c birch, d.cedar", ["ash a b", "birch c", "cedar d"]),
        ("J.-P. Ash & R. De Wood", ["ash j p", "de wood r"]),
        ("Ann van der Ash", ["van der ash ann"]),
        ("A. Ash, B. Birch et al.", ["ash a", "birch b"]),
        # Surnames first.
        ("Ash, A., & Birch, B. C.", ["ash a", "birch b c"]),
        ("Ash, A.B.; Birch, C.; and Cedar, D.", ["ash a b", "birch c", "cedar d"]),
        ("Ash, Ann B., Birch, Bob, & Cedar, Cy D.", ["ash ann b", "birch bob", "cedar cy d"]),
        ("Ash, Ann and Birch, Bob", ["ash ann", "birch bob"]),
        ("De Wood, A., Ash, B.", ["de wood a", "ash b"]),
        ("Ash,A. and Birch,B.:", ["ash a", "birch b"]),
        # Without commas.
        ("Ash A.B., Birch C.:", ["ash a b", "birch c"]),
        ("Ash AB, Birch C, Cedar DE.", ["ash a b", "birch c", "cedar d e"]),
        ("Ash A. B. and Birch C.", ["ash a b", "birch c"]),
        # The first author in another form than the rest.
        ("Ash, A., B. Birch, and C. D. Cedar.", ["ash a", "birch b", "cedar c d"]),
        ("ash, a.b., and c.d. birch", ["ash a b", "birch c d"]),
        ("Ash, D. Birch, E. Cedar", ["ash", "birch d", "cedar e"]),
        # Surnames alone.
        ("Ash and Birch.", ["ash", "birch"]),
        ("Ash, Birch, and Cedar", ["ash", "birch", "cedar"]),
        ("Ash", ["ash"]),
        ("Ash, A., and Birch,", ["ash a", "birch"]),
        # Noise.
        ("A. Ash (1990).", ["ash a"]),
        ("A. Ash-Birch, C. Ce-dar, D. O'Elm", ["ashbirch a", "cedar c", "oelm d"]),
        ("A. Ash and Bo Birch. TREES4:", ["ash a", "birch bo"]),
        ("A. Ash Jr. and B. Birch III", ["ash a", "birch b"]),
        ("A. Ash, eds.", ["ash a"]),
        ("A. Sandy, B. Anderson", ["sandy a", "anderson b"]),
        ("A. Ash (ed. (of two) all) and B. Birch", ["all a ash", "birch b"]),
        ("A. Ash (Ann) and B. Birch (Bo", ["ash a", "bo b birch"]),
        ("(1990).", []),
        ("", []),
        (" , & ;.", []),
    ],
)
def test_authors_are_parsed_in_every_common_form(text, names):
    assert parse_authors(text) == names


def test_long_rows_of_parentheses_are_read_in_time():
    """An algorithm of quadratic time would take many minutes."""
    assert parse_authors("Ash, A. " + "(" * 300_000) == ["ash a"]
    assert parse_authors("Ash, A. " + "(" * 300_000 + ")") == ["ash a"]


@given(st.text(max_size=40))
def test_authors_of_random_texts_are_words(text):
    for name in parse_authors(text):
        assert name
        assert name == " ".join(name.split())


SURNAMES = st.lists(st.sampled_from(["Ash", "Birch", "Cedar", "Elm"]), min_size=1, max_size=4)


@given(SURNAMES, st.data())
def test_both_orders_are_the_same_authors(surnames, data):
    initials = [data.draw(st.sampled_from(["A.", "B. C.", "D.E."])) for _ in surnames]
    names = list(zip(surnames, initials, strict=True))
    first = ", ".join(f"{initial} {surname}" for surname, initial in names)
    last = ", ".join(f"{surname}, {initial}" for surname, initial in names)
    assert parse_authors(first) == parse_authors(last)
    assert len(parse_authors(first)) == len(surnames)
