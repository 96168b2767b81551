"""Nearest-neighbour graphs and their small cuts: matching, growing and refining of bisections.

A graph is a symmetric CSR matrix without diagonal, as `starts`, `neighbours` and `weights`. Cuts
are multilevel bisections as in METIS (Karypis & Kumar 1998): match, grow on the coarsest graph, and
refine on each finer one.
"""

from heapq import heappop, heappush

import numpy as np

from coterie._kernels.compiling import kernel


@kernel
def listed_neighbours(n_items, pairs, scores, n_neighbors):
    """Return each item's neighbours of highest score among candidate pairs, and these scores.

    Both have shape (n_items, n_neighbors), best first; -1 and -inf fill rows with fewer neighbours.
    """
    near = np.full((n_items, n_neighbors), -1, np.intp)
    best = np.full((n_items, n_neighbors), -np.inf)
    for pair in range(len(scores)):
        _offer(near, best, pairs[pair, 0], pairs[pair, 1], scores[pair])
        _offer(near, best, pairs[pair, 1], pairs[pair, 0], scores[pair])
    return near, best


@kernel
def condensed_neighbours(n_items, scores, n_neighbors):
    """Return each item's neighbours of highest score among all pairs, as `listed_neighbours`."""
    near = np.full((n_items, n_neighbors), -1, np.intp)
    best = np.full((n_items, n_neighbors), -np.inf)
    pair = 0
    for i in range(n_items):
        for j in range(i + 1, n_items):
            _offer(near, best, i, j, scores[pair])
            _offer(near, best, j, i, scores[pair])
            pair += 1
    return near, best


@kernel
def _offer(near, best, item, other, score):
    """Put a neighbour among the best of an item, the smaller index first among equals."""
    last = near.shape[1] - 1
    # Most offers fail against the worst neighbour. An empty position has score -inf and index -1,
    # which any score above -inf beats.
    if score < best[item, last] or (score == best[item, last] and other > near[item, last]):
        return
    position = last
    while position > 0:
        ahead = position - 1
        is_tie_won = score == best[item, ahead] and other < near[item, ahead]
        if not (score > best[item, ahead] or is_tie_won):
            break
        near[item, position], best[item, position] = near[item, ahead], best[item, ahead]
        position = ahead
    near[item, position], best[item, position] = other, score


@kernel
def match_nodes(starts, neighbours, weights, sizes, order, largest):
    """Pair nodes along heavy edges, in the given order; return the group of each node.

    A node takes the free neighbour with the heaviest edge, the smallest index among equals, if the
    two together are not larger than `largest`; without one it is a group of its own. The heavier
    the matched edges are, the lighter is what remains to be cut.
    """
    n_nodes = len(sizes)
    mate = np.full(n_nodes, -1, np.intp)
    for node in order:
        if mate[node] >= 0:
            continue
        # Alone unless a neighbour is found; a node that is its own mate is free no longer.
        mate[node] = node
        heaviest = 0.0
        for edge in range(starts[node], starts[node + 1]):
            other = neighbours[edge]
            free = mate[other] < 0 and sizes[node] + sizes[other] <= largest
            if free and weights[edge] > heaviest:
                heaviest = weights[edge]
                mate[node] = other
        mate[mate[node]] = node
    # Groups are numbered by their first nodes, which are the smaller of two mates.
    groups = np.empty(n_nodes, np.intp)
    count = 0
    for node in range(n_nodes):
        if mate[node] >= node:
            groups[node] = groups[mate[node]] = count
            count += 1
    return groups


@kernel
def grow_side(starts, neighbours, weights, sizes, order, target):
    """Grow one side of a bisection from the first node of an order until it has the target size.

    The next node is the one whose move lowers the cut most, or raises it least; where none is
    adjacent, the next of the order. Returns True for the nodes of the side.
    """
    n_nodes = len(sizes)
    inside = np.zeros(n_nodes, np.bool_)
    gains = np.zeros(n_nodes)
    # The gain of a node is the weight of its edges to the side less that of its other edges. When
    # a neighbour joins the side, their edge changes its sign, hence +2 w below.
    for node in range(n_nodes):
        gains[node] = -weights[starts[node] : starts[node + 1]].sum()
    # Gains only rise, so a node's latest entry comes out first; earlier ones are met when it is
    # inside already, and skipped.
    heap = [(0.0, order[0])]
    next_start = 1
    size = 0.0
    while size < target:
        while len(heap) > 0 and inside[heap[0][1]]:
            heappop(heap)
        if len(heap) == 0:
            heappush(heap, (0.0, order[next_start]))
            next_start += 1
            continue
        node = heappop(heap)[1]
        inside[node] = True
        size += sizes[node]
        for edge in range(starts[node], starts[node + 1]):
            other = neighbours[edge]
            if not inside[other]:
                gains[other] += 2.0 * weights[edge]
                heappush(heap, (-gains[other], other))
    return inside


