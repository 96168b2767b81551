"""Categorical dimensions of a Dirichlet-process mixture, in which items have one of several values.

In each dimension, a cluster has the probabilities θ ~ Dirichlet(β m) of the values, where m are the
shares of the values in training; each of its items has a value drawn from θ. With two values, this
is the Beta distribution. With θ integrated out, a cluster of n items, n_v of them with the value v,
has the log marginal

    log Γ(β) − log Γ(β + n) + Σ_v log Γ(β m_v + n_v) − log Γ(β m_v).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from coterie._core.arguments import as_floats
from coterie._core.arrays import Floats, Ints, read_only
from coterie._core.values import Value
from coterie.exceptions import FeatureError, located
from coterie.partition import Partition, PartitionLike, as_partitions

__all__ = ["Categories", "fit_categories"]

Codes: TypeAlias = NDArray[Any]

SMOOTHING = 0.5
"""The count added to the count of each value (Krichevsky & Trofimov 1981)."""

BOUNDS = (0.01, 1e4)
"""The range of β, from clusters of nearly one value each to clusters that are all alike."""


@dataclass(frozen=True, eq=False)
class Categories(Value):
    """The values of categorical dimensions, and the prior of their frequencies in a cluster.

    Parameters
    ----------
    values
        The training values of each dimension, ascending. A last value, for all others, is implied.
    pseudo_counts
        β m of the values of all dimensions, one dimension after the other; the last one of each
        dimension is that of all other values.

    Examples
    --------
    >>> categories = fit_categories([[["red"], ["red"], ["blue"]]], [[0, 0, 1]])
    >>> categories.values[0].tolist(), categories.offsets.tolist()
    (['blue', 'red'], [0, 3])
    >>> categories.encode([["red"], ["green"]]).tolist()
    [[1], [2]]
    """

    values: tuple[Codes, ...]
    pseudo_counts: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(read_only(np.asarray(v)) for v in self.values))
        pseudo_counts = as_floats("pseudo_counts", self.pseudo_counts, error=FeatureError)
        object.__setattr__(self, "pseudo_counts", pseudo_counts)
        if pseudo_counts.shape != (self.offsets[-1],) or not np.all(pseudo_counts > 0):
            raise FeatureError(
                f"pseudo_counts have shape {pseudo_counts.shape}; give {self.offsets[-1]} "
                "positive numbers: for each dimension, one number per value and one for all "
                "other values"
            )

    @property
    def offsets(self) -> Ints:
        """The offsets of the dimensions in `pseudo_counts`, and its length."""
        return np.cumsum([0, *(len(values) + 1 for values in self.values)], dtype=np.intp)

    def encode(self, codes: ArrayLike) -> Ints:
        """Return the index in `pseudo_counts` of each item's value, (n_items, n_dimensions)."""
        columns = _as_codes(codes).T
        if len(columns) != len(self.values):
            raise FeatureError(
                f"items have {len(columns)} categorical columns, but training items had "
                f"{len(self.values)}; give the same columns"
            )
        indices = [
            _find_values(values, column)
            for values, column in zip(self.values, columns, strict=True)
        ]
        encoded = np.column_stack([*indices, np.empty((columns.shape[1], 0), dtype=np.intp)])
        return encoded.astype(np.intp) + self.offsets[:-1]

    def log_marginal(self, counts: ArrayLike) -> Floats:
        """Return the log marginals of clusters, from the counts of values along the last axis."""
        value_counts = as_floats("counts", counts, error=FeatureError)
        value_terms = gammaln(self.pseudo_counts + value_counts) - gammaln(self.pseudo_counts)
        starts = self.offsets[:-1]
        totals = np.add.reduceat(self.pseudo_counts, starts)
        sizes = np.add.reduceat(value_counts, starts, axis=-1)
        size_terms = gammaln(totals) - gammaln(totals + sizes)
        marginal: Floats = value_terms.sum(axis=-1) + size_terms.sum(axis=-1)
        return marginal


