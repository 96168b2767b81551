"""Partitions of items into clusters."""

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
    """A division of n items into clusters.

    Two partitions are equal if they group the items in the same way, whatever their labels.

    Parameters
    ----------
    labels
        One hashable label per item; items with equal labels share a cluster. The labels are
        replaced by the integers 0, 1, … in the order of their first appearance.

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
        """Make a partition from clusters that are given as lists of item indices.

        With `n_items`, an item that no list contains becomes a cluster of its own. Without it,
        every index from 0 to the highest must be in exactly one list.

        >>> Partition.from_clusters([[0, 2], [1]])
        Partition([0, 1, 0])
        >>> Partition.from_clusters([[3, 1]], n_items=4)
        Partition([0, 1, 2, 1])
        """
        members = [_as_members(cluster) for cluster in _as_list(clusters, "clusters")]
        sizes = [len(cluster) for cluster in members]
        items = np.concatenate([np.empty(0, dtype=np.intp), *members])
        total = sum(sizes) if n_items is None else _as_n_items(n_items)
        _refuse_bad_members(items, total)
        labels = np.arange(len(sizes), len(sizes) + total)
        labels[items] = np.repeat(np.arange(len(sizes)), sizes)
        return cls(labels)

    @classmethod
    def from_links(cls, links: ArrayLike, n_items: int) -> Self:
        """Make the clusters that links connect, from pairs of item indices.

        >>> Partition.from_links([(0, 2), (2, 3)], n_items=4)
        Partition([0, 1, 0, 0])
        """
        n_items = _as_n_items(n_items)
        first, second = as_links(links, n_items).T
        graph = sp.coo_array((np.ones(len(first)), (first, second)), shape=(n_items, n_items))
        return cls(connected_components(graph, directed=False)[1])

    @classmethod
    def concatenate(cls, partitions: Iterable["Partition"]) -> Self:
        """Append partitions of separate items to each other; their clusters stay separate.

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
        """Return for each pair whether one cluster holds both items; None means all pairs.

        >>> Partition([0, 1, 0]).together().tolist()
        [False, True, False]
        """
        if pairs is None and len(self) <= MAX_MASKED_ITEMS:
            return upper_triangle(np.equal.outer(self.labels, self.labels))
        if pairs is None:
            rows = [self.labels[i] == self.labels[i + 1 :] for i in range(len(self))]
            return np.concatenate(rows) if rows else np.empty(0, dtype=np.bool_)
        first, second = pair_indices(pairs, len(self)).T
        together: Bools = self.labels[first] == self.labels[second]
        return together

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
        labels = np.array2string(self.labels, separator=", ", threshold=20)
        return f"Partition({labels})"


PartitionLike: TypeAlias = Partition | Labels | Clusters


def as_partition(value: PartitionLike, n_items: int | None = None) -> Partition:
    """Convert labels, or clusters of item indices, to a `Partition`.

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
            "give one label per item"
        )
    return partition


def as_partitions(values: Sequence[PartitionLike], lengths: Sequence[int]) -> list[Partition]:
    """Convert one partition per item set; `lengths` are the numbers of items in the sets."""
    if len(values) != len(lengths):
        raise PartitionError(
            f"there are {len(lengths)} item sets, but {len(values)} partitions; give one partition "
            "per item set"
        )
    partitions = []
    for index, (value, length) in enumerate(zip(values, lengths, strict=True)):
        with located(f"partition of item set {index}"):
            partitions.append(as_partition(value, length))
    return partitions


def is_clusters(value: object) -> bool:
    """Return whether a value holds clusters (lists, sets, ranges or arrays of items), not labels.

    Labels are hashable, clusters are not.
    """
    if isinstance(value, np.ndarray | str | bytes) or not isinstance(value, Collection):
        return False
    if isinstance(value, Mapping):
        raise PartitionError(
            "the clustering is a mapping d, whose keys could be labels or items; if its "
            "values are clusters of items, give list(d.values()); if they are labels, give "
            "the labels in the order of the items"
        )
    kinds = {type(element) for element in value}
    if tuple in kinds:
        raise PartitionError(
            "the elements are tuples, which could be labels or clusters; give clusters as lists or "
            "sets, and labels as Partition(labels)"
        )
    return bool(kinds) and all(issubclass(kind, list | Set | range | np.ndarray) for kind in kinds)


def label_codes(labels: Any) -> Ints:
    """Replace labels, or the labels of a partition, by small non-negative integers."""
    array = _label_array(labels)
    if array.dtype.kind == "b":
        return array.astype(np.intp)
    if array.dtype.kind in "iu" and array.size:
        low, high = int(array.min()), int(array.max())
        if high - low <= 4 * array.size + 1000:
            return _subtract_lowest(array, low)
    if array.dtype.kind in "iuf":
        _refuse_missing(np.isnan(array))
        return np.unique(array, return_inverse=True)[1]
    return _hashed_codes(array.tolist())


def _subtract_lowest(array: NDArray[Any], low: int) -> Ints:
    """Return array − low, also where the integer type of the array cannot hold the difference."""
    wide = array.astype(np.uint64 if array.dtype.kind == "u" else np.int64, copy=False)
    return (
        (wide - wide.dtype.type(low)).astype(np.intp) if low else wide.astype(np.intp, copy=False)
    )


def by_first_appearance(codes: Ints) -> Ints:
    """Renumber non-negative integers as 0, 1, … in the order of their first appearance."""
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
        label_list = _as_list(labels, "labels")
        array = np.empty(len(label_list), dtype=object)
        array[:] = label_list
    if array.ndim != 1:
        raise PartitionError(
            f"labels have shape {array.shape}; give one label per item, in one dimension"
        )
    return array


def _as_list(values: Any, name: str) -> list[Any]:
    """List labels or clusters; only clusters may come in a set, because they need no order."""
    unordered = isinstance(values, Mapping) or (name == "labels" and isinstance(values, Set))
    if unordered or isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise PartitionError(f"{name} are of type {type(values).__name__}; give a list or an array")
    return list(values)


def _as_members(cluster: Any) -> Ints:
    try:
        items = np.asarray(cluster if isinstance(cluster, np.ndarray) else list(cluster))
    except (TypeError, ValueError) as error:
        raise _not_a_cluster(cluster) from error
    if items.ndim != 1 or (items.size and items.dtype.kind not in "iu"):
        raise _not_a_cluster(cluster)
    return items.astype(np.intp)


def _not_a_cluster(value: Any) -> PartitionError:
    return PartitionError(f"{value!r} is not a cluster; give a list of item indices")


def _as_n_items(n_items: int) -> int:
    return as_whole("n_items", n_items, error=PartitionError)


def _hashed_codes(labels: list[Any]) -> Ints:
    code_of: dict[Hashable, int] = {}
    try:
        codes = np.array([code_of.setdefault(label, len(code_of)) for label in labels], np.intp)
    except TypeError as error:
        raise PartitionError(f"labels must be hashable: {error}") from error
    missing = [code for label, code in code_of.items() if _is_missing(label)]
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
            "give it a label, or leave the item out of the item set"
        )


def _refuse_bad_members(items: Ints, n_items: int) -> None:
    outside = items[(items < 0) | (items >= n_items)]
    if outside.size:
        raise PartitionError(
            f"item {outside[0]} is in a cluster, but the {n_items} items are numbered from 0 "
            f"to {n_items - 1}; use only these numbers, each in exactly one cluster"
        )
    repeated = np.flatnonzero(np.bincount(items, minlength=n_items) > 1)
    if repeated.size:
        raise PartitionError(f"item {repeated[0]} is in more than one cluster; put it in only one")
