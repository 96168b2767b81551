"""Newton steps on the dual of a structural SVM, for when steps along pairs of planes are slow."""

import numpy as np
from scipy.linalg import LinAlgError, solve

from coterie._core.arrays import Bools, Floats, Ints

RIDGE = 1e-12
"""The ridge added to a Gram matrix, which may be singular, relative to its mean diagonal."""

MAX_STEPS = 50
"""The largest number of Newton steps in one call."""


def newton_ascend(
    gram: Floats, losses: Floats, block_of: Ints, caps: Floats, alpha: Floats
) -> None:
    """Raise lossesᵀα − ½ αᵀGα in place, by moving all positive entries of α at once.

    Each step goes to the best point of the face that the positive entries span; blocks that use up
    their cap keep their sum. If an entry would fall below 0 or a block rise above its cap, the step
    stops there, and the next step is on the smaller face.
    """
    for _ in range(MAX_STEPS):
        positive = np.flatnonzero(alpha > 0)
        block_sums = np.bincount(block_of, alpha, len(caps))
        is_full = block_sums >= caps * (1 - 1e-12)
        direction = _direction(gram, losses, alpha, positive, block_of, is_full)
        if direction is None:
            return
        blocks, unused = block_of[positive], caps - block_sums
        length = _longest_step(alpha[positive], direction, blocks, unused, is_full)
        alpha[positive] = np.maximum(alpha[positive] + min(length, 1.0) * direction, 0.0)
        if length >= 1.0:
            return
        # The entry that stopped the step is 0 up to rounding; now it leaves the face.
        is_empty = alpha[positive] <= 1e-14 * caps[blocks]
        alpha[positive[(direction < 0) & is_empty]] = 0.0


def _direction(
    gram: Floats, losses: Floats, alpha: Floats, positive: Ints, block_of: Ints, is_full: Bools
) -> Floats | None:
    """Return the step p to the best point of the face, or None if the dual does not rise along it.

    It solves the conditions of the optimum, G p + Aᵀλ = gradient and A p = 0, where a row of A sums
    the entries of a full block.
    """
    face_gram = gram[np.ix_(positive, positive)]
    gradient = losses[positive] - face_gram @ alpha[positive]
    blocks = block_of[positive]
    full_blocks = np.unique(blocks[is_full[blocks]])
    block_rows = np.equal.outer(full_blocks, blocks).astype(np.float64)
    size = len(positive)
    system = np.zeros((size + len(full_blocks), size + len(full_blocks)))
    # Divided by its mean diagonal, the Gram matrix has entries of the size of those of A.
    scale = max(float(np.trace(face_gram)) / max(size, 1), 1e-300)
    system[:size, :size] = face_gram / scale
    system[:size, :size][np.diag_indices(size)] += RIDGE
    system[size:, :size], system[:size, size:] = block_rows, block_rows.T
    right_side = np.concatenate([gradient / scale, np.zeros(len(full_blocks))])
    try:
        step: Floats = solve(system, right_side, assume_a="sym", check_finite=False)[:size]
    except LinAlgError:
        return None
    step = _without_drift(step, blocks, full_blocks)
    # The slope is tested, not the curvature: for linearly dependent planes the curvature is 0 up to
    # rounding, of either sign, and the dual rises until an entry reaches 0.
    rises = float(gradient @ step) > 0.0 and bool(np.isfinite(step).all())
    return step if rises else None


def _without_drift(direction: Floats, blocks: Ints, full_blocks: Ints) -> Floats:
    """Remove the changes of the sums of full blocks, which are rounding errors."""
    for block in full_blocks:
        in_block = blocks == block
        direction[in_block] -= direction[in_block].mean()
    return direction


def _longest_step(
    alpha: Floats, direction: Floats, blocks: Ints, unused: Floats, is_full: Bools
) -> float:
    """Return the longest step that keeps entries at 0 or above and blocks within their caps."""
    is_falling = direction < 0
    limits = [np.inf, *(alpha[is_falling] / -direction[is_falling])]
    increases = np.bincount(blocks, direction, len(unused))
    is_limited = (increases > 0) & ~is_full
    limits.extend(unused[is_limited] / increases[is_limited])
    return float(min(limits))
