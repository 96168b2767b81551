"""Pairs of names: how their tokens are related, and what that says of the names.

A name is a row of tokens in order, the honorifics at both ends apart; a token is a row of letters.
"""

from typing import NamedTuple

import numpy as np

from coterie._core.arrays import Bools, Ints
from coterie._kernels.compiling import inlined, kernel
from coterie._kernels.texts.acronyms import match_acronym, match_runs

EQUAL, EQUAL_FOLDED, NICKNAME, PREFIX, SUBSTRING = 1, 2, 4, 8, 16
ABBREVIATION, PREFIX_NEAR, NEAR, INITIAL, SYMBOL = 32, 64, 128, 256, 512
"""The relations of tokens, a bit each, in the order of their columns; near: an edit apart."""

EQUAL_BUT_CASE = EQUAL_FOLDED | PREFIX | SUBSTRING | PREFIX_NEAR | NEAR
"""The relations of tokens that differ in case only."""

MATCHED = EQUAL_FOLDED | NICKNAME | ABBREVIATION | NEAR | INITIAL | SYMBOL
"""The relations of tokens that may stand for each other."""

N_HONORIFIC, N_RELATIONS, N_SHARES = 3, 10, 4
N_COLUMNS = N_HONORIFIC + 3 * N_RELATIONS + N_SHARES

PREFIX_LETTERS = 3
"""How many first letters are a prefix."""

NEAR_LETTERS, NEAR_PREFIX = 3, 4
"""How many letters tokens have at least that may be near, and of which prefixes may be."""

MOST_SHORT, LEAST_LEFT_OUT = 4, 2
"""How many letters an abbreviation has at most, and leaves out at least."""


class Spelling(NamedTuple):
    """Where the letters of each token begin, these letters, folded, and what is told of them."""

    starts: Ints
    letters: Ints
    vowels: Bools
    small: Bools
    """Which tokens acronyms may leave out."""


class Tokens(NamedTuple):
    """What is told of different tokens."""

    spelling: Spelling
    folds: Ints
    """The same number for tokens that differ in case only."""
    honorifics: Ints
    """The same number for equivalent honorifics; −1 for other tokens."""
    numbers: Bools
    idle: Bools
    """Those that need not be matched."""
    capitals: Bools
    """Those that may be the initials of words in a row."""
    sense_starts: Ints
    senses: Ints
    """What each token stands for, by some relation."""
    relations: Ints


class NameTokens(NamedTuple):
    """Names: where the tokens of each begin, those that are no honorifics, and where these end."""

    starts: Ints
    tokens: Ints
    heads: Ints
    tails: Ints


@kernel
def count_token_pairs(pairs, names):
    """Count the pairs of tokens, but honorifics, of each pair of names."""
    sizes = names.tails - names.heads
    return sizes[pairs[:, 0]] * sizes[pairs[:, 1]]


@kernel
def list_token_pairs(pairs, names, n_meetings):
    """Return the tokens of each pair of names, each of the first with each of the second."""
    met = np.empty((2, n_meetings), np.intp)
    count = 0
    for pair in range(len(pairs)):
        first, second = pairs[pair]
        for own in range(names.heads[first], names.tails[first]):
            for their in range(names.heads[second], names.tails[second]):
                met[0, count], met[1, count] = names.tokens[own], names.tokens[their]
                count += 1
    return met


@inlined
def same_letters(start, other_start, n_letters, letters):
    """Tell whether some letters are the same."""
    step = 0
    while step < n_letters and letters[start + step] == letters[other_start + step]:
        step += 1
    return step == n_letters


@inlined
def holds(short, n_short, long, n_long, letters):
    """Tell whether a token is a part of a longer one."""
    for shift in range(n_long - n_short + 1):
        if same_letters(short, long + shift, n_short, letters):
            return True
    return False


