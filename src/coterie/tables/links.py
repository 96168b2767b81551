"""Links between the rows of a set: the strongest of each, and those that hold clusters."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree

from coterie._core.arrays import Bools, Floats, Ints, Pairs
from coterie.pairs import PairScores
from coterie.partition import Partition


class Told(NamedTuple):
    """Pairs of items that must be together, and pairs that must be apart; the lower item first."""

    together: Pairs
    apart: Pairs

    def keeps_apart(self, first: int, second: int) -> bool:
        """Tell whether two items must be apart."""
        pair = min(first, second), max(first, second)
        return len(self.apart) > 0 and bool((self.apart == pair).all(axis=1).any())


class Bonds(NamedTuple):
    """Pairs of items, each once, and what they score: +∞ if they were told to be together."""

    n_items: int
    pairs: Pairs
    scores: Floats


def bonds_of(scores: PairScores, told: Told) -> Bonds:
    """Return the pairs that were looked at, and those told to be together."""
    if not len(told.together):
        return Bonds(scores.n_items, scores.pairs, scores.scores)
    pairs = np.concatenate([told.together, scores.pairs])
    values = np.concatenate([np.full(len(told.together), np.inf), scores.scores])
    _, first = np.unique(pairs @ [scores.n_items, 1], return_index=True)
    return Bonds(scores.n_items, pairs[first], values[first])


class Strongest(NamedTuple):
    """The strongest link of each item: the other item, −1 where there is none, and its score."""

    others: Ints
    scores: Floats


def strongest(bonds: Bonds, wanted: Bools) -> Strongest:
    """Return the strongest of the wanted links of each item; of equal ones to the first item."""
    pairs, values = bonds.pairs[wanted], bonds.scores[wanted]
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    both = np.concatenate([values, values])
    order = np.lexsort((ends[:, 1], -both, ends[:, 0]))
    owners = ends[order, 0]
    first = np.flatnonzero(np.append(True, owners[1:] != owners[:-1])[: len(owners)])
    others = np.full(bonds.n_items, -1, dtype=np.intp)
    found = np.full(bonds.n_items, -np.inf)
    others[owners[first]], found[owners[first]] = ends[order[first], 1], both[order[first]]
    return Strongest(others, found)


class Tree(NamedTuple):
    """The strongest links that hold clusters together: a maximum spanning forest of their pairs."""

    links: Pairs
    scores: Floats


def spanning_tree(bonds: Bonds, partition: Partition) -> Tree:
    """Return the maximum spanning forest of the pairs inside clusters."""
    inside = np.flatnonzero(partition.together(bonds.pairs))
    pairs, values = bonds.pairs[inside], bonds.scores[inside]
    order = np.argsort(-values, kind="stable")
    # Ranks in place of scores: SciPy drops links of weight 0, and equal scores need an order.
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1.0, len(order) + 1)
    n_items = bonds.n_items
    graph = sp.csr_array((ranks, pairs.T.astype(np.int32)), shape=(n_items, n_items))
    kept = order[minimum_spanning_tree(graph).data.astype(np.intp) - 1]
    return Tree(pairs[kept], values[kept])


class Weakness(NamedTuple):
    """Of each cluster: the score of the weakest link that holds it, and how much speaks against it.

    `disagreement` is the share of its pairs that score below 0 or were not looked at.
    """

    weakest: Floats
    disagreement: Floats


def weaknesses(bonds: Bonds, partition: Partition) -> Weakness:
    """Say how weak each cluster is; a single item has no weak link, +∞."""
    tree = spanning_tree(bonds, partition)
    weakest = np.full(partition.n_clusters, np.inf)
    np.minimum.at(weakest, partition.labels[tree.links[:, 0]], tree.scores)
    inside = np.flatnonzero(partition.together(bonds.pairs))
    owners = partition.labels[bonds.pairs[inside, 0]]
    agreeing = np.bincount(owners, bonds.scores[inside] > 0, partition.n_clusters)
    sizes = partition.sizes.astype(np.float64)
    n_pairs = np.maximum(sizes * (sizes - 1.0) / 2.0, 1.0)
    disagreement = np.where(sizes > 1, 1.0 - agreeing / n_pairs, 0.0)
    # What no listed pair holds together is held by nothing.
    n_links = np.bincount(partition.labels[tree.links[:, 0]], minlength=partition.n_clusters)
    weakest[(sizes > 1) & (n_links < sizes - 1)] = -np.inf
    return Weakness(weakest, disagreement)
