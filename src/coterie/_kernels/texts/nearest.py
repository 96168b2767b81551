"""The rows of a table that have most in common with each row."""

import numpy as np

from coterie._kernels.compiling import inlined, kernel


@kernel
def nearest_rows(by_row, by_part, weights, lengths, budget, count):
    """Return the `count` other rows nearest each row, nearest first, -1 where there are less.

    Rows have parts (`starts`, `parts`: the CSR form, rare parts first) and parts have rows
    (`begins`, `holders`: the CSC form, ascending). Each row looks at the holders of its parts, of
    the rarest first, until it has looked at `budget` of them; of the part at which that happens, at
    those that stand around the row. How near a row is, is the weight of the parts in common that
    were looked at, divided by its length; of equally near rows the first count.
    """
    starts, parts = by_row
    begins, holders = by_part
    n_rows = len(starts) - 1
    nearest = np.full((n_rows, count), -1, dtype=np.intp)
    near = np.zeros(count)
    common = np.zeros(n_rows)
    touched = np.empty(n_rows, dtype=np.intp)
    for row in range(n_rows):
        n_touched = 0
        left = budget
        for place in range(starts[row], starts[row + 1]):
            part = parts[place]
            low, high = begins[part], begins[part + 1]
            if high - low < 2:
                continue
            if left <= 0:
                break
            if high - low > left:
                low, high = _around(holders, low, high, row, left)
            left -= high - low
            for at in range(low, high):
                other = holders[at]
                if common[other] == 0.0:
                    touched[n_touched] = other
                    n_touched += 1
                common[other] += weights[part]
        common[row] = 0.0
        _keep_nearest(touched[:n_touched], common, lengths, nearest[row], near)
    return nearest


@kernel
def row_lengths(by_row, weights):
    """Return the square root of what the parts of each row weigh together."""
    starts, parts = by_row
    lengths = np.zeros(len(starts) - 1)
    for row in range(len(lengths)):
        for place in range(starts[row], starts[row + 1]):
            lengths[row] += weights[parts[place]]
    return np.sqrt(lengths)


@inlined
def _around(holders, low, high, row, width):
    """Return the ends of the `width` holders of a part that stand around a row."""
    middle = low + np.searchsorted(holders[low:high], row)
    begin = max(low, min(middle - width // 2, high - width))
    return begin, begin + width


@inlined
def _keep_nearest(touched, common, lengths, nearest, near):
    """Sort the nearest of the rows that were touched into `nearest`, and forget what is common."""
    count = len(nearest)
    filled = 0
    for other in touched:
        score = common[other] / lengths[other]
        common[other] = 0.0
        if score == 0.0:
            continue
        if filled == count and (
            score < near[count - 1] or (score == near[count - 1] and other > nearest[count - 1])
        ):
            continue
        place = filled if filled < count else count - 1
        filled = place + 1
        while place > 0 and (
            score > near[place - 1] or (score == near[place - 1] and other < nearest[place - 1])
        ):
            near[place], nearest[place] = near[place - 1], nearest[place - 1]
            place -= 1
        near[place], nearest[place] = score, other
