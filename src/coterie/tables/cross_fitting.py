"""Comparing the rows of a labelled table as rows of unseen entities will be compared.

The rarity of words is learned from the training table. There, a word that two rows of an entity
share has been counted in these very rows; a word of a new entity has not. A learner would exploit
that difference and then be wrong about new rows. So each pair is compared with rarities learned
from the rows of other entities only (cross-fitting).
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._core.progress import report
from coterie.features.operators import to_matrix
from coterie.features.records import ParsedRecords, RecordFeatures
from coterie.items import ItemSet
from coterie.learners.parts import assign_parts
from coterie.pairs import all_pairs
from coterie.partition import Partition

N_PARTS, SEED = 10, 0
"""Number of parts into which entities are divided, and the seed; parts are left out in pairs."""


def compare_cross_fitted(
    featurizer: RecordFeatures,
    item_sets: Sequence[ItemSet],
    entities: Sequence[Ints],
    candidate_pairs: Sequence[Ints | None],
) -> list[ItemSet]:
    """Compare pairs of records by featurizers that were fitted without the entities of either.

    Parameters
    ----------
    featurizer
        Compares records; if it was fitted, that is ignored.
    item_sets
        The records.
    entities
        The entity of each item, for each set; equal numbers mean the same entity in all sets.
    candidate_pairs
        The pairs to compare in each set; None for all.
    """
    all_entities = np.concatenate(entities)
    n_parts = min(N_PARTS, len(np.unique(all_entities)))
    parts = assign_parts(Partition(all_entities), n_parts, SEED)
    read = featurizer.read(item_sets)
    sets = _training_sets(featurizer, item_sets, candidate_pairs, parts, n_parts)
    part_pairs = list(combinations(range(n_parts), 2))
    for count, part_pair in enumerate(part_pairs, 1):
        training_rows = np.flatnonzero(~np.isin(parts, part_pair))
        fitted = featurizer.learned(read, all_entities, training_rows)
        for training_set in sets:
            training_set.compare(fitted, part_pair)
        report("compare", count, len(part_pairs))
    return [
        ItemSet.from_pair_features(training_set.features, len(item_set), pairs)
        for training_set, item_set, pairs in zip(sets, item_sets, candidate_pairs, strict=True)
    ]


class _TrainingSet(NamedTuple):
    """The records of a set, their candidate pairs, the parts left out of each, and the features."""

    records: ParsedRecords
    pairs: Ints
    excluded_parts: Ints
    features: Floats

    def compare(self, featurizer: RecordFeatures, excluded: tuple[int, int]) -> None:
        """Compare the pairs for which these two parts are left out."""
        rows = np.flatnonzero((self.excluded_parts == excluded).all(axis=1))
        if len(rows):
            weighed = featurizer.weighed(self.records)
            self.features[rows] = to_matrix(featurizer.compare(weighed, self.pairs[rows]))


def _training_sets(
    featurizer: RecordFeatures,
    item_sets: Sequence[ItemSet],
    candidate_pairs: Sequence[Ints | None],
    parts: Ints,
    n_parts: int,
) -> list[_TrainingSet]:
    sets = []
    offsets = np.cumsum([len(item_set) for item_set in item_sets])[:-1]
    parts_by_set = np.split(parts, offsets)
    for item_set, candidates, set_parts in zip(
        item_sets, candidate_pairs, parts_by_set, strict=True
    ):
        pairs = all_pairs(len(item_set)) if candidates is None else candidates
        excluded = excluded_parts(set_parts[pairs], pairs.sum(axis=1), n_parts)
        features = np.empty((len(pairs), len(featurizer.names)))
        sets.append(_TrainingSet(featurizer.read([item_set]), pairs, excluded, features))
    return sets


def excluded_parts(parts: Ints, seeds: Ints, n_parts: int) -> Ints:
    """Return for each pair the two parts that are left out, in ascending order.

    These are the parts of both items. If they are equal, a second part is left out too, drawn by
    the seed of the pair. Otherwise these pairs would have more training rows than others, which
    would reveal that their items share an entity.

    >>> excluded_parts(np.array([[2, 1], [0, 0], [2, 2]]), np.array([4, 4, 5]), 3).tolist()
    [[1, 2], [0, 1], [1, 2]]
    """
    first, second = parts.T
    another = (first + 1 + seeds % max(n_parts - 1, 1)) % n_parts
    return np.sort(np.column_stack([first, np.where(first == second, another, second)]), axis=1)
