"""What every reader and generator of data returns."""

from collections.abc import Iterable
from typing import NamedTuple

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
