"""Pairs of names: the relations of their tokens, and what these say about the names.

A name is a row of tokens in order, between the honorifics at its two ends. A token is a row of
letters.
"""

from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Bools, Ints
from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.texts.acronyms import match_acronym, match_runs

EQUAL, EQUAL_FOLDED, NICKNAME, PREFIX, SUBSTRING = 1, 2, 4, 8, 16
ABBREVIATION, PREFIX_NEAR, NEAR, INITIAL, SYMBOL = 32, 64, 128, 256, 512
"""The relations of tokens, a bit each, in the order of their columns; near means one edit apart."""

EQUAL_BUT_CASE = EQUAL_FOLDED | PREFIX | SUBSTRING | PREFIX_NEAR | NEAR
"""The relations of tokens that differ only in case."""

MATCHED = EQUAL_FOLDED | NICKNAME | ABBREVIATION | NEAR | INITIAL | SYMBOL
"""The relations of tokens that may stand for each other."""

N_HONORIFIC, N_RELATIONS, N_SHARES = 3, 10, 4
# Each relation has three columns: any tokens have it, the first tokens have it, the last ones do.
N_COLUMNS = N_HONORIFIC + 3 * N_RELATIONS + N_SHARES

PREFIX_LETTERS = 3
"""The number of first letters that tokens with the relation `PREFIX` share."""

NEAR_LETTERS, NEAR_PREFIX = 3, 4
"""The least letters of tokens that may be near, and the letters of the prefixes that may be."""

MOST_SHORT, LEAST_LEFT_OUT = 4, 2
"""The most letters that an abbreviation has, and the least that it leaves out."""


class Spelling(NamedTuple):
    """The letters of all tokens, with their case folded; those of token i start at starts[i]."""

    starts: Ints
    letters: Ints
    vowels: Bools
    small: Bools
    """True for tokens that an acronym may leave out."""


class Tokens(NamedTuple):
    """Properties of the distinct tokens."""

    spelling: Spelling
    folds: Ints
    """The same index for tokens that differ only in case."""
    honorifics: Ints
    """The same index for equivalent honorifics; -1 for other tokens."""
    numbers: Bools
    idle: Bools
    """True for tokens without which a name is complete."""
    capitals: Bools
    """True for tokens that may be the initials of words in a row."""
    sense_starts: Ints
    senses: Ints
    """The words that each token may stand for; those of token i start at sense_starts[i]."""
    relations: Ints
    """The relation by which a token stands for each of these words."""


class NameTokens(NamedTuple):
    """Names in CSR form; the tokens between honorifics are those from its head to its tail."""

    starts: Ints
    tokens: Ints
    heads: Ints
    tails: Ints


@kernel
def count_token_pairs(pairs, names):
    """Return the number of pairs of tokens, without honorifics, of each pair of names."""
    sizes = names.tails - names.heads
    return sizes[pairs[:, 0]] * sizes[pairs[:, 1]]


@kernel
def list_token_pairs(pairs, names, n_token_pairs):
    """Return each token of the first name with each of the second, for each pair of names."""
    # `describe_tokens` reads the relations of these token pairs in the same order.
    token_pairs = np.empty((2, n_token_pairs), np.intp)
    count = 0
    for pair in range(len(pairs)):
        first, second = pairs[pair]
        for i in range(names.heads[first], names.tails[first]):
            for j in range(names.heads[second], names.tails[second]):
                token_pairs[0, count], token_pairs[1, count] = names.tokens[i], names.tokens[j]
                count += 1
    return token_pairs


@inlined
def same_letters(start, other_start, n_letters, letters):
    """Return whether two runs of letters are equal."""
    step = 0
    while step < n_letters and letters[start + step] == letters[other_start + step]:
        step += 1
    return step == n_letters


@inlined
def contains(short, n_short, long, n_long, letters):
    """Return whether the letters of a token are a run of those of a longer one."""
    for shift in range(n_long - n_short + 1):
        if same_letters(short, long + shift, n_short, letters):
            return True
    return False


@inlined
def abbreviates(short, n_short, long, n_long, letters, vowels):
    """Return whether a token has letters of a longer one in order, as abbreviations do.

    These are the first letter and consonants, among them the last letter (Intl, Hwy, Rd); or the
    first three or four letters, the last two of them consonants (Inst, Dist).
    """
    end, long_end = short + n_short - 1, long + n_long - 1
    if n_short > min(MOST_SHORT, n_long - LEAST_LEFT_OUT) or letters[short] != letters[long]:
        return False
    # The earliest match of each letter: if the short token is a subsequence at all, this finds it.
    n_matched, n_vowels = 1, 0
    for position in range(long + 1, long_end + 1):
        if n_matched < n_short and letters[position] == letters[short + n_matched]:
            n_vowels += vowels[position]
            n_matched += 1
    contracted = n_matched == n_short and not n_vowels and letters[end] == letters[long_end]
    cut = n_short > 2 and not vowels[end] and not vowels[end - 1]
    return contracted or (cut and same_letters(short, long, n_short, letters))


