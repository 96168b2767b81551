"""The tokens or character n-grams of texts, and the rows whose texts contain them."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie._core.arrays import Bools, Ints
from coterie.blocking._base import sorted_unique

CHUNK = 2**20
"""The number of characters that are split into n-grams at a time."""

DENSE = 2**24
"""The largest number below which codes are renumbered by a lookup table."""

MULTIPLIER = 0x1E3779B97F4A7C15
"""The multiplier of the hash of n-grams that are too long for an exact code of 64 bits."""

CodePoints = NDArray[np.uint32]


class TextParts(NamedTuple):
    """The parts of texts: entry k means that text `texts[k]` contains part `parts[k]`.

    Entries are sorted by text and then by part, without duplicates.
    """

    parts: NDArray[np.signedinteger]
    texts: NDArray[np.signedinteger]


def tokens_of_texts(texts: Sequence[str]) -> TextParts:
    """Return the tokens of each text."""
    tokens = [text.split() for text in texts]
    text_of_token = np.repeat(np.arange(len(texts)), list(map(len, tokens)))
    code_of: dict[str, int] = {}
    codes = [code_of.setdefault(token, len(code_of)) for token in chain.from_iterable(tokens)]
    return _sort_parts(np.array(codes, dtype=np.intp), text_of_token)


def grams_of_texts(texts: Sequence[str], size: int) -> TextParts:
    """Return the character n-grams, n = `size`, of the tokens of each text with blanks around."""
    occurs = np.zeros(0x110000, dtype=np.bool_)
    for chunk in _chunks(texts):
        occurs[_code_points(texts[chunk])] = True
    alphabet = _Alphabet(np.cumsum(occurs) - 1, int(occurs.sum()))
    by_chunk = [_grams(texts[chunk], chunk.start, size, alphabet) for chunk in _chunks(texts)]
    empty = np.empty(0, dtype=np.int32)
    text_of_gram = np.concatenate([empty, *(parts.texts for parts in by_chunk)])
    grams = np.concatenate([empty, *(parts.parts for parts in by_chunk)])
    del by_chunk
    return TextParts(_renumber(grams), text_of_gram)


def memberships(text_parts: TextParts, codes: Ints, max_rows: int) -> Ints:
    """Return the sorted ids b n + i of the rows i whose text contains a part b.

    `codes` are the indices of the rows' texts, -1 for none. Parts of a single row are left out, and
    parts of more than `max_rows` rows.
    """
    with_text = np.flatnonzero(codes >= 0)
    rows = with_text[np.argsort(codes[with_text], kind="stable")]
    counts = np.bincount(codes[with_text], minlength=int(text_parts.texts.max(initial=-1)) + 1)
    n_rows_of_part = np.bincount(text_parts.parts, counts[text_parts.texts])
    is_rare = ((n_rows_of_part > 1) & (n_rows_of_part <= max_rows))[text_parts.parts]
    parts, texts = text_parts.parts[is_rare].astype(np.intp), text_parts.texts[is_rare]
    repeats = counts[texts]
    # Each entry (part, text) becomes one entry per row of the text; `rows` are sorted by text.
    starts = (np.cumsum(counts) - counts)[texts]
    positions = np.repeat(starts - np.cumsum(repeats) + repeats, repeats)
    positions += np.arange(len(positions))
    return np.sort(np.repeat(parts, repeats) * len(codes) + rows[positions])


class _Alphabet(NamedTuple):
    """The codes of the characters that occur, by code point, and their number."""

    codes: Ints
    size: int


def _chunks(texts: Sequence[str]) -> Iterator[slice]:
    """Yield slices of the texts that have about `CHUNK` characters each."""
    ends = np.cumsum(np.fromiter(map(len, texts), np.intp, len(texts)) + 1)
    start = 0
    while start < len(texts):
        offset = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, offset + CHUNK)), start + 1)
        yield slice(start, stop)
        start = stop


def _code_points(texts: Sequence[str]) -> CodePoints:
    """Return the code points of the texts, with a blank before each and after the last text."""
    return np.frombuffer(f" {' '.join(texts)} ".encode("utf-32-le"), dtype=np.uint32)


def _grams(texts: Sequence[str], first_index: int, size: int, alphabet: _Alphabet) -> TextParts:
    """Return the n-grams of a chunk of texts; `first_index` is the index of its first text.

    The code of an n-gram is the number whose digits are the codes of its characters, or a hash of
    them where that number is too large.
    """
    code_points = _code_points(texts)
    n_windows = max(len(code_points) - size + 1, 0)
    in_token = _within_tokens(code_points == ord(" "), n_windows, size)
    codes = alphabet.codes[code_points]
    is_exact = alphabet.size**size < 2**62
    grams = np.zeros(n_windows, dtype=np.intp)
    for offset in range(size):
        grams *= alphabet.size if is_exact else MULTIPLIER
        grams += codes[offset : offset + n_windows]
    lengths = np.fromiter(map(len, texts), np.intp, len(texts))
    text_indices = np.repeat(np.arange(len(texts)), lengths + 1)[:n_windows]
    parts, text_indices = _sort_parts(grams[in_token], text_indices[in_token])
    # There are many n-grams, so 32 bits are used where these suffice.
    dtype = np.int32 if alphabet.size**size < 2**31 else np.intp
    return TextParts(parts.astype(dtype), (text_indices + first_index).astype(np.int32))


def _within_tokens(is_blank: Bools, n_windows: int, size: int) -> Bools:
    """Return whether each window of `size` characters has no blank except at its ends."""
    in_token = np.ones(n_windows, dtype=np.bool_)
    for offset in range(1, size - 1):
        in_token &= ~is_blank[offset : offset + n_windows]
    return in_token


def _sort_parts(parts: Ints, texts: Ints) -> TextParts:
    """Sort by text and then by part, and drop duplicates."""
    smallest, largest = int(parts.min(initial=0)), int(parts.max(initial=0))
    span = largest - smallest + 1
    # An entry is sorted as the number text × span + part; where that overflows, parts are
    # replaced by their ranks.
    if span >= 2**62 // max(len(texts), 1):
        codes = sorted_unique(parts)
        texts, ranks = np.divmod(
            sorted_unique(texts * len(codes) + np.searchsorted(codes, parts)), len(codes)
        )
        return TextParts(codes[ranks], texts)
    texts, offsets = np.divmod(sorted_unique(texts * span + (parts - smallest)), span)
    return TextParts(offsets + smallest, texts)


def _renumber(codes: NDArray[np.signedinteger]) -> NDArray[np.signedinteger]:
    """Replace codes by their ranks among the distinct codes."""
    if codes.min(initial=0) >= 0 and codes.max(initial=0) < DENSE:
        occurs = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.bool_)
        occurs[codes] = True
        ranks: NDArray[np.int32] = (np.cumsum(occurs, dtype=np.int32) - 1)[codes]
        return ranks
    return np.searchsorted(sorted_unique(codes), codes)
