"""Comparisons of sampled partitions: the pairs that they join, and variations of information.

Samples are the rows of an int32 array, each labelled 0, 1, … by first appearance, with a weight.
The variation of information of two partitions is H(a | b) + H(b | a) (Meilă 2007).
"""

from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Ints
from coterie._kernels.compiling import kernel

TOLERANCE = 1e-10
"""The smallest decrease of n times the variation of information that counts: above rounding."""


@kernel
def relabel_by_appearance(rows, n_labels):
    """Relabel each row, of labels 0 to n_labels − 1, as 0, 1, … by first appearance."""
    relabelled = np.empty(rows.shape, np.int32)
    new_labels = np.empty(n_labels, np.int32)
    # The last row in which a label occurred tells whether its new label is of this row, so that
    # the table need not be cleared for each row.
    last_row = np.full(n_labels, -1)
    for row in range(len(rows)):
        n_used = 0
        for item in range(rows.shape[1]):
            label = rows[row, item]
            if last_row[label] != row:
                last_row[label] = row
                new_labels[label] = n_used
                n_used += 1
            relabelled[row, item] = new_labels[label]
    return relabelled


@kernel
def _group_by_cluster(samples):
    """Return the items of each sample cluster by cluster, ascending, and the clusters' offsets.

    Both have one row per sample; a cluster ends where the next one begins. Behind the last cluster
    all offsets are the number of items.
    """
    n_items = samples.shape[1]
    members = np.empty(samples.shape, np.int32)
    starts = np.zeros((len(samples), n_items + 1), np.int32)
    for sample in range(len(samples)):
        labels = samples[sample]
        for label in labels:
            starts[sample, label + 1] += 1
        starts[sample] = np.cumsum(starts[sample])
        # A counting sort: the copied offsets move up as their clusters fill.
        ends = starts[sample].copy()
        for item in range(n_items):
            members[sample, ends[labels[item]]] = item
            ends[labels[item]] += 1
    return members, starts


@kernel
def co_clustering_weights(samples, weights):
    """Return the weight of the samples that join each pair, as a symmetric matrix."""
    n_items = samples.shape[1]
    members, starts = _group_by_cluster(samples)
    # The first member of each cluster that the outer loop has not passed. As members ascend, that
    # is the item itself when its turn comes, and only the upper triangle is summed. Samples are the
    # inner loop, so that all additions of an item go to one row of the matrix.
    next_members = starts.copy()
    total = np.zeros((n_items, n_items))
    for item in range(n_items):
        for sample in range(len(samples)):
            cluster = samples[sample, item]
            for position in range(next_members[sample, cluster], starts[sample, cluster + 1]):
                total[item, members[sample, position]] += weights[sample]
            next_members[sample, cluster] += 1
        total[item, :item] = total[:item, item]
    return total


@kernel
def within_cluster_scores(samples, scores):
    """Return the sum of the scores, a symmetric matrix, of the pairs that each sample joins."""
    members, starts = _group_by_cluster(samples)
    # As in `co_clustering_weights`, but the item is passed first: the diagonal does not count.
    next_members = starts.copy()
    values = np.zeros(len(samples))
    for item in range(samples.shape[1]):
        for sample in range(len(samples)):
            cluster = samples[sample, item]
            next_members[sample, cluster] += 1
            for position in range(next_members[sample, cluster], starts[sample, cluster + 1]):
                values[sample] += scores[item, members[sample, position]]
    return values


@kernel
def _times_logs(n_items):
    """Return x log x of 0, …, n + 1."""
    products = np.arange(n_items + 2.0)
    products[1:] *= np.log(products[1:])
    return products


@kernel
def mean_variations(samples, weights, candidates):
    """Return the mean variation of information of each candidate to the samples, in nats.

    With the sizes n of its clusters, m of a sample's and n∩m of their intersections, the number of
    items times the variation is Σ n log n + Σ m log m − 2 Σ (n∩m) log (n∩m). The weights sum to 1.
    """
    n_items = samples.shape[1]
    times_log = _times_logs(n_items)
    members, starts = _group_by_cluster(samples)
    # Σ m log m is the same for all candidates.
    samples_sum = 0.0
    for sample in range(len(samples)):
        samples_sum += weights[sample] * times_log[np.diff(starts[sample])].sum()
    tally = np.zeros(n_items, np.intp)
    means = np.empty(len(candidates))
    for candidate in range(len(candidates)):
        labels = candidates[candidate]
        total = samples_sum + times_log[np.bincount(labels)].sum()
        for sample in range(len(samples)):
            shared = 0.0
            for cluster in range(n_items):
                if starts[sample, cluster] == n_items:
                    break
                items = members[sample, starts[sample, cluster] : starts[sample, cluster + 1]]
                for item in items:
                    tally[labels[item]] += 1
                # The first item of each intersection adds its size and resets it; the others of
                # the same intersection then add 0 log 0 = 0, and the tally is left empty.
                for item in items:
                    shared += times_log[tally[labels[item]]]
                    tally[labels[item]] = 0
            total -= 2.0 * weights[sample] * shared
        means[candidate] = total / n_items
    return means


