"""FasterPAM (Schubert & Rousseeuw 2021): swap a medoid for any item that lowers the loss."""

import numpy as np

from coterie._kernels.compiling import kernel

TOLERANCE = 1e-12
"""The least gain of a swap, as a share of the largest possible loss: above the loss's rounding."""


@kernel
def swap_medoids(distances, medoids):
    """Swap until no swap lowers the loss Σ_i min_m d(i, m); change `medoids`, return the loss.

    Candidates are visited in index order, round after round. As soon as a swap with the candidate
    pays, it replaces the medoid that is best to remove, the first among equals.
    """
    # Row i has the positions in `medoids` of the nearest and the second nearest medoid of item i,
    # and in `near` the distances to them.
    n_items = len(distances)
    nearest = np.empty((n_items, 2), np.intp)
    near = np.empty((n_items, 2))
    # With one medoid there is no second; a distance beyond all others cancels in every change.
    far = 2.0 * distances.max()
    least = TOLERANCE * n_items * distances.max()
    for item in range(n_items):
        _rescan(distances, medoids, item, nearest, near, far)
    loss = near[:, 0].sum()
    is_medoid = np.zeros(n_items, np.bool_)
    is_medoid[medoids] = True
    removal = _removal(nearest, near, len(medoids))
    candidate = 0
    # Candidates visited since the last swap, from the one that it made a medoid on.
    n_visited = 0
    while n_visited < n_items:
        n_visited += 1
        if not is_medoid[candidate]:
            change, position = _best_swap(distances[candidate], nearest, near, removal)
            if change < -least:
                is_medoid[medoids[position]] = False
                is_medoid[candidate] = True
                medoids[position] = candidate
                _update_nearest(distances, medoids, position, nearest, near, far)
                removal = _removal(nearest, near, len(medoids))
                loss = near[:, 0].sum()
                n_visited = 1
        candidate = candidate + 1 if candidate + 1 < n_items else 0
    return loss


@kernel
def _best_swap(row, nearest, near, removal):
    """Return the change of the loss by the best swap with a candidate, and the medoid's position.

    One pass evaluates the swaps with all medoids: what items gain that are nearer to the candidate
    is common to all, and only the items of the medoid that leaves depend on the second nearest.
    """
    common = 0.0
    changes = removal.copy()
    for item in range(len(row)):
        # `removal` sends an item of the medoid that leaves to its second nearest, at near[item, 1].
        # Both branches correct that where the candidate is nearer than the second.
        if row[item] < near[item, 0]:
            common += row[item] - near[item, 0]
            changes[nearest[item, 0]] += near[item, 0] - near[item, 1]
        elif row[item] < near[item, 1]:
            changes[nearest[item, 0]] += row[item] - near[item, 1]
    position = changes.argmin()
    return changes[position] + common, position


@kernel
def _removal(nearest, near, n_medoids):
    """Return how much the loss grows if a medoid is removed, for each medoid."""
    removal = np.zeros(n_medoids)
    for item in range(len(near)):
        removal[nearest[item, 0]] += near[item, 1] - near[item, 0]
    return removal


@kernel
def _update_nearest(distances, medoids, position, nearest, near, far):
    """Repair the two nearest medoids of every item after one was replaced."""
    row = distances[medoids[position]]
    # Only items that had the old medoid among their two nearest must look at all k; any other needs
    # one comparison with the new one.
    for item in range(len(distances)):
        if nearest[item, 0] == position or nearest[item, 1] == position:
            _rescan(distances, medoids, item, nearest, near, far)
        elif row[item] < near[item, 0]:
            nearest[item, 1], near[item, 1] = nearest[item, 0], near[item, 0]
            nearest[item, 0], near[item, 0] = position, row[item]
        elif row[item] < near[item, 1]:
            nearest[item, 1], near[item, 1] = position, row[item]


@kernel
def _rescan(distances, medoids, item, nearest, near, far):
    """Find the two nearest medoids of an item among all of them."""
    nearest[item] = -1
    near[item] = far
    for position in range(len(medoids)):
        distance = distances[item, medoids[position]]
        if distance < near[item, 0]:
            nearest[item, 1], near[item, 1] = nearest[item, 0], near[item, 0]
            nearest[item, 0], near[item, 0] = position, distance
        elif distance < near[item, 1]:
            nearest[item, 1], near[item, 1] = position, distance
