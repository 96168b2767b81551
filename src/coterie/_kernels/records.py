"""What the tokens of two records have in common, token by token."""

import numpy as np

from coterie._kernels._compile import kernel

N_MEASURES = 6
"""How many numbers `overlaps` says of a pair, for each of two rarities."""


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
            if tokens[a] == tokens[b]:
                total += weights[a] * weights[b]
                a += 1
                b += 1
            elif tokens[a] < tokens[b]:
                a += 1
            else:
                b += 1
        found[pair] = total
    return found


@kernel
def overlaps(starts, tokens, shared_rarities, own_rarities, left, right):
    """Say how rare what two items share is, and what each has alone.

    Parameters
    ----------
    starts, tokens
        Item i has the tokens `tokens[starts[i]:starts[i + 1]]`, ascending, each once.
    shared_rarities, own_rarities
        How rare each token counts where both items have it, and where one does.

    Returns
    -------
    Of each pair: the sum and the maximum over shared tokens, the lesser and the greater sum over
    the tokens of one item alone, and the share of what is shared in the poorer and in both items.
    """
    found = np.zeros((len(left), N_MEASURES))
    for pair in range(len(left)):
        a, a_end = starts[left[pair]], starts[left[pair] + 1]
        b, b_end = starts[right[pair]], starts[right[pair] + 1]
        shared, most, first, second = 0.0, 0.0, 0.0, 0.0
        while a < a_end or b < b_end:
            if b == b_end or (a < a_end and tokens[a] < tokens[b]):
                first += own_rarities[tokens[a]]
                a += 1
            elif a == a_end or tokens[b] < tokens[a]:
                second += own_rarities[tokens[b]]
                b += 1
            else:
                rarity = shared_rarities[tokens[a]]
                shared += rarity
                most = max(most, rarity)
                a += 1
                b += 1
        less, more = min(first, second), max(first, second)
        found[pair, 0] = shared
        found[pair, 1] = most
        found[pair, 2] = less
        found[pair, 3] = more
        if shared > 0.0:
            found[pair, 4] = shared / (shared + less)
            found[pair, 5] = shared / (shared + less + more)
    return found
