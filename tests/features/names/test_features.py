"""NameFeatures, compared with a twin in plain Python and with examples by hand."""

import ast
import inspect
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import ItemSet, Model
from coterie._kernels.texts import names as kernels
from coterie.blocking import AllPairs
from coterie.checks import check_featurizer
from coterie.clusterers import SingleLinkage
from coterie.exceptions import FeatureError, ItemSetError
from coterie.features.names import words as name_words
from coterie.features.names.features import NameFeatures
from coterie.features.names.relations import RELATIONS, token_relations, tokenize_names
from coterie.features.names.tokens import fold_case, name_tokens
from coterie.features.names.words import (
    ABBREVIATIONS,
    HONORIFICS,
    LEGAL_FORMS,
    NICKNAMES,
    NUMBERS,
    SMALL,
    SUFFIXES,
    SURNAMES,
    SYMBOLS,
)
from coterie.features.operators import DenseFeatures, blocks, to_matrix
from coterie.learners import PairwiseClustering
from coterie.pairs import all_pairs
from coterie.similarities import LinearSimilarity
from tests.features.names.plain_names import (
    COLUMNS,
    EQUAL,
    GROUPS,
    MATCHED,
    NEAR,
    plain_features,
    plain_relations,
)

NAMES = (
    "John Kennedy",
    "JFK",
    "Sen. John Fitzgerald Kennedy Jr.",
    "Mr. Kennedy, Sr.",
    "Mister kennedy",
    "Brian Wilson",
    "Brian",
    "Dr. Prof. Brain Willson",
    "Dr. King",
    "King",
    "Burger King",
    "General Motors Corp.",
    "GM",
    "The Senator",
    "Senator",
    "Senator President",
    "St. Petersburg, Fla.",
    "Saint Petersburg Florida",
    "U.S. Geological Survey",
    "United States Geological Survey",
    "USGS",
    "World War II",
    "the Second World War",
    "AT&T Inc.",
    "A T and T",
    "Łódź",
    "LODZ",
    "毛泽东",
    "Иосиф Бродский",
    "2001",
    "2002",
    "J. Kennedy Kennedy",
    "the",
    "Co.",
    "Bill",
    "William",
    "&",
    "and",
    None,
    "?!",
)
WORDS = (
    "Mr Mister Dr King Jr Sr MD Bill William Bob Rob Corp Corporation Co & and of the US USA JFK"
)
WORDS += " J K United States America IBM i II 2 Second Saint St Street Intl International Ann Anne"
words = st.one_of(st.sampled_from(WORDS.split()), st.text("abAt", min_size=1, max_size=5))
some_names = st.lists(st.lists(words, max_size=5).map(" ".join), min_size=2, max_size=5)


def features(names, pairs=None):
    return to_matrix(NameFeatures()(ItemSet({"name": list(names)}), pairs))


def nonzero_features(first, second):
    """Return the columns that are not 0, and their values."""
    row = features([first, second])[0]
    return {column: value for column, value in zip(COLUMNS, row, strict=True) if value}


def test_features_are_those_of_the_twin():
    rows = features(NAMES)
    for row, pair in zip(rows, combinations(NAMES, 2), strict=True):
        np.testing.assert_array_equal(row, plain_features(*pair), err_msg=str(pair))
    assert np.all(rows.any(axis=0)), "some feature is 0 for all pairs of the names"


@given(names=some_names)
def test_any_names_are_compared_as_by_the_twin(names):
    rows = features(names)
    for row, pair in zip(rows, combinations(names, 2), strict=True):
        np.testing.assert_array_equal(row, plain_features(*pair), err_msg=str(pair))
    assert np.all((rows >= 0.0) & (rows <= 1.0))


@given(names=st.lists(st.text(max_size=12), min_size=2, max_size=4))
def test_any_texts_are_compared_as_by_the_twin(names):
    for row, pair in zip(features(names), combinations(names, 2), strict=True):
        np.testing.assert_array_equal(row, plain_features(*pair), err_msg=str(pair))


def columns_of(*relations, positions=("", ", first", ", last")):
    return {relation + position: 1.0 for relation in relations for position in positions}


ALL_SHARES = dict.fromkeys(COLUMNS[-4:], 1.0)
PREFIX = ["prefix equality", "substring", "prefix edit distance"]
SAME = columns_of("equality", *EQUAL, *NEAR) | ALL_SHARES


