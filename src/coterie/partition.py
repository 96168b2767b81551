"""Partitions of items into clusters, as values."""

from collections.abc import Collection, Hashable, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import connected_components

from coterie._arrays import Bools, Ints, Pairs, read_only
from coterie.exceptions import PartitionError, located
from coterie.pairs import all_pairs, as_pairs

__all__ = [
    "Partition",
    "PartitionLike",
    "as_partition",
    "as_partitions",
    "is_clusters",
    "label_codes",
]

Labels: TypeAlias = Sequence[Hashable] | NDArray[Any]
Clusters: TypeAlias = Collection[Collection[Hashable]]


@dataclass(frozen=True, eq=False, repr=False)
class Partition:
    """A division of n items into clusters, whatever the clusters are called.

    Two partitions are equal when they group the items alike.

    Parameters
    ----------
    labels
        One label an item, of any hashable kind; items with equal labels are together. Kept as
        integers 0, 1, … by first appearance.

    Examples
    --------
    >>> p = Partition(["x", "y", "x"])
    >>> p
    Partition([0, 1, 0])
    >>> p == Partition([7, 3, 7])
    True
    >>> [c.tolist() for c in p.clusters], p.sizes.tolist()
    ([[0, 2], [1]], [2, 1])
    """

    labels: Ints

    def __init__(self, labels: Labels | ArrayLike) -> None:
        object.__setattr__(self, "labels", read_only(by_first_appearance(label_codes(labels))))

    @classmethod
    def from_clusters(cls, clusters: Iterable[Iterable[int]], n_items: int | None = None) -> Self:
        """Make a partition from lists of item indices.

        With `n_items`, items in no list are alone; without it, each of 0..n-1 must be in one.

        >>> Partition.from_clusters([[0, 2], [1]])
        Partition([0, 1, 0])
        >>> Partition.from_clusters([[3, 1]], n_items=4)
        Partition([0, 1, 2, 1])
        """
        members = [np.asarray(list(cluster)) for cluster in clusters]
        sizes = [len(cluster) for cluster in members]
        items = np.concatenate(members) if sum(sizes) else np.empty(0, dtype=np.intp)
        total = sum(sizes) if n_items is None else n_items
        _refuse_bad_members(items, total)
        labels = -np.arange(1, total + 1)
        labels[items] = np.repeat(np.arange(len(sizes)), sizes)
        return cls(labels)

    @classmethod
    def from_links(cls, links: ArrayLike, n_items: int) -> Self:
        """Join the two items of each link; clusters are what the links connect.

        >>> Partition.from_links([(0, 2), (2, 3)], n_items=4)
        Partition([0, 1, 0, 0])
        """
        pairs = as_pairs(links, n_items)
        first, second = (all_pairs(n_items) if pairs is None else pairs).T
        graph = sp.coo_array((np.ones(len(first)), (first, second)), shape=(n_items, n_items))
        return cls(connected_components(graph, directed=False)[1])

    @cached_property
    def sizes(self) -> Ints:
        """The number of items in each cluster, in the order of the labels."""
        return read_only(np.bincount(self.labels))

    @cached_property
    def clusters(self) -> tuple[Ints, ...]:
        """The item indices of each cluster, in the order of the labels."""
        order = read_only(np.argsort(self.labels, kind="stable"))
        return tuple(np.split(order, np.cumsum(self.sizes)[:-1])) if len(self) else ()

    @property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return len(self.sizes)

    def together(self, pairs: Pairs | None = None) -> Bools:
        """Say of each pair whether its items share a cluster; None asks of all pairs.

        >>> Partition([0, 1, 0]).together().tolist()
        [False, True, False]
        """
        first, second = (all_pairs(len(self)) if pairs is None else np.asarray(pairs)).T
        shared: Bools = self.labels[first] == self.labels[second]
        return shared

    def __len__(self) -> int:
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Partition):
            return NotImplemented
        return np.array_equal(self.labels, other.labels)

    def __hash__(self) -> int:
        return hash(self.labels.tobytes())

    def __repr__(self) -> str:
        shown = np.array2string(self.labels, separator=", ", threshold=20)
        return f"Partition({shown})"


PartitionLike: TypeAlias = Partition | Labels | Clusters


