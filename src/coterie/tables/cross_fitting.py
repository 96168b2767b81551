"""Comparing the rows of a labelled table as rows of unseen entities will be compared.

The rarity of words is learned from the training table. There, a word that two rows of an entity
share has been counted in these very rows; a word of a new entity has not. A learner would exploit
that difference and then be wrong about new rows. So each pair is compared with rarities learned
from the rows of other entities only (cross-fitting).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

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

MOST_BYTES = 250_000_000
"""The largest matrix of features that is kept in memory; a larger one is computed anew."""

BLOCK = 1 << 16
"""The largest number of pairs that are compared at once."""


@dataclass(frozen=True, eq=False)
class CrossFittedPairs:
    """The candidate pairs of labelled rows, compared without the entities of either row.

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

    featurizer: RecordFeatures
    item_sets: Sequence[ItemSet]
    entities: Sequence[Ints]
    candidate_pairs: Sequence[Ints | None]

    @property
    def n_columns(self) -> int:
        """The number of features."""
        return len(self.featurizer.names)

    @property
    def n_pairs(self) -> int:
        """The number of candidate pairs of all sets."""
        return int(self.starts[-1])

    def blocks(self, rows: Ints | None = None) -> Iterator[tuple[Ints, NDArray[np.float32]]]:
        """Yield numbers of pairs and the matrix of their features, until all are covered.

        Pairs are numbered across item sets. `rows` are the pairs to compare, ascending; None means
        all pairs.
        """
        if self._matrix is None:
            for block, features in self.compared(rows):
                yield block, features.astype(np.float32)
            return
        n_rows = self.n_pairs if rows is None else len(rows)
        for start in range(0, n_rows, BLOCK):
            block = np.arange(start, min(start + BLOCK, n_rows))
            block = block if rows is None else rows[block]
            yield block, self._matrix[block]

    @cached_property
    def _matrix(self) -> NDArray[np.float32] | None:
        """The features of all pairs, if they fit into memory."""
        if 4 * self.n_pairs * self.n_columns > MOST_BYTES:
            return None
        matrix = np.empty((self.n_pairs, self.n_columns), dtype=np.float32)
        for block, features in self.compared():
            matrix[block] = features
        return matrix

    def compared(self, rows: Ints | None = None) -> Iterator[tuple[Ints, Floats]]:
        """Compare pairs anew, as `blocks` does, with the full precision of the features."""
        excluded = self._excluded if rows is None else self._excluded[rows]
        order = np.argsort(excluded, kind="stable")
        codes, starts = np.unique(excluded[order], return_index=True)
        for count, (code, group) in enumerate(
            zip(codes.tolist(), np.split(order, starts[1:]), strict=True), 1
        ):
            left_out = divmod(code, self._n_parts)
            training_rows = np.flatnonzero(~np.isin(self._parts, left_out))
            fitted = self.featurizer.learned(self._read, self._all_entities, training_rows)
            numbers = group if rows is None else rows[group]
            yield from self._compare_sets(fitted, numbers)
            report("compare", count, len(codes))

    def _compare_sets(self, fitted: RecordFeatures, numbers: Ints) -> Iterator[tuple[Ints, Floats]]:
        bounds = np.searchsorted(numbers, self.starts)
        for index, records in enumerate(self._records):
            part = numbers[bounds[index] : bounds[index + 1]]
            if not len(part):
                continue
            weighed = fitted.weighed(records)
            for start in range(0, len(part), BLOCK):
                block = part[start : start + BLOCK]
                pairs = self._pairs[index][block - self.starts[index]]
                yield block, to_matrix(fitted.compare(weighed, pairs))

    @cached_property
    def _read(self) -> ParsedRecords:
        return self.featurizer.read(self.item_sets)

    @cached_property
    def _records(self) -> list[ParsedRecords]:
        if len(self.item_sets) == 1:
            return [self._read]
        return [self.featurizer.read([item_set]) for item_set in self.item_sets]

    @cached_property
    def _all_entities(self) -> Ints:
        return np.concatenate(self.entities)

    @cached_property
    def _n_parts(self) -> int:
        return min(N_PARTS, len(np.unique(self._all_entities)))

    @cached_property
    def _parts(self) -> Ints:
        return assign_parts(Partition(self._all_entities), self._n_parts, SEED)

    @cached_property
    def _pairs(self) -> list[Ints]:
        return [
            all_pairs(len(item_set)) if pairs is None else pairs
            for item_set, pairs in zip(self.item_sets, self.candidate_pairs, strict=True)
        ]

    @cached_property
    def starts(self) -> Ints:
        """The number of the first pair of each set, and the number of all pairs."""
        return np.cumsum([0, *map(len, self._pairs)])

    @cached_property
    def _excluded(self) -> NDArray[np.int16]:
        """The two parts that are left out of each pair, as one number."""
        offsets = np.cumsum([len(item_set) for item_set in self.item_sets])[:-1]
        codes = [
            excluded_parts(parts[pairs], pairs.sum(axis=1), self._n_parts)
            @ np.array([self._n_parts, 1])
            for parts, pairs in zip(np.split(self._parts, offsets), self._pairs, strict=True)
        ]
        return np.concatenate(codes).astype(np.int16)


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
    compared = CrossFittedPairs(featurizer, item_sets, entities, candidate_pairs)
    matrix = np.empty((compared.n_pairs, compared.n_columns))
    for block, features in compared.compared():
        matrix[block] = features
    parts = np.split(matrix, compared.starts[1:-1])
    return [
        ItemSet.from_pair_features(part, len(item_set), pairs)
        for part, item_set, pairs in zip(parts, item_sets, candidate_pairs, strict=True)
    ]


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
