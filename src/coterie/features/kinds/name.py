"""Names of some words: of people, products, works and places."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie.features.kinds._edits import EDITS, edits, token_sets
from coterie.features.kinds._words import Worded
from coterie.features.kinds.base import EncodedColumn
from coterie.features.kinds.profile import Profile

MOST_WORDS = 12


@dataclass(frozen=True, eq=False)
class Name(Worded):
    """Compare names: their spelling, their words by how rare these are, codes and acronyms."""

    word: ClassVar = "name"
    measures: ClassVar = (*EDITS, "words as sets", *Worded.measures)

    @classmethod
    def likeness(cls, profile: Profile) -> float:
        """Values of several words, but not of many."""
        return 0.5 if 1.2 < profile.n_words <= MOST_WORDS else 0.0

    def _measured(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        texts = encoded.more.texts
        spelling = *edits(texts, left, right), token_sets(texts, left, right)
        return np.column_stack([*spelling, super()._measured(encoded, left, right)])
