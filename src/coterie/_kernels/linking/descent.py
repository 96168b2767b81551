"""Stochastic gradient descent, item by item: scores of an item's links and gradient steps.

The weights are w = scale · coef, so that the shrinking of all of them, w ← (1 − ηλ) w, changes one
number. The mean of all iterates is kept lazily: with S the sum of the scales of all steps so far,
a change δ of coef adds −S δ to `sums`, and Σ_t w_t = S · coef + sums holds at any time.

A pass visits the items of one set in their order and returns the sum of their losses, each at the
weights before the item's own step. `first` is the first item to learn from; earlier items are
candidates only.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Floats, Ints
from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.linking.losses import find_correct, left_link_loss, sum_link_loss

SMALLEST = 1e-9
"""The scale below which it is multiplied into coef."""

SCALE, SCALE_SUM, N_STEPS = 0, 1, 2
"""The positions of the three numbers in `Weights.scalars`."""


class PairRows(NamedTuple):
    """Features of pairs as arrays; the pairs of each later item follow one another.

    Their columns are of up to five kinds: constants; a dense and a sparse matrix with one row per
    pair; and a dense and a sparse matrix with one row per item, whose products are the features.
    A kind that does not occur has no columns.
    """

    starts: Ints
    """Offsets of the pairs of each later item, with the number of pairs at the end."""
    lefts: Ints
    """The earlier item of each pair."""
    constants: Ints
    """The columns that are 1 for every pair."""
    dense: Floats
    first_dense: int
    """The column of coef that the first column of `dense` belongs to."""
    sparse_indptr: NDArray[Any]
    sparse_columns: NDArray[Any]
    """Columns of coef, as those of `node_columns` are."""
    sparse_values: Floats
    nodes: Floats
    first_node: int
    """The column of coef that the first column of `nodes` belongs to."""
    node_indptr: NDArray[Any]
    node_columns: NDArray[Any]
    node_values: Floats


class Weights(NamedTuple):
    """The state of a descent: coef, and what its scale and the mean of its iterates require."""

    coef: Floats
    sums: Floats
    scalars: Floats
    """The scale, the sum of the scales after each step, and the number of steps."""


class Scratch(NamedTuple):
    """Working memory of a pass.

    `gradient` and `item_vector` have one zero per column, `totals` one zero per cluster. Every use
    leaves zeros behind: clearing what was touched costs less than clearing everything.
    """

    links: Floats
    link_gradient: Floats
    correct: Ints
    gradient: Floats
    item_vector: Floats
    totals: Floats


@kernel
def score(rows, item, lo, hi, weights, item_vector, links):
    """Score the pairs lo to hi, all of one later item, whose `item_vector` is filled in."""
    coef = weights.coef
    constant = 0.0
    for column in rows.constants:
        constant += coef[column]
    for pair in range(lo, hi):
        links[pair - lo] = constant
    if rows.dense.shape[1]:
        dense_coef = coef[rows.first_dense : rows.first_dense + rows.dense.shape[1]]
        for pair in range(lo, hi):
            links[pair - lo] += product(rows.dense[pair], dense_coef)
    if len(rows.sparse_values):
        for pair in range(lo, hi):
            total = 0.0
            for entry in range(rows.sparse_indptr[pair], rows.sparse_indptr[pair + 1]):
                total += coef[rows.sparse_columns[entry]] * rows.sparse_values[entry]
            links[pair - lo] += total
    # coef · (ψ_left ∘ ψ_item) = ψ_left · (coef ∘ ψ_item): the second factor is the same for all
    # candidates of the item, so that no product feature is ever written out.
    if rows.nodes.shape[1]:
        weighted = rows.nodes[item] * coef[rows.first_node : rows.first_node + rows.nodes.shape[1]]
        for pair in range(lo, hi):
            links[pair - lo] += product(rows.nodes[rows.lefts[pair]], weighted)
    if len(rows.node_values):
        for pair in range(lo, hi):
            total, left = 0.0, rows.lefts[pair]
            for entry in range(rows.node_indptr[left], rows.node_indptr[left + 1]):
                column = rows.node_columns[entry]
                total += item_vector[column] * coef[column] * rows.node_values[entry]
            links[pair - lo] += total
    for pair in range(lo, hi):
        links[pair - lo] *= weights.scalars[SCALE]


@inlined
def product(left, right):
    """Return the scalar product."""
    # Each addition waits for the one before it into the same sum. Four sums run side by side; the
    # compiler may not split one sum itself, because that changes the rounding.
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    unrolled = len(left) - len(left) % 4
    for i in range(0, unrolled, 4):
        a += left[i] * right[i]
        b += left[i + 1] * right[i + 1]
        c += left[i + 2] * right[i + 2]
        d += left[i + 3] * right[i + 3]
    for i in range(unrolled, len(left)):
        a += left[i] * right[i]
    return (a + b) + (c + d)


@kernel
def step(rows, item, lo, hi, link_gradient, rate, lam, weights, scratch):
    """Shrink the weights, and step against Σ link_gradient · features of the pairs lo to hi.

    The t-th step has the rate η_t = rate / (1 + rate λ t).
    """
    coef, sums, scalars = weights
    eta = rate / (1.0 + rate * lam * (scalars[N_STEPS] + 1.0))
    # 1 − η_t λ = (1 + rate λ (t − 1)) / (1 + rate λ t). Subtracted instead, a large rate λ would
    # round to a scale of 0, by which the next line divides.
    scalars[SCALE] *= (1.0 + rate * lam * scalars[N_STEPS]) / (
        1.0 + rate * lam * (scalars[N_STEPS] + 1.0)
    )
    length = eta / scalars[SCALE]
    gradient = scratch.gradient
    total = 0.0
    for pair in range(lo, hi):
        total += link_gradient[pair - lo]
    for column in rows.constants:
        lower(coef, sums, scalars, column, length * total)
    if rows.dense.shape[1]:
        add_dense(rows, lo, hi, link_gradient, gradient)
        for column in range(rows.dense.shape[1]):
            lower(coef, sums, scalars, rows.first_dense + column, length * gradient[column])
            gradient[column] = 0.0
    if len(rows.sparse_values):
        add_sparse(rows, lo, hi, link_gradient, gradient)
        step_sparse(rows, lo, hi, length, coef, sums, scalars, gradient)
    # ψ_item is a common factor of all product features: Σ link_gradient · ψ_left is summed first
    # and multiplied by it once.
    if rows.nodes.shape[1]:
        add_nodes(rows, lo, hi, link_gradient, gradient)
        for column in range(rows.nodes.shape[1]):
            derivative = gradient[column] * rows.nodes[item, column]
            lower(coef, sums, scalars, rows.first_node + column, length * derivative)
            gradient[column] = 0.0
    if len(rows.node_values):
        add_sparse_nodes(rows, lo, hi, link_gradient, scratch.item_vector, gradient)
        for entry in range(rows.node_indptr[item], rows.node_indptr[item + 1]):
            column = rows.node_columns[entry]
            derivative = gradient[column] * rows.node_values[entry]
            lower(coef, sums, scalars, column, length * derivative)
            gradient[column] = 0.0
    scalars[SCALE_SUM] += scalars[SCALE]
    scalars[N_STEPS] += 1.0
    # Long before the scale underflows it moves into coef. The sum of scales is divided by it, so
    # that S · coef, and with it the mean of the iterates, stays the same.
    if scalars[SCALE] < SMALLEST:
        coef *= scalars[SCALE]
        scalars[SCALE_SUM] /= scalars[SCALE]
        scalars[SCALE] = 1.0


@inlined
def lower(coef, sums, scalars, column, delta):
    """Lower one entry of coef, and keep S · coef + sums, the sum of all iterates, as it is."""
    coef[column] -= delta
    sums[column] += scalars[SCALE_SUM] * delta


@inlined
def add_dense(rows, lo, hi, link_gradient, gradient):
    """Add Σ link_gradient · rows of the dense matrix."""
    for pair in range(lo, hi):
        factor = link_gradient[pair - lo]
        if factor != 0.0:
            for column in range(rows.dense.shape[1]):
                gradient[column] += factor * rows.dense[pair, column]


@inlined
def add_sparse(rows, lo, hi, link_gradient, gradient):
    """Add Σ link_gradient · rows of the sparse matrix."""
    for pair in range(lo, hi):
        factor = link_gradient[pair - lo]
        if factor != 0.0:
            for entry in range(rows.sparse_indptr[pair], rows.sparse_indptr[pair + 1]):
                gradient[rows.sparse_columns[entry]] += factor * rows.sparse_values[entry]


@inlined
def step_sparse(rows, lo, hi, length, coef, sums, scalars, gradient):
    """Step along the gradient of the sparse matrix, and leave zeros in it."""
    # Visit whichever is fewer: all columns, or the entries of these pairs.
    if rows.sparse_indptr[hi] - rows.sparse_indptr[lo] > len(gradient):
        for column in range(len(gradient)):
            if gradient[column] != 0.0:
                lower(coef, sums, scalars, column, length * gradient[column])
                gradient[column] = 0.0
        return
    for entry in range(rows.sparse_indptr[lo], rows.sparse_indptr[hi]):
        column = rows.sparse_columns[entry]
        # Several pairs share columns. A zero marks those that an earlier entry has stepped along.
        if gradient[column] != 0.0:
            lower(coef, sums, scalars, column, length * gradient[column])
            gradient[column] = 0.0


@inlined
def add_nodes(rows, lo, hi, link_gradient, gradient):
    """Add Σ link_gradient · vectors of the earlier items."""
    for pair in range(lo, hi):
        factor, left = link_gradient[pair - lo], rows.lefts[pair]
        if factor != 0.0:
            for column in range(rows.nodes.shape[1]):
                gradient[column] += factor * rows.nodes[left, column]


@inlined
def add_sparse_nodes(rows, lo, hi, link_gradient, item_vector, gradient):
    """Add Σ link_gradient · sparse vectors of the earlier items, in the later item's columns."""
    for pair in range(lo, hi):
        factor, left = link_gradient[pair - lo], rows.lefts[pair]
        if factor != 0.0:
            for entry in range(rows.node_indptr[left], rows.node_indptr[left + 1]):
                column = rows.node_columns[entry]
                # Elsewhere the product is 0, and `step`, which resets the later item's columns
                # alone, would leave the sum in the scratch.
                if item_vector[column] != 0.0:
                    gradient[column] += factor * rows.node_values[entry]


