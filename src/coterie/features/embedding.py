"""Vectors from distances, for methods that take vectors only."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy.spatial.distance import squareform

from coterie._core.arguments import as_whole
from coterie._core.arrays import Floats, refuse_too_large
from coterie._core.values import Value
from coterie._solvers.eigen import largest_eigenpairs
from coterie._types import Featurizer
from coterie.exceptions import FeatureError
from coterie.features.differences import distance_flags
from coterie.features.featurizer import as_featurizer
from coterie.features.operators import to_matrix
from coterie.items import ItemSet, as_item_set

SIGN_SLACK = 1e-6
"""The relative difference below which two entries of an eigenvector count as equally large."""


@dataclass(frozen=True)
class EuclideanEmbedding(Value):
    """Turn distances into vectors of items, by classical multidimensional scaling.

    Each distance is embedded separately and becomes `n_dimensions` columns of the vectors. With
    squared distances D² and the centring matrix J = I − 11ᵀ/n, B = −½ J D² J is the matrix of inner
    products if the distances are Euclidean. The columns are the eigenvectors of its largest
    eigenvalues λ, times √λ, with signs that make the largest entry positive. Negative eigenvalues,
    which occur only if the distances are not Euclidean, count as 0.

    Each item set is embedded separately. Distances and the spread of a column can be compared
    between two sets, but not the directions of the axes. The time grows with the cube of the number
    of items.

    Daumé & Marcu (2004, section 3) reject this alternative to distances: "such an embedding can
    only lose information".

    Parameters
    ----------
    featurizer
        The featurizer that computes the distances, such as `CitationFeatures`. Its columns must not
        be negative, and must grow with distance.
    n_dimensions
        The number of columns per distance.

    Examples
    --------
    >>> from coterie.features import AbsoluteDifferences
    >>> sets = [ItemSet([[0.0, 5.0], [1.0, 5.0], [5.0, 5.0]], ids=["a", "b", "c"])]
    >>> embedding = EuclideanEmbedding(AbsoluteDifferences(), n_dimensions=1).fit(sets)
    >>> (embedding(sets[0]).items.round(2) + 0.0).tolist()
    [[-2.0, 0.0], [-1.0, 0.0], [3.0, 0.0]]
    """

    featurizer: Featurizer
    n_dimensions: int = 2

    def __post_init__(self) -> None:
        as_featurizer(self.featurizer)
        n_dimensions = as_whole("n_dimensions", self.n_dimensions, 1)
        object.__setattr__(self, "n_dimensions", n_dimensions)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of the vectors."""
        dimensions = range(1, self.n_dimensions + 1)
        return tuple(
            f"{name}, {dimension}" for name in self.featurizer.names for dimension in dimensions
        )

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Fit the featurizer, and check that its columns grow with distance."""
        fitted = self.featurizer.fit(item_sets)
        flags = distance_flags(fitted)
        if flags is not None and not all(flags):
            name = fitted.names[flags.index(False)]
            raise FeatureError(
                f"the column {name!r} is a similarity, not a distance; wrap the featurizer in "
                "AsDistances(…)"
            )
        return replace(self, featurizer=fitted)

    def __call__(self, item_set: ItemSet) -> ItemSet:
        """Return the item set with vectors in place of its items."""
        item_set = as_item_set(item_set)
        parts = [self._embed(products) for products in self._products(item_set)]
        no_columns = np.empty((len(item_set), 0))
        return replace(item_set, items=np.hstack([no_columns, *parts]))

    def strain(self, item_set: ItemSet) -> Floats:
        """Return the share of each distance that is lost: ‖B − XXᵀ‖ / ‖B‖ for its columns X.

        The norms are Frobenius norms. A distance that is 0 for all pairs has strain 0.
        """
        strains = []
        for products in self._products(as_item_set(item_set)):
            vectors = self._embed(products)
            norm = np.linalg.norm(products)
            lost = np.linalg.norm(products - vectors @ vectors.T)
            strains.append(lost / norm if norm else 0.0)
        return np.array(strains)

    def _products(self, item_set: ItemSet) -> Iterator[Floats]:
        """Yield the matrix B of inner products of each distance."""
        n_items = len(item_set)
        if n_items < 2:
            return iter([np.zeros((n_items, n_items))] * len(self.featurizer.names))
        refuse_too_large(3 * n_items**2, f"a full matrix of {n_items:,} items")
        features: Any = to_matrix(self.featurizer(item_set, None))
        dense = features.toarray() if hasattr(features, "toarray") else features
        if dense.min(initial=0.0) < 0.0:
            column = int(np.argmin(dense.min(axis=0)))
            raise FeatureError(
                f"the column {self.featurizer.names[column]!r} is {dense.min():g} for a pair, but "
                "distances must be 0 or more; wrap the featurizer in AsDistances(…)"
            )
        return map(_inner_products, dense.T)

    def _embed(self, products: Floats) -> Floats:
        """Return the columns of one distance; those beyond the number of items are 0."""
        n_items = len(products)
        count = min(self.n_dimensions, n_items)
        coordinates = np.zeros((n_items, self.n_dimensions))
        if not count:
            return coordinates
        values, vectors = largest_eigenpairs(products, count)
        roots = np.sqrt(np.maximum(values[::-1], 0.0))
        coordinates[:, :count] = _fix_signs(vectors[:, ::-1]) * roots
        return coordinates


def _inner_products(condensed: Floats) -> Floats:
    """Return −½ J D² J for the distances of all pairs in condensed order."""
    squares: Floats = squareform(np.square(condensed), checks=False)
    squares -= squares.mean(axis=0)
    squares -= squares.mean(axis=1, keepdims=True)
    return -0.5 * squares


def _fix_signs(vectors: Floats) -> Floats:
    """Flip columns so that the largest entry, or the first of equally large ones, is positive."""
    magnitudes = np.abs(vectors)
    first = np.argmax(magnitudes >= (1.0 - SIGN_SLACK) * magnitudes.max(axis=0), axis=0)
    signs: Floats = np.sign(vectors[first, np.arange(vectors.shape[1])])
    return vectors * signs
