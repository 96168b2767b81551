"""Agglomerative clustering: join the two most similar clusters, until a threshold or k clusters."""

from abc import abstractmethod
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from coterie._core.arguments import as_real, as_whole
from coterie._core.arrays import Bools, Floats, Ints, Pairs, read_only
from coterie._kernels.graphs.components import DENSE_SHARE, condensed_components, listed_components
from coterie._kernels.linkage.dense import average_joins, complete_joins, single_joins
from coterie._kernels.linkage.sparse import listed_average_joins, listed_complete_joins
from coterie.clusterers._base import HeuristicClusterer, require_n_clusters
from coterie.clusterers._joins import (
    Joins,
    best_first,
    component_magnitudes,
    concatenate_joins,
    cut_at_thresholds,
    labels_from_links,
    largest_magnitude,
    max_spanning_tree,
)
from coterie.clusterers._pieces import map_in_threads, pieces
from coterie.clusterers.together import (
    must_link_groups,
    override_scores,
    raise_above_all,
    transitive_closure,
)
from coterie.exceptions import ItemSetError
from coterie.pairs import PairScores, condensed_positions
from coterie.partition import Partition

__all__ = ["AverageLinkage", "CompleteLinkage", "SingleLinkage"]

PIECE_PAIRS = 250_000
"""How many listed pairs small components are put together to."""


class _Linkage(HeuristicClusterer):
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

    def _labels(self, scores: PairScores) -> Ints:
        n_clusters = self._asked(scores)
        if n_clusters is None:
            return self._above(scores, float(self.threshold or 0.0))
        return self._into(scores, n_clusters)

    def _asked(self, scores: PairScores) -> int | None:
        """Return how many clusters to make, None where a threshold says when to stop."""
        stops = self.threshold is not None or scores.n_clusters is None
        if self.n_clusters is None and stops:
            return None
        return require_n_clusters(self.n_clusters, scores)

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
        return raise_above_all(scores, self._bonds(links, scores.n_items), level)

    def _bonds(self, links: Pairs, n_items: int) -> Pairs:
        """Return the pairs that must score highest for the items that links connect to join."""
        return transitive_closure(links, n_items)

    def _refuse_splits(self, scores: PairScores, links: Pairs) -> None:
        n_clusters = self._asked(scores)
        n_groups = len(np.unique(must_link_groups(links, scores.n_items)))
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
            links, heights = max_spanning_tree(scores, scores.listed, self.missing)
            labels = labels_from_links(links[heights > threshold], scores.n_items)
        return labels

    def _into(self, scores: PairScores, n_clusters: int) -> Ints:
        if scores.listed is None:
            links, _ = best_first(*single_joins(scores.scores, scores.n_items))
        else:
            links, _ = max_spanning_tree(scores, scores.listed, self.missing)
        return labels_from_links(links[: scores.n_items - n_clusters], scores.n_items)


