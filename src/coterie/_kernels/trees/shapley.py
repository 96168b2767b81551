"""Shapley values of the features of a row in a sum of trees, by path-dependent expectations.

On the way to a leaf of value v, feature i has o_i = 1 where the row passes all its tests, else 0,
and z_i, the product over its tests of the share of training pairs that pass it. Given the features
S alone, the leaf counts v Π_{i∈S} o_i Π_{i∉S} z_i (Lundberg et al. 2018, Algorithm 1). The Shapley
value is the integral of the multilinear extension over its diagonal (Owen 1972):

    φ_j = Σ_leaves v (o_j − z_j) ∫₀¹ Π_{i≠j} (o_i t + z_i (1 − t)) dt.

For k features on a path, that is a polynomial in t of degree k − 1, of which k/2 Gauss-Legendre
points give the integral exactly; every factor is above 0, so that nothing cancels. At each point,
one walk down multiplies the factors, one walk up sums over leaves: nodes × points a row, where
Algorithm 2 takes leaves × depth². Each node but a root stands for the test that leads to it.
"""

from typing import NamedTuple

import numpy as np

from coterie._kernels.compiling import kernel


class Paths(NamedTuple):
    """What the tests that lead to nodes have to do with each other."""

    parents: np.ndarray
    above: np.ndarray
    """The last node before, on the same path, whose test is of the same column; −1 for none."""
    shares: np.ndarray
    """The share of the parent's training pairs that pass the test."""
    kept: np.ndarray
    """z: the product of the shares of this test and of those above it."""
    reach_shares: np.ndarray
    """The share of all training pairs that reach the node."""


@kernel
def trace_paths(nodes, covers):
    """Follow all paths down, and count the features on the one that has most of them."""
    n_nodes = len(nodes.columns)
    parents, above = np.full(n_nodes, -1, np.int32), np.full(n_nodes, -1, np.int32)
    shares, kept, reach_shares = np.ones(n_nodes), np.ones(n_nodes), np.ones(n_nodes)
    counts = np.zeros(n_nodes, np.intp)
    for parent in range(n_nodes):
        column = nodes.columns[parent]
        if column < 0:
            continue
        before = parent
        while parents[before] >= 0 and nodes.columns[parents[before]] != column:
            before = parents[before]
        before = before if parents[before] >= 0 else -1
        left, right = nodes.lefts[parent], nodes.rights[parent]
        for child in (left, right):
            parents[child], above[child] = parent, before
            shares[child] = covers[child] / (covers[left] + covers[right])
            kept[child] = shares[child] * (kept[before] if before >= 0 else 1.0)
            reach_shares[child] = shares[child] * reach_shares[parent]
            counts[child] = counts[parent] + (before < 0)
    return Paths(parents, above, shares, kept, reach_shares), counts.max() if n_nodes else 0


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
    """Say by what a test changes the product where it is passed (0) and where it is not (1).

    Both in place of the factor of the test above, which was passed. Third, (1 − z) over the factor
    of a test that is passed.
    """
    for node in range(first + 1, last):
        kept, above = paths.kept[node], paths.above[node]
        own = factors[node - first]
        for at in range(len(points)):
            t = points[at]
            before = t + paths.kept[above] * (1.0 - t) if above >= 0 else 1.0
            passing = t + kept * (1.0 - t)
            own[0, at] = passing / before
            own[1, at] = kept * (1.0 - t) / before
            own[2, at] = (1.0 - kept) / passing


@kernel
def _walk_down(first, last, numbers, nodes, paths, factors, products, passed):
    """Multiply o t + z (1 − t) over the features of each path."""
    products[0] = 1.0
    for node in range(first + 1, last):
        parent, above = paths.parents[node], paths.above[node]
        left = numbers[nodes.columns[parent]] <= nodes.thresholds[parent]
        so_far = above < 0 or passed[above - first]
        here = so_far and left == (nodes.lefts[parent] == node)
        passed[node - first] = here
        before, own = products[parent - first], products[node - first]
        if so_far:
            factor = factors[node - first, 0 if here else 1]
            for at in range(len(own)):
                own[at] = before[at] * factor[at]
        else:
            for at in range(len(own)):
                own[at] = before[at] * paths.shares[node]


@kernel
def _sum_leaves(first, last, nodes, weights, products, totals):
    """Weigh the product of each leaf by its value, and begin the sums of other nodes at 0."""
    for node in range(first, last):
        own = totals[node - first]
        if nodes.columns[node] < 0:
            value = nodes.values[node]
            for at in range(len(own)):
                own[at] = value * weights[at] * products[node - first, at]
        else:
            own[:] = 0.0


@kernel
def _walk_up(first, last, nodes, paths, points, factors, totals, passed, sums):
    """Add (o − z)/(o t + z (1 − t)) times the leaves behind a test, less that of the test above.

    Where a test is not passed, that is −1/(1 − t), whatever z is.
    """
    for node in range(last - 1, first, -1):
        parent, above = paths.parents[node], paths.above[node]
        own, before = totals[node - first], totals[parent - first]
        here = passed[node - first]
        total = 0.0
        if above < 0:
            for at in range(len(own)):
                gain = factors[node - first, 2, at] if here else -1.0 / (1.0 - points[at])
                total += own[at] * gain
        elif passed[above - first]:
            for at in range(len(own)):
                gain = factors[node - first, 2, at] if here else -1.0 / (1.0 - points[at])
                total += own[at] * (gain - factors[above - first, 2, at])
        sums[nodes.columns[parent]] += total
        for at in range(len(own)):
            before[at] += own[at]
