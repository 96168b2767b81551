"""The dual of a structural SVM over its cutting planes, by steps along pairs of planes."""

import numpy as np

from coterie._kernels.compiling import kernel

SLACK = -1


@kernel
def ascend(gram, gradient, block_of, caps, alpha, tol, max_steps):
    """Raise bᵀα − ½ αᵀGα over α ≥ 0 with Σ α ≤ cap in each block, from a feasible α.

    `gradient` is b − Gα; it changes in place, as α does. A block's unused mass is its slack, whose
    gradient is 0. Each step moves mass inside the block where the best and the worst gradient
    differ most, to its best from the plane that gains most by it. Ends when the duality gap
    Σ cap max(0, best) − αᵀ gradient is at most `tol`, and tells whether it is.
    """
    n = len(gradient)
    n_blocks = len(caps)
    used = np.zeros(n_blocks)
    for j in range(n):
        used[block_of[j]] += alpha[j]
    best = np.empty(n_blocks)
    best_at = np.empty(n_blocks, np.intp)
    worst = np.empty(n_blocks)
    for _ in range(max_steps):
        earned = 0.0
        for b in range(n_blocks):
            best[b] = 0.0
            best_at[b] = SLACK
            worst[b] = 0.0 if used[b] < caps[b] else np.inf
        for j in range(n):
            b = block_of[j]
            if gradient[j] > best[b]:
                best[b] = gradient[j]
                best_at[b] = j
            if alpha[j] > 0.0:
                earned += alpha[j] * gradient[j]
                worst[b] = min(worst[b], gradient[j])
        gap = -earned
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
        up = best_at[block]
        high = best[block]
        own = gram[up, up] if up != SLACK else 0.0
        down = SLACK
        amount = 0.0
        most = 0.0
        free = caps[block] - used[block]
        if up != SLACK and free > 0.0:
            amount = min(high / own, free) if own > 0.0 else free
            most = amount * (high - 0.5 * own * amount)
        for j in range(n):
            if block_of[j] != block or alpha[j] <= 0.0 or gradient[j] >= high:
                continue
            curvature = own + gram[j, j]
            if up != SLACK:
                curvature -= 2.0 * gram[up, j]
            rise = high - gradient[j]
            length = min(rise / curvature, alpha[j]) if curvature > 0.0 else alpha[j]
            gained = length * (rise - 0.5 * curvature * length)
            if gained > most:
                most = gained
                amount = length
                down = j
        if most <= 0.0:
            return False
        if up == SLACK:
            used[block] -= amount
        else:
            alpha[up] += amount
            for i in range(n):
                gradient[i] -= amount * gram[up, i]
        if down == SLACK:
            used[block] = min(used[block] + amount, caps[block])
        else:
            alpha[down] -= amount
            if alpha[down] <= 1e-15 * caps[block]:
                alpha[down] = 0.0
            for i in range(n):
                gradient[i] += amount * gram[down, i]
    return False
