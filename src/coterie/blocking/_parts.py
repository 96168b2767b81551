"""The parts of texts, tokens or runs of characters, and the rows that have them."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Bools, Ints
from coterie.blocking._base import distinct

CHUNK = 2**20
"""How many characters are taken apart at a time."""

DENSE = 2**24
"""Up to how many different numbers a table of all of them is made."""

MULTIPLIER = 0x1E3779B97F4A7C15
"""Mixes runs that are too long to be told apart by 64 bits for certain."""

Letters = NDArray[np.uint32]


class Spread(NamedTuple):
    """Which texts have which parts: text by text, then part by part, each once."""

    parts: NDArray[np.signedinteger]
    texts: NDArray[np.signedinteger]


def tokens_of_texts(texts: Sequence[str]) -> Spread:
    """Return which texts have which tokens."""
    tokens = [text.split() for text in texts]
    owners = np.repeat(np.arange(len(texts)), [len(each) for each in tokens])
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(token, len(numbers)) for token in chain.from_iterable(tokens)]
    return _each_once(np.array(codes, dtype=np.intp), owners)


def grams_of_texts(texts: Sequence[str], size: int) -> Spread:
    """Return which texts have which runs of `size` characters of a token with blanks around it."""
    there = np.zeros(0x110000, dtype=np.bool_)
    for some in _chunks(texts):
        there[_letters(texts[some])] = True
    alphabet = _Alphabet(np.cumsum(there) - 1, int(there.sum()))
    found = [_grams(texts[some], some.start, size, alphabet) for some in _chunks(texts)]
    none = np.empty(0, dtype=np.int32)
    owners = np.concatenate([none, *(each.texts for each in found)])
    grams = np.concatenate([none, *(each.parts for each in found)])
    del found
    return Spread(_densely(grams), owners)


def memberships(spread: Spread, codes: Ints, most: int) -> Ints:
    """Return the sorted numbers b n + i of the rows i whose text has a part b.

    `codes` are the numbers of the texts of the rows, -1 for none. Left out are parts that only one
    row has, or more than `most` rows.
    """
    there = np.flatnonzero(codes >= 0)
    rows = there[np.argsort(codes[there], kind="stable")]
    counts = np.bincount(codes[there], minlength=int(spread.texts.max(initial=-1)) + 1)
    holders = np.bincount(spread.parts, counts[spread.texts])
    fits = ((holders > 1) & (holders <= most))[spread.parts]
    parts, texts = spread.parts[fits].astype(np.intp), spread.texts[fits]
    repeats = counts[texts]
    places = np.repeat((np.cumsum(counts) - counts)[texts] - np.cumsum(repeats) + repeats, repeats)
    places += np.arange(len(places))
    return np.sort(np.repeat(parts, repeats) * len(codes) + rows[places])


class _Alphabet(NamedTuple):
    """The numbers of the characters that there are, and how many there are."""

    codes: Ints
    size: int


def _chunks(texts: Sequence[str]) -> Iterator[slice]:
    """Yield slices of the texts of about as many characters each."""
    ends = np.cumsum(np.fromiter(map(len, texts), np.intp, len(texts)) + 1)
    first = 0
    while first < len(texts):
        begin = ends[first - 1] if first else 0
        last = max(int(np.searchsorted(ends, begin + CHUNK)), first + 1)
        yield slice(first, last)
        first = last


def _letters(texts: Sequence[str]) -> Letters:
    """Return the characters of texts, with a blank before each, and one behind the last."""
    return np.frombuffer(f" {' '.join(texts)} ".encode("utf-32-le"), dtype=np.uint32)


def _grams(texts: Sequence[str], first: int, size: int, alphabet: _Alphabet) -> Spread:
    """Return which texts have which runs, numbered by their characters; `first` is their number."""
    letters = _letters(texts)
    n_windows = max(len(letters) - size + 1, 0)
    fits = _within_tokens(letters == ord(" "), n_windows, size)
    codes = alphabet.codes[letters]
    is_exact = alphabet.size**size < 2**62
    grams = np.zeros(n_windows, dtype=np.intp)
    for place in range(size):
        grams *= alphabet.size if is_exact else MULTIPLIER
        grams += codes[place : place + n_windows]
    lengths = np.fromiter(map(len, texts), np.intp, len(texts))
    owners = np.repeat(np.arange(len(texts)), lengths + 1)[:n_windows]
    parts, owners = _each_once(grams[fits], owners[fits])
    # There are many: half as wide where they fit.
    kind = np.int32 if alphabet.size**size < 2**31 else np.intp
    return Spread(parts.astype(kind), (owners + first).astype(np.int32))


def _within_tokens(blanks: Bools, n_windows: int, size: int) -> Bools:
    """Tell the windows that have no blank but at their ends."""
    fits = np.ones(n_windows, dtype=np.bool_)
    for place in range(1, size - 1):
        fits &= ~blanks[place : place + n_windows]
    return fits


def _each_once(parts: Ints, owners: Ints) -> Spread:
    """Sort by owner and part, and drop what is there twice."""
    least, most = int(parts.min(initial=0)), int(parts.max(initial=0))
    span = most - least + 1
    if span >= 2**62 // max(len(owners), 1):
        known = distinct(parts)
        owners, places = np.divmod(
            distinct(owners * len(known) + np.searchsorted(known, parts)), len(known)
        )
        return Spread(known[places], owners)
    owners, places = np.divmod(distinct(owners * span + (parts - least)), span)
    return Spread(places + least, owners)


def _densely(numbers: NDArray[np.signedinteger]) -> NDArray[np.signedinteger]:
    """Give whole numbers new ones, in their order and without gaps."""
    if numbers.min(initial=0) >= 0 and numbers.max(initial=0) < DENSE:
        there = np.zeros(int(numbers.max(initial=0)) + 1, dtype=np.bool_)
        there[numbers] = True
        ranks: NDArray[np.int32] = (np.cumsum(there, dtype=np.int32) - 1)[numbers]
        return ranks
    return np.searchsorted(distinct(numbers), numbers)