@inlined
def abbreviates(short, n_short, long, n_long, letters, vowels):
    """Tell whether a token has letters of a longer one in order, as an abbreviation has them.

    They are the first one and consonants, among them the last one (Intl, Hwy, Rd), or the first
    three or four with two consonants at the end (Inst, Dist).
    """
    end, long_end = short + n_short - 1, long + n_long - 1
    if n_short > min(MOST_SHORT, n_long - LEAST_LEFT_OUT) or letters[short] != letters[long]:
        return False
    found, n_vowels = 1, 0
    for place in range(long + 1, long_end + 1):
        if found < n_short and letters[place] == letters[short + found]:
            n_vowels += vowels[place]
            found += 1
    contracted = found == n_short and not n_vowels and letters[end] == letters[long_end]
    cut = n_short > 2 and not vowels[end] and not vowels[end - 1]
    return contracted or (cut and same_letters(short, long, n_short, letters))


@inlined
def may_be_near(start, n_letters, other, n_other, letters):
    """Tell whether an edit may be enough; it cannot change both the first and the last letter."""
    ends = letters[start + n_letters - 1] == letters[other + n_other - 1]
    long_enough = min(n_letters, n_other) >= NEAR_LETTERS and abs(n_letters - n_other) <= 1
    return long_enough and (ends or letters[start] == letters[other])


@inlined
def common_senses(first, second, tokens):
    """Return the relations by which two tokens stand for the same word."""
    relations = 0
    for own in range(tokens.sense_starts[first], tokens.sense_starts[first + 1]):
        for their in range(tokens.sense_starts[second], tokens.sense_starts[second + 1]):
            if tokens.senses[own] == tokens.senses[their]:
                relations |= tokens.relations[own]
    return relations


@inlined
def spelling_relations(short, long, spelling):
    """Return the relations that the letters of two tokens tell; of nearness, whether it may be."""
    letters, start, other = spelling.letters, spelling.starts[short], spelling.starts[long]
    n_short, n_long = spelling.starts[short + 1] - start, spelling.starts[long + 1] - other
    if n_short > n_long:
        short, start, n_short, other, n_long = long, other, n_long, start, n_short
    if n_short == 1:
        return INITIAL if n_long > 1 and letters[start] == letters[other] else 0
    relations = 0
    if n_short >= PREFIX_LETTERS and same_letters(start, other, PREFIX_LETTERS, letters):
        relations |= PREFIX
    if holds(start, n_short, other, n_long, letters):
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
def relate_tokens(met, tokens):
    """Return the relations of pairs of tokens; those that may be near are yet to be compared."""
    relations = np.empty(met.shape[1], np.uint16)
    for number in range(met.shape[1]):
        first, second = met[0, number], met[1, number]
        if tokens.folds[first] == tokens.folds[second]:
            relations[number] = EQUAL_BUT_CASE | (EQUAL if first == second else 0)
            continue
        found = common_senses(first, second, tokens)
        if not tokens.numbers[first] and not tokens.numbers[second]:
            found |= spelling_relations(first, second, tokens.spelling)
        relations[number] = found
    return relations


@inlined
def write_honorifics(row, own, their, tokens):
    """Write whether some honorifics are equal, some equivalent, and whether all are others."""
    alike = False
    for first in own:
        for second in their:
            if tokens.folds[first] == tokens.folds[second]:
                row[0] = 1.0
                alike = True
            elif tokens.honorifics[first] == tokens.honorifics[second]:
                row[1] = 1.0
                alike = True
    if len(own) and len(their) and not alike:
        row[2] = 1.0


@inlined
def share_of_honorifics(own, their, tokens):
    """Return how many of the honorifics of a name the other has, equal or equivalent."""
    count = 0
    for first in own:
        for second in their:
            if tokens.honorifics[first] == tokens.honorifics[second]:
                count += 1
                break
    return count / len(own)


