"""Stochastic gradient descent, item by item: features of pairs as arrays, scores and steps.

The weights are w = scale · coef, so that shrinking all of them, w ← (1 − ηλ) w, changes one number.
The mean of all iterates is found as lazily: with S the sum of the scales so far, a change δ of coef
adds −S δ to `sums`, and then Σ_t w_t = S · coef + sums at any time.

A pass over the items of one set, in their order, returns the sum of the losses at the weights that
every item met. `first` is the first item to learn from; those before it are candidates only.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Floats, Ints
from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.linking.losses import find_rights, left_link_loss, sum_link_loss

SMALLEST = 1e-9
"""The scale below which it is multiplied into the weights."""


class PairRows(NamedTuple):
    """Features of pairs as arrays, those of one later item after the other.

    Their columns are of up to five kinds: constants; a dense and a sparse matrix with one row a
    pair; and a dense and a sparse matrix with one row an item, of which the features are products.
    A kind that does not occur has no columns.
    """

    starts: Ints
    """Where the pairs of each item begin, and where the last ones end."""
    lefts: Ints
    """The earlier item of each pair."""
    constants: Ints
    """The columns that are 1 for every pair."""
    dense: Floats
    first_dense: int
    sparse_indptr: NDArray[Any]
    sparse_columns: NDArray[Any]
    sparse_values: Floats
    nodes: Floats
    first_node: int
    node_indptr: NDArray[Any]
    node_columns: NDArray[Any]
    node_values: Floats


class Weights(NamedTuple):
    """Where a descent stands: coef, what its mean needs, and scale, sum of scales and steps."""

    coef: Floats
    sums: Floats
    clock: Floats


class Scratch(NamedTuple):
    """Numbers that are needed in passing.

    `gradient` and `own` have one zero a column, `totals` one a cluster, and are left so.
    """

    links: Floats
    link_gradient: Floats
    correct: Ints
    gradient: Floats
    item_vector: Floats
    totals: Floats


@kernel
def score(rows, item, lo, hi, weights, own, links):
    """Score the pairs lo to hi, all of one later item, which is opened."""
    coef = weights.coef
    constant = 0.0
    for column in rows.constants:
        constant += coef[column]
    for pair in range(lo, hi):
        links[pair - lo] = constant
    if rows.dense.shape[1]:
        own_coef = coef[rows.first_dense : rows.first_dense + rows.dense.shape[1]]
        for pair in range(lo, hi):
            links[pair - lo] += product(rows.dense[pair], own_coef)
    if len(rows.sparse_values):
        for pair in range(lo, hi):
            total = 0.0
            for entry in range(rows.sparse_indptr[pair], rows.sparse_indptr[pair + 1]):
                total += coef[rows.sparse_columns[entry]] * rows.sparse_values[entry]
            links[pair - lo] += total
    if rows.nodes.shape[1]:
        weighted = rows.nodes[item] * coef[rows.first_node : rows.first_node + rows.nodes.shape[1]]
        for pair in range(lo, hi):
            links[pair - lo] += product(rows.nodes[rows.lefts[pair]], weighted)
    if len(rows.node_values):
        for pair in range(lo, hi):
            total, left = 0.0, rows.lefts[pair]
            for entry in range(rows.node_indptr[left], rows.node_indptr[left + 1]):
                column = rows.node_columns[entry]
                total += own[column] * coef[column] * rows.node_values[entry]
            links[pair - lo] += total
    for pair in range(lo, hi):
        links[pair - lo] *= weights.clock[0]


@inlined
def product(left, right):
    """Return the scalar product, in four sums that need not wait for each other."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = len(left) - len(left) % 4
    for at in range(0, whole, 4):
        a += left[at] * right[at]
        b += left[at + 1] * right[at + 1]
        c += left[at + 2] * right[at + 2]
        d += left[at + 3] * right[at + 3]
    for at in range(whole, len(left)):
        a += left[at] * right[at]
    return (a + b) + (c + d)


