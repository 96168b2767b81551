"""Agglomerative clustering: join the two most similar clusters, until a threshold or k clusters."""

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from coterie._core.arrays import Floats, Ints, Pairs, read_only
from coterie._kernels.graphs.components import condensed_components, listed_components
from coterie._kernels.linkage.dense import average_joins, complete_joins, single_joins
from coterie._kernels.linkage.sparse import listed_average_joins, listed_complete_joins
from coterie.clusterers._joins import (
    best_first,
    labels_from_links,
    max_spanning_tree,
)
from coterie.clusterers._linkage import ROUNDING, DenseLinkage, Linkage
from coterie.pairs import PairScores

__all__ = ["AverageLinkage", "CompleteLinkage", "SingleLinkage"]


@dataclass(frozen=True)
class SingleLinkage(Linkage):
    """Join the two clusters with the highest score between any of their items.

    Clusters are joined while that score is strictly above the threshold, or until k clusters are
    left. The result is a cut of the maximum spanning tree. The first of these that is given decides
    when to stop: `n_clusters`, `threshold`, the `n_clusters` of the item set, the threshold 0.

    Ties matter only for a number of clusters. Scored pairs then join before absent ones: scored
    pairs (i, j) in the order of i, then j, absent ones from the smallest index on. If all pairs are
    scored, ties are ordered along the spanning tree that grows from item 0, by the later item.

    Parameters
    ----------
    threshold
        Clusters with a score up to this are not joined.
    n_clusters
        Number of clusters to make, whatever their scores.
    missing
        Score of an absent pair.

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

    def _join_above(self, scores: PairScores, threshold: float) -> Ints:
        if scores.listed is None:
            labels: Ints = condensed_components(scores.n_items, scores.scores, threshold)
        elif self.missing <= threshold:
            labels = listed_components(scores.n_items, scores.listed, scores.scores, threshold)
        else:
            links, heights = max_spanning_tree(scores, scores.listed, self.missing)
            labels = labels_from_links(links[heights > threshold], scores.n_items)
        return labels

    def _join_down_to(self, scores: PairScores, n_clusters: int) -> Ints:
        if scores.listed is None:
            links, _ = best_first(*single_joins(scores.scores, scores.n_items))
        else:
            links, _ = max_spanning_tree(scores, scores.listed, self.missing)
        return labels_from_links(links[: scores.n_items - n_clusters], scores.n_items)


@dataclass(frozen=True)
class CompleteLinkage(DenseLinkage):
    """Join the two clusters with the highest lowest score between their items.

    Clusters are joined while that score is strictly above the threshold, or until k clusters are
    left. Cannot-link pairs are never joined. The first of these that is given decides when to stop:
    `n_clusters`, `threshold`, the `n_clusters` of the item set, the threshold 0.

    The algorithm follows chains of nearest neighbours. Of equally near neighbours it prefers the
    previous cluster of the chain, then the cluster with the smallest item. If few pairs are scored
    and `missing` is not above the threshold, it uses the scored pairs alone. Ties then go to the
    previous cluster, then to the cluster with the earliest scored pair (i, j) between the two, in
    the order of i, then j.

    Parameters
    ----------
    threshold
        Clusters with a score up to this are not joined.
    n_clusters
        Number of clusters to make, whatever their scores.
    missing
        Score of an absent pair.
    max_size
        The largest number of items in a cluster; None means no limit.

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
        self, condensed: Floats, n_items: int, max_size: int, forbidden_score: float
    ) -> tuple[Pairs, Floats]:
        links, heights = complete_joins(condensed, n_items, max_size, forbidden_score)
        return links, heights

    def _listed_joins(
        self, n_items: int, pairs: Pairs, scores: Floats, above: float, max_size: int
    ) -> tuple[Pairs, Floats, Floats]:
        # A pair that is not above the level forbids a join for ever, as an absent pair does.
        is_above = scores > above
        pairs, scores = read_only(pairs[is_above]), read_only(scores[is_above])
        links, heights, spreads = listed_complete_joins(n_items, pairs, scores, above, max_size)
        return links, heights, spreads


@dataclass(frozen=True)
class AverageLinkage(DenseLinkage):
    """Join the two clusters with the highest mean score between their items.

    Clusters are joined while that score is strictly above the threshold, or until k clusters are
    left. Cannot-link pairs are never joined. The first of these that is given decides when to stop:
    `n_clusters`, `threshold`, the `n_clusters` of the item set, the threshold 0. A mean of several
    scores that differs from the threshold only by rounding counts as equal to it.

    The algorithm follows chains of nearest neighbours. Of equally near neighbours it prefers the
    previous cluster of the chain, then the cluster with the smallest item. If few pairs are scored
    and `missing` is not above the threshold, it uses the scored pairs alone. Ties then go to the
    previous cluster, then to the cluster with the highest mean of the scored pairs between the two,
    then to the one with the earliest such pair (i, j), in the order of i, then j. As soon as most
    pairs of the remaining clusters are scored, ties are resolved by the first rule again.

    Parameters
    ----------
    threshold
        Clusters with a score up to this are not joined.
    n_clusters
        Number of clusters to make, whatever their scores.
    missing
        Score of an absent pair.
    max_size
        The largest number of items in a cluster; None means no limit.
    size_cost
        How much the mean score must exceed the threshold for a join to more than `max_size` items.
        If it is infinite, as by default, no cluster is larger.

    Examples
    --------
    >>> scores = PairScores.from_matrix([[0, 3, 1], [3, 0, 2], [1, 2, 0]])
    >>> AverageLinkage(threshold=1.5)(scores), AverageLinkage(threshold=1)(scores)
    (Partition([0, 0, 1]), Partition([0, 0, 0]))
    >>> [AverageLinkage(max_size=2, size_cost=cost)(scores) for cost in (1, 2)]
    [Partition([0, 0, 0]), Partition([0, 0, 1])]
    """

    threshold: float | None = None
    n_clusters: int | None = None
    missing: float = 0.0
    max_size: int | None = None
    size_cost: float = inf
    _rounding: ClassVar[float] = ROUNDING

    def _joins(
        self, condensed: Floats, n_items: int, max_size: int, forbidden_score: float
    ) -> tuple[Pairs, Floats]:
        cost = float(self.size_cost)
        links, heights = average_joins(condensed, n_items, max_size, forbidden_score, cost)
        return links, heights

    def _listed_joins(
        self, n_items: int, pairs: Pairs, scores: Floats, above: float, max_size: int
    ) -> tuple[Pairs, Floats, Floats]:
        links, heights, spreads = listed_average_joins(
            n_items, pairs, scores, float(self.missing), above, max_size, float(self.size_cost)
        )
        return links, heights, spreads
