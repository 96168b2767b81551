"""Inequalities that a relaxed partition violates, by which linear programs are tightened.

Triangles e_ab + e_bc − e_ac ≤ 1, and stars Σ_t e_it − Σ_{t<u} e_tu ≤ 1.
"""

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
def pack_triangles(scores):
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


@kernel
def violated_stars(relaxed, tol, max_stars):
    """Grow stars of three and more tips greedily, from each centre and each first tip.

    The tip that adds most comes next, the smaller index among equals, until none adds anything.
    Returns the stars one after the other, centre first, and their lengths: at most `max_stars` for
    each centre, those found first, none begun at a tip of another.
    """
    n_items = len(relaxed)
    stars = np.empty(16 * n_items, np.intp)
    lengths = np.empty(16, np.intp)
    count, filled = 0, 0
    gains = np.empty(n_items)
    tips = np.empty(n_items, np.intp)
    for centre in range(n_items):
        done = np.zeros(n_items, np.bool_)
        found = 0
        for first in range(n_items):
            share = relaxed[centre, first]
            if done[first] or first == centre or share <= tol or share >= 1.0 - tol:
                continue
            n_tips, total = _grown(relaxed, centre, first, tol, gains, tips)
            if n_tips < 3 or total <= 1.0 + tol:
                continue
            if filled + n_items >= len(stars):
                stars = np.concatenate((stars, np.empty_like(stars)))
            if count == len(lengths):
                lengths = np.concatenate((lengths, np.empty_like(lengths)))
            stars[filled] = centre
            for at in range(n_tips):
                stars[filled + 1 + at] = tips[at]
                done[tips[at]] = True
            filled += n_tips + 1
            lengths[count] = n_tips + 1
            count += 1
            found += 1
            if found == max_stars:
                break
    return stars[:filled].copy(), lengths[:count].copy()


@kernel
def _grown(relaxed, centre, first, tol, gains, tips):
    """Grow one star; return its number of tips and Σ_t e_it − Σ_{t<u} e_tu."""
    for item in range(len(gains)):
        gains[item] = 0.0 if item == centre else relaxed[centre, item]
    total = 0.0
    n_tips = 0
    tip = first
    while gains[tip] > tol:
        total += gains[tip]
        tips[n_tips] = tip
        n_tips += 1
        gains[tip] = 0.0
        best = centre
        for item in range(len(gains)):
            # The diagonal is 1: what has been taken never gains again.
            gains[item] -= relaxed[tip, item]
            if gains[item] > gains[best]:
                best = item
        tip = best
    return n_tips, total


@kernel
def star_rows(stars, lengths, n_items):
    """Return the number of pairs of each star, the pairs in condensed order, and their signs."""
    counts = (lengths * (lengths - 1) // 2).astype(np.int32)
    columns = np.empty(counts.sum(), np.int32)
    signs = np.empty(len(columns))
    begin, at = 0, 0
    for length in lengths:
        for one in range(begin, begin + length):
            for other in range(one + 1, begin + length):
                low = min(stars[one], stars[other])
                high = max(stars[one], stars[other])
                columns[at] = low * (2 * n_items - low - 1) // 2 + high - low - 1
                signs[at] = 1.0 if one == begin else -1.0
                at += 1
        begin += length
    return counts, columns, signs
