"""Passes of stochastic gradient descent over the items of one set, in their order.

Each returns the sum of the losses at the weights that every item met. `first` is the first item to
learn from; those before it are candidates only.
"""

from coterie._kernels.compiling import kernel
from coterie._kernels.linking.descent import close_item, open_item, score, step
from coterie._kernels.linking.losses import find_rights, left_link_loss, sum_link_loss


@kernel
def left_link_pass(rows, labels, first, gamma, rate, lam, weights, scratch):
    """Descend on the loss of left-linking: one step an item."""
    lost = 0.0
    links, pulls, rights = scratch.links, scratch.pulls, scratch.rights
    for item in range(first, len(labels)):
        a, b = rows.starts[item], rows.starts[item + 1]
        open_item(rows, item, scratch.own)
        score(rows, item, a, b, weights, scratch.own, links)
        count = find_rights(item, rows.lefts[a:b], labels, rights)
        lost += left_link_loss(links[: b - a], rights[:count], gamma, pulls)
        step(rows, item, a, b, pulls, rate, lam, weights, scratch)
        close_item(rows, item, scratch.own)
    return lost


@kernel
def sum_link_pass(rows, labels, first, rate, lam, weights, scratch):
    """Descend on the loss of Sum-Link: one step an item."""
    lost = 0.0
    links, pulls, rights, totals = scratch.links, scratch.pulls, scratch.rights, scratch.totals
    for item in range(first, len(labels)):
        a, b = rows.starts[item], rows.starts[item + 1]
        lefts = rows.lefts[a:b]
        open_item(rows, item, scratch.own)
        score(rows, item, a, b, weights, scratch.own, links)
        count = find_rights(item, lefts, labels, rights)
        lost += sum_link_loss(lefts, links[: b - a], labels, rights[:count], totals, pulls)
        step(rows, item, a, b, pulls, rate, lam, weights, scratch)
        close_item(rows, item, scratch.own)
    return lost


@kernel
def closest_link_pass(rows, labels, first, teach_firsts, rate, lam, weights, scratch):
    """Descend on the hinge losses of pairs: one step a pair.

    An item's closest right candidate is a positive example, those after it are negative ones. An
    item that has none teaches nothing, or all its candidates as negative ones.
    """
    lost = 0.0
    links, pulls, rights = scratch.links, scratch.pulls, scratch.rights
    for item in range(first, len(labels)):
        a, b = rows.starts[item], rows.starts[item + 1]
        count = find_rights(item, rows.lefts[a:b], labels, rights)
        if not count and not teach_firsts:
            continue
        closest = a + rights[count - 1] if count else -1
        open_item(rows, item, scratch.own)
        for pair in range(max(closest, a), b):
            score(rows, item, pair, pair + 1, weights, scratch.own, links)
            sign = 1.0 if pair == closest else -1.0
            loss = 1.0 - sign * links[0]
            pulls[0] = -sign if loss > 0.0 else 0.0
            lost += max(loss, 0.0)
            step(rows, item, pair, pair + 1, pulls, rate, lam, weights, scratch)
        close_item(rows, item, scratch.own)
    return lost
