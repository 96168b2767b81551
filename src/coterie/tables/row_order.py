"""The order of the rows of a table that are clustered with each other: by a hash of their cells.

The result must not depend on the order of the rows of a file, and a part of the table must be in
the same order as it is in the table. A hash of the cells gives an order that two machines agree on
without knowing the other rows.
"""

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Ints
from coterie.items import ItemSet

SEPARATOR = "\x1f"
"""The character that is written between the cells of a row before they are hashed."""


def content_hashes(item_set: ItemSet) -> NDArray[np.uint64]:
    """Return the hash of the cells of each row: BLAKE2b with 8 bytes, the lowest byte first.

    >>> content_hashes(ItemSet({"name": ["Ann", "Bob", "Ann"], "town": ["Ulm", "", "Ulm"]}))
    array([16727033375866652989,  4864849858539492768, 16727033375866652989],
          dtype=uint64)
    """
    columns = [item_set.items[name] for name in item_set.items]
    digests = b"".join(
        blake2b(SEPARATOR.join(cells).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for cells in zip(*columns, strict=True)
    )
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def canonical_order(item_set: ItemSet) -> Ints:
    """Return the rows by the hash of their cells, then by the cells; equal rows keep their order.

    Groups of rows list equal rows by their ids.
    """
    hashes = content_hashes(item_set)
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    if np.all(ordered[1:] > ordered[:-1]):
        return order
    columns = [item_set.items[name] for name in item_set.items]
    rows = list(zip(hashes.tolist(), *columns, strict=True))
    return np.array(sorted(range(len(rows)), key=rows.__getitem__), dtype=np.intp)
