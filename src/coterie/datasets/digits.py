"""Item sets of images of digits, where each image is in at most one set."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from coterie._core.arguments import as_whole
from coterie._core.arrays import Floats
from coterie.datasets.corpus import Corpus, Split, refuse_other_splits
from coterie.exceptions import InputError
from coterie.items import ItemSet
from coterie.partition import Partition

SPLITS: Mapping[str, tuple[int, ...]] = {"train": (0, 2, 4, 6, 7), "test": (1, 3, 5, 8, 9)}
"""The digits of the training and the test split, after Daumé & Marcu 2004."""


@dataclass(frozen=True)
class DigitSampler:
    """Draws item sets from images of digits; `groups` are the digits by split."""

    groups: Mapping[str, tuple[int, ...]]
    split: Split | None
    n_items: int
    seed: int

    @classmethod
    def from_arguments(
        cls,
        split: Split | None,
        digits: Collection[int] | None,
        n_items: int,
        max_items: int,
        random_state: int,
    ) -> Self:
        """Check the arguments of a reader; the smaller split has `max_items` images."""
        refuse_other_splits(split)
        groups = SPLITS
        if digits is not None:
            if split is not None:
                raise InputError(
                    f"split is {split!r} and digits is {digits}; give only one of them"
                )
            groups = {"digits": _as_digits(digits)}
        seed = as_whole("random_state", random_state)
        return cls(groups, split, as_whole("n_items", n_items, 1, max_items), seed)

    def __call__(self, images: Floats, digits: NDArray[Any]) -> Corpus:
        """Draw the sets from images, one per row, and their digits."""
        rng = np.random.default_rng(self.seed)
        corpus = Corpus([], [])
        # All groups are drawn, also those of other splits, so that the sets of a split are always
        # the same.
        for name, group in self.groups.items():
            order = rng.permutation(np.flatnonzero(np.isin(digits, group)))
            if self.split not in (name, None):
                continue
            if len(order) < self.n_items:
                raise InputError(
                    f"n_items is {self.n_items}, but there are {len(order)} images of the digits "
                    f"{group}; give a smaller number"
                )
            for start in range(0, len(order) - self.n_items + 1, self.n_items):
                rows = order[start : start + self.n_items]
                corpus.item_sets.append(ItemSet(images[rows]))
                corpus.partitions.append(Partition(digits[rows]))
        return corpus


def _as_digits(digits: Collection[int]) -> tuple[int, ...]:
    try:
        values = tuple(digits)
    except TypeError:
        values = ()
    if not values:
        raise InputError(f"digits is {digits!r}; give a list of digits, such as [0, 2]")
    return tuple(as_whole("a digit", digit, 0, 9) for digit in values)
