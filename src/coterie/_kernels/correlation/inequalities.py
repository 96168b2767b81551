"""Inequalities that a relaxed partition violates; they tighten linear programs.

Triangles e_ab + e_bc − e_ac ≤ 1, and stars Σ_t e_it − Σ_{t<u} e_tu ≤ 1 with a centre i and tips
t, u.
"""

import numpy as np

from coterie._kernels.compiling import kernel


@kernel
def violated_triangles(relaxed, scores, below, tol):
    """Find the most violated triangle of each pair a < c that scores less than `below`.

    Returns the middle items and the ends, of shape (r, 3) as (b, a, c), where
    e_ab + e_bc − e_ac − 1 > tol. Among equally violated triangles the choice of the middle varies
    with c: rows that share few pairs lower the bound much faster.
    """
    n_items = len(relaxed)
    # e_bc ≤ 1, so a triangle can be violated by more than tol only if e_ab > tol.
    near, n_near = _neighbours(relaxed, tol)
    triangles = np.empty((64, 3), np.intp)
    count = 0
    for a in range(n_items):
        for c in range(a + 1, n_items):
            if scores[a, c] >= below:
                continue
            middle = -1
            most = 1.0 + relaxed[a, c] + tol
            for step in range(n_near[a]):
                b = near[a, (step + c) % n_near[a]]
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

    Each triangle (b, a, c) gets the weight min(r_ab, r_bc, −r_ac), where r is what remains of the
    scores, and takes that weight from its three pairs. Repulsive pairs are visited in index order,
    and each takes the strongest middles first. The sum of positive scores minus the sum of the
    weights bounds the value of every partition. Returns the triangles, of shape (r, 3), and their
    weights.
    """
    n_items = len(scores)
    remaining = scores.copy()
    near, n_near = _neighbours(scores, 0.0)
    triangles = np.empty((64, 3), np.intp)
    weights = np.empty(64)
    count = 0
    for a in range(n_items):
        for c in range(a + 1, n_items):
            # Each round uses up a pair: (a, c), which ends the loop, or one of the attractive ones,
            # which is never a side of a triangle again.
            while remaining[a, c] < 0.0:
                middle, weight = -1, 0.0
                for position in range(n_near[a]):
                    b = near[a, position]
                    amount = min(remaining[a, b], remaining[b, c])
                    if amount > weight and b != c:
                        middle, weight = b, amount
                if middle < 0:
                    break
                weight = min(weight, -remaining[a, c])
                # r = s − Aᵀy, where the row of a triangle has +1 on (a, b) and (b, c) and −1 on
                # (a, c). No r changes its sign, so the bound Σ y + Σ max(r, 0) falls by the weight.
                for end in (a, c):
                    remaining[end, middle] -= weight
                    remaining[middle, end] -= weight
                remaining[a, c] += weight
                remaining[c, a] += weight
                if count == len(weights):
                    triangles = np.concatenate((triangles, np.empty_like(triangles)))
                    weights = np.concatenate((weights, np.empty_like(weights)))
                triangles[count, 0], triangles[count, 1], triangles[count, 2] = middle, a, c
                weights[count] = weight
                count += 1
    return triangles[:count].copy(), weights[:count].copy()


@kernel
def _neighbours(matrix, above):
    """List the other items whose entry in an item's row is greater than `above`."""
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
    Returns the stars one after the other, centre first, and their lengths: for each centre at most
    `max_stars`, the first ones that are violated, none of which starts at a tip of another.
    """
    n_items = len(relaxed)
    stars = np.empty(16 * n_items, np.intp)
    lengths = np.empty(16, np.intp)
    count, filled = 0, 0
    gains = np.empty(n_items)
    tips = np.empty(n_items, np.intp)
    for centre in range(n_items):
        done = np.zeros(n_items, np.bool_)
        n_stars = 0
        for first in range(n_items):
            share = relaxed[centre, first]
            # Only pairs that are joined in part: if those of the centre were all 0 or 1, a violated
            # star would contain a violated triangle.
            if done[first] or first == centre or share <= tol or share >= 1.0 - tol:
                continue
            n_tips, total = _grow_star(relaxed, centre, first, tol, gains, tips)
            # With two tips the star is a triangle, which has a search of its own.
            if n_tips < 3 or total <= 1.0 + tol:
                continue
            if filled + n_items >= len(stars):
                stars = np.concatenate((stars, np.empty_like(stars)))
            if count == len(lengths):
                lengths = np.concatenate((lengths, np.empty_like(lengths)))
            stars[filled] = centre
            for position in range(n_tips):
                stars[filled + 1 + position] = tips[position]
                done[tips[position]] = True
            filled += n_tips + 1
            lengths[count] = n_tips + 1
            count += 1
            n_stars += 1
            if n_stars == max_stars:
                break
    return stars[:filled].copy(), lengths[:count].copy()


@kernel
def _grow_star(relaxed, centre, first, tol, gains, tips):
    """Grow one star; return its number of tips and Σ_t e_it − Σ_{t<u} e_tu."""
    # gains[u] = e_iu − Σ_{t ∈ tips} e_tu is what u would add to the left side as the next tip.
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
            # The diagonal is 1, so the gain of a tip is negative from now on: no tip comes twice.
            gains[item] -= relaxed[tip, item]
            if gains[item] > gains[best]:
                best = item
        tip = best
    return n_tips, total


@kernel
def star_rows(stars, lengths, n_items):
    """Return the number of pairs of each star, their positions in condensed order, and signs."""
    counts = (lengths * (lengths - 1) // 2).astype(np.int32)
    columns = np.empty(counts.sum(), np.int32)
    signs = np.empty(len(columns))
    start, entry = 0, 0
    for length in lengths:
        for first in range(start, start + length):
            for second in range(first + 1, start + length):
                low = min(stars[first], stars[second])
                high = max(stars[first], stars[second])
                columns[entry] = low * (2 * n_items - low - 1) // 2 + high - low - 1
                # The centre is the first of its star, so its pairs are those of the first position.
                signs[entry] = 1.0 if first == start else -1.0
                entry += 1
        start += length
    return counts, columns, signs
