"""Kinds of columns: properties of all kinds, and hand-made examples of each."""

from math import log
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from coterie._core.texts import MAX_CHARACTERS, plain_text
from coterie.features import kinds
from coterie.features.kinds import Category, Code, Date, Name, Number, Short, Text, TokenSet
from coterie.features.kinds._edits import EDIT_MEASURES
from coterie.features.kinds._folding import fold_text
from coterie.features.kinds.base import COMMON_MEASURES, Kind
from coterie.features.kinds.date import NOT_A_DATE, date_of
from coterie.features.kinds.number import number_of

KINDS = [
    kind for kind in (getattr(kinds, name) for name in kinds.__all__) if issubclass(kind, Kind)
]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.word)
CELLS = (
    "",
    " ",
    "?!",
    "Ann Lee",
    "Lee, Ann",
    "ann lee",
    "Canon EOS 350D",
    "canon eos-350 d",
    "a;b;c",
    "C | A",
    "2001-02-03",
    "2/3/2001",
    "$1,234.50",
    "1e400",
    "-1e308",
    "1e308",
    "007",
    "7",
    "北京 2008",
    "naïve café",
)
texts = st.sampled_from(CELLS) | st.text(max_size=12)


def compare_texts(kind, first, second, among=()):
    """Compare two texts, having learned from them and from `among`; return values by name."""
    column = kind.read([first, second, *among])
    fitted = kind.learn(column, np.arange(2 + len(among)))
    (row,) = fitted.compare(fitted.encode(column), np.array([0]), np.array([1]))
    return dict(zip(fitted.names, row.tolist(), strict=True))


def compare_all(kind, cells, entities=None, rows=None):
    """Compare all rows with all rows: return an array of rows × rows × measures."""
    entities = np.arange(len(cells)) if entities is None else np.array(entities)
    column = kind.read(cells)
    fitted = kind.learn(column, entities, rows)
    left, right = map(np.ravel, np.indices((len(cells), len(cells))))
    features = fitted.compare(fitted.encode(column), left, right)
    return features.reshape(len(cells), len(cells), len(fitted.names))


# Properties of all kinds.


def test_words_of_kinds_and_names_of_columns_are_distinct():
    assert len({kind.word for kind in KINDS}) == len(KINDS) == 8
    for kind in KINDS:
        assert len(set(kind().names)) == len(kind().names)
        assert set(kind.tokenizers) <= set(kind().get_params(deep=False))


