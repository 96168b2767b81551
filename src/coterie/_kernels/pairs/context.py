"""What the scores of an item's other pairs say of each of its pairs."""

import numpy as np

from coterie._kernels.compiling import kernel


@kernel
def pairs_by_item(pairs, n_items):
    """Return where the row of each item starts, and the pairs in it by their numbers."""
    starts = np.zeros(n_items + 1, dtype=np.intp)
    for pair in range(len(pairs)):
        starts[pairs[pair, 0] + 1] += 1
        starts[pairs[pair, 1] + 1] += 1
    for item in range(n_items):
        starts[item + 1] += starts[item]
    places = starts[:-1].copy()
    members = np.empty(2 * len(pairs), dtype=np.intp)
    for pair in range(len(pairs)):
        for side in range(2):
            item = pairs[pair, side]
            members[places[item]] = pair
            places[item] += 1
    return starts, members


@kernel
def rank_in_rows(pairs, scores, starts, members, rounding):
    """Hold each score against its rows: of shape (m, 2), one column an item of the pair.

    Returns how many scores of the row are higher by more than rounding, the highest of the others
    (NaN where there are none), and of shape (n,) the sum of 1 / (1 + exp(-score)) over each row.
    """
    ranks = np.empty((len(pairs), 2))
    rivals = np.empty((len(pairs), 2))
    mates = np.zeros(len(starts) - 1)
    for item in range(len(mates)):
        row = members[starts[item] : starts[item + 1]]
        n_pairs = len(row)
        # In ascending order, so that sums do not depend on the order of the items.
        ordered = np.sort(scores[row])
        for place in range(n_pairs):
            mates[item] += 1.0 / (1.0 + np.exp(-ordered[place]))
        for pair in row:
            score = scores[pair]
            side = 0 if pairs[pair, 0] == item else 1
            equal = score + rounding * (1.0 + abs(score))
            ranks[pair, side] = n_pairs - np.searchsorted(ordered, equal, side="right")
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

    The items near item i are `near[near_starts[i] : near_starts[i + 1]]`. Only their neighbours are
    walked through, so that the work grows with the squares of these numbers.
    """
    n_items = len(starts) - 1
    common = np.zeros(len(pairs), dtype=np.intp)
    counts = np.zeros(n_items, dtype=np.intp)
    for item in range(n_items):
        own = near[near_starts[item] : near_starts[item + 1]]
        n_steps = 0
        for between in own:
            others = near[near_starts[between] : near_starts[between + 1]]
            n_steps += len(others)
            for other in others:
                counts[other] += 1
        if not n_steps:
            continue
        for pair in members[starts[item] : starts[item + 1]]:
            if pairs[pair, 0] == item:
                common[pair] = counts[pairs[pair, 1]]
        if n_steps > n_items:
            counts[:] = 0
            continue
        for between in own:
            for other in near[near_starts[between] : near_starts[between + 1]]:
                counts[other] = 0
    return common
