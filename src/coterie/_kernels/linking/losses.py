"""What links lose, item by item, and how the score of each candidate should move.

`links` are the scores of an item's candidates on the left, `lefts` those items in their order, and
`labels` the true clusters. A candidate of the item's own cluster is right, and `rights` are the
places of those; where there are none, the dummy of score 0 is right. `pulls` get the derivative of
the loss by each score.
"""

import numpy as np

from coterie._kernels.compiling import kernel


@kernel
def find_rights(item, lefts, labels, rights):
    """List the candidates of the item's cluster by their places, and return how many there are."""
    count, own = 0, labels[item]
    for k in range(len(lefts)):
        if labels[lefts[k]] == own:
            rights[count] = k
            count += 1
    return count


@kernel
def worst_links(links, rights, gamma, pulls):
    """Return γ log Σ exp((link + δ)/γ) over all links, the dummy's too; δ is 1 for wrong ones.

    Its derivatives p are written to `pulls`. At γ = 0 it is the maximum; the dummy comes first
    among equals, then the smallest index.
    """
    for k in range(len(links)):
        pulls[k] = links[k] + 1.0
    for k in rights:
        pulls[k] = links[k]
    dummy = 1.0 if len(rights) else 0.0
    best, top = -1, dummy
    for k in range(len(links)):
        if pulls[k] > top:
            best, top = k, pulls[k]
    if gamma == 0.0:
        pulls[: len(links)] = 0.0
        if best >= 0:
            pulls[best] = 1.0
        return top
    # Shifted by the highest score, no measure can overflow.
    total = np.exp((dummy - top) / gamma)
    for k in range(len(links)):
        pulls[k] = np.exp((pulls[k] - top) / gamma)
        total += pulls[k]
    for k in range(len(links)):
        pulls[k] /= total
    return top + gamma * np.log(total)


@kernel
def best_links(links, rights, gamma, factor, pulls):
    """Return γ log Σ exp(link/γ) over right links, 0 where the dummy is right.

    `factor` times its derivatives p′ is added to `pulls`. At γ = 0 it is the maximum, the smallest
    index among equals.
    """
    if not len(rights):
        return 0.0
    best = rights[0]
    for k in rights:
        if links[k] > links[best]:
            best = k
    top = links[best]
    if gamma == 0.0:
        pulls[best] += factor
        return top
    total = 0.0
    for k in rights:
        total += np.exp((links[k] - top) / gamma)
    for k in rights:
        pulls[k] += factor * np.exp((links[k] - top) / gamma) / total
    return top + gamma * np.log(total)


@kernel
def left_link_loss(links, rights, gamma, pulls):
    """Return what an item adds to eq. 7 of Samdani, Chang & Roth 2014; `pulls` get p − p′."""
    worst = worst_links(links, rights, gamma, pulls)
    return worst - best_links(links, rights, gamma, -1.0, pulls)


@kernel
def sum_link_loss(lefts, links, labels, rights, totals, pulls):
    """Return max_c (s_c + [c is wrong]) − s_c* over the clusters on the left and a new one.

    s_c sums the links to cluster c, and is 0 for a new cluster, which comes first among equals;
    then the cluster of the smallest label. `totals` has one zero a cluster and is left so.
    """
    own = labels[lefts[rights[0]]] if len(rights) else -1
    for k in range(len(lefts)):
        totals[labels[lefts[k]]] += links[k]
    best, top = -1, 0.0 if own < 0 else 1.0
    for k in range(len(lefts)):
        label = labels[lefts[k]]
        value = totals[label] + (0.0 if label == own else 1.0)
        if value > top or (value == top and best > label):
            best, top = label, value
    loss = top if own < 0 else top - totals[own]
    for k in range(len(lefts)):
        label = labels[lefts[k]]
        pulls[k] = (1.0 if label == best else 0.0) - (1.0 if label == own else 0.0)
        totals[label] = 0.0
    return loss


@kernel
def sum_augmented_soft_max(starts, lefts, links, labels, gamma, pulls):
    """Sum `worst_links` over the items of a set."""
    total, rights = 0.0, np.empty(len(labels), np.intp)
    for item in range(len(labels)):
        a, b = starts[item], starts[item + 1]
        count = find_rights(item, lefts[a:b], labels, rights)
        total += worst_links(links[a:b], rights[:count], gamma, pulls[a:b])
    return total


@kernel
def sum_correct_soft_max(starts, lefts, links, labels, gamma, pulls):
    """Sum `best_links` over the items of a set; `pulls` come as zeros."""
    total, rights = 0.0, np.empty(len(labels), np.intp)
    for item in range(len(labels)):
        a, b = starts[item], starts[item + 1]
        count = find_rights(item, lefts[a:b], labels, rights)
        total += best_links(links[a:b], rights[:count], gamma, 1.0, pulls[a:b])
    return total


@kernel
def link_shares(starts, links, gamma, shares, new):
    """Write the probability of each link, and of a new cluster for each item (eq. 2).

    At γ = 0 the link of the highest score has them all, the new cluster first among equals, then
    the smallest index.
    """
    for item in range(len(starts) - 1):
        a, b = starts[item], starts[item + 1]
        best, top = -1, 0.0
        for k in range(a, b):
            if links[k] > top:
                best, top = k, links[k]
        if gamma == 0.0:
            shares[a:b] = 0.0
            new[item] = 1.0 if best < 0 else 0.0
            if best >= 0:
                shares[best] = 1.0
            continue
        new[item] = np.exp(-top / gamma)
        total = new[item]
        for k in range(a, b):
            shares[k] = np.exp((links[k] - top) / gamma)
            total += shares[k]
        new[item] /= total
        for k in range(a, b):
            shares[k] /= total