def test_initials_are_an_abbreviation_of_a_full_name():
    # No word of John Kennedy begins with F: JFK itself is not matched, but John and Kennedy are.
    expected = columns_of("abbreviation") | {"share of longer matched": 1.0}
    assert nonzero_features("JFK", "John Kennedy") == expected
    full_match = columns_of("abbreviation") | ALL_SHARES
    assert nonzero_features("J.F.K.", "John Fitzgerald Kennedy") == full_match
    assert nonzero_features("jfk", "Pres. John Fitzgerald Kennedy") == full_match


def test_a_forename_matches_the_first_word_of_a_full_name():
    shares = {"shorter matched": 1.0, "share of shorter matched": 1.0}
    shares["share of longer matched"] = 0.5
    relations = columns_of("equality", *EQUAL, *NEAR, positions=("", ", first"))
    assert nonzero_features("Brian", "Brian Wilson") == relations | shares


@pytest.mark.parametrize(
    ("first", "second", "relations"),
    [
        ("Bill", "William", ["nickname", "prefix edit distance"]),
        ("Mo", "Maurice", ["nickname"]),
        ("Peggy", "Meg", ["nickname"]),
        ("Corp.", "Corporation", ["abbreviation", *PREFIX]),
        ("Univ.", "University", ["abbreviation", *PREFIX]),
        ("Intl.", "International", ["abbreviation", "prefix edit distance", "prefix equality"]),
        ("Hwy", "Highway", ["abbreviation"]),
        ("St.", "Saint", ["abbreviation"]),
        ("St.", "Street", ["abbreviation", "substring"]),
        ("Fla.", "Florida", ["abbreviation"]),
        ("&", "and", ["symbol map"]),
        ("&", "+", ["symbol map"]),
        ("№", "#", ["symbol map"]),
        ("II", "second", ["symbol map"]),
        ("2", "two", ["symbol map"]),
        ("J.", "John", ["initial"]),
        ("Kennedy", "Kenedy", ["edit distance", "prefix edit distance", "prefix equality"]),
        ("Ann", "Joanna", ["substring"]),
        ("Wilson", "Wilsonville", PREFIX),
        ("USGS", "United States Geological Survey", ["abbreviation"]),
        ("USA", "United States of America", ["abbreviation"]),
        ("AMD", "Advanced Micro Devices", ["abbreviation"]),
        ("Nato", "The North Atlantic Treaty Organization", ["abbreviation"]),
        ("GM", "General Motors", ["abbreviation"]),
    ],
)
def test_relations_of_one_token_with_its_full_form(first, second, relations):
    expected = columns_of(*relations)
    if set(relations) & MATCHED:
        expected |= ALL_SHARES
    assert nonzero_features(first, second) == expected
    assert nonzero_features(second, first) == expected


@pytest.mark.parametrize(
    ("first", "second", "column"),
    [
        ("Mr. Kennedy", "Mister Kennedy", "honorific equivalence"),
        ("MR Kennedy", "Mr. Kennedy", "honorific equal"),
        ("Mrs. Kennedy", "Mr. Kennedy", "honorific mismatch"),
        ("Senator Kennedy", "President Kennedy", "honorific mismatch"),
        ("Kennedy Jr.", "Kennedy Sr.", "honorific mismatch"),
        ("Gen. Dr. Kennedy", "Doctor Kennedy", "honorific equivalence"),
        ("Mr. Kennedy", "Kennedy", None),
        ("Mr. Kennedy", "Kennedy, Jr.", None),
        ("Dr. King", "King", None),
        ("Dr. King", "King Jr.", None),
        ("General Motors", "Motors", None),
    ],
)
def test_honorifics_are_compared_separately(first, second, column):
    assert nonzero_features(first, second) == SAME | ({column: 1.0} if column else {})


def test_honorifics_before_and_after_a_name_both_count():
    columns = nonzero_features("Mr. Kennedy Jr.", "Mr. Kennedy Sr.")
    assert columns == SAME | {"honorific equal": 1.0, "honorific mismatch": 1.0}


