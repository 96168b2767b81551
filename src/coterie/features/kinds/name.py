"""Names of some words: of people, products, works and places."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie._arrays import Floats, Ints
from coterie._kernels.tokens import in_codes, in_trigrams, in_word_pairs, in_words
from coterie.features.kinds._base import Encoded, Kind
from coterie.features.kinds._edits import EDITS, edits, token_sets
from coterie.features.kinds._overlaps import OVERLAPS, overlaps_of
from coterie.features.kinds._profile import Profile
from coterie.features.kinds._tokens import NOTHING, KnownTokens

MOST_WORDS = 12


@dataclass(frozen=True, eq=False)
class Name(Kind):
    """Compare names: their spelling, their words by how rare these are, and the codes in them."""

    words: KnownTokens = NOTHING
    phrases: KnownTokens = NOTHING
    grams: KnownTokens = NOTHING
    codes: KnownTokens = NOTHING

    word: ClassVar = "name"
    measures: ClassVar = (*EDITS, "words as sets", *OVERLAPS)
    splits: ClassVar = {
        "words": in_words,
        "phrases": in_word_pairs,
        "grams": in_trigrams,
        "codes": in_codes,
    }

    @classmethod
    def likeness(cls, profile: Profile) -> float:
        """Values of several words, but not of many."""
        return 0.5 if 1.2 < profile.n_words <= MOST_WORDS else 0.0

    def _measured(self, encoded: Encoded, left: Ints, right: Ints) -> Floats:
        return np.column_stack(
            [
                *edits(encoded.read, left, right),
                token_sets(encoded.read, left, right),
                overlaps_of(encoded, left, right),
            ]
        )
