"""What is held out at a time: whole item sets, or the entities of one."""

from typing import NamedTuple

import numpy as np

from coterie._arrays import Ints
from coterie.items import ItemSet
from coterie.learners._auto_parts import part_of_each, taken_of
from coterie.learners._held_out import left_of, part_of
from coterie.learners.base import Examples
from coterie.partition import Partition


class HeldOut(NamedTuple):
    """An item set to predict; `items` are those that are judged by, None for all."""

    item_set: ItemSet
    truth: Partition
    items: Ints | None = None

    def compared(self, predicted: Partition) -> tuple[Partition, Partition]:
        """Return truth and prediction of the items to judge by and of those joined with them."""
        if self.items is None:
            return self.truth, predicted
        touched = np.isin(predicted.labels, predicted.labels[self.items])
        return Partition(self.truth.labels[touched]), Partition(predicted.labels[touched])


class Fold(NamedTuple):
    """What is fitted to, and what is then predicted."""

    name: str
    fitted_to: Examples
    held_out: list[HeldOut]


def folds_of_sets(examples: Examples, n_folds: int, random_state: int) -> list[Fold]:
    """Divide item sets at random into parts of nearly one size, each held out once."""
    n_sets = len(examples.truths)
    order = np.random.default_rng(random_state).permutation(n_sets)
    parts = [np.sort(part) for part in np.array_split(order, min(n_folds, n_sets))]
    return [
        Fold(
            f"item sets {part.tolist()}",
            part_of(examples, left_of(n_sets, part)),
            [HeldOut(*both) for both in zip(*part_of(examples, part), strict=True)],
        )
        for part in parts
    ]


def folds_of_entities(
    item_set: ItemSet, truth: Partition, n_parts: int, random_state: int
) -> list[Fold]:
    """Divide the clusters of one item set, whole, into parts of near-equal numbers of items.

    The items of all other parts are fitted to. Then the whole set is predicted, because a part
    alone would have fewer strangers to be told from, and a candidate that joins too much would
    pass; but only what becomes of the items of the part is judged.
    """
    owners = part_of_each(truth, n_parts, random_state)
    folds = []
    for number in range(n_parts):
        rest, own = np.flatnonzero(owners != number), np.flatnonzero(owners == number)
        left, of_left = taken_of(item_set, truth, rest)
        held_out = HeldOut(item_set, truth, own)
        folds.append(Fold(f"part {number}", Examples([left], [of_left]), [held_out]))
    return folds
