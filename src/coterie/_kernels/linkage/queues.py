"""Queues of the edges of clusters: pairing heaps of nodes, two nodes per edge, one at either end.

A node has a key, and its row of `tree` holds its edge, its first child and its next sibling. The
records of edges are described in `coterie._kernels.linkage.sparse`.
"""

from typing import NamedTuple

import numpy as np

from coterie._kernels.compiling import inlined, kernel

SCORE, RANK = 0, 1
EDGE, CHILD, NEXT = 0, 1, 2
NONE = -1


class Queues(NamedTuple):
    """The top node of each cluster, the current node of each edge at either end, and all nodes.

    `free` holds the first node of the list of free nodes, linked by NEXT, and the first node that
    was never used.
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
    # A heap cannot raise the key of a node in its middle without a link to its parent. The edge
    # gets a new node instead; the old one is recognised as out of date when it comes to the top.
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
        tops[item] = meld(values, keys, tree, np.int64(tops[item]), np.int64(node))


@kernel
def remove_top(values, keys, tree, top):
    """Meld the children of the top into one queue; return its top."""
    # The two passes of Fredman et al. 1986: neighbours are melded in pairs, then the pairs from the
    # last to the first. This is O(log n) amortised, where melding all in order could be O(n).
    node, pairs = np.int64(tree[top, CHILD]), np.int64(NONE)
    while node != NONE:
        second = np.int64(tree[node, NEXT])
        following = np.int64(tree[second, NEXT]) if second != NONE else np.int64(NONE)
        node = meld(values, keys, tree, node, second)
        tree[node, NEXT] = pairs
        pairs = node
        node = following
    # Here `node` is NONE, an empty queue.
    while pairs != NONE:
        following = np.int64(tree[pairs, NEXT])
        node = meld(values, keys, tree, node, pairs)
        pairs = following
    return node


@kernel
def meld(values, keys, tree, first, second):
    """Meld two queues, given by their top nodes, into one; return its top node."""
    top, below = np.int64(first), np.int64(second)
    if top == NONE or (below != NONE and is_ahead(values, keys, tree, below, top)):
        top, below = below, top
    if below != NONE:
        tree[below, NEXT] = tree[top, CHILD]
        tree[top, CHILD] = below
    return top


@inlined
def is_ahead(values, keys, tree, node, other_node):
    """Compare keys, then the scores of the edges, then their ranks."""
    a, b = keys[node], keys[other_node]
    # A key is a difference from `missing`, which may be so low that different scores round to one
    # key; the scores still tell them apart.
    if a == b:
        e, f = tree[node, EDGE], tree[other_node, EDGE]
        a, b = values[e, SCORE], values[f, SCORE]
        if a == b:
            a, b = values[f, RANK], values[e, RANK]
    return a > b
