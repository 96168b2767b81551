"""Categories: one of a few values."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie.features.kinds.base import EncodedColumn, Kind
from coterie.features.kinds.profile import Profile

MAX_VALUES = 50
"""The largest number of distinct values of a category."""


@dataclass(frozen=True, eq=False)
class Category(Kind):
    """Compare values by whether they are equal, and by the rarity of equal ones."""

    word: ClassVar = "category"
    measures: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def likeness(cls, profile: Profile) -> float:
        """Return how well a column fits: few distinct values, and many rows per value."""
        has_few_values = len(profile.counts) <= MAX_VALUES and profile.n_repeats >= 20
        return 0.9 if has_few_values and profile.n_words <= 4 and profile.with_digits < 0.5 else 0.0

    def _measure(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:  # noqa: ARG002
        return np.empty((len(left), 0))
