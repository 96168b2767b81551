"""Agglomerative clustering: join the two most similar clusters, until a threshold or k clusters."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree

from coterie._arguments import as_real, as_whole
from coterie._arrays import Bools, Floats, Ints, Pairs, read_only
from coterie._kernels.components import condensed_components, listed_components
from coterie._kernels.linkage import average_joins, complete_joins, single_joins
from coterie.clusterers._base import Search, needed_n_clusters
from coterie.clusterers._pieces import labels_by_piece, pieces
from coterie.clusterers._together import closure, grouped, raised
from coterie.exceptions import ItemSetError
from coterie.pairs import PairScores, condensed_positions

__all__ = ["AverageLinkage", "CompleteLinkage", "SingleLinkage"]


class _Linkage(Search):
    """What all three share: the rule when to stop."""

    threshold: float | None
    n_clusters: int | None
    missing: float

    def __post_init__(self) -> None:
        if self.threshold is not None:
            as_real("threshold", self.threshold, low=-inf)
        if self.n_clusters is not None:
            as_whole("n_clusters", self.n_clusters, 1)
        as_real("missing", self.missing, low=-inf)

    @property
    def objective(self) -> None:
        """Linkage maximises nothing that could be told."""
        return

    def _labels(self, scores: PairScores) -> Ints:
        n_clusters = self._asked(scores)
        if n_clusters is None:
            return self._above(scores, self.threshold or 0.0)
        return self._into(scores, n_clusters)

    def _asked(self, scores: PairScores) -> int | None:
        """Return how many clusters to make, None where a threshold says when to stop."""
        stops = self.threshold is not None or scores.n_clusters is None
        if self.n_clusters is None and stops:
            return None
        return needed_n_clusters(self.n_clusters, scores)

    def united(self, scores: PairScores, links: Pairs) -> PairScores:
        """Return scores by which the items that links connect are joined before any others.

        All else is as if the clusters of these items were there from the start.
        """
        # Let the pairs inside groups, the items that links connect, score t, and all others less,
        # be they listed or absent. While a group is in parts, its parts score t with each other, as
        # the highest, lowest or mean of numbers that are all t (for the highest, one link between
        # them is enough); parts of different groups score less, as no pair between them was
        # changed. So groups become whole before anything else is joined, and t is above the
        # threshold. From then on clusters are unions of whole groups, and what they score with each
        # other is that of unchanged pairs.
        self._refuse_splits(scores, links)
        absent = -inf if scores.listed is None else self.missing
        level = max(absent, self.threshold or 0.0)
        return raised(scores, self._bonds(links, scores.n_items), level)

    def _bonds(self, links: Pairs, n_items: int) -> Pairs:
        """Return the pairs that must score highest for the items that links connect to join."""
        return closure(links, n_items)

    def _refuse_splits(self, scores: PairScores, links: Pairs) -> None:
        n_clusters = self._asked(scores)
        n_groups = len(np.unique(grouped(links, scores.n_items)))
        if n_clusters is not None and n_clusters > n_groups:
            raise ItemSetError(
                f"the links leave {n_groups} groups, but {n_clusters} clusters are asked for; "
                "drop some links"
            )

    @abstractmethod
    def _above(self, scores: PairScores, threshold: float) -> Ints:
        """Label the items, clusters joined as long as they score above a threshold."""

    @abstractmethod
    def _into(self, scores: PairScores, n_clusters: int) -> Ints:
        """Label the items, clusters joined until so many are left."""


@dataclass(frozen=True)
class SingleLinkage(_Linkage):
    """Join the two clusters with the highest score between any of their items.

    Joins while that score is above the threshold (strictly), or until k clusters are left; the
    result is a cut of the maximum spanning tree. A number of clusters given here goes before a
    threshold given here, then come the item set's number and the threshold 0.

    Equal scores matter for k clusters only: a listed pair then joins before an absent one, listed
    pairs (i, j) in order of i, then j, absent ones from the smallest index on; where the scores of
    all pairs are given in order, those of the spanning tree that grows from item 0, by later item.

    Parameters
    ----------
    threshold
        Clusters that score no more than this are not joined.
    n_clusters
        How many clusters to make, whatever they score.
    missing
        What an absent pair scores.

    Examples
    --------
    >>> scores = PairScores.from_matrix([[0, 3, 1], [3, 0, 2], [1, 2, 0]])
    >>> SingleLinkage(threshold=2)(scores), SingleLinkage(threshold=1.5)(scores)
    (Partition([0, 0, 1]), Partition([0, 0, 0]))
    """

    threshold: float | None = None
    n_clusters: int | None = None
    missing: float = 0.0

    def _bonds(self, links: Pairs, n_items: int) -> Pairs:  # noqa: ARG002
        return links

    def _above(self, scores: PairScores, threshold: float) -> Ints:
        if scores.listed is None:
            labels: Ints = condensed_components(scores.n_items, scores.scores, threshold)
        elif self.missing <= threshold:
            labels = listed_components(scores.n_items, scores.listed, scores.scores, threshold)
        else:
            links, heights = _spanning_tree(scores, scores.listed, self.missing)
            labels = _linked(links[heights > threshold], scores.n_items)
        return labels

    def _into(self, scores: PairScores, n_clusters: int) -> Ints:
        if scores.listed is None:
            links, _ = _sorted(*single_joins(scores.scores, scores.n_items))
        else:
            links, _ = _spanning_tree(scores, scores.listed, self.missing)
        return _linked(links[: scores.n_items - n_clusters], scores.n_items)


class _DenseLinkage(_Linkage):
    """What complete and average linkage share: a tree over all pairs, some never to be joined."""

    keeps_apart: ClassVar[bool] = True
    _rounding: ClassVar[float] = 0.0
    """How near the threshold a mean counts as equal to it, as a share of the largest score."""

    max_size: int | None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_size is not None:
            as_whole("max_size", self.max_size, 1)

    def _refuse_splits(self, scores: PairScores, links: Pairs) -> None:
        super()._refuse_splits(scores, links)
        largest = int(np.bincount(grouped(links, scores.n_items)).max())
        if self.max_size is not None and largest > self.max_size:
            raise ItemSetError(
                f"the links make a group of {largest} items, but max_size is {self.max_size}; "
                "drop some links"
            )

    @abstractmethod
    def _joins(
        self, condensed: Floats, n_items: int, max_size: int, barred: float
    ) -> tuple[Pairs, Floats]:
        """Return the tree of all joins as links of items, and their scores; change `condensed`.

        Clusters that together have more items than `max_size` score `barred`.
        """

    def _above(self, scores: PairScores, threshold: float) -> Ints:
        if scores.listed is None or self.missing <= threshold:
            # Two clusters score at most as much as the best pair between them. So clusters in
            # different components of the pairs above the threshold never join, and what happens in
            # one component is no matter of the others.
            parts = pieces(scores, above=threshold)
            return labels_by_piece(lambda part: self._cut(part, threshold), parts, scores.n_items)
        return self._cut(scores, threshold)

    def _cut(self, scores: PairScores, threshold: float) -> Ints:
        condensed = scores.to_condensed(self.missing)
        links, heights, legal = self._tree(condensed, scores)
        slack = self._rounding * _largest(condensed)
        # A join that scores what its two items do is no mean, so that nothing was rounded.
        exact = heights == condensed[condensed_positions(links, scores.n_items)]
        above = heights > threshold + np.where(exact, 0.0, slack)
        return _linked(links[legal & above], scores.n_items)

    def _into(self, scores: PairScores, n_clusters: int) -> Ints:
        links, _, legal = self._tree(scores.to_condensed(self.missing), scores)
        n_joins = scores.n_items - n_clusters
        if not legal[:n_joins].all():
            fewest = scores.n_items - int(np.count_nonzero(legal))
            raise ItemSetError(
                f"{type(self).__name__} reaches {fewest} clusters, but not {n_clusters}, without "
                "joining pairs that must be apart, or too many items; ask for more clusters, or "
                "drop some of the pairs"
            )
        return _linked(links[:n_joins], scores.n_items)

    def _tree(self, condensed: Floats, scores: PairScores) -> tuple[Pairs, Floats, Bools]:
        """Return all joins, best first, their scores, and whether they are allowed."""
        work = condensed.copy()
        # So low that a mean over any number of pairs shows whether one of them must be apart, and
        # finite, because means of infinities are no numbers. All legal joins come before.
        lowest = -2.0 * (_largest(condensed) or 1.0)
        barred = 2.0 * lowest * len(work)
        max_size = scores.n_items if self.max_size is None else self.max_size
        if max_size == 1:
            work[:] = barred
        if scores.apart is not None:
            work[condensed_positions(scores.apart, scores.n_items)] = barred
        links, heights = _sorted(*self._joins(work, scores.n_items, max_size, barred))
        return links, heights, heights > lowest


@dataclass(frozen=True)
class CompleteLinkage(_DenseLinkage):
    """Join the two clusters whose lowest score between items is the highest.

    Joins while that score is above the threshold (strictly), or until k clusters are left, and
    never a pair that must be apart. A number of clusters given here goes before a threshold given
    here, then come the item set's number and the threshold 0. Among equal scores the nearest
    neighbour is the cluster whose own nearest is asked for, then the one with the smallest item.

    Parameters
    ----------
    threshold
        Clusters that score no more than this are not joined.
    n_clusters
        How many clusters to make, whatever they score.
    missing
        What an absent pair scores.
    max_size
        How many items a cluster may have; None for no limit.

    Examples
    --------
    >>> scores = PairScores.from_matrix([[0, 3, 1], [3, 0, 2], [1, 2, 0]])
    >>> CompleteLinkage(threshold=1)(scores), CompleteLinkage(threshold=0.5)(scores)
    (Partition([0, 0, 1]), Partition([0, 0, 0]))
    """

    threshold: float | None = None
    n_clusters: int | None = None
    missing: float = 0.0
    max_size: int | None = None

    def _joins(
        self, condensed: Floats, n_items: int, max_size: int, barred: float
    ) -> tuple[Pairs, Floats]:
        links, heights = complete_joins(condensed, n_items, max_size, barred)
        return links, heights


@dataclass(frozen=True)
class AverageLinkage(_DenseLinkage):
    """Join the two clusters with the highest mean score between their items.

    Joins while that score is above the threshold (strictly), or until k clusters are left, and
    never a pair that must be apart. A number of clusters given here goes before a threshold given
    here, then come the item set's number and the threshold 0. Among equal scores the nearest
    neighbour is the cluster whose own nearest is asked for, then the one with the smallest item. A
    mean of several scores that differs from the threshold by rounding only is equal to it.

    Parameters
    ----------
    threshold
        Clusters that score no more than this are not joined.
    n_clusters
        How many clusters to make, whatever they score.
    missing
        What an absent pair scores.
    max_size
        How many items a cluster may have; None for no limit.

    Examples
    --------
    >>> scores = PairScores.from_matrix([[0, 3, 1], [3, 0, 2], [1, 2, 0]])
    >>> AverageLinkage(threshold=1.5)(scores), AverageLinkage(threshold=1)(scores)
    (Partition([0, 0, 1]), Partition([0, 0, 0]))
    """

    threshold: float | None = None
    n_clusters: int | None = None
    missing: float = 0.0
    max_size: int | None = None
    _rounding: ClassVar[float] = 1e-12

    def _joins(
        self, condensed: Floats, n_items: int, max_size: int, barred: float
    ) -> tuple[Pairs, Floats]:
        links, heights = average_joins(condensed, n_items, max_size, barred)
        return links, heights


def _sorted(links: Pairs, heights: Floats) -> tuple[Pairs, Floats]:
    order = np.argsort(-heights, kind="stable")
    return links[order], heights[order]


def _linked(links: Pairs, n_items: int) -> Ints:
    """Label what links connect."""
    links = read_only(np.ascontiguousarray(links, dtype=np.intp))
    labels: Ints = listed_components(n_items, links, read_only(np.ones(len(links))), 0.0)
    return labels


def _largest(scores: Floats) -> float:
    return max(float(scores.max(initial=0.0)), -float(scores.min(initial=0.0)))


def _spanning_tree(scores: PairScores, listed: Pairs, missing: float) -> tuple[Pairs, Floats]:
    """Return the links of the maximum spanning tree, best first, and their scores.

    Of the absent pairs a spanning forest is enough: any other would close a cycle of them.
    """
    in_order = np.lexsort((listed[:, 1], listed[:, 0]))
    absent = np.array(list(_absent_forest(listed, scores.n_items)), dtype=np.intp).reshape(-1, 2)
    links = np.concatenate([listed[in_order], absent])
    heights = np.concatenate([scores.scores[in_order], np.full(len(absent), float(missing))])
    links, heights = _sorted(links, heights)
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
