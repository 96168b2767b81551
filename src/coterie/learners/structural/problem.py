"""The problem that a structural SVM solves, and the test whether its features are kernels."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Floats, Pairs
from coterie._types import Features
from coterie.features.operators import (
    MatrixFeatures,
    NodeProducts,
    ScaledFeatures,
    StackedFeatures,
    ZeroDiagonal,
)
from coterie.pairs import PairScores


class Cut(NamedTuple):
    """A constraint on coef from a partition of one item set that should score below the truth.

    `gradient` is Ψ(truth) − Ψ(worst) and `loss` the loss of the worst partition. `bound` is an
    upper bound on the violation of any partition at the coef that the cut was found for, or None if
    the search proves no such bound.
    """

    gradient: Floats
    loss: float
    bound: float | None = None

    def violation(self, coef: Floats) -> float:
        """Return H = loss + coef·Ψ(worst) − coef·Ψ(truth)."""
        return float(self.loss - self.gradient @ coef)


Oracle = Callable[[Floats], Cut]
"""A function that takes coef and returns the most violated cut of one item set."""


class Cuts(NamedTuple):
    """The cuts of all item sets at one coef, one row per item set."""

    gradients: Floats
    losses: Floats
    bounds: Floats
    """The upper bounds on the violations; NaN where the search proves none."""

    @classmethod
    def stack(cls, cuts: Sequence[Cut]) -> "Cuts":
        """Stack the cuts of the item sets."""
        bounds = [np.nan if cut.bound is None else cut.bound for cut in cuts]
        return cls(
            np.array([cut.gradient for cut in cuts]),
            np.array([cut.loss for cut in cuts]),
            np.array(bounds),
        )

    def risk(self, coef: Floats) -> float:
        """Return the mean slack: the bounds where there are any, else the cuts' violations."""
        violations = self.losses - self.gradients @ coef
        slacks = np.where(np.isnan(self.bounds), violations, self.bounds)
        return float(np.maximum(slacks, 0.0).mean())

    @property
    def proved(self) -> bool:
        """Return whether the violations of all partitions of all item sets are bounded."""
        return not np.isnan(self.bounds).any()


class Problem:
    """Minimise ½‖w‖² + (C/n) Σ ξᵢ, given one oracle per item set.

    `cheap_oracles` are much faster and may miss the worst partition. The cuts that they find are
    valid, and each one saves a call of the true oracles.
    """

    def __init__(
        self, oracles: Sequence[Oracle], n_columns: int, cheap_oracles: Sequence[Oracle] = ()
    ) -> None:
        self.oracles = list(oracles)
        self.cheap_oracles = list(cheap_oracles)
        self.n_columns = n_columns

    def __len__(self) -> int:
        return len(self.oracles)


@contextmanager
def oracle_pool(n_jobs: int) -> Iterator[Callable[[list[Oracle], Floats], Cuts]]:
    """Yield a function that calls oracles, in threads if `n_jobs` > 1; the results are the same."""
    if n_jobs == 1:
        yield lambda oracles, coef: Cuts.stack([oracle(coef) for oracle in oracles])
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        yield lambda oracles, coef: Cuts.stack(list(pool.map(lambda oracle: oracle(coef), oracles)))


def are_kernels(features: Features, pairs: Pairs | None, n_items: int) -> bool:
    """Return whether each column is certain to be a positive semidefinite matrix over the items.

    Columns of products of item vectors always are. Columns of given pair features are if they
    include the features of each item with itself and have no negative eigenvalue. All others count
    as uncertain.
    """
    if pairs is not None:
        return n_items < 2
    if isinstance(features, NodeProducts):
        return True
    if isinstance(features, StackedFeatures):
        return all(are_kernels(part, pairs, n_items) for part in features.parts)
    if isinstance(features, ScaledFeatures):
        return are_kernels(features.inner, pairs, n_items)
    if isinstance(features, MatrixFeatures) and not isinstance(features.diagonal, ZeroDiagonal):
        return _are_semidefinite(features, n_items)
    return False


def _are_semidefinite(features: MatrixFeatures, n_items: int) -> bool:
    for unit in np.eye(features.shape[1]):
        diagonal = np.asarray(features.diagonal @ unit)
        matrix = PairScores(n_items, None, features @ unit, diagonal).to_matrix()
        if np.linalg.eigvalsh(matrix)[0] < -1e-9 * np.abs(matrix).max(initial=0.0):
            return False
    return True
