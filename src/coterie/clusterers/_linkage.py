"""The rules that the linkages share: when to stop joining, and joining within components."""

import sys
from abc import abstractmethod
from math import inf
from typing import ClassVar

import numpy as np

from coterie._core.arguments import as_real, as_whole
from coterie._core.arrays import Bools, Floats, Ints, Pairs, read_only
from coterie._kernels.graphs.components import DENSE_SHARE
from coterie.clusterers._base import HeuristicClusterer, require_n_clusters
from coterie.clusterers._joins import (
    Joins,
    best_first,
    component_magnitudes,
    concatenate_joins,
    cut_at_thresholds,
    labels_from_links,
    largest_magnitude,
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

PIECE_PAIRS = 250_000
"""Small components are solved together in pieces of at least this number of scored pairs."""

ROUNDING = 1e-12
"""A mean this near to the threshold, as a share of the largest score, counts as equal to it."""

LARGEST, LIMITS = sys.float_info.max, (inf, -inf)
"""The largest finite number, and the values of parameters that are never added up."""


class Linkage(HeuristicClusterer):
    """Base class of the three linkages, with the rule when to stop."""

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
        n_clusters = self._target_n_clusters(scores)
        if n_clusters is None:
            return self._join_above(scores, float(self.threshold or 0.0))
        return self._join_down_to(scores, n_clusters)

    def _target_n_clusters(self, scores: PairScores) -> int | None:
        """Return the number of clusters to make, or None if the threshold decides when to stop."""
        has_threshold = self.threshold is not None or scores.n_clusters is None
        if self.n_clusters is None and has_threshold:
            return None
        return require_n_clusters(self.n_clusters, scores)

    def united(self, scores: PairScores, links: Pairs) -> PairScores:
        """Return scores with which must-linked items are joined before any others.

        Everything else is clustered as if the must-linked items had been joined beforehand.
        """
        # A group is a set of items that links connect. The pairs inside groups get a score t that
        # is above the threshold and above the scores of all other pairs, scored or absent. While a
        # group is in several parts, these score t with each other: the highest, lowest or mean of
        # numbers that are all t (for the highest, one link between the parts is enough). Parts of
        # different groups score less, because no pair between them was changed. So all groups are
        # complete before anything else is joined. From then on clusters are unions of groups, and
        # their scores with each other come from unchanged pairs.
        self._refuse_splits(scores, links)
        absent = -inf if scores.listed is None else self.missing
        level = max(absent, self.threshold or 0.0)
        return raise_above_all(scores, self._bonds(links, scores.n_items), level)

    def _bonds(self, links: Pairs, n_items: int) -> Pairs:
        """Return the pairs whose scores must be raised to join the items that links connect."""
        return transitive_closure(links, n_items)

    def _refuse_splits(self, scores: PairScores, links: Pairs) -> None:
        n_clusters = self._target_n_clusters(scores)
        n_groups = len(np.unique(must_link_groups(links, scores.n_items)))
        if n_clusters is not None and n_clusters > n_groups:
            raise ItemSetError(
                f"the must-link pairs leave {n_groups} groups for {n_clusters} clusters; drop some "
                "of these pairs, or lower n_clusters"
            )

    @abstractmethod
    def _join_above(self, scores: PairScores, threshold: float) -> Ints:
        """Label the items by joining clusters while their scores are above a threshold."""

    @abstractmethod
    def _join_down_to(self, scores: PairScores, n_clusters: int) -> Ints:
        """Label the items by joining clusters until `n_clusters` are left."""


class DenseLinkage(Linkage):
    """Base class of the linkages that support cannot-link pairs and `max_size`."""

    keeps_apart: ClassVar[bool] = True
    _rounding: ClassVar[float] = 0.0
    """A mean this near to the threshold, as a share of the largest score, counts as equal to it."""

    max_size: int | None
    size_cost: float = inf
    """The cost of a join to a larger cluster; if it is infinite, no cluster is larger."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_size is not None:
            as_whole("max_size", self.max_size, 1, inf)
        if np.ndim(self.size_cost) or self.size_cost != inf:
            as_real("size_cost", self.size_cost)

    def united(self, scores: PairScores, links: Pairs) -> PairScores:
        """Return scores with which must-linked items are joined before any others."""
        if self.size_cost == inf or self.max_size is None:
            return super().united(scores, links)
        # Raised pairs stay above all others if their join costs more.
        level = max(float(scores.scores.max(initial=0.0)), self.threshold or 0.0)
        bonds = self._bonds(links, scores.n_items)
        return raise_above_all(scores, bonds, level + self.size_cost)

    def _refuse_splits(self, scores: PairScores, links: Pairs) -> None:
        super()._refuse_splits(scores, links)
        largest_size = int(np.bincount(must_link_groups(links, scores.n_items)).max())
        is_limited = self.max_size is not None and self.size_cost == inf
        if is_limited and largest_size > (self.max_size or 0):
            raise ItemSetError(
                f"the must-link pairs make a group of {largest_size} items, but max_size is "
                f"{self.max_size}; drop some of these pairs, or raise max_size"
            )

    @abstractmethod
    def _joins(
        self, condensed: Floats, n_items: int, max_size: int, forbidden_score: float
    ) -> tuple[Pairs, Floats]:
        """Return the joins of the whole dendrogram, as links of items, and their scores.

        Two clusters that together have more items than `max_size` score `forbidden_score`.
        `condensed` is overwritten.
        """

    @abstractmethod
    def _listed_joins(
        self, n_items: int, pairs: Pairs, scores: Floats, above: float, max_size: int
    ) -> tuple[Pairs, Floats, Floats]:
        """Return the joins above a level as links of items, with their scores and spreads.

        The spread of a join is the largest magnitude of the scores in its mean, or 0 if all of them
        are equal.
        """

    def joins(self, scores: PairScores, above: float) -> Joins:
        """Return the joins that score above a level; cut at a threshold, they give the partition.

        The threshold must not be below the level. The joins obey cannot-link pairs and `max_size`,
        but ignore numbers of clusters.
        """
        self._refuse_overflow(scores)
        if scores.listed is not None and self.missing > above:
            return self._dense_joins(scores, above)
        # Two clusters never score more than the best pair between them. So clusters in different
        # components of the pairs above the level never join, and each component can be clustered on
        # its own.
        parts = pieces(scores, above, 0 if scores.listed is None else PIECE_PAIRS)
        n_pairs = sum(len(part.scores.scores) for part in parts)
        joins = map_in_threads(lambda part: self._joins_inside(part.scores, above), parts, n_pairs)
        return concatenate_joins(
            zip((part.items for part in parts), joins, strict=True), scores.n_items
        )

    def partitions_at(self, scores: PairScores, thresholds: Floats) -> list[Partition]:
        """Return one partition per threshold, by joining down to the lowest one and cutting there.

        Ties may be resolved in another order than by clustering at each threshold alone.
        """
        # A cut lowers absent pairs along with the others, but a missing score of 0 must stay 0.
        is_lowered = scores.listed is None or self.missing != 0
        stopping_rules = self.threshold, self.n_clusters, scores.n_clusters
        if stopping_rules != (None, None, None) or not is_lowered or not scores.n_items:
            return super().partitions_at(scores, thresholds)
        absent = -inf if scores.listed is None else self.missing
        return cut_at_thresholds(lambda above: self.joins(scores, above), thresholds, absent)

    def _join_above(self, scores: PairScores, threshold: float) -> Ints:
        return self.joins(scores, threshold).labels(threshold)

    def _joins_inside(self, scores: PairScores, above: float) -> Joins:
        n_items, pairs = scores.n_items, scores.listed
        if pairs is None or len(pairs) >= DENSE_SHARE * n_items**2:
            return self._dense_joins(scores, above)
        pairs, values = with_cannot_link_pairs(scores, pairs)
        max_size = n_items if self.max_size is None else min(self.max_size, n_items)
        links, heights, spreads = self._listed_joins(n_items, pairs, values, above, max_size)
        return Joins(n_items, links, heights, self._rounding * spreads)

    def _dense_joins(self, scores: PairScores, above: float) -> Joins:
        condensed = scores.to_condensed(self.missing)
        links, heights, allowed = self._dendrogram(condensed, scores)
        # A join with exactly the score of its two items is not a mean, so nothing was rounded.
        exact = heights == condensed[condensed_positions(links, scores.n_items)]
        slacks = self._rounding * component_magnitudes(scores, self.missing, above)[links[:, 0]]
        slacks[exact] = 0.0
        return Joins(scores.n_items, links[allowed], heights[allowed], slacks[allowed])

    def _join_down_to(self, scores: PairScores, n_clusters: int) -> Ints:
        self._refuse_overflow(scores)
        links, _, allowed = self._dendrogram(scores.to_condensed(self.missing), scores)
        n_joins = scores.n_items - n_clusters
        if not allowed[:n_joins].all():
            fewest = scores.n_items - int(np.count_nonzero(allowed))
            raise ItemSetError(
                f"{type(self).__name__} makes at least {fewest} clusters here, because of "
                f"cannot-link pairs or max_size, but n_clusters is {n_clusters}; raise n_clusters "
                "or max_size, or drop cannot-link pairs"
            )
        return labels_from_links(links[:n_joins], scores.n_items)

    def _refuse_overflow(self, scores: PairScores) -> None:
        """Refuse scores whose sums could be infinite; without finite scores, kernels never end."""
        parameters = [abs(value) for value in (self.missing, self.size_cost) if value not in LIMITS]
        largest = max(largest_magnitude(scores.scores), *parameters, 0.0)
        # Forbidding scores are the lowest numbers: below 32 n³ times the largest, summed.
        if largest > LARGEST / (32.0 * max(scores.n_items, 1) ** 3):
            raise ItemSetError(
                f"{type(self).__name__} cannot add up scores or parameters as large as "
                f"{largest:.3g}; give smaller ones"
            )

    def _dendrogram(self, condensed: Floats, scores: PairScores) -> tuple[Pairs, Floats, Bools]:
        """Return all joins, best first, with their scores and whether they are allowed."""
        work = condensed.copy()
        # A forbidden pair scores so low that a mean over any number of pairs reveals it, and all
        # allowed joins come first. The score is finite, because infinities can average to NaN.
        cost = 0.0 if self.size_cost == inf else self.size_cost
        lowest = -2.0 * ((largest_magnitude(condensed) or 1.0) + cost)
        forbidden_score = 2.0 * lowest * len(work)
        max_size = scores.n_items
        if self.max_size is not None:
            max_size = min(self.max_size, max_size)
        if max_size == 1:
            work[:] = np.maximum(work - self.size_cost, forbidden_score)
        if scores.apart is not None:
            work[condensed_positions(scores.apart, scores.n_items)] = forbidden_score
        links, heights = best_first(*self._joins(work, scores.n_items, max_size, forbidden_score))
        return links, heights, heights > lowest


def with_cannot_link_pairs(scores: PairScores, scored_pairs: Pairs) -> tuple[Pairs, Floats]:
    """Return the scored pairs and the cannot-link pairs; the latter score -inf."""
    if scores.apart is None:
        return scored_pairs, scores.scores
    values = scores.scores.copy()
    pairs, values = override_scores(scores.n_items, scored_pairs, values, scores.apart, -inf)
    return (scored_pairs if pairs is None else read_only(pairs)), read_only(values)
