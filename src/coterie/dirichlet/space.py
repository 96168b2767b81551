"""The input of chains from an item set: vectors, or the squared distances of its pairs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie._core.arguments import as_floats, as_whole
from coterie._core.arrays import Floats, Ints, refuse_too_large
from coterie._core.values import Value
from coterie._kernels.dirichlet.clusters import ObservedItems
from coterie._types import Featurizer
from coterie.dirichlet.categories import Categories
from coterie.exceptions import FeatureError, InputError, ItemSetError
from coterie.features.columns import describe_items
from coterie.features.featurizer import as_featurizer
from coterie.features.given import stack_numeric_columns
from coterie.features.operators import to_matrix
from coterie.items import ItemSet, PairFeatures
from coterie.pairs import all_pairs

__all__ = ["Space"]


@dataclass(frozen=True, eq=False)
class Space(Value):
    """Turns item sets into the input of chains.

    Parameters
    ----------
    featurizer
        Computes distances of pairs; None uses the items themselves.
    categorical
        The columns of vectors that are categories.
    centre
        The expected mean of clusters, which is subtracted from vectors; None means the origin.
    categories
        The values of the categorical columns and their prior.
    furthest
        The largest training distance, one per feature. Pairs without features count as this far
        apart, or as far as the most distant pair of their item set, if that is more. None means
        the latter.
    by_distance
        Whether items must have distances (True) or vectors (False); None allows both.
    """

    featurizer: Featurizer | None = None
    categorical: tuple[int, ...] = ()
    centre: Floats | None = None
    categories: Categories | None = None
    furthest: Floats | None = None
    by_distance: bool | None = None

    def __post_init__(self) -> None:
        if self.featurizer is not None:
            as_featurizer(self.featurizer)
        columns = tuple(as_whole("a categorical column", column) for column in self.categorical)
        object.__setattr__(self, "categorical", columns)
        for name in ("centre", "furthest"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _as_row(name, getattr(self, name)))
        if not isinstance(self.categories, Categories | None):
            raise InputError(f"categories is {self.categories!r}; use Categories(…) or None")
        if self.categories is not None and len(self.categories.values) != len(columns):
            raise InputError(
                f"there are {len(columns)} categorical columns, but categories for "
                f"{len(self.categories.values)}; give categories for each column"
            )

    def sees_distances(self, item_set: ItemSet) -> bool:
        """Return whether an item set is represented by distances, not by vectors."""
        by_distance = self.featurizer is not None or isinstance(item_set.items, PairFeatures)
        if by_distance and self.categorical:
            raise FeatureError(
                "the prior has categorical columns, which only vectors have, but the item set has "
                "pair features; use a prior without categorical columns, or item sets of vectors"
            )
        if self.by_distance not in (None, by_distance):
            kinds = ("pair features", "vectors")
            learned, actual = kinds if self.by_distance else kinds[::-1]
            raise FeatureError(
                f"there are {actual}, but training item sets had {learned}; give {learned}"
            )
        return by_distance

    def observed(self, item_set: ItemSet) -> ObservedItems:
        """Return the vectors or distances of an item set, as input of a chain."""
        n_items = len(item_set)
        codes = np.empty((n_items, 0), dtype=np.intp)
        if self.sees_distances(item_set):
            squares = self.squares(item_set)
            n_features = squares.shape[2]
            return ObservedItems(
                np.empty((0, n_features)), squares, origin_distances(squares), codes
            )
        vectors, raw = self.vectors(item_set)
        if self.centre is not None:
            self._check_n_columns(vectors.shape[1], len(self.centre))
            vectors = vectors - self.centre
        if self.categories is not None:
            codes = np.ascontiguousarray(self.categories.encode(raw))
        n_features = vectors.shape[1]
        none = np.empty((0, 0, n_features)), np.empty((0, n_features))
        return ObservedItems(np.ascontiguousarray(vectors), *none, codes)

    def vectors(self, item_set: ItemSet) -> tuple[Floats, Floats]:
        """Return the numeric columns of the vectors, and the categorical ones."""
        items = stack_numeric_columns(item_set.items)
        if not isinstance(items, np.ndarray) and not sp.issparse(items):
            kind = "strings or other objects" if isinstance(items, tuple) else describe_items(items)
            raise ItemSetError(
                f"the items are {kind}, not rows of numbers; give vectors or pair features, or "
                "compute distances with prior=NormalPrior(featurizer=…)"
            )
        refuse_too_large(items.shape[0] * items.shape[1], "item vectors written out")
        matrix = np.asarray(items.toarray() if sp.issparse(items) else items, dtype=np.float64)
        n_columns = matrix.shape[1]
        missing = [column for column in self.categorical if column >= n_columns]
        if missing:
            raise FeatureError(
                f"categorical has the column {missing[0]}, but vectors have only {n_columns} "
                f"columns; use column indices below {n_columns}"
            )
        numeric = np.setdiff1d(np.arange(n_columns), self.categorical)
        return matrix[:, numeric], matrix[:, list(self.categorical)]

    def squares(self, item_set: ItemSet) -> Floats:
        """Return the squared distances of all pairs, of shape (n_items, n_items, n_features).

        Pairs without features count as far apart as the most distant pair that has them.
        """
        n_items = len(item_set)
        pairs, distances = self._distances(item_set)
        n_features = distances.shape[1]
        refuse_too_large(n_items**2 * n_features, f"distances of all pairs of {n_items:,} items")
        furthest = np.square(distances).max(axis=0, initial=0.0)
        if self.furthest is not None:
            self._check_n_columns(n_features, len(self.furthest))
            furthest = np.maximum(furthest, np.square(self.furthest))
        squares = np.broadcast_to(furthest, (n_items, n_items, n_features)).copy()
        first, second = pairs.T
        squares[first, second] = squares[second, first] = np.square(distances)
        squares[np.arange(n_items), np.arange(n_items)] = 0.0
        return squares

    def _distances(self, item_set: ItemSet) -> tuple[Ints, Floats]:
        """Return the pairs that have distances, and the distances."""
        items, n_items = item_set.items, len(item_set)
        pairs, features = None, items
        if self.featurizer is not None:
            features = self.featurizer(item_set, None)
        elif isinstance(items, PairFeatures):
            pairs, features = items.pairs, items.features
        matrix: Any = to_matrix(features)
        matrix = matrix.toarray() if sp.issparse(matrix) else matrix
        return all_pairs(n_items) if pairs is None else pairs, np.asarray(matrix, dtype=np.float64)

    def _check_n_columns(self, n_columns: int, expected: int) -> None:
        if n_columns != expected:
            raise FeatureError(
                f"there are {n_columns} numeric columns, but training item sets had {expected}; "
                "give the same columns"
            )


def origin_distances(squares: Floats) -> Floats:
    """Return the squared distance of each item from the mean of all items, at least 0.

    (1/n) Σ_j s(i, j) − (1/n²) Σ_{j<j'} s(j, j'), after section 3 of Daumé & Marcu 2004.
    """
    n_items = len(squares)
    if not n_items:
        return np.empty((0, squares.shape[2]))
    means = squares.mean(axis=1)
    return np.ascontiguousarray(np.maximum(means - 0.5 * means.mean(axis=0), 0.0))


def _as_row(name: str, numbers: Any) -> Floats:
    row = as_floats(name, numbers, FeatureError)
    if row.ndim != 1 or not np.isfinite(row).all():
        raise FeatureError(f"{name} is {numbers!r}; give one finite number per feature")
    return row
