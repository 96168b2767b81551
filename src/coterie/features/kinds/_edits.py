"""How many edits lie between two texts, by rapidfuzz in batches."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import JaroWinkler

from coterie._core.arrays import Floats, Ints

EDITS = ("Jaro-Winkler", "edit ratio")
"""The similarities that `edits` returns."""

MOST_CHARACTERS = 2000
"""How much of a text is compared: time grows as the square, and a cell may hold a book."""

Texts: TypeAlias = NDArray[Any]
"""An array of objects, all texts."""


def beginnings(texts: Iterable[str]) -> Texts:
    """Return of each text what is compared."""
    return np.array([text[:MOST_CHARACTERS] for text in texts], dtype=object)


def edits(texts: Texts, left: Ints, right: Ints) -> list[Floats]:
    """Return the Jaro-Winkler similarity and the share of characters in common order."""
    first, second = texts[left].tolist(), texts[right].tolist()
    return [
        process.cpdist(first, second, scorer=JaroWinkler.normalized_similarity, dtype=np.float64),
        process.cpdist(first, second, scorer=fuzz.ratio, dtype=np.float64) / 100.0,
    ]


def token_sets(texts: Texts, left: Ints, right: Ints) -> Floats:
    """Return how alike two texts are as sets of words, whatever one has beside."""
    first, second = texts[left].tolist(), texts[right].tolist()
    found: Floats = process.cpdist(first, second, scorer=fuzz.token_set_ratio, dtype=np.float64)
    return found / 100.0
