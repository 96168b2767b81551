"""Online linking: items in order, each to a cluster on its left or to a new one.

`left_link` and `sum_link` decide for one item. They require only its candidates on the left, their
scores and the labels so far, so that a stream can call them too. The scratch `totals` has one zero
per cluster and is left so; `barred[c] == item` keeps the item out of cluster c (an empty `barred`
bars none).
"""

import numpy as np

from coterie._core.arrays import Floats, Ints, Pairs, read_only
from coterie._kernels.compiling import inlined, kernel

BLOCK = 4096
"""Number of later items whose pairs are sorted together."""


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
    # Shifted by the highest score, the dummy's 0 included, no measure can overflow. Where no link
    # is above 0, the shift is 0 and the dummy measures 1. Elsewhere the cluster of the best link
    # measures at least 1 and the dummy less, so that a floor of 0 stands in for it. Barred
    # candidates measure 0 and cannot exceed either floor.
    measures = np.zeros(len(lefts))
    for k in range(len(lefts)):
        if not len(barred) or barred[labels[lefts[k]]] != item:
            measures[k] = np.exp((links[k] - top) / gamma)
    return heaviest_cluster(lefts, measures, labels, totals, 1.0 if best < 0 else 0.0)


@kernel
def sum_link(lefts, links, labels, totals):
    """Return the cluster with the highest sum of links if that is above 0, or -1 for none."""
    return heaviest_cluster(lefts, links, labels, totals, 0.0)


@inlined
def heaviest_cluster(lefts, addends, labels, totals, floor):
    """Return the cluster whose candidates add up to most, or -1 if none exceeds `floor`.

    The smallest label among equals.
    """
    # All three loops run over candidates: an item with few of them costs little, however many
    # clusters there are. A cluster is compared once per candidate, each time with its full total.
    for k in range(len(lefts)):
        totals[labels[lefts[k]]] += addends[k]
    best, top = -1, floor
    for k in range(len(lefts)):
        label = labels[lefts[k]]
        if totals[label] > top or (totals[label] == top and best > label):
            best, top = label, totals[label]
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
        lo, hi = starts[item], starts[item + 1]
        bar_clusters(item, apart_starts, apart, labels, barred)
        cluster = left_link(item, lefts[lo:hi], links[lo:hi], labels, gamma, totals, barred)
        labels[item] = count if cluster < 0 else cluster
        count += cluster < 0
    return labels


@kernel
def condensed_left_link_labels(n_items, scores, gamma, apart_starts, apart):
    """Label items by `left_link`; every item on the left is a candidate."""
    labels, totals = np.empty(n_items, np.int32), np.zeros(n_items)
    barred = np.full(n_items if len(apart) else 0, -1, np.int32)
    lefts, links = np.arange(n_items).astype(np.int32), np.empty(n_items)
    count = 0
    for item in range(n_items):
        gather_links(item, n_items, scores, links)
        bar_clusters(item, apart_starts, apart, labels, barred)
        cluster = left_link(item, lefts[:item], links[:item], labels, gamma, totals, barred)
        labels[item] = count if cluster < 0 else cluster
        count += cluster < 0
    return labels


@kernel
def sum_link_labels(starts, lefts, links):
    """Label items by `sum_link`; the candidates of item i are at `starts[i]:starts[i + 1]`."""
    n_items = len(starts) - 1
    labels, totals = np.empty(n_items, np.int32), np.zeros(n_items)
    count = 0
    for item in range(n_items):
        lo, hi = starts[item], starts[item + 1]
        cluster = sum_link(lefts[lo:hi], links[lo:hi], labels, totals)
        labels[item] = count if cluster < 0 else cluster
        count += cluster < 0
    return labels


@kernel
def condensed_sum_link_labels(n_items, scores):
    """Label items by `sum_link`; every item on the left is a candidate."""
    labels, totals = np.empty(n_items, np.int32), np.zeros(n_items)
    lefts, links = np.arange(n_items).astype(np.int32), np.empty(n_items)
    count = 0
    for item in range(n_items):
        gather_links(item, n_items, scores, links)
        cluster = sum_link(lefts[:item], links[:item], labels, totals)
        labels[item] = count if cluster < 0 else cluster
        count += cluster < 0
    return labels


