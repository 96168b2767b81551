"""Joins of clusters, and the clusters that a cut of them leaves."""

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
    """Joins of clusters: links between their first items, and what they score.

    >>> joins = Joins(3, np.array([[0, 1], [0, 2]]), np.array([3.0, 1.5]), np.zeros(2))
    >>> joins.labels(2.0)
    array([0, 0, 1])
    """

    n_items: int
    links: Pairs
    heights: Floats
    slacks: Floats
    """What a score may differ from a threshold and still be equal to it."""

    def labels(self, threshold: float) -> Ints:
        """Label the items, clusters joined that score above a threshold."""
        return labels_from_links(self.links[self.heights > threshold + self.slacks], self.n_items)


def cut_at_thresholds(
    joins: Callable[[float], Joins], thresholds: Floats, missing: float
) -> list[Partition]:
    """Cut joins at each threshold; `joins` returns those that score above a level."""
    # Below the score of absent pairs all pairs are needed, above it the listed ones are enough.
    deep = np.flatnonzero(thresholds < missing)
    found: dict[int, Partition] = {}
    for part in (deep, np.setdiff1d(np.arange(len(thresholds)), deep)):
        if len(part):
            joined = joins(float(thresholds[part].min()))
            found |= {at: Partition(joined.labels(float(thresholds[at]))) for at in part.tolist()}
    return [found[at] for at in range(len(thresholds))]


def concatenate_joins(found: Iterable[tuple[Ints, Joins]], n_items: int) -> Joins:
    """Put the joins inside disjoint item groups together."""
    links = [np.empty((0, 2), dtype=np.intp)]
    heights, slacks = [np.empty(0)], [np.empty(0)]
    for items, joins in found:
        links.append(items[joins.links])
        heights.append(joins.heights)
        slacks.append(joins.slacks)
    return Joins(n_items, np.concatenate(links), np.concatenate(heights), np.concatenate(slacks))


def labels_from_links(links: Pairs, n_items: int) -> Ints:
    """Label what links connect.

    >>> labels_from_links(np.array([[0, 2]]), n_items=4)
    array([0, 1, 0, 2])
    """
    links = read_only(np.ascontiguousarray(links, dtype=np.intp))
    labels: Ints = listed_components(n_items, links, read_only(np.ones(len(links))), 0.0)
    return labels


def best_first(links: Pairs, heights: Floats) -> tuple[Pairs, Floats]:
    """Sort links by falling score, equal ones in their order."""
    order = np.argsort(-heights, kind="stable")
    return links[order], heights[order]


def max_spanning_tree(scores: PairScores, listed: Pairs, missing: float) -> tuple[Pairs, Floats]:
    """Return the links of the maximum spanning tree, best first, and their scores.

    Of the absent pairs a spanning forest is enough: any other would close a cycle of them.
    """
    in_order = np.lexsort((listed[:, 1], listed[:, 0]))
    absent = np.array(list(_absent_forest(listed, scores.n_items)), dtype=np.intp).reshape(-1, 2)
    links = np.concatenate([listed[in_order], absent])
    heights = np.concatenate([scores.scores[in_order], np.full(len(absent), float(missing))])
    links, heights = best_first(links, heights)
    # Ranks in place of scores: SciPy drops links of weight 0, and equal scores need an order.
    ranks = np.arange(1.0, len(heights) + 1)
    graph = sp.csr_array((ranks, links.T.astype(np.int32)), shape=(scores.n_items,) * 2)
    kept = np.sort(minimum_spanning_tree(graph).data).astype(np.intp) - 1
    return links[kept], heights[kept]


def _absent_forest(listed: Pairs, n_items: int) -> Iterator[tuple[int, int]]:
    """Yield a spanning forest of the absent pairs, breadth first from the smallest index on.

    An item that stays unvisited is listed with the one that was looked at, so that the work is in
    proportion to items and listed pairs.
    """
    both = np.concatenate([listed, listed[:, ::-1]])
    graph = sp.csr_array((np.ones(len(both), dtype=np.bool_), both.T), shape=(n_items, n_items))
    unvisited = np.arange(n_items)
    queue: list[int] = []
    at = 0
    while len(unvisited):
        if at == len(queue):
            queue.append(int(unvisited[0]))
            unvisited = unvisited[1:]
        item = queue[at]
        at += 1
        near = graph.indices[graph.indptr[item] : graph.indptr[item + 1]]
        is_listed = np.isin(unvisited, near)
        reached = unvisited[~is_listed].tolist()
        unvisited = unvisited[is_listed]
        queue += reached
        yield from ((item, other) for other in reached)


def component_magnitudes(scores: PairScores, missing: float, above: float) -> Floats:
    """Return the largest score without its sign in the component of each item."""
    if scores.listed is None or missing > above:
        other = 0.0 if scores.listed is None else abs(missing)
        return np.full(scores.n_items, max(largest_magnitude(scores.scores), other))
    labels = component_labels(scores, above)
    sizes = np.bincount(labels)
    own, its = labels[scores.listed].T
    inside = own == its
    found = np.zeros(len(sizes))
    np.maximum.at(found, own[inside], np.abs(scores.scores[inside]))
    n_listed = np.bincount(own[inside], minlength=len(sizes))
    absent = np.where(n_listed < sizes * (sizes - 1) // 2, abs(missing), 0.0)
    return np.maximum(found, absent)[labels]


def largest_magnitude(scores: Floats) -> float:
    """Return the largest score without its sign."""
    return max(float(scores.max(initial=0.0)), -float(scores.min(initial=0.0)))