@every_kind
@settings(max_examples=30)
@given(cells=st.lists(texts, max_size=8), part=st.booleans())
def test_comparisons_are_finite_symmetric_and_in_range(kind, cells, part):
    rows = np.arange(0, len(cells), 3) if part else None
    features = compare_all(kind(), cells, [row // 2 for row in range(len(cells))], rows)
    assert np.isfinite(features).all()
    np.testing.assert_allclose(features, features.swapaxes(0, 1), rtol=1e-12, atol=1e-12)
    assert features.min(initial=0.0) >= 0.0
    bounded = [not name.startswith("rarity of") for name in kind().names]
    assert features[..., bounded].max(initial=0.0) <= 1.0


@every_kind
@settings(max_examples=20)
@given(cells=st.lists(texts, max_size=8), data=st.data())
def test_the_order_of_rows_does_not_matter(kind, cells, data):
    order = data.draw(st.permutations(range(len(cells))))
    entities = data.draw(st.lists(st.integers(0, 3), min_size=len(cells), max_size=len(cells)))
    features = compare_all(kind(), cells, entities)
    permuted = compare_all(kind(), [cells[row] for row in order], [entities[row] for row in order])
    expected = features[np.ix_(order, order)] if order else features
    np.testing.assert_allclose(permuted, expected, rtol=1e-12, atol=1e-12)


@every_kind
def test_the_spelling_of_characters_does_not_matter(kind):
    """Case, decomposed accents, full width and outer blanks change nothing."""
    cells = ["Café 12 Noël", "12.5", "3 Mar 2001", "x; Été", "AB-0012"]
    wide = {ord("0") + digit: ord("０") + digit for digit in range(10)}
    expected = compare_all(kind(), cells)
    for respelled in (
        [normalize("NFD", cell) for cell in cells],
        [cell.upper() for cell in cells],
        [cell.translate(wide) for cell in cells],
        [f" {cell}\t" for cell in cells],
    ):
        assert respelled != cells
        np.testing.assert_array_equal(compare_all(kind(), respelled), expected)
        for first, second in zip(cells, respelled, strict=True):
            assert compare_texts(kind(), first, second)["equal"] == 1.0


@every_kind
@pytest.mark.parametrize("empty", ["", " ", "?!", "-", "\u200d"])
def test_missing_values_have_no_other_features(kind, empty):
    in_one, in_both = compare_texts(kind(), empty, "ab 12"), compare_texts(kind(), empty, "...")
    assert {name for name, value in in_one.items() if value} == {"missing in one"}
    assert {name for name, value in in_both.items() if value} == {"missing in both"}


@every_kind
def test_equal_values_count_more_the_rarer_they_are(kind):
    cells = ["2001-01-01", "2001-01-01", *["2002-02-02"] * 4, "2003-03-03"]
    features = compare_all(kind(), cells, [0, 0, 1, 2, 3, 4, 5])
    rare = dict(zip(kind().names, features[0, 1], strict=True))
    common = dict(zip(kind().names, features[2, 3], strict=True))
    assert rare["equal"] == common["equal"] == 1.0
    # The same rows count twice: as training rows and as compared rows.
    assert rare["rarity if equal"] == pytest.approx(log(15 / 5) / log(15))
    assert common["rarity if equal"] == pytest.approx(log(15 / 9) / log(15))
    assert rare["rarity among entities if equal"] == pytest.approx(log(8 / 3) / log(8 / 2))
    assert common["rarity among entities if equal"] == pytest.approx(log(8 / 6) / log(8 / 2))
    assert not features[0, 2, : len(COMMON_MEASURES)].any()


@every_kind
@pytest.mark.parametrize("n_rows", [0, 1, 2])
def test_tables_of_few_rows_can_be_compared(kind, n_rows):
    for cell in ("", "a 1"):
        column = kind().read([cell] * n_rows)
        fitted = kind().learn(column, np.arange(n_rows))
        encoded = fitted.encode(column)
        none = np.empty(0, dtype=np.intp)
        assert fitted.compare(encoded, none, none).shape == (0, len(fitted.names))
        rows = np.arange(n_rows)
        assert np.isfinite(fitted.compare(encoded, rows, rows)).all()


@every_kind
@pytest.mark.parametrize("part", ["1", "1,", "1,234", "a1 ", "feb  ", "é", "-;", "a|", "\u0301"])
def test_very_long_cells_are_compared_in_time(kind, part):
    """Patterns and edit distances take a moment, not hours as if their time were quadratic."""
    cell = part * (200_000 // len(part))
    features = compare_all(kind(), [cell, f"{cell}x", f"y{cell[:-1]}", "b"])
    assert np.isfinite(features).all()


def test_long_texts_are_distinguished_beyond_what_edits_compare():
    prefix = "a" * MAX_CHARACTERS
    for kind in (Short(), Code(), Name()):
        values = compare_texts(kind, f"{prefix}b", f"{prefix}c")
        assert values["equal"] == 0.0
        assert values["Jaro-Winkler"] == 1.0
        assert values.get("equal without blanks", 0.0) == 0.0


# Examples of each kind.


def test_short_strings_are_compared_by_spelling():
    near, far = compare_texts(Short(), "Meier", "Meyer"), compare_texts(Short(), "Meier", "Smith")
    for name in Short.measures:
        assert 1.0 > near[name] > far[name] >= 0.0
    assert near["Jaro-Winkler"] == pytest.approx(0.8933, abs=1e-4)
    assert near["edit ratio"] == pytest.approx(0.8)


def test_names_are_compared_in_any_order_of_words():
    values = compare_texts(Name(), "Ann Lee", "Lee, Ann", among=["Bob Ray"])
    assert values["equal"] == 0.0
    assert values["words as sets"] == 1.0
    assert values["cosine of words"] == pytest.approx(1.0)
    assert values["shared words of both"] == 1.0
    assert values["rarity of words of the richer alone"] == 0.0
    # The phrases "ann lee" and "lee ann" are alone.
    assert values["rarity of phrases of the poorer alone, among entities"] > 0.0


@pytest.mark.parametrize("kind", [Name(), Text()], ids=["name", "text"])
def test_rare_words_and_codes_count_for_more(kind):
    among = ["canon camera black", "canon camera silver", "canon lens black"] * 5
    same_code = compare_texts(kind, "canon camera EOS 350D", "canon eos350d", among)
    other_code = compare_texts(kind, "canon camera EOS 350D", "canon camera eos 400d", among)
    assert same_code["rarity of shared codes"] > 0.0 == other_code["rarity of shared codes"]
    assert other_code["rarity of codes of the poorer alone"] > 0.0
    common = compare_texts(kind, "canon camera x", "canon camera y", among)
    rare = compare_texts(kind, "zeiss camera x", "zeiss camera y", among)
    for name in ("rarity of shared words", "rarest shared words", "cosine of words"):
        assert rare[name] > common[name] > 0.0


def test_texts_without_shared_words_share_nothing():
    values = compare_texts(Text(), "the quick brown fox", "11 22")
    nonzero_names = {name for name, value in values.items() if value}
    assert nonzero_names == {name for name in values if "alone" in name} - {
        "rarity of codes of the poorer alone"
    }


def test_codes_are_compared_without_blanks():
    values = compare_texts(Code(), "SW1A 1AA", "sw1a1aa")
    assert (values["equal"], values["equal without blanks"]) == (0.0, 1.0)
    assert values["edit ratio"] == 1.0
    similar = compare_texts(Code(), "0049 30 1234", "0049 40 1234", among=["0049 50", "1"])
    assert similar["equal without blanks"] == 0.0
    assert similar["rarity of shared codes"] > similar["rarest shared codes"] > 0.0
    assert compare_texts(Code(), "007", "7")["equal"] == 0.0


def test_categories_are_equal_or_not():
    assert Category().names == COMMON_MEASURES
    assert compare_texts(Category(), "NSW", "nsw")["equal"] == 1.0
    assert not any(compare_texts(Category(), "NSW", "VIC").values())


def test_sets_have_no_order_and_no_repetition():
    values = compare_texts(
        TokenSet(), "deep learning; graphs;trees", "Trees | deep-learning|graphs|graphs"
    )
    assert values["equal"] == 1.0
    values = compare_texts(TokenSet(), "deep learning;graphs", "graphs, learning deep", among=["x"])
    assert values["equal"] == 0.0
    assert values["words as sets"] == 1.0
    assert 0.0 < values["shared members of both"] < 1.0
    assert compare_texts(TokenSet(), "ab;c", "a;bc")["rarity of shared members"] == 0.0
    assert compare_texts(TokenSet(), ";|,", "a")["missing in one"] == 1.0


# Numbers.


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12.0),
        (" +12. ", 12.0),
        (".5", 0.5),
        ("-1.5E-3", -0.0015),
        ("−7", -7.0),
        ("$1,234.50", 1234.5),
        ("1,234,567", 1234567.0),
        ("1'234'567", 1234567.0),
        ("1\u00a0234 €", 1234.0),
        ("12,5 %", 12.5),
        ("１２．５", 12.5),
        ("٣٤", 34.0),
        ("1_000", 1000.0),
        ("EUR 12.50", 12.5),
        ("usd12", 12.0),
        ("-1.234,5 CHF", -1234.5),
        ("1.234.567", 1234567.0),
    ],
)
def test_numbers_are_read(text, number):
    assert number_of(text) == number


