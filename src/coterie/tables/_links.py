"""Links between the rows of a set: the strongest of each, and those that hold clusters."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree

from coterie._arrays import Bools, Floats, Ints, Pairs
from coterie.pairs import PairScores
from coterie.partition import Partition


class Strongest(NamedTuple):
    """The strongest link of each item: the other item, −1 where there is none, and its score."""

    others: Ints
    scores: Floats


def strongest(scores: PairScores, wanted: Bools) -> Strongest:
    """Return the strongest of the wanted links of each item; of equal ones to the first item."""
    pairs, values = scores.pairs[wanted], scores.scores[wanted]
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    both = np.concatenate([values, values])
    order = np.lexsort((ends[:, 1], -both, ends[:, 0]))
    owners = ends[order, 0]
    first = np.flatnonzero(np.append(True, owners[1:] != owners[:-1])[: len(owners)])
    others = np.full(scores.n_items, -1, dtype=np.intp)
    found = np.full(scores.n_items, -np.inf)
    others[owners[first]], found[owners[first]] = ends[order[first], 1], both[order[first]]
    return Strongest(others, found)


class Tree(NamedTuple):
    """The strongest links that hold clusters together: a maximum spanning forest of their pairs."""

    links: Pairs
    scores: Floats


def spanning_tree(scores: PairScores, partition: Partition) -> Tree:
    """Return the maximum spanning forest of the pairs inside clusters."""
    inside = np.flatnonzero(partition.together(scores.listed))
    pairs, values = scores.pairs[inside], scores.scores[inside]
    order = np.argsort(-values, kind="stable")
    # Ranks in place of scores: SciPy drops links of weight 0, and equal scores need an order.
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1.0, len(order) + 1)
    n_items = scores.n_items
    graph = sp.csr_array((ranks, pairs.T.astype(np.int32)), shape=(n_items, n_items))
    kept = order[minimum_spanning_tree(graph).data.astype(np.intp) - 1]
    return Tree(pairs[kept], values[kept])


class Weakness(NamedTuple):
    """Of each cluster: the score of the weakest link that holds it, and how much speaks against it.

    `disagreement` is the share of its pairs that score below 0 or were not looked at.
    """

    weakest: Floats
    disagreement: Floats


def weaknesses(scores: PairScores, partition: Partition) -> Weakness:
    """Say how weak each cluster is; a single item has no weak link, +∞."""
    tree = spanning_tree(scores, partition)
    weakest = np.full(partition.n_clusters, np.inf)
    np.minimum.at(weakest, partition.labels[tree.links[:, 0]], tree.scores)
    inside = np.flatnonzero(partition.together(scores.listed))
    owners = partition.labels[scores.pairs[inside, 0]]
    agreeing = np.bincount(owners, scores.scores[inside] > 0, partition.n_clusters)
    sizes = partition.sizes.astype(np.float64)
    n_pairs = np.maximum(sizes * (sizes - 1.0) / 2.0, 1.0)
    disagreement = np.where(sizes > 1, 1.0 - agreeing / n_pairs, 0.0)
    # What no listed pair holds together is held by nothing.
    n_links = np.bincount(partition.labels[tree.links[:, 0]], minlength=partition.n_clusters)
    weakest[(sizes > 1) & (n_links < sizes - 1)] = -np.inf
    return Weakness(weakest, disagreement)
