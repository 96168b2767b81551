"""Decisions about blocks of new items, one after another, as `links` makes them.

Positions are those in an array of the earlier items that are candidates, in their order, followed
by the new items. The candidates of new item i are at `starts[i]:starts[i + 1]`, in ascending order.
Clusters are labelled 0, 1, … in order of appearance; -1 means a new cluster, -2 no choice at all.
"""

import numpy as np

from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.linking.links import heaviest_cluster, left_link, sum_link

LEVELS = 1e12
"""Number of steps per unit to which cosines are rounded before they are compared.

Their last digits depend on the order of summation.
"""


@kernel
def nearest_items(cosines, begins, n_old, count):
    """Return how many near items each new item has, and their positions in ascending order.

    They have the `count` highest cosines with the item, the first among equals, of the items from
    `begins` of the new item up to the item itself.
    """
    n_new = len(begins)
    size = n_new * min(count, n_old + n_new)
    counts, positions = np.zeros(n_new, np.intp), np.empty(size, np.intp)
    total = 0
    for item in range(n_new):
        begin, end = begins[item], n_old + item
        most = min(count, end - begin)
        best, levels = positions[total : total + most], np.empty(most)
        n_best = 0
        for left in range(begin, end):
            level = np.rint(cosines[item, left] * LEVELS)
            if n_best == most and level <= levels[most - 1]:
                continue
            # Insertion into a list by descending level. Equals stay behind those that came first,
            # and the last entry of a full list drops out.
            target = min(n_best, most - 1)
            while target > 0 and levels[target - 1] < level:
                best[target], levels[target] = best[target - 1], levels[target - 1]
                target -= 1
            best[target], levels[target] = left, level
            n_best = min(n_best + 1, most)
        best.sort()
        counts[item] = most
        total += most
    return counts, positions[:total]


@kernel
def positions_of(lefts, earlier, first):
    """Return the positions of items by their stream indices; new items have `first` and above."""
    positions = np.empty(len(lefts), np.int32)
    for k in range(len(lefts)):
        if lefts[k] < first:
            positions[k] = np.searchsorted(earlier, lefts[k])
        else:
            positions[k] = lefts[k] - first + len(earlier)
    return positions


@kernel
def list_pairs(starts, lefts, n_old):
    """List the pairs in the order of their first items, and the candidate that each comes from."""
    # A counting sort from the candidates' order by second item. It is stable, so that the pairs of
    # a first item are in the order of their second items.
    n_new = len(starts) - 1
    ends = np.zeros(n_old + n_new + 1, np.intp)
    for left in lefts:
        ends[left + 1] += 1
    for left in range(n_old + n_new):
        ends[left + 1] += ends[left]
    pairs, order = np.empty((len(lefts), 2), np.intp), np.empty(len(lefts), np.intp)
    for item in range(n_new):
        for k in range(starts[item], starts[item + 1]):
            target = ends[lefts[k]]
            pairs[target, 0], pairs[target, 1], order[target] = lefts[k], n_old + item, k
            ends[lefts[k]] += 1
    return pairs, order


@kernel
def decide_left_links(starts, lefts, links, old_labels, n_clusters, gamma):
    """Decide by `left_link` for each new item.

    Return clusters, strongest links, runners-up, and the probabilities of cluster and runner-up
    (Samdani, Chang & Roth 2014, eq. 6).
    """
    n_old, n_new = len(old_labels), len(starts) - 1
    labels, totals, barred = start_labels(old_labels, n_clusters, n_new)
    linked, seconds = np.empty(n_new, np.int32), np.empty(n_new, np.int32)
    chances, next_chances = np.empty(n_new), np.empty(n_new)
    count = n_clusters
    for item in range(n_new):
        lo, hi = starts[item], starts[item + 1]
        item_lefts, item_links = lefts[lo:hi], links[lo:hi]
        cluster = left_link(n_old + item, item_lefts, item_links, labels, gamma, totals, barred)
        linked[item] = strongest_link(cluster, item_lefts, item_links, labels)
        seconds[item], top, mass = runner_up(cluster, item_lefts, item_links, labels, gamma, totals)
        chances[item], next_chances[item] = 1.0, 0.0
        if gamma > 0.0:
            high, total, share = measure_links(cluster, item_lefts, item_links, labels, gamma)
            chances[item] = share / total
            if seconds[item] > -2:
                # `mass` is relative to `top`, `total` to `high`: bring both to one shift.
                next_chances[item] = np.exp((top - high) / gamma) * mass / total
        labels[n_old + item] = count if cluster < 0 else cluster
        count += cluster < 0
    return labels[n_old:], linked, seconds, chances, next_chances


