import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coterie._core.texts import plain_text, plain_texts


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