class Tables(NamedTuple):
    """The contingency table of one partition with each sample, without its zeros.

    A cluster of a sample lists the clusters of the partition that it shares items with, and how
    many: `n_used` entries of `labels` and `counts` from `starts` on. It has room for as many as it
    has items, so all clusters of a sample fit in one row.
    """

    starts: Ints
    n_used: Ints
    labels: Ints
    counts: Ints


@kernel
def _empty_tables(samples):
    _, starts = _group_by_cluster(samples)
    n_used, labels, counts = np.zeros((3, *samples.shape), np.int32)
    return Tables(starts, n_used, labels, counts)


@kernel
def _count(tables, sample, cluster, label, change):
    """Count one shared item more or less of a sample's cluster and a cluster of the partition."""
    # A linear search: usually a cluster shares items with few clusters of another partition.
    start = tables.starts[sample, cluster]
    stop = start + tables.n_used[sample, cluster]
    labels, counts = tables.labels[sample], tables.counts[sample]
    position = start
    while position < stop and labels[position] != label:
        position += 1
    if position == stop:
        labels[position], counts[position] = label, 0
        tables.n_used[sample, cluster] += 1
        stop += 1
    counts[position] += change
    # The last entry replaces one that falls to 0, so that `_remove_item` meets no zeros.
    if counts[position] == 0:
        labels[position], counts[position] = labels[stop - 1], counts[stop - 1]
        tables.n_used[sample, cluster] -= 1


@kernel
def least_variation(samples, weights, start):
    """Move items one by one while that lowers the mean variation of information; return labels.

    The items are visited in index order, again and again, until none moves. With growth(x) =
    (x + 1) log (x + 1) − x log x, an item that joins n others, n∩m of whom are with it in a sample,
    costs growth(n) − 2 Σ weight × growth(n∩m), and 0 if it starts a cluster.
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
    # The number of visits since an item last moved, that visit included. At n_items, every item has
    # been tried against the present partition.
    n_still = 0
    item = 0
    while n_still < n_items:
        old = labels[item]
        sizes[old] -= 1
        n_touched = _remove_item(tables, samples, weights, item, old, growth, shared, touched)
        best, least = old, growth[sizes[old]] - 2.0 * shared[old]
        for label in touched[:n_touched]:
            cost = growth[sizes[label]] - 2.0 * shared[label]
            if cost < least - TOLERANCE:
                best, least = label, cost
            shared[label] = 0.0
        # There are as many labels as items, and the item has left: some cluster is empty.
        if least > TOLERANCE:
            best = sizes.argmin()
        for sample in range(len(samples)):
            _count(tables, sample, samples[sample, item], best, 1)
        sizes[best] += 1
        labels[item] = best
        n_still = n_still + 1 if best == old else 1
        item = item + 1 if item + 1 < n_items else 0
    return labels


@kernel
def _remove_item(tables, samples, weights, item, old, growth, shared, touched):
    """Take an item out of its cluster, and sum weight × growth(n∩m) for each cluster in `shared`.

    The clusters with a sum are listed in `touched`, and their number is returned.
    """
    n_touched = 0
    for sample in range(len(samples)):
        cluster = samples[sample, item]
        _count(tables, sample, cluster, old, -1)
        start = tables.starts[sample, cluster]
        for position in range(start, start + tables.n_used[sample, cluster]):
            label = tables.labels[sample, position]
            # Counts are at least 1 and so growths are above 0: a sum of 0 has not been touched.
            if shared[label] == 0.0:
                touched[n_touched] = label
                n_touched += 1
            shared[label] += weights[sample] * growth[tables.counts[sample, position]]
    return n_touched
