"""Blocking of vectors: each item is paired with its nearest neighbours."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie._core.arguments import as_whole
from coterie._core.arrays import Floats, Ints
from coterie.blocking._base import PairBlocker, directions, sorted_unique
from coterie.exceptions import ItemSetError
from coterie.features.columns import describe_items
from coterie.features.operators.blocks import row_blocks

__all__ = ["NearestNeighbours"]


@dataclass(frozen=True)
class NearestNeighbours(PairBlocker):
    """List the pairs in which one item is among the nearest neighbours of the other, by cosine.

    Ties are resolved in favour of the items with smaller indices. A zero vector is in no pair. The
    cosines are computed for blocks of rows, so that the full matrix is never in memory.

    Parameters
    ----------
    n_neighbours
        The number of nearest items that each item is paired with.

    Examples
    --------
    >>> from coterie import ItemSet
    >>> NearestNeighbours(1)(ItemSet([[1.0, 0.0], [0.0, 1.0], [2.0, 0.1], [0.0, 0.0]])).tolist()
    [[0, 2], [1, 2]]
    """

    n_neighbours: int

    def __post_init__(self) -> None:
        count = as_whole("n_neighbours", self.n_neighbours, 1)
        object.__setattr__(self, "n_neighbours", count)

    def _pair_ids(self, items: Any, n_items: int) -> Ints:
        if not isinstance(items, np.ndarray) and not sp.issparse(items):
            raise ItemSetError(
                f"NearestNeighbours compares vectors, but the items are {describe_items(items)}; "
                "give a matrix with one row per item, or another blocker"
            )
        vectors, indices = directions(items)
        first, second = indices[_neighbours(vectors, self.n_neighbours)]
        low, high = np.minimum(first, second), np.maximum(first, second)
        return sorted_unique(low * n_items + high)


def _neighbours(vectors: Any, n_neighbours: int) -> Ints:
    """Return the pairs (item, neighbour) as an array of shape (2, m)."""
    n_items = vectors.shape[0]
    count = min(n_neighbours, n_items - 1)
    if count < 1:
        return np.empty((2, 0), dtype=np.intp)
    others = vectors.T.tocsr() if sp.issparse(vectors) else vectors.T
    neighbours = []
    # A quarter of the usual height, so that the ranks of a block stay in the processor's cache.
    for rows in row_blocks(n_items, 4 * n_items):
        block = vectors[rows] @ others
        ranks = _ranks(block.toarray() if sp.issparse(block) else block)
        items = np.arange(rows.start, rows.stop)
        ranks[items - rows.start, items] = np.iinfo(np.intp).min
        nearest = np.argpartition(ranks, -count, axis=1)[:, -count:]
        neighbours.append(np.stack([np.repeat(items, count), nearest.ravel()]))
    return np.concatenate(neighbours, axis=1)


def _ranks(cosines: Floats) -> Ints:
    """Return integers in the order of the cosines, where the first of equal cosines is largest."""
    n_items = cosines.shape[1]
    # Rounded, because the last digits depend on the order of summation and would break ties.
    levels = min(10**12, 2**62 // n_items)
    ranks: Ints = np.rint(cosines * levels).astype(np.intp)
    ranks *= n_items
    ranks -= np.arange(n_items)
    return ranks
