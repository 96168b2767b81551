"""Comparisons of texts by the rarity of the words, codes and acronyms that they share."""

from collections.abc import Mapping, Sequence
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
    NO_TOKENS,
    KnownTokens,
    TokenCounts,
    Tokens,
    TokenWeights,
    find_hashes,
)
from coterie.features.kinds.base import EncodedColumn, Kind, ParsedColumn
from coterie.features.kinds.counts import Hashes, RowCounts

_OVERLAPS = (
    "rarity of shared {}",
    "rarest shared {}",
    "rarity of {} of the poorer alone",
    "rarity of {} of the richer alone",
    "shared {} of the poorer",
    "shared {} of both",
)
COSINE_MEASURES = ("cosine of words", "cosine of trigrams")
WORD_MEASURES = tuple(name.format("words") for name in _OVERLAPS)
PHRASE_MEASURES = tuple(f"{name.format('phrases')}, among entities" for name in _OVERLAPS)
TRIGRAM_MEASURES = tuple(name.format("trigrams") for name in _OVERLAPS[4:])
CODE_MEASURES = tuple(name.format("codes") for name in _OVERLAPS[:3])
ACRONYM_MEASURES = ("rarest acronym of words of the other", "rarest acronym, among entities")


class Acronyms(NamedTuple):
    """The acronyms of each distinct text: initials of its words that are a word of the table.

    Those of text i are `words[starts[i]:starts[i + 1]]`, ascending indices of words.
    """

    starts: Ints
    words: Tokens

    @classmethod
    def of(cls, texts: Sequence[str], words: TokenCounts) -> Self:
        """Find the acronyms of texts among the words of the same texts."""
        return cls.among(TokenCounts.of(texts, hash_acronyms), words)

    @classmethod
    def among(cls, initials: TokenCounts, words: TokenCounts) -> Self:
        """Find which initials are words."""
        indices, is_word = find_hashes(words.hashes, initials.hashes)
        is_acronym = is_word[initials.tokens]
        starts = np.append(0, np.cumsum(is_acronym))[initials.starts]
        return cls(starts, indices[initials.tokens[is_acronym]].astype(np.int32))

    def rarest(self, words: TokenWeights, left: Ints, right: Ints) -> list[Floats]:
        """Return the rarity of the rarest acronym of pairs of texts, among rows and entities."""
        tokens = words.starts, words.tokens, *self
        return [rarest_acronyms(*tokens, rarity, left, right) for rarity in words.rarities]


class WordExtras(NamedTuple):
    """The distinct texts, truncated for edit distances, and the acronyms of their words."""

    texts: Texts
    acronyms: Acronyms


@dataclass(frozen=True, eq=False)
class WordKind(Kind):
    """Compare texts by the rarity of shared words, phrases, trigrams, codes and acronyms."""

    words: KnownTokens = NO_TOKENS
    phrases: KnownTokens = NO_TOKENS
    grams: KnownTokens = NO_TOKENS
    codes: KnownTokens = NO_TOKENS

    measures: ClassVar = (
        *COSINE_MEASURES,
        *WORD_MEASURES,
        *PHRASE_MEASURES,
        *TRIGRAM_MEASURES,
        *CODE_MEASURES,
        *ACRONYM_MEASURES,
    )
    tokenizers: ClassVar = {
        "words": hash_words,
        "phrases": hash_words_and_pairs,
        "grams": hash_trigrams,
        "codes": hash_codes,
    }

    def read(self, texts: Sequence[str]) -> ParsedColumn:
        """Read the text of each row: the slow part, which does not depend on what was learned."""
        column = super().read(texts)
        acronyms = Acronyms.of(column.distinct.texts, column.tokens["words"])
        return column._replace(extra=WordExtras(column.extra, acronyms))

    def encode(
        self, column: ParsedColumn, table: tuple[int, Mapping[str, RowCounts]] | None = None
    ) -> EncodedColumn:
        """Compute the weights and rarities of the tokens of a column, and find its acronyms."""
        if table is not None:
            column = _with_acronyms_of(column, table[1]["words"].tokens)
        return super().encode(column, table)

    def _measure(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        words = encoded.tokens["words"].overlaps(0, left, right)
        phrases = encoded.tokens["phrases"].overlaps(1, left, right)
        grams = encoded.tokens["grams"].overlaps(0, left, right)
        codes = encoded.tokens["codes"].overlaps(0, left, right)
        cosines = words[:, -1], grams[:, -1]
        rarities = words[:, :-1], phrases[:, :-1], grams[:, 4:-1], codes[:, : len(CODE_MEASURES)]
        acronyms = encoded.extra.acronyms.rarest(encoded.tokens["words"], left, right)
        return np.column_stack([*cosines, *rarities, *acronyms])


def _with_acronyms_of(column: ParsedColumn, table_words: Hashes) -> ParsedColumn:
    """Return a column in which initials are acronyms if they are a word of the table.

    In a part of a table, two texts may spell a word that only rows of other parts have.
    """
    words = column.tokens["words"]
    if np.array_equal(words.hashes, table_words):
        return column
    initials = TokenCounts.of(column.distinct.texts, hash_acronyms)
    is_word_elsewhere = find_hashes(table_words, initials.hashes)[1]
    is_word_elsewhere &= ~find_hashes(words.hashes, initials.hashes)[1]
    if not is_word_elsewhere.any():
        return column
    hashes = np.union1d(words.hashes, initials.hashes[is_word_elsewhere])
    ranks = np.searchsorted(hashes, words.hashes).astype(np.int32)
    all_words = words._replace(tokens=ranks[words.tokens], hashes=hashes)
    extra = WordExtras(column.extra.texts, Acronyms.among(initials, all_words))
    return column._replace(tokens={**column.tokens, "words": all_words}, extra=extra)
