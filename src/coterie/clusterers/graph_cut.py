"""Graph partitioning: few and light edges of the nearest-neighbour graph between clusters."""

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

SMALLEST = 0.25
"""The least share of the items that a side of a bisection has, rounded down, but not to none."""

ROUNDING = 1e-12
"""What share of the weights a cut must be not to be taken for 0."""

COARSEST = 60
"""How many nodes are few enough to bisect without further coarsening."""

N_STARTS = 10
"""How many bisections of the coarsest graph are grown; the best is kept."""


@dataclass(frozen=True)
class GraphCut(HeuristicClusterer):
    """Cut the nearest-neighbour graph into k parts by light edges.

    The graph links each item to the `n_neighbors` others it scores highest with (either of the two
    is enough), as CLUTO's graph method does (Karypis 2003; Li & Roth 2005, section 5). An edge
    weighs what its pair scores above the lowest score or 0, whichever is less; where pairs are
    absent, only positive ones are edges.

    Parts are bisected until there are k, the one first whose bisection has the smallest normalised
    cut, w(A, B) (1/w(A) + 1/w(B)). A bisection makes the sum of the weights between its sides small
    by coarsening along heavy edges, greedy growing, and Fiduccia-Mattheyses refinement at each
    level (Karypis & Kumar 1998). Without balance the smallest cut would be around single items: a
    side has at least a quarter of the items that are bisected. Among equal scores the smaller index
    is the nearer neighbour, and so are ties broken in the cuts.

    Parameters
    ----------
    n_clusters
        How many clusters to make; None takes the item set's number.
    n_neighbors
        How many neighbours of each item are linked to it.
    random_state
        Seed of the orders in which nodes are visited.

    Examples
    --------
    >>> scores = PairScores.from_matrix([[0, 3, 0, 0], [3, 0, 1, 0], [0, 1, 0, 2], [0, 0, 2, 0]])
    >>> GraphCut(n_clusters=2)(scores)
    Partition([0, 0, 1, 1])
    """

    n_clusters: int | None = None
    n_neighbors: int = 40
    random_state: int = 0
    # No objective: cuts of the nearest-neighbour graph are no weighted sum of all scores.

    def __post_init__(self) -> None:
        as_whole("n_neighbors", self.n_neighbors, 1)
        as_whole("random_state", self.random_state)

    def _labels(self, scores: PairScores) -> Ints:
        n_clusters = require_n_clusters(self.n_clusters, scores)
        graph = neighbour_graph(scores, self.n_neighbors)
        rng = np.random.default_rng(self.random_state)
        return split_until(n_clusters, scores.n_items, lambda items: _split(graph, items, rng))


class NodeWeightedGraph(NamedTuple):
    """A symmetric CSR matrix without diagonal, and what its nodes weigh."""

    starts: Ints
    neighbours: Ints
    weights: Floats
    sizes: Floats


def neighbour_graph(scores: PairScores, n_neighbors: int) -> sp.csr_array:
    """Link each item to those it scores highest with, by edges of positive weight."""
    n_items = scores.n_items
    width = max(min(n_neighbors, n_items - 1), 1)
    if scores.listed is None:
        near, best = condensed_neighbours(n_items, scores.scores, width)
    else:
        near, best = listed_neighbours(n_items, scores.listed, scores.scores, width)
    complete = len(scores.scores) == count_pairs(n_items)
    lowest = scores.scores.min(initial=0.0) if complete else 0.0
    first = np.repeat(np.arange(n_items), width)
    kept = best.ravel() > lowest
    weights = best.ravel()[kept] - lowest
    ends = (first[kept], near.ravel()[kept])
    links = sp.csr_array((weights, ends), shape=(n_items, n_items))
    return links.maximum(links.T).tocsr()


def _split(graph: sp.csr_array, items: Ints, rng: np.random.Generator) -> Bisection:
    """Bisect some of the items; the less the normalised cut, the better."""
    inner = graph if len(items) == graph.shape[0] else graph[items][:, items]
    fewest = float(max(int(SMALLEST * len(items)), 1))
    inside = bisect_graph(inner, (fewest, len(items) - fewest), rng)
    volumes = inner.sum(axis=1)
    cut = float(volumes[inside].sum() - inner[inside][:, inside].sum())
    parts = float(volumes[inside].sum()), float(volumes[~inside].sum())
    gain = -cut * (1.0 / parts[0] + 1.0 / parts[1]) if cut > ROUNDING * sum(parts) else 0.0
    return Bisection(items[inside], items[~inside], gain)


def bisect_graph(
    graph: sp.csr_array, size_range: tuple[float, float], rng: np.random.Generator
) -> Bools:
    """Cut a graph in two by light edges: True for a side whose size is in the range."""
    levels, groups = _coarsened(graph, rng)
    inside = _grown(levels[-1], size_range, rng)
    for level, group in zip(levels[-2::-1], groups[::-1], strict=True):
        inside = inside[group]
        refine_bisection(*level, inside, *size_range)
    return inside


def _coarsened(
    graph: sp.csr_array, rng: np.random.Generator
) -> tuple[list[NodeWeightedGraph], list[Ints]]:
    """Pair nodes along heavy edges again and again, until they are few."""
    levels = [_as_graph(graph, np.ones(graph.shape[0]))]
    groups: list[Ints] = []
    largest = max(1.5 * graph.shape[0] / COARSEST, 2.0)
    while len(levels[-1].sizes) > COARSEST:
        level = levels[-1]
        group = match_nodes(*level, rng.permutation(len(level.sizes)), largest)
        n_groups = int(group.max()) + 1
        if n_groups > 0.95 * len(group):
            break
        graph = _contracted(graph, group, n_groups)
        groups.append(group)
        levels.append(_as_graph(graph, np.bincount(group, level.sizes).astype(np.float64)))
    return levels, groups


def _contracted(graph: sp.csr_array, group: Ints, n_groups: int) -> sp.csr_array:
    nodes = np.arange(len(group))
    member = sp.csr_array((np.ones(len(group)), (nodes, group)), shape=(len(group), n_groups))
    joint = (member.T @ graph @ member).tocoo()
    between = joint.row != joint.col
    ends = (joint.row[between], joint.col[between])
    return sp.csr_array((joint.data[between], ends), shape=joint.shape)


def _as_graph(matrix: sp.csr_array, sizes: Floats) -> NodeWeightedGraph:
    matrix.sort_indices()
    starts, neighbours = matrix.indptr.astype(np.intp), matrix.indices.astype(np.intp)
    return NodeWeightedGraph(starts, neighbours, matrix.data.astype(np.float64), sizes)


def _grown(
    graph: NodeWeightedGraph, size_range: tuple[float, float], rng: np.random.Generator
) -> Bools:
    """Return the best of several bisections grown from random nodes and refined."""
    low, high = size_range
    best: tuple[float, float] = (np.inf, np.inf)
    kept: Bools = np.empty(0, dtype=np.bool_)
    for _ in range(N_STARTS):
        inside = grow_side(*graph, rng.permutation(len(graph.sizes)), (low + high) / 2)
        cut = refine_bisection(*graph, inside, low, high)
        size = float(graph.sizes[inside].sum())
        found = (max(low - size, size - high, 0.0), cut)
        if found < best:
            best, kept = found, inside
    return kept
