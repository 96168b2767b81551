"""Tokens of names in any script, and the names or other texts of an item set."""

import re
from collections.abc import Iterator
from enum import Enum, auto
from functools import lru_cache
from itertools import groupby
from typing import Any
from unicodedata import category, lookup, name, normalize

from coterie.exceptions import FeatureError
from coterie.features.columns import column_of, is_missing
from coterie.items import ItemSet

APOSTROPHES = frozenset("'’‘‛`´ʻʼʽʾʿ׳״")
"""Apostrophes, which do not split words: O'Brien, Hawaiʻi and ʿAlī are one token each."""

SYMBOLS = frozenset("&@#%‰§¶")
"""Symbols that are tokens, although Unicode classifies them as punctuation."""

DIVIDERS = frozenset("\u2044\u2212\u2800")
"""A fraction slash, a minus and a blank: they split words, although Unicode calls them symbols."""

INVISIBLE = frozenset("\u034f\u0640\u115f\u1160")
"""A joiner, an Arabic stretcher and two Korean fillers, dropped like format characters."""

IDEOGRAPHS = (
    "CJK UNIFIED IDEOGRAPH",
    "CJK COMPATIBILITY IDEOGRAPH",
    "IDEOGRAPHIC ITERATION MARK",
    "IDEOGRAPHIC NUMBER ZERO",
)
"""Beginnings of the Unicode names of characters that are tokens by themselves."""

CACHED_CHARACTERS = 2**16
"""Number of characters whose properties are cached."""

_POSSESSIVE = re.compile(r"(?:(?<=[^'.])|(?<=[^'.]\.))'+[sS](?='*(?:\.|$))")


class CharacterRole(Enum):
    """The role of a character in a name."""

    INVISIBLE = auto()
    """Dropped."""
    MARK = auto()
    """An accent or another mark, which belongs to the character before it."""
    KEEPS_MARKS = auto()
    """A letter whose marks are parts of it, as in Arabic or Devanagari."""
    DROPS_MARKS = auto()
    """Any other character, such as a Latin letter; marks after it are dropped."""


def name_tokens(text: str) -> list[str]:
    """Return the tokens of a name, with case kept.

    Characters are normalised to NFKC, and invisible ones dropped. White space, dashes and
    punctuation separate words; a symbol or a Han character is a token by itself. Initials that are
    separated by periods alone are one token. A possessive 's and apostrophes are dropped, and so
    are the marks of Latin and Greek letters; in other scripts marks are parts of the letters and
    stay. Joining the tokens with blanks and splitting again returns the same tokens.

    >>> name_tokens("José O’Brien-Smith's U.S. ﬁrm & J. F. Kennedy Corp.")
    ['Jose', 'OBrien', 'Smith', 'US', 'firm', '&', 'J', 'F', 'Kennedy', 'Corp']
    >>> name_tokens("Ｔｏｙｏｔａ 豊田 トヨタ Андрей नई दिल्ली")
    ['Toyota', '豊', '田', 'トヨタ', 'Андрей', 'नई', 'दिल्ली']
    >>> name_tokens("?!")
    []
    """
    separated = "".join(map(_isolate_symbol, normalize("NFC", text)))
    words = _simplify_characters(normalize("NFKC", separated)).split()
    # Dropping a character may bring letters together that NFKC composes into one.
    return [normalize("NFKC", token) for word in words for token in _split_at_periods(word)]


def fold_case(token: str) -> str:
    """Return a form of a token that is the same for all tokens that differ only in case.

    >>> fold_case("STRASSE") == fold_case("Straße")
    True
    """
    return token.casefold()


def item_texts(item_set: ItemSet, column: str, caller: str) -> list[str | None]:
    """Return one name or other text per item, None where it is missing.

    The texts are those of a column, or the items themselves if these are texts. Errors say that
    `caller`, such as a featurizer, needs the column.

    >>> item_texts(ItemSet({"name": ["Ann", ""]}), "name", "SoftTFIDF")
    ['Ann', None]
    >>> item_texts(ItemSet(["Ann", "Bob"]), "name", "SoftTFIDF")
    ['Ann', 'Bob']
    """
    if not len(item_set):
        return []
    are_texts = isinstance(item_set.items, tuple)
    values = (
        item_set.items if are_texts else column_of(item_set.items, column, caller, FeatureError)
    )
    return [
        _as_text(value, f"item {i}" if are_texts else f"{column} of item {i}")
        for i, value in enumerate(values)
    ]


