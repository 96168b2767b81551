"""Names of a few words: of people, products, works and places."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie.features.kinds._edits import EDIT_MEASURES, edit_similarities, word_set_similarities
from coterie.features.kinds._words import WordKind
from coterie.features.kinds.base import EncodedColumn
from coterie.features.kinds.profile import Profile

MAX_WORDS = 12
"""The largest mean number of words of names; longer values are texts."""


@dataclass(frozen=True, eq=False)
class Name(WordKind):
    """Compare names by their spelling and by the rarity of shared words, codes and acronyms."""

    word: ClassVar = "name"
    measures: ClassVar = (*EDIT_MEASURES, "words as sets", *WordKind.measures)

    @classmethod
    def likeness(cls, profile: Profile) -> float:
        """Return how well a column fits: values of more than one word, but not of many."""
        return 0.5 if 1.2 < profile.n_words <= MAX_WORDS else 0.0

    def _measure(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        texts = encoded.extra.texts
        spelling = *edit_similarities(texts, left, right), word_set_similarities(texts, left, right)
        return np.column_stack([*spelling, super()._measure(encoded, left, right)])
