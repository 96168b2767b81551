"""Local search for correlation clustering: moves of items and clusters, kicks and repairs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Ints
from coterie.clusterers._base import HeuristicClusterer
from coterie.clusterers._landscapes import Landscape, landscape
from coterie.clusterers._pieces import (
    Piece,
    combine_labels,
    component_labels,
    map_in_threads,
    pieces,
)
from coterie.clusterers.greedy import PIECE_PAIRS, greedy_labels
from coterie.clusterers.together import penalise_cannot_links
from coterie.exceptions import InputError, PairError
from coterie.objectives import Correlation
from coterie.pairs import PairScores
from coterie.partition import Partition, by_first_appearance

ROUND = 10
"""After how many sweeps whole clusters are moved again."""


@dataclass(frozen=True)
class LocalSearch(HeuristicClusterer):
    """Improve partitions by moves of single items and of whole clusters, then kick and repair.

    From all singletons and from `Greedy`, each item goes to the cluster that raises the correlation
    value most until none does; then the clusters are moved in the same way, and so on. Iterated
    local search goes on from both: a few items, one cluster or two are disturbed at random, the
    moves repair it, and what is worse than before is undone. The better of the two results is
    never worse than its start.

    Parameters
    ----------
    start
        A partition to start from in place of the two.
    sweeps
        The effort of the iterated search: it looks that many times at the pairs of as many items
        as there are, half of them from each start. 0 leaves it out.
    random_state
        Seed of the orders and kicks.

    Examples
    --------
    >>> scores = PairScores.from_matrix([[0, 3, -4], [3, 0, 2], [-4, 2, 0]])
    >>> LocalSearch()(scores)
    Partition([0, 0, 1])
    """

    start: Partition | None = None
    sweeps: int = 50
    random_state: int = 0

    maximises = Correlation
    keeps_apart: ClassVar[bool] = True

    def __post_init__(self) -> None:
        as_whole("sweeps", self.sweeps)
        as_whole("random_state", self.random_state)
        if self.start is not None and not isinstance(self.start, Partition):
            raise InputError(f"start is a {type(self.start).__name__}; give a Partition")

    def _labels(self, scores: PairScores) -> Ints:
        self._refuse_start(scores)
        parts = pieces(penalise_cannot_links(scores), min_pairs=PIECE_PAIRS)
        found = map_in_threads(self._searched, parts, len(scores.scores))
        return combine_labels(
            zip((part.items for part in parts), found, strict=True), scores.n_items
        )

    def _searched(self, part: Piece) -> Ints:
        land = landscape(part.scores)
        makers = self._starts(part.items)
        rngs = np.random.default_rng([self.random_state, int(part.items[0])]).spawn(len(makers))
        sweeps = -(-self.sweeps // len(makers))

        def search(start: Start) -> Spot:
            return iterated(land, spot(land, start.labels(part.scores)), sweeps, start.rng)

        starts = [Start(*both) for both in zip(makers, rngs, strict=True)]
        found = map_in_threads(search, starts, len(part.scores.scores))
        best = max(found, key=lambda each: each.value)
        labels = refined(land, best, rngs[0]).labels
        # Pairs between the components of a piece score 0 or less, but are not in it: whoever joined
        # some components for nothing is to part them again.
        return Partition(labels * part.scores.n_items + component_labels(part.scores)).labels

    def _starts(self, items: Ints) -> list[Callable[[PairScores], Ints]]:
        if self.start is None:
            return [_singletons, greedy_labels]
        labels = by_first_appearance(self.start.labels[items])
        return [lambda _: labels]

    def _refuse_start(self, scores: PairScores) -> None:
        if self.start is None:
            return
        if len(self.start) != scores.n_items:
            raise InputError(
                f"the start covers {len(self.start)} items, but the scores cover "
                f"{scores.n_items}; give a start of the scored items"
            )
        if scores.apart is not None and np.any(self.start.together(scores.apart)):
            raise PairError("the start joins a pair that must be apart; give one that does not")


class Start(NamedTuple):
    """How to make a start, and the random numbers to go on with."""

    labels: Callable[[PairScores], Ints]
    rng: np.random.Generator


class Spot(NamedTuple):
    """A partition, as labels 0, 1, … by first appearance, and its value."""

    labels: Ints
    value: float


def spot(land: Landscape, labels: Ints) -> Spot:
    """Value a partition."""
    labels = by_first_appearance(labels)
    return Spot(labels, land.value(labels))


def _singletons(scores: PairScores) -> Ints:
    return np.arange(scores.n_items)


def climbed(land: Landscape, start: Spot, rng: np.random.Generator) -> Spot:
    """Move items, then their clusters, then clusters of those, while any are joined."""
    level, labels, clusters = land, start.labels, np.arange(land.n_items)
    while True:
        order = rng.permutation(level.n_items)
        labels = by_first_appearance(level.settled(labels, order))
        clusters = labels[clusters]
        n_clusters = int(labels.max()) + 1
        if n_clusters == level.n_items:
            break
        level = level.contracted(labels, n_clusters)
        labels = np.arange(n_clusters)
    # No move lowers the value but by rounding, and the promise is never worse.
    found = spot(land, clusters)
    return found if found.value >= start.value else start


def refined(land: Landscape, start: Spot, rng: np.random.Generator) -> Spot:
    """Climb until the value rises no more."""
    while True:
        better = climbed(land, start, rng)
        if better.value <= start.value + land.tolerance:
            return better
        start = better


def iterated(land: Landscape, start: Spot, sweeps: int, rng: np.random.Generator) -> Spot:
    """Kick and repair in rounds, with climbs in between."""
    best = climbed(land, start, rng)
    for done in range(0, sweeps, ROUND):
        passes = min(ROUND, sweeps - done) * land.n_items
        kicked = spot(land, land.iterated(best.labels, passes, rng))
        best = max(best, climbed(land, kicked, rng), key=lambda found: found.value)
    return best
