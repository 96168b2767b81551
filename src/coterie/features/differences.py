"""Features that grow with distance: differences of item vectors, and reversed similarities."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from coterie._core.arguments import as_floats
from coterie._core.arrays import Bools, Floats, Ints, read_only
from coterie._types import Features, Featurizer
from coterie.exceptions import FeatureError
from coterie.features.featurizer import PairFeaturizer, as_featurizer
from coterie.features.given import EncodedItems, GivenFeatures, IndexedPairFeatures
from coterie.features.operators import (
    DenseFeatures,
    NodeProducts,
    as_features,
    select_rows,
    to_matrix,
)
from coterie.features.operators.base import LinearOperator, refuse_unwritable
from coterie.items import ItemSet
from coterie.pairs import all_pairs

__all__ = ["AbsoluteDifferences", "AsDistances", "SquaredDifferences", "distance_flags"]


@dataclass(frozen=True, eq=False, repr=False)
class SquaredNodeDifferences(LinearOperator):
    """Squared differences (ψ_i − ψ_j)² of item vectors, for the pairs of some products ψ_i∘ψ_j.

    They equal ψ_i² + ψ_j² − 2 ψ_i∘ψ_j, so that they are multiplied without being written out. The
    diagonal, where an item is paired with itself, is 0.
    """

    products: NodeProducts

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""
        return self.products.shape

    def to_matrix(self) -> Any:
        """Return the squared differences as a dense matrix."""
        return np.square(self.differences())

    def differences(self) -> Floats:
        """Return the differences ψ_i − ψ_j as a dense matrix."""
        refuse_unwritable(self.shape, 2 * self.shape[0] * self.shape[1])
        first, second = self._pair_items
        nodes = self.products.nodes.astype(np.float64, copy=False)
        differences = nodes[first] - nodes[second]
        dense: Floats = differences.toarray() if sp.issparse(differences) else differences
        return dense

    def _take(self, rows: Ints) -> "SquaredNodeDifferences":
        return SquaredNodeDifferences(self.products._take(rows))  # noqa: SLF001

    @cached_property
    def _pair_items(self) -> tuple[Ints, Ints]:
        """The first and the second item of each pair."""
        pairs = self.products.pairs
        first, second = (all_pairs(self.products.nodes.shape[0]) if pairs is None else pairs).T
        return first, second

    def _apply(self, coef: Floats) -> Floats:
        item_sums = self.products.diagonal @ coef
        first, second = self._pair_items
        return item_sums[first] + item_sums[second] - 2.0 * (self.products @ coef)

    def _apply_transposed(self, weights: Floats) -> Floats:
        n_items = self.products.nodes.shape[0]
        item_weights = np.zeros(n_items)
        for items in self._pair_items:
            item_weights += np.bincount(items, weights, minlength=n_items)
        squares: Floats = self.products.diagonal.T @ item_weights
        return squares - 2.0 * (self.products.T @ weights)


@dataclass(frozen=True)
class _Differences(PairFeaturizer):
    """Base class of the differences of item vectors; features of pairs stay unchanged."""

    n_columns: int | None = None
    of_pairs: bool | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_columns", self._inner.n_columns)

    @property
    def names(self) -> tuple[str, ...]:
        """`feature 0`, `feature 1`, …; available after `fit`."""
        return self._inner.names

    @property
    def distances(self) -> tuple[bool, ...] | None:
        """One flag per column, True if it grows with distance; None for features of pairs."""
        return None if self.of_pairs else (True,) * len(self.names)

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Set the number and the kind of the features, which must be the same in every item set."""
        fitted = self._inner.fit(item_sets)
        return replace(self, n_columns=fitted.n_columns, of_pairs=fitted.of_pairs)

    def encode(self, item_set: ItemSet) -> EncodedItems:
        """Return the features of the item set; nothing is computed."""
        return self._inner.encode(item_set)

    def compare(self, encoded: EncodedItems, pairs: ArrayLike | None) -> Features:
        """Return the features of pairs (None: all pairs)."""
        if isinstance(encoded, IndexedPairFeatures):
            return encoded.at(pairs)
        return self._compare_nodes(encoded, pairs)

    @property
    def _inner(self) -> GivenFeatures:
        return GivenFeatures(self.n_columns, self.of_pairs)

    @abstractmethod
    def _compare_nodes(self, nodes: NodeProducts, pairs: ArrayLike | None) -> Features: ...


@dataclass(frozen=True)
class AbsoluteDifferences(_Differences):
    """Compare item vectors x by |x_l − x′_l| in each column l; leave features of pairs unchanged.

    Parameters
    ----------
    n_columns, of_pairs
        As in `GivenFeatures`; `fit` sets them.

    Examples
    --------
    >>> features = AbsoluteDifferences()(ItemSet([[1.0, 2.0], [3.0, 0.5]]), None)
    >>> features.to_matrix()
    array([[2. , 1.5]])
    """

    def _compare_nodes(self, nodes: NodeProducts, pairs: ArrayLike | None) -> Features:
        return DenseFeatures(np.abs(SquaredNodeDifferences(nodes.at(pairs)).differences()))


