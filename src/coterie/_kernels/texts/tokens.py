"""Tokens of texts as hashes of 64 bits.

Texts are given as `characters`, the code points of all texts one after the other, and `starts`, the
offset of each text and at last the length. Functions named hash_… return the hashes of the tokens
in the same layout. Exactly one blank lies between two words, as in plain texts.
"""

import numpy as np

from coterie._kernels.compiling import inlined, kernel

BLANK = np.uint32(32)
BAR = np.uint32(124)
# The constants of FNV-1a for 64 bits (Fowler, Noll & Vo).
OFFSET, _PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)
_MIXER = np.uint64(0xD6E8FEB86659FD93)
_ROOM = 1024
"""The number of hashes for which there is room at first; a power of two."""


@kernel
def hash_whole_texts(characters, starts):
    """Hash each text as its only token; an empty text has none."""
    hashes, hash_starts = np.empty(len(starts) - 1, np.uint64), np.zeros(len(starts), np.intp)
    n_hashes = 0
    for text in range(len(starts) - 1):
        if starts[text + 1] > starts[text]:
            hashes[n_hashes] = extend_hash(characters, starts[text], starts[text + 1], OFFSET)
            n_hashes += 1
        hash_starts[text + 1] = n_hashes
    return hashes[:n_hashes], hash_starts


@kernel
def hash_trigrams(characters, starts):
    """Hash the three characters around each position of a text, with a blank at either end."""
    hashes = np.empty(len(characters), np.uint64)
    for text in range(len(starts) - 1):
        start, end = starts[text], starts[text + 1]
        for middle in range(start, end):
            before = characters[middle - 1] if middle > start else BLANK
            after = characters[middle + 1] if middle + 1 < end else BLANK
            # Code points have 21 bits, so that three of them fit: the hash is the trigram itself,
            # and no two of them collide.
            high = np.uint64(before) << np.uint64(42)
            centre = np.uint64(characters[middle]) << np.uint64(21)
            hashes[middle] = high | centre | np.uint64(after)
    # One trigram per character: the offsets of the texts are those of the hashes.
    return hashes, starts


@kernel
def hash_words(characters, starts):
    """Hash the words."""
    return _pieces(characters, starts, BLANK, False)


@kernel
def hash_words_and_pairs(characters, starts):
    """Hash the words, and each two neighbouring words as one token."""
    return _pieces(characters, starts, BLANK, True)


@kernel
def hash_members(characters, starts):
    """Hash the members of a set, which lie between bars."""
    return _pieces(characters, starts, BAR, False)


@kernel
def hash_codes(characters, starts):
    """Hash the words with digits, and two neighbours written as one if either has a digit."""
    hashes = np.empty(_most_tokens(characters, BLANK, len(starts)), np.uint64)
    hash_starts, n_hashes = np.zeros(len(starts), np.intp), 0
    for text in range(len(starts) - 1):
        # `before` is the start of the previous word, -1 for the first one.
        before, end, was_code = -1, starts[text], False
        while True:
            start, end = next_piece(characters, end, starts[text + 1], BLANK)
            if start == end:
                break
            is_code = _has_digit(characters, start, end)
            if is_code:
                hashes[n_hashes] = extend_hash(characters, start, end, OFFSET)
                n_hashes += 1
            if before >= 0 and (is_code or was_code):
                # Without the blank between the two, so that w 120 gets the hash of w120.
                joint = extend_hash(characters, before, start - 1, OFFSET)
                hashes[n_hashes] = extend_hash(characters, start, end, joint)
                n_hashes += 1
            before, was_code = start, is_code
        hash_starts[text + 1] = n_hashes
    return hashes[:n_hashes].copy(), hash_starts


@kernel
def _pieces(characters, starts, separator, with_pairs):
    """Hash the pieces between separators, and with `with_pairs` each two neighbours as one."""
    hashes = np.empty(_most_tokens(characters, separator, len(starts)), np.uint64)
    hash_starts, n_hashes = np.zeros(len(starts), np.intp), 0
    for text in range(len(starts) - 1):
        end = starts[text]
        before = -1
        while True:
            start, end = next_piece(characters, end, starts[text + 1], separator)
            if start == end:
                break
            hashes[n_hashes] = extend_hash(characters, start, end, OFFSET)
            n_hashes += 1
            # From the start of the previous piece, so that the separator is part of the pair.
            if with_pairs and before >= 0:
                hashes[n_hashes] = extend_hash(characters, before, end, OFFSET)
                n_hashes += 1
            before = start
        hash_starts[text + 1] = n_hashes
    return hashes[:n_hashes].copy(), hash_starts


@kernel
def _most_tokens(characters, separator, n_texts):
    """Return an upper bound on the number of tokens."""
    # n separators in a text make at most n + 1 pieces, each a token alone and with the one before.
    n_gaps = 0
    for character in characters:
        n_gaps += character == separator
    return 2 * (n_gaps + n_texts)


@inlined
def next_piece(characters, position, end, separator):
    """Return the start and the end of the next piece; they are equal if there is none."""
    while position < end and characters[position] == separator:
        position += 1
    start = position
    while position < end and characters[position] != separator:
        position += 1
    return start, position


