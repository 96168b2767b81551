"""What is held out at a time: whole item sets, or entities."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coterie._arrays import Ints
from coterie.items import ItemSet
from coterie.learners._held_out import divided
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

    Parameters
    ----------
    name
        What is held out, for messages.
    examples
        All item sets.
    rest
        Which items of which of them are fitted to, by numbers.
    held_out
        What is predicted.
    """

    name: str
    examples: Examples
    rest: Mapping[int, Ints]
    held_out: list[HeldOut]

    @property
    def fitted_to(self) -> Examples:
        """What is fitted to; parts of item sets are made only now, because they are copies."""
        both = [self._left_of(number) for number, items in self.rest.items() if len(items)]
        return Examples([item_set for item_set, _ in both], [truth for _, truth in both])

    @property
    def share(self) -> float:
        """The share of the items of the sets that are fitted to which is left of them."""
        whole = sum(len(self.examples.truths[number]) for number in self.rest)
        return sum(map(len, self.rest.values())) / whole

    def _left_of(self, number: int) -> tuple[ItemSet, Partition]:
        item_set, truth = self.examples.item_sets[number], self.examples.truths[number]
        items = self.rest[number]
        return taken_of(item_set, truth, items) if len(items) < len(truth) else (item_set, truth)


def joined(entities: Sequence[Ints], numbers: Ints) -> Ints:
    """Return the entities of the items of some item sets, one set after the other."""
    return np.concatenate([entities[number] for number in numbers])


def folds_of_sets(
    examples: Examples, entities: Sequence[Ints], numbers: Ints, n_folds: int, random_state: int
) -> list[Fold]:
    """Divide the item sets of some numbers at random into parts of nearly one size.

    The items of all other parts are fitted to, but those whose entities are held out.
    """
    folds = []
    for part in divided(len(numbers), n_folds, random_state):
        own = numbers[part]
        gone = joined(entities, own)
        rest = {
            number: np.flatnonzero(~np.isin(entities[number], gone))
            for number in np.delete(numbers, part).tolist()
        }
        held_out = [HeldOut(examples.item_sets[each], examples.truths[each]) for each in own]
        folds.append(Fold(f"item sets {own.tolist()}", examples, rest, held_out))
    return folds


def folds_of_entities(
    examples: Examples, entities: Sequence[Ints], numbers: Ints, n_parts: int, random_state: int
) -> list[Fold]:
    """Divide the entities of the item sets of some numbers into parts of nearly as many items.

    The items of all other parts are fitted to. Then whole sets are predicted, because a part alone
    would have fewer strangers to be told from, and a candidate that joins too much would pass; but
    only what becomes of the items of the part is judged.
    """
    entity = Partition(joined(entities, numbers))
    ends = np.cumsum([len(entities[number]) for number in numbers])[:-1]
    parts = np.split(part_of_each(entity, n_parts, random_state), ends)
    owners = dict(zip(numbers.tolist(), parts, strict=True))
    folds = []
    for part in range(n_parts):
        rest = {number: np.flatnonzero(own != part) for number, own in owners.items()}
        judged = {number: np.flatnonzero(own == part) for number, own in owners.items()}
        held_out = [
            HeldOut(examples.item_sets[number], examples.truths[number], items)
            for number, items in judged.items()
            if len(items)
        ]
        folds.append(Fold(f"part {part} of the entities", examples, rest, held_out))
    return folds
