"""The order of the rows of a table that are clustered with each other: by a hash of their cells.

The result must not depend on the order of the rows of a file, and a part of the table must be in
the same order as it is in the table. A hash of the cells gives an order that two machines agree on
without knowing the other rows.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Bools, Ints
from coterie.items import ItemSet

SEPARATOR = "\x1f"
"""The character that is written between the cells of a row before they are hashed."""


def content_hashes(item_set: ItemSet) -> NDArray[np.uint64]:
    """Return the hash of the cells of each row: BLAKE2b with 8 bytes, the lowest byte first.

    >>> content_hashes(ItemSet({"name": ["Ann", "Bob", "Ann"], "town": ["Ulm", "", "Ulm"]}))
    array([16727033375866652989,  4864849858539492768, 16727033375866652989],
          dtype=uint64)
    """
    digests = b"".join(
        blake2b(SEPARATOR.join(cells).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for cells in zip(*_columns(item_set), strict=True)
    )
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


class RowOrder(NamedTuple):
    """The rows in canonical order, and whether each has other cells than the row before it."""

    rows: Ints
    is_other: Bools


def canonical_order(item_set: ItemSet) -> RowOrder:
    """Sort rows by the hash of their cells, then by the cells; equal rows keep their order.

    Groups of rows list equal rows by their ids.
    """
    hashes = content_hashes(item_set)
    rows = np.argsort(hashes, kind="stable")
    has_other_hash = np.append(True, hashes[rows[1:]] != hashes[rows[:-1]])[: len(rows)]
    is_other = has_other_hash | _has_other_cells(item_set, rows, ~has_other_hash)
    if np.array_equal(is_other, has_other_hash):
        return RowOrder(rows, is_other)
    cells = list(zip(hashes.tolist(), *_columns(item_set), strict=True))
    rows = np.array(sorted(range(len(rows)), key=cells.__getitem__), dtype=np.intp)
    return RowOrder(rows, has_other_hash | _has_other_cells(item_set, rows, ~has_other_hash))


def _has_other_cells(item_set: ItemSet, rows: Ints, selected: Bools) -> Bools:
    """Return whether each selected row has other cells than the row before it."""
    columns = _columns(item_set)
    has_other_cells = np.zeros(len(rows), dtype=np.bool_)
    for position in np.flatnonzero(selected).tolist():
        first, second = rows[position - 1], rows[position]
        has_other_cells[position] = any(column[first] != column[second] for column in columns)
    return has_other_cells


def _columns(item_set: ItemSet) -> list[Sequence[str]]:
    return [item_set.items[name] for name in item_set.items]
