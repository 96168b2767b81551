"""Comparing the rows of a labelled table as those of new entities will be compared.

What is known of words comes from the table that is learned from. There, a word that two rows of an
entity share is known of that very entity, and no word of a new entity is: a learner would find out
and be wrong of new rows. So each pair is compared by what the rows of other entities tell.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._core.progress import report
from coterie.features.operators import written
from coterie.features.records import ParsedRecords, RecordFeatures
from coterie.items import ItemSet
from coterie.learners.parts import assign_parts
from coterie.pairs import all_pairs
from coterie.partition import Partition

N_PARTS, SEED = 10, 0
"""Into how many parts entities are divided; each two are left out once."""


def compared_as_new(
    featurizer: RecordFeatures,
    item_sets: Sequence[ItemSet],
    entities: Sequence[Ints],
    listed: Sequence[Ints | None],
) -> list[ItemSet]:
    """Compare the records of pairs by what is known without the entities of both.

    Parameters
    ----------
    featurizer
        Compares records; what it has learned does not count.
    item_sets
        The records.
    entities
        Of each set the entities of its items, the same number for the same in all sets.
    listed
        Of each set the pairs to compare, None for all.
    """
    every = np.concatenate(entities)
    n_parts = min(N_PARTS, len(np.unique(every)))
    parts = assign_parts(Partition(every), n_parts, SEED)
    read = featurizer.read(item_sets)
    sets = _sets(featurizer, item_sets, listed, parts, n_parts)
    both = list(combinations(range(n_parts), 2))
    for number, gone in enumerate(both):
        known = featurizer.learned(read, every, np.flatnonzero(~np.isin(parts, gone)))
        for own in sets:
            own.compare(known, gone)
        report("compare", number + 1, len(both))
    return [
        ItemSet.from_pair_features(own.compared, len(each), pairs)
        for own, each, pairs in zip(sets, item_sets, listed, strict=True)
    ]


class _Set(NamedTuple):
    """What was read of a set, its pairs, which parts each leaves out, and what was compared."""

    read: ParsedRecords
    pairs: Ints
    gone: Ints
    compared: Floats

    def compare(self, featurizer: RecordFeatures, gone: tuple[int, int]) -> None:
        """Compare the pairs that leave out two parts."""
        rows = np.flatnonzero((self.gone == gone).all(axis=1))
        if len(rows):
            own = featurizer.compare(featurizer.weighed(self.read), self.pairs[rows])
            self.compared[rows] = written(own)


def _sets(
    featurizer: RecordFeatures,
    item_sets: Sequence[ItemSet],
    listed: Sequence[Ints | None],
    parts: Ints,
    n_parts: int,
) -> list[_Set]:
    made = []
    ends = np.cumsum([len(each) for each in item_sets])[:-1]
    for item_set, some, own in zip(item_sets, listed, np.split(parts, ends), strict=True):
        pairs = all_pairs(len(item_set)) if some is None else some
        gone = left_out(own[pairs], pairs.sum(axis=1), n_parts)
        compared = np.empty((len(pairs), len(featurizer.names)))
        made.append(_Set(featurizer.read([item_set]), pairs, gone, compared))
    return made


def left_out(parts: Ints, numbers: Ints, n_parts: int) -> Ints:
    """Say of pairs which two parts are left out, in ascending order.

    Those of both items; of two items of one part another one too, which the number of the pair
    draws: as much is known of pairs of one entity as of others, so that this does not tell them.

    >>> left_out(np.array([[2, 1], [0, 0], [2, 2]]), np.array([4, 4, 5]), 3).tolist()
    [[1, 2], [0, 1], [1, 2]]
    """
    first, second = parts.T
    another = (first + 1 + numbers % max(n_parts - 1, 1)) % n_parts
    return np.sort(np.column_stack([first, np.where(first == second, another, second)]), axis=1)
