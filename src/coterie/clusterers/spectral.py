"""Spectral clustering: the k-means objective, relaxed to all orthonormal columns."""

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
"""Up to this number of items, all eigenvectors are computed at once."""

TOLERANCE = 1e-10
"""The precision of eigenvalues, as a share of the norm of the matrix."""


class _EigenvectorClusterer(PairClusterer):
    """Base class of both, with the top eigenvectors, the bound and the rounding by k-means."""

    maximises = KMeans
    n_clusters: int | None
    random_state: int

    @property
    def n_init(self) -> int:
        """Number of random starts of the rounding."""
        return 5

    def __post_init__(self) -> None:
        as_whole("n_init", self.n_init, 1)
        as_whole("random_state", self.random_state)

    def _partition(self, scores: PairScores) -> Partition:
        n_clusters = require_n_clusters(self.n_clusters, scores)
        top = top_eigenpairs(scores.to_matrix(), n_clusters, self.random_state)
        return self._round(top.projection, n_clusters)

    def _solve(self, scores: PairScores) -> Solution:
        n_clusters = require_n_clusters(self.n_clusters, scores)
        matrix = scores.to_matrix()
        top = top_eigenpairs(matrix, n_clusters, self.random_state)
        projection = top.projection
        partition = self._round(projection, n_clusters)
        return self._solution(
            scores, partition, proven_bound(matrix, top), self._relaxed_matrix(projection)
        )

    def _round(self, projection: Relaxed, n_clusters: int) -> Partition:
        rng = np.random.default_rng(self.random_state)
        return Partition(best_ascent(projection, n_clusters, self.n_init, rng)[0])

    def _relaxed_matrix(self, projection: Relaxed) -> Relaxed | None:  # noqa: ARG002
        return None


@dataclass(frozen=True)
class Spectral(_EigenvectorClusterer):
    """Maximise the k-means objective over all matrices with k orthonormal columns.

    The maximum of trace(Yᵀ K Y) over YᵀY = I is the sum of the k largest eigenvalues of K, and Y
    holds their eigenvectors (Finley & Joachims 2008, section 4.4.2). K holds the scores with their
    diagonal, and 0 for absent pairs. The `relaxed` matrix of the solution is YYᵀ, its bound is the
    sum of the eigenvalues, and its partition is YYᵀ rounded as in `DiscreteSpectral`.

    The eigenvectors come from a Lanczos search (ARPACK) with a fixed start. All eigenvectors are
    computed directly if the items are few, the clusters are many, or the search fails. The bound is
    proved by a Cholesky factor of σI − K + YDYᵀ with D ≥ 0, which implies trace(ZᵀKZ) ≤ kσ + Σ D
    for every Z. Only `solve` computes the bound.

    Parameters
    ----------
    n_clusters
        Number of clusters; None means the `n_clusters` of the item set.
    random_state
        Seed of the start of the eigenvector search and of the rounding.

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

    def _relaxed_matrix(self, projection: Relaxed) -> Relaxed:
        return projection


@dataclass(frozen=True)
class DiscreteSpectral(_EigenvectorClusterer):
    """Cluster the projection YYᵀ on the top eigenvectors ("Discrete" in the paper).

    Y is the relaxed solution of `Spectral`, and YYᵀ replaces the scores K in a k-means search by
    moves of single items (Finley & Joachims 2008, section 4.4.3; Bach & Jordan 2004). The value and
    the weights of the solution are those of the partition under K. Its bound is that of `Spectral`.

    Parameters
    ----------
    n_clusters
        Number of clusters; None means the `n_clusters` of the item set.
    n_init
        Number of random starts of the k-means search; the result with the best value in YYᵀ wins.
    random_state
        Seed of the random starts and of the start of the eigenvector search.

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
        """The projection YYᵀ on the eigenvectors Y."""
        projection: Relaxed = self.vectors @ self.vectors.T
        return projection


def top_eigenpairs(matrix: Floats, n_top: int, seed: int) -> Eigenpairs:
    """Return the top eigenpairs; the largest entry of each vector is made positive."""
    n_items = len(matrix)
    eigenpairs = None
    if n_items > SMALL and n_top <= n_items // 10:
        eigenpairs = _lanczos(matrix, n_top, np.random.default_rng(seed))
    values, vectors = eigenpairs or largest_eigenpairs(matrix, n_top)
    order = np.argsort(values, kind="stable")
    largest = np.argmax(np.abs(vectors), axis=0)
    signs = np.where(vectors[largest, np.arange(n_top)] < 0, -1.0, 1.0)
    return Eigenpairs(values[order], (vectors * signs)[:, order])


def proven_bound(matrix: Floats, top: Eigenpairs) -> float:
    """Return an upper bound on trace(Zᵀ K Z) over all Z with k orthonormal columns.

    If D ≥ 0 and σI − K + YDYᵀ is positive semidefinite, the trace is at most kσ + Σ D. Let σ be
    just above the smallest of the k top eigenvalues, and D the differences of the k eigenvalues
    from it: the bound is then their sum. The Cholesky factor exists unless the search missed a
    larger eigenvalue, in which case all eigenvalues are computed.
    """
    values = top.values
    margin = TOLERANCE * np.linalg.norm(matrix)
    gap = (top.vectors * (values - values[0])) @ top.vectors.T
    gap -= matrix
    np.fill_diagonal(gap, gap.diagonal() + values[0] + margin)
    if margin and not _is_positive_definite(gap):
        values = largest_eigenvalues(matrix, len(values))
    return float(values.sum() + len(values) * margin)


def _is_positive_definite(matrix: Floats) -> bool:
    try:
        cholesky(matrix.T, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def _lanczos(matrix: Floats, n_top: int, rng: np.random.Generator) -> Eigenpairs | None:
    """Search for the top eigenpairs with ARPACK; return None if it fails or misses one."""
    scale = np.linalg.norm(matrix)
    # dsymv reads one triangle of the matrix: half the memory traffic, which dominates the cost.
    product = partial(dsymv, 1.0, matrix.T)

    def deflated_product(vector: Floats) -> Floats:
        deflated: Floats = product(vector) - vectors @ ((values + scale) * (vector @ vectors))
        return deflated

    try:
        values, vectors = _search(product, len(matrix), n_top, TOLERANCE, rng)
        # A Krylov space holds one vector of a repeated eigenvalue, so the search may miss others.
        # After deflation by the found eigenpairs, the top eigenvalue is the largest missed one.
        largest_missed = _search(deflated_product, len(matrix), 1, 1e-3, rng).values[0]
    except ArpackError:
        return None
    is_complete = largest_missed <= values.min() + TOLERANCE * scale
    return Eigenpairs(values, vectors) if is_complete else None


def _search(
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
