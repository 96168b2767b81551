"""Item sets: the unit of training, prediction and evaluation."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Number, Real
from typing import Any, Self

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from coterie._core.arguments import as_whole, is_single
from coterie._core.arrays import Ints, Pairs, read_only
from coterie._core.indices import ReorderedFeatures, as_order, reorder_pairs, reorder_rows
from coterie.exceptions import FeatureError, ItemSetError, PairError, located
from coterie.pairs import as_n_clusters, as_pairs, count_pairs

__all__ = [
    "Columns",
    "ItemSet",
    "PairFeatures",
    "as_item_set",
    "as_item_sets",
    "as_matrix",
    "is_operator",
]


@dataclass(frozen=True, eq=False, repr=False)
class PairFeatures:
    """Precomputed features of item pairs, which an `ItemSet` can hold in place of its items.

    `features` has one row per pair: an array, a sparse matrix or an operator of `coterie.features`.
    """

    features: Any
    n_items: int
    pairs: Pairs | None = None

    def __post_init__(self) -> None:
        as_whole("n_items", self.n_items, error=ItemSetError)
        pairs = as_pairs(self.pairs, self.n_items)
        features = self.features if is_operator(self.features) else as_matrix(self.features)
        expected = count_pairs(self.n_items, pairs)
        if features.shape[0] != expected:
            origin = f"all pairs of {self.n_items} items" if pairs is None else "listed in pairs"
            raise FeatureError(
                f"there are {features.shape[0]} rows of pair features for {expected} pairs "
                f"({origin}); give one row per pair"
            )
        if not np.array_equal(getattr(features, "pairs", pairs), pairs):  # type: ignore[arg-type]
            raise PairError(
                "the features belong to other pairs; give the pairs that these features describe"
            )
        object.__setattr__(self, "pairs", pairs)
        object.__setattr__(self, "features", features)

    def __len__(self) -> int:
        return self.n_items

    def __repr__(self) -> str:
        return f"{self.features.shape[0]} pairs × {self.features.shape[1]} features"


class Columns(Mapping[str, Any]):
    """A read-only mapping of column names to columns of equal length, with one value per item."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns = {
            name: tuple(column) if isinstance(column, list) else column
            for name, column in columns.items()
        }

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return f"columns {', '.join(self)}"


@dataclass(frozen=True, eq=False, repr=False)
class ItemSet:
    """A set of items to be clustered: the mentions of one document, the rows of one table.

    Parameters
    ----------
    items
        One row per item: an array, a sparse matrix, a list of rows or of objects, a data frame,
        or a mapping of column names to columns. For features of pairs, see `from_pair_features`.
    ids
        One unique name per item.
    n_clusters
        The number of clusters, if it is known beforehand.
    ordered
        Whether the order of the items is meaningful, as in a document or a stream.

    Examples
    --------
    >>> ItemSet([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    ItemSet(3 items × 2 features)
    >>> len(ItemSet({"name": ["Ann", "Bob"], "city": ["Rome", None]}))
    2
    """

    items: Any
    ids: Sequence[Hashable] | None = None
    n_clusters: int | None = None
    ordered: bool = False

    def __post_init__(self) -> None:
        items = _as_items(self.items)
        n_items = _count_items(items)
        object.__setattr__(self, "items", items)
        object.__setattr__(self, "ids", _as_ids(self.ids, n_items))
        object.__setattr__(self, "n_clusters", as_n_clusters(self.n_clusters, n_items))

    @classmethod
    def from_pair_features(
        cls,
        features: Any,
        n_items: int,
        pairs: ArrayLike | None = None,
        *,
        ids: Sequence[Hashable] | None = None,
        n_clusters: int | None = None,
        ordered: bool = False,
    ) -> Self:
        """Make an item set from features of pairs (one row per pair) instead of features of items.

        Without `pairs`, the rows belong to all pairs in SciPy's condensed order.

        >>> ItemSet.from_pair_features([[0.1], [0.9], [0.4]], n_items=3)
        ItemSet(3 items, 3 pairs × 1 features)
        """
        return cls(PairFeatures(features, n_items, pairs), ids, n_clusters, ordered)  # type: ignore[arg-type]

    def reordered(self, order: ArrayLike) -> Self:
        """Return the same items in another order; ids and pair features are reordered with them.

        Parameters
        ----------
        order
            The indices of all items in their new order.

        Examples
        --------
        >>> ItemSet({"name": ["Ann", "Bob", "Cid"]}).reordered([2, 0, 1]).items["name"]
        ('Cid', 'Ann', 'Bob')
        """
        indices = as_order(order, len(self))
        ids = None if self.ids is None else [self.ids[index] for index in indices]
        return replace(self, items=_reorder_items(self.items, indices), ids=ids)

    def __len__(self) -> int:
        return _count_items(self.items)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.items, self.ids, self.n_clusters, self.ordered)

    def __repr__(self) -> str:
        if isinstance(self.items, PairFeatures | Columns):
            contents = f", {self.items!r}"
        elif isinstance(self.items, np.ndarray) or sp.issparse(self.items):
            contents = f" × {self.items.shape[1]} features"
        else:
            contents = f" of {type(self.items).__name__}"
        return f"ItemSet({len(self)} items{contents})"


