"""Views of a column: its whole values, or one word or number of each."""

import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import TypeAlias

from coterie.features.kinds.date import NOT_A_DATE, date_of
from coterie.tables.leaks.answers import NUMBER, share

View: TypeAlias = Callable[[str], str | None]
"""Returns a part of a text in plain form; None if it has no such part."""


def _word(position: int) -> View:
    def view(text: str) -> str | None:
        words = text.split()
        return words[position] if -len(words) <= position < len(words) else None

    return view


def _number(position: int) -> View:
    def view(text: str) -> str | None:
        numbers = NUMBER.findall(text)
        return (numbers[position].lstrip("0") or "0") if numbers else None

    return view


FEW_EQUAL = 5.0
"""The number of equal dates by chance, from which on it is odd that there are none."""

WHOLE = "value"

VIEWS: dict[str, View] = {
    WHOLE: lambda text: text or None,
    "first number": _number(0),
    "last number": _number(-1),
    "first word": _word(0),
    "second word": _word(1),
    "last word": _word(-1),
    "last word but one": _word(-2),
}
"""The views by names that complete "two rows with the same …"."""


def is_natural(plain: Sequence[str]) -> bool:
    """Return whether values in plain form are made of words that tell them apart.

    Such values may well be equal in all rows of an entity, and in no others. In names that are made
    up from a label, such as "C-123", words alone do not tell values apart.
    """
    values = {text for text in plain if text}
    words = {text: _long_words(text) for text in values}
    n_words = sum(map(len, words.values())) / max(len(values), 1)
    return n_words >= 1.5 and len({tuple(parts) for parts in words.values()}) >= 0.6 * len(values)


_PHONE = re.compile(r"(?=(?:\D*\d){7,15}\D*$)(?:[+(0][\d()./ -]*|\d+[()./ -][\d()./ -]*)", re.ASCII)


def are_phone_numbers(texts: Sequence[str]) -> bool:
    """Return whether values have the form of telephone numbers: groups of digits, or a leading 0.

    >>> are_phone_numbers(["0427 991 9107", "+49301234"]), are_phone_numbers(["2001-02-03"])
    (True, False)
    """
    return (
        share(
            _PHONE.fullmatch(text.strip()) and date_of(text) == NOT_A_DATE
            for text in texts
            if text.strip()
        )
        > 0.5
    )


def are_scattered_dates(texts: Sequence[str]) -> bool:
    """Return whether values are dates so far apart that few would be equal by chance.

    Dates that were counted up from a label are close together, and yet all different.
    """
    values = {text for text in texts if text.strip()}
    days = [date(*parts).toordinal() for text in values if any(parts := date_of(text))]
    if not days or 2 * len(days) < len(values):
        return False
    n_equal = len(days) ** 2 / 2 / (max(days) - min(days) + 1)
    return n_equal < FEW_EQUAL


def _long_words(text: str) -> list[str]:
    return [word for word in text.split() if len(word) > 2 and word.isalpha()]


def are_emails(texts: Sequence[str]) -> bool:
    """Return whether values are e-mail addresses, whose parts are often unique."""
    return share("@" in text for text in texts if text.strip()) > 0.5
