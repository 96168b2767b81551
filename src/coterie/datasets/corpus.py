"""What every reader and generator of data returns."""

from typing import NamedTuple

from coterie.items import ItemSet
from coterie.partition import Partition


class Corpus(NamedTuple):
    """Item sets and, in the same order, their correct partitions."""

    item_sets: list[ItemSet]
    partitions: list[Partition]