def as_item_set(value: Any) -> ItemSet:
    """Return an item set unchanged, and make one of anything else that `ItemSet` accepts."""
    return value if isinstance(value, ItemSet) else ItemSet(value)


def as_item_sets(values: Iterable[Any]) -> list[ItemSet]:
    """Convert each value to an `ItemSet`; an error names the index of the value at fault.

    >>> as_item_sets([[[1.0]], [[float("nan")]]])
    Traceback (most recent call last):
    coterie.exceptions.FeatureError: item set 1: row 0, column 0 is nan; give finite numbers
    """
    single = isinstance(values, ItemSet | PairFeatures | np.ndarray | Mapping | str)
    if single or hasattr(values, "shape") or not isinstance(values, Iterable):
        type_name = type(values).__name__
        if getattr(values, "ndim", 0) == 3:
            raise ItemSetError(
                "expected a list of item sets, got one array of three dimensions; give list(array)"
            )
        raise ItemSetError(f"expected a list of item sets, got one {type_name}; wrap it in a list")
    item_sets = []
    for index, value in enumerate(values):
        with located(f"item set {index}"):
            item_sets.append(as_item_set(value))
    return item_sets


def as_matrix(rows: Any) -> Any:
    """Convert rows of numbers to a finite 2-D array or `csr_array`, of float64 or float32.

    >>> as_matrix([[1, 2], [3]])
    Traceback (most recent call last):
    coterie.exceptions.FeatureError: row 1 has 1 values, but row 0 has 2 values; give rows
    of equal length
    """
    if sp.issparse(rows):
        return _as_sparse(rows)
    if isinstance(rows, np.ma.MaskedArray):
        raise FeatureError("features are a masked array; fill the masked entries with numbers")
    if isinstance(rows, list | tuple):
        _refuse_ragged(rows)
    matrix = _as_array(rows)
    if matrix.ndim == 1 and matrix.size == 0:
        matrix = matrix.reshape(0, 0)
    if matrix.ndim != 2:
        raise FeatureError(
            f"features have shape {matrix.shape}; give a matrix with one row per item or pair, "
            "such as x[:, None] for one column x"
        )
    matrix = _as_real(matrix)
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0]
        raise FeatureError(
            f"row {row}, column {column} is {matrix[row, column]}; give finite numbers"
        )
    return read_only(matrix)


def is_operator(features: Any) -> bool:
    """Return whether features are an operator of `coterie.features`, not a matrix."""
    # Operators have a property `diagonal`, matrices have a method of that name.
    return hasattr(features, "T") and not callable(getattr(features, "diagonal", callable))


def _as_sparse(rows: Any) -> Any:
    if rows.ndim != 2:
        raise FeatureError(f"sparse features have shape {rows.shape}; give two dimensions")
    matrix = sp.csr_array(rows)
    if matrix.dtype.kind not in "biuf":
        raise FeatureError(f"sparse features are of type {matrix.dtype}; give real numbers")
    matrix = matrix.astype(_float_type(matrix.dtype), copy=False)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    non_finite = np.flatnonzero(~np.isfinite(matrix.data))
    if non_finite.size:
        entry = non_finite[0]
        row = np.searchsorted(matrix.indptr, entry, side="right") - 1
        raise FeatureError(
            f"row {row}, column {matrix.indices[entry]} is {matrix.data[entry]}; "
            "give finite numbers"
        )
    parts = tuple(read_only(part) for part in (matrix.data, matrix.indices, matrix.indptr))
    return sp.csr_array(parts, shape=matrix.shape)


def _float_type(dtype: np.dtype[Any]) -> type[np.floating[Any]]:
    return np.float32 if dtype == np.float32 else np.float64


def _refuse_ragged(rows: Sequence[Any]) -> None:
    lengths = [None if is_single(row) else len(row) for row in rows]
    for index, length in enumerate(lengths):
        if length != lengths[0]:
            raise FeatureError(
                f"row {index} {_length_text(length)}, but row 0 {_length_text(lengths[0])}; "
                "give rows of equal length"
            )


def _length_text(length: int | None) -> str:
    return "is a single value" if length is None else f"has {length} values"