@inlined
def gather_links(item, n_items, scores, links):
    """Copy the scores of an item with all items on its left from the condensed matrix."""
    # The pair (left, item) is at left (2n − left − 1)/2 + item − left − 1. The next left is
    # n − left − 2 entries further: the item's column, read with a shrinking stride.
    pair = item - 1
    for left in range(item):
        links[left] = scores[pair]
        pair += n_items - left - 2


@inlined
def bar_clusters(item, apart_starts, apart, labels, barred):
    """Bar an item from the clusters of the earlier items that it must be apart from."""
    # A bar is stamped with its item, so that the bars of earlier items lapse by themselves.
    if len(apart):
        for k in range(apart_starts[item], apart_starts[item + 1]):
            barred[labels[apart[k]]] = item


@kernel
def best_left_links(n_items, pairs, scores):
    """Return the score and the left end of each item's best link, 0 and -1 if none is above 0.

    Among equals, the link with the smallest index is taken.
    """
    best, links = np.zeros(n_items), np.full(n_items, -1, np.int32)
    for pair in range(len(pairs)):
        left, item = pairs[pair, 0], pairs[pair, 1]
        if scores[pair] > best[item] or (scores[pair] == best[item] and links[item] > left):
            best[item], links[item] = scores[pair], left
    return best, links


@kernel
def condensed_best_left_links(n_items, scores):
    """Return the same as `best_left_links` where all pairs are scored."""
    best, links = np.zeros(n_items), np.full(n_items, -1, np.int32)
    # One pass in the order of memory; an item meets its lefts in ascending order, so that a strict
    # comparison keeps the smallest index among equals.
    pair = 0
    for left in range(n_items):
        for item in range(left + 1, n_items):
            if scores[pair] > best[item]:
                best[item], links[item] = scores[pair], left
            pair += 1
    return best, links


@kernel
def follow_links(links):
    """Label items by the cluster of the earlier item that they link to; -1 starts a cluster."""
    # Links go to the left, so the label that an item takes over is final when the item is reached.
    labels = np.empty(len(links), np.int32)
    count = 0
    for item in range(len(links)):
        labels[item] = count if links[item] < 0 else labels[links[item]]
        count += links[item] < 0
    return labels


def sort_by_item(n_items: int, pairs: Pairs, scores: Floats) -> tuple[Ints, Ints, Floats]:
    """Sort pairs by their later item, and return offsets, earlier items and scores.

    The pairs of one item stay in the order in which they are listed. All three arrays are
    read-only, so that every kernel that takes them is compiled once.
    """
    starts, lefts, in_order = count_by_item(n_items, pairs)
    links = scores
    if not in_order:
        lefts, links = sort_within_blocks(starts, *sort_into_blocks(n_items, pairs, scores))
    return read_only(starts), read_only(lefts), read_only(links)


@kernel
def count_by_item(n_items, pairs):
    """Return the offsets of each later item's pairs, the earlier items, and if they are sorted."""
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
def sort_into_blocks(n_items, pairs, scores):
    """Sort pairs by blocks of later items; the pairs of a block keep their order.

    This is the first of two counting sorts. A single one, by item, would write to a million places
    in turn, more than the cache holds; after this one, `sort_within_blocks` writes to places that
    are close together.
    """
    # The count of block b is kept at b + 1, so that the cumulative sum turns it into the offset of
    # the next block. Each offset then moves up as its block fills.
    ends = np.zeros(n_items // BLOCK + 2, np.intp)
    for pair in range(len(pairs)):
        ends[pairs[pair, 1] // BLOCK + 1] += 1
    for block in range(len(ends) - 1):
        ends[block + 1] += ends[block]
    items, lefts = np.empty(len(pairs), np.int32), np.empty(len(pairs), np.int32)
    links = np.empty(len(pairs))
    for pair in range(len(pairs)):
        block = pairs[pair, 1] // BLOCK
        target = ends[block]
        items[target], lefts[target], links[target] = pairs[pair, 1], pairs[pair, 0], scores[pair]
        ends[block] += 1
    return items, lefts, links


@kernel
def sort_within_blocks(starts, items, lefts, links):
    """Sort pairs that are sorted by blocks by their later item, each item's in their order."""
    ends = starts.copy()
    sorted_lefts, sorted_links = np.empty_like(lefts), np.empty_like(links)
    for pair in range(len(items)):
        target = ends[items[pair]]
        sorted_lefts[target], sorted_links[target] = lefts[pair], links[pair]
        ends[items[pair]] += 1
    return sorted_lefts, sorted_links
