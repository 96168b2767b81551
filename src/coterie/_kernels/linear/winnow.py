"""Passes of Winnow over examples in two classes: one node a class, multiplicative updates.

The mean of the weights over the run is found lazily: before a weight changes, it is added to `sums`
once for each example after which it stood. All are positive, so that nothing cancels.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.compiling import inlined, kernel

SMALLEST, LARGEST = 1e-100, 1e100
"""What the weights are kept between: none is ever 0, which no factor would change again."""


class SparseRows(NamedTuple):
    """Features of examples, row by row: none is negative, and zeros are left out."""

    ends: Ints
    """Where the entries of each row begin, and where the last ones end."""
    columns: Ints
    values: Floats


class WinnowNodes(NamedTuple):
    """Where a run stands; one row a class, one column a feature, and one for the constant."""

    weights: Floats
    sums: Floats
    """The sum of each weight after each example, up to its last change."""
    since: Ints
    """How many examples there were before the one of that change."""


@kernel
def winnow_pass(rows, classes, order, n_before, log_rates, bounds, nodes):
    """Show the examples, in an order, to both nodes; `n_before` were shown in earlier passes.

    The node of an example's class is promoted, w ← w exp(log_rates[1] x), where its activation is
    at most bounds[1]; the other node is demoted, by log_rates[0], where its is above bounds[0].
    """
    for place, example in enumerate(order):
        for node in range(2):
            activation = activate(rows, example, nodes.weights[node])
            own = classes[example] == node
            if own and activation <= bounds[1]:
                update(rows, example, log_rates[1], n_before + place, nodes, node)
            elif not own and activation > bounds[0]:
                update(rows, example, log_rates[0], n_before + place, nodes, node)


@inlined
def activate(rows, example, weights):
    """Return the weighted sum of an example's features, the constant among them."""
    total = weights[-1]
    for entry in range(rows.ends[example], rows.ends[example + 1]):
        total += weights[rows.columns[entry]] * rows.values[entry]
    return total


@inlined
def update(rows, example, log_rate, n_seen, nodes, node):
    """Multiply the weights of an example's features, and that of the constant."""
    change(nodes, node, nodes.weights.shape[1] - 1, log_rate, n_seen)
    for entry in range(rows.ends[example], rows.ends[example + 1]):
        change(nodes, node, rows.columns[entry], log_rate * rows.values[entry], n_seen)


@inlined
def change(nodes, node, column, log_factor, n_seen):
    """Multiply a weight, within bounds, and keep the sum of all its values right."""
    weight = nodes.weights[node, column]
    nodes.sums[node, column] += weight * (n_seen - nodes.since[node, column])
    nodes.since[node, column] = n_seen
    nodes.weights[node, column] = min(max(weight * exp(log_factor), SMALLEST), LARGEST)


def start_nodes(weight: float, n_columns: int) -> WinnowNodes:
    """Begin a run with all weights the same."""
    shape = 2, n_columns + 1
    return WinnowNodes(np.full(shape, weight), np.zeros(shape), np.zeros(shape, dtype=np.intp))


def mean_weights(nodes: WinnowNodes, n_seen: int) -> Floats:
    """Return the mean of the weights after each of the examples so far."""
    total: Floats = nodes.sums + nodes.weights * (n_seen - nodes.since)
    return total / n_seen
