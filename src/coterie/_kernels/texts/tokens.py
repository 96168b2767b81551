"""Tokens of texts as hashes of 64 bits.

Texts are given as the code points of all of them, one after the other, and where each begins. What
is returned are the hashes of their tokens, one text after the other, and where those of each begin.
Words lie between blanks.
"""

import numpy as np

from coterie._kernels.compiling import inlined, kernel

BLANK = np.uint32(32)
BAR = np.uint32(124)
OFFSET, _PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)
_MIXER = np.uint64(0xD6E8FEB86659FD93)
_ROOM = 1024
"""For how many hashes there is room at first; a power of two."""


@kernel
def hash_whole_texts(characters, starts):
    """Take each text as its only token; the empty one has none."""
    hashes, firsts = np.empty(len(starts) - 1, np.uint64), np.zeros(len(starts), np.intp)
    found = 0
    for text in range(len(starts) - 1):
        if starts[text + 1] > starts[text]:
            hashes[found] = hashed(characters, starts[text], starts[text + 1], OFFSET)
            found += 1
        firsts[text + 1] = found
    return hashes[:found], firsts


@kernel
def hash_trigrams(characters, starts):
    """Take the three characters from each place on, the text between blanks."""
    hashes = np.empty(len(characters), np.uint64)
    for text in range(len(starts) - 1):
        start, end = starts[text], starts[text + 1]
        for place in range(start, end):
            before = characters[place - 1] if place > start else BLANK
            after = characters[place + 1] if place + 1 < end else BLANK
            # Code points have 21 bits: no two trigrams share a number.
            packed = np.uint64(before) << np.uint64(42) | np.uint64(characters[place]) << np.uint64(
                21
            )
            hashes[place] = packed | np.uint64(after)
    return hashes, starts


@kernel
def hash_words(characters, starts):
    """Take the words."""
    return _pieces(characters, starts, BLANK, False)


@kernel
def hash_words_and_pairs(characters, starts):
    """Take the words, and each two neighbouring ones."""
    return _pieces(characters, starts, BLANK, True)


@kernel
def hash_members(characters, starts):
    """Take what lies between bars."""
    return _pieces(characters, starts, BAR, False)


@kernel
def hash_codes(characters, starts):
    """Take the words with digits, and two neighbours of which one has some, written as one."""
    hashes = np.empty(_most(characters, BLANK, len(starts)), np.uint64)
    firsts, found = np.zeros(len(starts), np.intp), 0
    for text in range(len(starts) - 1):
        before, end, has_digit = -1, starts[text], False
        while True:
            start, end = next_piece(characters, end, starts[text + 1], BLANK)
            if start == end:
                break
            has_one = _has_digit(characters, start, end)
            if has_one:
                hashes[found] = hashed(characters, start, end, OFFSET)
                found += 1
            if before >= 0 and (has_one or has_digit):
                joint = hashed(characters, before, start - 1, OFFSET)
                hashes[found] = hashed(characters, start, end, joint)
                found += 1
            before, has_digit = start, has_one
        firsts[text + 1] = found
    return hashes[:found].copy(), firsts


@kernel
def _pieces(characters, starts, between, with_pairs):
    hashes = np.empty(_most(characters, between, len(starts)), np.uint64)
    firsts, found = np.zeros(len(starts), np.intp), 0
    for text in range(len(starts) - 1):
        end = starts[text]
        before = -1
        while True:
            start, end = next_piece(characters, end, starts[text + 1], between)
            if start == end:
                break
            hashes[found] = hashed(characters, start, end, OFFSET)
            found += 1
            if with_pairs and before >= 0:
                hashes[found] = hashed(characters, before, end, OFFSET)
                found += 1
            before = start
        firsts[text + 1] = found
    return hashes[:found].copy(), firsts


@kernel
def _most(characters, between, n_texts):
    """Bound how many tokens there are: of each piece at most itself and it with the one before."""
    n_gaps = 0
    for character in characters:
        n_gaps += character == between
    return 2 * (n_gaps + n_texts)


@inlined
def next_piece(characters, place, end, between):
    """Return where the next piece starts and ends; it is empty where there is none."""
    while place < end and characters[place] == between:
        place += 1
    start = place
    while place < end and characters[place] != between:
        place += 1
    return start, place


@inlined
def hashed(characters, start, end, seed):
    """Go on with a hash: FNV-1a, by code points."""
    found = seed
    for place in range(start, end):
        found = (found ^ np.uint64(characters[place])) * _PRIME
    return found


