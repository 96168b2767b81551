"""Reasons in words: which fields of two rows agree."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rapidfuzz import fuzz, process

from coterie._core.arrays import Bools, Ints
from coterie.features.kinds.base import Kind
from coterie.features.records import Field

SIMILAR = 80.0
"""From which ratio on two values are called similar, of 100: of their letters or their words."""

WORDS = ("equal", "similar", "different")


def reasons(
    columns: Mapping[str, Sequence[str]], fields: Sequence[Field], left: Ints, right: Ints
) -> list[str]:
    """Say of each pair of rows which fields are equal, similar and different; missing ones not.

    >>> from coterie.features.kinds import Name, Short
    >>> rows = {"name": ["Ann Lee", "ann lee"], "town": ["Ulm", "Rome"]}
    >>> reasons(rows, [Field("name", Name()), Field("town", Short())], [0], [1])
    ['name equal; town different']
    """
    told: list[list[list[str]]] = [[[] for _ in WORDS] for _ in range(len(left))]
    for each in fields:
        levels = _levels(columns[each.column], each.kind, left, right)
        for own, level in zip(told, levels.tolist(), strict=True):
            if level >= 0:
                own[level].append(each.column)
    return ["; ".join(_said(own)) or "nothing to compare" for own in told]


def _said(fields: list[list[str]]) -> list[str]:
    return [f"{', '.join(own)} {word}" for own, word in zip(fields, WORDS, strict=True) if own]


def _levels(texts: Sequence[str], kind: Kind, left: Any, right: Any) -> Ints:
    """Return the place of the word for each pair, −1 where a value is missing."""
    distinct = kind.distinct(texts)
    values = np.array(distinct.texts, dtype=object)[distinct.of_rows]
    first, second = values[left], values[right]
    there: Bools = (first != "") & (second != "")
    equal = first == second
    compared = np.flatnonzero(there & ~equal)
    ones, others = first[compared].tolist(), second[compared].tolist()
    ratios = [
        process.cpdist(ones, others, scorer=scorer, dtype=np.float64)
        for scorer in (fuzz.ratio, fuzz.token_set_ratio)
    ]
    alike = np.max(ratios, axis=0) >= SIMILAR
    alike |= np.fromiter(map(_is_acronym, ones, others), np.bool_, len(ones))
    levels = np.where(there, 0, -1)
    levels[compared] = np.where(alike, 1, 2)
    return levels


def _is_acronym(one: str, other: str) -> bool:
    """Tell whether a text is the initials of the words of another: IBM, I B M."""
    return _initials(one) == other.replace(" ", "") or _initials(other) == one.replace(" ", "")


def _initials(text: str) -> str:
    words = text.split()
    return "".join(word[0] for word in words) if len(words) > 1 else ""