@kernel
def decide_sum_links(starts, lefts, links, old_labels, n_clusters):
    """Decide by `sum_link` for each new item: clusters, strongest links and runners-up."""
    n_old, n_new = len(old_labels), len(starts) - 1
    labels, totals, _ = start_labels(old_labels, n_clusters, n_new)
    linked, seconds = np.empty(n_new, np.int32), np.empty(n_new, np.int32)
    count = n_clusters
    for item in range(n_new):
        lo, hi = starts[item], starts[item + 1]
        item_lefts, item_links = lefts[lo:hi], links[lo:hi]
        cluster = sum_link(item_lefts, item_links, labels, totals)
        linked[item] = strongest_link(cluster, item_lefts, item_links, labels)
        other_lefts, other_links = candidates_outside(cluster, item_lefts, item_links, labels)
        # A new cluster, of sum 0, can be the runner-up only of an item that joined an old one.
        # After an item that starts one, the best sum is the runner-up even if it is negative.
        floor = 0.0 if cluster >= 0 else -np.inf
        second = heaviest_cluster(other_lefts, other_links, labels, totals, floor)
        seconds[item] = -2 if second < 0 and cluster < 0 else second
        labels[n_old + item] = count if cluster < 0 else cluster
        count += cluster < 0
    return labels[n_old:], linked, seconds


@inlined
def start_labels(old_labels, n_clusters, n_new):
    """Append room for the labels of new items, and make the scratch arrays of `links`."""
    # In the worst case every new item starts a cluster, so `totals` has room for all of them.
    labels = np.empty(len(old_labels) + n_new, np.int32)
    labels[: len(old_labels)] = old_labels
    return labels, np.zeros(n_clusters + n_new), np.empty(0, np.int32)


@inlined
def strongest_link(cluster, lefts, links, labels):
    """Return a cluster's candidate with the highest link, the first among equals, or -1."""
    best, top = -1, -np.inf
    for k in range(len(lefts)):
        if labels[lefts[k]] == cluster and links[k] > top:
            best, top = lefts[k], links[k]
    return best


@inlined
def candidates_outside(cluster, lefts, links, labels):
    """Return the candidates that are not in a cluster, and their links."""
    other_lefts, other_links = np.empty(len(lefts), np.int32), np.empty(len(lefts))
    count = 0
    for k in range(len(lefts)):
        if labels[lefts[k]] != cluster:
            other_lefts[count], other_links[count] = lefts[k], links[k]
            count += 1
    return other_lefts[:count], other_links[:count]


@kernel
def runner_up(cluster, lefts, links, labels, gamma, totals):
    """Return the choice of `left_link` without `cluster`, its shift and its measure.

    The measure is Σ exp((link − top)/γ) over the links to the runner-up, and 0 at γ = 0.
    """
    other_lefts, other_links = candidates_outside(cluster, lefts, links, labels)
    best, top = (-1, 0.0) if cluster >= 0 else (-2, -np.inf)
    for k in range(len(other_lefts)):
        if other_links[k] > top:
            best, top = labels[other_lefts[k]], other_links[k]
    if gamma == 0.0 or best == -2:
        return best, top, 0.0
    # The shift is the highest link outside the cluster. Shifted by the highest of all, every
    # measure here could underflow to 0, and which one is largest would be lost.
    measures = np.exp((other_links - top) / gamma)
    dummy = np.exp(-top / gamma) if cluster >= 0 else 0.0
    best = heaviest_cluster(other_lefts, measures, labels, totals, dummy)
    mass = dummy if best < 0 else 0.0
    for k in range(len(other_lefts)):
        if labels[other_lefts[k]] == best:
            mass += measures[k]
    return best, top, mass


@inlined
def measure_links(cluster, lefts, links, labels, gamma):
    """Return the highest link, the dummy's 0 included, and the measures of all and of a cluster."""
    high = 0.0
    for k in range(len(lefts)):
        high = max(high, links[k])
    dummy = np.exp(-high / gamma)
    total, share = dummy, dummy if cluster < 0 else 0.0
    for k in range(len(lefts)):
        measure = np.exp((links[k] - high) / gamma)
        total += measure
        if labels[lefts[k]] == cluster:
            share += measure
    return high, total, share
