"""Tokens of names in any script, and names of item sets."""

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
"""Stand inside words without parting them, as in O'Brien, Hawaiʻi and ʿAlī."""

SYMBOLS = frozenset("&@#%‰§¶")
"""Stand for words, though Unicode has them as punctuation."""

DIVIDERS = frozenset("\u2044\u2212\u2800")
"""A fraction's slash, a minus and a blank, which Unicode has as symbols but are no words."""

UNSEEN = frozenset("\u034f\u0640\u115f\u1160")
"""A joiner, an Arabic stretcher and two Korean fillers: to be dropped as format characters are."""

IDEOGRAPHS = (
    "CJK UNIFIED IDEOGRAPH",
    "CJK COMPATIBILITY IDEOGRAPH",
    "IDEOGRAPHIC ITERATION MARK",
    "IDEOGRAPHIC NUMBER ZERO",
)
"""How the names of what is a word by itself begin."""

KNOWN_CHARACTERS = 2**16
"""How many characters are remembered once they were looked up."""

_POSSESSIVE = re.compile(r"(?:(?<=[^'.])|(?<=[^'.]\.))'+[sS](?='*(?:\.|$))")


class CharacterRole(Enum):
    """What a character does in a word."""

    UNSEEN = auto()
    MARK = auto()
    MARKED = auto()
    """A letter that keeps the marks behind it."""
    BARE = auto()
    """Anything else; marks behind it are dropped."""


def name_tokens(text: str) -> list[str]:
    """Return the tokens of a name, with case kept.

    Characters are taken in their compatible form (NFKC), without invisible ones. White space,
    dashes and punctuation part words; a symbol or a Han character is a token by itself. Initials
    with periods and no blanks between are one token. A possessive 's and apostrophes are dropped,
    and so are the marks of Latin and Greek letters; in other scripts marks are parts of the letters
    and stay. The tokens with blanks between have the same tokens again.

    >>> name_tokens("José O’Brien-Smith's U.S. ﬁrm & J. F. Kennedy Corp.")
    ['Jose', 'OBrien', 'Smith', 'US', 'firm', '&', 'J', 'F', 'Kennedy', 'Corp']
    >>> name_tokens("Ｔｏｙｏｔａ 豊田 トヨタ Андрей नई दिल्ली")
    ['Toyota', '豊', '田', 'トヨタ', 'Андрей', 'नई', 'दिल्ली']
    >>> name_tokens("?!")
    []
    """
    apart = "".join(map(_set_apart, normalize("NFC", text)))
    words = _spelled(normalize("NFKC", apart)).split()
    # What was dropped may have stood between letters that are written as one.
    return [normalize("NFKC", token) for word in words for token in _tokens_of(word)]


def fold_case(token: str) -> str:
    """Return what tokens that differ in case only have in common.

    >>> fold_case("STRASSE") == fold_case("Straße")
    True
    """
    return token.casefold()


def item_texts(item_set: ItemSet, column: str, asker: str) -> list[str | None]:
    """Return the name of each item: in a column, or the items themselves; None where it is missing.

    >>> item_texts(ItemSet({"name": ["Ann", ""]}), "name", "SoftTFIDF")
    ['Ann', None]
    >>> item_texts(ItemSet(["Ann", "Bob"]), "name", "SoftTFIDF")
    ['Ann', 'Bob']
    """
    if not len(item_set):
        return []
    plain = isinstance(item_set.items, tuple)
    values = item_set.items if plain else column_of(item_set.items, column, asker, FeatureError)
    return [
        _as_name(value, f"item {number}" if plain else f"{column} of item {number}")
        for number, value in enumerate(values)
    ]


def _as_name(value: Any, place: str) -> str | None:
    if is_missing(value):
        return None
    if not isinstance(value, str):
        raise FeatureError(f"{place} is {value!r}; give a text, or None")
    return value


@lru_cache(KNOWN_CHARACTERS)
def _set_apart(character: str) -> str:
    """Keep a symbol that is written in letters, such as ™, from the word beside it; 5½ is 5 1⁄2."""
    if character == "´":  # else a blank with a mark
        return "'"
    plain = normalize("NFKC", character)
    symbol = category(character)[0] == "S" and plain != character
    return f" {plain} " if symbol or "\u2044" in plain else character


def _spelled(text: str) -> str:
    """Write a text in letters with their marks, digits, apostrophes, periods and blanks."""
    written = []
    keeps_marks = False
    for character in text:
        part, plain = _read(character)
        if part is CharacterRole.UNSEEN or (part is CharacterRole.MARK and not keeps_marks):
            continue
        keeps_marks = part is not CharacterRole.BARE
        written.append(plain)
    return "".join(written)


@lru_cache(KNOWN_CHARACTERS)
def _read(character: str) -> tuple[CharacterRole, str]:
    """Return what a character does, and how it is written."""
    kind, called = category(character), name(character, "")
    if kind == "Cf" or character in UNSEEN or "VARIATION SELECTOR" in called:
        return CharacterRole.UNSEEN, ""
    if kind[0] == "M":
        return CharacterRole.MARK, character
    if character in APOSTROPHES:
        return CharacterRole.BARE, "'"
    if called.startswith(IDEOGRAPHS) or _is_symbol(character, kind):
        return CharacterRole.BARE, f" {character} "
    if kind[0] == "L":
        latin = called.startswith(("LATIN ", "GREEK "))
        return (
            (CharacterRole.BARE, _without_marks(character))
            if latin
            else (CharacterRole.MARKED, character)
        )
    return CharacterRole.BARE, character if kind[0] == "N" or character == "." else " "


def _is_symbol(character: str, kind: str) -> bool:
    """Tell what can stand for a word; a modifier (Sk), such as ^ or a tone of skin, cannot."""
    return (kind in ("Sc", "Sm", "So") and character not in DIVIDERS) or character in SYMBOLS


def _without_marks(letter: str) -> str:
    """Return a Latin or Greek letter without marks.

    The name tells it also of letters that do not decompose, such as ł ("… L WITH STROKE"), so that
    Łódź is Lodz. Letters of their own, such as æ, ß, þ and ı, stay as they are.
    """
    plain, _, marks = name(letter).partition(" WITH ")
    try:
        return normalize("NFKC", lookup(plain)) if marks else letter
    except KeyError:  # the name of no letter
        return letter


def _tokens_of(word: str) -> Iterator[str]:
    """Split at periods but between initials; drop a possessive and apostrophes."""
    pieces = _POSSESSIVE.sub("", word).replace("'", "").split(".")
    for initials, run in groupby(pieces, _is_initial):
        found = list(run)
        yield from ["".join(found)] if initials else filter(None, found)


def _is_initial(piece: str) -> bool:
    """Tell one letter, perhaps with marks."""
    return piece[:1].isalpha() and all(category(mark)[0] == "M" for mark in piece[1:])
