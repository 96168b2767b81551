"""Decisions about blocks of new items, one after another, as `links` makes them.

Places are those of an array that has the earlier items which are asked for, in their order, and
then the new ones. The candidates of new item i are at `starts[i]:starts[i + 1]`, in ascending
order. Clusters are called 0, 1, … in order of appearance; -1 stands for a new one, -2 for nothing.
"""

import numpy as np

from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.linking.links import heaviest, left_link, sum_link

LEVELS = 1e12
"""Cosines are told apart to so many steps: last digits depend on the order of summation."""


@kernel
def nearest_items(cosines, begins, n_old, count):
    """Return how many near items each new one has, and where they are, in ascending order.

    They are the `count` of the highest cosines, the first among equals, of those from its own
    beginning on to itself, which follows on the old ones and the new ones before it.
    """
    n_new = len(begins)
    counts, places = np.zeros(n_new, np.intp), np.empty(n_new * min(count, n_old + n_new), np.intp)
    total = 0
    for item in range(n_new):
        begin, end = begins[item], n_old + item
        most = min(count, end - begin)
        best, levels = places[total : total + most], np.empty(most)
        found = 0
        for left in range(begin, end):
            level = np.rint(cosines[item, left] * LEVELS)
            if found == most and level <= levels[most - 1]:
                continue
            at = min(found, most - 1)
            while at > 0 and levels[at - 1] < level:
                best[at], levels[at] = best[at - 1], levels[at - 1]
                at -= 1
            best[at], levels[at] = left, level
            found = min(found + 1, most)
        best.sort()
        counts[item] = most
        total += most
    return counts, places[:total]


@kernel
def positions_of(lefts, earlier, first):
    """Return the places of items by their numbers; from `first` on they are new."""
    places = np.empty(len(lefts), np.int32)
    for k in range(len(lefts)):
        if lefts[k] < first:
            places[k] = np.searchsorted(earlier, lefts[k])
        else:
            places[k] = lefts[k] - first + len(earlier)
    return places


@kernel
def list_pairs(starts, lefts, n_old):
    """List the pairs by their first item, and where each is in the order by second items."""
    n_new = len(starts) - 1
    ends = np.zeros(n_old + n_new + 1, np.intp)
    for left in lefts:
        ends[left + 1] += 1
    for left in range(n_old + n_new):
        ends[left + 1] += ends[left]
    pairs, order = np.empty((len(lefts), 2), np.intp), np.empty(len(lefts), np.intp)
    for item in range(n_new):
        for k in range(starts[item], starts[item + 1]):
            at = ends[lefts[k]]
            pairs[at, 0], pairs[at, 1], order[at] = lefts[k], n_old + item, k
            ends[lefts[k]] += 1
    return pairs, order


@kernel
def decide_left_links(starts, lefts, links, known, n_known, gamma):
    """Decide by `left_link`: clusters, strongest links, runners-up, and both probabilities."""
    n_old, n_new = len(known), len(starts) - 1
    labels, totals, barred = begun(known, n_known, n_new)
    linked, seconds = np.empty(n_new, np.int32), np.empty(n_new, np.int32)
    chances, next_chances = np.empty(n_new), np.empty(n_new)
    count = n_known
    for item in range(n_new):
        a, b = starts[item], starts[item + 1]
        own_lefts, own_links = lefts[a:b], links[a:b]
        own = left_link(n_old + item, own_lefts, own_links, labels, gamma, totals, barred)
        linked[item] = strongest(own, own_lefts, own_links, labels)
        seconds[item], top, mass = rival(own, own_lefts, own_links, labels, gamma, totals)
        chances[item], next_chances[item] = 1.0, 0.0
        if gamma > 0.0:
            high, total, share = partition_sum(own, own_lefts, own_links, labels, gamma)
            chances[item] = share / total
            if seconds[item] > -2:
                next_chances[item] = np.exp((top - high) / gamma) * mass / total
        labels[n_old + item] = count if own < 0 else own
        count += own < 0
    return labels[n_old:], linked, seconds, chances, next_chances


@kernel
def decide_sum_links(starts, lefts, links, known, n_known):
    """Decide by `sum_link`: clusters, strongest links and runners-up."""
    n_old, n_new = len(known), len(starts) - 1
    labels, totals, _ = begun(known, n_known, n_new)
    linked, seconds = np.empty(n_new, np.int32), np.empty(n_new, np.int32)
    count = n_known
    for item in range(n_new):
        a, b = starts[item], starts[item + 1]
        own_lefts, own_links = lefts[a:b], links[a:b]
        own = sum_link(own_lefts, own_links, labels, totals)
        linked[item] = strongest(own, own_lefts, own_links, labels)
        rest, addends = others(own, own_lefts, own_links, labels)
        floor = 0.0 if own >= 0 else -np.inf
        second = heaviest(rest, addends, labels, totals, floor)
        seconds[item] = -2 if second < 0 and own < 0 else second
        labels[n_old + item] = count if own < 0 else own
        count += own < 0
    return labels[n_old:], linked, seconds


@inlined
def begun(known, n_known, n_new):
    """Make room for the labels of new items behind those known, and the scratch of `links`."""
    labels = np.empty(len(known) + n_new, np.int32)
    labels[: len(known)] = known
    return labels, np.zeros(n_known + n_new), np.empty(0, np.int32)


@inlined
def strongest(own, lefts, links, labels):
    """Return the candidate of a cluster with the highest link, the first among equals, or -1."""
    best, top = -1, -np.inf
    for k in range(len(lefts)):
        if labels[lefts[k]] == own and links[k] > top:
            best, top = lefts[k], links[k]
    return best


@inlined
def others(own, lefts, links, labels):
    """Keep the candidates that are not in a cluster, and their links."""
    rest, scores = np.empty(len(lefts), np.int32), np.empty(len(lefts))
    count = 0
    for k in range(len(lefts)):
        if labels[lefts[k]] != own:
            rest[count], scores[count] = lefts[k], links[k]
            count += 1
    return rest[:count], scores[:count]


@kernel
def rival(own, lefts, links, labels, gamma, totals):
    """Return what `left_link` would choose without `own`, and its measure: Σ exp((link − top)/γ).

    Shifted by the highest link that is left, not by the highest of all, which would make zeros of
    all that is left. At γ = 0 there is no measure.
    """
    rest, scores = others(own, lefts, links, labels)
    best, top = (-1, 0.0) if own >= 0 else (-2, -np.inf)
    for k in range(len(rest)):
        if scores[k] > top:
            best, top = labels[rest[k]], scores[k]
    if gamma == 0.0 or best == -2:
        return best, top, 0.0
    measures = np.exp((scores - top) / gamma)
    dummy = np.exp(-top / gamma) if own >= 0 else 0.0
    best = heaviest(rest, measures, labels, totals, dummy)
    mass = dummy if best < 0 else 0.0
    for k in range(len(rest)):
        if labels[rest[k]] == best:
            mass += measures[k]
    return best, top, mass


@inlined
def partition_sum(own, lefts, links, labels, gamma):
    """Return the highest link, the dummy's 0 included, and the measures of all and of `own`."""
    high = 0.0
    for k in range(len(lefts)):
        high = max(high, links[k])
    dummy = np.exp(-high / gamma)
    total, share = dummy, dummy if own < 0 else 0.0
    for k in range(len(lefts)):
        measure = np.exp((links[k] - high) / gamma)
        total += measure
        if labels[lefts[k]] == own:
            share += measure
    return high, total, share