def _as_array(rows: Any) -> NDArray[Any]:
    try:
        array = np.asarray(rows)
        # NumPy turns numbers beside a text into texts; an object array keeps them.
        return array if array.dtype.kind in "biuf" else np.array(rows, dtype=object)
    except ValueError as error:
        raise FeatureError("a row of features contains lists; give plain numbers") from error


def _as_real(matrix: NDArray[Any]) -> NDArray[Any]:
    if matrix.dtype != object:
        return matrix.astype(_float_type(matrix.dtype), copy=False)
    for (row, column), value in np.ndenumerate(matrix):
        if not isinstance(value, Real):
            raise FeatureError(
                f"row {row}, column {column} is {value!r}, which is not a real number; give "
                "numbers or, if there are strings, a mapping of column names to columns"
            )
    try:
        return matrix.astype(np.float64)
    except OverflowError as error:
        raise FeatureError("a feature is too large for a float; give finite numbers") from error


def _as_items(items: Any) -> Any:
    if isinstance(items, PairFeatures | Columns):
        return items
    if isinstance(items, Mapping):
        return _as_columns(items)
    if sp.issparse(items):
        return as_matrix(items)
    if isinstance(items, np.ndarray):
        return tuple(items) if items.ndim == 1 and items.dtype.kind in "OUS" else as_matrix(items)
    if isinstance(items, list | tuple):
        return as_matrix(items) if _are_rows(items) else tuple(items)
    return _as_frame(items)


def _are_rows(items: Sequence[Any]) -> bool:
    """Return whether items are rows of features, not objects (texts, mappings, …)."""
    return not items or any(isinstance(item, list | tuple | np.ndarray | Number) for item in items)


def _as_columns(columns: Mapping[str, Any]) -> "Columns":
    lengths = {}
    for name, column in columns.items():
        if isinstance(column, str | bytes) or not hasattr(column, "__len__"):
            raise ItemSetError(
                f"column {name!r} is of type {type(column).__name__}; give a list or an array with "
                "one value per item"
            )
        lengths[name] = len(column)
    if len(set(lengths.values())) > 1:
        texts = ", ".join(f"{name!r} has {length}" for name, length in lengths.items())
        raise ItemSetError(f"columns differ in length: {texts}; give one value per item in each")
    return Columns(columns)


def _as_frame(items: Any) -> Any:
    try:
        return nw.from_native(items, eager_only=True).to_native()
    except TypeError as error:
        raise ItemSetError(
            f"items are of type {type(items).__name__}; give an array, a sparse matrix, a list, "
            "a data frame or a mapping of column names to columns"
        ) from error


def _reorder_items(items: Any, order: Ints) -> Any:
    if isinstance(items, PairFeatures):
        return _reorder_pair_features(items, order)
    return take_items(items, order)


def take_items(items: Any, indices: Ints) -> Any:
    """Return the items at some indices, for all kinds of items but `PairFeatures`."""
    if isinstance(items, Columns):
        return Columns({name: reorder_rows(column, indices) for name, column in items.items()})
    if isinstance(items, tuple):
        # An array of objects spares `ItemSet` the search for rows of numbers in a list.
        return np.fromiter((items[index] for index in indices), object, len(indices))
    return reorder_rows(items, indices)


def _reorder_pair_features(items: PairFeatures, order: Ints) -> PairFeatures:
    features, pairs = items.features, items.pairs
    if pairs is None:
        rows = reorder_pairs(order)
    else:  # only the indices in the pairs change, not the order of the rows
        rows, pairs = np.arange(len(pairs)), np.argsort(order)[pairs]
    if is_operator(features):
        features = ReorderedFeatures(features, rows, order)
    elif pairs is None:
        features = reorder_rows(features, rows)
    return PairFeatures(features, len(order), pairs)


def _count_items(items: Any) -> int:
    if isinstance(items, Columns):
        return len(next(iter(items.values()), ()))
    if sp.issparse(items):
        return int(items.shape[0])
    return len(items)


def _as_ids(ids: Sequence[Hashable] | None, n_items: int) -> tuple[Hashable, ...] | None:
    if ids is None:
        return None
    try:
        names = tuple(ids)
        n_distinct = len(set(names))
    except TypeError as error:
        raise ItemSetError(f"ids are not hashable ({error}); use strings or numbers") from error
    if len(names) != n_items:
        raise ItemSetError(f"there are {len(names)} ids for {n_items} items; give one id per item")
    if n_distinct != n_items:
        duplicate = Counter(names).most_common(1)[0][0]
        raise ItemSetError(f"the id {duplicate!r} occurs more than once; give each item its own id")
    return names
