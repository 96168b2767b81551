"""Stochastic gradient descent, one item after the other."""

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
"""Descends over the items of a set from some item on, at some first rate; returns their loss."""


class PassStep(NamedTuple):
    """What a pass over the training sets met.

    `objective` is ½λ‖w‖² at its end and the mean loss of its items, each at the weights before its
    own step; `seconds` is how long it took.
    """

    objective: float
    seconds: float


@dataclass(frozen=True)
class SGD(Value):
    """Learn from one item after the other, in their order, by stochastic gradient descent.

    The t-th step is w ← w − η_t (g_t + λ w), where g_t is the gradient of one item's loss (Samdani,
    Chang & Roth 2014, eq. 8) and η_t = η₀ / (1 + η₀ λ t) with η₀ the learning rate. λ w costs
    nothing, however many weights there are: all are kept as multiples of one number.

    Parameters
    ----------
    learning_rate
        The first rate η₀. It suits features of about the size of 1; bring others to one scale by
        `features.Scaled`.
    average
        Whether the weights learned are the mean of those after each step, which is steadier, or
        the last ones.
    start
        The standard deviation of the normal distribution that the first weights are drawn from; 0
        starts at 0.

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
        """Begin a descent."""
        return Descent(self, start_weights(drawn_start(self, n_columns, random_state)))


@dataclass(frozen=True, eq=False)
class Descent:
    """Where a descent stands; `run` makes another one, further down."""

    solver: SGD
    weights: Weights

    @property
    def coef(self) -> Floats:
        """The weights learned so far."""
        return mean_iterate(self.weights) if self.solver.average else last_iterate(self.weights)

    def run(
        self, sets: Sequence[LinkSet], descend: Pass, lam: float, firsts: Sequence[int]
    ) -> tuple["Descent", PassStep]:
        """Make a pass over item sets, of each from its first item to learn from."""
        _refuse_other_widths(sets, len(self.weights.coef))
        started = perf_counter()
        weights = Weights(*(part.copy() for part in self.weights))
        scratch = _scratch(sets, len(weights.coef))
        rate, lost, n_items = float(self.solver.learning_rate), 0.0, 0
        for link_set, first in zip(sets, firsts, strict=True):
            lost += descend(link_set, first, rate, weights, scratch)
            n_items += len(link_set) - first
        reached = Descent(self.solver, weights)
        with np.errstate(over="ignore", invalid="ignore"):
            objective = 0.5 * lam * float(
                last_iterate(weights) @ last_iterate(weights)
            ) + lost / max(n_items, 1)
            finite = np.isfinite(objective) and np.isfinite(reached.coef).all()
        if not finite:
            raise FeatureError(
                "the weights grew beyond what a float can hold; bring the features to one scale "
                "(features.Scaled), or lower the learning_rate of the solver"
            )
        return reached, PassStep(objective, perf_counter() - started)


def _refuse_other_widths(sets: Sequence[LinkSet], n_columns: int) -> None:
    for number, link_set in enumerate(sets):
        if link_set.features.shape[1] != n_columns:
            raise FeatureError(
                f"item set {number}: there are {link_set.features.shape[1]} features, but "
                f"{n_columns} are expected; give a featurizer of as many columns for every item set"
            )


def _scratch(sets: Sequence[LinkSet], n_columns: int) -> Scratch:
    most = max((link_set.candidates.most for link_set in sets), default=0)
    n_clusters = max((int(link_set.labels.max(initial=-1)) + 1 for link_set in sets), default=0)
    return Scratch(
        links=np.zeros(max(most, 1)),
        link_gradient=np.zeros(max(most, 1)),
        correct=np.zeros(most, dtype=np.intp),
        gradient=np.zeros(n_columns),
        item_vector=np.zeros(n_columns),
        totals=np.zeros(n_clusters),
    )


class Starting(Protocol):
    """A solver that says how far from 0 its first weights are drawn."""

    @property
    def start(self) -> float:
        """Where the solver starts."""


def drawn_start(solver: Starting, n_columns: int, random_state: int) -> Floats:
    """Draw the first weights as the solver asks for them."""
    rng = np.random.default_rng(as_whole("random_state", random_state))
    return rng.normal(scale=solver.start, size=n_columns)