def as_partition(value: PartitionLike, n_items: int | None = None) -> Partition:
    """Take a partition, labels or clusters of item indices as a `Partition`.

    >>> as_partition(["a", "b", "a"]) == as_partition([[0, 2], [1]])
    True
    """
    if isinstance(value, Partition):
        partition = value
    elif is_clusters(value):
        partition = Partition.from_clusters(value)  # type: ignore[arg-type]
    else:
        partition = Partition(value)  # type: ignore[arg-type]
    if n_items is not None and len(partition) != n_items:
        raise PartitionError(
            f"the partition covers {len(partition)} items, but the item set has {n_items}; "
            "give one label for each item"
        )
    return partition


def as_partitions(values: Sequence[PartitionLike], lengths: Sequence[int]) -> list[Partition]:
    """Take one partition for each item set, whose numbers of items are `lengths`."""
    if len(values) != len(lengths):
        raise PartitionError(
            f"there are {len(lengths)} item sets, but {len(values)} partitions; give one for each"
        )
    partitions = []
    for number, (value, length) in enumerate(zip(values, lengths, strict=True)):
        with located(f"partition of item set {number}"):
            partitions.append(as_partition(value, length))
    return partitions


def is_clusters(value: object) -> bool:
    """Tell clusters (lists, sets or arrays of items) from labels (hashable, one an item)."""
    if isinstance(value, np.ndarray) or not isinstance(value, Collection):
        return False
    kinds = {type(element) for element in value}
    if tuple in kinds:
        raise PartitionError(
            "the elements are tuples, which could be labels or clusters; give clusters as lists or "
            "sets, labels that are tuples as Partition(labels)"
        )
    return bool(kinds) and all(issubclass(kind, list | Set | np.ndarray) for kind in kinds)


def label_codes(labels: Labels | ArrayLike) -> Ints:
    """Replace labels by small non-negative integers, equal for equal labels."""
    array = _label_array(labels)
    if array.dtype.kind in "iub" and array.size:
        low, high = int(array.min()), int(array.max())
        if high - low <= 4 * array.size + 1000:
            codes: Ints = array.astype(np.intp) - low if low else array.astype(np.intp, copy=False)
            return codes
    if array.dtype.kind in "iubf":
        _refuse_missing(np.isnan(array))
        return np.unique(array, return_inverse=True)[1]
    return _hashed_codes(array.tolist())


def by_first_appearance(codes: Ints) -> Ints:
    """Renumber non-negative integers 0, 1, … in the order in which they first appear."""
    first = np.full(codes.max(initial=-1) + 1, len(codes), dtype=np.intp)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[codes]


def _label_array(labels: Any) -> NDArray[Any]:
    if hasattr(labels, "__array__"):
        array = np.asarray(labels)
    else:
        listed = list(labels)
        array = np.empty(len(listed), dtype=object)
        array[:] = listed
    if array.ndim != 1:
        raise PartitionError(
            f"labels have shape {array.shape}; give one label an item, in one dimension"
        )
    return array


def _hashed_codes(labels: list[Any]) -> Ints:
    seen: dict[Hashable, int] = {}
    try:
        codes = np.array([seen.setdefault(label, len(seen)) for label in labels], dtype=np.intp)
    except TypeError as error:
        raise PartitionError(f"labels must be hashable: {error}") from error
    missing = [code for label, code in seen.items() if _is_missing(label)]
    _refuse_missing(np.isin(codes, missing))
    return codes


def _is_missing(label: Any) -> bool:
    if label is None:
        return True
    try:
        return bool(label != label)  # noqa: PLR0124  (true of NaN alone)
    except (TypeError, ValueError):
        return True


def _refuse_missing(missing: Bools) -> None:
    if np.any(missing):
        raise PartitionError(
            f"item {np.argmax(missing)} has no label (None or NaN); "
            "label it, or leave the item out of the item set"
        )


def _refuse_bad_members(items: NDArray[Any], n_items: int) -> None:
    if items.size and items.dtype.kind not in "iu":
        raise PartitionError(f"cluster members are of type {items.dtype}; give item indices")
    outside = items[(items < 0) | (items >= n_items)]
    if outside.size:
        raise PartitionError(
            f"item {outside[0]} is in a cluster, but the {n_items} items are 0 to {n_items - 1}; "
            "each item must be in exactly one cluster"
        )
    twice = np.flatnonzero(np.bincount(items.astype(np.intp), minlength=n_items) > 1)
    if twice.size:
        raise PartitionError(f"item {twice[0]} is in more than one cluster; put it in one")
