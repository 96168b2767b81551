"""Short strings, mostly of one word: surnames, towns, brands."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.texts.tokens import hash_trigrams
from coterie.features.kinds._edits import EDITS, edits
from coterie.features.kinds._tokens import NOTHING, KnownTokens
from coterie.features.kinds.base import EncodedColumn, Kind
from coterie.features.kinds.profile import Profile


@dataclass(frozen=True, eq=False)
class Short(Kind):
    """Compare short strings by their spelling."""

    grams: KnownTokens = NOTHING

    word: ClassVar = "short"
    measures: ClassVar = (*EDITS, "cosine of trigrams")
    splits: ClassVar = {"grams": hash_trigrams}

    @classmethod
    def likeness(cls, profile: Profile) -> float:  # noqa: ARG003
        """Anything that looks like no other kind."""
        return 0.1

    def _measured(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        return np.column_stack(
            [
                *edits(encoded.more, left, right),
                encoded.tokens["grams"].cosines(left, right),
            ]
        )
