"""Queues of the edges of clusters: pairing heaps of nodes, two for each edge, one at either end.

A node has a key, and in `tree` its edge, its first child and its next sibling; what an edge is, is
said in `linkage_sparse`.
"""

from typing import NamedTuple

import numpy as np

from coterie._kernels.compiling import inlined, kernel

SCORE, RANK = 0, 1
EDGE, CHILD, NEXT = 0, 1, 2
NONE = -1


class Queues(NamedTuple):
    """The top node of each cluster, the node of each edge at either end, and all nodes.

    `free` names the first free node and the first that was never used.
    """

    tops: np.ndarray
    nodes: np.ndarray
    keys: np.ndarray
    tree: np.ndarray
    free: np.ndarray


@kernel
def queue(edges, values, tops, nodes, keys, tree, free, edge, item, key):
    """Queue an edge of a cluster unless it is queued with a higher key, or lowers every mean."""
    side = 0 if edges[edge, 0] == item else 1
    old = nodes[edge, side]
    if key > 0 and (old == NONE or key >= keys[old]):
        node = free[0]
        if node == NONE:
            node = free[1]
            free[1] += 1
        else:
            free[0] = tree[node, NEXT]
        nodes[edge, side] = node
        keys[node], tree[node, EDGE] = key, edge
        tree[node, CHILD] = tree[node, NEXT] = NONE
        tops[item] = melded(values, keys, tree, tops[item], node)


@kernel
def rest(values, keys, tree, top):
    """Return the top of what is left without the top: its children melded by twos, then all."""
    node, waiting = np.int64(tree[top, CHILD]), np.int64(NONE)
    while node != NONE:
        second = np.int64(tree[node, NEXT])
        following = np.int64(tree[second, NEXT]) if second != NONE else np.int64(NONE)
        node = melded(values, keys, tree, node, second)
        tree[node, NEXT] = waiting
        waiting = node
        node = following
    while waiting != NONE:
        following = np.int64(tree[waiting, NEXT])
        node = melded(values, keys, tree, node, waiting)
        waiting = following
    return node


@kernel
def melded(values, keys, tree, one, other):
    """Meld two queues, given by their top nodes; return the top."""
    top, below = np.int64(one), np.int64(other)
    if top == NONE or (below != NONE and is_ahead(values, keys, tree, below, top)):
        top, below = below, top
    if below != NONE:
        tree[below, NEXT] = tree[top, CHILD]
        tree[top, CHILD] = below
    return top


@inlined
def is_ahead(values, keys, tree, one, other):
    """Compare keys, then the scores of the edges, then their ranks.

    The scores tell apart what has one key only because `missing` is so far below.
    """
    a, b = keys[one], keys[other]
    if a == b:
        e, f = tree[one, EDGE], tree[other, EDGE]
        a, b = values[e, SCORE], values[f, SCORE]
        if a == b:
            a, b = values[f, RANK], values[e, RANK]
    return a > b
