"""Acronyms in pairs of names: tokens that are the initials of words of the other name."""

from coterie._kernels.compiling import inlined, kernel

MOST_INITIALS = 6
"""How many letters an acronym has at most."""


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