class _DenseLinkage(_Linkage):
    """What complete and average linkage share: a tree over all pairs, some never to be joined."""

    keeps_apart: ClassVar[bool] = True
    _rounding: ClassVar[float] = 0.0
    """How near the threshold a mean counts as equal to it, as a share of the largest score of its
    component, or of those in the mean."""

    max_size: int | None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_size is not None:
            as_whole("max_size", self.max_size, 1)

    def _refuse_splits(self, scores: PairScores, links: Pairs) -> None:
        super()._refuse_splits(scores, links)
        n_most = int(np.bincount(must_link_groups(links, scores.n_items)).max())
        if self.max_size is not None and n_most > self.max_size:
            raise ItemSetError(
                f"the links make a group of {n_most} items, but max_size is {self.max_size}; "
                "drop some links"
            )

    @abstractmethod
    def _joins(
        self, condensed: Floats, n_items: int, max_size: int, barred: float
    ) -> tuple[Pairs, Floats]:
        """Return the tree of all joins as links of items, and their scores; change `condensed`.

        Clusters that together have more items than `max_size` score `barred`.
        """

    @abstractmethod
    def _listed_joins(
        self, n_items: int, pairs: Pairs, scores: Floats, above: float, max_size: int
    ) -> tuple[Pairs, Floats, Floats]:
        """Return the joins above a level as links of items, their scores and their spreads.

        A spread is the largest score of a mean without its sign, 0 where all are equal.
        """

    def joins(self, scores: PairScores, above: float) -> Joins:
        """Return the joins that score above a level; their cut at it, or higher, is the partition.

        Numbers of clusters are not regarded, but what must be apart, and `max_size`, are.
        """
        if scores.listed is not None and self.missing > above:
            return self._dense_joins(scores, above)
        # Two clusters score at most as much as the best pair between them. So clusters in different
        # components of the pairs above the level never join, and what happens in one component is
        # no matter of the others.
        parts = pieces(scores, above, 0 if scores.listed is None else PIECE_PAIRS)
        n_pairs = sum(len(part.scores.scores) for part in parts)
        found = map_in_threads(lambda part: self._joins_inside(part.scores, above), parts, n_pairs)
        return concatenate_joins(
            zip((part.items for part in parts), found, strict=True), scores.n_items
        )

    def partitions_at(self, scores: PairScores, thresholds: Floats) -> list[Partition]:
        """Join clusters once, down to the lowest threshold, and cut the joins at each.

        Among equal scores the order of joins may be another than at one threshold alone.
        """
        # An absent pair must fall with all others; one that scores 0 stays where it is.
        falls = scores.listed is None or self.missing != 0
        stops = self.threshold, self.n_clusters, scores.n_clusters
        if stops != (None, None, None) or not falls or not scores.n_items:
            return super().partitions_at(scores, thresholds)
        absent = -inf if scores.listed is None else self.missing
        return cut_at_thresholds(lambda above: self.joins(scores, above), thresholds, absent)

    def _above(self, scores: PairScores, threshold: float) -> Ints:
        return self.joins(scores, threshold).labels(threshold)

    def _joins_inside(self, scores: PairScores, above: float) -> Joins:
        n_items, listed = scores.n_items, scores.listed
        if listed is None or len(listed) >= DENSE_SHARE * n_items**2:
            return self._dense_joins(scores, above)
        pairs, values = _barred(scores, listed)
        max_size = n_items if self.max_size is None else self.max_size
        links, heights, spreads = self._listed_joins(n_items, pairs, values, above, max_size)
        return Joins(n_items, links, heights, self._rounding * spreads)

    def _dense_joins(self, scores: PairScores, above: float) -> Joins:
        condensed = scores.to_condensed(self.missing)
        links, heights, legal = self._tree(condensed, scores)
        # A join that scores what its two items do is no mean, so that nothing was rounded.
        exact = heights == condensed[condensed_positions(links, scores.n_items)]
        slacks = self._rounding * component_magnitudes(scores, self.missing, above)[links[:, 0]]
        slacks[exact] = 0.0
        return Joins(scores.n_items, links[legal], heights[legal], slacks[legal])

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
        return labels_from_links(links[:n_joins], scores.n_items)

    def _tree(self, condensed: Floats, scores: PairScores) -> tuple[Pairs, Floats, Bools]:
        """Return all joins, best first, their scores, and whether they are allowed."""
        work = condensed.copy()
        # So low that a mean over any number of pairs shows whether one of them must be apart, and
        # finite, because means of infinities are no numbers. All legal joins come before.
        lowest = -2.0 * (largest_magnitude(condensed) or 1.0)
        barred = 2.0 * lowest * len(work)
        max_size = scores.n_items if self.max_size is None else self.max_size
        if max_size == 1:
            work[:] = barred
        if scores.apart is not None:
            work[condensed_positions(scores.apart, scores.n_items)] = barred
        links, heights = best_first(*self._joins(work, scores.n_items, max_size, barred))
        return links, heights, heights > lowest


@dataclass(frozen=True)
class CompleteLinkage(_DenseLinkage):
    """Join the two clusters whose lowest score between items is the highest.

    Joins while that score is above the threshold (strictly), or until k clusters are left, and
    never a pair that must be apart. A number of clusters given here goes before a threshold given
    here, then come the item set's number and the threshold 0. Among equal scores the nearest
    neighbour is the cluster whose own nearest is asked for, then the one with the smallest item.

    Where few of the pairs are listed, and absent ones are not above the threshold, the listed pairs
    are enough; among equal scores, the cluster whose own nearest is asked for is still the nearest,
    then the one with the earliest listed pair (i, j) between the two, in order of i, then j.

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

    def _listed_joins(
        self, n_items: int, pairs: Pairs, scores: Floats, above: float, max_size: int
    ) -> tuple[Pairs, Floats, Floats]:
        # What is no more than the level is as good as absent: it bars a join for ever.
        kept = scores > above
        pairs, scores = read_only(pairs[kept]), read_only(scores[kept])
        links, heights, spreads = listed_complete_joins(n_items, pairs, scores, above, max_size)
        return links, heights, spreads


@dataclass(frozen=True)
class AverageLinkage(_DenseLinkage):
    """Join the two clusters with the highest mean score between their items.

    Joins while that score is above the threshold (strictly), or until k clusters are left, and
    never a pair that must be apart. A number of clusters given here goes before a threshold given
    here, then come the item set's number and the threshold 0. Among equal scores the nearest
    neighbour is the cluster whose own nearest is asked for, then the one with the smallest item. A
    mean of several scores that differs from the threshold by rounding only is equal to it.

    Where few of the pairs are listed, and absent ones are not above the threshold, the listed pairs
    are enough; among equal scores, the cluster whose own nearest is asked for is still the nearest,
    then the one with the highest mean of the listed pairs between the two, then with the earliest
    of them (i, j), in order of i, then j. Once the clusters are few for their listed pairs, the
    rule is again the one above.

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

    def _listed_joins(
        self, n_items: int, pairs: Pairs, scores: Floats, above: float, max_size: int
    ) -> tuple[Pairs, Floats, Floats]:
        links, heights, spreads = listed_average_joins(
            n_items, pairs, scores, float(self.missing), above, max_size
        )
        return links, heights, spreads


def _barred(scores: PairScores, listed: Pairs) -> tuple[Pairs, Floats]:
    """Return the listed pairs and their scores, those apart listed too, with a score of -inf."""
    if scores.apart is None:
        return listed, scores.scores
    values = scores.scores.copy()
    pairs, values = override_scores(scores.n_items, listed, values, scores.apart, -inf)
    return (listed if pairs is None else read_only(pairs)), read_only(values)
