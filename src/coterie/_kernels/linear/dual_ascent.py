"""The dual of a structural SVM over its cutting planes, by steps along pairs of planes.

A step moves mass between two planes of one block, as SMO does between two examples (Platt 1999).
"""

import numpy as np

from coterie._kernels.compiling import kernel

SLACK = -1
"""The index that means a block's slack in place of one of its planes."""


@kernel
def ascend(gram, gradient, block_of, caps, alpha, tol, max_steps):
    """Raise bᵀα − ½ αᵀGα over α ≥ 0 with Σ α ≤ cap in each block, from a feasible α.

    `gradient` is b − Gα; it changes in place, as α does. A block's unused mass is its slack, whose
    gradient is 0. Each step moves mass inside the block where the best and the worst gradient
    differ most, to its best from the plane that gains most by it. Ends when the duality gap
    Σ cap max(0, best) − αᵀ gradient is at most `tol`, and returns whether it is.
    """
    n_blocks = len(caps)
    used = np.zeros(n_blocks)
    for j in range(len(gradient)):
        used[block_of[j]] += alpha[j]
    best = np.empty(n_blocks)
    best_plane = np.empty(n_blocks, np.intp)
    worst = np.empty(n_blocks)
    for _ in range(max_steps):
        gap = -_find_extremes(gradient, block_of, caps, alpha, used, best, best_plane, worst)
        widest = 0.0
        block = -1
        for b in range(n_blocks):
            gap += caps[b] * best[b]
            if best[b] - worst[b] > widest:
                widest = best[b] - worst[b]
                block = b
        if gap <= tol:
            return True
        if block < 0:
            return False
        up = best_plane[block]
        free = caps[block] - used[block]
        down, amount = _best_giver(gram, gradient, block_of, alpha, block, up, best[block], free)
        if amount <= 0.0:
            return False
        if up == SLACK:
            used[block] -= amount
        else:
            _move(gram, gradient, alpha, up, amount)
        if down == SLACK:
            # Rounding must not use more than the cap: `free` would turn negative.
            used[block] = min(used[block] + amount, caps[block])
        else:
            _move(gram, gradient, alpha, down, -amount)
            # A remainder of rounding would make an empty plane look as if it had mass to give.
            if alpha[down] <= 1e-15 * caps[block]:
                alpha[down] = 0.0
    return False


@kernel
def _find_extremes(gradient, block_of, caps, alpha, used, best, best_plane, worst):
    """Find the best and the worst gradient of each block, and return αᵀ gradient.

    With w = Σ α_j g_j the gradient of plane j is its violation, loss_j − g_j·w. The best one of a
    block, or 0, is therefore its primal slack ξ, and the primal ½‖w‖² + Σ cap ξ less the dual is
    the gap: it costs one pass over the planes.
    """
    for b in range(len(caps)):
        best[b] = 0.0
        best_plane[b] = SLACK
        # Mass can leave a plane only if α > 0, and the slack only if the cap is not used up.
        worst[b] = 0.0 if used[b] < caps[b] else np.inf
    alpha_gradient = 0.0
    for j in range(len(gradient)):
        b = block_of[j]
        if gradient[j] > best[b]:
            best[b] = gradient[j]
            best_plane[b] = j
        if alpha[j] > 0.0:
            alpha_gradient += alpha[j] * gradient[j]
            worst[b] = min(worst[b], gradient[j])
    return alpha_gradient


@kernel
def _best_giver(gram, gradient, block_of, alpha, block, up, high, free):
    """Return the plane that gives mass to plane `up`, and how much; 0 if no step gains anything.

    The plane is chosen by the gain of the whole step, not by its gradient alone (second-order
    selection: Fan, Chen & Lin 2005). The slack, of which `free` is left, is the first candidate.
    """
    up_square = gram[up, up] if up != SLACK else 0.0
    down = SLACK
    amount = 0.0
    largest_gain = 0.0
    if up != SLACK and free > 0.0:
        amount = min(high / up_square, free) if up_square > 0.0 else free
        largest_gain = amount * (high - 0.5 * up_square * amount)
    for j in range(len(gradient)):
        if block_of[j] != block or alpha[j] <= 0.0 or gradient[j] >= high:
            continue
        # ‖g_up − g_j‖²: along e_up − e_j the dual is a parabola of this curvature. Its top is at
        # rise / curvature, unless plane j runs out of mass before.
        curvature = up_square + gram[j, j]
        if up != SLACK:
            curvature -= 2.0 * gram[up, j]
        rise = high - gradient[j]
        length = min(rise / curvature, alpha[j]) if curvature > 0.0 else alpha[j]
        gain = length * (rise - 0.5 * curvature * length)
        if gain > largest_gain:
            largest_gain = gain
            amount = length
            down = j
    return down, amount if largest_gain > 0.0 else 0.0


@kernel
def _move(gram, gradient, alpha, plane, amount):
    """Add mass to a plane, and update the gradient b − Gα."""
    alpha[plane] += amount
    for i in range(len(gradient)):
        gradient[i] -= amount * gram[plane, i]
