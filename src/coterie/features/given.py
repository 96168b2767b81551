"""The features that an item set comes with, and featurizers that change others' columns."""

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
    stack,
    taken,
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
"""How many pairs of an item set are looked at for their deviation: all of up to 1,448 items."""

CONSTANT = 1e-10
"""A variance below this share of the mean square is rounding: the column is constant."""


@dataclass(frozen=True, eq=False)
class GivenPairs:
    """Pair features that were given, made ready to be looked up."""

    features: Features
    n_items: int
    pairs: Pairs | None

    def at(self, pairs: ArrayLike | None) -> Features:
        """Return the features of some of the pairs; None stands for those that are there."""
        if pairs is None or pairs is self.pairs:
            return self.features
        wanted = as_pairs(pairs, self.n_items)
        if np.array_equal(wanted, self.pairs):  # type: ignore[arg-type]
            return self.features
        return taken(self.features, self._rows(wanted))

    @cached_property
    def _sorted(self) -> tuple[Ints, Ints]:
        """The condensed positions of the listed pairs in ascending order, and their rows."""
        pairs = all_pairs(self.n_items) if self.pairs is None else self.pairs
        positions = condensed_positions(pairs, self.n_items)
        rows = np.argsort(positions, kind="stable")
        return positions[rows], rows

    def _rows(self, wanted: Pairs | None) -> Ints:
        pairs = all_pairs(self.n_items) if wanted is None else wanted
        positions = condensed_positions(pairs, self.n_items)
        if self.pairs is None:
            return positions
        known, rows = self._sorted
        places = np.searchsorted(known, positions)
        # A place behind the last one stands for a pair that is not there.
        found = np.append(known, -1)[places] == positions
        if not found.all():
            i, j = pairs[np.argmin(found)]
            raise PairError(
                f"pair ({i}, {j}) has no features among the {len(known)} pairs given; give its "
                "features too, or ask for pairs that have them"
            )
        return rows[places]


Encoded: TypeAlias = GivenPairs | NodeProducts
Kind: TypeAlias = tuple[int | None, bool | None]


@dataclass(frozen=True)
class GivenFeatures(PairFeaturizer):
    """Use the features that the item set comes with: those of its pairs, or of its items.

    Features of pairs are taken as they are, of an array of items (or a frame, or columns of
    numbers) the products ψᵢ∘ψⱼ (Finley &
    Joachims 2008, eq. 4). `fit` fixes what is None below; what is given is asked of every item
    set. Without pairs asked for, listed pair features are all that are there.

    Parameters
    ----------
    n_columns
        The number of columns that an item set must have; None: any, and fixed by `fit`.
    of_pairs
        Whether features are those of pairs (True) or of items (False); None as above.

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
        """`feature 0`, `feature 1`, …: known after `fit`."""
        if self.n_columns is None:
            raise FeatureError("the number of features is not known yet; call fit first")
        return tuple(f"feature {column}" for column in range(self.n_columns))

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Fix the number and the kind of the features, which must be the same in every set."""
        n_columns, of_pairs = self.n_columns, self.of_pairs
        for number, item_set in enumerate(as_item_sets(item_sets)):
            with located(f"item set {number}"):
                n_columns, of_pairs = _agreed(
                    n_columns, of_pairs, stack_numeric_columns(item_set.items)
                )
        if n_columns is None:
            raise FeatureError("there are no features to fit to; give an item set that has some")
        return replace(self, n_columns=n_columns, of_pairs=of_pairs)

    def with_given(self, featurizer: Featurizer) -> Featurizer:
        """Return the other in its place."""
        return featurizer

    def encode(self, item_set: ItemSet) -> Encoded:
        """Take the features of the item set; nothing is computed."""
        items = stack_numeric_columns(item_set.items)
        n_columns, _ = _agreed(self.n_columns, self.of_pairs, items)
        # Without rows the number of columns may be unknown, and is then that of all the others.
        empty = np.zeros((0, n_columns or 0)) if _shape(items) == (0, 0) else None
        if isinstance(items, PairFeatures):
            features = _checked(items.features if empty is None else empty)
            return GivenPairs(features, items.n_items, items.pairs)
        return NodeProducts(items if empty is None else empty)

    def compare(self, encoded: Encoded, pairs: ArrayLike | None) -> Features:
        """Return the features of some pairs; those of all are the same object at every call."""
        return encoded.at(pairs)


