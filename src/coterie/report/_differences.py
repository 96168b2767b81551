"""What differs between two texts, marked."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import accumulate, pairwise
from typing import TypeAlias

from rapidfuzz.distance import Levenshtein

Span: TypeAlias = tuple[int, int]
"""From the first character to the one behind the last; equal where something is left out."""

SHORT_TEXT = 64
"""Up to this length, texts are compared by characters, beyond by words."""

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_LEAST_SHARED = 0.5
_GAP = '<mark class="gap"></mark>'


def differences(text: str, other: str) -> list[Span]:
    """Return where a text has what another one has not, or lacks what that has.

    Short texts are compared by characters and long ones by words; what shares little with the other
    differs as a whole. The cost is bounded by the product of the lengths.

    >>> differences("Jane Smyth", "Jane Smith")
    [(7, 8)]
    >>> differences("Jon", "John")
    [(2, 2)]
    """
    if text == other:
        return []
    by_character = max(len(text), len(other)) <= SHORT_TEXT
    own, others = (list(each) if by_character else _WORDS.findall(each) for each in (text, other))
    edits = Levenshtein.opcodes(own, others)
    shared = (own[edit.src_start : edit.src_end] for edit in edits if edit.tag == "equal")
    if sum(map(_length, shared)) < _LEAST_SHARED * max(_length(own), _length(others)):
        return [(0, len(text))]
    at = [0, *accumulate(map(len, own))]
    return _merged(
        text, [(at[edit.src_start], at[edit.src_end]) for edit in edits if edit.tag != "equal"]
    )


def _length(pieces: Iterable[str]) -> int:
    """Count the characters but for blanks, which are alike everywhere."""
    return sum(len(piece) for piece in pieces if not piece.isspace())


def _merged(text: str, spans: Sequence[Span]) -> list[Span]:
    """Unite spans with hardly anything between, because confetti cannot be read."""
    merged = list(spans[:1])
    for before, after in pairwise(spans):
        between = text[before[1] : after[0]]
        if len(between) <= 1 or between.isspace():
            merged[-1] = merged[-1][0], after[1]
        else:
            merged.append(after)
    return merged


def marked(text: str, spans: Sequence[Span]) -> str:
    """Return a text as HTML, with marks on the spans.

    >>> marked("Jane Smyth", [(4, 4), (7, 8)])
    'Jane<mark class="gap"></mark> Sm<mark>y</mark>th'
    """
    html, at = [], 0
    for start, end in spans:
        html += [escape(text[at:start], quote=False), _mark(text[start:end])]
        at = end
    return "".join([*html, escape(text[at:], quote=False)])


def _mark(text: str) -> str:
    return f"<mark>{escape(text, quote=False)}</mark>" if text else _GAP
