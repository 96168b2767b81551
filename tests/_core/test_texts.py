from itertools import groupby
from unicodedata import combining, normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coterie._core.texts import MAX_MARKS, limit_marks, plain_text, plain_texts
from coterie.features.kinds._folding import fold_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (" \t\n", ""),
        ("Ann", "ann"),
        ("a_b-c.d", "a b c d"),
        ("STRASSE", plain_text("Straße")),
        ("José", "jose"),
        ("Jose\u0301", "jose"),
        ("Ｔｏｙｏｔａ", "toyota"),
        ("Smørgåsbord", "smorgasbord"),
        ("İstanbul", "istanbul"),
        ("ﬁrm²", "firm2"),
        ("co\u00adop\u200b", "coop"),
        ("٤٢", "42"),
        ("ガ", "ガ"),
        ("한국", "한국"),
        ("a\x00b", "a b"),
    ],
)
def test_texts_are_normalized(text, expected):
    assert plain_text(text) == expected


@given(st.text(max_size=20))
@example("\u0345a")
@example("ẞ\u0307")
@example("ﷺ")
def test_normalizing_twice_changes_nothing(text):
    once = plain_text(text)
    assert plain_text(once) == once
    assert once == once.strip()
    assert "  " not in once


@given(st.text(max_size=20))
def test_case_and_compatible_forms_do_not_matter(text):
    assert plain_text(text.casefold()) == plain_text(text)


@given(st.lists(st.text(max_size=3)))
def test_many_texts_are_normalized_like_single_ones(texts):
    assert plain_texts(texts) == [plain_text(text) for text in texts]


MARKED = {
    "accents": "a" + "\u0301\u0316" * 5_000,
    "vowel signs": "\u0915" + "\u094d\u093c" * 5_000,
    "marks between which a character is dropped": "\u0915" + "\u094d\u093c\u200d" * 5_000,
    "characters that decompose into marks": "\u0f40" + "\u0f73" * 5_000,
    "compatible marks": "\u30ab" + "\uff9e\u0301" * 5_000,
}


def longest_run_of_marks(text):
    runs = groupby(text, lambda character: combining(character) != 0)
    return max((len(list(run)) for is_mark, run in runs if is_mark), default=0)


@pytest.mark.parametrize("name", MARKED)
@pytest.mark.parametrize("plain", [plain_text, fold_text])
def test_no_text_with_many_marks_in_a_row_is_normalized(name, plain, monkeypatch):
    """The time of `normalize` is quadratic in the length of the longest run."""
    runs = []

    def normalize_and_count(form, text):
        # A decomposed text shows the runs that the function sorts.
        pieces = [normalize("NFKD", character) for character in text]
        runs.append(longest_run_of_marks("".join(pieces)))
        return normalize(form, text)

    monkeypatch.setattr("coterie._core.texts.normalize", normalize_and_count)
    monkeypatch.setattr("coterie.features.kinds._folding.normalize", normalize_and_count)
    text = plain(MARKED[name])
    assert plain(text) == text
    assert 0 < max(runs) <= 3 * MAX_MARKS


def test_marks_of_ordinary_texts_are_not_limited():
    text = normalize("NFD", "Phở Điện Biên, Crème brûlée, नई दिल्ली. ") * 100
    assert limit_marks(text) == text
    assert limit_marks("x" * 5_000) == "x" * 5_000
