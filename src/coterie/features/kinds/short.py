"""Short strings, mostly of one word: surnames, towns, brands."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.texts.tokens import hash_trigrams
from coterie.features.kinds._edits import EDIT_MEASURES, edit_similarities
from coterie.features.kinds._tokens import NO_TOKENS, KnownTokens
from coterie.features.kinds.base import EncodedColumn, Kind
from coterie.features.kinds.profile import Profile


@dataclass(frozen=True, eq=False)
class Short(Kind):
    """Compare short strings by their spelling."""

    grams: KnownTokens = NO_TOKENS

    word: ClassVar = "short"
    measures: ClassVar = (*EDIT_MEASURES, "cosine of trigrams")
    tokenizers: ClassVar = {"grams": hash_trigrams}

    @classmethod
    def likeness(cls, profile: Profile) -> float:  # noqa: ARG003
        """Return a low score for any column, for those that fit no other kind."""
        return 0.1

    def _measure(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        return np.column_stack(
            [
                *edit_similarities(encoded.extra, left, right),
                encoded.tokens["grams"].cosines(left, right),
            ]
        )
