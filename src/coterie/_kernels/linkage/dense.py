"""Trees of joins over all pairs: average and complete linkage by chains, single linkage by Prim.

Each returns n - 1 links between items, which name the two clusters that are joined, and the scores
at which they are joined. A cluster is named by its first item. `scores` has all pairs in condensed
order; the chains overwrite it.
"""

import numpy as np

from coterie._kernels.compiling import inlined, kernel


@kernel
def average_joins(scores, n_items, max_size, forbidden_score, size_cost):
    """Join by the mean score between clusters, less `size_cost` if they are too large together.

    An infinite cost is replaced by `forbidden_score`.
    """
    return joins(scores, np.ones(n_items), max_size, forbidden_score, size_cost, True)


@kernel
def complete_joins(scores, n_items, max_size, forbidden_score):
    """Join by the lowest score; clusters too large together score `forbidden_score`."""
    return joins(scores, np.ones(n_items), max_size, forbidden_score, np.inf, False)


@kernel
def single_joins(scores, n_items):
    """Join by the highest score between clusters: Prim's spanning tree from item 0 on.

    The edges of a maximum spanning tree, taken from the highest score down, are the joins of single
    linkage (Gower & Ross 1969).
    """
    links = np.zeros((n_items - 1, 2), np.intp)
    heights = np.empty(n_items - 1)
    starts = row_starts(n_items)
    best = np.full(n_items, -np.inf)
    outside = np.arange(1, n_items)
    item = 0
    for count in range(n_items - 1):
        # best[j] is the highest score of j with an item of the tree, which is links[j - 1, 0];
        # only the item added last can raise it.
        nearest = 0
        n_outside = n_items - 1 - count
        for position in range(n_outside):
            other = outside[position]
            score = scores[pair_position(starts, item, other)]
            if score > best[other]:
                best[other] = score
                links[other - 1, 0] = item
            if best[other] > best[outside[nearest]]:
                nearest = position
        item = outside[nearest]
        links[item - 1, 1] = item
        heights[item - 1] = best[item]
        for position in range(nearest, n_outside - 1):
            outside[position] = outside[position + 1]
    return links, heights


@kernel
def joins(scores, sizes, max_size, forbidden_score, size_cost, by_mean):
    """Follow nearest neighbours until two clusters are each other's nearest, and join those.

    The nearest-neighbour chain (Murtagh 1983), in O(n²). The items may be clusters already, of the
    given sizes, which are changed.

    Among equal scores the last cluster of the chain is the nearest, then the smallest index. A size
    that forbids a join, or makes it cost more, only lowers scores, so that no join makes other
    clusters nearer, just as without a limit.
    """
    n_items, total = len(sizes), sizes.sum()
    # A finite cost is in the scores of pairs of clusters that are too large together.
    forbids, cost = size_cost == np.inf, 0.0 if size_cost == np.inf else size_cost
    links = np.empty((n_items - 1, 2), np.intp)
    heights = np.empty(n_items - 1)
    starts = row_starts(n_items)
    active = np.arange(n_items)
    chain = np.empty(n_items, np.intp)
    length = 0
    for count in range(n_items - 1):
        n_active = n_items - count
        if length == 0:
            chain[0] = active[0]
            length = 1
        # Scores never fall along the chain, and ties go back to its last cluster, so it ends. What
        # remains is still a chain after a join: no join is nearer to a cluster than its parts were.
        while True:
            item = chain[length - 1]
            last = chain[length - 2] if length > 1 else -1
            near, height = _nearest(scores, starts, active[:n_active], item, last)
            if near == last:
                break
            chain[length] = near
            length += 1
        length -= 2
        links[count, 0], links[count, 1] = min(item, last), max(item, last)
        heights[count] = height
        _join(scores, starts, sizes, active, n_active, links[count], max_size, cost, by_mean)
        if forbids and max_size < total:
            remaining = active[: n_active - 1]
            _forbid_too_large(
                scores, starts, sizes, remaining, links[count, 0], max_size, forbidden_score
            )
    return links, heights


@kernel
def _join(scores, starts, sizes, active, n_active, link, max_size, cost, by_mean):
    """Put the second cluster into the first, and remove it from the active ones."""
    first, second = link[0], link[1]
    n_first, n_second = sizes[first], sizes[second]
    second_position = 0
    for position in range(n_active):
        other = active[position]
        if other == second:
            second_position = position
        elif other != first:
            pair = pair_position(starts, first, other)
            a = scores[pair]
            b = scores[pair_position(starts, second, other)]
            # Lance & Williams 1967: the score of a join follows from those of its parts, as their
            # minimum (complete linkage) or as their mean, weighted by size (average linkage).
            joint = min(a, b)
            if by_mean:
                highest = max(a, b)
                if cost > 0.0:
                    # The costs are taken out of the two scores, and put into that of the join.
                    a += cost if n_first + sizes[other] > max_size else 0.0
                    b += cost if n_second + sizes[other] > max_size else 0.0
                    joint = min(a, b)
                mean = (n_first * a + n_second * b) / (n_first + n_second)
                joint = max(joint, min(mean, max(a, b)))
                if cost > 0.0 and n_first + n_second + sizes[other] > max_size:
                    joint -= cost
                # Rounding must not lift a mean above both, or a chain might return to an item.
                joint = min(joint, highest)
            scores[pair] = joint
    sizes[first] += n_second
    for position in range(second_position, n_active - 1):
        active[position] = active[position + 1]


@kernel
def _forbid_too_large(scores, starts, sizes, active, item, max_size, forbidden_score):
    """Write `forbidden_score` for the joins of a cluster that would be too large."""
    for other in active:
        if other != item and sizes[item] + sizes[other] > max_size:
            scores[pair_position(starts, item, other)] = forbidden_score


@kernel
def _nearest(scores, starts, active, item, last):
    """Return the active cluster with the highest score, and that score."""
    near = last
    best = scores[pair_position(starts, item, last)] if last >= 0 else -np.inf
    position = 0
    # `active` ascends. Before the item, its pairs are a column of the triangle; behind it they are
    # a row, which is contiguous.
    while active[position] < item:
        other = active[position]
        score = scores[np.uint64(starts[other] + item)]
        if score > best:
            best = score
            near = other
        position += 1
    start = starts[item]
    for later in range(position + 1, len(active)):
        other = active[later]
        score = scores[np.uint64(start + other)]
        if score > best:
            best = score
            near = other
    return near, best


@kernel
def row_starts(n_items):
    """Return starts such that pair (i, j) is at starts[i] + j in condensed order."""
    starts = np.empty(n_items, np.intp)
    for item in range(n_items):
        starts[item] = item * (2 * n_items - item - 1) // 2 - item - 1
    return starts


@inlined
def pair_position(starts, item, other):
    """Return the position of a pair, its items in either order, in condensed order."""
    # Unsigned, because Numba tests on each access whether a signed index counts from the end.
    return np.uint64(starts[item] + other if item < other else starts[other] + item)
