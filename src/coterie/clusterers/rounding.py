"""Rounding relaxed matrices to partitions."""

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
    """A frozen callable that rounds a relaxed matrix to a partition under cannot-link pairs."""

    def __call__(self, relaxed: Relaxed, scores: PairScores, /) -> Partition:
        """Round the relaxed matrix to a partition."""


@dataclass(frozen=True)
class BallRounding:
    """Let each item that is still a singleton absorb all other singletons that are near enough.

    This is C_R* of Finley & Joachims 2005, section 5.2. Items a are visited in index order, and an
    item that is a singleton at that moment absorbs every other singleton b with e_ab > threshold.
    It does not absorb an item that forms a cannot-link pair with an item of the ball. The partition
    depends on the order of the items.

    Parameters
    ----------
    threshold
        Entries of the relaxed matrix above this put two items into one ball.

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
        """Return the partition into balls."""
        relaxed = as_floats("the relaxed matrix", relaxed)
        if relaxed.shape != (scores.n_items, scores.n_items):
            raise InputError(
                f"the relaxed matrix has shape {relaxed.shape}, but there are {scores.n_items} "
                "items; give one row and one column per item"
            )
        cannot_links = _cannot_links_by_item(scores)
        alone = np.ones(scores.n_items, np.bool_)
        labels = np.arange(scores.n_items)
        for seed in range(scores.n_items):
            if alone[seed]:
                ball = np.flatnonzero(alone & (relaxed[seed] > self.threshold))
                ball = _without_conflicts(seed, ball[ball != seed], cannot_links)
                labels[ball] = seed
                alone[ball] = False
                alone[seed] = not len(ball)
        return Partition(labels)


@dataclass(frozen=True)
class SearchRounding:
    """Round by local search, from the balls and from a greedy partition.

    The search starts from the partition of `BallRounding`, and from the greedy correlation
    clustering of the entries of the relaxed matrix minus 1/2. The best of these partitions is
    returned, so it is never worse than `BallRounding`.

    Parameters
    ----------
    threshold
        The threshold of `BallRounding`.
    search
        The local search, whose `start` is replaced.

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
            raise InputError(f"search is of type {type(self.search).__name__}; give a LocalSearch")

    def __call__(self, relaxed: Relaxed, scores: PairScores, /) -> Partition:
        """Return the best of the balls and of the two searches."""
        balls = BallRounding(self.threshold)(relaxed, scores)
        entries = Correlation().weights(relaxed, scores) - 0.5
        greedy = Greedy()(PairScores(scores.n_items, scores.listed, entries, apart=scores.apart))
        results = [replace(self.search, start=start)(scores) for start in (balls, greedy)]
        return max([balls, *results], key=lambda partition: Correlation().value(partition, scores))


def _cannot_links_by_item(scores: PairScores) -> dict[int, set[int]]:
    """Map each item in a cannot-link pair to the items that it must not share a cluster with."""
    partners: dict[int, set[int]] = {}
    for first, second in () if scores.apart is None else scores.apart.tolist():
        partners.setdefault(first, set()).add(second)
        partners.setdefault(second, set()).add(first)
    return partners


def _without_conflicts(seed: int, ball: Ints, cannot_links: dict[int, set[int]]) -> Ints:
    """Drop the items that form a cannot-link pair with the seed or an earlier item of the ball."""
    if not cannot_links:
        return ball
    forbidden = set(cannot_links.get(seed, ()))
    members = []
    for item in ball.tolist():
        if item not in forbidden:
            members.append(item)
            forbidden |= cannot_links.get(item, set())
    return np.array(members, dtype=np.intp)
