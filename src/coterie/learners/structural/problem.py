"""What a structural SVM minimises, item set by item set, and which of its features are kernels."""

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
    """A partition of one item set that should score less than the truth: a half-space of coef.

    `gradient` is Ψ(truth) − Ψ(worst), `loss` what the worst partition loses. `bound` is at least
    what any partition violates at the coef that the cut was made for, or None if nothing is proved.
    """

    gradient: Floats
    loss: float
    bound: float | None = None

    def violation(self, coef: Floats) -> float:
        """Return H = loss + coef·Ψ(worst) − coef·Ψ(truth)."""
        return float(self.loss - self.gradient @ coef)


Oracle = Callable[[Floats], Cut]
"""Finds the cut of one item set that is violated most, given coef."""


class Cuts(NamedTuple):
    """The cuts of all item sets at one coef."""

    gradients: Floats
    losses: Floats
    bounds: Floats
    """NaN where nothing is proved."""

    @classmethod
    def of(cls, cuts: Sequence[Cut]) -> "Cuts":
        """Put cuts together."""
        bounds = [np.nan if cut.bound is None else cut.bound for cut in cuts]
        return cls(
            np.array([cut.gradient for cut in cuts]),
            np.array([cut.loss for cut in cuts]),
            np.array(bounds),
        )

    def risk(self, coef: Floats) -> float:
        """Return the mean slack: of the bounds where they are proved, else of the cuts."""
        violated = self.losses - self.gradients @ coef
        slacks = np.where(np.isnan(self.bounds), violated, self.bounds)
        return float(np.maximum(slacks, 0.0).mean())

    @property
    def proved(self) -> bool:
        """Whether no partition of any item set violates more than the bounds say."""
        return not np.isnan(self.bounds).any()


class Problem:
    """Minimise ½‖w‖² + (C/n) Σ ξᵢ, known by one oracle an item set.

    `scouts` are oracles that cost much less and find cuts that count as well, but miss some: what
    they find need not be searched for.
    """

    def __init__(
        self, oracles: Sequence[Oracle], n_columns: int, scouts: Sequence[Oracle] = ()
    ) -> None:
        self.oracles = list(oracles)
        self.scouts = list(scouts)
        self.n_columns = n_columns

    def __len__(self) -> int:
        return len(self.oracles)


@contextmanager
def threads(n_jobs: int) -> Iterator[Callable[[list[Oracle], Floats], Cuts]]:
    """Make a function that asks oracles for their cuts at a coef; threads change no result."""
    if n_jobs == 1:
        yield lambda oracles, coef: Cuts.of([oracle(coef) for oracle in oracles])
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        yield lambda oracles, coef: Cuts.of(list(pool.map(lambda oracle: oracle(coef), oracles)))


def are_kernels(features: Features, pairs: Pairs | None, n_items: int) -> bool:
    """Tell whether each column is certain to be a positive semidefinite matrix over the items.

    Products of item vectors are. Given features of pairs are if they come with those of items with
    themselves, and their matrices have no negative eigenvalue. Nothing else is.
    """
    if pairs is not None:
        return n_items < 2
    if isinstance(features, NodeProducts):
        return True
    if isinstance(features, StackedFeatures):
        return all(are_kernels(part, pairs, n_items) for part in features.parts)
    if isinstance(features, ScaledFeatures):
        return are_kernels(features.of, pairs, n_items)
    if isinstance(features, MatrixFeatures) and not isinstance(features.diagonal, ZeroDiagonal):
        return _are_semidefinite(features, n_items)
    return False


def _are_semidefinite(features: MatrixFeatures, n_items: int) -> bool:
    for unit in np.eye(features.shape[1]):
        own = np.asarray(features.diagonal @ unit)
        matrix = PairScores(n_items, None, features @ unit, own).to_matrix()
        if np.linalg.eigvalsh(matrix)[0] < -1e-9 * np.abs(matrix).max(initial=0.0):
            return False
    return True
