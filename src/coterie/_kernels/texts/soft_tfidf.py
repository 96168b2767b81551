"""Pairs of names: which tokens of both are close, and the sum over those that are matched.

A name is a row of tokens, ascending; a token is a row of the tokens close to it, itself included,
ascending too.
"""

from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._kernels.compiling import inlined, kernel


class TokenRows(NamedTuple):
    """Rows of tokens, each with a number: the CSR form."""

    starts: Ints
    tokens: Ints
    values: Floats


@inlined
def place_of(token, tokens, start, stop):
    """Return where a token is among ascending ones, −1 where it is not."""
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
    """Count for each pair of names how many pairs of their tokens are close."""
    counts = np.zeros(len(pairs), np.intp)
    for pair in range(len(pairs)):
        first, second = pairs[pair]
        for own in range(names.starts[first], names.starts[first + 1]):
            token = names.tokens[own]
            for at in range(close.starts[token], close.starts[token + 1]):
                start, stop = names.starts[second], names.starts[second + 1]
                counts[pair] += place_of(close.tokens[at], names.tokens, start, stop) >= 0
    return counts


@kernel
def gather_close(pairs, names, close, n_close):
    """Return pairs of close tokens: of which names, where among all tokens of names, how close."""
    owners = np.empty(n_close, np.intp)
    places = np.empty((2, n_close), np.intp)
    scores = np.empty(n_close)
    count = 0
    for pair in range(len(pairs)):
        first, second = pairs[pair]
        for own in range(names.starts[first], names.starts[first + 1]):
            token = names.tokens[own]
            for at in range(close.starts[token], close.starts[token + 1]):
                start, stop = names.starts[second], names.starts[second + 1]
                place = place_of(close.tokens[at], names.tokens, start, stop)
                if place >= 0:
                    owners[count], scores[count] = pair, close.values[at]
                    places[0, count], places[1, count] = own, place
                    count += 1
    return owners, places, scores


@kernel
def matched_sums(owners, tokens, gains, n_pairs, n_tokens):
    """Add the gains of each pair of names, in order, each token of either name once."""
    sums = np.zeros(n_pairs)
    # The last pair of names in which a token was matched, as one of the first and of the second.
    matched = np.full((2, n_tokens), -1)
    for number in range(len(owners)):
        pair, first, second = owners[number], tokens[0, number], tokens[1, number]
        if matched[0, first] != pair and matched[1, second] != pair:
            matched[0, first] = matched[1, second] = pair
            sums[pair] += gains[number]
    return sums
