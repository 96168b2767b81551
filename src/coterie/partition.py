"""Partitions of items into clusters, as values."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import connected_components

from coterie._core.arguments import as_whole
from coterie._core.arrays import Bools, Ints, read_only
from coterie._core.indices import MAX_MASKED_ITEMS, upper_triangle
from coterie.exceptions import PartitionError, located
from coterie.pairs import as_links, pair_indices

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
        members = [_as_members(cluster) for cluster in _listed(clusters, "clusters")]
        sizes = [len(cluster) for cluster in members]
        items = np.concatenate([np.empty(0, dtype=np.intp), *members])
        total = sum(sizes) if n_items is None else _as_n_items(n_items)
        _refuse_bad_members(items, total)
        labels = np.arange(len(sizes), len(sizes) + total)
        labels[items] = np.repeat(np.arange(len(sizes)), sizes)
        return cls(labels)

    @classmethod
    def from_links(cls, links: ArrayLike, n_items: int) -> Self:
        """Join the two items of each link; clusters are what the links connect.

        >>> Partition.from_links([(0, 2), (2, 3)], n_items=4)
        Partition([0, 1, 0, 0])
        """
        n_items = _as_n_items(n_items)
        first, second = as_links(links, n_items).T
        graph = sp.coo_array((np.ones(len(first)), (first, second)), shape=(n_items, n_items))
        return cls(connected_components(graph, directed=False)[1])

    @classmethod
    def concatenate(cls, partitions: Iterable["Partition"]) -> Self:
        """Put the items of several partitions, which share no cluster, one after the other.

        >>> Partition.concatenate([Partition([0, 0, 1]), Partition([0, 1, 0])])
        Partition([0, 0, 1, 2, 3, 2])
        """
        labels, n_clusters = [np.empty(0, dtype=np.intp)], 0
        for partition in partitions:
            labels.append(partition.labels + n_clusters)
            n_clusters += partition.n_clusters
        return cls(np.concatenate(labels))

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

    def together(self, pairs: ArrayLike | None = None) -> Bools:
        """Say of each pair whether its items share a cluster; None asks of all pairs.

        >>> Partition([0, 1, 0]).together().tolist()
        [False, True, False]
        """
        if pairs is None and len(self) <= MAX_MASKED_ITEMS:
            return upper_triangle(np.equal.outer(self.labels, self.labels))
        if pairs is None:
            rows = [self.labels[i] == self.labels[i + 1 :] for i in range(len(self))]
            return np.concatenate(rows) if rows else np.empty(0, dtype=np.bool_)
        first, second = pair_indices(pairs, len(self)).T
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

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.labels,)

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
    """Tell clusters (lists, sets, ranges, arrays of items) from labels (hashable, one an item)."""
    if isinstance(value, np.ndarray | str | bytes) or not isinstance(value, Collection):
        return False
    if isinstance(value, Mapping):
        raise PartitionError(
            "a mapping could name clusters or items; give its list(d.values()): clusters as lists, "
            "or labels in the order of the items"
        )
    kinds = {type(element) for element in value}
    if tuple in kinds:
        raise PartitionError(
            "the elements are tuples, which could be labels or clusters; give clusters as lists or "
            "sets, labels that are tuples as Partition(labels)"
        )
    return bool(kinds) and all(issubclass(kind, list | Set | range | np.ndarray) for kind in kinds)


def label_codes(labels: Any) -> Ints:
    """Replace labels, or those of a partition, by small non-negative integers."""
    array = _label_array(labels)
    if array.dtype.kind == "b":
        return array.astype(np.intp)
    if array.dtype.kind in "iu" and array.size:
        low, high = int(array.min()), int(array.max())
        if high - low <= 4 * array.size + 1000:
            return _shifted(array, low)
    if array.dtype.kind in "iuf":
        _refuse_missing(np.isnan(array))
        return np.unique(array, return_inverse=True)[1]
    return _hashed_codes(array.tolist())


def _shifted(array: NDArray[Any], low: int) -> Ints:
    """Return array − low, for integer types whose own range may not hold the difference."""
    wide = array.astype(np.uint64 if array.dtype.kind == "u" else np.int64, copy=False)
    return (
        (wide - wide.dtype.type(low)).astype(np.intp) if low else wide.astype(np.intp, copy=False)
    )


def by_first_appearance(codes: Ints) -> Ints:
    """Renumber non-negative integers 0, 1, … in the order in which they first appear."""
    first = np.full(codes.max(initial=-1) + 1, len(codes), dtype=np.intp)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[codes]


def _label_array(labels: Any) -> NDArray[Any]:
    if isinstance(labels, Partition):
        return labels.labels
    if isinstance(labels, np.ma.MaskedArray):
        _refuse_missing(np.ma.getmaskarray(labels))
    if hasattr(labels, "__array__"):
        array = np.asarray(labels)
    else:
        listed = _listed(labels, "labels")
        array = np.empty(len(listed), dtype=object)
        array[:] = listed
    if array.ndim != 1:
        raise PartitionError(
            f"labels have shape {array.shape}; give one label an item, in one dimension"
        )
    return array


def _listed(values: Any, what: str) -> list[Any]:
    """List what has an order, one an item or cluster."""
    unordered = isinstance(values, Mapping) or (what == "labels" and isinstance(values, Set))
    if unordered or isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise PartitionError(f"{what} are of type {type(values).__name__}; give a list or an array")
    return list(values)


def _as_members(cluster: Any) -> Ints:
    try:
        items = np.asarray(cluster if isinstance(cluster, np.ndarray) else list(cluster))
    except (TypeError, ValueError) as error:
        raise PartitionError(f"{cluster!r} is no cluster; give a list of item indices") from error
    if items.ndim != 1 or (items.size and items.dtype.kind not in "iu"):
        raise PartitionError(f"{cluster!r} is no cluster; give a list of item indices")
    return items.astype(np.intp)


def _as_n_items(n_items: int) -> int:
    return as_whole("n_items", n_items, error=PartitionError)


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


def _refuse_bad_members(items: Ints, n_items: int) -> None:
    outside = items[(items < 0) | (items >= n_items)]
    if outside.size:
        raise PartitionError(
            f"item {outside[0]} is in a cluster, but the {n_items} items are 0 to {n_items - 1}; "
            "each item must be in exactly one cluster"
        )
    twice = np.flatnonzero(np.bincount(items, minlength=n_items) > 1)
    if twice.size:
        raise PartitionError(f"item {twice[0]} is in more than one cluster; put it in one")
