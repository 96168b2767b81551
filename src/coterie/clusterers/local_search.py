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
"""Number of sweeps after which whole clusters are moved again."""


@dataclass(frozen=True)
class LocalSearch(HeuristicClusterer):
    """Improve partitions by moves of items and of whole clusters, then by iterated local search.

    The search has two starts: all singletons, and the partition of `Greedy`. From each start, items
    move to the cluster that raises the correlation value most, until no move raises it. Then whole
    clusters move in the same way, then clusters of these, and so on.

    Iterated local search continues from both results. It disturbs a few items, or one or two
    clusters, at random, repairs the partition by moves, and undoes the change if the value is lower
    than before. The better result is returned, and it is never worse than its start.

    Parameters
    ----------
    start
        A partition to start from, in place of the two starts.
    sweeps
        The effort of the iterated local search. One sweep reads the pairs of as many items as the
        set has. The sweeps are divided between the two starts; 0 omits the iterated search.
    random_state
        Seed of the random orders and disturbances.

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
            raise InputError(f"start is of type {type(self.start).__name__}; give a Partition")

    def _labels(self, scores: PairScores) -> Ints:
        self._refuse_start(scores)
        parts = pieces(penalise_cannot_links(scores), min_pairs=PIECE_PAIRS)
        labels = map_in_threads(self._search_piece, parts, len(scores.scores))
        return combine_labels(
            zip((part.items for part in parts), labels, strict=True), scores.n_items
        )

    def _search_piece(self, part: Piece) -> Ints:
        land = landscape(part.scores)
        start_functions = self._start_functions(part.items)
        n_starts = len(start_functions)
        rngs = np.random.default_rng([self.random_state, int(part.items[0])]).spawn(n_starts)
        sweeps = -(-self.sweeps // n_starts)

        def search(start: SearchStart) -> ScoredLabels:
            labels = start.label(part.scores)
            return iterated_search(land, with_value(land, labels), sweeps, start.rng)

        starts = [SearchStart(*parts) for parts in zip(start_functions, rngs, strict=True)]
        results = map_in_threads(search, starts, len(part.scores.scores))
        best = max(results, key=lambda result: result.value)
        labels = climb_repeatedly(land, best, rngs[0]).labels
        # The scores between the components of a piece are at most 0 and were left out of the piece.
        # So components that were joined without a gain are separated again.
        return Partition(labels * part.scores.n_items + component_labels(part.scores)).labels

    def _start_functions(self, items: Ints) -> list[Callable[[PairScores], Ints]]:
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
                f"{scores.n_items}; give a start that covers the scored items"
            )
        if scores.apart is not None and np.any(self.start.together(scores.apart)):
            raise PairError(
                "the start has both items of a cannot-link pair in one cluster; give a start that "
                "keeps them apart"
            )


class SearchStart(NamedTuple):
    """A function that labels the items at the start, and a generator for the search."""

    label: Callable[[PairScores], Ints]
    rng: np.random.Generator


class ScoredLabels(NamedTuple):
    """A partition, as labels 0, 1, … in the order of first appearance, with its value."""

    labels: Ints
    value: float


def with_value(land: Landscape, labels: Ints) -> ScoredLabels:
    """Return the labels, renumbered by first appearance, with the value of the partition."""
    labels = by_first_appearance(labels)
    return ScoredLabels(labels, land.value(labels))


def _singletons(scores: PairScores) -> Ints:
    return np.arange(scores.n_items)


def climb(land: Landscape, start: ScoredLabels, rng: np.random.Generator) -> ScoredLabels:
    """Move items, then their clusters, then clusters of these, until none are joined any more."""
    level, labels, clusters = land, start.labels, np.arange(land.n_items)
    while True:
        order = rng.permutation(level.n_items)
        labels = by_first_appearance(level.move_items(labels, order))
        clusters = labels[clusters]
        n_clusters = int(labels.max()) + 1
        if n_clusters == level.n_items:
            break
        level = level.contract(labels, n_clusters)
        labels = np.arange(n_clusters)
    # Moves can lower the value by rounding errors, but the result must never be worse.
    result = with_value(land, clusters)
    return result if result.value >= start.value else start


def climb_repeatedly(
    land: Landscape, start: ScoredLabels, rng: np.random.Generator
) -> ScoredLabels:
    """Climb again and again, until the value no longer rises."""
    while True:
        better = climb(land, start, rng)
        if better.value <= start.value + land.tolerance:
            return better
        start = better


def iterated_search(
    land: Landscape, start: ScoredLabels, sweeps: int, rng: np.random.Generator
) -> ScoredLabels:
    """Disturb and repair the partition in rounds of sweeps, and climb after each round."""
    best = climb(land, start, rng)
    for n_done in range(0, sweeps, ROUND):
        passes = min(ROUND, sweeps - n_done) * land.n_items
        repaired = with_value(land, land.kick_and_repair(best.labels, passes, rng))
        best = max(best, climb(land, repaired, rng), key=lambda result: result.value)
    return best
