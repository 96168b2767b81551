"""The scores in the two forms that local search works on: a full matrix or a graph."""

from typing import NamedTuple, TypeAlias

import numpy as np

from coterie._core.arrays import Floats, Ints, rounding_tolerance
from coterie._kernels.correlation.greedy_dense import square_matrix
from coterie._kernels.correlation.moves_dense import (
    contract_dense,
    internal_score_dense,
    iterated_search_dense,
    local_search_dense,
)
from coterie._kernels.correlation.moves_sparse import (
    ScoreGraph,
    build_graph,
    contract_sparse,
    internal_score_sparse,
    iterated_search_sparse,
    local_search_sparse,
)
from coterie._kernels.graphs.components import DENSE_SHARE
from coterie.pairs import PairScores


class DenseLandscape(NamedTuple):
    """Scores as a full matrix, with 0 on its diagonal."""

    matrix: Floats
    tolerance: float

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.matrix)

    def value(self, labels: Ints) -> float:
        """Return the sum of the scores inside clusters."""
        return float(internal_score_dense(self.matrix, labels))

    def move_items(self, labels: Ints, order: Ints) -> Ints:
        """Visit the items in an order and move them, until no move raises the value."""
        return local_search_dense(self.matrix, labels, order, self.tolerance)  # type: ignore[no-any-return]

    def kick_and_repair(self, labels: Ints, passes: int, rng: np.random.Generator) -> Ints:
        """Disturb and repair the partition; one pass reads as many pairs as an item has."""
        return iterated_search_dense(self.matrix, labels, passes, rng, self.tolerance)  # type: ignore[no-any-return]

    def contract(self, labels: Ints, n_clusters: int) -> "DenseLandscape":
        """Return the scores of the clusters, as items of a smaller landscape."""
        return DenseLandscape(contract_dense(self.matrix, labels, n_clusters), self.tolerance)


class SparseLandscape(NamedTuple):
    """Scores as a graph with one edge per scored pair."""

    graph: ScoreGraph
    tolerance: float

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.graph.starts) - 1

    def value(self, labels: Ints) -> float:
        """Return the sum of the scores inside clusters."""
        return float(internal_score_sparse(self.graph, labels))

    def move_items(self, labels: Ints, order: Ints) -> Ints:
        """Visit the items in an order and move them, until no move raises the value."""
        return local_search_sparse(self.graph, labels, order, self.tolerance)  # type: ignore[no-any-return]

    def kick_and_repair(self, labels: Ints, passes: int, rng: np.random.Generator) -> Ints:
        """Disturb and repair the partition; one pass reads as many pairs as an item has."""
        return iterated_search_sparse(self.graph, labels, passes, rng, self.tolerance)  # type: ignore[no-any-return]

    def contract(self, labels: Ints, n_clusters: int) -> "SparseLandscape":
        """Return the scores of the clusters, as items of a smaller landscape."""
        return SparseLandscape(contract_sparse(self.graph, labels, n_clusters), self.tolerance)


Landscape: TypeAlias = DenseLandscape | SparseLandscape


def landscape(scores: PairScores) -> Landscape:
    """Choose the matrix or the graph by the share of pairs that are scored."""
    n_items = scores.n_items
    # Gains within rounding errors do not count, because moves might then go in circles.
    tolerance = 1e-3 * rounding_tolerance(scores.scores)
    if len(scores.scores) < DENSE_SHARE * n_items**2:
        return SparseLandscape(build_graph(n_items, scores.pairs, scores.scores), tolerance)
    matrix = square_matrix(n_items, scores.scores) if scores.listed is None else scores.to_matrix()
    np.fill_diagonal(matrix, 0.0)
    return DenseLandscape(matrix, tolerance)