def _as_text(value: Any, location: str) -> str | None:
    if is_missing(value):
        return None
    if not isinstance(value, str):
        raise FeatureError(
            f"{location} is {value!r}, not a string; give a string, or None if it is missing"
        )
    return value


@lru_cache(CACHED_CHARACTERS)
def _isolate_symbol(character: str) -> str:
    """Put blanks around a symbol that NFKC turns into letters or digits, such as ™ or ½.

    Without them Cola™ would be the word ColaTM, and 5½ would be 51⁄2.
    """
    if character == "´":  # NFKC would make a blank and a mark of it
        return "'"
    normal_form = normalize("NFKC", character)
    is_changed_symbol = category(character)[0] == "S" and normal_form != character
    is_fraction = "\u2044" in normal_form
    return f" {normal_form} " if is_changed_symbol or is_fraction else character


def _simplify_characters(text: str) -> str:
    """Reduce a text to letters with the marks they keep, digits, symbols, ' . and blanks."""
    characters = []
    keeps_marks = False
    for character in text:
        role, spelling = _classify_character(character)
        is_dropped_mark = role is CharacterRole.MARK and not keeps_marks
        if role is CharacterRole.INVISIBLE or is_dropped_mark:
            continue
        keeps_marks = role is not CharacterRole.DROPS_MARKS
        characters.append(spelling)
    return "".join(characters)


@lru_cache(CACHED_CHARACTERS)
def _classify_character(character: str) -> tuple[CharacterRole, str]:
    """Return the role of a character, and the text that replaces it."""
    class_, unicode_name = category(character), name(character, "")
    if class_ == "Cf" or character in INVISIBLE or "VARIATION SELECTOR" in unicode_name:
        return CharacterRole.INVISIBLE, ""
    if class_[0] == "M":
        return CharacterRole.MARK, character
    if character in APOSTROPHES:
        return CharacterRole.DROPS_MARKS, "'"
    if unicode_name.startswith(IDEOGRAPHS) or _is_symbol(character, class_):
        return CharacterRole.DROPS_MARKS, f" {character} "
    if class_[0] == "L":
        return _classify_letter(character, unicode_name)
    is_word_part = class_[0] == "N" or character == "."
    return CharacterRole.DROPS_MARKS, character if is_word_part else " "


def _classify_letter(letter: str, unicode_name: str) -> tuple[CharacterRole, str]:
    if unicode_name.startswith(("LATIN ", "GREEK ")):
        return CharacterRole.DROPS_MARKS, _strip_marks(letter)
    return CharacterRole.KEEPS_MARKS, letter


def _is_symbol(character: str, class_: str) -> bool:
    """Return whether a character is a token by itself, such as & or €.

    Modifiers (Unicode class Sk), such as ^ or the skin tone of an emoji, are not.
    """
    return (class_ in ("Sc", "Sm", "So") and character not in DIVIDERS) or character in SYMBOLS


def _strip_marks(letter: str) -> str:
    """Return a Latin or Greek letter without its marks.

    Unicode names also reveal the marks of letters that do not decompose, such as ł ("LATIN SMALL
    LETTER L WITH STROKE"), so that Łódź becomes Lodz. Letters without a plain form, such as æ, ß, þ
    and ı, stay.
    """
    plain, _, marks = name(letter).partition(" WITH ")
    try:
        return normalize("NFKC", lookup(plain)) if marks else letter
    except KeyError:  # what comes before WITH is not the name of a letter
        return letter


def _split_at_periods(word: str) -> Iterator[str]:
    """Split a word at periods, but join initials; drop a possessive 's and apostrophes."""
    pieces = _POSSESSIVE.sub("", word).replace("'", "").split(".")
    for are_initials, group in groupby(pieces, _is_initial):
        run = list(group)
        yield from ["".join(run)] if are_initials else filter(None, run)


def _is_initial(piece: str) -> bool:
    """Return whether a text is a single letter, perhaps with marks."""
    return piece[:1].isalpha() and all(category(mark)[0] == "M" for mark in piece[1:])