@inlined
def may_be_near(start, n_letters, other, n_other, letters):
    """Return whether one edit may make two tokens equal; rules out most pairs that are not near."""
    # One edit changes the length by at most 1, and never both the first and the last letter.
    ends = letters[start + n_letters - 1] == letters[other + n_other - 1]
    long_enough = min(n_letters, n_other) >= NEAR_LETTERS and abs(n_letters - n_other) <= 1
    return long_enough and (ends or letters[start] == letters[other])


@inlined
def common_senses(first, second, tokens):
    """Return the relations by which two tokens stand for the same word."""
    relations = 0
    for i in range(tokens.sense_starts[first], tokens.sense_starts[first + 1]):
        for j in range(tokens.sense_starts[second], tokens.sense_starts[second + 1]):
            if tokens.senses[i] == tokens.senses[j]:
                relations |= tokens.relations[i]
    return relations


@inlined
def spelling_relations(short, long, spelling):
    """Return the relations that the letters of two tokens show; NEAR means here that it may be."""
    letters, start, other = spelling.letters, spelling.starts[short], spelling.starts[long]
    n_short, n_long = spelling.starts[short + 1] - start, spelling.starts[long + 1] - other
    if n_short > n_long:
        short, start, n_short, other, n_long = long, other, n_long, start, n_short
    # An initial says nothing about the other letters, so a single letter has no other relation.
    if n_short == 1:
        return INITIAL if n_long > 1 and letters[start] == letters[other] else 0
    relations = 0
    if n_short >= PREFIX_LETTERS and same_letters(start, other, PREFIX_LETTERS, letters):
        relations |= PREFIX
    if contains(start, n_short, other, n_long, letters):
        relations |= SUBSTRING
    is_short = abbreviates(start, n_short, other, n_long, letters, spelling.vowels)
    if is_short and not spelling.small[short]:
        relations |= ABBREVIATION
    if may_be_near(start, n_short, other, n_long, letters):
        relations |= NEAR
    if may_be_near(start, min(n_short, NEAR_PREFIX), other, min(n_long, NEAR_PREFIX), letters):
        relations |= PREFIX_NEAR
    return relations


@kernel
def relate_tokens(token_pairs, tokens):
    """Return the relations of pairs of tokens.

    NEAR and PREFIX_NEAR are set where they are possible; the caller compares these pairs.
    """
    relations = np.empty(token_pairs.shape[1], np.uint16)
    for token_pair in range(token_pairs.shape[1]):
        first, second = token_pairs[0, token_pair], token_pairs[1, token_pair]
        # Equal up to case: the relations that any two equal strings have, whatever their length.
        if tokens.folds[first] == tokens.folds[second]:
            relations[token_pair] = EQUAL_BUT_CASE | (EQUAL if first == second else 0)
            continue
        token_relations = common_senses(first, second, tokens)
        # Numbers that differ are different, however similar their digits are.
        if not tokens.numbers[first] and not tokens.numbers[second]:
            token_relations |= spelling_relations(first, second, tokens.spelling)
        relations[token_pair] = token_relations
    return relations


@inlined
def write_honorifics(row, first, second, tokens):
    """Write whether some honorifics are equal, some are equivalent, and all are different."""
    has_match = False
    for i in first:
        for j in second:
            if tokens.folds[i] == tokens.folds[j]:
                row[0] = 1.0
                has_match = True
            elif tokens.honorifics[i] == tokens.honorifics[j]:
                row[1] = 1.0
                has_match = True
    if len(first) and len(second) and not has_match:
        row[2] = 1.0


@inlined
def share_of_honorifics(first, second, tokens):
    """Return the share of the honorifics of a name that the other has, equal or equivalent."""
    count = 0
    for i in first:
        for j in second:
            if tokens.honorifics[i] == tokens.honorifics[j]:
                count += 1
                break
    return count / len(first)


