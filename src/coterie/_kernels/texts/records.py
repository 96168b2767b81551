"""Measures of the tokens that two records share."""

import numpy as np

from coterie._kernels.compiling import inlined, kernel

N_MEASURES = 7
"""The number of measures that `overlaps` returns for a pair."""


@kernel
def cosines(starts, tokens, weights, left, right):
    """Return Σ_t w_it w_jt over the shared tokens of each pair; a cosine if weights have length 1.

    Item i has the tokens `tokens[starts[i]:starts[i + 1]]`, ascending, each once.
    """
    sums = np.zeros(len(left))
    for pair in range(len(left)):
        a, a_end = starts[left[pair]], starts[left[pair] + 1]
        b, b_end = starts[right[pair]], starts[right[pair] + 1]
        total = 0.0
        # A merge of two ascending rows.
        while a < a_end and b < b_end:
            first, second = tokens[a], tokens[b]
            if first == second:
                total += weights[a] * weights[b]
            # The steps are sums of comparisons, not branches: which row advances is random, so that
            # the processor would mispredict every second branch.
            a += first <= second
            b += second <= first
        sums[pair] = total
    return sums


@kernel
def overlaps(starts, tokens, weights, rarities, left, right):
    """Measure how rare the tokens are that two items share, and those that one has alone.

    Parameters
    ----------
    starts, tokens, weights
        Item i has the tokens `tokens[starts[i]:starts[i + 1]]`, ascending, each once, with weights.
    rarities
        The rarity of each token.
    left, right
        The items of the pairs.

    Returns
    -------
    For each pair: the sum and the maximum over shared tokens; the smaller and the larger sum over
    the tokens that only one of the items has; the share of the shared sum in the item with the
    smaller sum, and in both items together; and the value of `cosines`.
    """
    measures = np.zeros((len(left), N_MEASURES))
    for pair in range(len(left)):
        a, a_end = starts[left[pair]], starts[left[pair] + 1]
        b, b_end = starts[right[pair]], starts[right[pair] + 1]
        shared, most, only_a, only_b, total = 0.0, 0.0, 0.0, 0.0, 0.0
        while a < a_end and b < b_end:
            first, second = tokens[a], tokens[b]
            if first == second:
                shared += rarities[first]
                most = max(most, rarities[first])
                total += weights[a] * weights[b]
            # The row that advances alone has a token that the other one lacks.
            only_a += rarities[first] * (first < second)
            only_b += rarities[second] * (second < first)
            a += first <= second
            b += second <= first
        only_a = _add_rest(only_a, tokens, rarities, a, a_end)
        only_b = _add_rest(only_b, tokens, rarities, b, b_end)
        # Sorted, so that the measures do not depend on the order of the pair.
        less, more = min(only_a, only_b), max(only_a, only_b)
        measures[pair, 0], measures[pair, 1] = shared, most
        measures[pair, 2], measures[pair, 3] = less, more
        # Weighted forms of the overlap coefficient and of the Jaccard index.
        if shared > 0.0:
            measures[pair, 4] = shared / (shared + less)
            measures[pair, 5] = shared / (shared + less + more)
        measures[pair, 6] = total
    return measures


@inlined
def _add_rest(total, tokens, rarities, start, end):
    """Add the rarities of the tokens from `start` to `end`, which the other item lacks."""
    # A running total, not the sum of two sums: an item's tokens are added in the order of its row,
    # so that the result is rounded alike wherever the other item's row ends.
    for position in range(start, end):
        total += rarities[tokens[position]]
    return total