@kernel
def fill_item_vector(rows, item, item_vector):
    """Write the sparse vector of an item into a dense one."""
    if len(rows.node_values):
        for entry in range(rows.node_indptr[item], rows.node_indptr[item + 1]):
            item_vector[rows.node_columns[entry]] = rows.node_values[entry]


@kernel
def clear_item_vector(rows, item, item_vector):
    """Write zeros where the sparse vector of an item has entries."""
    if len(rows.node_values):
        for entry in range(rows.node_indptr[item], rows.node_indptr[item + 1]):
            item_vector[rows.node_columns[entry]] = 0.0


def start_weights(start: Floats) -> Weights:
    """Begin a descent at some coef."""
    return Weights(start.copy(), np.zeros(len(start)), np.array([1.0, 0.0, 0.0]))


def last_iterate(weights: Weights) -> Floats:
    """Return the weights after the last step."""
    iterate: Floats = weights.scalars[SCALE] * weights.coef
    return iterate


def mean_iterate(weights: Weights) -> Floats:
    """Return the mean of the weights after each step so far."""
    _, scale_sum, n_steps = weights.scalars
    return (scale_sum * weights.coef + weights.sums) / n_steps if n_steps else last_iterate(weights)


@kernel
def left_link_pass(rows, labels, first, gamma, rate, lam, weights, scratch):
    """Descend on the loss of left-linking, one step per item.

    That is eq. 8 of Samdani, Chang & Roth 2014.
    """
    total_loss = 0.0
    links, link_gradient, correct = scratch.links, scratch.link_gradient, scratch.correct
    for item in range(first, len(labels)):
        lo, hi = rows.starts[item], rows.starts[item + 1]
        fill_item_vector(rows, item, scratch.item_vector)
        score(rows, item, lo, hi, weights, scratch.item_vector, links)
        count = find_correct(item, rows.lefts[lo:hi], labels, correct)
        total_loss += left_link_loss(links[: hi - lo], correct[:count], gamma, link_gradient)
        step(rows, item, lo, hi, link_gradient, rate, lam, weights, scratch)
        clear_item_vector(rows, item, scratch.item_vector)
    return total_loss