@inlined
def write_shares(row, first, n_first, second, n_second):
    """Write whether the shorter name is wholly matched, whether both are, and their shares.

    `first` and `second` are the shares of the tokens of the names that are matched. Of two names
    with the same number of tokens, the one with the larger share counts as the shorter one.
    """
    # By length, not in the order of the arguments, so that the columns are symmetric.
    swaps = n_first > n_second or (n_first == n_second and first < second)
    shorter, longer = (second, first) if swaps else (first, second)
    row[-4], row[-3] = shorter == 1.0, shorter == 1.0 and longer == 1.0
    row[-2], row[-1] = shorter, longer


@kernel
def describe_honorifics(pairs, names, tokens, columns):
    """Write the columns of honorifics, and the shares of names that are honorifics alone."""
    for pair in range(len(pairs)):
        i, j = pairs[pair]
        row = columns[pair]
        first = names.tokens[names.starts[i] : names.starts[i + 1]]
        second = names.tokens[names.starts[j] : names.starts[j + 1]]
        head, tail = names.heads[i] - names.starts[i], names.tails[i] - names.starts[i]
        other_head = names.heads[j] - names.starts[j]
        other_tail = names.tails[j] - names.starts[j]
        # Those before a name are compared with each other, and so are those behind it: Dr and Jr
        # do not contradict each other.
        write_honorifics(row, first[:head], second[:other_head], tokens)
        write_honorifics(row, first[tail:], second[other_tail:], tokens)
        alone = head == tail and other_head == other_tail
        if alone and len(first) and len(second):
            share = share_of_honorifics(first, second, tokens)
            other_share = share_of_honorifics(second, first, tokens)
            write_shares(row, share, len(first), other_share, len(second))


@inlined
def matched_share(words, matched, tokens):
    """Return the share of a name's tokens that are matched, and the number of tokens that count.

    Idle tokens count only if they are matched, or if there are no others.
    """
    n_matched = n_counted = 0
    for position in range(len(words)):
        n_matched += matched[position]
        n_counted += matched[position] or not tokens.idle[words[position]]
    if not n_counted:
        n_counted = len(words)
    return n_matched / n_counted, n_counted


@inlined
def write_relations(row, anywhere, first, last):
    """Write for each relation whether any tokens, the first and the last ones have it."""
    for relation in range(N_RELATIONS):
        column = N_HONORIFIC + 3 * relation
        row[column] = anywhere >> relation & 1
        row[column + 1] = first >> relation & 1
        row[column + 2] = last >> relation & 1


@kernel
def describe_tokens(pairs, names, tokens, relations, columns):
    """Write the other columns; `relations` are those of `list_token_pairs`, in its order."""
    # One row for each name of a pair, long enough for every name, instead of new arrays per pair.
    room = np.empty((2, np.max(names.tails - names.heads)), np.bool_)
    token_pair = 0
    for pair in range(len(pairs)):
        i, j = pairs[pair]
        first = names.tokens[names.heads[i] : names.tails[i]]
        second = names.tokens[names.heads[j] : names.tails[j]]
        if not len(first) or not len(second):
            continue
        matched, other_matched = room[0, : len(first)], room[1, : len(second)]
        matched[:] = False
        other_matched[:] = False
        # The first entry of the block of a pair relates the first tokens, the last entry the last.
        anywhere, of_first = 0, relations[token_pair]
        for position in range(len(first)):
            for other_position in range(len(second)):
                anywhere |= relations[token_pair]
                if relations[token_pair] & MATCHED:
                    matched[position] = other_matched[other_position] = True
                token_pair += 1
        of_last = relations[token_pair - 1]
        all_first = names.tokens[names.starts[i] : names.starts[i + 1]]
        all_second = names.tokens[names.starts[j] : names.starts[j + 1]]
        # Acronyms relate a token to several, which no relation of two tokens can show; they count
        # as abbreviations.
        runs = match_runs(first, second, matched, other_matched, tokens)
        other_runs = match_runs(second, first, other_matched, matched, tokens)
        acronym = match_acronym(first, second, all_second, matched, other_matched, tokens)
        acronym |= match_acronym(second, first, all_first, other_matched, matched, tokens)
        anywhere |= ABBREVIATION * (runs[0] or other_runs[0] or acronym)
        of_first |= ABBREVIATION * (runs[1] or other_runs[1] or acronym)
        of_last |= ABBREVIATION * (runs[2] or other_runs[2] or acronym)
        write_relations(columns[pair], anywhere, of_first, of_last)
        share, n_counted = matched_share(first, matched, tokens)
        other_share, other_counted = matched_share(second, other_matched, tokens)
        write_shares(columns[pair], share, n_counted, other_share, other_counted)
