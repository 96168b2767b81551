"""Items, and the features of their pairs, in another order."""

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from coterie._core.arrays import Floats, Ints, read_only
from coterie._core.indices import all_pairs, condensed_positions
from coterie.exceptions import ItemSetError


def as_order(order: ArrayLike, n_items: int) -> Ints:
    """Take the numbers of all items, first that of the item that is to come first.

    >>> as_order([0, 0, 2], n_items=3)
    Traceback (most recent call last):
    coterie.exceptions.ItemSetError: the order does not list each of the 3 items once; give the
    numbers below 3, each once
    """
    try:
        numbers = np.asarray(order)
    except ValueError:  # rows of several lengths
        numbers = np.empty((0, 0))
    fits = numbers.shape == (n_items,) and (n_items == 0 or numbers.dtype.kind in "iu")
    if not fits or not np.array_equal(np.sort(numbers), np.arange(n_items)):
        raise ItemSetError(
            f"the order does not list each of the {n_items} items once; give the numbers below "
            f"{n_items}, each once"
        )
    return read_only(numbers.astype(np.intp))


def in_order(rows: Any, order: Ints) -> Any:
    """Put the rows of a matrix or a frame, or the values of a column, in another order."""
    if isinstance(rows, np.ndarray) or sp.issparse(rows):
        return rows[order]
    known = nw.from_native(rows, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(known, nw.DataFrame | nw.Series):
        return known[order].to_native()
    if hasattr(rows, "take"):  # arrays of Arrow, indices of pandas
        return rows.take(order)
    values = list(rows)
    return tuple(values[number] for number in order)


def pairs_in_order(order: Ints) -> Ints:
    """Return where each pair of the reordered items was, all pairs being in condensed order.

    >>> pairs_in_order(np.array([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    before = np.sort(order[all_pairs(len(order))], axis=1)
    return condensed_positions(before, len(order))


@dataclass(frozen=True, eq=False)
class ReorderedFeatures:
    """An operator over pairs whose rows, and whose items, come in another order."""

    of: Any
    rows: Ints
    order: Ints

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""
        n_pairs, n_columns = self.of.shape
        return n_pairs, n_columns

    @property
    def T(self) -> "TransposedReordered":  # noqa: N802
        """The transpose, for `features.T @ weights`."""
        return TransposedReordered(self)

    @property
    def diagonal(self) -> Any:
        """The features of items with themselves; where there are none, they have no order."""
        own = self.of.diagonal
        return ReorderedFeatures(own, self.order, self.order) if own.shape[0] else own

    def __matmul__(self, coef: Floats) -> Floats:
        scores: Floats = (self.of @ coef)[self.rows]
        return scores


@dataclass(frozen=True, eq=False)
class TransposedReordered:
    """The transpose of reordered features: columns × pairs."""

    of: ReorderedFeatures

    def __matmul__(self, weights: Floats) -> Floats:
        before = np.empty(len(self.of.rows))
        before[self.of.rows] = weights
        total: Floats = self.of.of.T @ before
        return total
