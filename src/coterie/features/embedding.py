"""Distances as vectors: what a method needs that takes no distances."""

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
from coterie.features.operators import written
from coterie.items import ItemSet, as_item_set

SIGN_SLACK = 1e-6
"""By which share entries may differ that count as equally large."""


@dataclass(frozen=True)
class EuclideanEmbedding(Value):
    """Place items in space, for each distance by itself, by classical multidimensional scaling.

    The alternative that Daumé & Marcu 2004, section 3, reject: "such an embedding can only lose
    information". With squared distances D² and the centring J = I − 11ᵀ/n, B = −½ J D² J is the
    matrix of inner products if the distances are Euclidean. Each distance has `n_dimensions`
    columns: the eigenvectors of the largest eigenvalues λ, times √λ, their largest entry positive.
    Negative eigenvalues, which only distances have that are not Euclidean, count as 0.

    An item set is placed by itself: what the places in two sets have in common is their distances
    and how much each column spreads, not where the axes point. The time grows with the cube of the
    number of items.

    Parameters
    ----------
    featurizer
        Computes distances, such as `CitationFeatures`: its columns must be 0 or more, and grow with
        distance.
    n_dimensions
        How many columns each distance gets.

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
        """One name a column of the vectors."""
        dimensions = range(1, self.n_dimensions + 1)
        return tuple(f"{name}, {number}" for name in self.featurizer.names for number in dimensions)

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Fit the featurizer, and refuse one whose columns are no distances."""
        fitted = self.featurizer.fit(item_sets)
        said = distance_flags(fitted)
        if said is not None and not all(said):
            name = fitted.names[said.index(False)]
            raise FeatureError(
                f"the column {name!r} does not grow with distance; give AsDistances(…) of the "
                "featurizer"
            )
        return replace(self, featurizer=fitted)

    def __call__(self, item_set: ItemSet) -> ItemSet:
        """Return the item set with vectors in place of its items."""
        item_set = as_item_set(item_set)
        places = [self._placed(products) for products in self._products(item_set)]
        empty = np.empty((len(item_set), 0))
        return replace(item_set, items=np.hstack([empty, *places]))

    def strain(self, item_set: ItemSet) -> Floats:
        """Return what is lost of each distance: |B − XXᵀ| / |B| of its columns X, 0 if nothing.

        The norms are the roots of the sums of squared entries; a distance that is 0 everywhere
        loses nothing.
        """
        found = []
        for products in self._products(as_item_set(item_set)):
            placed = self._placed(products)
            total = np.linalg.norm(products)
            lost = np.linalg.norm(products - placed @ placed.T)
            found.append(lost / total if total else 0.0)
        return np.array(found)

    def _products(self, item_set: ItemSet) -> Iterator[Floats]:
        """Yield the matrix B of each distance."""
        n_items = len(item_set)
        if n_items < 2:
            return iter([np.zeros((n_items, n_items))] * len(self.featurizer.names))
        refuse_too_large(3 * n_items**2, f"a full matrix of {n_items:,} items")
        features: Any = written(self.featurizer(item_set, None))
        dense = features.toarray() if hasattr(features, "toarray") else features
        if dense.min(initial=0.0) < 0.0:
            column = int(np.argmin(dense.min(axis=0)))
            raise FeatureError(
                f"the column {self.featurizer.names[column]!r} is {dense.min():g} for some pair, "
                "which is no distance; give AsDistances(…) of the featurizer"
            )
        return map(_centred, dense.T)

    def _placed(self, products: Floats) -> Floats:
        """Return the columns of one distance; those that the items do not fill are 0."""
        n_items = len(products)
        count = min(self.n_dimensions, n_items)
        placed = np.zeros((n_items, self.n_dimensions))
        if not count:
            return placed
        values, vectors = largest_eigenpairs(products, count)
        roots = np.sqrt(np.maximum(values[::-1], 0.0))
        placed[:, :count] = _signed(vectors[:, ::-1]) * roots
        return placed


def _centred(condensed: Floats) -> Floats:
    """Return −½ J D² J of the distances of all pairs."""
    squares: Floats = squareform(np.square(condensed), checks=False)
    squares -= squares.mean(axis=0)
    squares -= squares.mean(axis=1, keepdims=True)
    return -0.5 * squares


def _signed(vectors: Floats) -> Floats:
    """Make the largest entry of each column positive; of equally large ones the first."""
    sizes = np.abs(vectors)
    first = np.argmax(sizes >= (1.0 - SIGN_SLACK) * sizes.max(axis=0), axis=0)
    signs: Floats = np.sign(vectors[first, np.arange(vectors.shape[1])])
    return vectors * signs
