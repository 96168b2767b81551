"""What the tokens of two records have in common, token by token."""

import numpy as np

from coterie._kernels.compiling import inlined, kernel

N_MEASURES = 7
"""How many numbers `overlaps` says of a pair."""


@kernel
def cosines(starts, tokens, weights, left, right):
    """Return the sum of the products of the weights of shared tokens, of each pair.

    Item i has the tokens `tokens[starts[i]:starts[i + 1]]`, ascending, each once.
    """
    found = np.zeros(len(left))
    for pair in range(len(left)):
        a, a_end = starts[left[pair]], starts[left[pair] + 1]
        b, b_end = starts[right[pair]], starts[right[pair] + 1]
        total = 0.0
        while a < a_end and b < b_end:
            one, two = tokens[a], tokens[b]
            if one == two:
                total += weights[a] * weights[b]
            # Steps are added, not chosen: which comes next is a guess that often fails.
            a += one <= two
            b += two <= one
        found[pair] = total
    return found


@kernel
def overlaps(starts, tokens, weights, rarities, left, right):
    """Say how rare what two items share is, and what each has alone.

    Parameters
    ----------
    starts, tokens, weights
        Item i has the tokens `tokens[starts[i]:starts[i + 1]]`, ascending, each once, of weights.
    rarities
        How rare each token is.

    Returns
    -------
    Of each pair: the sum and the maximum over shared tokens, the lesser and the greater sum over
    the tokens of one item alone, the share of what is shared in the poorer and in both items, and
    what `cosines` says.
    """
    found = np.zeros((len(left), N_MEASURES))
    for pair in range(len(left)):
        a, a_end = starts[left[pair]], starts[left[pair] + 1]
        b, b_end = starts[right[pair]], starts[right[pair] + 1]
        shared, most, first, second, total = 0.0, 0.0, 0.0, 0.0, 0.0
        while a < a_end and b < b_end:
            one, two = tokens[a], tokens[b]
            if one == two:
                shared += rarities[one]
                most = max(most, rarities[one])
                total += weights[a] * weights[b]
            first += rarities[one] * (one < two)
            second += rarities[two] * (two < one)
            a += one <= two
            b += two <= one
        first = _and_all(first, tokens, rarities, a, a_end)
        second = _and_all(second, tokens, rarities, b, b_end)
        less, more = min(first, second), max(first, second)
        found[pair, :4] = shared, most, less, more
        if shared > 0.0:
            found[pair, 4] = shared / (shared + less)
            found[pair, 5] = shared / (shared + less + more)
        found[pair, 6] = total
    return found


@inlined
def _and_all(total, tokens, rarities, start, end):
    """Add the rarities of some tokens, one after the other."""
    for place in range(start, end):
        total += rarities[tokens[place]]
    return total
