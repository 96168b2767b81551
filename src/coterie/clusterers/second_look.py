"""A second look at pairs that a blocker left out, where the clusters depend on them.

`AverageLinkage` gives every absent pair the score `missing`, which counts against joining. That is
right for most absent pairs: rows that share no blocking key are rarely the same. It is wrong where
a blocker lists only a few pairs of many similar rows, since then a hundred copies of a row would be
torn apart by the pairs that nobody has compared. So the absent pairs of items that would be in one
cluster, judged by the scored pairs alone, are scored before the items are clustered.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from coterie._core.arrays import Floats, Ints, Pairs
from coterie._kernels.linkage.sparse import scored_average_joins
from coterie._types import Clusterer
from coterie.clusterers._joins import Joins, concatenate_joins
from coterie.clusterers._linkage import PIECE_PAIRS, ROUNDING, with_cannot_link_pairs
from coterie.clusterers._pieces import map_in_threads, pieces, sorted_pairs
from coterie.clusterers.constraints import add_cannot_links, partition_under_checked_constraints
from coterie.clusterers.linkage import AverageLinkage
from coterie.pairs import PairScores, all_pairs
from coterie.partition import Partition

MOST_COMPLETE = 300
"""The largest group of items whose absent pairs are all scored."""

N_PARTNERS = 40
"""The number of random partners with which each item of a larger group is scored."""

MOST_ROUNDS = 10
"""The largest number of second looks; each can only divide the groups of the one before."""

Score: TypeAlias = Callable[[Pairs], Floats]
"""A function that scores pairs of the items."""


class Decision(NamedTuple):
    """A partition, and the scores of the pairs by which it was found."""

    scores: PairScores
    partition: Partition


def decide(
    clusterer: Clusterer,
    scores: PairScores,
    score: Score | None,
    must_link: Pairs,
    cannot_link: Pairs,
) -> Decision:
    """Partition under constraints, after a second look at absent pairs if they count as evidence.

    Items are grouped by average linkage that ignores absent pairs. The absent pairs within groups
    are scored, and the items grouped again, until no pair is absent. Then the clusterer partitions
    the items. In a group of over 300 items, only random pairs are scored; such a group, if the
    scored pairs alone still hold it together, is a cluster.

    Parameters
    ----------
    clusterer
        Partitions the items.
    scores
        The scores of the candidate pairs.
    score
        Scores further pairs; None if the pairs that matter were scored before.
    must_link, cannot_link
        Pairs of shape (q, 2), without contradictions.
    """
    if not (isinstance(clusterer, AverageLinkage) and _counts_absent_pairs(clusterer, scores)):
        partition = partition_under_checked_constraints(clusterer, scores, must_link, cannot_link)
        return Decision(scores, partition)
    level = float(clusterer.threshold or 0.0)
    for _ in range(MOST_ROUNDS):
        groups = _groups(clusterer, scores, must_link, cannot_link, level)
        wanted = _absent_pairs(scores, groups)
        if score is None or not len(wanted):
            break
        scores = _with_scores(scores, wanted, score(wanted))
    return Decision(scores, _partition(clusterer, scores, must_link, cannot_link, groups))


def _counts_absent_pairs(linkage: AverageLinkage, scores: PairScores) -> bool:
    """Return whether absent pairs count against joining, and the threshold decides."""
    if scores.listed is None or linkage.n_clusters is not None:
        return False
    if linkage.threshold is None and scores.n_clusters is not None:
        return False
    return linkage.missing < float(linkage.threshold or 0.0)


def _groups(
    linkage: AverageLinkage, scores: PairScores, must_link: Pairs, cannot_link: Pairs, level: float
) -> Partition:
    """Group items by the mean of the scored pairs between groups, while it is above a level."""
    scores = add_cannot_links(scores, cannot_link)
    if len(must_link):
        scores = linkage.united(scores, must_link)
    parts = pieces(scores, level, PIECE_PAIRS)
    joins = map_in_threads(lambda part: _joins(part.scores, level), parts, len(scores.scores))
    by_part = zip((part.items for part in parts), joins, strict=True)
    return Partition(concatenate_joins(by_part, scores.n_items).labels(level))


def _joins(scores: PairScores, level: float) -> Joins:
    pairs, values = with_cannot_link_pairs(scores, scores.pairs)
    links, heights, spreads = scored_average_joins(scores.n_items, pairs, values, level)
    return Joins(scores.n_items, links, heights, ROUNDING * spreads)


def _absent_pairs(scores: PairScores, groups: Partition) -> Pairs:
    """Return absent pairs within groups: all of small groups, random ones of large groups."""
    listed = scores.pairs[groups.together(scores.pairs)]
    n_listed = np.bincount(groups.labels[listed[:, 0]], minlength=groups.n_clusters)
    sizes = groups.sizes
    incomplete = np.flatnonzero(n_listed < sizes * (sizes - 1) // 2)
    ids: list[Ints] = [np.empty(0, dtype=np.intp)]
    for label in incomplete.tolist():
        items = groups.clusters[label]
        is_small = len(items) <= MOST_COMPLETE
        pairs = all_pairs(len(items)) if is_small else _random_pairs(len(items))
        ids.append(_ids(items[pairs], scores.n_items))
    listed_ids = _ids(listed, scores.n_items)
    absent = np.setdiff1d(np.concatenate(ids), listed_ids, assume_unique=True)
    return np.column_stack(np.divmod(absent, max(scores.n_items, 1)))


def _ids(pairs: Pairs, n_items: int) -> Ints:
    return pairs[:, 0] * n_items + pairs[:, 1]


def _random_pairs(n_items: int) -> Pairs:
    """Pair each item with random partners, the same in every call."""
    rng = np.random.default_rng(n_items)
    orders = [rng.permutation(n_items) for _ in range(N_PARTNERS // 2)]
    # Each order is a ring, in which every item has two neighbours.
    rings = np.concatenate([np.column_stack([order, np.roll(order, 1)]) for order in orders])
    return np.unique(np.sort(rings, axis=1), axis=0)


def _with_scores(scores: PairScores, pairs: Pairs, values: Floats) -> PairScores:
    """Return scores with further scored pairs, sorted."""
    all_values = np.concatenate([scores.scores, values])
    optional = scores.diagonal, scores.n_clusters, scores.apart
    all_listed = np.concatenate([scores.pairs, pairs])
    return sorted_pairs(PairScores(scores.n_items, all_listed, all_values, *optional))


def _partition(
    linkage: AverageLinkage,
    scores: PairScores,
    must_link: Pairs,
    cannot_link: Pairs,
    groups: Partition,
) -> Partition:
    """Keep the large groups, whose pairs cannot all be scored, and cluster all other items."""
    is_large = groups.sizes[groups.labels] > MOST_COMPLETE
    if not is_large.any():
        return partition_under_checked_constraints(linkage, scores, must_link, cannot_link)
    others = np.flatnonzero(~is_large)
    index = np.full(scores.n_items, -1, dtype=np.intp)
    index[others] = np.arange(len(others))
    inside = (index[scores.pairs] >= 0).all(axis=1)
    rest = PairScores(len(others), index[scores.pairs[inside]], scores.scores[inside])
    constraints = (_among(pairs, index) for pairs in (must_link, cannot_link))
    partition = partition_under_checked_constraints(linkage, rest, *constraints)
    labels = groups.labels + partition.n_clusters
    labels[others] = partition.labels
    return Partition(labels)


def _among(pairs: Pairs, index: Ints) -> Pairs:
    """Return the pairs of items that have an index, by their indices."""
    ends = index[pairs]
    return ends[(ends >= 0).all(axis=1)]
