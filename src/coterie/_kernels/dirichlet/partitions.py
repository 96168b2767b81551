"""Sampled partitions compared: the pairs that they join, and their variation of information.

Samples are the rows of an int32 array, each labelled 0, 1, … by first appearance, with a weight.
"""

from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Ints
from coterie._kernels.compiling import kernel

TOLERANCE = 1e-10
"""The least fall of n times the variation of information that is worth a move: above rounding."""


@kernel
def relabel_by_appearance(rows, n_labels):
    """Give the labels of each row, 0 to n_labels − 1, new numbers by first appearance."""
    found = np.empty(rows.shape, np.int32)
    number = np.empty(n_labels, np.int32)
    last_row = np.full(n_labels, -1)
    for row in range(len(rows)):
        used = 0
        for item in range(rows.shape[1]):
            label = rows[row, item]
            if last_row[label] != row:
                last_row[label] = row
                number[label] = used
                used += 1
            found[row, item] = number[label]
    return found


@kernel
def _grouped(samples):
    """Return the items of each sample cluster by cluster, and where each cluster begins.

    Both have a row a sample; a cluster ends where the next one begins.
    """
    n_items = samples.shape[1]
    members = np.empty(samples.shape, np.int32)
    starts = np.zeros((len(samples), n_items + 1), np.int32)
    for sample in range(len(samples)):
        labels = samples[sample]
        for label in labels:
            starts[sample, label + 1] += 1
        starts[sample] = np.cumsum(starts[sample])
        ends = starts[sample].copy()
        for item in range(n_items):
            members[sample, ends[labels[item]]] = item
            ends[labels[item]] += 1
    return members, starts


@kernel
def co_clustering_weights(samples, weights):
    """Return the weight of the samples that join each pair, as a symmetric matrix."""
    n_items = samples.shape[1]
    members, starts = _grouped(samples)
    # Where the first item of each cluster is that was not yet the item of the outer loop.
    places = starts.copy()
    total = np.zeros((n_items, n_items))
    for item in range(n_items):
        for sample in range(len(samples)):
            cluster = samples[sample, item]
            for place in range(places[sample, cluster], starts[sample, cluster + 1]):
                total[item, members[sample, place]] += weights[sample]
            places[sample, cluster] += 1
        total[item, :item] = total[:item, item]
    return total


@kernel
def within_cluster_scores(samples, scores):
    """Return the sum of the scores, a symmetric matrix, of the pairs that each sample joins."""
    members, starts = _grouped(samples)
    places = starts.copy()
    values = np.zeros(len(samples))
    for item in range(samples.shape[1]):
        for sample in range(len(samples)):
            cluster = samples[sample, item]
            places[sample, cluster] += 1
            for place in range(places[sample, cluster], starts[sample, cluster + 1]):
                values[sample] += scores[item, members[sample, place]]
    return values


@kernel
def _times_logs(n_items):
    """Return x log x of 0, …, n + 1."""
    numbers = np.arange(n_items + 2.0)
    numbers[1:] *= np.log(numbers[1:])
    return numbers


@kernel
def mean_variations(samples, weights, candidates):
    """Return the mean variation of information of each candidate to the samples, in nats.

    With sizes n of its clusters, m of a sample's and n∩m of what they share, n times it is
    Σ n log n + Σ m log m − 2 Σ (n∩m) log (n∩m). The weights sum to 1.
    """
    n_items = samples.shape[1]
    times_log = _times_logs(n_items)
    members, starts = _grouped(samples)
    own = 0.0
    for sample in range(len(samples)):
        own += weights[sample] * times_log[np.diff(starts[sample])].sum()
    tally = np.zeros(n_items, np.intp)
    means = np.empty(len(candidates))
    for candidate in range(len(candidates)):
        labels = candidates[candidate]
        total = own + times_log[np.bincount(labels)].sum()
        for sample in range(len(samples)):
            shared = 0.0
            for cluster in range(n_items):
                if starts[sample, cluster] == n_items:
                    break
                items = members[sample, starts[sample, cluster] : starts[sample, cluster + 1]]
                for item in items:
                    tally[labels[item]] += 1
                for item in items:
                    shared += times_log[tally[labels[item]]]
                    tally[labels[item]] = 0
            total -= 2.0 * weights[sample] * shared
        means[candidate] = total / n_items
    return means


