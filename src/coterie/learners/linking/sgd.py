"""Stochastic gradient descent, with one step per item."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from coterie._core.arguments import as_positive, as_real, as_whole
from coterie._core.arrays import Floats
from coterie._core.values import Value
from coterie._kernels.linking.descent import (
    Scratch,
    Weights,
    last_iterate,
    mean_iterate,
    start_weights,
)
from coterie.exceptions import FeatureError
from coterie.learners.linking.link_sets import LinkSet

Pass: TypeAlias = Callable[[LinkSet, int, float, Weights, Scratch], float]
"""A function that makes one step per item of a set, and returns the sum of their losses.

Its arguments are the set, the first item to learn from, the first step size, the weights, which
change in place, and memory for the kernels.
"""


class PassStep(NamedTuple):
    """The result of a pass over the training sets.

    `objective` is ½λ‖w‖² at the end of the pass plus the mean loss of the items, each with the
    weights before its step; `seconds` is the duration of the pass.
    """

    objective: float
    seconds: float


@dataclass(frozen=True)
class SGD(Value):
    """Learn from one item after the other by stochastic gradient descent.

    The t-th step is w ← w − η_t (g_t + λ w), where g_t is the gradient of one item's loss (Samdani,
    Chang & Roth 2014, eq. 8) and η_t = η₀ / (1 + η₀ λ t) with η₀ the learning rate. Items are taken
    in their order. Subtracting λ w takes constant time, because all weights share one scale factor.

    Parameters
    ----------
    learning_rate
        The first step size η₀. The default suits features of size about 1; bring others to that
        scale by `features.Scaled`.
    average
        Whether the learned weights are the mean of the weights after each step, which varies less,
        or the weights after the last step.
    start
        The standard deviation of the normal distribution from which the initial weights are drawn;
        0 starts from zeros.

    Examples
    --------
    >>> SGD(learning_rate=0.03)
    SGD(learning_rate=0.03, average=True, start=0.0)
    """

    learning_rate: float = 0.1
    average: bool = True
    start: float = 0.0

    def __post_init__(self) -> None:
        as_positive("learning_rate", self.learning_rate)
        as_real("start", self.start)

    def begin(self, n_columns: int, random_state: int) -> "Descent":
        """Start a descent from the initial weights."""
        return Descent(self, start_weights(draw_start(self, n_columns, random_state)))


@dataclass(frozen=True, eq=False)
class Descent:
    """The state of a descent; `run` returns the state after one more pass."""

    solver: SGD
    weights: Weights

    @property
    def coef(self) -> Floats:
        """The weights learned so far."""
        return mean_iterate(self.weights) if self.solver.average else last_iterate(self.weights)

    def run(
        self, sets: Sequence[LinkSet], descend: Pass, lam: float, firsts: Sequence[int]
    ) -> tuple["Descent", PassStep]:
        """Make a pass over item sets, which starts in each set at the first item to learn from."""
        _refuse_wrong_widths(sets, len(self.weights.coef))
        start = perf_counter()
        weights = Weights(*(part.copy() for part in self.weights))
        scratch = _scratch(sets, len(weights.coef))
        rate, loss, n_items = float(self.solver.learning_rate), 0.0, 0
        for link_set, first in zip(sets, firsts, strict=True):
            loss += descend(link_set, first, rate, weights, scratch)
            n_items += len(link_set) - first
        descent = Descent(self.solver, weights)
        with np.errstate(over="ignore", invalid="ignore"):
            coef = last_iterate(weights)
            objective = 0.5 * lam * float(coef @ coef) + loss / max(n_items, 1)
            is_finite = np.isfinite(objective) and np.isfinite(descent.coef).all()
        if not is_finite:
            raise FeatureError(
                "the weights are too large for a float; scale the features with "
                "Scaled(featurizer), or lower the learning_rate of the solver"
            )
        return descent, PassStep(objective, perf_counter() - start)


def _refuse_wrong_widths(sets: Sequence[LinkSet], n_columns: int) -> None:
    for index, link_set in enumerate(sets):
        if link_set.features.shape[1] != n_columns:
            raise FeatureError(
                f"item set {index}: there are {link_set.features.shape[1]} features, but "
                f"{n_columns} are expected; use a featurizer that gives every item set the same "
                "number of columns"
            )


def _scratch(sets: Sequence[LinkSet], n_columns: int) -> Scratch:
    max_candidates = max((link_set.candidates.max_count for link_set in sets), default=0)
    n_clusters = max((int(link_set.labels.max(initial=-1)) + 1 for link_set in sets), default=0)
    return Scratch(
        links=np.zeros(max(max_candidates, 1)),
        link_gradient=np.zeros(max(max_candidates, 1)),
        correct=np.zeros(max_candidates, dtype=np.intp),
        gradient=np.zeros(n_columns),
        item_vector=np.zeros(n_columns),
        totals=np.zeros(n_clusters),
    )


class RandomStart(Protocol):
    """A solver with a parameter for the spread of the initial weights."""

    @property
    def start(self) -> float:
        """The standard deviation of the initial weights."""


def draw_start(solver: RandomStart, n_columns: int, random_state: int) -> Floats:
    """Draw the initial weights of a solver."""
    rng = np.random.default_rng(as_whole("random_state", random_state))
    return rng.normal(scale=solver.start, size=n_columns)
