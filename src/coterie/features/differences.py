"""Features that grow with distance: differences of item vectors, and others turned around."""

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
from coterie.features.given import Encoded, GivenFeatures, GivenPairs
from coterie.features.operators import DenseFeatures, NodeProducts, as_features, taken, written
from coterie.features.operators.base import LinearOperator, refuse_unwritable
from coterie.items import ItemSet
from coterie.pairs import all_pairs

__all__ = ["AbsoluteDifferences", "AsDistances", "SquaredDifferences", "distance_flags"]


@dataclass(frozen=True, eq=False, repr=False)
class SquaredNodeDifferences(LinearOperator):
    """The squared differences (ψ_i − ψ_j)² of the item vectors behind some products ψ_i∘ψ_j.

    They are ψ_i² + ψ_j² − 2 ψ_i∘ψ_j, so that pairs are never written out. Items with themselves
    have zeros.
    """

    products: NodeProducts

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""
        return self.products.shape

    def to_matrix(self) -> Any:
        """Return the squares written out, dense."""
        return np.square(self.apart())

    def apart(self) -> Floats:
        """Return the differences ψ_i − ψ_j written out, dense."""
        refuse_unwritable(self.shape, 2 * self.shape[0] * self.shape[1])
        first, second = self._ends
        nodes = self.products.nodes.astype(np.float64, copy=False)
        differences = nodes[first] - nodes[second]
        dense: Floats = differences.toarray() if sp.issparse(differences) else differences
        return dense

    def _take(self, rows: Ints) -> "SquaredNodeDifferences":
        return SquaredNodeDifferences(self.products._take(rows))  # noqa: SLF001

    @cached_property
    def _ends(self) -> tuple[Ints, Ints]:
        pairs = self.products.pairs
        first, second = (all_pairs(self.products.nodes.shape[0]) if pairs is None else pairs).T
        return first, second

    def _apply(self, coef: Floats) -> Floats:
        own = self.products.diagonal @ coef
        first, second = self._ends
        return own[first] + own[second] - 2.0 * (self.products @ coef)

    def _apply_transposed(self, weights: Floats) -> Floats:
        n_items = self.products.nodes.shape[0]
        of_items = np.zeros(n_items)
        for end in self._ends:
            of_items += np.bincount(end, weights, minlength=n_items)
        squares: Floats = self.products.diagonal.T @ of_items
        return squares - 2.0 * (self.products.T @ weights)


@dataclass(frozen=True)
class _Differences(PairFeaturizer):
    """What both kinds share: features of pairs are taken as they are."""

    n_columns: int | None = None
    of_pairs: bool | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_columns", self._given.n_columns)

    @property
    def names(self) -> tuple[str, ...]:
        """`feature 0`, `feature 1`, …: known after `fit`."""
        return self._given.names

    @property
    def distances(self) -> tuple[bool, ...] | None:
        """Whether each column grows with distance: all of vectors; of pairs nobody has said."""
        return None if self.of_pairs else (True,) * len(self.names)

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Fix the number and the kind of the features, which must be the same in every set."""
        given = self._given.fit(item_sets)
        return replace(self, n_columns=given.n_columns, of_pairs=given.of_pairs)

    def encode(self, item_set: ItemSet) -> Encoded:
        """Take the features of the item set; nothing is computed."""
        return self._given.encode(item_set)

    def compare(self, encoded: Encoded, pairs: ArrayLike | None) -> Features:
        """Return the features of some pairs, None for all."""
        return encoded.at(pairs) if isinstance(encoded, GivenPairs) else self._of(encoded, pairs)

    @property
    def _given(self) -> GivenFeatures:
        return GivenFeatures(self.n_columns, self.of_pairs)

    @abstractmethod
    def _of(self, nodes: NodeProducts, pairs: ArrayLike | None) -> Features: ...


@dataclass(frozen=True)
class AbsoluteDifferences(_Differences):
    """Compare item vectors by |x_l − x′_l|, column by column; take features of pairs as given.

    Parameters
    ----------
    n_columns, of_pairs
        As in `GivenFeatures`: fixed by `fit`.

    Examples
    --------
    >>> features = AbsoluteDifferences()(ItemSet([[1.0, 2.0], [3.0, 0.5]]), None)
    >>> features.to_matrix()
    array([[2. , 1.5]])
    """

    def _of(self, nodes: NodeProducts, pairs: ArrayLike | None) -> Features:
        return DenseFeatures(np.abs(SquaredNodeDifferences(nodes.at(pairs)).apart()))


@dataclass(frozen=True)
class SquaredDifferences(_Differences):
    """Compare item vectors by (x_l − x′_l)², column by column; take features of pairs as given.

    Pairs of vectors are never written out. Dense vectors are centred first, so that those far from
    0 lose no digits.

    Parameters
    ----------
    n_columns, of_pairs
        As in `GivenFeatures`: fixed by `fit`.

    Examples
    --------
    >>> features = SquaredDifferences()(ItemSet([[1.0, 2.0], [3.0, 0.5]]), None)
    >>> features @ [1.0, 2.0]
    array([8.5])
    """

    def encode(self, item_set: ItemSet) -> Encoded:
        """Take the features of the item set, those of vectors less their mean."""
        encoded = super().encode(item_set)
        if isinstance(encoded, GivenPairs) or sp.issparse(encoded.nodes) or not len(item_set):
            return encoded
        vectors = encoded.nodes.astype(np.float64, copy=False)
        return NodeProducts(vectors - vectors.mean(axis=0))

    def _of(self, nodes: NodeProducts, pairs: ArrayLike | None) -> Features:
        return SquaredNodeDifferences(nodes.at(pairs))


@dataclass(frozen=True, eq=False, repr=False)
class TurnedFeatures(LinearOperator):
    """Features with some columns turned around: offset + sign · φ."""

    of: Features
    sign: Floats
    offset: Floats

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs and of columns."""
        return self.of.shape

    def to_matrix(self) -> Any:
        """Return the features written out, dense: what is turned around is seldom 0."""
        matrix = written(self.of)
        refuse_unwritable(self.shape, self.shape[0] * self.shape[1])
        dense = matrix.toarray() if sp.issparse(matrix) else matrix
        return self.offset + self.sign * dense

    def _take(self, rows: Ints) -> "TurnedFeatures":
        return TurnedFeatures(taken(self.of, rows), self.sign, self.offset)

    def _apply(self, coef: Floats) -> Floats:
        return (self.of @ (self.sign * coef)) + float(self.offset @ coef)

    def _apply_transposed(self, weights: Floats) -> Floats:
        return self.sign * (self.of.T @ weights) + self.offset * float(weights.sum())


