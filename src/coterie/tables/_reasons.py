"""Reasons in words: which fields of two rows agree."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rapidfuzz import fuzz, process

from coterie._arrays import Bools, Ints
from coterie._texts import plain_texts

SIMILAR = 80.0
"""From which edit ratio on two values are called similar, of 100."""

WORDS = ("equal", "similar", "different")


def reasons(columns: Mapping[str, Sequence[str]], left: Ints, right: Ints) -> list[str]:
    """Say of each pair of rows which fields are equal, similar and different; missing ones not.

    >>> reasons({"name": ["Ann Lee", "ann lee"], "town": ["Ulm", "Rome"]}, [0], [1])
    ['name equal; town different']
    """
    told: list[list[list[str]]] = [[[] for _ in WORDS] for _ in range(len(left))]
    for name, texts in columns.items():
        levels = _levels(texts, left, right)
        for own, level in zip(told, levels.tolist(), strict=True):
            if level >= 0:
                own[level].append(name)
    return ["; ".join(_said(own)) or "nothing to compare" for own in told]


def _said(fields: list[list[str]]) -> list[str]:
    return [f"{', '.join(own)} {word}" for own, word in zip(fields, WORDS, strict=True) if own]


def _levels(texts: Sequence[str], left: Any, right: Any) -> Ints:
    """Return the place of the word for each pair, −1 where a value is missing."""
    values = np.array(plain_texts(texts), dtype=object)
    first, second = values[left], values[right]
    there: Bools = (first != "") & (second != "")
    equal = first == second
    compared = np.flatnonzero(there & ~equal)
    alike = process.cpdist(
        first[compared].tolist(), second[compared].tolist(), scorer=fuzz.ratio, dtype=np.float64
    )
    levels = np.where(there, 0, -1)
    levels[compared] = np.where(alike >= SIMILAR, 1, 2)
    return levels
