"""Making partitions of relaxed ones."""

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from coterie._core.arguments import as_floats, as_real
from coterie._core.arrays import Ints
from coterie._types import Relaxed
from coterie.clusterers.greedy import Greedy
from coterie.clusterers.local_search import LocalSearch
from coterie.exceptions import InputError
from coterie.objectives import Correlation
from coterie.pairs import PairScores
from coterie.partition import Partition


class Rounding(Protocol):
    """A frozen callable that makes a partition of a relaxed one, and keeps apart pairs apart."""

    def __call__(self, relaxed: Relaxed, scores: PairScores, /) -> Partition:
        """Make the partition."""


@dataclass(frozen=True)
class BallRounding:
    """Let each item that is still alone absorb all others still alone that are near enough.

    C_R* of Finley & Joachims 2005, section 5.2: items a are scanned in index order; one that is a
    singleton at that moment absorbs every other singleton b with e_ab > threshold. An item that
    must be apart from one already in the ball stays out of it. The partition depends on the order
    of the items.

    Parameters
    ----------
    threshold
        How much together two items must be, strictly.

    Examples
    --------
    >>> relaxed = np.array([[1, 0.9, 0.6], [0.9, 1, 0.8], [0.6, 0.8, 1]])
    >>> BallRounding()(relaxed, PairScores.from_matrix(np.zeros((3, 3))))
    Partition([0, 0, 1])
    """

    threshold: float = 0.7

    def __post_init__(self) -> None:
        as_real("threshold", self.threshold, high=1.0)

    def __call__(self, relaxed: Relaxed, scores: PairScores, /) -> Partition:
        """Grow the balls."""
        relaxed = as_floats("the relaxed matrix", relaxed)
        if relaxed.shape != (scores.n_items, scores.n_items):
            raise InputError(
                f"the relaxed matrix has shape {relaxed.shape}, but there are {scores.n_items} "
                "items; give one row and one column for each"
            )
        foes = _foes(scores)
        alone = np.ones(scores.n_items, np.bool_)
        labels = np.arange(scores.n_items)
        for seed in range(scores.n_items):
            if alone[seed]:
                ball = np.flatnonzero(alone & (relaxed[seed] > self.threshold))
                ball = _friendly(seed, ball[ball != seed], foes)
                labels[ball] = seed
                alone[ball] = False
                alone[seed] = not len(ball)
        return Partition(labels)


@dataclass(frozen=True)
class SearchRounding:
    """Improve balls by local search, and take the best partition that comes of it.

    The search starts from `BallRounding` and from the partition that greedily joins what is
    together by more than half; it is never worse than the former.

    Parameters
    ----------
    threshold
        That of the balls.
    search
        The local search; it gets the starts.

    Examples
    --------
    >>> scores = PairScores.from_matrix([[0, 2, 1], [2, 0, -1], [1, -1, 0]])
    >>> half = np.array([[1, 0.5, 0.5], [0.5, 1, 0.5], [0.5, 0.5, 1]])
    >>> BallRounding()(half, scores), SearchRounding()(half, scores)
    (Partition([0, 1, 2]), Partition([0, 0, 1]))
    """

    threshold: float = 0.7
    search: LocalSearch = field(default_factory=LocalSearch)

    def __post_init__(self) -> None:
        as_real("threshold", self.threshold, high=1.0)
        if not isinstance(self.search, LocalSearch):
            raise InputError(f"search is a {type(self.search).__name__}; give a LocalSearch")

    def __call__(self, relaxed: Relaxed, scores: PairScores, /) -> Partition:
        """Search from both starts."""
        balls = BallRounding(self.threshold)(relaxed, scores)
        degrees = Correlation().weights(relaxed, scores) - 0.5
        majority = Greedy()(PairScores(scores.n_items, scores.listed, degrees, apart=scores.apart))
        found = [replace(self.search, start=start)(scores) for start in (balls, majority)]
        return max([balls, *found], key=lambda partition: Correlation().value(partition, scores))


def _foes(scores: PairScores) -> dict[int, set[int]]:
    """List the items that each item must be apart from, if any."""
    foes: dict[int, set[int]] = {}
    for first, second in () if scores.apart is None else scores.apart.tolist():
        foes.setdefault(first, set()).add(second)
        foes.setdefault(second, set()).add(first)
    return foes


def _friendly(seed: int, ball: Ints, foes: dict[int, set[int]]) -> Ints:
    """Take, in index order, the items that are not apart from any taken before."""
    if not foes:
        return ball
    banned = set(foes.get(seed, ()))
    taken = []
    for item in ball.tolist():
        if item not in banned:
            taken.append(item)
            banned |= foes.get(item, set())
    return np.array(taken, dtype=np.intp)
