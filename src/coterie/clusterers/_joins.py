"""Joins of clusters (dendrograms), and the partitions that cuts of them give."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree

from coterie._core.arrays import Floats, Ints, Pairs, read_only
from coterie._kernels.graphs.components import listed_components
from coterie.clusterers._pieces import component_labels
from coterie.pairs import PairScores
from coterie.partition import Partition


class Joins(NamedTuple):
    """Joins of clusters, each a link between the first items of two clusters, with their scores.

    >>> joins = Joins(3, np.array([[0, 1], [0, 2]]), np.array([3.0, 1.5]), np.zeros(2))
    >>> joins.labels(2.0)
    array([0, 0, 1])
    """

    n_items: int
    links: Pairs
    heights: Floats
    slacks: Floats
    """Tolerances of the scores: a score this near to a threshold counts as equal to it."""

    def labels(self, threshold: float) -> Ints:
        """Label the items by the joins whose scores are above a threshold."""
        return labels_from_links(self.links[self.heights > threshold + self.slacks], self.n_items)


def cut_at_thresholds(
    joins: Callable[[float], Joins], thresholds: Floats, missing: float
) -> list[Partition]:
    """Return one partition per threshold; `joins` returns the joins that score above a level."""
    # Below the score of absent pairs all pairs are needed, above it the scored pairs are enough.
    below_missing = np.flatnonzero(thresholds < missing)
    others = np.setdiff1d(np.arange(len(thresholds)), below_missing)
    partitions: dict[int, Partition] = {}
    for indices in (below_missing, others):
        if len(indices):
            dendrogram = joins(float(thresholds[indices].min()))
            for index in indices.tolist():
                partitions[index] = Partition(dendrogram.labels(float(thresholds[index])))
    return [partitions[index] for index in range(len(thresholds))]


def concatenate_joins(parts: Iterable[tuple[Ints, Joins]], n_items: int) -> Joins:
    """Combine the joins inside disjoint groups of items."""
    links = [np.empty((0, 2), dtype=np.intp)]
    heights, slacks = [np.empty(0)], [np.empty(0)]
    for items, joins in parts:
        links.append(items[joins.links])
        heights.append(joins.heights)
        slacks.append(joins.slacks)
    return Joins(n_items, np.concatenate(links), np.concatenate(heights), np.concatenate(slacks))


def labels_from_links(links: Pairs, n_items: int) -> Ints:
    """Label the clusters that links connect.

    >>> labels_from_links(np.array([[0, 2]]), n_items=4)
    array([0, 1, 0, 2])
    """
    links = read_only(np.ascontiguousarray(links, dtype=np.intp))
    labels: Ints = listed_components(n_items, links, read_only(np.ones(len(links))), 0.0)
    return labels


def best_first(links: Pairs, heights: Floats) -> tuple[Pairs, Floats]:
    """Sort links by descending score; equal scores keep their order."""
    order = np.argsort(-heights, kind="stable")
    return links[order], heights[order]


def max_spanning_tree(scores: PairScores, pairs: Pairs, missing: float) -> tuple[Pairs, Floats]:
    """Return the links of the maximum spanning tree, best first, and their scores.

    A spanning forest of the absent pairs is enough, because all of them have the same score.
    """
    in_order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    absent = np.array(list(_absent_forest(pairs, scores.n_items)), dtype=np.intp).reshape(-1, 2)
    links = np.concatenate([pairs[in_order], absent])
    heights = np.concatenate([scores.scores[in_order], np.full(len(absent), float(missing))])
    links, heights = best_first(links, heights)
    # Ranks replace the scores: SciPy drops links of weight 0, and equal scores need an order.
    ranks = np.arange(1.0, len(heights) + 1)
    graph = sp.csr_array((ranks, links.T.astype(np.int32)), shape=(scores.n_items,) * 2)
    in_tree = np.sort(minimum_spanning_tree(graph).data).astype(np.intp) - 1
    return links[in_tree], heights[in_tree]


def _absent_forest(pairs: Pairs, n_items: int) -> Iterator[tuple[int, int]]:
    """Yield a spanning forest of the absent pairs, breadth first from the smallest index on.

    The work is proportional to the items and scored pairs: an item that stays unvisited in a step
    has a scored pair with the item of that step.
    """
    edges = np.concatenate([pairs, pairs[:, ::-1]])
    graph = sp.csr_array((np.ones(len(edges), dtype=np.bool_), edges.T), shape=(n_items, n_items))
    unvisited = np.arange(n_items)
    queue: list[int] = []
    position = 0
    while len(unvisited):
        if position == len(queue):
            queue.append(int(unvisited[0]))
            unvisited = unvisited[1:]
        item = queue[position]
        position += 1
        scored_partners = graph.indices[graph.indptr[item] : graph.indptr[item + 1]]
        is_scored = np.isin(unvisited, scored_partners)
        neighbours = unvisited[~is_scored].tolist()
        unvisited = unvisited[is_scored]
        queue += neighbours
        yield from ((item, neighbour) for neighbour in neighbours)


def component_magnitudes(scores: PairScores, missing: float, above: float) -> Floats:
    """Return for each item the largest magnitude of the scores in its component."""
    if scores.listed is None or missing > above:
        absent = 0.0 if scores.listed is None else abs(missing)
        return np.full(scores.n_items, max(largest_magnitude(scores.scores), absent))
    labels = component_labels(scores, above)
    sizes = np.bincount(labels)
    first, second = labels[scores.listed].T
    inside = first == second
    magnitudes = np.zeros(len(sizes))
    np.maximum.at(magnitudes, first[inside], np.abs(scores.scores[inside]))
    n_scored = np.bincount(first[inside], minlength=len(sizes))
    absent_magnitudes = np.where(n_scored < sizes * (sizes - 1) // 2, abs(missing), 0.0)
    return np.maximum(magnitudes, absent_magnitudes)[labels]


def largest_magnitude(scores: Floats) -> float:
    """Return the largest absolute value of the scores."""
    return max(float(scores.max(initial=0.0)), -float(scores.min(initial=0.0)))
