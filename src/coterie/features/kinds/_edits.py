"""Edit similarities of pairs of texts, computed in batches by rapidfuzz."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import JaroWinkler

from coterie._core.arrays import Floats, Ints
from coterie._core.texts import first_characters

EDIT_MEASURES = ("Jaro-Winkler", "edit ratio")
"""The names of the similarities that `edit_similarities` returns."""

Texts: TypeAlias = NDArray[Any]
"""An array of objects, all of them texts."""


def truncate(texts: Iterable[str]) -> Texts:
    """Return the part of each text that is compared character by character."""
    return np.array(list(map(first_characters, texts)), dtype=object)


def edit_similarities(texts: Texts, left: Ints, right: Ints) -> list[Floats]:
    """Return the Jaro-Winkler similarity and the edit ratio of pairs of texts, from 0 to 1.

    The edit ratio of two texts is 2c / (m + n), where m and n are their lengths and c is the length
    of their longest common subsequence.
    """
    first, second = texts[left].tolist(), texts[right].tolist()
    return [
        process.cpdist(first, second, scorer=JaroWinkler.normalized_similarity, dtype=np.float64),
        process.cpdist(first, second, scorer=fuzz.ratio, dtype=np.float64) / 100.0,
    ]


def word_set_similarities(texts: Texts, left: Ints, right: Ints) -> Floats:
    """Return the similarity of the word sets of pairs of texts, from 0 to 1.

    It is 1 if all words of one text occur in the other: rapidfuzz's `token_set_ratio`.
    """
    first, second = texts[left].tolist(), texts[right].tolist()
    ratios: Floats = process.cpdist(first, second, scorer=fuzz.token_set_ratio, dtype=np.float64)
    return ratios / 100.0