@kernel
def sum_link_pass(rows, labels, first, rate, lam, weights, scratch):
    """Descend on the loss of Sum-Link, one step per item."""
    total_loss = 0.0
    links, link_gradient, correct = scratch.links, scratch.link_gradient, scratch.correct
    for item in range(first, len(labels)):
        lo, hi = rows.starts[item], rows.starts[item + 1]
        lefts = rows.lefts[lo:hi]
        fill_item_vector(rows, item, scratch.item_vector)
        score(rows, item, lo, hi, weights, scratch.item_vector, links)
        count = find_correct(item, lefts, labels, correct)
        total_loss += sum_link_loss(
            lefts, links[: hi - lo], labels, correct[:count], scratch.totals, link_gradient
        )
        step(rows, item, lo, hi, link_gradient, rate, lam, weights, scratch)
        clear_item_vector(rows, item, scratch.item_vector)
    return total_loss


@kernel
def closest_link_pass(rows, labels, first, teach_firsts, rate, lam, weights, scratch):
    """Descend on the hinge losses max(0, 1 − y s) of pairs, one step per pair.

    An item's closest correct candidate is a positive example and all candidates after it are
    negative ones. An item without a correct candidate teaches nothing or, with `teach_firsts`, has
    all its candidates as negative examples.
    """
    total_loss = 0.0
    links, link_gradient, correct = scratch.links, scratch.link_gradient, scratch.correct
    for item in range(first, len(labels)):
        lo, hi = rows.starts[item], rows.starts[item + 1]
        count = find_correct(item, rows.lefts[lo:hi], labels, correct)
        if not count and not teach_firsts:
            continue
        # Blockers sort pairs by (i, j), so `lefts` ascend: the last correct candidate is closest.
        closest = lo + correct[count - 1] if count else -1
        fill_item_vector(rows, item, scratch.item_vector)
        for pair in range(max(closest, lo), hi):
            # Each pair is scored after the step of the one before it, never all at once.
            score(rows, item, pair, pair + 1, weights, scratch.item_vector, links)
            sign = 1.0 if pair == closest else -1.0
            loss = 1.0 - sign * links[0]
            link_gradient[0] = -sign if loss > 0.0 else 0.0
            total_loss += max(loss, 0.0)
            step(rows, item, pair, pair + 1, link_gradient, rate, lam, weights, scratch)
        clear_item_vector(rows, item, scratch.item_vector)
    return total_loss
