"""Sets drawn from images of digits, each image in one set."""

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
"""The digits to train and to test on, after Daumé & Marcu 2004."""


@dataclass(frozen=True)
class Draw:
    """Which digits sets are drawn from, how large they are, and the seed."""

    groups: Mapping[str, tuple[int, ...]]
    split: Split | None
    n_items: int
    seed: int

    @classmethod
    def checked(
        cls,
        split: Split | None,
        digits: Collection[int] | None,
        n_items: int,
        most: int,
        random_state: int,
    ) -> Self:
        """Take the arguments of a reader; `most` is the number of images of the smaller split."""
        refuse_other_splits(split)
        groups = SPLITS
        if digits is not None:
            if split is not None:
                raise InputError(f"both split and digits are given ({split!r}, {digits}); give one")
            groups = {"digits": _as_digits(digits)}
        seed = as_whole("random_state", random_state)
        return cls(groups, split, as_whole("n_items", n_items, 1, most), seed)

    def __call__(self, images: Floats, digits: NDArray[Any]) -> Corpus:
        """Draw the sets from images, one a row, and the digit of each."""
        rng = np.random.default_rng(self.seed)
        corpus = Corpus([], [])
        # All groups are always drawn, so that each is the same whatever is asked for.
        for name, wanted in self.groups.items():
            order = rng.permutation(np.flatnonzero(np.isin(digits, wanted)))
            if self.split not in (name, None):
                continue
            if len(order) < self.n_items:
                raise InputError(
                    f"n_items is {self.n_items}, but there are {len(order)} images of the digits "
                    f"{wanted}; give a smaller number"
                )
            for start in range(0, len(order) - self.n_items + 1, self.n_items):
                chosen = order[start : start + self.n_items]
                corpus.item_sets.append(ItemSet(images[chosen]))
                corpus.partitions.append(Partition(digits[chosen]))
        return corpus


def _as_digits(digits: Collection[int]) -> tuple[int, ...]:
    try:
        chosen = tuple(digits)
    except TypeError:
        chosen = ()
    if not chosen:
        raise InputError(f"digits is {digits!r}; give a list of digits, such as [0, 2]")
    return tuple(as_whole("a digit", digit, 0, 9) for digit in chosen)
