"""Star inequalities Σ_t e_it − Σ_{t<u} e_tu ≤ 1 that a relaxed partition violates."""

import numpy as np

from coterie._kernels.compiling import kernel


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