@inlined
def _has_digit(characters, start, end):
    found = False
    for place in range(start, end):
        found = found or np.uint32(48) <= characters[place] <= np.uint32(57)
    return found


# Counting.


@kernel
def factorize_hashes(hashes):
    """Give hashes numbers, in the order in which each is first met.

    Returns
    -------
    The distinct hashes, and the number of each given one.
    """
    numbers = np.empty(len(hashes), np.int32)
    distinct, slots = _room(np.empty(_ROOM, np.uint64), 0)
    n_distinct = 0
    for place in range(len(hashes)):
        slot = _slot(hashes[place], distinct, slots)
        if slots[slot] < 0:
            if n_distinct == len(distinct):
                distinct, slots = _room(distinct, n_distinct)
                slot = _slot(hashes[place], distinct, slots)
            distinct[n_distinct] = hashes[place]
            slots[slot] = n_distinct
            n_distinct += 1
        numbers[place] = slots[slot]
    return distinct[:n_distinct].copy(), numbers


@kernel
def count_tokens(starts, numbers, ranks):
    """Count the tokens of each text: ascending by rank, each once.

    Parameters
    ----------
    starts, numbers
        Text i has the tokens `numbers[starts[i]:starts[i + 1]]`, some more than once.
    ranks
        What to sort the numbers by.

    Returns
    -------
    Where the tokens of each text begin, these as their ranks, and how often the text has each.
    """
    firsts, found = np.zeros(len(starts), np.intp), 0
    tokens, counts = np.empty(len(numbers), np.int32), np.empty(len(numbers), np.int32)
    for text in range(len(starts) - 1):
        own = np.sort(ranks[numbers[starts[text] : starts[text + 1]]])
        for place in range(len(own)):
            if place > 0 and own[place] == own[place - 1]:
                counts[found - 1] += 1
            else:
                tokens[found], counts[found] = own[place], 1
                found += 1
        firsts[text + 1] = found
    return firsts, tokens[:found].copy(), counts[:found].copy()


@kernel
def count_rows_per_token(starts, tokens, n_rows, n_tokens):
    """Count the rows that have each token, given how many have each text."""
    found = np.zeros(n_tokens)
    for text in range(len(starts) - 1):
        for place in range(starts[text], starts[text + 1]):
            found[tokens[place]] += n_rows[text]
    return found


@kernel
def normalise_weights(starts, tokens, counts, of_counts, of_tokens):
    """Weigh the tokens of texts by how often each text has each, and by which they are.

    The vector of a text has length 1.
    """
    weights = np.empty(len(tokens))
    for text in range(len(starts) - 1):
        squares = 0.0
        for place in range(starts[text], starts[text + 1]):
            weights[place] = of_counts[counts[place]] * of_tokens[tokens[place]]
            squares += weights[place] ** 2
        length = np.sqrt(squares)
        for place in range(starts[text], starts[text + 1]):
            weights[place] /= length
    return weights


@kernel
def count_entities_per_token(starts, tokens, texts, entities, n_tokens):
    """Count the entities that have each token, given the text and the entity of each row.

    Rows of an entity follow each other.
    """
    found, last = np.zeros(n_tokens, np.intp), np.full(n_tokens, -1, np.intp)
    for row in range(len(texts)):
        for place in range(starts[texts[row]], starts[texts[row] + 1]):
            token = tokens[place]
            if last[token] != entities[row]:
                last[token] = entities[row]
                found[token] += 1
    return found


@kernel
def _room(distinct, n_distinct):
    """Make room for twice as many hashes as there are, four slots for each."""
    larger = np.empty(max(2 * n_distinct, len(distinct)), np.uint64)
    larger[:n_distinct] = distinct[:n_distinct]
    slots = np.full(2 * len(larger), -1, np.int32)
    for number in range(n_distinct):
        slots[_slot(larger[number], larger, slots)] = number
    return larger, slots


@inlined
def _slot(wanted, distinct, slots):
    """Return the slot of a hash, or the free one where it belongs; slots are a power of two."""
    last = np.uint64(len(slots) - 1)
    mixed = (wanted ^ (wanted >> np.uint64(32))) * _MIXER
    slot = (mixed ^ (mixed >> np.uint64(29))) & last
    while slots[slot] >= 0 and distinct[slots[slot]] != wanted:
        slot = (slot + np.uint64(1)) & last
    return slot
