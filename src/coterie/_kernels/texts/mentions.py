"""Pairs of mentions: the words that they share, and rows of the conjunctions that hold for them.

A conjunction is a feature that holds for a pair if certain properties of the earlier mention,
properties of the later mention and relations of the two hold. A set of up to 64 W members is a row
of W words of 64 bits, with the first member in the lowest bit.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coterie._kernels.compiling import inlined, kernel

Bits: TypeAlias = NDArray[np.uint64]

ONE, SHIFT = np.uint64(1), np.uint64(58)
SEQUENCE = np.uint64(0x03F79D71B4CB0A89)
"""A de Bruijn sequence: shifted left by 0 to 63, its six highest bits differ each time."""

SHIFTS = np.argsort(np.left_shift(SEQUENCE, np.arange(64, dtype=np.uint64)) >> SHIFT)
"""The number of bits by which the sequence was shifted, by its six highest bits then."""


class Conjunctions(NamedTuple):
    """The sets, of W words each, of the F conjunctions that mentions and relations allow."""

    earlier: Bits
    """Those that each mention allows as the earlier one (n, W), by its own properties."""
    later: Bits
    """Those that each mention allows as the later one (n, W)."""
    by_relation: Bits
    """Those that require each of 64 relations, and last those that require none (65, W)."""
    relations: Bits
    """All the relations that each conjunction requires (F,), a bit each."""


@inlined
def lowest_bit_index(word):
    """Return the index of the lowest bit that is set."""
    # word & -word keeps only that bit, 2**i. Multiplying the de Bruijn sequence by it shifts the
    # sequence by i, and the six highest bits of the result identify i (Leiserson, Prokop & Randall
    # 1998).
    return SHIFTS[((word & (~word + ONE)) * SEQUENCE) >> SHIFT]


@kernel
def shared_words(starts, words, firsts, other_starts, other_words, seconds):
    """Count the words that one set of each pair shares with the other; both are ascending."""
    counts = np.zeros(len(firsts), np.int32)
    for pair in range(len(firsts)):
        a, a_end = starts[firsts[pair]], starts[firsts[pair] + 1]
        b, b_end = other_starts[seconds[pair]], other_starts[seconds[pair] + 1]
        while a < a_end and b < b_end:
            counts[pair] += words[a] == other_words[b]
            # A word that is not larger than the other set's word can equal none of the later ones.
            # Both comparisons come before the steps, because the first step changes `a`.
            a_moves, b_moves = words[a] <= other_words[b], other_words[b] <= words[a]
            a += a_moves
            b += b_moves
    return counts


@kernel
def list_conjunctions(earlier, later, relations, conjunctions, holding):
    """Write the conjunctions that hold for a pair, ascending, to `holding`; return their number."""
    count = 0
    for word in range(conjunctions.earlier.shape[1]):
        # 64 conjunctions at a time: those that a relation of the pair may complete, then of these
        # the ones that both mentions allow.
        candidates = conjunctions.by_relation[64, word]
        remaining = relations
        while remaining != 0:
            candidates |= conjunctions.by_relation[lowest_bit_index(remaining), word]
            # x & (x - 1) clears the lowest bit of x.
            remaining &= remaining - ONE
        candidates &= conjunctions.earlier[earlier, word] & conjunctions.later[later, word]
        while candidates != 0:
            conjunction = 64 * word + lowest_bit_index(candidates)
            holding[count] = conjunction
            # One that requires several relations is a candidate as soon as one of them holds. If
            # another does not, the count stays, and the next candidate overwrites the entry.
            count += (conjunctions.relations[conjunction] & ~relations) == 0
            candidates &= candidates - ONE
    return count


@kernel
def conjunction_rows(earlier, later, relations, conjunctions, numbers):
    """Return the starts, columns and data of a CSR matrix with one row per pair.

    Its columns are the conjunctions, 1 where they hold, and then the rows of `numbers`.
    """
    n_pairs, n_features = len(earlier), len(conjunctions.relations)
    starts = np.zeros(n_pairs + 1, np.int64)
    # One entry more than conjunctions: `list_conjunctions` writes each candidate before it counts.
    holding = np.empty(n_features + 1, np.int32)
    # All rows are listed twice, first to count their entries: the arrays are made once, full size.
    for pair in range(n_pairs):
        count = list_conjunctions(
            earlier[pair], later[pair], relations[pair], conjunctions, holding
        )
        for column in range(numbers.shape[0]):
            count += numbers[column, pair] != 0.0
        starts[pair + 1] = starts[pair] + count
    columns, data = np.empty(starts[-1], np.int32), np.ones(starts[-1])
    for pair in range(n_pairs):
        entry = starts[pair]
        count = list_conjunctions(
            earlier[pair], later[pair], relations[pair], conjunctions, holding
        )
        columns[entry : entry + count] = holding[:count]
        entry += count
        for column in range(numbers.shape[0]):
            if numbers[column, pair] != 0.0:
                columns[entry], data[entry] = n_features + column, numbers[column, pair]
                entry += 1
    return starts, columns, data
