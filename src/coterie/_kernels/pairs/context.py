"""The scores of an item's other pairs, as evidence for each of its pairs."""

import numpy as np

from coterie._kernels.compiling import kernel


@kernel
def pairs_by_item(pairs, n_items):
    """Return a CSR list of the pairs of each item: starts, and indices of pairs."""
    starts = np.zeros(n_items + 1, dtype=np.intp)
    for pair in range(len(pairs)):
        starts[pairs[pair, 0] + 1] += 1
        starts[pairs[pair, 1] + 1] += 1
    for item in range(n_items):
        starts[item + 1] += starts[item]
    # A counting sort: the next entry to fill of each item, so that its pairs stay in their order.
    next_entry = starts[:-1].copy()
    members = np.empty(2 * len(pairs), dtype=np.intp)
    for pair in range(len(pairs)):
        for side in range(2):
            item = pairs[pair, side]
            members[next_entry[item]] = pair
            next_entry[item] += 1
    return starts, members


@kernel
def rank_in_rows(pairs, scores, starts, members, rounding):
    """Compare each score with the other scores of each of its two items: those in the item's row.

    Returns two arrays of shape (m, 2), one column per item of the pair: the number of scores of the
    row that are higher by more than rounding, and the highest of the other scores (NaN if there are
    none). Returns also, of shape (n,), the sum of 1 / (1 + exp(-score)) over each row.
    """
    ranks = np.empty((len(pairs), 2))
    rivals = np.empty((len(pairs), 2))
    mates = np.zeros(len(starts) - 1)
    for item in range(len(mates)):
        row = members[starts[item] : starts[item + 1]]
        n_pairs = len(row)
        # Summed in ascending order, so that rounding does not depend on the order of the items.
        ordered = np.sort(scores[row])
        for position in range(n_pairs):
            mates[item] += 1.0 / (1.0 + np.exp(-ordered[position]))
        for pair in row:
            score = scores[pair]
            side = 0 if pairs[pair, 0] == item else 1
            # Scores up to this one count as equal: ranks must not depend on rounding errors, which
            # change with the order of summation.
            tied = score + rounding * (1.0 + abs(score))
            ranks[pair, side] = n_pairs - np.searchsorted(ordered, tied, side="right")
            # The score itself is in the row: if it is the highest, the rival is the next.
            if n_pairs == 1:
                rivals[pair, side] = np.nan
            elif score == ordered[n_pairs - 1]:
                rivals[pair, side] = ordered[n_pairs - 2]
            else:
                rivals[pair, side] = ordered[n_pairs - 1]
    return ranks, rivals, mates


@kernel
def common_neighbours(pairs, starts, members, near, near_starts):
    """Count the items that are near both items of each pair.

    The items near item i are `near[near_starts[i] : near_starts[i + 1]]`. Only paths of two steps
    are followed, so that the work grows with the squares of the numbers of near items.
    """
    n_items = len(starts) - 1
    common = np.zeros(len(pairs), dtype=np.intp)
    counts = np.zeros(n_items, dtype=np.intp)
    for item in range(n_items):
        # counts[j] is the number of paths item - between - j, which is that of common neighbours.
        neighbours = near[near_starts[item] : near_starts[item + 1]]
        n_steps = 0
        for between in neighbours:
            ends = near[near_starts[between] : near_starts[between + 1]]
            n_steps += len(ends)
            for end in ends:
                counts[end] += 1
        if not n_steps:
            continue
        # Each pair is in the rows of both items, and is counted in that of its first one.
        for pair in members[starts[item] : starts[item + 1]]:
            if pairs[pair, 0] == item:
                common[pair] = counts[pairs[pair, 1]]
        # Counts are cleared in the cheaper way: all of them, or only those on the paths.
        if n_steps > n_items:
            counts[:] = 0
            continue
        for between in neighbours:
            for end in near[near_starts[between] : near_starts[between + 1]]:
                counts[end] = 0
    return common