@pytest.mark.parametrize(
    "text",
    [
        *("", "-", ".", "e5", "1e400", "-1e400", "inf", "nan", "1.2.3", "1-2", "0x1f", "12a"),
        *("1,2,3", "12 cadets", "1.2345.678", "1.234,5,6"),
    ],
)
def test_texts_that_are_not_numbers_are_not_read(text):
    assert np.isnan(number_of(text))


def test_numbers_are_compared_by_difference():
    values = compare_texts(Number(), "$100", "80.00")
    assert values["nearness"] == pytest.approx(1 / 21)
    assert values["relative nearness"] == pytest.approx(0.8)
    assert values["no number"] == 0.0
    assert compare_texts(Number(), "1,000", "1000")["equal"] == 1.0
    same = compare_texts(Number(), "10", "10.0")
    assert (same["equal"], same["nearness"], same["relative nearness"]) == (0.0, 1.0, 1.0)
    apart = compare_texts(Number(), "-5", "5")
    assert apart["relative nearness"] == 0.0
    assert compare_texts(Number(), "0", "0.0")["relative nearness"] == 1.0


@pytest.mark.parametrize("text", ["1e400", "unknown", "1/2"])
def test_texts_that_are_not_numbers_are_near_no_number(text):
    values = compare_texts(Number(), text, "12")
    assert (values["no number"], values["nearness"], values["relative nearness"]) == (1.0, 0.0, 0.0)
    values = compare_texts(Number(), text, text)
    assert (values["equal"], values["no number"], values["nearness"]) == (1.0, 1.0, 0.0)


