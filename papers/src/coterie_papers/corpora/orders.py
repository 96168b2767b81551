"""A corpus with its items in random order."""

import numpy as np

from coterie.datasets.corpus import Corpus
from coterie.exceptions import PartitionError, located
from coterie.items import as_item_sets
from coterie.partition import Partition, as_partition
from coterie.toolkit import as_whole


def scrambled(corpus: Corpus, random_state: int = 0) -> Corpus:
    """Put the items of each item set, and their partition, in a random order.

    Samdani, Chang & Roth 2014, section 5.4, measure the effect of the item order in this way. Ids
    and features move with their items, and features of pairs with their pairs.

    Parameters
    ----------
    corpus
        The item sets and their partitions; they are not changed.
    random_state
        The seed of the random orders.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> corpus = Corpus([ItemSet(["a", "b", "c"])], [Partition([0, 0, 1])])
    >>> item_sets, partitions = scrambled(corpus)
    >>> item_sets[0].items, partitions[0]
    (('c', 'a', 'b'), Partition([0, 1, 1]))
    """
    rng = np.random.default_rng(as_whole("random_state", random_state))
    sets, partitions = as_item_sets(corpus.item_sets), list(corpus.partitions)
    if len(sets) != len(partitions):
        raise PartitionError(
            f"there are {len(sets)} item sets and {len(partitions)} partitions; give one partition "
            "per item set"
        )
    shuffled = Corpus([], [])
    for number, (item_set, partition) in enumerate(zip(sets, partitions, strict=True)):
        with located(f"item set {number}"):
            truth = as_partition(partition, len(item_set))
        order = rng.permutation(len(item_set))
        shuffled.item_sets.append(item_set.reordered(order))
        shuffled.partitions.append(Partition(truth.labels[order]))
    return shuffled
