"""Blockers: which pairs of an item set are looked at.

A blocker is a frozen callable from an item set to its pairs, i < j, sorted, each once; None stands
for all pairs. Of an item set of pair features only the pairs that it has are ever returned.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import norm as sparse_norm

from coterie._arguments import as_real, as_whole
from coterie._arrays import Floats, Ints, Pairs, read_only
from coterie._columns import column_of, is_missing, kind_of, tokens_of
from coterie._memory import refuse_too_large
from coterie._values import Value
from coterie.exceptions import InputError, ItemSetError
from coterie.features._blocks import row_blocks
from coterie.features._name_tokens import names_of
from coterie.features._words import Vocabulary
from coterie.items import ItemSet, PairFeatures, as_item_set
from coterie.pairs import count_pairs

__all__ = ["AllPairs", "Canopies", "NearestNeighbours", "SharedKeys", "Window"]

_log = logging.getLogger(__name__)

ROUNDING = 1e-9
"""How far below a threshold a cosine may be that equals it but for rounding."""


class PairBlocker(Value, ABC):
    """A frozen callable from an item set to the pairs that are looked at."""

    def __call__(self, item_set: ItemSet) -> Pairs | None:
        """Return the pairs, i < j, sorted by (i, j), each once; None stands for all pairs."""
        item_set = as_item_set(item_set)
        n_items = len(item_set)
        if n_items < 2:
            return None
        keys = self._keys(item_set.items, n_items)
        if keys is not None and len(keys) == count_pairs(n_items):
            keys = None
        # Pairs that an item set lists itself stay a list: they may be all, but in another order.
        keys = _present(keys, item_set.items)
        return None if keys is None else _as_pairs(keys, n_items)

    @abstractmethod
    def _keys(self, items: Any, n_items: int) -> Ints | None:
        """Return the sorted keys i n + j of the pairs of at least two items; None for all."""


@dataclass(frozen=True)
class AllPairs(PairBlocker):
    """Look at all pairs, or at all that an item set of pair features has.

    Examples
    --------
    >>> AllPairs()(ItemSet([[1.0], [2.0], [3.0]])) is None
    True
    >>> AllPairs()(ItemSet.from_pair_features([[0.5], [0.1]], 3, [(1, 2), (0, 1)])).tolist()
    [[0, 1], [1, 2]]
    """

    def _keys(self, items: Any, n_items: int) -> Ints | None:  # noqa: ARG002
        return None


@dataclass(frozen=True)
class Window(PairBlocker):
    """Look at the pairs of items that are at most `n` places apart in the order of the items.

    Parameters
    ----------
    n
        The largest number of places between two items; 1 pairs each item with the next.

    Examples
    --------
    >>> Window(1)(ItemSet(["a", "b", "c"])).tolist()
    [[0, 1], [1, 2]]
    """

    n: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", as_whole("n", self.n, 1))

    def _keys(self, items: Any, n_items: int) -> Ints | None:  # noqa: ARG002
        if self.n >= n_items - 1:
            return None
        order = np.arange(n_items)
        return _join(order, np.minimum(self.n, order[::-1]), n_items)


@dataclass(frozen=True)
class SharedKeys(PairBlocker):
    """Look at the pairs that share a value of at least one of the named columns.

    A value may be a list, tuple, set or array of tokens; items then share a key if they share a
    token. None, NaN, other missing values and the empty text share nothing. The items of one key
    are a block; how many blocks and pairs are left out as too large is logged as a warning.

    Parameters
    ----------
    columns
        Names of columns of a data frame, or of items given as a mapping of names to columns.
    max_block
        The number of items above which a block is left out: its key says too little.

    Examples
    --------
    >>> people = ItemSet({"name": ["Ann", "Bob", "Ann"], "towns": [["Rome", "Bari"], ["Rome"], []]})
    >>> SharedKeys(["name", "towns"])(people).tolist()
    [[0, 1], [0, 2]]
    """

    columns: Sequence[str]
    max_block: int = 1000

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", _as_names(self.columns))
        object.__setattr__(self, "max_block", as_whole("max_block", self.max_block, 2))

    def _keys(self, items: Any, n_items: int) -> Ints:
        columns = [(name, column_of(items, name, "SharedKeys")) for name in self.columns]
        return _distinct(np.concatenate([self._shared(*column, n_items) for column in columns]))

    def _shared(self, name: str, values: Sequence[Any], n_items: int) -> Ints:
        """Return the keys of the pairs that share a value of one column."""
        blocks, owners = np.divmod(_memberships(name, values), n_items)
        sizes = np.bincount(blocks)
        self._tell_left_out(name, sizes[sizes > self.max_block])
        kept = sizes[blocks] <= self.max_block
        blocks, owners = blocks[kept], owners[kept]
        after = np.searchsorted(blocks, blocks, side="right") - np.arange(len(blocks)) - 1
        return _join(owners, after, n_items)

    def _tell_left_out(self, name: str, sizes: Ints) -> None:
        if not sizes.size:
            return
        _log.warning(
            "column %r: left out %d blocks of more than %d items (the largest has %d), up to %d "
            "pairs; raise max_block to look at them",
            *(name, len(sizes), self.max_block, sizes.max(), np.sum(sizes * (sizes - 1) // 2)),
        )


@dataclass(frozen=True)
class NearestNeighbours(PairBlocker):
    """Look at the pairs in which one item is among the nearest of the other, by cosine.

    Of equally near items the first count. A vector of zeros is near nothing. The cosines are
    computed for some items with all others at a time, never for all with all.

    Parameters
    ----------
    n_neighbours
        How many nearest items each item is paired with.

    Examples
    --------
    >>> NearestNeighbours(1)(ItemSet([[1.0, 0.0], [0.0, 1.0], [2.0, 0.1], [0.0, 0.0]])).tolist()
    [[0, 2], [1, 2]]
    """

    n_neighbours: int

    def __post_init__(self) -> None:
        count = as_whole("n_neighbours", self.n_neighbours, 1)
        object.__setattr__(self, "n_neighbours", count)

    def _keys(self, items: Any, n_items: int) -> Ints:
        if not isinstance(items, np.ndarray) and not sp.issparse(items):
            raise ItemSetError(
                f"NearestNeighbours compares vectors, but the items are {kind_of(items)}; give a "
                "matrix with one row an item, or another blocker"
            )
        vectors, which = directions(items)
        first, second = which[_neighbours(vectors, self.n_neighbours)]
        low, high = np.minimum(first, second), np.maximum(first, second)
        return _distinct(low * n_items + high)


@dataclass(frozen=True)
class Canopies(PairBlocker):
    """Look at the pairs that share a canopy, by a cheap distance: 1 less the cosine.

    McCallum, Nigam & Ungar 2000: the first item that is left becomes a centre; all items whose
    distance from it is at most `loose` are its canopy, and those at most `tight` away are no longer
    left to become centres; this goes on until none is left. Canopies overlap. Centres are taken by
    the order of the items, in the original at random. The smaller `tight`, the more there are; at
    0, all pairs at most `loose` apart are looked at. Items of zeros or without words are near none.

    Texts are compared by the TF-IDF of their words, as `Vocabulary` has it, learned from the items.

    Parameters
    ----------
    loose
        Up to which distance, 0 to 2, an item is in the canopy of a centre.
    tight
        Up to which distance, at most `loose`, an item is no centre of its own.
    columns
        Names of columns of texts, whose words are taken together. None compares items that are
        texts or vectors themselves.

    Examples
    --------
    >>> titles = ItemSet(["Learning to fly", "To fly", "Kites", "On kites"])
    >>> Canopies(loose=0.7, tight=0.3)(titles).tolist()
    [[0, 1], [2, 3]]
    """

    loose: float = 0.8
    tight: float = 0.4
    columns: Sequence[str] | None = None

    def __post_init__(self) -> None:
        loose = as_real("loose", self.loose, high=2.0)
        object.__setattr__(self, "loose", loose)
        object.__setattr__(self, "tight", as_real("tight", self.tight, high=loose))
        if self.columns is not None:
            object.__setattr__(self, "columns", _as_names(self.columns))

    def _keys(self, items: Any, n_items: int) -> Ints:
        vectors, which = directions(self._vectors(items))
        canopies = _canopies(vectors, 1.0 - self.loose, 1.0 - self.tight)
        sizes = np.array([len(members) for members in canopies], dtype=np.intp)
        refuse_too_large(min(int(sizes @ sizes), n_items**2), "what canopies have in common")
        members = which[np.concatenate([which[:0], *canopies])]
        parts = np.ones(len(members), np.bool_), members, np.cumsum([0, *sizes])
        inside = sp.csr_array(parts, shape=(len(canopies), n_items))
        low, high = sp.triu(inside.T @ inside, 1).nonzero()
        return np.sort(low.astype(np.intp) * n_items + high)

    def _vectors(self, items: Any) -> Any:
        if self.columns is None and (isinstance(items, np.ndarray) or sp.issparse(items)):
            return items
        texts = _texts(items, self.columns)
        known = Vocabulary.learned(texts, min_texts=1)
        return known.tfidf(known.counts(texts))


# Pairs as numbers.


def _join(owners: Ints, after: Ints, n_items: int) -> Ints:
    """Return the keys i n + j of each owner i with as many of those after it as `after` says."""
    total = int(after.sum())
    refuse_too_large(4 * total, f"a list of {total:,} pairs")
    starts = np.cumsum(after) - after
    later = np.repeat(np.arange(len(owners)) + 1 - starts, after)
    later += np.arange(total)
    keys: Ints = np.repeat(owners * n_items, after) + owners[later]
    return keys


def _distinct(keys: Ints) -> Ints:
    """Return the keys sorted, each once."""
    # Many times faster than np.unique, which hashes whole numbers.
    ordered = np.sort(keys)
    first: Ints = ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(keys)]]
    return first


def _present(keys: Ints | None, items: Any) -> Ints | None:
    """Keep the pairs that the items have: pair features may be of some pairs only."""
    if not isinstance(items, PairFeatures) or items.pairs is None:
        return keys
    there = np.sort(items.pairs[:, 0] * items.n_items + items.pairs[:, 1])
    return there if keys is None else np.intersect1d(there, keys, assume_unique=True)


def _as_pairs(keys: Ints, n_items: int) -> Pairs:
    return read_only(np.column_stack(np.divmod(keys, n_items)))


# Columns and their values.


def _as_names(columns: Any) -> tuple[str, ...]:
    is_list = isinstance(columns, Iterable) and not isinstance(columns, str)
    names = tuple(columns) if is_list else (columns,)
    if not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"columns are {columns!r}; give the name of at least one column")
    return names


def _memberships(name: str, values: Sequence[Any]) -> Ints:
    """Return the sorted numbers b n + i, each once, of the items i that have a token b."""
    tokens = [tokens_of(value) for value in values]
    owners = np.repeat(np.arange(len(tokens)), [len(each) for each in tokens])
    numbers: dict[Any, int] = {}
    try:
        codes = [numbers.setdefault(token, len(numbers)) for token in chain.from_iterable(tokens)]
    except TypeError as error:
        raise _unusable(name, tokens) from error
    block = np.array(codes, dtype=np.intp)
    known = np.array([not is_missing(token) for token in numbers], dtype=bool)[block]
    return _distinct(block[known] * len(tokens) + owners[known])


def _unusable(name: str, tokens: Sequence[Collection[Any]]) -> ItemSetError:
    each = ((item, token) for item, own in enumerate(tokens) for token in own)
    item, token = next((item, token) for item, token in each if not _is_hashable(token))
    return ItemSetError(
        f"column {name!r}, item {item}: a {type(token).__name__} is no key; give numbers, texts "
        "or lists of them"
    )


def _is_hashable(token: Any) -> bool:
    try:
        hash(token)
    except TypeError:
        return False
    return True


def _texts(items: Any, columns: Sequence[str] | None) -> list[str]:
    """Return the text of each item: itself, or those of columns with blanks between."""
    if columns is None and not isinstance(items, tuple):
        raise ItemSetError(
            f"Canopies compares texts or vectors, but the items are {kind_of(items)}; give the "
            "names of columns of texts, or another blocker"
        )
    read = [names_of(ItemSet(items), name, "Canopies") for name in columns or ("text",)]
    return [" ".join(text or "" for text in texts) for texts in zip(*read, strict=True)]


# Cosines.


def directions(matrix: Any) -> tuple[Any, Ints]:
    """Return the rows at length 1 and their items, without those of zeros."""
    norm = sparse_norm if sp.issparse(matrix) else np.linalg.norm
    largest = norm(matrix, np.inf, axis=1) if matrix.shape[1] else np.zeros(matrix.shape[0])
    which = np.flatnonzero(largest)
    # First by the largest entry, so that no square over- or underflows.
    rows = _divided(matrix[which].astype(np.float64, copy=False), largest[which])
    return _divided(rows, norm(rows, axis=1)), which


def _divided(matrix: Any, divisors: Floats) -> Any:
    """Divide each row by its number."""
    if not sp.issparse(matrix):
        return matrix / divisors[:, None]
    data = matrix.data / np.repeat(divisors, np.diff(matrix.indptr))
    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def _canopies(vectors: Any, loose: float, tight: float) -> list[Ints]:
    """Return the members of each canopy, those whose cosine with its centre is `loose` or more."""
    others = vectors.T.tocsr() if sp.issparse(vectors) else vectors.T
    left = np.ones(vectors.shape[0], dtype=np.bool_)
    found = []
    for centre in range(len(left)):
        if left[centre]:
            row = vectors[[centre]] @ others
            cosines = row.toarray()[0] if sp.issparse(row) else row[0]
            found.append(np.flatnonzero(cosines >= loose - ROUNDING))
            left &= cosines < tight - ROUNDING
    return found


def _neighbours(vectors: Any, n_neighbours: int) -> Ints:
    """Return the pairs (item, one of its nearest), of shape (2, m)."""
    n_items = vectors.shape[0]
    count = min(n_neighbours, n_items - 1)
    if count < 1:
        return np.empty((2, 0), dtype=np.intp)
    others = vectors.T.tocsr() if sp.issparse(vectors) else vectors.T
    found = []
    # A quarter of the usual height: what follows is fastest while it stays in the cache.
    for rows in row_blocks(n_items, 4 * n_items):
        block = vectors[rows] @ others
        ranks = _ranks(block.toarray() if sp.issparse(block) else block)
        own = np.arange(rows.start, rows.stop)
        ranks[own - rows.start, own] = np.iinfo(np.intp).min
        nearest = np.argpartition(ranks, -count, axis=1)[:, -count:]
        found.append(np.stack([np.repeat(own, count), nearest.ravel()]))
    return np.concatenate(found, axis=1)


def _ranks(cosines: Floats) -> Ints:
    """Return whole numbers in the order of the cosines; of equal ones the first is higher."""
    n_items = cosines.shape[1]
    # The last digits depend on the order of summation, and would part what is equal.
    levels = min(10**12, 2**62 // n_items)
    ranks: Ints = np.rint(cosines * levels).astype(np.intp)
    ranks *= n_items
    ranks -= np.arange(n_items)
    return ranks
