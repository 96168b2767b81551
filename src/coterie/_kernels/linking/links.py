"""Online linking: items in order, each to a cluster on its left or to a new one.

`left_link` and `sum_link` decide for one item. They ask only for its candidates on the left, their
scores and the labels so far, so that a stream can call them too. The scratch `totals` has one zero
a cluster and is left so; `barred[c] == item` keeps the item out of cluster c (an empty `barred`
bars none).
"""

import numpy as np

from coterie._core.arrays import Floats, Ints, Pairs, read_only
from coterie._kernels.compiling import inlined, kernel

BLOCK = 4096
"""Items whose pairs are sorted together."""


@kernel
def left_link(item, lefts, links, labels, gamma, totals, barred):
    """Return the cluster with the largest sum of exp(link/γ) over its candidates, or -1 for none.

    None is the dummy, of measure exp(0) = 1, first among equals. Then comes, at γ = 0, the
    candidate of the smallest index, otherwise the cluster of the smallest label.
    """
    best, top = -1, 0.0
    for k in range(len(lefts)):
        if len(barred) and barred[labels[lefts[k]]] == item:
            continue
        if links[k] > top or (links[k] == top and best > lefts[k]):
            best, top = lefts[k], links[k]
    if gamma == 0.0:
        return -1 if best < 0 else labels[best]
    # Shifted by the highest score, the dummy's 0 included, no measure can overflow. The dummy then
    # measures 1, or loses anyway to the cluster of a link above 0; a barred cluster measures 0.
    measures = np.zeros(len(lefts))
    for k in range(len(lefts)):
        if not len(barred) or barred[labels[lefts[k]]] != item:
            measures[k] = np.exp((links[k] - top) / gamma)
    return heaviest(lefts, measures, labels, totals, 1.0 if best < 0 else 0.0)


@kernel
def sum_link(lefts, links, labels, totals):
    """Return the cluster with the highest sum of links if that is above 0, or -1 for none."""
    return heaviest(lefts, links, labels, totals, 0.0)


@inlined
def heaviest(lefts, addends, labels, totals, floor):
    """Find the cluster whose candidates add up to most, if to more than `floor`.

    The smallest label among equals.
    """
    for k in range(len(lefts)):
        totals[labels[lefts[k]]] += addends[k]
    best, top = -1, floor
    for k in range(len(lefts)):
        own = labels[lefts[k]]
        if totals[own] > top or (totals[own] == top and best > own):
            best, top = own, totals[own]
    for k in range(len(lefts)):
        totals[labels[lefts[k]]] = 0.0
    return best


@kernel
def left_link_labels(starts, lefts, links, gamma, apart_starts, apart):
    """Label items by `left_link`; the candidates of item i are at `starts[i]:starts[i + 1]`."""
    n_items = len(starts) - 1
    labels, totals = np.empty(n_items, np.int32), np.zeros(n_items)
    barred = np.full(n_items if len(apart) else 0, -1, np.int32)
    count = 0
    for item in range(n_items):
        a, b = starts[item], starts[item + 1]
        bar(item, apart_starts, apart, labels, barred)
        own = left_link(item, lefts[a:b], links[a:b], labels, gamma, totals, barred)
        labels[item] = count if own < 0 else own
        count += own < 0
    return labels


@kernel
def condensed_left_link_labels(n_items, scores, gamma, apart_starts, apart):
    """Label items by `left_link`; every item on the left is a candidate."""
    labels, totals = np.empty(n_items, np.int32), np.zeros(n_items)
    barred = np.full(n_items if len(apart) else 0, -1, np.int32)
    lefts, links = np.arange(n_items).astype(np.int32), np.empty(n_items)
    count = 0
    for item in range(n_items):
        gather(item, n_items, scores, links)
        bar(item, apart_starts, apart, labels, barred)
        own = left_link(item, lefts[:item], links[:item], labels, gamma, totals, barred)
        labels[item] = count if own < 0 else own
        count += own < 0
    return labels


@kernel
def sum_link_labels(starts, lefts, links):
    """Label items by `sum_link`; the candidates of item i are at `starts[i]:starts[i + 1]`."""
    n_items = len(starts) - 1
    labels, totals = np.empty(n_items, np.int32), np.zeros(n_items)
    count = 0
    for item in range(n_items):
        a, b = starts[item], starts[item + 1]
        own = sum_link(lefts[a:b], links[a:b], labels, totals)
        labels[item] = count if own < 0 else own
        count += own < 0
    return labels


