"""Rows that are equal in all compared columns: one item while rows are clustered.

Copies of a row tell nothing new. As rows of their own they would fill blocks, weigh in means and
make values seem common. So only the first of them is blocked, compared and clustered; the others
follow it. Items are ordered by the hashes of their cells; see `coterie.tables.row_order`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from coterie._core.arrays import Bools, Floats, Ints, Pairs
from coterie._core.indices import as_links, condensed_positions
from coterie.items import ItemSet
from coterie.pairs import PairScores
from coterie.partition import Partition
from coterie.tables.links import RowConstraints
from coterie.tables.row_order import canonical_order

Score = Callable[[ItemSet, Pairs], Floats]
"""A function that scores pairs of the rows of an item set."""


@dataclass(frozen=True, eq=False)
class EqualRows:
    """The items that the rows of a set are, and the scores of equal rows with each other.

    Parameters
    ----------
    item_of_row
        The item of each row; items are numbered in canonical order.
    twin_scores
        The score of two rows of each item with each other; NaN for an item of one row.
    """

    item_of_row: Ints
    twin_scores: Floats

    @classmethod
    def of(
        cls,
        item_set: ItemSet,
        constraints: RowConstraints,
        score: Score,
        classes: Ints | None = None,
    ) -> Self:
        """Find the rows that are equal in all columns, and score them with each other.

        Equal rows stay separate items if the model keeps a pair of such rows apart, if they are
        blank, or if constraints could part them. `classes` are those of `equal_classes`.
        """
        classes = equal_classes(item_set) if classes is None else classes
        is_alone = _is_constrained(len(item_set), constraints)
        equal = cls._grouped(classes, is_alone)
        several = np.flatnonzero(equal.sizes > 1)
        if not len(several):
            return equal
        twins, pairs = twin_rows(item_set, equal.first_rows[several])
        twin_scores = equal.twin_scores.copy()
        twin_scores[several] = score(twins, pairs)
        # Two rows that are equal, but say too little to belong together, such as two people of whom
        # only the town is known.
        is_apart = (twin_scores <= 0.0)[equal.item_of_row]
        if not is_apart.any():
            return cls(equal.item_of_row, twin_scores)
        row_scores = np.where(is_apart, np.nan, twin_scores[equal.item_of_row])
        divided = cls._grouped(equal.item_of_row, is_apart)
        return cls(divided.item_of_row, row_scores[divided.first_rows])

    @classmethod
    def _grouped(cls, classes: Ints, is_alone: Bools) -> Self:
        """Make one item of the rows of each class, and one of each row that is alone.

        Items are in the order of their classes, and items of one class in the order of their rows.
        """
        rows = np.arange(len(classes))
        _, items = np.unique(
            np.where(is_alone, rows + 1, 0) + classes * (len(rows) + 1), return_inverse=True
        )
        return cls(items, np.full(int(items.max(initial=-1)) + 1, np.nan))

    @cached_property
    def sizes(self) -> Ints:
        """The number of rows of each item."""
        return np.bincount(self.item_of_row, minlength=len(self.twin_scores))

    @cached_property
    def first_rows(self) -> Ints:
        """The first row of each item."""
        first: Ints = np.unique(self.item_of_row, return_index=True)[1].astype(np.intp)
        return first

    @property
    def has_copies(self) -> bool:
        """True if any item has several rows."""
        return len(self.twin_scores) < len(self.item_of_row)

    def items(self, item_set: ItemSet) -> ItemSet:
        """Return the first rows of items as an item set."""
        return take_rows(item_set, self.first_rows)

    def items_of(self, pairs: Pairs) -> Pairs:
        """Return pairs of rows as pairs of items; pairs within an item are left out."""
        ends = self.item_of_row[pairs]
        return as_links(ends[ends[:, 0] != ends[:, 1]], len(self.twin_scores))

    def rows_together(self, partition: Partition) -> Partition:
        """Return the partition of rows for a partition of items."""
        return Partition(partition.labels[self.item_of_row])

    def row_scores(self, scores: PairScores) -> PairScores:
        """Return scores of rows: those of the first rows of items, and of copies with the first."""
        pairs = np.sort(self.first_rows[scores.pairs], axis=1)
        if not self.has_copies:
            return _reordered(scores, pairs)
        copies = np.delete(np.arange(len(self.item_of_row)), self.first_rows)
        items = self.item_of_row[copies]
        copy_pairs = np.column_stack([self.first_rows[items], copies])
        return PairScores(
            len(self.item_of_row),
            np.concatenate([pairs, copy_pairs]),
            np.concatenate([scores.scores, self.twin_scores[items]]),
        )

    def n_pairs(self, pairs: Pairs) -> Floats:
        """Return for each listed pair the number of pairs of rows whose score it gives."""
        items = self.item_of_row[pairs]
        counts = self.sizes[items].astype(np.float64)
        is_copy = items[:, 0] == items[:, 1]
        # The pairs of the first row with its m - 1 copies stand for all m (m - 1) / 2 pairs.
        return np.where(is_copy, counts[:, 0] / 2.0, counts.prod(axis=1))


def _reordered(scores: PairScores, pairs: Pairs) -> PairScores:
    """Return scores of items as those of as many rows, whose pairs are aligned with the scores."""
    if scores.listed is not None:
        return PairScores(scores.n_items, pairs, scores.scores)
    values = np.empty(len(pairs))
    values[condensed_positions(pairs, scores.n_items)] = scores.scores
    return PairScores(scores.n_items, None, values)


def different_rows(item_set: ItemSet) -> ItemSet:
    """Return the rows of an item set without the copies of earlier rows."""
    first = np.unique(equal_classes(item_set), return_index=True)[1]
    return item_set if len(first) == len(item_set) else take_rows(item_set, np.sort(first))


def are_first(item_set: ItemSet) -> Bools:
    """Return for each row whether no earlier row is equal to it."""
    is_first = np.zeros(len(item_set), dtype=np.bool_)
    classes = equal_classes(item_set)
    is_first[np.unique(classes, return_index=True)[1]] = True
    return is_first


def take_rows(item_set: ItemSet, rows: Ints) -> ItemSet:
    """Return some rows of an item set of columns."""
    columns, indices = item_set.items, rows.tolist()
    return ItemSet({name: [columns[name][row] for row in indices] for name in columns})


def twin_rows(item_set: ItemSet, rows: Ints) -> tuple[ItemSet, Pairs]:
    """Return an item set with two copies of each of some rows, and the pairs of the two."""
    first = np.arange(len(rows))
    pairs = np.column_stack([first, len(rows) + first])
    return take_rows(item_set, np.concatenate([rows, rows])), pairs


def equal_classes(item_set: ItemSet) -> Ints:
    """Return numbers of rows in canonical order: one of equal rows, and one of each blank row."""
    columns: Sequence[Sequence[str]] = [item_set.items[name] for name in item_set.items]
    rows, is_first = canonical_order(item_set)
    for position in np.flatnonzero(~is_first).tolist():
        row = rows[position]
        is_first[position] = not any(column[row].strip() for column in columns)
    classes = np.empty(len(rows), dtype=np.intp)
    classes[rows] = np.cumsum(is_first) - 1
    return classes


def _is_constrained(n_rows: int, constraints: RowConstraints) -> Bools:
    """Return whether each row, or any row that must-link pairs connect with it, must avoid another.

    Such rows stay alone: as a part of an item, they could bring together what must be apart.
    """
    must_link, cannot_link = constraints
    graph = sp.csr_array((np.ones(len(must_link)), must_link.T), shape=(n_rows, n_rows))
    groups = connected_components(graph, directed=False)[1]
    avoiding = np.zeros(n_rows, dtype=np.bool_)
    avoiding[groups[cannot_link]] = True
    is_constrained: Bools = avoiding[groups]
    return is_constrained
