"""Views of a column: its whole values, or one word or number of each."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

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


def is_natural(texts: Sequence[str], plain: Sequence[str]) -> bool:
    """Return whether values are e-mail addresses, or are made of words that tell them apart.

    Such values may well be equal in all rows of an entity, and in no others. In names that are made
    up from a label, such as "C-123", words alone do not tell values apart.
    """
    if are_emails(texts):
        return True
    values = {text for text in plain if text}
    words = {text: _long_words(text) for text in values}
    n_words = sum(map(len, words.values())) / max(len(values), 1)
    return n_words >= 1.5 and len({tuple(parts) for parts in words.values()}) >= 0.6 * len(values)


def _long_words(text: str) -> list[str]:
    return [word for word in text.split() if len(word) > 2 and word.isalpha()]


def are_emails(texts: Sequence[str]) -> bool:
    """Return whether values are e-mail addresses, whose parts are often unique."""
    return share("@" in text for text in texts if text.strip()) > 0.5
