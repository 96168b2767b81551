"""Shapley values of the features of a row in a sum of trees, by path-dependent expectations.

On the path to a leaf of value v, feature i has o_i = 1 where the row passes all its tests, else 0,
and z_i, the product over its tests of the share of training pairs that pass it. Given the features
S alone, the leaf counts v Π_{i∈S} o_i Π_{i∉S} z_i (Lundberg et al. 2018, Algorithm 1). The Shapley
value is the integral of the multilinear extension over its diagonal (Owen 1972):

    φ_j = Σ_leaves v (o_j − z_j) ∫₀¹ Π_{i≠j} (o_i t + z_i (1 − t)) dt.

For k features on a path, that is a polynomial in t of degree k − 1, whose integral k/2
Gauss-Legendre points give exactly; no factor is negative, so that nothing cancels. At each point,
one walk down multiplies the factors and one walk up sums over leaves: nodes × points per row, where
Algorithm 2 takes leaves × depth². Each node but a root represents the test that leads to it.
"""

from typing import NamedTuple

import numpy as np

from coterie._kernels.compiling import kernel


class Paths(NamedTuple):
    """Shares of training pairs at the tests that lead to nodes, and which tests repeat a column."""

    parents: np.ndarray
    above: np.ndarray
    """The last node before, on the same path, whose test is of the same column; −1 for none."""
    shares: np.ndarray
    """The share of the parent's training pairs that pass the test."""
    column_shares: np.ndarray
    """z: the product of the shares of this test and of the tests of its column above it."""
    reach_shares: np.ndarray
    """The share of all training pairs that reach the node."""


@kernel
def trace_paths(nodes, covers):
    """Follow all paths down, and return the largest number of features on one of them too."""
    n_nodes = len(nodes.columns)
    parents, above = np.full(n_nodes, -1, np.int32), np.full(n_nodes, -1, np.int32)
    shares, column_shares, reach_shares = np.ones(n_nodes), np.ones(n_nodes), np.ones(n_nodes)
    counts = np.zeros(n_nodes, np.intp)
    # Children come after their parents, so that everything above a node is final by then.
    for parent in range(n_nodes):
        column = nodes.columns[parent]
        if column < 0:
            continue
        # The test that leads to a node is of its parent's column. The climb ends at a node whose
        # parent tests this column, or at the root, to which no test leads.
        before = parent
        while parents[before] >= 0 and nodes.columns[parents[before]] != column:
            before = parents[before]
        before = before if parents[before] >= 0 else -1
        left, right = nodes.lefts[parent], nodes.rights[parent]
        for child in (left, right):
            parents[child], above[child] = parent, before
            shares[child] = covers[child] / (covers[left] + covers[right])
            column_shares[child] = shares[child] * (column_shares[before] if before >= 0 else 1.0)
            reach_shares[child] = shares[child] * reach_shares[parent]
            counts[child] = counts[parent] + (before < 0)
    return Paths(
        parents, above, shares, column_shares, reach_shares
    ), counts.max() if n_nodes else 0


@kernel
def add_contributions(matrix, nodes, paths, points, weights, sums):
    """Add the Shapley values of each row to the row of `sums`, tree by tree.

    `points` and `weights` are those of a quadrature from 0 to 1.
    """
    n_trees, n_nodes = len(nodes.roots), len(nodes.columns)
    bounds = np.append(nodes.roots, np.int32(n_nodes))
    most = 0
    for tree in range(n_trees):
        most = max(most, bounds[tree + 1] - bounds[tree])
    # Scratch of the largest tree, one row per node counted from its root. The quadrature points
    # come last: the innermost loops run over them, side by side in memory.
    factors = np.empty((most, 3, len(points)))
    products = np.empty((most, len(points)))
    totals = np.empty((most, len(points)))
    passed = np.empty(most, np.bool_)
    for tree in range(n_trees):
        first, last = bounds[tree], bounds[tree + 1]
        _fill_factors(first, last, paths, points, factors)
        for row in range(len(matrix)):
            _walk_down(first, last, matrix[row], nodes, paths, factors, products, passed)
            _sum_leaves(first, last, nodes, weights, products, totals)
            _walk_up(first, last, nodes, paths, points, factors, totals, passed, sums[row])


