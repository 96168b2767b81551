"""Spectral clustering: the k-means objective relaxed to any orthonormal columns."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cholesky
from scipy.linalg.blas import dsymv
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from coterie._core.arguments import as_whole
from coterie._core.arrays import Floats
from coterie._solvers.eigen import largest_eigenpairs, largest_eigenvalues
from coterie._types import Relaxed
from coterie.clusterers._base import PairClusterer, Solution, require_n_clusters
from coterie.clusterers.kmeans import best_ascent
from coterie.objectives import KMeans
from coterie.pairs import PairScores
from coterie.partition import Partition

__all__ = ["DiscreteSpectral", "Spectral"]

SMALL = 500
"""Up to how many items all eigenvectors are computed at once."""

TOLERANCE = 1e-10
"""How exact eigenvalues are, as a share of the norm of the matrix."""


class _OverEigenvectors(PairClusterer):
    """What both share: the top eigenvectors, the bound and the rounding by k-means."""

    maximises = KMeans
    n_clusters: int | None
    random_state: int

    @property
    def n_init(self) -> int:
        """How many random starts the rounding has."""
        return 5

    def __post_init__(self) -> None:
        as_whole("n_init", self.n_init, 1)
        as_whole("random_state", self.random_state)

    def _partition(self, scores: PairScores) -> Partition:
        n_clusters = require_n_clusters(self.n_clusters, scores)
        top = top_eigenpairs(scores.to_matrix(), n_clusters, self.random_state)
        return self._rounded(top.projection, n_clusters)

    def _solve(self, scores: PairScores) -> Solution:
        n_clusters = require_n_clusters(self.n_clusters, scores)
        matrix = scores.to_matrix()
        top = top_eigenpairs(matrix, n_clusters, self.random_state)
        projection = top.projection
        partition = self._rounded(projection, n_clusters)
        return self._solution(scores, partition, proven_bound(matrix, top), self._kept(projection))

    def _rounded(self, projection: Relaxed, n_clusters: int) -> Partition:
        rng = np.random.default_rng(self.random_state)
        return Partition(best_ascent(projection, n_clusters, self.n_init, rng)[0])

    def _kept(self, projection: Relaxed) -> Relaxed | None:  # noqa: ARG002
        return None


@dataclass(frozen=True)
class Spectral(_OverEigenvectors):
    """Maximise the k-means objective over all orthonormal columns, clusters or not.

    max trace(Yᵀ K Y) over YᵀY = I is the sum of the k largest eigenvalues of K, reached by their
    eigenvectors Y (Finley & Joachims 2008, section 4.4.2); K is the scores with their diagonal,
    absent pairs 0. The solution's `relaxed` matrix is YYᵀ, its bound the sum of the eigenvalues,
    and its partition YYᵀ rounded as by `DiscreteSpectral`.

    Eigenvectors come from a Lanczos search (ARPACK) with a fixed start, or all at once where the
    items are few, the clusters many, or the search fails. The bound carries its own proof: a
    Cholesky factor of σI − K + YDYᵀ with D ≥ 0, by which trace(ZᵀKZ) ≤ kσ + Σ D for every Z; only
    `solve` makes it.

    Parameters
    ----------
    n_clusters
        How many clusters to make; None takes the item set's number.
    random_state
        Seed of the start of the search and of the rounding.

    Examples
    --------
    >>> kernel = PairScores.from_matrix([[2, 2, 0, 0], [2, 2, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]])
    >>> solution = Spectral(n_clusters=2).solve(kernel)
    >>> solution.relaxed.round(3)
    array([[0.5, 0.5, 0. , 0. ],
           [0.5, 0.5, 0. , 0. ],
           [0. , 0. , 0.5, 0.5],
           [0. , 0. , 0.5, 0.5]])
    >>> round(solution.bound, 6), solution.status
    (9.0, 'exact')
    """

    n_clusters: int | None = None
    random_state: int = 0
    relaxed = True

    def _kept(self, projection: Relaxed) -> Relaxed:
        return projection


@dataclass(frozen=True)
class DiscreteSpectral(_OverEigenvectors):
    """Cluster the projection YYᵀ on the top eigenvectors (the paper's Discrete).

    Point-incremental k-means clusters YYᵀ in place of the scores K, Y being the relaxed solution of
    `Spectral` (Finley & Joachims 2008, section 4.4.3; Bach & Jordan 2004). The value and the
    weights of the solution are those of the partition under K, its bound is that of `Spectral`.

    Parameters
    ----------
    n_clusters
        How many clusters to make; None takes the item set's number.
    n_init
        How many random starts the k-means has; the best in YYᵀ is kept.
    random_state
        Seed of those, and of the start of the eigenvector search.

    Examples
    --------
    >>> kernel = PairScores.from_matrix([[2, 2, 0, 0], [2, 2, 1, 0], [0, 1, 3, 2], [0, 0, 2, 3]])
    >>> DiscreteSpectral(n_clusters=2)(kernel)
    Partition([0, 0, 1, 1])
    """

    n_clusters: int | None = None
    n_init: int = 5
    random_state: int = 0


class Eigenpairs(NamedTuple):
    """Eigenvalues in ascending order, and their eigenvectors in columns."""

    values: Floats
    vectors: Floats

    @property
    def projection(self) -> Relaxed:
        """The matrix YYᵀ."""
        projection: Relaxed = self.vectors @ self.vectors.T
        return projection


def top_eigenpairs(matrix: Floats, n_top: int, seed: int) -> Eigenpairs:
    """Return the largest eigenvalues and their vectors, whose largest entries are positive."""
    n_items = len(matrix)
    found = None
    if n_items > SMALL and n_top <= n_items // 10:
        found = _lanczos(matrix, n_top, np.random.default_rng(seed))
    values, vectors = found or largest_eigenpairs(matrix, n_top)
    order = np.argsort(values, kind="stable")
    largest = np.argmax(np.abs(vectors), axis=0)
    signs = np.where(vectors[largest, np.arange(n_top)] < 0, -1.0, 1.0)
    return Eigenpairs(values[order], (vectors * signs)[:, order])


def proven_bound(matrix: Floats, top: Eigenpairs) -> float:
    """Return an upper bound on trace(Zᵀ K Z) over all orthonormal Z with as many columns.

    If σI − K + YDYᵀ is positive semidefinite, D ≥ 0, it is at most kσ + Σ D. With σ just above the
    smallest eigenvalue found and D what the others are above it, that is their sum, and there is a
    Cholesky factor unless the search has missed a larger one.
    """
    values = top.values
    margin = TOLERANCE * np.linalg.norm(matrix)
    gap = (top.vectors * (values - values[0])) @ top.vectors.T
    gap -= matrix
    np.fill_diagonal(gap, gap.diagonal() + values[0] + margin)
    if margin and not _is_positive(gap):
        values = largest_eigenvalues(matrix, len(values))
    return float(values.sum() + len(values) * margin)


def _is_positive(matrix: Floats) -> bool:
    try:
        cholesky(matrix.T, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def _lanczos(matrix: Floats, n_top: int, rng: np.random.Generator) -> Eigenpairs | None:
    """Search the top eigenpairs by ARPACK; None where it fails or misses one."""
    scale = np.linalg.norm(matrix)
    # Reads one triangle only: half the memory traffic of a full product, which is what it costs.
    product = partial(dsymv, 1.0, matrix.T)

    def remainder(vector: Floats) -> Floats:
        rest: Floats = product(vector) - vectors @ ((values + scale) * (vector @ vectors))
        return rest

    try:
        values, vectors = _searched(product, len(matrix), n_top, TOLERANCE, rng)
        # A Krylov space holds one vector of a repeated eigenvalue, so the search may miss others:
        # look for them in what is left when the found ones are taken out.
        missed = _searched(remainder, len(matrix), 1, 1e-3, rng).values[0]
    except ArpackError:
        return None
    found = Eigenpairs(values, vectors)
    return found if missed <= values.min() + TOLERANCE * scale else None


def _searched(
    product: Callable[[Floats], Floats],
    n_items: int,
    n_top: int,
    tol: float,
    rng: np.random.Generator,
) -> Eigenpairs:
    operator = LinearOperator((n_items, n_items), matvec=product, dtype=np.float64)
    start = rng.standard_normal(n_items)
    ncv = max(2 * n_top + 1, 10)
    return Eigenpairs(*eigsh(operator, n_top, which="LA", v0=start, ncv=ncv, tol=tol, rng=rng))
