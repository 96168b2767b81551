"""The features that an item set comes with, and featurizers that change the columns of others."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, TypeAlias

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from coterie._core.arguments import as_floats, as_whole
from coterie._core.arrays import Floats, Ints, Pairs
from coterie._types import Features, Featurizer
from coterie.exceptions import FeatureError, PairError, located
from coterie.features.featurizer import PairFeaturizer, as_featurizer
from coterie.features.operators import (
    ConstantFeatures,
    DenseFeatures,
    NodeProducts,
    ScaledFeatures,
    SparseFeatures,
    as_features,
    as_operator,
    select_rows,
    stack,
)
from coterie.features.operators.blocks import pairs_at
from coterie.items import (
    Columns,
    ItemSet,
    PairFeatures,
    as_item_sets,
    as_matrix,
    is_operator,
)
from coterie.pairs import all_pairs, as_pairs, condensed_positions, count_pairs

SAMPLED_PAIRS = 2**20
"""Statistics use at most this many pairs per item set, which are all pairs of 1,448 items."""

CONSTANT = 1e-10
"""A variance below this share of the mean square is rounding error: the column is constant."""


@dataclass(frozen=True, eq=False)
class IndexedPairFeatures:
    """Features of some pairs of an item set, which can be looked up by pair.

    `pairs` are the pairs of the rows of `features`; None means all pairs.
    """

    features: Features
    n_items: int
    pairs: Pairs | None

    def at(self, pairs: ArrayLike | None) -> Features:
        """Return the features of some of the pairs; None means all that have features."""
        if pairs is None or pairs is self.pairs:
            return self.features
        requested = as_pairs(pairs, self.n_items)
        if np.array_equal(requested, self.pairs):  # type: ignore[arg-type]
            return self.features
        return select_rows(self.features, self._rows(requested))

    @cached_property
    def _sorted(self) -> tuple[Ints, Ints]:
        """The condensed positions of the pairs in ascending order, and the row of each."""
        pairs = all_pairs(self.n_items) if self.pairs is None else self.pairs
        positions = condensed_positions(pairs, self.n_items)
        rows = np.argsort(positions, kind="stable")
        return positions[rows], rows

    def _rows(self, requested: Pairs | None) -> Ints:
        """Return the row of each requested pair, or raise an error if one has no features."""
        pairs = all_pairs(self.n_items) if requested is None else requested
        positions = condensed_positions(pairs, self.n_items)
        if self.pairs is None:
            return positions
        sorted_positions, rows = self._sorted
        indices = np.searchsorted(sorted_positions, positions)
        # The appended -1 differs from every position, also from those beyond the last pair.
        has_features = np.append(sorted_positions, -1)[indices] == positions
        if not has_features.all():
            i, j = pairs[np.argmin(has_features)]
            raise PairError(
                f"pair ({i}, {j}) is not among the {len(rows)} pairs that have features; give its "
                "features too, or ask only for pairs that have features"
            )
        return rows[indices]


EncodedItems: TypeAlias = IndexedPairFeatures | NodeProducts
"""The features of an item set: of its pairs, or products of the features of its items."""


@dataclass(frozen=True)
class GivenFeatures(PairFeaturizer):
    """Use the features that the item set comes with: those of its pairs, or of its items.

    Features of pairs are used unchanged. For items with features ψ, in the form of an array, a data
    frame or columns of numbers, the features of a pair are the products ψᵢ∘ψⱼ (Finley & Joachims
    2008, eq. 4). Every item set must have the number and the kind of features that the parameters
    say; `fit` sets those that are None. Where an item set has features of some pairs only, calling
    the featurizer with `pairs=None` returns the features of those.

    Parameters
    ----------
    n_columns
        The number of features; None means any number until `fit` sets it.
    of_pairs
        Whether the features are those of pairs (True) or of items (False); None means either until
        `fit` sets it.

    Examples
    --------
    >>> featurizer = GivenFeatures().fit([ItemSet([[1.0, 2.0], [3.0, 0.0], [1.0, 1.0]])])
    >>> featurizer.names
    ('feature 0', 'feature 1')
    >>> featurizer(ItemSet([[1.0, 2.0], [3.0, 0.5]]), None) @ [1.0, 1.0]
    array([4.])
    """

    n_columns: int | None = None
    of_pairs: bool | None = None

    def __post_init__(self) -> None:
        if self.n_columns is not None:
            n_columns = as_whole("n_columns", self.n_columns, error=FeatureError)
            object.__setattr__(self, "n_columns", n_columns)
        if not (self.of_pairs is None or isinstance(self.of_pairs, bool)):
            raise FeatureError(f"of_pairs is {self.of_pairs!r}; give True, False or None")

    @property
    def names(self) -> tuple[str, ...]:
        """`feature 0`, `feature 1`, …; available after `fit`."""
        if self.n_columns is None:
            raise FeatureError(
                "GivenFeatures is not fitted, so it does not know the number of features; "
                "call fit and use the copy that it returns"
            )
        return tuple(f"feature {column}" for column in range(self.n_columns))

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Set the number and the kind of the features, which must be the same in every item set."""
        n_columns, of_pairs = self.n_columns, self.of_pairs
        for index, item_set in enumerate(as_item_sets(item_sets)):
            with located(f"item set {index}"):
                n_columns, of_pairs = _check_features(
                    n_columns, of_pairs, stack_numeric_columns(item_set.items)
                )
        if n_columns is None:
            raise FeatureError(
                "there are no features to fit to; give at least one item set that has features"
            )
        return replace(self, n_columns=n_columns, of_pairs=of_pairs)

    def with_given(self, featurizer: Featurizer) -> Featurizer:
        """Return `featurizer`, which replaces this one."""
        return featurizer

    def encode(self, item_set: ItemSet) -> EncodedItems:
        """Return the features of the item set; nothing is computed."""
        items = stack_numeric_columns(item_set.items)
        n_columns, _ = _check_features(self.n_columns, self.of_pairs, items)
        # An empty item set may not know its number of columns: it has as many as the others.
        empty = np.zeros((0, n_columns or 0)) if _shape(items) == (0, 0) else None
        if isinstance(items, PairFeatures):
            features = _as_operator(items.features if empty is None else empty)
            return IndexedPairFeatures(features, items.n_items, items.pairs)
        return NodeProducts(items if empty is None else empty)

    def compare(self, encoded: EncodedItems, pairs: ArrayLike | None) -> Features:
        """Return the features of pairs; None (all pairs) returns the same object at every call."""
        return encoded.at(pairs)