@kernel
def step(rows, item, lo, hi, pulls, rate, lam, weights, scratch):
    """Shrink the weights, and step against Σ pulls · features of the pairs lo to hi.

    The t-th step has the rate η_t = rate / (1 + rate λ t).
    """
    coef, sums, clock = weights
    eta = rate / (1.0 + rate * lam * (clock[2] + 1.0))
    # 1 − ηλ, in a form that is never 0.
    clock[0] *= (1.0 + rate * lam * clock[2]) / (1.0 + rate * lam * (clock[2] + 1.0))
    length = eta / clock[0]
    gradient = scratch.gradient
    total = 0.0
    for pair in range(lo, hi):
        total += pulls[pair - lo]
    for column in rows.constants:
        change(coef, sums, clock, column, length * total)
    if rows.dense.shape[1]:
        add_dense(rows, lo, hi, pulls, gradient)
        for column in range(rows.dense.shape[1]):
            change(coef, sums, clock, rows.first_dense + column, length * gradient[column])
            gradient[column] = 0.0
    if len(rows.sparse_values):
        add_sparse(rows, lo, hi, pulls, gradient)
        sweep(rows, lo, hi, length, coef, sums, clock, gradient)
    if rows.nodes.shape[1]:
        add_nodes(rows, lo, hi, pulls, gradient)
        for column in range(rows.nodes.shape[1]):
            slope = gradient[column] * rows.nodes[item, column]
            change(coef, sums, clock, rows.first_node + column, length * slope)
            gradient[column] = 0.0
    if len(rows.node_values):
        add_sparse_nodes(rows, lo, hi, pulls, scratch.item_vector, gradient)
        for entry in range(rows.node_indptr[item], rows.node_indptr[item + 1]):
            column = rows.node_columns[entry]
            slope = gradient[column] * rows.node_values[entry]
            change(coef, sums, clock, column, length * slope)
            gradient[column] = 0.0
    clock[1] += clock[0]
    clock[2] += 1.0
    if clock[0] < SMALLEST:
        coef *= clock[0]
        clock[1] /= clock[0]
        clock[0] = 1.0


@inlined
def change(coef, sums, clock, column, delta):
    """Lower a weight, and keep the sum of all iterates right."""
    coef[column] -= delta
    sums[column] += clock[1] * delta


@inlined
def add_dense(rows, lo, hi, pulls, gradient):
    """Add Σ pulls · rows of the dense matrix."""
    for pair in range(lo, hi):
        pull = pulls[pair - lo]
        if pull != 0.0:
            for column in range(rows.dense.shape[1]):
                gradient[column] += pull * rows.dense[pair, column]


@inlined
def add_sparse(rows, lo, hi, pulls, gradient):
    """Add Σ pulls · rows of the sparse matrix."""
    for pair in range(lo, hi):
        pull = pulls[pair - lo]
        if pull != 0.0:
            for entry in range(rows.sparse_indptr[pair], rows.sparse_indptr[pair + 1]):
                gradient[rows.sparse_columns[entry]] += pull * rows.sparse_values[entry]


@inlined
def sweep(rows, lo, hi, length, coef, sums, clock, gradient):
    """Step along the gradient of the sparse matrix, and leave zeros.

    Column by column, or entry by entry where the pairs have fewer of them: a column that was met
    before is 0 by then.
    """
    if rows.sparse_indptr[hi] - rows.sparse_indptr[lo] > len(gradient):
        for column in range(len(gradient)):
            if gradient[column] != 0.0:
                change(coef, sums, clock, column, length * gradient[column])
                gradient[column] = 0.0
        return
    for entry in range(rows.sparse_indptr[lo], rows.sparse_indptr[hi]):
        column = rows.sparse_columns[entry]
        if gradient[column] != 0.0:
            change(coef, sums, clock, column, length * gradient[column])
            gradient[column] = 0.0


@inlined
def add_nodes(rows, lo, hi, pulls, gradient):
    """Add Σ pulls · vectors of the earlier items."""
    for pair in range(lo, hi):
        pull, left = pulls[pair - lo], rows.lefts[pair]
        if pull != 0.0:
            for column in range(rows.nodes.shape[1]):
                gradient[column] += pull * rows.nodes[left, column]


@inlined
def add_sparse_nodes(rows, lo, hi, pulls, own, gradient):
    """Add Σ pulls · sparse vectors of the earlier items, where the later one has entries too."""
    for pair in range(lo, hi):
        pull, left = pulls[pair - lo], rows.lefts[pair]
        if pull != 0.0:
            for entry in range(rows.node_indptr[left], rows.node_indptr[left + 1]):
                column = rows.node_columns[entry]
                if own[column] != 0.0:
                    gradient[column] += pull * rows.node_values[entry]


