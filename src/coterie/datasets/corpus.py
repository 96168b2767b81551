"""What every reader and generator of data returns, and the names of splits."""

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from coterie.exceptions import InputError
from coterie.items import ItemSet
from coterie.partition import Partition


class Corpus(NamedTuple):
    """Item sets and, in the same order, their correct partitions."""

    item_sets: list[ItemSet]
    partitions: list[Partition]

    def at(self, numbers: Iterable[int]) -> "Corpus":
        """Take some item sets by their numbers, with their partitions.

        >>> truths = [Partition([0]), Partition([0, 1])]
        >>> corpus = Corpus([ItemSet(["a"]), ItemSet(["b", "c"])], truths)
        >>> corpus.at([1]).partitions
        [Partition([0, 1])]
        """
        chosen = list(numbers)
        return Corpus(
            [self.item_sets[number] for number in chosen],
            [self.partitions[number] for number in chosen],
        )


Split: TypeAlias = Literal["train", "test"]
DevSplit: TypeAlias = Literal["train", "dev", "test"]


def refuse_other_splits(split: str | None, known: tuple[str, ...] = ("train", "test")) -> None:
    """Refuse what is no split of a corpus; None stands for all.

    >>> refuse_other_splits("dev")
    Traceback (most recent call last):
    coterie.exceptions.InputError: split is 'dev'; give 'train', 'test' or None for all
    """
    if split is not None and split not in known:
        shown = ", ".join(repr(name) for name in known)
        raise InputError(f"split is {split!r}; give {shown} or None for all")


def refuse_other_folds(split: object, n_folds: int) -> None:
    """Refuse what is no number of a fold of a corpus, counted from 0; None stands for all.

    >>> refuse_other_folds(10, n_folds=10)
    Traceback (most recent call last):
    coterie.exceptions.InputError: split is 10; give the number of a fold, 0 to 9, or None for all
    """
    if split is None:
        return
    # True is a whole number for Python, but no fold.
    is_whole = isinstance(split, int | np.integer) and not isinstance(split, bool)
    if not is_whole or split not in range(n_folds):
        raise InputError(
            f"split is {split!r}; give the number of a fold, 0 to {n_folds - 1}, or None for all"
        )


def refuse_others(what: str, value: object, known: tuple[object, ...]) -> None:
    """Refuse what is none of some known values.

    >>> refuse_others("kind", "people", ("person", "location"))
    Traceback (most recent call last):
    coterie.exceptions.InputError: kind is 'people'; give 'person' or 'location'
    """
    if value not in known:
        *first, last = map(repr, known)
        shown = f"{', '.join(first)} or {last}" if first else last
        raise InputError(f"{what} is {value!r}; give {shown}")
