"""Texts and numbers as HTML."""

import re
from html import escape
from itertools import accumulate
from math import isfinite

NO_VALUE = "–"
"""The text in place of a missing value."""

NAME_BYTES = 200
"""Default limit of the bytes of a text, for names, facts and ids."""

# Control characters, marks that change the direction of writing, characters without width, and
# halves of surrogate pairs. Joiners are not among them, because some scripts need them.
_INVISIBLE = re.compile(
    "\r\n|[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]"
)
_REPLACEMENTS = {"\r\n": "↵", "\n": "↵", "\r": "↵", "\t": " "}


def replace_invisible(text: str) -> str:
    r"""Replace invisible characters by visible ones.

    >>> replace_invisible("Ann\nLee \u202e")
    'Ann↵Lee ⟨U+202E⟩'
    """
    return _INVISIBLE.sub(
        lambda match: _REPLACEMENTS.get(match[0]) or f"⟨U+{ord(match[0]):04X}⟩", text
    )


def shorten(text: str, limit: int) -> tuple[str, bool]:
    """Return the start of a text, at most `limit` bytes of HTML, and whether it is the full text.

    >>> shorten("a < b", 6)
    ('a <', False)
    """
    visible = replace_invisible(text[:limit])
    ends = accumulate(len(escape(character, quote=False).encode()) for character in visible)
    n_characters = sum(end <= limit for end in ends)
    is_complete = n_characters == len(visible) and len(text) <= limit
    return visible[:n_characters], is_complete


def text_html(text: str, limit: int = NAME_BYTES) -> str:
    """Return a text as HTML: special characters are escaped, and long texts are cut.

    >>> text_html("<b>" + 1000 * "x", 12)
    '&lt;b&gt;xxx…'
    """
    start, is_complete = shorten(text, limit)
    return escape(start) + ("" if is_complete else "…")


def isolated_html(text: str) -> str:
    """Return a text as HTML whose direction of writing does not affect the text around it."""
    return f"<bdi>{text_html(text)}</bdi>"


def number_html(value: float | None) -> str:
    """Return a number with three decimals, or fewer if it is large.

    >>> [number_html(value) for value in (0.98765, -0.5, -0.0001, 12.345, 4321.0, None)]
    ['0.988', '−0.500', '0.000', '12.3', '4,321', '–']
    """
    if value is None or not isfinite(value):
        return NO_VALUE
    if abs(value) >= 1e15:
        return f"{value:.3g}".replace("-", "−")
    places = 3 if abs(value) < 10 else 1 if abs(value) < 1000 else 0
    rounded = round(value, places) + 0.0  # adding 0 turns −0 into 0
    return f"{rounded:,.{places}f}".replace("-", "−")
