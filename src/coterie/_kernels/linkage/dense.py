"""Trees of joins over all pairs: average and complete linkage by chains, single linkage by Prim.

Each returns n - 1 links between items, those that name the two clusters joined, and their scores;
a cluster is named by its first item. `scores` are those of all pairs in condensed order; the
chains overwrite them.
"""

import numpy as np

from coterie._kernels.compiling import inlined, kernel


@kernel
def average_joins(scores, n_items, max_size, barred):
    """Join by the mean score between clusters; those too large together have the score `barred`."""
    return joins(scores, np.ones(n_items), max_size, barred, True)


@kernel
def complete_joins(scores, n_items, max_size, barred):
    """Join by the lowest score between clusters; those too large together score `barred`."""
    return joins(scores, np.ones(n_items), max_size, barred, False)


@kernel
def single_joins(scores, n_items):
    """Join by the highest score between clusters: Prim's spanning tree from item 0 on."""
    links = np.zeros((n_items - 1, 2), np.intp)
    heights = np.empty(n_items - 1)
    starts = row_starts(n_items)
    best = np.full(n_items, -np.inf)
    outside = np.arange(1, n_items)
    item = 0
    for count in range(n_items - 1):
        at = 0
        left = n_items - 1 - count
        for place in range(left):
            other = outside[place]
            score = scores[position(starts, item, other)]
            if score > best[other]:
                best[other] = score
                links[other - 1, 0] = item
            if best[other] > best[outside[at]]:
                at = place
        item = outside[at]
        links[item - 1, 1] = item
        heights[item - 1] = best[item]
        outside[at : left - 1] = outside[at + 1 : left]
    return links, heights


@kernel
def joins(scores, sizes, max_size, barred, by_mean):
    """Follow nearest neighbours until two are each other's nearest, and join those.

    The items may be clusters of some sizes, which are changed.

    Among equal scores the last cluster of the chain is the nearest, then the smallest index. A size
    that bars a join only lowers scores, so that, as without one, no join makes others nearer.
    """
    n_items, total = len(sizes), sizes.sum()
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
        _join(scores, starts, sizes, active, n_active, links[count], by_mean)
        if max_size < total:
            _bar(scores, starts, sizes, active[: n_active - 1], links[count, 0], max_size, barred)
    return links, heights


@kernel
def _join(scores, starts, sizes, active, n_active, link, by_mean):
    """Put the second cluster into the first, and take it out of the active ones."""
    first, second = link[0], link[1]
    of_first, of_second = sizes[first], sizes[second]
    gone = 0
    for place in range(n_active):
        other = active[place]
        if other == second:
            gone = place
        elif other != first:
            at = position(starts, first, other)
            a = scores[at]
            b = scores[position(starts, second, other)]
            joint = min(a, b)
            if by_mean:
                mean = (of_first * a + of_second * b) / (of_first + of_second)
                # Rounding must not lift a mean above both, or a chain might come back to an item.
                joint = max(joint, min(mean, max(a, b)))
            scores[at] = joint
    sizes[first] += of_second
    active[gone : n_active - 1] = active[gone + 1 : n_active]


@kernel
def _bar(scores, starts, sizes, active, item, max_size, barred):
    """Bar the joins of a cluster that would be too large."""
    for other in active:
        if other != item and sizes[item] + sizes[other] > max_size:
            scores[position(starts, item, other)] = barred


@kernel
def _nearest(scores, starts, active, item, last):
    """Find the active cluster with the highest score, and that."""
    near = last
    best = scores[position(starts, item, last)] if last >= 0 else -np.inf
    place = 0
    while active[place] < item:
        other = active[place]
        score = scores[np.uint64(starts[other] + item)]
        if score > best:
            best = score
            near = other
        place += 1
    start = starts[item]
    for later in range(place + 1, len(active)):
        other = active[later]
        score = scores[np.uint64(start + other)]
        if score > best:
            best = score
            near = other
    return near, best


@kernel
def row_starts(n_items):
    """Say where the pairs of each item begin, less the item after it."""
    starts = np.empty(n_items, np.intp)
    for item in range(n_items):
        starts[item] = item * (2 * n_items - item - 1) // 2 - item - 1
    return starts


@inlined
def position(starts, item, other):
    """Say where a pair is. Unsigned, so that no index is tested for counting from the end."""
    return np.uint64(starts[item] + other if item < other else starts[other] + item)
