"""Pairs of names: the tokens of both that are close, and the sum over those that are matched.

A name is a row of tokens, ascending. A token is a row of the tokens close to it, itself included,
ascending too.
"""

from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.compiling import inlined, kernel


class TokenRows(NamedTuple):
    """Rows of tokens, each with a value: the CSR form."""

    starts: Ints
    tokens: Ints
    values: Floats


@inlined
def find_token(token, tokens, start, stop):
    """Return the position of a token among ascending ones, -1 if it is not there."""
    # Bisection: tokens before `start` are smaller, those from `stop` on are not.
    end = stop
    while start < stop:
        middle = (start + stop) // 2
        if tokens[middle] < token:
            start = middle + 1
        else:
            stop = middle
    return start if start < end and tokens[start] == token else -1


@kernel
def count_close(pairs, names, close):
    """Return for each pair of names the number of pairs of their tokens that are close."""
    counts = np.zeros(len(pairs), np.intp)
    for pair in range(len(pairs)):
        first, second = pairs[pair]
        for position in range(names.starts[first], names.starts[first + 1]):
            token = names.tokens[position]
            for entry in range(close.starts[token], close.starts[token + 1]):
                start, stop = names.starts[second], names.starts[second + 1]
                counts[pair] += find_token(close.tokens[entry], names.tokens, start, stop) >= 0
    return counts


@kernel
def gather_close(pairs, names, close, n_close):
    """Return the pairs of close tokens, of which there are `n_close` by `count_close`.

    For each: the pair of names that has it, the positions of both tokens in `names.tokens`, and
    their similarity.
    """
    # The same loops as in `count_close`: counting first gives arrays of the right size, where a
    # bound, the product of two lengths per pair, would be far too large.
    owners = np.empty(n_close, np.intp)
    positions = np.empty((2, n_close), np.intp)
    scores = np.empty(n_close)
    count = 0
    for pair in range(len(pairs)):
        first, second = pairs[pair]
        for position in range(names.starts[first], names.starts[first + 1]):
            token = names.tokens[position]
            for entry in range(close.starts[token], close.starts[token + 1]):
                start, stop = names.starts[second], names.starts[second + 1]
                other = find_token(close.tokens[entry], names.tokens, start, stop)
                if other >= 0:
                    owners[count], scores[count] = pair, close.values[entry]
                    positions[0, count], positions[1, count] = position, other
                    count += 1
    return owners, positions, scores


@kernel
def matched_sums(owners, tokens, gains, n_pairs, n_tokens):
    """Add the gains of each pair of names, in order, using each token of either name once."""
    # Greedy matching: entries of a pair of names are expected with the closest tokens first, so
    # that each token gets the closest partner that is still free.
    sums = np.zeros(n_pairs)
    # The last pair of names in which a token was matched, as a token of the first name and of the
    # second: marks of earlier pairs are out of date by themselves, and never cleared.
    matched = np.full((2, n_tokens), -1)
    for entry in range(len(owners)):
        pair, first, second = owners[entry], tokens[0, entry], tokens[1, entry]
        if matched[0, first] != pair and matched[1, second] != pair:
            matched[0, first] = matched[1, second] = pair
            sums[pair] += gains[entry]
    return sums