def test_the_greatest_numbers_are_far_from_the_least():
    values = compare_texts(Number(), "1e308", "-1e308")
    assert (values["no number"], values["nearness"], values["relative nearness"]) == (0.0, 0.0, 0.0)
    assert compare_texts(Number(), "5e-324", "0")["relative nearness"] <= 1.0


# Dates.

SPELLINGS = (
    *("2001-02-03", "2001/2/3", "2001.02.03", "20010203", "2001-02-03T10:11:12Z"),
    *("2001-02-03 10:11", "03.02.2001", "3/2/2001", "3-2-2001 23:59", "3 2 2001"),
    *("Feb 3, 2001", "February 3rd, 2001", "3 Feb 2001", "3. February 2001", "03-FEB-2001"),
    *("feb. 3 2001", "3rd feb, 2001", "２００１－０２－０３", "3/2/01", "03-02-01"),
)


@pytest.mark.parametrize("text", SPELLINGS)
def test_dates_are_read(text):
    assert date_of(text) == (2001, 2, 3)
    assert compare_texts(Date(), text, SPELLINGS[0])["equal"] == 1.0


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "soon",
            "2001",
            "2001-02",
            "200102",
            "110011",
            "1994-123",
            "9999-99-99",
            "0000-00-00",
        ),
        *("2001-02-30", "13/13/2001", "3000-01-01", "0999-01-01", "Feb 2001", "3 marble 2001"),
        *("3 Feb 3 2001", "3 fe 2001", "1/2/3", "12:30:2001x", "3/2-01", "13/13/01"),
    ],
)
def test_texts_that_are_not_dates_are_not_read(text):
    assert date_of(text) == NOT_A_DATE


def test_dates_are_compared_by_their_parts():
    values = compare_texts(Date(), "2001-02-03", "2001-02-13")
    assert values["nearness of days"] == pytest.approx(1 / 11)
    assert [values[f"same {part}"] for part in ("year", "month", "day")] == [1.0, 1.0, 0.0]
    assert values["nearness of years"] == 1.0
    assert values["day and month exchanged"] == values["no date"] == 0.0
    later = compare_texts(Date(), "2001-02-03", "2004-02-03")
    assert later["nearness of years"] == pytest.approx(1 / 4)
    assert [later[f"same {part}"] for part in ("year", "month", "day")] == [0.0, 1.0, 1.0]


def test_day_and_month_may_be_exchanged():
    assert compare_texts(Date(), "2001-02-03", "2001-03-02")["day and month exchanged"] == 1.0
    assert compare_texts(Date(), "2001-02-03", "2001-03-03")["day and month exchanged"] == 0.0
    assert compare_texts(Date(), "2001-03-03", "2001-03-03")["day and month exchanged"] == 0.0


def test_texts_that_are_not_dates_are_near_no_date():
    values = compare_texts(Date(), "9999-99-99", "2001-02-03")
    date_measures = [name for name in Date.measures if name not in EDIT_MEASURES]
    assert [name for name in date_measures if values[name]] == ["no date"]
    assert compare_texts(Date(), "Soon", "soon ")["equal"] == 1.0


@given(st.text())
@example("\u0d81")  # a combining mark without a letter
def test_folding_twice_changes_nothing(text):
    assert fold_text(fold_text(text)) == fold_text(text)
    assert bool(fold_text(text)) >= bool(plain_text(text))
