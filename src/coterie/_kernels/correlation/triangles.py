"""Triangle inequalities e_ab + e_bc − e_ac ≤ 1 of relaxed partitions."""

import numpy as np

from coterie._kernels.compiling import kernel


@kernel
def violated_triangles(relaxed, scores, below, tol):
    """Find the most violated triangle of each pair a < c that scores less than `below`.

    Returns the middle items and the ends, of shape (r, 3) as (b, a, c), where
    e_ab + e_bc − e_ac − 1 > tol. Among equals the middles go round with c: rows that lean on
    different pairs bring the bound down much faster.
    """
    n_items = len(relaxed)
    near, n_near = _neighbours(relaxed, tol)
    triangles = np.empty((64, 3), np.intp)
    count = 0
    for a in range(n_items):
        for c in range(a + 1, n_items):
            if scores[a, c] >= below:
                continue
            middle = -1
            most = 1.0 + relaxed[a, c] + tol
            for at in range(n_near[a]):
                b = near[a, (at + c) % n_near[a]]
                if relaxed[a, b] + relaxed[b, c] > most and b != c:
                    middle = b
                    most = relaxed[a, b] + relaxed[b, c]
            if middle >= 0:
                if count == len(triangles):
                    triangles = np.concatenate((triangles, np.empty_like(triangles)))
                triangles[count, 0], triangles[count, 1], triangles[count, 2] = middle, a, c
                count += 1
    return triangles[:count].copy()


@kernel
def packed_triangles(scores):
    """Pack triangles of two attractive pairs and a repulsive one greedily, as a dual start.

    Each triangle (b, a, c) gets the weight min(r_ab, r_bc, −r_ac) of what is left of the scores,
    which it takes away from the three; the repulsive pairs come in index order, and take the
    strongest middles first. The sum of positive scores less that of the weights bounds the value
    of every partition. Returns the triangles, of shape (r, 3), and their weights.
    """
    n_items = len(scores)
    left = scores.copy()
    near, n_near = _neighbours(scores, 0.0)
    triangles = np.empty((64, 3), np.intp)
    weights = np.empty(64)
    count = 0
    for a in range(n_items):
        for c in range(a + 1, n_items):
            while left[a, c] < 0.0:
                middle, weight = -1, 0.0
                for at in range(n_near[a]):
                    b = near[a, at]
                    amount = min(left[a, b], left[b, c])
                    if amount > weight and b != c:
                        middle, weight = b, amount
                if middle < 0:
                    break
                weight = min(weight, -left[a, c])
                for end in (a, c):
                    left[end, middle] -= weight
                    left[middle, end] -= weight
                left[a, c] += weight
                left[c, a] += weight
                if count == len(weights):
                    triangles = np.concatenate((triangles, np.empty_like(triangles)))
                    weights = np.concatenate((weights, np.empty_like(weights)))
                triangles[count, 0], triangles[count, 1], triangles[count, 2] = middle, a, c
                weights[count] = weight
                count += 1
    return triangles[:count].copy(), weights[:count].copy()


@kernel
def _neighbours(matrix, above):
    """List the other items with which each item has more than `above`."""
    n_items = len(matrix)
    near = np.empty((n_items, n_items), np.int32)
    n_near = np.zeros(n_items, np.intp)
    for a in range(n_items):
        for b in range(n_items):
            if b != a and matrix[a, b] > above:
                near[a, n_near[a]] = b
                n_near[a] += 1
    return near, n_near
