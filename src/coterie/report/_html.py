"""Texts and numbers as they stand on the page."""

import re
from html import escape
from itertools import accumulate
from math import isfinite

NOTHING = "–"
"""Stands where there is no number."""

SHORT = 200
"""The most bytes of a name, a fact or an id."""

# Controls, what turns the direction of writing, what has no width, and halves of characters; but
# not the joiners, which some scripts need.
_UNSEEN = re.compile(
    "\r\n|[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]"
)
_SIGNS = {"\r\n": "↵", "\n": "↵", "\r": "↵", "\t": " "}


def visible(text: str) -> str:
    r"""Return a text in which what cannot be seen is written out.

    >>> visible("Ann\nLee \u202e")
    'Ann↵Lee ⟨U+202E⟩'
    """
    return _UNSEEN.sub(lambda found: _SIGNS.get(found[0]) or f"⟨U+{ord(found[0]):04X}⟩", text)


def shortened(text: str, limit: int) -> tuple[str, bool]:
    """Return the start of a text that takes at most `limit` bytes of the page, and if all is there.

    >>> shortened("a < b", 6)
    ('a <', False)
    """
    seen = visible(text[:limit])
    sizes = accumulate(len(escape(sign, quote=False).encode()) for sign in seen)
    fitting = sum(size <= limit for size in sizes)
    return seen[:fitting], fitting == len(seen) and len(text) <= limit


def written(text: str, limit: int = SHORT) -> str:
    """Return a text for the page: what means something in HTML is escaped, and no text is long.

    >>> written("<b>" + 1000 * "x", 12)
    '&lt;b&gt;xxx…'
    """
    shown, is_whole = shortened(text, limit)
    return escape(shown) + ("" if is_whole else "…")


def isolated(text: str) -> str:
    """Return a text for the midst of a sentence, whose direction of writing ends with it."""
    return f"<bdi>{written(text)}</bdi>"


def figure(value: float | None) -> str:
    """Return a number with three decimals, or fewer where it is large.

    >>> [figure(value) for value in (0.98765, -0.5, 12.345, 4321.0, None)]
    ['0.988', '−0.500', '12.3', '4,321', '–']
    """
    if value is None or not isfinite(value):
        return NOTHING
    if abs(value) >= 1e15:
        return f"{value:.3g}".replace("-", "−")
    places = 3 if abs(value) < 10 else 1 if abs(value) < 1000 else 0
    return f"{value:,.{places}f}".replace("-", "−")
