"""Graph partitioning: clusters that few and light edges of a neighbour graph connect."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from coterie._core.arguments import as_whole
from coterie._core.arrays import Bools, Floats, Ints
from coterie._kernels.graphs.cuts import (
    condensed_neighbours,
    grow_side,
    listed_neighbours,
    match_nodes,
    refine_bisection,
)
from coterie.clusterers._base import HeuristicClusterer, require_n_clusters
from coterie.clusterers.bisection import Bisection, split_until
from coterie.pairs import PairScores, count_pairs

__all__ = ["GraphCut"]

MIN_SHARE = 0.25
"""The least share of the items on either side of a bisection, rounded down to at least 1 item."""

ROUNDING = 1e-12
"""A cut counts as 0 if its share of all weights is at most this."""

COARSEST = 60
"""The number of nodes at which coarsening stops."""

N_STARTS = 10
"""The number of bisections of the coarsest graph, of which the best is refined."""


@dataclass(frozen=True)
class GraphCut(HeuristicClusterer):
    """Cut the nearest-neighbour graph into k parts along light edges.

    The graph has an edge between two items if either is among the `n_neighbors` items with the
    highest scores for the other, as in CLUTO's graph method (Karypis 2003; Li & Roth 2005,
    section 5). The weight of an edge is the score of its pair minus the lowest score, or the score
    itself if no score is negative. If pairs are absent, only positive pairs become edges, with
    their scores as weights.

    Parts are bisected until there are k. Each step takes the part whose bisection has the smallest
    normalised cut, w(A, B) (1/w(A) + 1/w(B)). A bisection makes the weight between its sides small
    in three steps: coarsening along heavy edges, greedy growing, and Fiduccia-Mattheyses refinement
    at each level (Karypis & Kumar 1998). Each side gets at least a quarter of the bisected items;
    without this balance the smallest cuts would split off single items. Ties between neighbours,
    and between cuts, go to the smaller index.

    Parameters
    ----------
    n_clusters
        Number of clusters; None means the `n_clusters` of the item set.
    n_neighbors
        Number of nearest neighbours that each item is linked to.
    random_state
        Seed of the random orders in which nodes are visited.

    Examples
    --------
    >>> scores = PairScores.from_matrix([[0, 3, 0, 0], [3, 0, 1, 0], [0, 1, 0, 2], [0, 0, 2, 0]])
    >>> GraphCut(n_clusters=2)(scores)
    Partition([0, 0, 1, 1])
    """

    n_clusters: int | None = None
    n_neighbors: int = 40
    random_state: int = 0
    # It has no objective, because a cut of the neighbour graph is not a weighted sum of all scores.

    def __post_init__(self) -> None:
        as_whole("n_neighbors", self.n_neighbors, 1)
        as_whole("random_state", self.random_state)

    def _labels(self, scores: PairScores) -> Ints:
        n_clusters = require_n_clusters(self.n_clusters, scores)
        graph = neighbour_graph(scores, self.n_neighbors)
        rng = np.random.default_rng(self.random_state)
        return split_until(n_clusters, scores.n_items, lambda items: _split(graph, items, rng))


class NodeWeightedGraph(NamedTuple):
    """A symmetric CSR matrix without diagonal, whose nodes have sizes."""

    indptr: Ints
    neighbours: Ints
    weights: Floats
    sizes: Floats


def neighbour_graph(scores: PairScores, n_neighbors: int) -> sp.csr_array:
    """Link each item to the items with its highest scores, by edges of positive weight."""
    n_items = scores.n_items
    width = max(min(n_neighbors, n_items - 1), 1)
    if scores.listed is None:
        near, best = condensed_neighbours(n_items, scores.scores, width)
    else:
        near, best = listed_neighbours(n_items, scores.listed, scores.scores, width)
    complete = len(scores.scores) == count_pairs(n_items)
    lowest = scores.scores.min(initial=0.0) if complete else 0.0
    first = np.repeat(np.arange(n_items), width)
    is_edge = best.ravel() > lowest
    weights = best.ravel()[is_edge] - lowest
    nodes = (first[is_edge], near.ravel()[is_edge])
    links = sp.csr_array((weights, nodes), shape=(n_items, n_items))
    return links.maximum(links.T).tocsr()


def _split(graph: sp.csr_array, items: Ints, rng: np.random.Generator) -> Bisection:
    """Bisect some of the items; the gain is the negative normalised cut."""
    subgraph = graph if len(items) == graph.shape[0] else graph[items][:, items]
    min_size = float(max(int(MIN_SHARE * len(items)), 1))
    inside = bisect_graph(subgraph, (min_size, len(items) - min_size), rng)
    degrees = subgraph.sum(axis=1)
    cut = float(degrees[inside].sum() - subgraph[inside][:, inside].sum())
    volumes = float(degrees[inside].sum()), float(degrees[~inside].sum())
    # Next to huge scores, the links of some items can vanish by rounding.
    is_zero = cut <= ROUNDING * sum(volumes) or min(volumes) <= 0.0
    gain = 0.0 if is_zero else -cut * (1.0 / volumes[0] + 1.0 / volumes[1])
    return Bisection(items[inside], items[~inside], gain)


def bisect_graph(
    graph: sp.csr_array, size_range: tuple[float, float], rng: np.random.Generator
) -> Bools:
    """Cut a graph along light edges; mark the nodes of one side, whose size is in the range."""
    levels, groups = _coarsen(graph, rng)
    inside = _best_grown_bisection(levels[-1], size_range, rng)
    for level, group in zip(levels[-2::-1], groups[::-1], strict=True):
        inside = inside[group]
        refine_bisection(*level, inside, *size_range)
    return inside


def _coarsen(
    graph: sp.csr_array, rng: np.random.Generator
) -> tuple[list[NodeWeightedGraph], list[Ints]]:
    """Merge pairs of nodes along heavy edges, level by level, until few nodes are left.

    Returns the graphs of all levels, and for each level the group that each node was merged into.
    """
    levels = [_as_graph(graph, np.ones(graph.shape[0]))]
    groups: list[Ints] = []
    max_size = max(1.5 * graph.shape[0] / COARSEST, 2.0)
    while len(levels[-1].sizes) > COARSEST:
        level = levels[-1]
        group = match_nodes(*level, rng.permutation(len(level.sizes)), max_size)
        n_groups = int(group.max()) + 1
        if n_groups > 0.95 * len(group):  # hardly any nodes were merged
            break
        graph = _contract(graph, group, n_groups)
        groups.append(group)
        levels.append(_as_graph(graph, np.bincount(group, level.sizes).astype(np.float64)))
    return levels, groups


def _contract(graph: sp.csr_array, group: Ints, n_groups: int) -> sp.csr_array:
    members = (np.arange(len(group)), group)
    member = sp.csr_array((np.ones(len(group)), members), shape=(len(group), n_groups))
    contracted = (member.T @ graph @ member).tocoo()
    between = contracted.row != contracted.col
    nodes = (contracted.row[between], contracted.col[between])
    return sp.csr_array((contracted.data[between], nodes), shape=contracted.shape)


def _as_graph(matrix: sp.csr_array, sizes: Floats) -> NodeWeightedGraph:
    matrix.sort_indices()
    indptr, neighbours = matrix.indptr.astype(np.intp), matrix.indices.astype(np.intp)
    return NodeWeightedGraph(indptr, neighbours, matrix.data.astype(np.float64), sizes)


def _best_grown_bisection(
    graph: NodeWeightedGraph, size_range: tuple[float, float], rng: np.random.Generator
) -> Bools:
    """Return the best of several bisections grown from random nodes and refined."""
    low, high = size_range
    best_rank: tuple[float, float] = (np.inf, np.inf)
    best_side: Bools = np.empty(0, dtype=np.bool_)
    for _ in range(N_STARTS):
        inside = grow_side(*graph, rng.permutation(len(graph.sizes)), (low + high) / 2)
        cut = refine_bisection(*graph, inside, low, high)
        size = float(graph.sizes[inside].sum())
        # A side in the size range is better than any outside it, whatever the cuts.
        rank = (max(low - size, size - high, 0.0), cut)
        if rank < best_rank:
            best_rank, best_side = rank, inside
    return best_side
