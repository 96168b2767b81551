"""What the words, codes and acronyms of two texts share, by how rare these are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.texts.acronyms import hash_acronyms, rarest_acronyms
from coterie._kernels.texts.tokens import (
    hash_codes,
    hash_trigrams,
    hash_words,
    hash_words_and_pairs,
)
from coterie.features.kinds._edits import Texts
from coterie.features.kinds._tokens import (
    NOTHING,
    Counted,
    KnownTokens,
    Tokens,
    Weighed,
    places_among,
)
from coterie.features.kinds.base import EncodedColumn, Kind, ParsedColumn

_SAID = (
    "rarity of shared {}",
    "rarest shared {}",
    "rarity of {} of the poorer alone",
    "rarity of {} of the richer alone",
    "shared {} of the poorer",
    "shared {} of both",
)
COSINES = ("cosine of words", "cosine of trigrams")
AMONG_ROWS = tuple(said.format("words") for said in _SAID)
AMONG_ENTITIES = tuple(f"{said.format('phrases')}, among entities" for said in _SAID)
GRAMS = tuple(said.format("trigrams") for said in _SAID[4:])
CODES = tuple(said.format("codes") for said in _SAID[:3])
ACRONYMS = ("rarest acronym of words of the other", "rarest acronym, among entities")


class Acronyms(NamedTuple):
    """The words of a column that are initials of words in a row of each distinct text.

    Those of text i are `words[starts[i]:starts[i + 1]]`, ascending, each once.
    """

    starts: Ints
    words: Tokens

    @classmethod
    def of(cls, texts: Sequence[str], words: Counted) -> Self:
        """Find them among the words of the same texts."""
        spelled = Counted.of(texts, hash_acronyms)
        places, is_word = places_among(words.hashes, spelled.hashes)
        kept = is_word[spelled.tokens]
        starts = np.append(0, np.cumsum(kept))[spelled.starts]
        return cls(starts, places[spelled.tokens[kept]].astype(np.int32))

    def rarest(self, words: Weighed, left: Ints, right: Ints) -> list[Floats]:
        """Return how rare the rarest one is between two texts, among rows and entities."""
        own = words.starts, words.tokens, *self
        return [rarest_acronyms(*own, rarity, left, right) for rarity in words.rarities]


class More(NamedTuple):
    """What else is read of distinct texts: their beginnings, and the acronyms of their words."""

    texts: Texts
    acronyms: Acronyms


@dataclass(frozen=True, eq=False)
class Worded(Kind):
    """Compare texts of words: these by how rare they are, trigrams, codes and acronyms."""

    words: KnownTokens = NOTHING
    phrases: KnownTokens = NOTHING
    grams: KnownTokens = NOTHING
    codes: KnownTokens = NOTHING

    measures: ClassVar = (*COSINES, *AMONG_ROWS, *AMONG_ENTITIES, *GRAMS, *CODES, *ACRONYMS)
    splits: ClassVar = {
        "words": hash_words,
        "phrases": hash_words_and_pairs,
        "grams": hash_trigrams,
        "codes": hash_codes,
    }

    def read(self, texts: Sequence[str]) -> ParsedColumn:
        """Read the text of each row: what takes the time, and depends on nothing learned."""
        read = super().read(texts)
        acronyms = Acronyms.of(read.distinct.texts, read.tokens["words"])
        return read._replace(more=More(read.more, acronyms))

    def _measured(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        words = encoded.tokens["words"].overlaps(0, left, right)
        phrases = encoded.tokens["phrases"].overlaps(1, left, right)
        grams = encoded.tokens["grams"].overlaps(0, left, right)
        codes = encoded.tokens["codes"].overlaps(0, left, right)
        cosines = words[:, -1], grams[:, -1]
        own = words[:, :-1], phrases[:, :-1], grams[:, 4:-1], codes[:, : len(CODES)]
        acronyms = encoded.more.acronyms.rarest(encoded.tokens["words"], left, right)
        return np.column_stack([*cosines, *own, *acronyms])