def test_names_that_are_honorifics_alone_are_compared_by_their_groups():
    assert nonzero_features("Senator", "SENATOR") == ALL_SHARES | {"honorific equal": 1.0}
    assert nonzero_features("Senator", "Sen.") == ALL_SHARES | {"honorific equivalence": 1.0}
    assert nonzero_features("Senator", "President") == {"honorific mismatch": 1.0}
    assert nonzero_features("Senator", "Senator Kennedy") == {"honorific equal": 1.0}
    assert nonzero_features("Senator", "Kennedy") == {}
    part = {"shorter matched": 1.0, "share of shorter matched": 1.0, "share of longer matched": 0.5}
    assert nonzero_features("President", "Vice President") == part | {"honorific equal": 1.0}


def test_titles_may_be_parts_of_names():
    last = columns_of("equality", *EQUAL, *NEAR, positions=("", ", last"))
    shares = {"shorter matched": 1.0, "share of shorter matched": 1.0}
    assert nonzero_features("King", "Burger King") == last | shares | {
        "share of longer matched": 0.5
    }
    columns = nonzero_features("St. Petersburg", "Saint Petersburg")
    assert columns == last | columns_of("abbreviation", positions=("", ", first")) | ALL_SHARES
    assert nonzero_features("General Motors", "General Electric") == {"honorific equal": 1.0}


def test_small_words_and_forms_of_companies_need_no_match():
    first = columns_of("equality", *EQUAL, *NEAR, positions=("", ", first"))
    assert nonzero_features("Intel", "Intel Corp.") == first | ALL_SHARES
    last = columns_of("equality", *EQUAL, *NEAR, positions=("", ", last"))
    assert nonzero_features("The Guardian", "Guardian") == last | ALL_SHARES
    assert nonzero_features("the", "of") == {}


def test_acronyms_inside_names_match_the_words_they_abbreviate():
    columns = nonzero_features("US Senate", "United States Senate")
    last = columns_of("equality", *EQUAL, *NEAR, positions=("", ", last"))
    assert columns == last | columns_of("abbreviation", positions=("", ", first")) | ALL_SHARES
    assert "abbreviation" not in nonzero_features("Us Senate", "United States Senate")
    assert nonzero_features("UCLA", "University of California") == {}


def test_different_numbers_are_unrelated():
    assert (
        nonzero_features("2001", "2002")
        == nonzero_features("II", "III")
        == nonzero_features("I", "II")
        == {}
    )
    assert nonzero_features("World War II", "World War III")["share of shorter matched"] == 2 / 3
    assert nonzero_features("Xi", "11") == {}


@pytest.mark.parametrize("short", ["Hon", "Sun", "UK", "in", "New"])
@pytest.mark.parametrize("long", ["Houston", "Sudan", "Ukraine", "Indiana", "Newfoundland"])
def test_beginnings_of_words_are_not_always_abbreviations(short, long):
    assert "abbreviation" not in nonzero_features(f"x {short}", f"y {long}")


def test_accents_are_ignored_and_all_scripts_are_compared():
    assert nonzero_features("José Łódź", "JOSE LODZ") == columns_of(*EQUAL, *NEAR) | ALL_SHARES
    assert nonzero_features("毛泽东", "毛泽东") == SAME
    columns = nonzero_features("毛泽东", "毛澤东")
    assert columns["share of shorter matched"] == 2 / 3
    assert {"equality, first", "equality, last"} <= columns.keys()
    assert "initial" in nonzero_features("И. Бродский", "Иосиф Бродский")


@pytest.mark.parametrize("empty", [None, "", "?!", " "])
def test_names_without_tokens_have_no_features(empty):
    assert not features([empty, "Ann", empty, "Mr."])[[0, 1, 2, 3, 5]].any()


def test_long_names_are_compared_by_their_first_characters_and_words():
    letters, words = "x" * 10_000, " ".join(f"word{letter}" for letter in "abcdefgh" * 250)
    names = [letters, letters[:63] + "y" * 9_937, words, f"{words} end", "毛" * 10_000, "Ann"]
    rows = dict(zip(combinations(range(len(names)), 2), features(names), strict=True))
    near = columns_of("prefix equality", *NEAR) | ALL_SHARES
    row = rows[0, 1]
    assert {c: v for c, v in zip(COLUMNS, row, strict=True) if v} == near
    row = dict(zip(COLUMNS, rows[2, 3], strict=True))
    assert row["equality, first"] == 1.0
    assert row["equality, last"] == 0.0
    assert row["share of longer matched"] == 63 / 64
    assert not any(rows[pair].any() for pair in rows if pair not in ((0, 1), (2, 3)))


