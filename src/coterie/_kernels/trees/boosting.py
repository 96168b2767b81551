"""One pass over all pairs: what is lost, and how the score of each pair should move.

The pairs of one later item come after those of the other, from `starts` on; `lefts` are the earlier
items, numbered through all item sets as `labels` are. `pulls` get the derivative of the loss by
each score, `bends` a bound on the second one.
"""

import numpy as np

from coterie._kernels.compiling import kernel
from coterie._kernels.linking.losses import find_rights


@kernel
def left_link_descent(starts, lefts, links, labels, gamma, floor, pulls, bends):
    """Sum γ log Σ exp((link + δ)/γ) over all links less the same over right ones without δ.

    The sums are over the links of an item, the dummy's of score 0 too, and δ is 1 for wrong ones.
    `pulls` get p − p′, `bends` the larger of (p(1 − p) + p′(1 − p′))/γ and `floor`. At γ = 0 the
    best link has all of p: the dummy first among equals, then the smallest index.
    """
    total, rights = 0.0, np.empty(len(labels), np.intp)
    for item in range(len(labels)):
        a, b = starts[item], starts[item + 1]
        if a == b:
            continue
        count = find_rights(item, lefts[a:b], labels, rights)
        if gamma == 0.0:
            total += _best_link(links[a:b], rights[:count], pulls[a:b])
            bends[a:b] = floor
        else:
            total += _soft_link(links[a:b], rights[:count], gamma, floor, pulls[a:b], bends[a:b])
    return total


@kernel
def _best_link(links, rights, pulls):
    """Take the best link as augmented by δ, and the best of the right ones."""
    dummy = 1.0 if len(rights) else 0.0
    worst, top, place = -1, dummy, 0
    for k in range(len(links)):
        pulls[k] = 0.0
        right = place < len(rights) and rights[place] == k
        place += right
        link = links[k] if right else links[k] + 1.0
        if link > top:
            worst, top = k, link
    best, own = -1, 0.0
    for k in rights:
        if best < 0 or links[k] > own:
            best, own = k, links[k]
    if worst >= 0:
        pulls[worst] += 1.0
    if best >= 0:
        pulls[best] -= 1.0
    return top - own


@kernel
def _soft_link(links, rights, gamma, floor, pulls, bends):
    """Share p among all links and p′ among right ones, each against the best of its kind."""
    for k in range(len(links)):
        pulls[k] = links[k] + 1.0
    own = -np.inf
    for k in rights:
        pulls[k] = links[k]
        own = max(own, links[k])
    dummy = 1.0 if len(rights) else 0.0
    top = dummy
    for k in range(len(links)):
        top = max(top, pulls[k])
    scale = 1.0 / gamma
    total = np.exp((dummy - top) * scale)
    for k in range(len(links)):
        pulls[k] = np.exp((pulls[k] - top) * scale)
        total += pulls[k]
    share = 1.0 / total
    for k in range(len(links)):
        p = pulls[k] * share
        pulls[k] = p
        bends[k] = max(p * (1.0 - p) * scale, floor)
    lost = top + gamma * np.log(total)
    if not len(rights):
        return lost
    right = 0.0
    for k in rights:
        right += np.exp((links[k] - own) * scale)
    for k in rights:
        p, q = pulls[k], np.exp((links[k] - own) * scale) / right
        pulls[k] = p - q
        bends[k] = max((p * (1.0 - p) + q * (1.0 - q)) * scale, floor)
    return lost - own - gamma * np.log(right)
