"""Tokens of names in any script, compared with examples written by hand."""

import sys
from unicodedata import category, name, normalize

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coterie import ItemSet
from coterie.exceptions import FeatureError
from coterie.features.names.tokens import fold_case, item_texts, name_tokens

# Texts in which letters, marks, apostrophes, periods and symbols often stand side by side.
unusual_text = st.text(
    "aAsSéłŁΩάİıßﬁŉ𝐀'’`´ʼ.…- \t–&™½℃㎏①中々각가йи\u0306\u0301\u0323\u0338=≠¼"
    "कि\u094dเ\u0e49ا\u064b\u0640\u200d\ufe0f\u00ad\u3164"
)
any_text = st.one_of(unusual_text, st.text())


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("John Kennedy", "John Kennedy"),
        ("KENNEDY, john", "KENNEDY john"),
        ("  a\tb\nc\u00a0d\u3000e  ", "a b c d e"),
        ("Jean-Paul Sartre–Camus—X‐Y‑Z−W", "Jean Paul Sartre Camus X Y Z W"),
        ("a_b/c (d) [e] “f”; g: h! ¿i? «j» k*l", "a b c d e f g h i j k l"),
        ("1984 B2B 3.5", "1984 B2B 3 5"),
    ],
)
def test_blanks_dashes_and_punctuation_separate_words(text, tokens):
    assert name_tokens(text) == tokens.split(" ")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("AT&T", "AT & T"),
        ("A+B @home #1 100% $5 €6 £7 §8 9° ¥", "A + B @ home # 1 100 % $ 5 € 6 £ 7 § 8 9 ° ¥"),
        ("＆ ﹠", "& &"),
        ("Yahoo!®", "Yahoo ®"),
        ("Cola™ inc", "Cola TM inc"),
        ("5½ lb", "5 1 2 lb"),
        ("x^2 ~ a=b≠c", "x 2 ~ a = b ≠ c"),
    ],
)
def test_a_symbol_is_a_token_by_itself(text, tokens):
    assert name_tokens(text) == tokens.split(" ")


@pytest.mark.parametrize("apostrophe", "'’‘`´ʼ＇")
def test_apostrophes_do_not_split_words(apostrophe):
    assert name_tokens(f"O{apostrophe}Brien") == ["OBrien"]
    assert name_tokens(f"McDonald{apostrophe}s Farm") == ["McDonald", "Farm"]
    assert name_tokens(f"MCDONALD{apostrophe}S") == ["MCDONALD"]
    assert name_tokens(f"James{apostrophe} {apostrophe}Jim{apostrophe}") == ["James", "Jim"]
    assert name_tokens(f"{apostrophe}s-Hertogenbosch") == ["s", "Hertogenbosch"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("U.S.", "US"),
        ("U.S.A", "USA"),
        ("J.F.K.", "JFK"),
        ("J. F. Kennedy", "J F Kennedy"),
        ("J.F. Kennedy", "JF Kennedy"),
        ("J.F.Kennedy", "JF Kennedy"),
        ("Corp.", "Corp"),
        ("St.Louis", "St Louis"),
        ("A..B", "A B"),
        ("U.S.'s", "US"),
        ("É.T.", "ET"),
        ("Ю.А. Гагарин", "ЮА Гагарин"),
        ("के.पी. शर्मा", "केपी शर्मा"),
        ("1.2.3", "1 2 3"),
    ],
)
def test_initials_with_periods_are_one_token(text, tokens):
    assert name_tokens(text) == tokens.split(" ")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("José", "Jose"),
        ("Jose\u0301", "Jose"),
        ("Nguyễn Ångström ǅ", "Nguyen Angstrom Dz"),
        ("Łódź Søren Đorđe", "Lodz Soren Dorde"),  # these strokes do not decompose
        ("Æneas Straße Þór", "Æneas Straße Þor"),  # letters of their own
        ("Ὀδυσσεύς", "Οδυσσευς"),
        ("Йосиф Ёлка їжак", "Йосиф Ёлка їжак"),
        ("и\u0306", "й"),
        ("नई दिल्ली", "नई दिल्ली"),
        ("مُحَمَّد صلاح", "مُحَمَّد صلاح"),
        ("בְּנִי", "בְּנִי"),
        ("ใจดี", "ใจดี"),
    ],
)
def test_marks_are_dropped_from_latin_and_greek_letters_only(text, tokens):
    assert name_tokens(text) == [normalize("NFC", token) for token in tokens.split(" ")]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("ﬁrm oﬃce", "firm office"),
        ("Ｔｏｙｏｔａ　Ｉｎｃ．", "Toyota Inc"),
        ("毛泽东", "毛 泽 东"),
        ("佐々木エレナ", "佐 々 木 エレナ"),
        ("ABC株式会社", "ABC 株 式 会 社"),
        ("ジョン・スミス ｽﾐｽ", "ジョン スミス スミス"),
        ("김정은", "김정은"),
        ("👍🏽 ❤️", "👍 ❤"),
        ("👩‍👧", "👩 👧"),
        ("co\u00adop\u200dera\ufefftive", "cooperative"),
        ("محـمد", "محمد"),
    ],
)
def test_characters_are_replaced_by_their_compatible_form(text, tokens):
    assert name_tokens(text) == tokens.split(" ")