@kernel
def refine_bisection(starts, neighbours, weights, sizes, inside, low, high):
    """Improve a bisection by Fiduccia-Mattheyses passes; change `inside`, return the cut.

    The side of True gets a size from `low` to `high`, where single nodes can bring it there.
    """
    # The least fall of the cut that counts: above its rounding, so that passes come to an end.
    least = 1e-12 * weights.sum()
    while _pass(starts, neighbours, weights, sizes, inside, low, high, least):
        pass
    cut = 0.0
    for node in range(len(sizes)):
        for edge in range(starts[node], starts[node + 1]):
            if inside[node] and not inside[neighbours[edge]]:
                cut += weights[edge]
    return cut


@kernel
def _pass(starts, neighbours, weights, sizes, inside, low, high, least):
    """Move each node at most once, best first, then go back to the best state on the way.

    The best state has the size nearest to its range, then the smallest cut. The size may leave its
    range by one move, which the next move corrects, so that nodes can change places. Returns
    whether the bisection has improved.
    """
    # Moves that raise the cut are made, too, as in Kernighan & Lin 1970: a later move may more than
    # make up for them. Nodes that were moved are locked, and a pass gives up after `patience` moves
    # without a better state.
    n_nodes = len(sizes)
    gains, heaps = _gains(starts, neighbours, weights, inside)
    size = sizes[inside].sum()
    locked = np.zeros(n_nodes, np.bool_)
    moves = np.empty(n_nodes, np.intp)
    n_moves, n_best = 0, 0
    drop, best_drop = 0.0, 0.0
    best_excess = max(low - size, size - high, 0.0)
    patience = max(50, n_nodes // 10)
    while n_moves - n_best < patience:
        side = _next_side(heaps, gains, locked, low - size, size - high)
        if side < 0:
            break
        node = heappop(heaps[side])[1]
        locked[node] = True
        inside[node] = side == 0
        size += sizes[node] if side == 0 else -sizes[node]
        drop += gains[node]
        moves[n_moves] = node
        n_moves += 1
        for edge in range(starts[node], starts[node + 1]):
            other = neighbours[edge]
            if not locked[other]:
                # The edge is cut now if the two are on different sides: to move `other` would
                # remove it from the cut, where before it would have added it.
                change = 2.0 * weights[edge]
                gains[other] += -change if inside[other] == inside[node] else change
                heappush(heaps[int(inside[other])], (-gains[other], other))
        excess = max(low - size, size - high, 0.0)
        if excess < best_excess or (excess == best_excess and drop > best_drop + least):
            best_drop, best_excess, n_best = drop, excess, n_moves
    for move in range(n_best, n_moves):
        inside[moves[move]] = not inside[moves[move]]
    return n_best > 0


@kernel
def _gains(starts, neighbours, weights, inside):
    """Return how much the move of each node lowers the cut, and a heap of nodes for each side."""
    # Empty comprehensions tell Numba the type of the entries, (-gain, node), which [] would not.
    heaps = ([(0.0, 0) for _ in range(0)], [(0.0, 0) for _ in range(0)])
    gains = np.zeros(len(inside))
    for node in range(len(inside)):
        for edge in range(starts[node], starts[node + 1]):
            outer = inside[node] != inside[neighbours[edge]]
            gains[node] += weights[edge] if outer else -weights[edge]
        heappush(heaps[int(inside[node])], (-gains[node], node))
    return gains, heaps


@kernel
def _next_side(heaps, gains, locked, lack, surplus):
    """Return the side to move a node from, -1 for none.

    It is the side that is too large, or else the one with the better gain.
    """
    # Entries are never updated in place. One whose gain is not the node's gain is out of date, and
    # the right one is further down.
    for heap in heaps:
        while len(heap) > 0 and (locked[heap[0][1]] or -heap[0][0] != gains[heap[0][1]]):
            heappop(heap)
    if lack > 0.0 or len(heaps[1]) == 0:
        return 0 if surplus <= 0.0 and len(heaps[0]) > 0 else -1
    if surplus > 0.0 or len(heaps[0]) == 0:
        return 1
    return 1 if heaps[1][0] < heaps[0][0] else 0
