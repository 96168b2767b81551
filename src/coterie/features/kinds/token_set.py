"""Sets of tokens: keywords, co-authors or tags, separated by semicolons or bars."""

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._core.texts import plain_text
from coterie._kernels.texts.tokens import hash_members, hash_trigrams
from coterie.features.kinds._edits import Texts, truncate, word_set_similarities
from coterie.features.kinds._tokens import NO_TOKENS, KnownTokens
from coterie.features.kinds._words import PHRASE_MEASURES, WORD_MEASURES
from coterie.features.kinds.base import EncodedColumn, Kind
from coterie.features.kinds.profile import SEPARATED, Profile

_SEPARATOR = re.compile(f"{SEPARATED.pattern}|,")


@dataclass(frozen=True, eq=False)
class TokenSet(Kind):
    """Compare sets by the rarity of shared and unshared members, and by their spelling."""

    words: KnownTokens = NO_TOKENS
    grams: KnownTokens = NO_TOKENS

    word: ClassVar = "tokens"
    measures: ClassVar = (
        "words as sets",
        "cosine of members",
        "cosine of trigrams",
        *(name.replace("words", "members") for name in (*WORD_MEASURES, *PHRASE_MEASURES)),
    )
    tokenizers: ClassVar = {"words": hash_members, "grams": hash_trigrams}

    @classmethod
    def likeness(cls, profile: Profile) -> float:
        """Return how well a column fits: values with semicolons or bars."""
        return 0.85 if profile.separated > 0.3 else 0.0

    def _measure(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        words = encoded.tokens["words"]
        among_rows, among_entities = words.overlaps(0, left, right), words.overlaps(1, left, right)
        return np.column_stack(
            [
                word_set_similarities(encoded.extra, left, right),
                among_rows[:, -1],
                encoded.tokens["grams"].cosines(left, right),
                among_rows[:, :-1],
                among_entities[:, :-1],
            ]
        )

    def _clean(self, text: str) -> str:
        return "|".join(sorted(filter(None, {plain_text(part) for part in _SEPARATOR.split(text)})))

    def _read_extra(self, texts: list[str]) -> Texts:
        return truncate(text.replace("|", " ") for text in texts)
