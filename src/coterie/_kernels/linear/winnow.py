"""Passes of Winnow over examples of two classes: one node per class, multiplicative updates.

Winnow is due to Littlestone 1988; nodes of several classes that compete are those of SNoW. The mean
of the weights over the run is kept lazily: before a weight changes, it is added to `sums` once for
each example after which it had its value. All weights are positive, so that nothing cancels.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.compiling import inlined, kernel

SMALLEST, LARGEST = 1e-100, 1e100
"""The bounds of all weights: no weight is ever 0, which no factor would change again."""


class SparseRows(NamedTuple):
    """Features of examples, row by row: no value is negative, and zeros are left out."""

    indptr: Ints
    """Offsets of the entries of each row, with the number of entries at the end."""
    columns: Ints
    values: Floats


class WinnowNodes(NamedTuple):
    """The state of a run: one row per class, one column per feature and one for the constant."""

    weights: Floats
    sums: Floats
    """The sum of each weight after each example, up to its last change."""
    since: Ints
    """The number of examples before the one of each weight's last change."""


@kernel
def winnow_pass(rows, classes, order, n_before, log_rates, bounds, nodes):
    """Show the examples, in an order, to both nodes; `n_before` were shown in earlier passes.

    The node of an example's class is promoted, w ← w exp(log_rates[1] x), where its activation is
    at most bounds[1]; the other node is demoted, by log_rates[0], where its activation is above
    bounds[0].
    """
    for position, example in enumerate(order):
        for node in range(2):
            activation = activate(rows, example, nodes.weights[node])
            is_class_node = classes[example] == node
            if is_class_node and activation <= bounds[1]:
                update(rows, example, log_rates[1], n_before + position, nodes, node)
            elif not is_class_node and activation > bounds[0]:
                update(rows, example, log_rates[0], n_before + position, nodes, node)


@inlined
def activate(rows, example, weights):
    """Return the weighted sum of an example's features, the constant among them."""
    total = weights[-1]
    for entry in range(rows.indptr[example], rows.indptr[example + 1]):
        total += weights[rows.columns[entry]] * rows.values[entry]
    return total


@inlined
def update(rows, example, log_rate, n_seen, nodes, node):
    """Multiply the weights of an example's features, and the weight of the constant."""
    change(nodes, node, nodes.weights.shape[1] - 1, log_rate, n_seen)
    for entry in range(rows.indptr[example], rows.indptr[example + 1]):
        change(nodes, node, rows.columns[entry], log_rate * rows.values[entry], n_seen)


@inlined
def change(nodes, node, column, log_factor, n_seen):
    """Multiply a weight, within bounds, and keep the sum of all its values right."""
    # The old value held after the examples since, …, n_seen − 1. Adding them up here, not after
    # every example, makes an update cost its own features alone.
    weight = nodes.weights[node, column]
    nodes.sums[node, column] += weight * (n_seen - nodes.since[node, column])
    nodes.since[node, column] = n_seen
    nodes.weights[node, column] = min(max(weight * exp(log_factor), SMALLEST), LARGEST)


def start_nodes(weight: float, n_columns: int) -> WinnowNodes:
    """Begin a run with the same weight everywhere."""
    shape = 2, n_columns + 1
    return WinnowNodes(np.full(shape, weight), np.zeros(shape), np.zeros(shape, dtype=np.intp))


def mean_weights(nodes: WinnowNodes, n_seen: int) -> Floats:
    """Return the mean of the weights after each of the examples so far."""
    # The last value of each weight is not in its sum yet: it held from its last change until now.
    total: Floats = nodes.sums + nodes.weights * (n_seen - nodes.since)
    return total / n_seen