@inlined
def write_shares(row, own, n_own, their, n_their):
    """Write the shares of tokens of both names that are matched, the name of fewer tokens first.

    Of names of as many tokens it is the one of which more is matched.
    """
    swaps = n_own > n_their or (n_own == n_their and own < their)
    shorter, longer = (their, own) if swaps else (own, their)
    row[-4], row[-3] = shorter == 1.0, shorter == 1.0 and longer == 1.0
    row[-2], row[-1] = shorter, longer


@kernel
def describe_honorifics(pairs, names, tokens, columns):
    """Write the columns of honorifics, before and behind names, and shares where all are such."""
    for pair in range(len(pairs)):
        one, other = pairs[pair]
        row = columns[pair]
        own = names.tokens[names.starts[one] : names.starts[one + 1]]
        their = names.tokens[names.starts[other] : names.starts[other + 1]]
        head, tail = names.heads[one] - names.starts[one], names.tails[one] - names.starts[one]
        their_head = names.heads[other] - names.starts[other]
        their_tail = names.tails[other] - names.starts[other]
        write_honorifics(row, own[:head], their[:their_head], tokens)
        write_honorifics(row, own[tail:], their[their_tail:], tokens)
        alone = head == tail and their_head == their_tail
        if alone and len(own) and len(their):
            matched = share_of_honorifics(own, their, tokens)
            back = share_of_honorifics(their, own, tokens)
            write_shares(row, matched, len(own), back, len(their))


@inlined
def counted(words, matched, tokens):
    """Return the share of a name's tokens that are matched, and how many tokens count.

    Idle ones count only if they are matched, or if there are no others.
    """
    n_matched = n_counted = 0
    for place in range(len(words)):
        n_matched += matched[place]
        n_counted += matched[place] or not tokens.idle[words[place]]
    if not n_counted:
        n_counted = len(words)
    return n_matched / n_counted, n_counted


@inlined
def write_relations(row, anywhere, first, last):
    """Write for each relation whether any tokens, the first and the last ones have it."""
    for number in range(N_RELATIONS):
        at = N_HONORIFIC + 3 * number
        row[at] = anywhere >> number & 1
        row[at + 1] = first >> number & 1
        row[at + 2] = last >> number & 1


@kernel
def describe_tokens(pairs, names, tokens, relations, columns):
    """Write the other columns; `relations` are those of all tokens that meet, pair by pair."""
    room = np.empty((2, np.max(names.tails - names.heads)), np.bool_)
    at = 0
    for pair in range(len(pairs)):
        one, other = pairs[pair]
        own = names.tokens[names.heads[one] : names.tails[one]]
        their = names.tokens[names.heads[other] : names.tails[other]]
        if not len(own) or not len(their):
            continue
        matched, their_matched = room[0, : len(own)], room[1, : len(their)]
        matched[:] = False
        their_matched[:] = False
        anywhere, first = 0, relations[at]
        for place in range(len(own)):
            for their_place in range(len(their)):
                anywhere |= relations[at]
                if relations[at] & MATCHED:
                    matched[place] = their_matched[their_place] = True
                at += 1
        last = relations[at - 1]
        all_own = names.tokens[names.starts[one] : names.starts[one + 1]]
        all_their = names.tokens[names.starts[other] : names.starts[other + 1]]
        there = match_runs(own, their, matched, their_matched, tokens)
        back = match_runs(their, own, their_matched, matched, tokens)
        whole = match_acronym(own, their, all_their, matched, their_matched, tokens)
        whole |= match_acronym(their, own, all_own, their_matched, matched, tokens)
        anywhere |= ABBREVIATION * (there[0] or back[0] or whole)
        first |= ABBREVIATION * (there[1] or back[1] or whole)
        last |= ABBREVIATION * (there[2] or back[2] or whole)
        write_relations(columns[pair], anywhere, first, last)
        share, n_counted = counted(own, matched, tokens)
        their_share, n_their = counted(their, their_matched, tokens)
        write_shares(columns[pair], share, n_counted, their_share, n_their)