@kernel
def condensed_sum_link_labels(n_items, scores):
    """Label items by `sum_link`; every item on the left is a candidate."""
    labels, totals = np.empty(n_items, np.int32), np.zeros(n_items)
    lefts, links = np.arange(n_items).astype(np.int32), np.empty(n_items)
    count = 0
    for item in range(n_items):
        gather(item, n_items, scores, links)
        own = sum_link(lefts[:item], links[:item], labels, totals)
        labels[item] = count if own < 0 else own
        count += own < 0
    return labels


@inlined
def gather(item, n_items, scores, links):
    """Copy the scores of an item with all on its left, a column of the condensed matrix."""
    pair = item - 1
    for left in range(item):
        links[left] = scores[pair]
        pair += n_items - left - 2


@inlined
def bar(item, apart_starts, apart, labels, barred):
    """Bar an item from the clusters of those on its left that it must be apart from."""
    if len(apart):
        for k in range(apart_starts[item], apart_starts[item + 1]):
            barred[labels[apart[k]]] = item


@kernel
def best_left_links(n_items, pairs, scores):
    """Return each item's best left link and what it scores, -1 and 0 if none is above 0.

    The smallest index among equals.
    """
    best, links = np.zeros(n_items), np.full(n_items, -1, np.int32)
    for pair in range(len(pairs)):
        left, item = pairs[pair, 0], pairs[pair, 1]
        if scores[pair] > best[item] or (scores[pair] == best[item] and links[item] > left):
            best[item], links[item] = scores[pair], left
    return best, links


@kernel
def condensed_best_left_links(n_items, scores):
    """Return the same where all pairs are scored, in one pass over them in their order."""
    best, links = np.zeros(n_items), np.full(n_items, -1, np.int32)
    pair = 0
    for left in range(n_items):
        for item in range(left + 1, n_items):
            if scores[pair] > best[item]:
                best[item], links[item] = scores[pair], left
            pair += 1
    return best, links


@kernel
def follow_links(links):
    """Label items by the cluster of the item on the left that they link to; -1 starts one."""
    labels = np.empty(len(links), np.int32)
    count = 0
    for item in range(len(links)):
        labels[item] = count if links[item] < 0 else labels[links[item]]
        count += links[item] < 0
    return labels


def sort_by_item(n_items: int, pairs: Pairs, scores: Floats) -> tuple[Ints, Ints, Floats]:
    """Sort pairs by their later item: where each item's begin, the earlier items, the scores.

    All three are read-only, so that every kernel that takes them is compiled once.
    """
    starts, lefts, in_order = counted(n_items, pairs)
    links = scores
    if not in_order:
        lefts, links = finely(starts, *coarsely(n_items, pairs, scores))
    return read_only(starts), read_only(lefts), read_only(links)


@kernel
def counted(n_items, pairs):
    """Count the pairs of each later item, and say whether they are in its order already."""
    starts = np.zeros(n_items + 1, np.intp)
    lefts = np.empty(len(pairs), np.int32)
    in_order, last = True, 0
    for pair in range(len(pairs)):
        lefts[pair], item = pairs[pair, 0], pairs[pair, 1]
        starts[item + 1] += 1
        in_order &= item >= last
        last = item
    for item in range(n_items):
        starts[item + 1] += starts[item]
    return starts, lefts, in_order


@kernel
def coarsely(n_items, pairs, scores):
    """Sort pairs by blocks of later items, in the order in which they are listed.

    A sort by the items themselves writes to a million places at once, and so out of the cache;
    after this one, all that it writes for a while is close together.
    """
    ends = np.zeros(n_items // BLOCK + 2, np.intp)
    for pair in range(len(pairs)):
        ends[pairs[pair, 1] // BLOCK + 1] += 1
    for block in range(len(ends) - 1):
        ends[block + 1] += ends[block]
    items, lefts = np.empty(len(pairs), np.int32), np.empty(len(pairs), np.int32)
    links = np.empty(len(pairs))
    for pair in range(len(pairs)):
        block = pairs[pair, 1] // BLOCK
        at = ends[block]
        items[at], lefts[at], links[at] = pairs[pair, 1], pairs[pair, 0], scores[pair]
        ends[block] += 1
    return items, lefts, links


@kernel
def finely(starts, items, lefts, links):
    """Put each pair where its later item's pairs are, in the order in which they come."""
    ends = starts.copy()
    own_lefts, own_links = np.empty_like(lefts), np.empty_like(links)
    for pair in range(len(items)):
        at = ends[items[pair]]
        own_lefts[at], own_links[at] = lefts[pair], links[pair]
        ends[items[pair]] += 1
    return own_lefts, own_links
