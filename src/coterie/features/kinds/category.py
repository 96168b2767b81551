"""Categories: one of a few values."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie.features.kinds.base import EncodedColumn, Kind
from coterie.features.kinds.profile import Profile

MOST_VALUES = 50


@dataclass(frozen=True, eq=False)
class Category(Kind):
    """Compare values that are equal or not, and count for more the rarer they are."""

    word: ClassVar = "category"
    measures: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def likeness(cls, profile: Profile) -> float:
        """Few values, each of many rows."""
        few = len(profile.counts) <= MOST_VALUES and profile.n_repeats >= 20
        return 0.9 if few and profile.n_words <= 4 and profile.with_digits < 0.5 else 0.0

    def _measured(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:  # noqa: ARG002
        return np.empty((len(left), 0))
