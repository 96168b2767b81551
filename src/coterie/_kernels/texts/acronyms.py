"""Acronyms: tokens of a name, or words of a text, that are the initials of words of another."""

import numpy as np

from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.texts.soft_tfidf import place_of
from coterie._kernels.texts.tokens import BLANK, OFFSET, hashed, next_piece

LEAST_INITIALS, MOST_INITIALS = 2, 6
"""How many letters an acronym has."""


@kernel
def spelled_words(token, words, skips, spared, spelling):
    """Return how many words the letters of a token are the initials of, 0 where they are not.

    Small words may be skipped; the letter at the place `spared` stands for no word.
    """
    letter, stop = spelling.starts[token], spelling.starts[token + 1]
    place = 0
    while letter < stop and place < len(words):
        word = words[place]
        if letter == spared:
            letter += 1
        elif skips and spelling.small[word]:
            place += 1
        elif spelling.letters[letter] == spelling.letters[spelling.starts[word]]:
            place, letter = place + 1, letter + 1
        else:
            break
    return place if letter == stop else 0


@kernel
def spells_all(token, words, spared, spelling):
    """Tell whether a token has the initials of all words, or of all but small ones."""
    if spelled_words(token, words, False, spared, spelling) == len(words):
        return True
    place = spelled_words(token, words, True, spared, spelling)
    while 0 < place < len(words) and spelling.small[words[place]]:
        place += 1
    return place == len(words)


@inlined
def is_among(token, words, folds):
    """Tell whether a token is one of some words, but for case."""
    found = False
    for word in words:
        found |= folds[word] == folds[token]
    return found


@inlined
def match_acronym(own, their, all_their, own_matched, their_matched, tokens):
    """Match a name of one token with the other name as a whole; return whether it is its acronym.

    In capitals, it may have an inner letter to spare, which stands for no word; then it is not
    matched itself. A word of the other name is no acronym of it: Ed of Ed Davis.
    """
    token, found = own[0], False
    first, last = tokens.spelling.starts[token], tokens.spelling.starts[token + 1] - 1
    if len(own) > 1 or len(all_their) == 1 or tokens.numbers[token]:
        return False
    if not 0 < last - first < MOST_INITIALS or is_among(token, all_their, tokens.folds):
        return False
    for place in range(first, last if tokens.capitals[token] else first + 1):
        spared = place if place > first else -1
        if spells_all(token, their, spared, tokens.spelling) or spells_all(
            token, all_their, spared, tokens.spelling
        ):
            own_matched[0] |= place == first
            their_matched[:] = True
            found = True
    return found


@inlined
def match_runs(own, their, own_matched, their_matched, tokens):
    """Match tokens in capitals with words in a row that they are the initials of.

    Return whether there are any, and such as are the first ones and the last ones of both names.
    """
    anywhere = first = last = False
    for place in range(len(own)):
        if not tokens.capitals[own[place]]:
            continue
        for begin in range(len(their) - 1):
            for skips in (False, True):
                n_words = spelled_words(own[place], their[begin:], skips, -1, tokens.spelling)
                run = their[begin : begin + n_words]
                if n_words and not is_among(own[place], run, tokens.folds):
                    own_matched[place] = True
                    their_matched[begin : begin + n_words] = True
                    anywhere = True
                    first |= place == 0 and begin == 0
                    last |= place == len(own) - 1 and begin + n_words == len(their)
    return anywhere, first, last


"""How many letters an acronym has."""

SMALL = 3
"""Up to how many letters a word may be left out of an acronym."""


@kernel
def hash_acronyms(characters, starts):
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
