"""The risk of left-linking in one pass over all pairs, with its derivatives by their scores.

The pairs of item i are at `starts[i]:starts[i + 1]`; `lefts` are the earlier items, whose indices
count through all item sets, as those of `labels` do. `gradient` receives the derivative of the risk
by each score, `curvature` an upper bound of the second derivative.
"""

import numpy as np

from coterie._kernels.compiling import kernel
from coterie._kernels.linking.losses import find_correct


@kernel
def left_link_descent(starts, lefts, links, labels, gamma, floor, gradient, curvature):
    """Sum γ log Σ exp((link + δ)/γ) over all links less the same over correct ones without δ.

    The sums are over the links of an item, the dummy's of score 0 too, and δ is 1 for wrong ones
    (Samdani, Chang & Roth 2014, eq. 7). `gradient` gets p − p′, `curvature` the larger of
    (p(1 − p) + p′(1 − p′))/γ and `floor`. At γ = 0 the best link has all of p: the dummy first
    among equals, then the smallest index.
    """
    total, correct = 0.0, np.empty(len(labels), np.intp)
    for item in range(len(labels)):
        lo, hi = starts[item], starts[item + 1]
        # Without candidates the dummy is the only link and correct: the item loses nothing.
        if lo == hi:
            continue
        count = find_correct(item, lefts[lo:hi], labels, correct)
        if gamma == 0.0:
            total += _best_link(links[lo:hi], correct[:count], gradient[lo:hi])
            curvature[lo:hi] = floor
        else:
            total += _soft_link(
                links[lo:hi], correct[:count], gamma, floor, gradient[lo:hi], curvature[lo:hi]
            )
    return total


@kernel
def _best_link(links, correct, gradient):
    """Write the derivative at γ = 0: 1 by the best augmented link, −1 by the best correct one."""
    dummy = 1.0 if len(correct) else 0.0
    # `correct` is ascending, so one cursor over it tells correct links from wrong ones.
    worst, top, cursor = -1, dummy, 0
    for k in range(len(links)):
        gradient[k] = 0.0
        is_correct = cursor < len(correct) and correct[cursor] == k
        cursor += is_correct
        link = links[k] if is_correct else links[k] + 1.0
        if link > top:
            worst, top = k, link
    best, best_score = -1, 0.0
    for k in correct:
        if best < 0 or links[k] > best_score:
            best, best_score = k, links[k]
    if worst >= 0:
        gradient[worst] += 1.0
    if best >= 0:
        gradient[best] -= 1.0
    return top - best_score


@kernel
def _soft_link(links, correct, gamma, floor, gradient, curvature):
    """Write p less p′ and the bound of the curvature, and return the item's loss."""
    # The augmented scores wait in `gradient`, then their measures, until p replaces them.
    for k in range(len(links)):
        gradient[k] = links[k] + 1.0
    top_correct = -np.inf
    for k in correct:
        gradient[k] = links[k]
        top_correct = max(top_correct, links[k])
    dummy = 1.0 if len(correct) else 0.0
    top = dummy
    for k in range(len(links)):
        top = max(top, gradient[k])
    scale = 1.0 / gamma
    total = np.exp((dummy - top) * scale)
    for k in range(len(links)):
        gradient[k] = np.exp((gradient[k] - top) * scale)
        total += gradient[k]
    share = 1.0 / total
    for k in range(len(links)):
        p = gradient[k] * share
        gradient[k] = p
        curvature[k] = max(p * (1.0 - p) * scale, floor)
    loss = top + gamma * np.log(total)
    if not len(correct):
        return loss
    # The correct links have a shift of their own: relative to the best of all links, each of them
    # may measure 0, and p′ would be 0 / 0.
    total_correct = 0.0
    for k in correct:
        total_correct += np.exp((links[k] - top_correct) * scale)
    for k in correct:
        p, q = gradient[k], np.exp((links[k] - top_correct) * scale) / total_correct
        gradient[k] = p - q
        # The second derivative is (p(1 − p) − q(1 − q))/γ. The second term is added instead: steps
        # are divided by this number, which must not be negative.
        curvature[k] = max((p * (1.0 - p) + q * (1.0 - q)) * scale, floor)
    return loss - top_correct - gamma * np.log(total_correct)
