"""The corpus that readers and generators of data return, and checks of their arguments."""

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from coterie._core.texts import join_with_or
from coterie.exceptions import InputError
from coterie.items import ItemSet
from coterie.partition import Partition


class Corpus(NamedTuple):
    """Item sets and, in the same order, their correct partitions."""

    item_sets: list[ItemSet]
    partitions: list[Partition]

    def at(self, numbers: Iterable[int]) -> "Corpus":
        """Return the item sets at some indices, with their partitions.

        >>> truths = [Partition([0]), Partition([0, 1])]
        >>> corpus = Corpus([ItemSet(["a"]), ItemSet(["b", "c"])], truths)
        >>> corpus.at([1]).partitions
        [Partition([0, 1])]
        """
        indices = list(numbers)
        return Corpus(
            [self.item_sets[index] for index in indices],
            [self.partitions[index] for index in indices],
        )


Split: TypeAlias = Literal["train", "test"]
DevSplit: TypeAlias = Literal["train", "dev", "test"]


def refuse_other_splits(split: str | None, splits: tuple[str, ...] = ("train", "test")) -> None:
    """Raise an error unless `split` is one of the splits of a corpus, or None, which means all.

    >>> refuse_other_splits("dev")
    Traceback (most recent call last):
    coterie.exceptions.InputError: split is 'dev'; give 'train', 'test' or None for all
    """
    if split is not None and split not in splits:
        choices = ", ".join(map(repr, splits))
        raise InputError(f"split is {split!r}; give {choices} or None for all")


def refuse_other_folds(split: object, n_folds: int) -> None:
    """Raise an error unless `split` is the index of a fold of a corpus, or None, which means all.

    >>> refuse_other_folds(10, n_folds=10)
    Traceback (most recent call last):
    coterie.exceptions.InputError: split is 10; give the index of a fold, 0 to 9, or None for all
    """
    if split is None:
        return
    # True and False are integers in Python, but not indices of folds.
    is_index = isinstance(split, int | np.integer) and not isinstance(split, bool)
    if not is_index or split not in range(n_folds):
        raise InputError(
            f"split is {split!r}; give the index of a fold, 0 to {n_folds - 1}, or None for all"
        )


def refuse_other_values(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Raise an error unless a value is one of `choices`.

    >>> refuse_other_values("kind", "people", ("person", "location"))
    Traceback (most recent call last):
    coterie.exceptions.InputError: kind is 'people'; give 'person' or 'location'
    """
    if value not in choices:
        raise InputError(f"{name} is {value!r}; give {join_with_or(map(repr, choices))}")