def fit_categories(codes: Sequence[ArrayLike], partitions: Sequence[PartitionLike]) -> Categories:
    """Learn the values of each dimension, and the most likely β, from item sets with clusters.

    The lower β is, the more clusters differ in their values. The shares m are smoothed, so that
    other values have a share too. If no cluster has two items, nothing is learned about β, and it
    is 1.

    Parameters
    ----------
    codes
        The values of the items of each item set, as numbers or texts of shape (n_items,
        n_dimensions).
    partitions
        The partition of each item set.
    """
    matrices = _as_matrices(codes)
    checked = as_partitions(partitions, [len(matrix) for matrix in matrices])
    clusters = Partition.concatenate(checked).labels
    columns = np.concatenate(matrices).T
    values = tuple(np.unique(column) for column in columns)
    pseudo_counts = [
        _pseudo_counts(np.searchsorted(column_values, column), len(column_values) + 1, clusters)
        for column_values, column in zip(values, columns, strict=True)
    ]
    return Categories(values, np.concatenate([np.empty(0), *pseudo_counts]))


class _Cells(NamedTuple):
    """The non-zero cells of the table of clusters and values, for one dimension."""

    counts: Ints
    shares: Floats
    """The share m of the value of each cell."""
    sizes: Ints
    """The sizes of the clusters."""

    def log_likelihood(self, log_beta: float) -> float:
        beta = np.exp(log_beta)
        value_terms = gammaln(beta * self.shares + self.counts) - gammaln(beta * self.shares)
        size_terms = gammaln(beta) - gammaln(beta + self.sizes)
        return float(value_terms.sum() + size_terms.sum())


def _pseudo_counts(indices: Ints, n_values: int, clusters: Ints) -> Floats:
    """Return β m of one dimension, given the index of each item's value and its cluster."""
    smoothed = np.bincount(indices, minlength=n_values) + SMOOTHING
    shares = smoothed / smoothed.sum()
    keys, counts = np.unique(clusters * n_values + indices, return_counts=True)
    cells = _Cells(counts, shares[keys % n_values], np.bincount(clusters))

    def penalised_loss(log_beta: float) -> float:
        # The penalty is so weak that it matters only where the likelihood is flat.
        return 1e-6 * log_beta**2 - cells.log_likelihood(log_beta)

    limits = np.log(BOUNDS)
    result = minimize_scalar(
        penalised_loss, bounds=limits, method="bounded", options={"xatol": 1e-6}
    )
    pseudo_counts: Floats = np.exp(result.x) * shares
    return pseudo_counts


def _find_values(values: Codes, column: Codes) -> Ints:
    """Return the index of each entry of a column among the values, or len(values) for others."""
    if values.size and (values.dtype.kind == "U") != (column.dtype.kind == "U"):
        raise FeatureError(
            "a categorical column has strings in one item set and numbers in another; use "
            "either strings or numbers in all item sets"
        )
    indices = np.searchsorted(values, column)
    is_value = indices < len(values)
    is_value[is_value] = values[indices[is_value]] == column[is_value]
    return np.where(is_value, indices, len(values))


def _as_matrices(codes: Sequence[ArrayLike]) -> list[Codes]:
    matrices = []
    for index, set_codes in enumerate(codes):
        with located(f"item set {index}"):
            matrices.append(_as_codes(set_codes))
    kinds = {(matrix.shape[1], matrix.dtype.kind == "U") for matrix in matrices}
    if len(kinds) != 1:
        raise FeatureError(
            "there are no item sets, or they differ in the number or the type (strings or numbers) "
            "of their categorical columns; give item sets with the same columns"
        )
    return matrices


def _as_codes(codes: ArrayLike) -> Codes:
    """Convert values of items to an array of numbers or texts, (n_items, n_dimensions)."""
    try:
        matrix = np.asarray(codes)
        if matrix.dtype == object:
            matrix = np.array(matrix.tolist())
    except ValueError as error:
        raise FeatureError(
            "categories have rows of different lengths; give each item one value per column"
        ) from error
    if matrix.ndim != 2 or matrix.dtype.kind not in "biufU":
        raise FeatureError(
            f"categories have shape {matrix.shape} and type {matrix.dtype}; give a matrix of "
            "numbers or strings, one row per item and one column per categorical column"
        )
    if matrix.dtype.kind == "f" and np.isnan(matrix).any():
        raise FeatureError(
            "categories contain NaN; replace missing values by a number that has no other meaning"
        )
    return matrix