@dataclass(frozen=True, eq=False)
class WithConstant(PairFeaturizer):
    """Append a constant column of ones, whose coefficient is the bias of a learner.

    Parameters
    ----------
    featurizer
        The featurizer that computes the other columns.

    Examples
    --------
    >>> featurizer = WithConstant(GivenFeatures(n_columns=1))
    >>> featurizer.names
    ('feature 0', 'constant')
    >>> featurizer(ItemSet([[1.0], [2.0], [3.0]]), None) @ [1.0, 0.5]
    array([2.5, 3.5, 6.5])
    """

    featurizer: Featurizer

    def __post_init__(self) -> None:
        as_featurizer(self.featurizer)

    @property
    def one_by_one(self) -> bool:  # type: ignore[override]
        """The flag of the inner featurizer; see `PairFeaturizer.one_by_one`."""
        return bool(getattr(self.featurizer, "one_by_one", False))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of the inner featurizer, and `constant`."""
        return (*self.featurizer.names, "constant")

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Fit the inner featurizer."""
        return replace(self, featurizer=self.featurizer.fit(item_sets))

    def encode(self, item_set: ItemSet) -> Any:
        """Encode the items with the inner featurizer."""
        return self.featurizer.encode(item_set)

    def compare(self, encoded: Any, pairs: ArrayLike | None) -> Features:
        """Return the features of pairs (None: all pairs) with a column of ones."""
        features = self.featurizer.compare(encoded, pairs)  # type: ignore[arg-type]
        return stack([features, ConstantFeatures(features.shape[0])])


@dataclass(frozen=True, eq=False)
class Scaled(PairFeaturizer):
    """Divide each column by its standard deviation over the training pairs.

    The mean is not subtracted, so that sparse features stay sparse and products of item features
    are still not written out. A column that has the same value for all pairs is left unchanged. For
    an item set with more than 2²⁰ pairs, the deviation is estimated from that many random pairs,
    which are the same in every run; pair features that come with the item set are all used.

    Parameters
    ----------
    featurizer
        The featurizer that computes the columns.
    scale
        The divisors, one number per column; None means that `fit` computes them.

    Examples
    --------
    >>> sets = [ItemSet.from_pair_features([[1.0], [3.0], [5.0]], n_items=3)]
    >>> featurizer = Scaled(GivenFeatures()).fit(sets)
    >>> featurizer.scale.round(3)
    array([1.633])
    >>> (featurizer(sets[0], None) @ [1.0]).round(3)
    array([0.612, 1.837, 3.062])
    """

    featurizer: Featurizer
    scale: Floats | None = None

    def __post_init__(self) -> None:
        as_featurizer(self.featurizer)
        if self.scale is not None:
            scale = as_floats("scale", self.scale, FeatureError)
            object.__setattr__(self, "scale", scale)

    @property
    def one_by_one(self) -> bool:  # type: ignore[override]
        """The flag of the inner featurizer; see `PairFeaturizer.one_by_one`."""
        return bool(getattr(self.featurizer, "one_by_one", False))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of the inner featurizer."""
        return self.featurizer.names

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Fit the inner featurizer, and compute the scale of its columns if none was given."""
        sets = as_item_sets(item_sets)
        inner = self.featurizer.fit(sets)
        scale = _deviations(inner, sets) if self.scale is None else self.scale
        return replace(self, featurizer=inner, scale=scale)

    def encode(self, item_set: ItemSet) -> Any:
        """Encode the items with the inner featurizer."""
        return self.featurizer.encode(item_set)

    def compare(self, encoded: Any, pairs: ArrayLike | None) -> Features:
        """Return the features of pairs (None: all pairs), divided by the scale."""
        if self.scale is None:
            raise FeatureError(
                "Scaled is not fitted, and has no scale; call fit and use the copy that it returns"
            )
        features = self.featurizer.compare(encoded, pairs)  # type: ignore[arg-type]
        return ScaledFeatures(features, self.scale)


