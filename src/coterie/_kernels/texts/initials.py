"""Acronyms in texts: words that are the initials of words in a row of another text."""

import numpy as np

from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.texts.soft_tfidf import place_of
from coterie._kernels.texts.tokens import BLANK, OFFSET, hashed, next_piece

LEAST_INITIALS, MOST_INITIALS = 2, 6
"""How many letters an acronym has."""

SMALL = 3
"""Up to how many letters a word may be left out of an acronym."""


@kernel
def in_initials(characters, starts):
    """Take the initials of two to six words in a row, and of such a row without small words.

    Texts and hashes are as in `coterie._kernels.texts.tokens`: the hash is that of the acronym as
    a word.
    """
    room = 2 * (MOST_INITIALS - LEAST_INITIALS + 1)
    hashes = np.empty(room * _n_words(characters, starts), np.uint64)
    firsts, found = np.zeros(len(starts), np.intp), 0
    for text in range(len(starts) - 1):
        begin, end = starts[text], starts[text + 1]
        found = _add_rows(characters, begin, end, 0, hashes, found)
        found = _add_rows(characters, begin, end, SMALL, hashes, found)
        firsts[text + 1] = found
    return hashes[:found].copy(), firsts


@kernel
def _n_words(characters, starts):
    """Bound how many words there are."""
    n_words = len(starts)
    for character in characters:
        n_words += character == BLANK
    return n_words


@kernel
def _add_rows(characters, begin, end, small, hashes, found):
    """Add the hashes of the initials of rows, of words of more than `small` letters."""
    row = np.empty(MOST_INITIALS, np.uint64)
    n_before = 0
    stop = begin
    while True:
        first, stop = next_piece(characters, stop, end, BLANK)
        if first == stop:
            break
        if stop - first > small:
            # row[k] is the hash of the initials of the last k + 1 words.
            for length in range(min(n_before, MOST_INITIALS - 1), 0, -1):
                row[length] = hashed(characters, first, first + 1, row[length - 1])
            row[0] = hashed(characters, first, first + 1, OFFSET)
            n_before += 1
            for length in range(LEAST_INITIALS, min(n_before, MOST_INITIALS) + 1):
                hashes[found] = row[length - 1]
                found += 1
    return found


@kernel
def rarest_acronyms(word_starts, words, spelled_starts, spelled, rarities, left, right):
    """Return how rare the rarest acronym is that stands for words of the other text.

    Parameters
    ----------
    word_starts, words
        Text i has the words `words[word_starts[i]:word_starts[i + 1]]`, ascending, each once.
    spelled_starts, spelled
        The words that are spelled by initials of its words, in the same way.
    rarities
        How rare each word is.
    left, right
        The texts of pairs.

    Returns
    -------
    Of each pair 0 where there is none. What one text spells and has not, and the other has or
    spells, is one.
    """
    found = np.zeros(len(left))
    for pair in range(len(left)):
        for own, other in ((left[pair], right[pair]), (right[pair], left[pair])):
            for place in range(spelled_starts[own], spelled_starts[own + 1]):
                word = spelled[place]
                if rarities[word] <= found[pair] or _has(words, word_starts, own, word):
                    continue
                if _has(words, word_starts, other, word) or _has(
                    spelled, spelled_starts, other, word
                ):
                    found[pair] = rarities[word]
    return found


@inlined
def _has(tokens, starts, text, wanted):
    """Tell whether a text has a token."""
    return place_of(wanted, tokens, starts[text], starts[text + 1]) >= 0