@dataclass(frozen=True, eq=False)
class AsDistances(PairFeaturizer):
    """Turn all columns into distances from an origin: origin − φ of similarities, φ − origin else.

    So an indicator of similarity φ becomes 1 − φ, and an indicator of a mismatch stays as it is.

    Parameters
    ----------
    featurizer
        Computes the columns.
    similar
        Whether each column grows with similarity; None asks the featurizer, whose `distances` say
        of each column whether it grows with distance.
    origin
        The value of each column that counts as no distance; None stands for 1 in similarities and
        for 0 in the others.

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
                    f"similar is {self.similar!r}; give True or False for each column"
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
        """The names of the columns, which stay the same."""
        return self.featurizer.names

    @property
    def distances(self) -> tuple[bool, ...]:
        """Whether each column grows with distance: all do."""
        return (True,) * len(self.names)

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Fit the inner featurizer, and learn from it which columns to turn around."""
        inner = self.featurizer.fit(item_sets)
        similar = _similar(inner) if self.similar is None else self.similar
        return replace(self, featurizer=inner, similar=similar)

    def encode(self, item_set: ItemSet) -> Any:
        """Read each item once, as the inner featurizer does."""
        return self.featurizer.encode(item_set)

    def compare(self, encoded: Any, pairs: ArrayLike | None) -> Features:
        """Return the features of some pairs, None for all, as distances."""
        return self.turned(self.featurizer.compare(encoded, pairs))  # type: ignore[arg-type]

    def turned(self, features: Features) -> Features:
        """Turn features of the inner featurizer into distances."""
        if self.similar is None:
            raise FeatureError("it is not known yet which columns are similarities; call fit first")
        origin = self.similar.astype(np.float64) if self.origin is None else self.origin
        if not len(self.similar) == len(origin) == features.shape[1]:
            raise FeatureError(
                f"there are {features.shape[1]} columns, but similar says of {len(self.similar)} "
                f"what they are, and origin has {len(origin)}; give one for each"
            )
        sign = np.where(self.similar, -1.0, 1.0)
        return TurnedFeatures(as_features(features), sign, -sign * origin)


def distance_flags(featurizer: Any) -> tuple[bool, ...] | None:
    """Return whether each column of a fitted featurizer grows with distance, None if unknown."""
    said: tuple[bool, ...] | None = getattr(featurizer, "distances", None)
    return said


def _similar(featurizer: Featurizer) -> Bools:
    said = distance_flags(featurizer)
    if said is None:
        raise FeatureError(
            f"{featurizer!r} does not say which columns grow with distance; give similar, True or "
            "False for each column"
        )
    return ~np.asarray(said, dtype=np.bool_)