@inlined
def extend_hash(characters, start, end, prefix_hash):
    """Return the hash of a prefix continued by some characters: FNV-1a, by code points."""
    extended = prefix_hash
    for position in range(start, end):
        extended = (extended ^ np.uint64(characters[position])) * _PRIME
    return extended


@inlined
def _has_digit(characters, start, end):
    has_digit = False
    for position in range(start, end):
        has_digit = has_digit or np.uint32(48) <= characters[position] <= np.uint32(57)
    return has_digit


@kernel
def factorize_hashes(hashes):
    """Index the distinct hashes in the order in which they first occur, as `pandas.factorize`.

    Returns
    -------
    The distinct hashes, and the index of each given hash among them.
    """
    indices = np.empty(len(hashes), np.int32)
    distinct, slots = _grow_table(np.empty(_ROOM, np.uint64), np.int64(0))
    n_distinct = np.int64(0)
    for position in range(len(hashes)):
        slot = _slot(hashes[position], distinct, slots)
        if slots[slot] < 0:
            # A new table has other slots, so the free one must be found again.
            if n_distinct == len(distinct):
                distinct, slots = _grow_table(distinct, n_distinct)
                slot = _slot(hashes[position], distinct, slots)
            distinct[n_distinct] = hashes[position]
            slots[slot] = n_distinct
            n_distinct += 1
        indices[position] = slots[slot]
    return distinct[:n_distinct].copy(), indices


@kernel
def count_tokens(starts, indices, ranks):
    """Count the tokens of each text: ascending by rank, each once.

    Parameters
    ----------
    starts, indices
        Text i has the tokens `indices[starts[i]:starts[i + 1]]`, some more than once.
    ranks
        The rank of each token.

    Returns
    -------
    The starts of the texts, their tokens as ranks, and the count of each token in its text.
    """
    count_starts, n_entries = np.zeros(len(starts), np.intp), 0
    tokens, counts = np.empty(len(indices), np.int32), np.empty(len(indices), np.int32)
    for text in range(len(starts) - 1):
        # Sorting puts equal tokens side by side.
        text_ranks = np.sort(ranks[indices[starts[text] : starts[text + 1]]])
        for position in range(len(text_ranks)):
            if position > 0 and text_ranks[position] == text_ranks[position - 1]:
                counts[n_entries - 1] += 1
            else:
                tokens[n_entries], counts[n_entries] = text_ranks[position], 1
                n_entries += 1
        count_starts[text + 1] = n_entries
    return count_starts, tokens[:n_entries].copy(), counts[:n_entries].copy()


@kernel
def count_rows_per_token(starts, tokens, n_rows, n_tokens):
    """Count the rows that have each token, given the number of rows that have each text."""
    row_counts = np.zeros(n_tokens)
    for text in range(len(starts) - 1):
        for entry in range(starts[text], starts[text + 1]):
            row_counts[tokens[entry]] += n_rows[text]
    return row_counts


@kernel
def normalise_weights(starts, tokens, counts, count_weights, token_weights):
    """Return the weight of each token in its text, such that the vector of a text has length 1.

    Before it is normalised, the weight is that of the token's count times that of the token.
    """
    weights = np.empty(len(tokens))
    for text in range(len(starts) - 1):
        squares = 0.0
        for entry in range(starts[text], starts[text + 1]):
            weights[entry] = count_weights[counts[entry]] * token_weights[tokens[entry]]
            squares += weights[entry] ** 2
        length = np.sqrt(squares)
        for entry in range(starts[text], starts[text + 1]):
            weights[entry] /= length
    return weights


@kernel
def count_entities_per_token(starts, tokens, texts, entities, n_tokens):
    """Count the entities that have each token, given the text and the entity of each row.

    Rows of an entity follow each other.
    """
    # Because of that, the last entity in which a token was met tells whether it is counted already.
    entity_counts, last = np.zeros(n_tokens, np.intp), np.full(n_tokens, -1, np.intp)
    for row in range(len(texts)):
        for entry in range(starts[texts[row]], starts[texts[row] + 1]):
            token = tokens[entry]
            if last[token] != entities[row]:
                last[token] = entities[row]
                entity_counts[token] += 1
    return entity_counts


@kernel
def _grow_table(distinct, n_distinct):
    """Return room for twice as many hashes as there are, and a table of slots that finds them."""
    larger = np.empty(max(2 * n_distinct, len(distinct)), np.uint64)
    # A loop: an assignment of slices also compiles the texts of an error about their shapes.
    for index in range(n_distinct):
        larger[index] = distinct[index]
    # Two slots per hash that fits: the table is never more than half full, and probes stay short.
    slots = np.full(2 * len(larger), -1, np.int32)
    for index in range(n_distinct):
        slots[_slot(larger[index], larger, slots)] = index
    return larger, slots


@inlined
def _slot(token_hash, distinct, slots):
    """Return the slot of a hash, or the free one where it belongs; slots are a power of two."""
    # Trigrams are packed characters, whose low bits are those of the last character alone; the
    # multiply-xorshift round lets all bits choose the slot. Then linear probing.
    last = np.uint64(len(slots) - 1)
    mixed = (token_hash ^ (token_hash >> np.uint64(32))) * _MIXER
    slot = (mixed ^ (mixed >> np.uint64(29))) & last
    while slots[slot] >= 0 and distinct[slots[slot]] != token_hash:
        slot = (slot + np.uint64(1)) & last
    return slot
