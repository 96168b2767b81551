"""Acronyms: tokens of a name, or words of a text, that are the initials of words of another one."""

import numpy as np

from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.texts.soft_tfidf import find_token
from coterie._kernels.texts.tokens import BLANK, OFFSET, extend_hash, next_piece

LEAST_INITIALS, MOST_INITIALS = 2, 6
"""The least and the largest number of letters of an acronym."""


@kernel
def count_spelled_words(token, words, skips, spared, spelling):
    """Return how many words the letters of a token are the initials of, 0 if they are not.

    With `skips`, small words are left out; the letter at index `spared` stands for no word.
    """
    letter, stop = spelling.starts[token], spelling.starts[token + 1]
    # One walk without backtracking, because `skips` leaves out every small word, even one whose
    # initial is the next letter.
    position = 0
    while letter < stop and position < len(words):
        word = words[position]
        if letter == spared:
            letter += 1
        elif skips and spelling.small[word]:
            position += 1
        elif spelling.letters[letter] == spelling.letters[spelling.starts[word]]:
            position, letter = position + 1, letter + 1
        else:
            break
    return position if letter == stop else 0


@kernel
def spells_all(token, words, spared, spelling):
    """Return whether a token has the initials of all words, or of all but small ones."""
    if count_spelled_words(token, words, False, spared, spelling) == len(words):
        return True
    position = count_spelled_words(token, words, True, spared, spelling)
    # The walk ends with the last letter; small words may follow.
    while 0 < position < len(words) and spelling.small[words[position]]:
        position += 1
    return position == len(words)


@inlined
def is_among(token, words, folds):
    """Return whether a token is one of some words, ignoring case."""
    is_equal = False
    for word in words:
        is_equal |= folds[word] == folds[token]
    return is_equal


@inlined
def match_acronym(words, other_words, all_other_words, matched, other_matched, tokens):
    """Match a name of one token with all of the other name; return whether it is its acronym.

    In capitals, it may have an inner letter to spare, which stands for no word; then it is not
    matched itself. A token that is a word of the other name is never its acronym: Ed of Ed Davis.
    """
    token, is_acronym = words[0], False
    first, last = tokens.spelling.starts[token], tokens.spelling.starts[token + 1] - 1
    if len(words) > 1 or len(all_other_words) == 1 or tokens.numbers[token]:
        return False
    if not 0 < last - first < MOST_INITIALS or is_among(token, all_other_words, tokens.folds):
        return False
    # The first round spares no letter, each of the others one inner letter. Honorifics may be
    # spelled or not, so both forms of the other name are tried.
    for letter in range(first, last if tokens.capitals[token] else first + 1):
        spared = letter if letter > first else -1
        if spells_all(token, other_words, spared, tokens.spelling) or spells_all(
            token, all_other_words, spared, tokens.spelling
        ):
            matched[0] |= letter == first
            other_matched[:] = True
            is_acronym = True
    return is_acronym


@inlined
def match_runs(words, other_words, matched, other_matched, tokens):
    """Match tokens in capitals with runs of words that they are the initials of.

    Returns whether there is such a match, and whether one is between the first tokens and one
    between the last tokens of both names.
    """
    anywhere = first = last = False
    for position in range(len(words)):
        if not tokens.capitals[words[position]]:
            continue
        for start in range(len(other_words) - 1):
            for skips in (False, True):
                token = words[position]
                n_words = count_spelled_words(
                    token, other_words[start:], skips, -1, tokens.spelling
                )
                run = other_words[start : start + n_words]
                if n_words and not is_among(token, run, tokens.folds):
                    matched[position] = True
                    other_matched[start : start + n_words] = True
                    anywhere = True
                    first |= position == 0 and start == 0
                    last |= position == len(words) - 1 and start + n_words == len(other_words)
    return anywhere, first, last


SMALL = 3
"""The largest number of letters of a word that an acronym may leave out."""


@kernel
def hash_acronyms(characters, starts):
    """Hash the initials of two to six words in a row, and of such rows without small words.

    Texts and hashes are as in `coterie._kernels.texts.tokens`: the hash is that of the acronym as
    a word.
    """
    # Each word ends at most one acronym of each length, with and without small words.
    room = 2 * (MOST_INITIALS - LEAST_INITIALS + 1)
    hashes = np.empty(room * _most_words(characters, starts), np.uint64)
    # Numba would compile a function of its own for each constant that is not cast.
    none, small = np.int64(0), np.int64(SMALL)
    hash_starts, n_hashes = np.zeros(len(starts), np.intp), np.int64(0)
    for text in range(len(starts) - 1):
        start, end = starts[text], starts[text + 1]
        n_hashes = _add_acronyms(characters, start, end, none, hashes, n_hashes)
        n_hashes = _add_acronyms(characters, start, end, small, hashes, n_hashes)
        hash_starts[text + 1] = n_hashes
    return hashes[:n_hashes].copy(), hash_starts


@kernel
def _most_words(characters, starts):
    """Return an upper bound on the number of words."""
    n_words = len(starts)
    for character in characters:
        n_words += character == BLANK
    return n_words


@kernel
def _add_acronyms(characters, start, end, small, hashes, n_hashes):
    """Append the hashes of the initials of words of more than `small` letters; return the count."""
    row = np.empty(MOST_INITIALS, np.uint64)
    n_before = 0
    stop = start
    while True:
        first, stop = next_piece(characters, stop, end, BLANK)
        if first == stop:
            break
        if stop - first > small:
            # row[k] is the hash of the initials of the last k + 1 words. FNV-1a works character by
            # character, so each hash is one of the previous word with one letter more; from the
            # longest down, because row[length] needs the old row[length - 1].
            for length in range(min(n_before, MOST_INITIALS - 1), 0, -1):
                row[length] = extend_hash(characters, first, first + 1, row[length - 1])
            row[0] = extend_hash(characters, first, first + 1, OFFSET)
            n_before += 1
            for length in range(LEAST_INITIALS, min(n_before, MOST_INITIALS) + 1):
                hashes[n_hashes] = row[length - 1]
                n_hashes += 1
    return n_hashes


@kernel
def rarest_acronyms(word_starts, words, spelled_starts, spelled, rarities, left, right):
    """Return the rarity of the rarest acronym that stands for words of the other text, per pair.

    Parameters
    ----------
    word_starts, words
        Text i has the words `words[word_starts[i]:word_starts[i + 1]]`, ascending, each once.
    spelled_starts, spelled
        The words that initials of its words spell, in the same layout.
    rarities
        The rarity of each word.
    left, right
        The texts of the pairs.

    Returns
    -------
    The rarities, 0 for pairs without an acronym. A word is an acronym if one text spells it and
    does not have it, and the other text has it or spells it, too.
    """
    highest = np.zeros(len(left))
    for pair in range(len(left)):
        for text, other in ((left[pair], right[pair]), (right[pair], left[pair])):
            for position in range(spelled_starts[text], spelled_starts[text + 1]):
                word = spelled[position]
                # The cheap test first: a word that is not rarer than the best needs no search.
                if rarities[word] <= highest[pair] or _has(words, word_starts, text, word):
                    continue
                if _has(words, word_starts, other, word) or _has(
                    spelled, spelled_starts, other, word
                ):
                    highest[pair] = rarities[word]
    return highest


@inlined
def _has(tokens, starts, text, token):
    """Return whether a token is one of a text's."""
    return find_token(token, tokens, starts[text], starts[text + 1]) >= 0
