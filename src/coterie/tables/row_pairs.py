"""Must-link and cannot-link pairs of ids as pairs of the rows of a set."""

from collections.abc import Sequence

import numpy as np

from coterie._core.arrays import Pairs
from coterie._core.indices import as_links as canonical
from coterie._core.texts import quote
from coterie.exceptions import InputError
from coterie.tables.constraints import IdPairs, as_links
from coterie.tables.groups import Group


def row_pairs(pairs: IdPairs, ids: Sequence[str], *, are_apart: bool = False) -> Pairs:
    """Return pairs of ids as pairs of row indices."""
    links = as_links(pairs, ids, are_apart=are_apart)
    return np.array(links, dtype=np.intp).reshape(-1, 2)


def refuse_across_sets(must_link: Pairs, groups: Sequence[Group], ids: Sequence[str]) -> None:
    """Refuse must-link pairs of rows that are in different sets."""
    if not len(must_link):
        return
    names = {row: group.name for group in groups for row in group.rows.tolist()}
    for first, second in must_link.tolist():
        if names[first] != names[second]:
            raise InputError(
                f"{quote(ids[first])} and {quote(ids[second])} are a must-link pair, but are in "
                f"different sets, {quote(names[first])} and {quote(names[second])}, and each set "
                "is clustered separately; drop the pair, or put both rows into the same set"
            )


def within_group(pairs: Pairs, group: Group, n_rows: int) -> Pairs:
    """Return the pairs whose rows are both in a group, as indices of its items."""
    items = np.full(n_rows, -1, dtype=np.intp)
    items[group.rows] = np.arange(len(group.rows))
    ends = items[pairs]
    return canonical(ends[(ends >= 0).all(axis=1)], len(group.rows))