def stack_numeric_columns(items: Any) -> Any:
    """Convert numeric columns or a numeric data frame to a matrix; return other items unchanged."""
    if isinstance(items, np.ndarray | PairFeatures | tuple) or sp.issparse(items):
        return items
    columns = (
        items if isinstance(items, Columns) else nw.from_native(items).to_dict(as_series=False)
    )
    try:
        arrays = [np.asarray(column) for column in columns.values()]
    except ValueError:  # a column of numbers and of lists
        return items
    if not arrays or any(array.dtype.kind not in "biuf" for array in arrays):
        return items
    return as_matrix(np.column_stack(arrays))


def _check_features(
    n_columns: int | None, of_pairs: bool | None, items: Any
) -> tuple[int | None, bool | None]:
    """Check that the items have the expected features; None expects nothing.

    Returns the number of features and whether they are those of pairs, as far as known.
    """
    shape = _shape(items)
    if shape == (0, 0):
        return n_columns, of_pairs
    actual = shape[1], isinstance(items, PairFeatures)
    expected = (
        actual[0] if n_columns is None else n_columns,
        actual[1] if of_pairs is None else of_pairs,
    )
    if actual != expected:
        raise FeatureError(
            f"there are {_describe(*actual)}, but {_describe(*expected)} are expected; give the "
            "same features for every item set"
        )
    return actual


def _shape(items: Any) -> tuple[int, int]:
    if isinstance(items, PairFeatures):
        items = items.features
    elif not (isinstance(items, np.ndarray) or sp.issparse(items)):
        raise FeatureError(
            f"the items are {_describe_items(items)}, not rows of numbers; give a featurizer, or "
            "the items as an array of numbers"
        )
    n_rows, n_columns = items.shape
    return n_rows, n_columns


def _describe_items(items: Any) -> str:
    if isinstance(items, tuple) and items:
        return f"values of type {type(items[0]).__name__}"
    return repr(items) if isinstance(items, Columns) else f"of type {type(items).__name__}"


def _describe(n_columns: int, of_pairs: bool) -> str:
    return f"{n_columns} features of {'pairs' if of_pairs else 'items'}"


def _as_operator(features: Any) -> Features:
    """Return an operator for the matrix or operator of `PairFeatures`, which has checked it."""
    if is_operator(features):
        return as_features(features)
    kind = SparseFeatures if sp.issparse(features) else DenseFeatures
    return kind.of_checked(features)


def _deviations(featurizer: Featurizer, item_sets: Sequence[ItemSet]) -> Floats:
    """Return the standard deviation of each column over all pairs, and 1 in place of 0."""
    n_pairs, sums, squares = 0.0, np.zeros(1), np.zeros(1)
    for index, item_set in enumerate(item_sets):
        with located(f"item set {index}"):
            pairs, weight = sample_pairs(item_set)
            features = as_operator(featurizer(item_set, pairs))
        n_pairs += weight * features.shape[0]
        sums = sums + weight * (features.T @ np.ones(features.shape[0]))
        squares = squares + weight * features.column_squares()
    if not n_pairs:
        return np.ones(len(featurizer.names))
    variances = squares / n_pairs - (sums / n_pairs) ** 2
    deviations: Floats = np.sqrt(np.maximum(variances, 0.0))
    return np.where(variances > CONSTANT * squares / n_pairs, deviations, 1.0)


def sample_pairs(item_set: ItemSet) -> tuple[Pairs | None, float]:
    """Return some pairs of an item set (None: all pairs), and how many pairs each represents."""
    n_pairs = count_pairs(len(item_set))
    if isinstance(item_set.items, PairFeatures) or n_pairs <= SAMPLED_PAIRS:
        return None, 1.0
    positions = np.unique(np.random.default_rng(0).integers(n_pairs, size=SAMPLED_PAIRS))
    return pairs_at(positions, len(item_set)), n_pairs / len(positions)
