"""Losses of an item's links, and their derivatives by the score of each candidate.

`links` are the scores of an item's candidates on the left, `lefts` those earlier items in ascending
order, and `labels` the true clusters. A candidate of the item's true cluster is correct, and
`correct` has the positions of these candidates; where there are none, the dummy of score 0 is
correct. `link_gradient` receives the derivative of the loss by each score.

The soft maximum at temperature γ is γ log Σ exp(x/γ), and at γ = 0 the maximum. Its derivatives are
the softmax probabilities, so both come from one loop.
"""

import numpy as np

from coterie._kernels.compiling import kernel


@kernel
def find_correct(item, lefts, labels, correct):
    """List the positions of the candidates in the item's true cluster, and return their number."""
    count, label = 0, labels[item]
    for k in range(len(lefts)):
        if labels[lefts[k]] == label:
            correct[count] = k
            count += 1
    return count


@kernel
def augmented_soft_max(links, correct, gamma, link_gradient):
    """Return γ log Σ exp((link + δ)/γ) over all links, the dummy's too; δ is 1 for wrong ones.

    Its derivatives p are written to `link_gradient`. At γ = 0 it is the maximum; among equals the
    dummy comes first, then the smallest index.
    """
    # Until the derivatives replace them, `link_gradient` holds the augmented scores link + δ.
    for k in range(len(links)):
        link_gradient[k] = links[k] + 1.0
    for k in correct:
        link_gradient[k] = links[k]
    dummy = 1.0 if len(correct) else 0.0
    best, top = -1, dummy
    for k in range(len(links)):
        if link_gradient[k] > top:
            best, top = k, link_gradient[k]
    if gamma == 0.0:
        link_gradient[: len(links)] = 0.0
        if best >= 0:
            link_gradient[best] = 1.0
        return top
    # Shifted by the highest score, no term overflows, and the sum is at least 1.
    total = np.exp((dummy - top) / gamma)
    for k in range(len(links)):
        link_gradient[k] = np.exp((link_gradient[k] - top) / gamma)
        total += link_gradient[k]
    for k in range(len(links)):
        link_gradient[k] /= total
    return top + gamma * np.log(total)


@kernel
def correct_soft_max(links, correct, gamma, factor, link_gradient):
    """Return γ log Σ exp(link/γ) over the correct links, 0 where the dummy is correct.

    `factor` times its derivatives p′ is added to `link_gradient`. At γ = 0 it is the maximum, the
    smallest index among equals.
    """
    if not len(correct):
        return 0.0
    best = correct[0]
    for k in correct:
        if links[k] > links[best]:
            best = k
    top = links[best]
    if gamma == 0.0:
        link_gradient[best] += factor
        return top
    total = 0.0
    for k in correct:
        total += np.exp((links[k] - top) / gamma)
    for k in correct:
        link_gradient[k] += factor * np.exp((links[k] - top) / gamma) / total
    return top + gamma * np.log(total)


@kernel
def left_link_loss(links, correct, gamma, link_gradient):
    """Return an item's term of Samdani, Chang & Roth 2014, eq. 7; `link_gradient` gets p − p′."""
    augmented = augmented_soft_max(links, correct, gamma, link_gradient)
    return augmented - correct_soft_max(links, correct, gamma, -1.0, link_gradient)


@kernel
def sum_link_loss(lefts, links, labels, correct, totals, link_gradient):
    """Return max_c (s_c + [c is wrong]) − s_c* over the clusters on the left and a new one.

    s_c sums the links to cluster c, and is 0 for a new cluster, which comes first among equals;
    then the cluster of the smallest label. `totals` has one zero per cluster and is left so.
    """
    true_label = labels[lefts[correct[0]]] if len(correct) else -1
    for k in range(len(lefts)):
        totals[labels[lefts[k]]] += links[k]
    # A new cluster scores 0. It is wrong, and gets the margin 1, where a candidate is correct.
    best, top = -1, 0.0 if true_label < 0 else 1.0
    for k in range(len(lefts)):
        label = labels[lefts[k]]
        value = totals[label] + (0.0 if label == true_label else 1.0)
        if value > top or (value == top and best > label):
            best, top = label, value
    loss = top if true_label < 0 else top - totals[true_label]
    # The derivative is 1 by each link of the worst cluster and −1 by each link of the true one.
    # Where the two are the same cluster both the loss and its derivatives are 0.
    for k in range(len(lefts)):
        label = labels[lefts[k]]
        link_gradient[k] = (1.0 if label == best else 0.0) - (1.0 if label == true_label else 0.0)
        totals[label] = 0.0
    return loss


@kernel
def sum_augmented_soft_max(starts, lefts, links, labels, gamma, link_gradient):
    """Sum `augmented_soft_max` over the items of a set."""
    total, correct = 0.0, np.empty(len(labels), np.intp)
    for item in range(len(labels)):
        lo, hi = starts[item], starts[item + 1]
        count = find_correct(item, lefts[lo:hi], labels, correct)
        total += augmented_soft_max(links[lo:hi], correct[:count], gamma, link_gradient[lo:hi])
    return total


@kernel
def sum_correct_soft_max(starts, lefts, links, labels, gamma, link_gradient):
    """Sum `correct_soft_max` over the items of a set; `link_gradient` must be zeros."""
    total, correct = 0.0, np.empty(len(labels), np.intp)
    for item in range(len(labels)):
        lo, hi = starts[item], starts[item + 1]
        count = find_correct(item, lefts[lo:hi], labels, correct)
        total += correct_soft_max(links[lo:hi], correct[:count], gamma, 1.0, link_gradient[lo:hi])
    return total


@kernel
def link_shares(starts, links, gamma, shares, new):
    """Write the probability of each link, and of a new cluster for each item.

    That is eq. 2 of Samdani, Chang & Roth 2014; a new cluster is the dummy link of score 0.
    At γ = 0 the link of the highest score has probability 1; among equals the new cluster comes
    first, then the smallest index.
    """
    for item in range(len(starts) - 1):
        lo, hi = starts[item], starts[item + 1]
        # The dummy takes part in the maximum with its score 0, so that exp(−top/γ) cannot overflow
        # where all links are far below 0.
        best, top = -1, 0.0
        for k in range(lo, hi):
            if links[k] > top:
                best, top = k, links[k]
        if gamma == 0.0:
            shares[lo:hi] = 0.0
            new[item] = 1.0 if best < 0 else 0.0
            if best >= 0:
                shares[best] = 1.0
            continue
        new[item] = np.exp(-top / gamma)
        total = new[item]
        for k in range(lo, hi):
            shares[k] = np.exp((links[k] - top) / gamma)
            total += shares[k]
        new[item] /= total
        for k in range(lo, hi):
            shares[k] /= total
