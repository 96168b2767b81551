"""Newton steps on the free part of a dual, where steps along pairs of planes get slow."""

import numpy as np
from scipy.linalg import LinAlgError, solve

from coterie._core.arrays import Bools, Floats, Ints

RIDGE = 1e-12
"""What is added to the diagonal of a Gram matrix without full rank, as a share of its mean."""

MOST_LEAPS = 50


def leap(gram: Floats, losses: Floats, block_of: Ints, caps: Floats, alpha: Floats) -> None:
    """Raise lossesᵀα − ½ αᵀGα in place, by moving all positive entries at once.

    Each step goes to the best point of the face that they span: blocks that use up their cap keep
    their sum. Where an entry would fall below 0 first, or a block rise above its cap, the step
    stops there, and the next one is on the smaller face.
    """
    for _ in range(MOST_LEAPS):
        free = np.flatnonzero(alpha > 0)
        used = np.bincount(block_of, alpha, len(caps))
        full = used >= caps * (1 - 1e-12)
        direction = _direction(gram, losses, alpha, free, block_of, full)
        if direction is None:
            return
        length = _longest(alpha[free], direction, block_of[free], caps - used, full)
        alpha[free] = np.maximum(alpha[free] + min(length, 1.0) * direction, 0.0)
        if length >= 1.0:
            return
        # What stopped the step is 0 now, up to rounding.
        falling = direction < 0
        alpha[free[falling & (alpha[free] <= 1e-14 * caps[block_of[free]])]] = 0.0


def _direction(
    gram: Floats, losses: Floats, alpha: Floats, free: Ints, block_of: Ints, full: Bools
) -> Floats | None:
    """Solve for the best point of the face: G p + Aᵀλ = gradient, A p = 0 for full blocks."""
    own = gram[np.ix_(free, free)]
    gradient = losses[free] - own @ alpha[free]
    held = np.unique(block_of[free][full[block_of[free]]])
    sums = np.equal.outer(held, block_of[free]).astype(np.float64)
    size = len(free)
    system = np.zeros((size + len(held), size + len(held)))
    scale = max(float(np.trace(own)) / max(size, 1), 1e-300)
    system[:size, :size] = own / scale
    system[:size, :size][np.diag_indices(size)] += RIDGE
    system[size:, :size], system[:size, size:] = sums, sums.T
    right = np.concatenate([gradient / scale, np.zeros(len(held))])
    try:
        found: Floats = solve(system, right, assume_a="sym", check_finite=False)[:size]
    except LinAlgError:
        return None
    found = _without_drift(found, block_of[free], held)
    # Its curvature is no test: along planes that depend on each other it is 0 up to rounding, of
    # either sign, and the dual rises until an entry reaches 0.
    rises = float(gradient @ found) > 0.0 and bool(np.isfinite(found).all())
    return found if rises else None


def _without_drift(direction: Floats, blocks: Ints, held: Ints) -> Floats:
    """Take out what rounding adds to the sums of full blocks."""
    for block in held:
        mine = blocks == block
        direction[mine] -= direction[mine].mean()
    return direction


def _longest(alpha: Floats, direction: Floats, blocks: Ints, room: Floats, full: Bools) -> float:
    """Return the longest step that keeps entries at 0 or above and blocks within their caps."""
    falling = direction < 0
    limits = [np.inf, *(alpha[falling] / -direction[falling])]
    rise = np.bincount(blocks, direction, len(room))
    open_ = (rise > 0) & ~full
    limits.extend(room[open_] / rise[open_])
    return float(min(limits))
