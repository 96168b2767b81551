"""The nearest rows of each row of a table: those that share most weight of parts with it."""

import numpy as np

from coterie._kernels.compiling import inlined, kernel


@kernel
def nearest_rows(by_row, by_part, weights, lengths, budget, count):
    """Return the `count` other rows nearest to each row, nearest first, -1 if there are fewer.

    Rows have parts (`starts`, `parts`: the CSR form, rare parts first) and parts have rows
    (`part_starts`, `holders`: the CSC form, ascending). For each row the holders of its parts are
    visited, those of the rarest part first, until `budget` holders have been visited. Of the part
    at which the budget ends, the holders next to the row are visited. The nearness of another row
    is the weight of the shared parts at which it was visited, divided by its length; of equally
    near rows the one of smaller index is nearer.
    """
    starts, parts = by_row
    part_starts, holders = by_part
    n_rows = len(starts) - 1
    nearest = np.full((n_rows, count), -1, dtype=np.intp)
    nearness = np.zeros(count)
    # shared[j] is the weight that row j shares with the current row. Only touched entries are
    # cleared after a row, so that its cost is its budget, not the number of rows.
    shared = np.zeros(n_rows)
    touched = np.empty(n_rows, dtype=np.intp)
    for row in range(n_rows):
        n_touched = 0
        remaining = budget
        for entry in range(starts[row], starts[row + 1]):
            part = parts[entry]
            low, high = part_starts[part], part_starts[part + 1]
            # The row itself is the only holder.
            if high - low < 2:
                continue
            if remaining <= 0:
                break
            if high - low > remaining:
                low, high = _window(holders, low, high, row, remaining)
            remaining -= high - low
            for position in range(low, high):
                other = holders[position]
                if shared[other] == 0.0:
                    touched[n_touched] = other
                    n_touched += 1
                shared[other] += weights[part]
        # The row is among the holders of its parts; with nothing shared it drops out.
        shared[row] = 0.0
        _keep_nearest(touched[:n_touched], shared, lengths, nearest[row], nearness)
    return nearest


@kernel
def row_lengths(by_row, weights):
    """Return the length of each row: the square root of the summed weights of its parts."""
    # A row is a vector that has √weight for each of its parts, so that the weight of shared parts,
    # divided by both lengths, is a cosine.
    starts, parts = by_row
    lengths = np.zeros(len(starts) - 1)
    for row in range(len(lengths)):
        for entry in range(starts[row], starts[row + 1]):
            lengths[row] += weights[parts[entry]]
    return np.sqrt(lengths)


@inlined
def _window(holders, low, high, row, width):
    """Return the start and the end of `width` holders of a part, those next to a row."""
    # A window that is centred on the row and moved inward at the ends. Each row has another one, so
    # that a frequent part does not lead all its rows to the same few.
    middle = low + np.searchsorted(holders[low:high], row)
    start = max(low, min(middle - width // 2, high - width))
    return start, start + width


@inlined
def _keep_nearest(touched, shared, lengths, nearest, nearness):
    """Write the nearest of the touched rows to `nearest`, in order, and clear what they share."""
    count = len(nearest)
    n_filled = 0
    for other in touched:
        # The length of the row itself is left out: it divides all of its neighbours alike.
        score = shared[other] / lengths[other]
        shared[other] = 0.0
        if score == 0.0:
            continue
        if n_filled == count and (
            score < nearness[count - 1]
            or (score == nearness[count - 1] and other > nearest[count - 1])
        ):
            continue
        # Insertion sort into the few best; the last one drops out when the list is full.
        position = n_filled if n_filled < count else count - 1
        n_filled = position + 1
        while position > 0 and (
            score > nearness[position - 1]
            or (score == nearness[position - 1] and other < nearest[position - 1])
        ):
            nearness[position] = nearness[position - 1]
            nearest[position] = nearest[position - 1]
            position -= 1
        nearness[position], nearest[position] = score, other
