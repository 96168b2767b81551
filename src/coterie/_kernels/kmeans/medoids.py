"""FasterPAM (Schubert & Rousseeuw 2021): swap a medoid for any item that lowers the loss."""

import numpy as np

from coterie._kernels.compiling import kernel

TOLERANCE = 1e-12
"""The least gain of a swap, as a share of the largest loss there could be: above its rounding."""


@kernel
def swap_medoids(distances, medoids):
    """Swap until no swap lowers Σ_i min_m d(i, m); change `medoids`, return the loss.

    Candidates are taken in index order, again and again; each replaces the medoid whose loss it
    makes up best, the first among equals, as soon as that pays.
    """
    n_items = len(distances)
    nearest = np.empty((n_items, 2), np.intp)
    near = np.empty((n_items, 2))
    # What stands in for the distance to a second medoid where there is but one.
    far = 2.0 * distances.max()
    least = TOLERANCE * n_items * distances.max()
    for item in range(n_items):
        _rescan(distances, medoids, item, nearest, near, far)
    loss = near[:, 0].sum()
    is_medoid = np.zeros(n_items, np.bool_)
    is_medoid[medoids] = True
    removal = _removal(nearest, near, len(medoids))
    candidate = 0
    still = 0
    while still < n_items:
        still += 1
        if not is_medoid[candidate]:
            change, place = _best_swap(distances[candidate], nearest, near, removal)
            if change < -least:
                is_medoid[medoids[place]] = False
                is_medoid[candidate] = True
                medoids[place] = candidate
                _replaced(distances, medoids, place, nearest, near, far)
                removal = _removal(nearest, near, len(medoids))
                loss = near[:, 0].sum()
                still = 1
        candidate = candidate + 1 if candidate + 1 < n_items else 0
    return loss


@kernel
def _best_swap(row, nearest, near, removal):
    """Return the change of the loss by the best swap with a candidate, and the medoid's place.

    One pass serves all medoids: what the candidate draws to itself is common to them, and only the
    items of the medoid that goes need their second nearest.
    """
    common = 0.0
    changes = removal.copy()
    for item in range(len(row)):
        if row[item] < near[item, 0]:
            common += row[item] - near[item, 0]
            changes[nearest[item, 0]] += near[item, 0] - near[item, 1]
        elif row[item] < near[item, 1]:
            changes[nearest[item, 0]] += row[item] - near[item, 1]
    place = changes.argmin()
    return changes[place] + common, place


@kernel
def _removal(nearest, near, n_medoids):
    """Say how much the loss grows without each medoid."""
    removal = np.zeros(n_medoids)
    for item in range(len(near)):
        removal[nearest[item, 0]] += near[item, 1] - near[item, 0]
    return removal


@kernel
def _replaced(distances, medoids, place, nearest, near, far):
    """Repair the two nearest medoids of every item after one was replaced."""
    row = distances[medoids[place]]
    for item in range(len(distances)):
        if nearest[item, 0] == place or nearest[item, 1] == place:
            _rescan(distances, medoids, item, nearest, near, far)
        elif row[item] < near[item, 0]:
            nearest[item, 1], near[item, 1] = nearest[item, 0], near[item, 0]
            nearest[item, 0], near[item, 0] = place, row[item]
        elif row[item] < near[item, 1]:
            nearest[item, 1], near[item, 1] = place, row[item]


@kernel
def _rescan(distances, medoids, item, nearest, near, far):
    """Find the two nearest medoids of an item among all."""
    nearest[item] = -1
    near[item] = far
    for place in range(len(medoids)):
        distance = distances[item, medoids[place]]
        if distance < near[item, 0]:
            nearest[item, 1], near[item, 1] = nearest[item, 0], near[item, 0]
            nearest[item, 0], near[item, 0] = place, distance
        elif distance < near[item, 1]:
            nearest[item, 1], near[item, 1] = place, distance
