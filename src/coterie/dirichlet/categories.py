"""Categorical dimensions of a Dirichlet-process mixture: the values of items, not their distances.

A cluster has the probabilities θ ~ Dirichlet(β m) of the values of a dimension, where m are the
shares of the values in training, and each of its items has a value drawn from θ. A dimension of two
values is the Beta distribution. With θ integrated out, a cluster of n items of which n_v have the
value v has the log marginal

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
"""What each value counts before any item is seen (Krichevsky & Trofimov 1981)."""

BOUNDS = (0.01, 1e4)
"""Of β: clusters of nearly one value each, and clusters that are all alike."""


@dataclass(frozen=True, eq=False)
class Categories(Value):
    """The values that categorical dimensions take, and what is believed of them in a cluster.

    Parameters
    ----------
    values
        The values of each dimension that were seen in training, ascending. A last one, all others,
        is not listed.
    pseudo_counts
        β m of all values of all dimensions, one dimension after the other, each with all others
        last.

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
                f"pseudo_counts have shape {pseudo_counts.shape}; give a positive number for each "
                f"value and all others of each dimension, {self.offsets[-1]} in all"
            )

    @property
    def offsets(self) -> Ints:
        """Where the values of each dimension begin in `pseudo_counts`, and the last ones end."""
        return np.cumsum([0, *(len(values) + 1 for values in self.values)], dtype=np.intp)

    def encode(self, codes: ArrayLike) -> Ints:
        """Say where the value of each item and dimension, (n, G), is in `pseudo_counts`."""
        columns = _as_codes(codes).T
        if len(columns) != len(self.values):
            raise FeatureError(
                f"items have {len(columns)} categorical dimensions, in training they had "
                f"{len(self.values)}; give the same ones"
            )
        places = [_places(*both) for both in zip(self.values, columns, strict=True)]
        encoded = np.column_stack([*places, np.empty((columns.shape[1], 0), dtype=np.intp)])
        return encoded.astype(np.intp) + self.offsets[:-1]

    def log_marginal(self, counts: ArrayLike) -> Floats:
        """Return the log marginal of clusters, given how many items have each value, (…, ΣV)."""
        given = as_floats("counts", counts, error=FeatureError)
        gained = gammaln(self.pseudo_counts + given) - gammaln(self.pseudo_counts)
        starts = self.offsets[:-1]
        totals = np.add.reduceat(self.pseudo_counts, starts)
        sizes = np.add.reduceat(given, starts, axis=-1)
        lost = gammaln(totals) - gammaln(totals + sizes)
        marginal: Floats = gained.sum(axis=-1) + lost.sum(axis=-1)
        return marginal


def fit_categories(codes: Sequence[ArrayLike], partitions: Sequence[PartitionLike]) -> Categories:
    """Learn what values there are, and by β how much clusters keep to one: as likely as can be.

    Shares m are smoothed, so that all other values have one too. Where no cluster has two items,
    which says nothing of β, it is 1.

    Parameters
    ----------
    codes
        For each item set the values of its items, numbers or texts of shape (n_items, G).
    partitions
        For each item set its clusters.
    """
    matrices = _as_matrices(codes)
    found = as_partitions(partitions, [len(matrix) for matrix in matrices])
    clusters = Partition.concatenate(found).labels
    columns = np.concatenate(matrices).T
    values = tuple(np.unique(column) for column in columns)
    pseudo_counts = [
        _pseudo_counts(np.searchsorted(known, column), len(known) + 1, clusters)
        for known, column in zip(values, columns, strict=True)
    ]
    return Categories(values, np.concatenate([np.empty(0), *pseudo_counts]))


class _Cells(NamedTuple):
    """The table of clusters and values of one dimension, without its zeros."""

    counts: Ints
    shares: Floats
    """m of the value of each cell."""
    sizes: Ints
    """Of the clusters."""

    def log_likelihood(self, log_beta: float) -> float:
        beta = np.exp(log_beta)
        gained = gammaln(beta * self.shares + self.counts) - gammaln(beta * self.shares)
        return float(gained.sum() + (gammaln(beta) - gammaln(beta + self.sizes)).sum())


def _pseudo_counts(places: Ints, n_values: int, clusters: Ints) -> Floats:
    """Return β m of one dimension, given the value of each item and its cluster."""
    smoothed = np.bincount(places, minlength=n_values) + SMOOTHING
    shares = smoothed / smoothed.sum()
    keys, counts = np.unique(clusters * n_values + places, return_counts=True)
    cells = _Cells(counts, shares[keys % n_values], np.bincount(clusters))

    def badness(log_beta: float) -> float:
        # Far weaker than one item: it only settles what the likelihood leaves open.
        return 1e-6 * log_beta**2 - cells.log_likelihood(log_beta)

    limits = np.log(BOUNDS)
    found = minimize_scalar(badness, bounds=limits, method="bounded", options={"xatol": 1e-6})
    pseudo_counts: Floats = np.exp(found.x) * shares
    return pseudo_counts


def _places(values: Codes, column: Codes) -> Ints:
    """Return where the values are among those known, their number for all others."""
    if values.size and (values.dtype.kind == "U") != (column.dtype.kind == "U"):
        raise FeatureError(
            "categories are texts in one place and numbers in another; give one kind"
        )
    places = np.searchsorted(values, column)
    known = places < len(values)
    known[known] = values[places[known]] == column[known]
    return np.where(known, places, len(values))


def _as_matrices(codes: Sequence[ArrayLike]) -> list[Codes]:
    matrices = []
    for number, each in enumerate(codes):
        with located(f"item set {number}"):
            matrices.append(_as_codes(each))
    kinds = {(matrix.shape[1], matrix.dtype.kind == "U") for matrix in matrices}
    if len(kinds) != 1:
        raise FeatureError(
            "item sets differ in their number of categorical dimensions or in texts and numbers, "
            "or there are none; give all the same dimensions"
        )
    return matrices


def _as_codes(codes: ArrayLike) -> Codes:
    """Take values of items as an (n, G) array of numbers or texts."""
    try:
        matrix = np.asarray(codes)
        if matrix.dtype == object:
            matrix = np.array(matrix.tolist())
    except ValueError as error:
        raise FeatureError("categories are ragged; give as many values for each item") from error
    if matrix.ndim != 2 or matrix.dtype.kind not in "biufU":
        raise FeatureError(
            f"categories have shape {matrix.shape} and type {matrix.dtype}; give numbers or texts, "
            "one row an item, one column a dimension"
        )
    if matrix.dtype.kind == "f" and np.isnan(matrix).any():
        raise FeatureError("categories have a NaN; give a missing value a code of its own")
    return matrix