@given(names=some_names, seed=st.integers(0, 99))
def test_features_depend_on_neither_the_order_nor_the_other_items(names, seed):
    order = np.random.default_rng(seed).permutation(len(names))
    first, second = all_pairs(len(names)).T
    rows = features(names)
    table = np.zeros((len(names), len(names), len(COLUMNS)))
    table[first, second] = table[second, first] = rows
    moved_rows = features([names[i] for i in order])
    np.testing.assert_array_equal(moved_rows, table[order[first], order[second]])
    for row, pair in zip(rows, combinations(names, 2), strict=True):
        np.testing.assert_array_equal(features(pair)[0], row)
        np.testing.assert_array_equal(features(pair[::-1])[0], row)


@given(names=some_names)
def test_equal_tokens_are_no_further_apart_than_others(names):
    columns = dict(zip(COLUMNS, features(names).T, strict=True))
    for position in ("", ", first", ", last"):
        assert np.all(
            columns[f"equality{position}"] <= columns[f"case-insensitive equal{position}"]
        )
        for relation in (*EQUAL, *NEAR):
            least = columns[f"case-insensitive equal{position}"]
            assert np.all(least <= columns[f"{relation}{position}"])
        assert np.all(
            columns[f"prefix equality{position}"] <= columns[f"prefix edit distance{position}"]
        )


def test_the_contract_of_a_featurizer():
    sets = [ItemSet({"name": names}) for names in (NAMES, NAMES[:1], NAMES[::2], [None, ""])]
    check_featurizer(NameFeatures(), [*sets, ItemSet(NAMES), ItemSet([])])


@pytest.mark.parametrize("block", [1, 40, 500])
def test_blocks_change_nothing(monkeypatch, block):
    expected = features(NAMES)
    rows = np.random.default_rng(0).permutation(len(expected))[:200]
    monkeypatch.setattr(blocks, "BLOCK_ENTRIES", block)
    np.testing.assert_array_equal(features(NAMES), expected)
    np.testing.assert_array_equal(features(NAMES, all_pairs(len(NAMES))[rows]), expected[rows])


def test_listed_pairs_of_many_names_are_compared():
    n_names = 10_000
    rng = np.random.default_rng(0)
    vocabulary = np.array(["".join(rng.choice(list("abcdefgh"), 4)) for _ in range(2_000)])
    names = [" ".join(rng.choice(vocabulary, 3)) for _ in range(n_names)]
    pairs = np.column_stack([np.arange(n_names - 1), np.arange(1, n_names)])
    values = features(names, pairs)
    for row in [*np.flatnonzero(values.any(axis=1))[:20], *range(5)]:
        np.testing.assert_array_equal(values[row], plain_features(*(names[i] for i in pairs[row])))


def test_features_larger_than_the_memory_are_refused():
    with pytest.raises(ItemSetError, match="4,999,950,000 pairs × 37 features takes"):
        NameFeatures()(ItemSet(["A"] * 100_000), None)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_and_texts_are_read_as_columns_are(library):
    frames = pytest.importorskip(library)
    expected = features(NAMES)
    frame = ItemSet(frames.DataFrame({"town": range(len(NAMES)), "name": NAMES}))
    for item_set in (frame, ItemSet(NAMES), ItemSet(list(NAMES))):
        np.testing.assert_array_equal(to_matrix(NameFeatures()(item_set, None)), expected)


def test_columns_have_names_and_directions():
    assert len(COLUMNS) == len(set(COLUMNS)) == kernels.N_COLUMNS == 37
    assert COLUMNS[3:6] == ("equality", "equality, first", "equality, last")
    distances = NameFeatures().distances
    assert [column for column, far in zip(COLUMNS, distances, strict=True) if far] == [
        "honorific mismatch"
    ]
    operator = NameFeatures()(ItemSet(NAMES), None)
    assert isinstance(operator, DenseFeatures)
    assert operator.to_matrix().dtype == np.float64


TRUTH = [0, 0, 0, 1, 1, 2, 2]
TRAINING_NAMES = ["John Kennedy", "J. Kennedy", "JFK", "Brian Wilson", "Mr. Wilson", "Rome", "ROME"]