@kernel
def open_item(rows, item, own):
    """Write out the sparse vector of an item."""
    if len(rows.node_values):
        for entry in range(rows.node_indptr[item], rows.node_indptr[item + 1]):
            own[rows.node_columns[entry]] = rows.node_values[entry]


@kernel
def close_item(rows, item, own):
    """Leave zeros where the sparse vector of an item was."""
    if len(rows.node_values):
        for entry in range(rows.node_indptr[item], rows.node_indptr[item + 1]):
            own[rows.node_columns[entry]] = 0.0


def start_weights(start: Floats) -> Weights:
    """Begin a descent at some coef."""
    return Weights(start.copy(), np.zeros(len(start)), np.array([1.0, 0.0, 0.0]))


def last_iterate(weights: Weights) -> Floats:
    """Return the weights as they stand."""
    now: Floats = weights.clock[0] * weights.coef
    return now


def mean_iterate(weights: Weights) -> Floats:
    """Return the mean of the weights after each step so far."""
    _, scales, n_steps = weights.clock
    return (scales * weights.coef + weights.sums) / n_steps if n_steps else last_iterate(weights)


@kernel
def left_link_pass(rows, labels, first, gamma, rate, lam, weights, scratch):
    """Descend on the loss of left-linking: one step an item."""
    lost = 0.0
    links, pulls, rights = scratch.links, scratch.link_gradient, scratch.correct
    for item in range(first, len(labels)):
        a, b = rows.starts[item], rows.starts[item + 1]
        open_item(rows, item, scratch.item_vector)
        score(rows, item, a, b, weights, scratch.item_vector, links)
        count = find_rights(item, rows.lefts[a:b], labels, rights)
        lost += left_link_loss(links[: b - a], rights[:count], gamma, pulls)
        step(rows, item, a, b, pulls, rate, lam, weights, scratch)
        close_item(rows, item, scratch.item_vector)
    return lost


@kernel
def sum_link_pass(rows, labels, first, rate, lam, weights, scratch):
    """Descend on the loss of Sum-Link: one step an item."""
    lost = 0.0
    links, pulls, rights, totals = (
        scratch.links,
        scratch.link_gradient,
        scratch.correct,
        scratch.totals,
    )
    for item in range(first, len(labels)):
        a, b = rows.starts[item], rows.starts[item + 1]
        lefts = rows.lefts[a:b]
        open_item(rows, item, scratch.item_vector)
        score(rows, item, a, b, weights, scratch.item_vector, links)
        count = find_rights(item, lefts, labels, rights)
        lost += sum_link_loss(lefts, links[: b - a], labels, rights[:count], totals, pulls)
        step(rows, item, a, b, pulls, rate, lam, weights, scratch)
        close_item(rows, item, scratch.item_vector)
    return lost


@kernel
def closest_link_pass(rows, labels, first, teach_firsts, rate, lam, weights, scratch):
    """Descend on the hinge losses of pairs: one step a pair.

    An item's closest right candidate is a positive example, those after it are negative ones. An
    item that has none teaches nothing, or all its candidates as negative ones.
    """
    lost = 0.0
    links, pulls, rights = scratch.links, scratch.link_gradient, scratch.correct
    for item in range(first, len(labels)):
        a, b = rows.starts[item], rows.starts[item + 1]
        count = find_rights(item, rows.lefts[a:b], labels, rights)
        if not count and not teach_firsts:
            continue
        closest = a + rights[count - 1] if count else -1
        open_item(rows, item, scratch.item_vector)
        for pair in range(max(closest, a), b):
            score(rows, item, pair, pair + 1, weights, scratch.item_vector, links)
            sign = 1.0 if pair == closest else -1.0
            loss = 1.0 - sign * links[0]
            pulls[0] = -sign if loss > 0.0 else 0.0
            lost += max(loss, 0.0)
            step(rows, item, pair, pair + 1, pulls, rate, lam, weights, scratch)
        close_item(rows, item, scratch.item_vector)
    return lost