class Tables(NamedTuple):
    """The contingency table of one partition with each sample, without its zeros.

    A cluster of a sample lists the clusters of the partition that it shares items with, and how
    many: `used` entries of `labels` and `counts` from `starts` on. It has room for as many as it
    has items, so all of them fit in one row a sample.
    """

    starts: Ints
    used: Ints
    labels: Ints
    counts: Ints


@kernel
def _empty_tables(samples):
    _, starts = _grouped(samples)
    used, labels, counts = np.zeros((3, *samples.shape), np.int32)
    return Tables(starts, used, labels, counts)


@kernel
def _count(tables, sample, cluster, label, change):
    """Count an item more or less that a cluster of a sample shares with one of the partition."""
    start = tables.starts[sample, cluster]
    stop = start + tables.used[sample, cluster]
    labels, counts = tables.labels[sample], tables.counts[sample]
    place = start
    while place < stop and labels[place] != label:
        place += 1
    if place == stop:
        labels[place], counts[place] = label, 0
        tables.used[sample, cluster] += 1
        stop += 1
    counts[place] += change
    if counts[place] == 0:
        labels[place], counts[place] = labels[stop - 1], counts[stop - 1]
        tables.used[sample, cluster] -= 1


@kernel
def least_variation(samples, weights, start):
    """Move items one by one while that lowers the mean variation of information; return labels.

    The items are gone through in index order, again and again, until none moves. With growth(x) =
    (x + 1) log (x + 1) − x log x, an item adds growth(n) − 2 Σ weight × growth(n∩m) to a cluster
    of n others, n∩m of which are in its own cluster of the sample: 0 to a new cluster.
    """
    n_items = samples.shape[1]
    growth = np.diff(_times_logs(n_items))
    tables = _empty_tables(samples)
    labels = start.copy()
    sizes = np.bincount(labels, minlength=n_items)
    for sample in range(len(samples)):
        for item in range(n_items):
            _count(tables, sample, samples[sample, item], labels[item], 1)
    shared = np.zeros(n_items)
    touched = np.empty(n_items, np.intp)
    still = 0
    item = 0
    while still < n_items:
        old = labels[item]
        sizes[old] -= 1
        n_touched = _gather(tables, samples, weights, item, old, growth, shared, touched)
        best, least = old, growth[sizes[old]] - 2.0 * shared[old]
        for label in touched[:n_touched]:
            cost = growth[sizes[label]] - 2.0 * shared[label]
            if cost < least - TOLERANCE:
                best, least = label, cost
            shared[label] = 0.0
        if least > TOLERANCE:
            best = sizes.argmin()
        for sample in range(len(samples)):
            _count(tables, sample, samples[sample, item], best, 1)
        sizes[best] += 1
        labels[item] = best
        still = still + 1 if best == old else 1
        item = item + 1 if item + 1 < n_items else 0
    return labels


@kernel
def _gather(tables, samples, weights, item, old, growth, shared, touched):
    """Take an item out of its cluster; add up the growth that it shares with each other cluster.

    Clusters that it shares some with are listed in `touched`; return how many.
    """
    n_touched = 0
    for sample in range(len(samples)):
        cluster = samples[sample, item]
        _count(tables, sample, cluster, old, -1)
        start = tables.starts[sample, cluster]
        for place in range(start, start + tables.used[sample, cluster]):
            label = tables.labels[sample, place]
            if shared[label] == 0.0:
                touched[n_touched] = label
                n_touched += 1
            shared[label] += weights[sample] * growth[tables.counts[sample, place]]
    return n_touched
