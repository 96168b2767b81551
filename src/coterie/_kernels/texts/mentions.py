"""Pairs of mentions: words in common, and the rows of the conjunctions that hold.

A set of up to 64 W members is a row of W words of 64 bits, the first member in the lowest bit.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coterie._kernels.compiling import inlined, kernel

Bits: TypeAlias = NDArray[np.uint64]

ONE, SHIFT = np.uint64(1), np.uint64(58)
SEQUENCE = np.uint64(0x03F79D71B4CB0A89)
"""A de Bruijn sequence: shifted left by 0 to 63, its six highest bits differ each time."""

PLACES = np.argsort(np.left_shift(SEQUENCE, np.arange(64, dtype=np.uint64)) >> SHIFT)
"""By how much it was shifted, by those bits."""


class Conjunctions(NamedTuple):
    """Which of F conjunctions may hold, as sets of W words."""

    earlier: Bits
    """Of each mention as the earlier one (n, W), by its own properties."""
    later: Bits
    """Of each mention as the later one (n, W)."""
    by_relation: Bits
    """Of pairs with each of 64 relations, and (the last) of any pair (65, W)."""
    relations: Bits
    """All the relations that each conjunction asks for (F,), a bit each."""


@inlined
def lowest(word):
    """Return the place of the lowest bit that is set."""
    return PLACES[((word & (~word + ONE)) * SEQUENCE) >> SHIFT]


@kernel
def shared_words(starts, words, firsts, other_starts, other_words, seconds):
    """Count the words that one set of each pair shares with the other; both are ascending."""
    counts = np.zeros(len(firsts), np.int32)
    for pair in range(len(firsts)):
        a, a_end = starts[firsts[pair]], starts[firsts[pair] + 1]
        b, b_end = other_starts[seconds[pair]], other_starts[seconds[pair] + 1]
        while a < a_end and b < b_end:
            counts[pair] += words[a] == other_words[b]
            # What is not larger than the other's word has met all that it can meet.
            a_moves, b_moves = words[a] <= other_words[b], other_words[b] <= words[a]
            a += a_moves
            b += b_moves
    return counts


@kernel
def holding(earlier, later, relations, known, found):
    """Write the conjunctions that hold for one pair, ascending, to `found`; return their number."""
    count = 0
    for word in range(known.earlier.shape[1]):
        candidates = known.by_relation[64, word]
        rest = relations
        while rest != 0:
            candidates |= known.by_relation[lowest(rest), word]
            rest &= rest - ONE
        candidates &= known.earlier[earlier, word] & known.later[later, word]
        while candidates != 0:
            place = 64 * word + lowest(candidates)
            found[count] = place
            # One that asks for several relations is a candidate as soon as there is one of them.
            count += (known.relations[place] & ~relations) == 0
            candidates &= candidates - ONE
    return count


@kernel
def conjunction_rows(earlier, later, relations, known, numbers):
    """Return the starts, columns and data of the rows: ones for conjunctions, then the numbers."""
    n_pairs, n_features = len(earlier), len(known.relations)
    starts = np.zeros(n_pairs + 1, np.int64)
    found = np.empty(n_features + 1, np.int32)
    for pair in range(n_pairs):
        count = holding(earlier[pair], later[pair], relations[pair], known, found)
        for column in range(numbers.shape[0]):
            count += numbers[column, pair] != 0.0
        starts[pair + 1] = starts[pair] + count
    columns, data = np.empty(starts[-1], np.int32), np.ones(starts[-1])
    for pair in range(n_pairs):
        place = starts[pair]
        count = holding(earlier[pair], later[pair], relations[pair], known, found)
        columns[place : place + count] = found[:count]
        place += count
        for column in range(numbers.shape[0]):
            if numbers[column, pair] != 0.0:
                columns[place], data[place] = n_features + column, numbers[column, pair]
                place += 1
    return starts, columns, data