@pytest.mark.parametrize("text", ["", " ", "?!", "...", "'’", "-–—", "\u200d\ufe0f", "\u0301", "ㅤ"])
def test_without_letters_digits_and_symbols_there_are_no_tokens(text):
    assert name_tokens(text) == []


@pytest.mark.parametrize(
    ("text", "n_tokens"),
    [
        ("a" * 10_000, 1),
        ("a." * 5_000, 1),
        ("a. " * 3_333, 3_333),
        ("'s" * 5_000, 1),
        ("'" * 10_000, 0),
        ("." * 10_000, 0),
        ("é" * 10_000, 1),
        ("中" * 10_000, 10_000),
        ("&" * 10_000, 10_000),
    ],
)
def test_long_names_are_split_into_tokens(text, n_tokens):
    assert len(name_tokens(text)) == n_tokens


@given(text=any_text)
def test_composed_and_decomposed_texts_have_the_same_tokens(text):
    tokens = name_tokens(text)
    assert name_tokens(normalize("NFC", text)) == tokens
    assert name_tokens(normalize("NFD", text)) == tokens


@given(text=any_text)
@example("ᄀ'ᅡ")  # without the apostrophe, the two letters compose into one
@example("и'\u0306")
@example("ẜ")  # without its stroke it is a long s, whose compatible form is s
def test_tokens_are_not_split_again(text):
    tokens = name_tokens(text)
    assert name_tokens(" ".join(tokens)) == tokens
    assert all(tokens)


@given(text=any_text)
def test_tokens_contain_no_separators(text):
    for token in name_tokens(text):
        kinds = {category(character)[0] for character in token}
        assert kinds <= {"L", "M", "N"} or len(token) == 1
        assert kinds & {"L", "N", "S", "P"}


def test_latin_and_greek_letters_lose_their_marks():
    for code in range(sys.maxunicode + 1):
        unicode_name = name(chr(code), "")
        if unicode_name.startswith(("LATIN ", "GREEK ")) and category(chr(code))[0] == "L":
            tokens = name_tokens(chr(code))
            assert name_tokens(" ".join(tokens)) == tokens
            assert all(normalize("NFD", token) == token for token in tokens), unicode_name


def test_folding_removes_case():
    assert [fold_case(token) for token in ("McDonald", "ΣΊΣΥΦΟΣ", "Straße", "北")] == [
        "mcdonald",
        "σίσυφοσ",
        "strasse",
        "北",
    ]


def test_texts_are_read_from_a_column_or_from_the_items():
    table = {"name": ["Ann", None, "", float("nan")], "town": ["Rome", "Bonn", "Oslo", "Bern"]}
    assert item_texts(ItemSet(table), "name", "Caller") == ["Ann", None, None, None]
    assert item_texts(ItemSet(table), "town", "Caller") == ["Rome", "Bonn", "Oslo", "Bern"]
    assert item_texts(ItemSet(["Ann", None]), "unused", "Caller") == ["Ann", None]
    assert item_texts(ItemSet([]), "name", "Caller") == []


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ({"town": ["Rome"]}, "no column 'name'; the columns are town"),
        ({"name": ["Ann", 5]}, "name of item 1 is 5, not a string; give a string, or None"),
        ([{"name": "Ann"}], "item 0 is {'name': 'Ann'}, not a string; give a string, or None"),
        (np.ones((2, 2)), "Caller compares columns, but the items are vectors; give a data frame"),
    ],
)
def test_items_without_texts_are_refused(items, message):
    with pytest.raises(FeatureError, match=message):
        item_texts(ItemSet(items), "name", "Caller")
