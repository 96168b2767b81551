"""Codes: postcodes, telephone numbers, order numbers, volumes and pages."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.texts.tokens import hash_words
from coterie.features.kinds._edits import EDITS, Texts, beginnings, edits
from coterie.features.kinds._tokens import NOTHING, DistinctCells, KnownTokens
from coterie.features.kinds._words import CODES
from coterie.features.kinds.base import EncodedColumn, Kind
from coterie.features.kinds.profile import Profile

MOST_CHARACTERS, MOST_OF_PARTS = 24, 40
"""How long codes are on average; those with digits in all parts, such as ISBNs, may be longer."""


@dataclass(frozen=True, eq=False)
class Code(Kind):
    """Compare codes: their spelling without blanks, and their parts by how rare these are."""

    parts: KnownTokens = NOTHING

    word: ClassVar = "code"
    measures: ClassVar = (*EDITS, "equal without blanks", *CODES)
    splits: ClassVar = {"parts": hash_words}

    @classmethod
    def likeness(cls, profile: Profile) -> float:
        """Short values, nearly all with digits, and these in most of their words."""
        few = profile.n_words <= 3 and profile.length <= MOST_CHARACTERS
        parts = profile.words_with_digits > 0.9 and profile.length <= MOST_OF_PARTS
        many_digits = profile.with_digits > 0.8 and profile.words_with_digits >= 0.45
        return 0.7 if many_digits and (few or parts) else 0.0

    def _measured(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        texts, numbers = encoded.more
        return np.column_stack(
            [
                *edits(texts, left, right),
                numbers[left] == numbers[right],
                encoded.tokens["parts"].overlaps(0, left, right)[:, : len(CODES)],
            ]
        )

    def _more(self, texts: list[str]) -> tuple[Texts, Ints]:
        joined = [text.replace(" ", "") for text in texts]
        return beginnings(joined), DistinctCells.of(joined).text_of_row
