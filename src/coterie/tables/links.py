"""Links between the rows of a set: the strongest link of each row, and those that hold clusters."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree

from coterie._core.arrays import Bools, Floats, Ints, Pairs
from coterie.pairs import PairScores
from coterie.partition import Partition


class RowConstraints(NamedTuple):
    """Must-link and cannot-link pairs of the rows of a set; the lower index comes first."""

    must_link: Pairs
    cannot_link: Pairs

    def forbids(self, first: int, second: int) -> bool:
        """Return whether two rows are a cannot-link pair."""
        pair = min(first, second), max(first, second)
        return len(self.cannot_link) > 0 and bool((self.cannot_link == pair).all(axis=1).any())


class ScoredLinks(NamedTuple):
    """Pairs of rows, each once, and their scores; a must-link pair scores +∞."""

    n_items: int
    pairs: Pairs
    scores: Floats


def scored_links(scores: PairScores, constraints: RowConstraints) -> ScoredLinks:
    """Return the candidate pairs with their scores, together with the must-link pairs."""
    must_link = constraints.must_link
    if not len(must_link):
        return ScoredLinks(scores.n_items, scores.pairs, scores.scores)
    pairs = np.concatenate([must_link, scores.pairs])
    values = np.concatenate([np.full(len(must_link), np.inf), scores.scores])
    # `unique` keeps the first of equal pairs, so that a must-link pair stays at +∞.
    _, first = np.unique(pairs @ [scores.n_items, 1], return_index=True)
    return ScoredLinks(scores.n_items, pairs[first], values[first])


class StrongestLinks(NamedTuple):
    """The strongest link of each row: the index of the other row, −1 if none, and the score."""

    partners: Ints
    scores: Floats


def strongest_links(links: ScoredLinks, mask: Bools) -> StrongestLinks:
    """Return the strongest link of each row among those in the mask; ties go to the first row."""
    pairs, values = links.pairs[mask], links.scores[mask]
    # Each link in both directions, sorted by row, then by falling score, then by partner.
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    end_scores = np.concatenate([values, values])
    order = np.lexsort((ends[:, 1], -end_scores, ends[:, 0]))
    rows = ends[order, 0]
    first = np.flatnonzero(np.append(True, rows[1:] != rows[:-1])[: len(rows)])
    partners = np.full(links.n_items, -1, dtype=np.intp)
    best_scores = np.full(links.n_items, -np.inf)
    partners[rows[first]] = ends[order[first], 1]
    best_scores[rows[first]] = end_scores[order[first]]
    return StrongestLinks(partners, best_scores)


class LinkForest(NamedTuple):
    """The strongest links that hold clusters together: a maximum spanning forest of their pairs."""

    links: Pairs
    scores: Floats


def maximum_spanning_forest(links: ScoredLinks, partition: Partition) -> LinkForest:
    """Return the maximum spanning forest of the links inside clusters."""
    inside = np.flatnonzero(partition.together(links.pairs))
    pairs, values = links.pairs[inside], links.scores[inside]
    order = np.argsort(-values, kind="stable")
    # Ranks in place of scores: SciPy drops links of weight 0, and equal scores need an order.
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1.0, len(order) + 1)
    n_items = links.n_items
    graph = sp.csr_array((ranks, pairs.T.astype(np.int32)), shape=(n_items, n_items))
    in_forest = order[minimum_spanning_tree(graph).data.astype(np.intp) - 1]
    return LinkForest(pairs[in_forest], values[in_forest])


class ClusterWeakness(NamedTuple):
    """The weakest link and the disagreement of each cluster.

    `weakest` is the score of the weakest link of its spanning tree. `disagreement` is the share of
    its pairs that score below 0 or were not compared.
    """

    weakest: Floats
    disagreement: Floats


def cluster_weaknesses(
    links: ScoredLinks, partition: Partition, n_pairs_of_links: Floats
) -> ClusterWeakness:
    """Measure how weak each cluster is; the weakest link of a single row is +∞.

    `n_pairs_of_links` is the number of pairs of rows that each link stands for.
    """
    forest = maximum_spanning_forest(links, partition)
    weakest = np.full(partition.n_clusters, np.inf)
    np.minimum.at(weakest, partition.labels[forest.links[:, 0]], forest.scores)
    inside = np.flatnonzero(partition.together(links.pairs))
    clusters = partition.labels[links.pairs[inside, 0]]
    agreeing = np.where(links.scores[inside] > 0, n_pairs_of_links[inside], 0.0)
    n_agreeing = np.bincount(clusters, agreeing, partition.n_clusters)
    sizes = partition.sizes.astype(np.float64)
    n_pairs = np.maximum(sizes * (sizes - 1.0) / 2.0, 1.0)
    # A must-link pair of copies stands for pairs that others stand for, too.
    disagreement = np.where(sizes > 1, np.maximum(1.0 - n_agreeing / n_pairs, 0.0), 0.0)
    # A cluster whose candidate pairs do not connect all of its rows has a missing link: −∞.
    n_links = np.bincount(partition.labels[forest.links[:, 0]], minlength=partition.n_clusters)
    weakest[(sizes > 1) & (n_links < sizes - 1)] = -np.inf
    return ClusterWeakness(weakest, disagreement)
