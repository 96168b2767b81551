"""Free texts: descriptions, addresses in one line, abstracts."""

from dataclasses import dataclass
from typing import ClassVar

from coterie._arrays import Floats, Ints
from coterie._kernels.tokens import in_codes, in_trigrams, in_word_pairs, in_words
from coterie.features.kinds._base import Encoded, Kind
from coterie.features.kinds._overlaps import OVERLAPS, overlaps_of
from coterie.features.kinds._profile import Profile
from coterie.features.kinds._tokens import NOTHING, KnownTokens
from coterie.features.kinds.name import MOST_WORDS


@dataclass(frozen=True, eq=False)
class Text(Kind):
    """Compare long texts: their words by how rare these are, trigrams, and the codes in them."""

    words: KnownTokens = NOTHING
    phrases: KnownTokens = NOTHING
    grams: KnownTokens = NOTHING
    codes: KnownTokens = NOTHING

    word: ClassVar = "text"
    measures: ClassVar = OVERLAPS
    splits: ClassVar = {
        "words": in_words,
        "phrases": in_word_pairs,
        "grams": in_trigrams,
        "codes": in_codes,
    }

    @classmethod
    def likeness(cls, profile: Profile) -> float:
        """Values of many words."""
        return 0.5 if profile.n_words > MOST_WORDS else 0.0

    def _measured(self, encoded: Encoded, left: Ints, right: Ints) -> Floats:
        return overlaps_of(encoded, left, right)