@kernel
def _fill_factors(first, last, paths, points, factors):
    """Write the factors of each test that depend on no row.

    0 multiplies the product over the path where the test is passed, 1 where it is not; both replace
    the factor of the test above, which was passed. 2 is (1 − z) over the factor of a passed test.
    """
    for node in range(first + 1, last):
        z, above = paths.column_shares[node], paths.above[node]
        node_factors = factors[node - first]
        for point in range(len(points)):
            t = points[point]
            # A feature has one factor however often it is tested. The test above has put
            # t + z'(1 − t) into the product, which is divided out again.
            before = t + paths.column_shares[above] * (1.0 - t) if above >= 0 else 1.0
            passing = t + z * (1.0 - t)
            node_factors[0, point] = passing / before
            node_factors[1, point] = z * (1.0 - t) / before
            node_factors[2, point] = (1.0 - z) / passing


@kernel
def _walk_down(first, last, row_values, nodes, paths, factors, products, passed):
    """Multiply o t + z (1 − t) over the features of each path."""
    products[0] = 1.0
    for node in range(first + 1, last):
        parent, above = paths.parents[node], paths.above[node]
        goes_left = row_values[nodes.columns[parent]] <= nodes.thresholds[parent]
        passed_above = above < 0 or passed[above - first]
        passes = passed_above and goes_left == (nodes.lefts[parent] == node)
        passed[node - first] = passes
        parent_products, node_products = products[parent - first], products[node - first]
        if passed_above:
            factor = factors[node - first, 0 if passes else 1]
            for point in range(len(node_products)):
                node_products[point] = parent_products[point] * factor[point]
        else:
            # The feature's factor is z'(1 − t) already, with o = 0 for good. Only z shrinks, by
            # the share of this test.
            for point in range(len(node_products)):
                node_products[point] = parent_products[point] * paths.shares[node]


@kernel
def _sum_leaves(first, last, nodes, weights, products, totals):
    """Weigh the product of each leaf by its value, and start the sums of other nodes at 0."""
    for node in range(first, last):
        node_totals = totals[node - first]
        if nodes.columns[node] < 0:
            value = nodes.values[node]
            for point in range(len(node_totals)):
                node_totals[point] = value * weights[point] * products[node - first, point]
        else:
            node_totals[:] = 0.0


@kernel
def _walk_up(first, last, nodes, paths, points, factors, totals, passed, sums):
    """Add (o − z)/(o t + z (1 − t)) times the leaves below a test, less that of the test above.

    Where a test is not passed, that is −1/(1 − t), whatever z is.
    """
    # A leaf counts with the last test of each feature on its path. Adding each test's quotient and
    # subtracting that of the test above leaves only the last one: the sum along a path telescopes.
    # In descending order, all children have added their leaves before their parent is used.
    for node in range(last - 1, first, -1):
        parent, above = paths.parents[node], paths.above[node]
        node_totals, parent_totals = totals[node - first], totals[parent - first]
        passes = passed[node - first]
        total = 0.0
        if above < 0:
            for point in range(len(node_totals)):
                gain = factors[node - first, 2, point] if passes else -1.0 / (1.0 - points[point])
                total += node_totals[point] * gain
        elif passed[above - first]:
            for point in range(len(node_totals)):
                gain = factors[node - first, 2, point] if passes else -1.0 / (1.0 - points[point])
                total += node_totals[point] * (gain - factors[above - first, 2, point])
        # Below a test that is not passed, both quotients are −1/(1 − t): there is nothing to add.
        sums[nodes.columns[parent]] += total
        for point in range(len(node_totals)):
            parent_totals[point] += node_totals[point]