@dataclass(frozen=True, eq=False)
class WithConstant(PairFeaturizer):
    """Add a column of ones, the last one: where a learner puts its bias.

    Parameters
    ----------
    featurizer
        Computes the other columns.

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
        """Whether the inner featurizer writes features pair by pair."""
        return bool(getattr(self.featurizer, "one_by_one", False))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the other columns, and `constant`."""
        return (*self.featurizer.names, "constant")

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Fit the inner featurizer."""
        return replace(self, featurizer=self.featurizer.fit(item_sets))

    def encode(self, item_set: ItemSet) -> Any:
        """Read each item once, as the inner featurizer does."""
        return self.featurizer.encode(item_set)

    def compare(self, encoded: Any, pairs: ArrayLike | None) -> Features:
        """Return the features of some pairs, None for all, and ones."""
        features = self.featurizer.compare(encoded, pairs)  # type: ignore[arg-type]
        return stack([features, ConstantFeatures(features.shape[0])])


@dataclass(frozen=True, eq=False)
class Scaled(PairFeaturizer):
    """Divide each column by its standard deviation over the pairs of the item sets of `fit`.

    Nothing is subtracted, so that sparse features stay sparse and products stay products; a column
    that is the same for all pairs is left as it is. Of an item set with more than 2²⁰ pairs, as
    many are drawn, always the same ones; listed pair features count whole.

    Parameters
    ----------
    featurizer
        Computes the columns.
    scale
        What to divide by, one number a column; None: found by `fit`.

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
        """Whether the inner featurizer writes features pair by pair."""
        return bool(getattr(self.featurizer, "one_by_one", False))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, which stay the same."""
        return self.featurizer.names

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Fit the inner featurizer, and find the deviations of its columns if none are given."""
        sets = as_item_sets(item_sets)
        inner = self.featurizer.fit(sets)
        scale = _deviations(inner, sets) if self.scale is None else self.scale
        return replace(self, featurizer=inner, scale=scale)

    def encode(self, item_set: ItemSet) -> Any:
        """Read each item once, as the inner featurizer does."""
        return self.featurizer.encode(item_set)

    def compare(self, encoded: Any, pairs: ArrayLike | None) -> Features:
        """Return the features of some pairs, None for all, divided by the scale."""
        if self.scale is None:
            raise FeatureError("the scale of the features is not known yet; call fit first")
        features = self.featurizer.compare(encoded, pairs)  # type: ignore[arg-type]
        return ScaledFeatures(features, self.scale)


def stack_numeric_columns(items: Any) -> Any:
    """Take columns of numbers, and frames of such, as a matrix; all else as it is."""
    if isinstance(items, np.ndarray | PairFeatures | tuple) or sp.issparse(items):
        return items
    columns = (
        items if isinstance(items, Columns) else nw.from_native(items).to_dict(as_series=False)
    )
    arrays = [np.asarray(column) for column in columns.values()]
    if not arrays or any(array.dtype.kind not in "biuf" for array in arrays):
        return items
    return as_matrix(np.column_stack(arrays))


def _agreed(n_columns: int | None, of_pairs: bool | None, items: Any) -> Kind:
    """Return how many features there are and of what, if the items have such; None is unknown."""
    shape = _shape(items)
    if shape == (0, 0):
        return n_columns, of_pairs
    own = shape[1], isinstance(items, PairFeatures)
    wanted = (
        own[0] if n_columns is None else n_columns,
        own[1] if of_pairs is None else of_pairs,
    )
    if own != wanted:
        raise FeatureError(
            f"there are {_shown(*own)}, but {_shown(*wanted)} are expected; give the same features "
            "of every item set"
        )
    return own


def _shape(items: Any) -> tuple[int, int]:
    if isinstance(items, PairFeatures):
        items = items.features
    elif not (isinstance(items, np.ndarray) or sp.issparse(items)):
        raise FeatureError(
            f"the items are {_named(items)}, no numbers in rows; give a featurizer, or the items "
            "as an array of numbers"
        )
    n_rows, n_columns = items.shape
    return n_rows, n_columns


def _named(items: Any) -> str:
    if isinstance(items, tuple) and items:
        return f"values of type {type(items[0]).__name__}"
    return repr(items) if isinstance(items, Columns) else f"of type {type(items).__name__}"


def _shown(n_columns: int, of_pairs: bool) -> str:
    return f"{n_columns} features of {'pairs' if of_pairs else 'items'}"


def _checked(features: Any) -> Features:
    """Take the matrix or the operator of `PairFeatures`, which was checked there."""
    if is_operator(features):
        return as_features(features)
    kind = SparseFeatures if sp.issparse(features) else DenseFeatures
    return kind.of_checked(features)


def _deviations(featurizer: Featurizer, item_sets: Sequence[ItemSet]) -> Floats:
    """Return the standard deviation of each column over all pairs, and 1 in place of 0."""
    n_pairs, sums, squares = 0.0, np.zeros(1), np.zeros(1)
    for number, item_set in enumerate(item_sets):
        with located(f"item set {number}"):
            pairs, share = sample_pairs(item_set)
            features = as_operator(featurizer(item_set, pairs))
        n_pairs += share * features.shape[0]
        sums = sums + share * (features.T @ np.ones(features.shape[0]))
        squares = squares + share * features.column_squares()
    if not n_pairs:
        return np.ones(len(featurizer.names))
    variances = squares / n_pairs - (sums / n_pairs) ** 2
    deviations: Floats = np.sqrt(np.maximum(variances, 0.0))
    return np.where(variances > CONSTANT * squares / n_pairs, deviations, 1.0)


def sample_pairs(item_set: ItemSet) -> tuple[Pairs | None, float]:
    """Return some pairs of an item set, None for all, and how many stand behind each of them."""
    n_pairs = count_pairs(len(item_set))
    if isinstance(item_set.items, PairFeatures) or n_pairs <= SAMPLED_PAIRS:
        return None, 1.0
    drawn = np.random.default_rng(0).integers(n_pairs, size=SAMPLED_PAIRS)
    positions = np.unique(drawn)
    return pairs_at(positions, len(item_set)), n_pairs / len(positions)