def test_names_are_clustered():
    learner = PairwiseClustering(featurizer=NameFeatures(), C=100.0).fit([TRAINING_NAMES], [TRUTH])
    assert learner.predict([TRAINING_NAMES])[0].labels.tolist() == TRUTH


def test_a_model_with_names_is_saved(tmp_path):
    coef = np.linspace(-1.0, 1.0, len(COLUMNS))
    similarity = LinearSimilarity(NameFeatures("person"), coef, bias=-0.8)
    model = Model(AllPairs(), similarity, SingleLinkage(threshold=0.0))
    model.save(tmp_path / "names")
    loaded = Model.load(tmp_path / "names", classes=[NameFeatures])
    assert loaded.similarity.featurizer == NameFeatures("person")
    table = {"person": list(NAMES)}
    np.testing.assert_array_equal(loaded.scores(table).scores, model.scores(table).scores)


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ({"nam": ["Ann"]}, "there is no column 'name'; the columns are nam"),
        ({"name": [b"Ann"]}, "name of item 0 is b'Ann', not a string; give a string, or None"),
        ([[1.0, 2.0]], "NameFeatures compares columns, but the items are vectors; give"),
        ([{"name": "Ann"}], "item 0 is {'name': 'Ann'}, not a string; give a string, or None"),
    ],
)
def test_items_without_names_are_refused(items, message):
    with pytest.raises(FeatureError, match=message):
        NameFeatures()(ItemSet(items), None)


TABLES = [HONORIFICS, SUFFIXES, NICKNAMES, ABBREVIATIONS, SYMBOLS, NUMBERS, SMALL, LEGAL_FORMS]


@pytest.mark.parametrize("table", TABLES)
def test_words_of_tables_are_tokens(table):
    for word in table:
        assert name_tokens(word) == [word]
        assert fold_case(word) == word


def test_tables_are_consistent():
    assert not HONORIFICS.keys() & SUFFIXES.keys()
    assert HONORIFICS.keys() >= SURNAMES
    assert "st" not in GROUPS
    for table in (NICKNAMES, ABBREVIATIONS, SYMBOLS, NUMBERS):
        for form, full_words in table.items():
            assert len(set(full_words)) == len(full_words), form
            assert all(word in table[word] for word in full_words), form
    assert all(len(full_words) == 1 for full_words in NUMBERS.values())


def test_no_word_is_in_two_groups():
    tree = ast.parse(inspect.getsource(name_words))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    groups = [call.args[0].value for call in calls if ast.unparse(call.func) == "_parse_groups"]
    assert len(groups) == 5
    for words in (text.replace(";", " ").split() for text in groups):
        assert len(set(words)) == len(words)


def test_relations_of_all_token_pairs_are_those_of_the_twin():
    names = ["Ann Lee", "Anne", "Bob A."]
    pairs = all_pairs(3)
    encoded = tokenize_names(names)
    counts = kernels.count_token_pairs(pairs, encoded.names)
    assert counts.tolist() == [2, 4, 2]
    token_pairs = kernels.list_token_pairs(pairs, encoded.names, counts.sum())
    tokens = ["Ann", "Lee", "Anne", "Bob", "A"]
    expected = [pair for i, j in pairs for pair in product(*map(name_tokens, (names[i], names[j])))]
    assert [(tokens[first], tokens[second]) for first, second in token_pairs.T] == expected
    for bits, pair in zip(token_relations(encoded, pairs), expected, strict=True):
        assert {name for name, bit in RELATIONS.items() if bits & bit} == plain_relations(*pair)


def test_a_word_of_a_name_is_not_an_acronym_of_the_name():
    for token, name in (("Bob", "Bob Brown"), ("Ed", "Ed Davis"), ("US", "US Steel")):
        assert "abbreviation" not in nonzero_features(token, name)
        assert nonzero_features(token, name)["share of longer matched"] == 0.5
    for token, name in (("Bob", "Bill Brown"), ("Tom", "Tina Moore")):
        assert "abbreviation" not in nonzero_features(token, name)


def test_features_of_another_column_begin_with_its_name():
    featurizer = NameFeatures("alias")
    assert featurizer.names[0] == "alias: honorific equal"
    assert featurizer.distances == NameFeatures().distances
