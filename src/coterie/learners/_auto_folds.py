"""What is held out at a time: whole item sets, or the entities of one."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coterie._arrays import Ints
from coterie.items import ItemSet
from coterie.learners._held_out import divided, part_of
from coterie.learners._parts import part_of_each, taken_of
from coterie.learners.base import Examples
from coterie.partition import Partition


class HeldOut(NamedTuple):
    """An item set to predict; `items` are those that are judged by, None for all."""

    item_set: ItemSet
    truth: Partition
    items: Ints | None = None

    def compared(self, predicted: Partition) -> tuple[Partition, Partition]:
        """Return truth and prediction of the items to judge by, and of some joined with them.

        Of each predicted cluster as many others count, the first ones, as it has items to judge by:
        that strangers were joined must show, but not drown in how well these are joined, which was
        fitted to.
        """
        if self.items is None:
            return self.truth, predicted
        labels = predicted.labels
        own = np.zeros(len(labels), dtype=np.bool_)
        own[self.items] = True
        counts = np.bincount(labels[own], minlength=predicted.n_clusters)
        others = np.flatnonzero(~own)
        others = others[np.argsort(labels[others], kind="stable")]
        starts = np.searchsorted(labels[others], labels[others])
        own[others[np.arange(len(others)) - starts < counts[labels[others]]]] = True
        return Partition(self.truth.labels[own]), Partition(labels[own])


@dataclass(frozen=True, eq=False)
class Fold:
    """What is fitted to, and what is then predicted.

    Of several item sets it is those of the numbers `rest`, of a single one the items of them.
    """

    name: str
    examples: Examples
    rest: Ints
    held_out: list[HeldOut]

    @property
    def fitted_to(self) -> Examples:
        """What is fitted to; a part of a single set is made only now, because it is a copy."""
        if self.held_out[0].items is None:
            return part_of(self.examples, self.rest)
        (item_set,), (truth,) = self.examples
        others, of_others = taken_of(item_set, truth, self.rest)
        return Examples([others], [of_others])


def folds_of_sets(examples: Examples, numbers: Ints, n_folds: int, random_state: int) -> list[Fold]:
    """Divide the item sets of some numbers at random into parts of nearly one size."""
    folds = []
    for part in divided(len(numbers), n_folds, random_state):
        own, rest = numbers[part], np.delete(numbers, part)
        held_out = [HeldOut(*both) for both in zip(*part_of(examples, own), strict=True)]
        folds.append(Fold(f"item sets {own.tolist()}", examples, rest, held_out))
    return folds


def folds_of_entities(
    item_set: ItemSet, truth: Partition, n_parts: int, random_state: int
) -> list[Fold]:
    """Divide the clusters of one item set, whole, into parts of near-equal numbers of items.

    The items of all other parts are fitted to. Then the whole set is predicted, because a part
    alone would have fewer strangers to be told from, and a candidate that joins too much would
    pass; but only what becomes of the items of the part is judged.
    """
    owners = part_of_each(truth, n_parts, random_state)
    folds, examples = [], Examples([item_set], [truth])
    for number in range(n_parts):
        rest, own = np.flatnonzero(owners != number), np.flatnonzero(owners == number)
        folds.append(Fold(f"part {number}", examples, rest, [HeldOut(item_set, truth, own)]))
    return folds
