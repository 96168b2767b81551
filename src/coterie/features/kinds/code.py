"""Codes: postcodes, telephone numbers, order numbers, volumes and pages."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.texts.tokens import hash_words
from coterie.features.kinds._edits import EDIT_MEASURES, Texts, edit_similarities, truncate
from coterie.features.kinds._tokens import NO_TOKENS, DistinctCells, KnownTokens
from coterie.features.kinds._words import CODE_MEASURES
from coterie.features.kinds.base import EncodedColumn, Kind
from coterie.features.kinds.profile import Profile

MAX_LENGTH, MAX_LENGTH_OF_DIGITS = 24, 40
"""The largest mean number of characters of codes, and of codes with digits in nearly all parts."""


@dataclass(frozen=True, eq=False)
class Code(Kind):
    """Compare codes by their spelling without blanks, and by the rarity of shared parts."""

    parts: KnownTokens = NO_TOKENS

    word: ClassVar = "code"
    measures: ClassVar = (*EDIT_MEASURES, "equal without blanks", *CODE_MEASURES)
    tokenizers: ClassVar = {"parts": hash_words}

    @classmethod
    def likeness(cls, profile: Profile) -> float:
        """Return how well a column fits: short values, with digits in about half of their words."""
        is_short = profile.n_words <= 3 and profile.length <= MAX_LENGTH
        # ISBNs and telephone numbers have more characters or parts than other codes.
        is_all_digits = profile.words_with_digits > 0.9 and profile.length <= MAX_LENGTH_OF_DIGITS
        has_digits = profile.with_digits > 0.8 and profile.words_with_digits >= 0.45
        return 0.7 if has_digits and (is_short or is_all_digits) else 0.0

    def _measure(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        texts, joined_text = encoded.extra
        return np.column_stack(
            [
                *edit_similarities(texts, left, right),
                joined_text[left] == joined_text[right],
                encoded.tokens["parts"].overlaps(0, left, right)[:, : len(CODE_MEASURES)],
            ]
        )

    def _read_extra(self, texts: list[str]) -> tuple[Texts, Ints]:
        joined = [text.replace(" ", "") for text in texts]
        return truncate(joined), DistinctCells.of(joined).text_of_row
