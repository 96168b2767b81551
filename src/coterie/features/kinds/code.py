"""Codes: postcodes, telephone numbers, order numbers, volumes and pages."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie._arrays import Floats, Ints
from coterie.features.kinds._base import Encoded, Kind
from coterie.features.kinds._edits import EDITS, edits
from coterie.features.kinds._overlaps import CODES
from coterie.features.kinds._profile import Profile
from coterie.features.kinds._tokens import NOTHING, KnownTokens, in_words

MOST_CHARACTERS = 24


@dataclass(frozen=True, eq=False)
class Code(Kind):
    """Compare codes: their spelling without blanks, and their parts by how rare these are."""

    parts: KnownTokens = NOTHING

    word: ClassVar = "code"
    measures: ClassVar = (*EDITS, "equal without blanks", *CODES)
    splits: ClassVar = {"parts": in_words}

    @classmethod
    def likeness(cls, profile: Profile) -> float:
        """Short values of few words, nearly all with digits."""
        short = profile.n_words <= 3 and profile.length <= MOST_CHARACTERS
        return 0.7 if short and profile.with_digits > 0.8 else 0.0

    def _measured(self, encoded: Encoded, left: Ints, right: Ints) -> Floats:
        texts = encoded.read
        return np.column_stack(
            [
                *edits(texts, left, right),
                texts[left] == texts[right],
                encoded.tokens["parts"].overlaps(0, left, right)[:, : len(CODES)],
            ]
        )

    def _read(self, texts: list[str]) -> np.ndarray:
        return np.array([text.replace(" ", "") for text in texts], dtype=object)