@dataclass(frozen=True)
class SquaredDifferences(_Differences):
    """Compare item vectors x by (x_l − x′_l)² in each column l; leave features of pairs unchanged.

    The squares are multiplied without being written out. Dense vectors are centred first, so that
    vectors far from 0 lose no digits.

    Parameters
    ----------
    n_columns, of_pairs
        As in `GivenFeatures`; `fit` sets them.

    Examples
    --------
    >>> features = SquaredDifferences()(ItemSet([[1.0, 2.0], [3.0, 0.5]]), None)
    >>> features @ [1.0, 2.0]
    array([8.5])
    """

    def encode(self, item_set: ItemSet) -> EncodedItems:
        """Return the features of the item set; dense item vectors are centred."""
        encoded = super().encode(item_set)
        if (
            isinstance(encoded, IndexedPairFeatures)
            or sp.issparse(encoded.nodes)
            or not len(item_set)
        ):
            return encoded
        vectors = encoded.nodes.astype(np.float64, copy=False)
        return NodeProducts(vectors - vectors.mean(axis=0))

    def _compare_nodes(self, nodes: NodeProducts, pairs: ArrayLike | None) -> Features:
        return SquaredNodeDifferences(nodes.at(pairs))


@dataclass(frozen=True, eq=False, repr=False)
class ReversedFeatures(LinearOperator):
    """Features φ with the direction of some columns reversed: offset + sign · φ."""

    inner: Features
    sign: Floats
    offset: Floats

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""
        return self.inner.shape

    def to_matrix(self) -> Any:
        """Return the features as a dense matrix: reversed columns have few zeros."""
        matrix = to_matrix(self.inner)
        refuse_unwritable(self.shape, self.shape[0] * self.shape[1])
        dense = matrix.toarray() if sp.issparse(matrix) else matrix
        return self.offset + self.sign * dense

    def _take(self, rows: Ints) -> "ReversedFeatures":
        return ReversedFeatures(select_rows(self.inner, rows), self.sign, self.offset)

    def _apply(self, coef: Floats) -> Floats:
        return (self.inner @ (self.sign * coef)) + float(self.offset @ coef)

    def _apply_transposed(self, weights: Floats) -> Floats:
        return self.sign * (self.inner.T @ weights) + self.offset * float(weights.sum())


@dataclass(frozen=True, eq=False)
class AsDistances(PairFeaturizer):
    """Turn columns φ into distances: similarities into origin − φ, the others into φ − origin.

    So an indicator φ of similarity becomes 1 − φ, and an indicator of a mismatch stays unchanged.

    Parameters
    ----------
    featurizer
        The featurizer that computes the columns.
    similar
        One flag per column: whether it grows with similarity. None takes the opposite of the flags
        `distances` of the featurizer, which say whether each column grows with distance.
    origin
        The value of each column at distance 0. None means 1 for similarities and 0 for the other
        columns.

    Examples
    --------
    >>> sets = [ItemSet.from_pair_features([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], n_items=3)]
    >>> featurizer = AsDistances(GivenFeatures(), similar=[True, False]).fit(sets)
    >>> featurizer(sets[0], None).to_matrix().tolist()
    [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]]
    """

    featurizer: Featurizer
    similar: Bools | None = None
    origin: Floats | None = None

    def __post_init__(self) -> None:
        as_featurizer(self.featurizer)
        if self.similar is not None:
            similar = np.asarray(self.similar)
            if similar.ndim != 1 or similar.dtype != np.bool_:
                raise FeatureError(
                    f"similar is {self.similar!r}; give a list of True or False, one per column"
                )
            object.__setattr__(self, "similar", read_only(similar))
        if self.origin is not None:
            origin = as_floats("origin", self.origin, FeatureError)
            if origin.ndim != 1 or not np.isfinite(origin).all():
                raise FeatureError(
                    f"origin has shape {origin.shape}; give a finite number for each column"
                )
            object.__setattr__(self, "origin", origin)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of the inner featurizer."""
        return self.featurizer.names

    @property
    def distances(self) -> tuple[bool, ...]:
        """One flag per column, all True: every column grows with distance."""
        return (True,) * len(self.names)

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Fit the inner featurizer; if `similar` is None, take it from the featurizer's flags."""
        inner = self.featurizer.fit(item_sets)
        similar = _similarity_flags(inner) if self.similar is None else self.similar
        return replace(self, featurizer=inner, similar=similar)

    def encode(self, item_set: ItemSet) -> Any:
        """Encode the items with the inner featurizer."""
        return self.featurizer.encode(item_set)

    def compare(self, encoded: Any, pairs: ArrayLike | None) -> Features:
        """Return the features of pairs (None: all pairs) as distances."""
        return self.turned(self.featurizer.compare(encoded, pairs))  # type: ignore[arg-type]

    def turned(self, features: Features) -> Features:
        """Turn features that the inner featurizer computed into distances."""
        if self.similar is None:
            raise FeatureError(
                "AsDistances is not fitted, so it does not know which columns are "
                "similarities; call fit and use the copy that it returns"
            )
        origin = self.similar.astype(np.float64) if self.origin is None else self.origin
        if not len(self.similar) == len(origin) == features.shape[1]:
            raise FeatureError(
                f"the features have {features.shape[1]} columns, but similar has "
                f"{len(self.similar)} values and origin has {len(origin)}; give one value per "
                "column"
            )
        sign = np.where(self.similar, -1.0, 1.0)
        return ReversedFeatures(as_features(features), sign, -sign * origin)


def distance_flags(featurizer: Any) -> tuple[bool, ...] | None:
    """Return whether each column of a fitted featurizer grows with distance, None if unknown."""
    flags: tuple[bool, ...] | None = getattr(featurizer, "distances", None)
    return flags


def _similarity_flags(featurizer: Featurizer) -> Bools:
    """Return whether each column of a fitted featurizer grows with similarity."""
    flags = distance_flags(featurizer)
    if flags is None:
        raise FeatureError(
            f"{featurizer!r} does not say which columns grow with distance; set similar to a list "
            "of True or False, one per column"
        )
    return ~np.asarray(flags, dtype=np.bool_)
