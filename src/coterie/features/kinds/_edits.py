"""How many edits lie between two texts, by rapidfuzz in batches."""

from typing import Any

import numpy as np
from rapidfuzz import fuzz, process
from rapidfuzz.distance import JaroWinkler

from coterie._arrays import Floats, Ints

EDITS = ("Jaro-Winkler", "edit ratio")
"""The similarities that `edits` returns."""


def edits(texts: Any, left: Ints, right: Ints) -> list[Floats]:
    """Return the Jaro-Winkler similarity and the share of characters in common order."""
    first, second = texts[left].tolist(), texts[right].tolist()
    return [
        process.cpdist(first, second, scorer=JaroWinkler.normalized_similarity, dtype=np.float64),
        process.cpdist(first, second, scorer=fuzz.ratio, dtype=np.float64) / 100.0,
    ]


def token_sets(texts: Any, left: Ints, right: Ints) -> Floats:
    """Return how alike two texts are as sets of words, whatever one has beside."""
    first, second = texts[left].tolist(), texts[right].tolist()
    found: Floats = process.cpdist(first, second, scorer=fuzz.token_set_ratio, dtype=np.float64)
    return found / 100.0
