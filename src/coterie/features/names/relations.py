"""Names as tokens that are looked up once, and the relations of tokens that meet."""

from collections.abc import Iterable, Sequence, Sized
from itertools import chain
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance.Levenshtein import distance
from rapidfuzz.process import cpdist

from coterie._core.arrays import Bools, Ints, Pairs, read_only
from coterie._kernels.texts import names as kernels
from coterie._kernels.texts.acronyms import MOST_INITIALS
from coterie._kernels.texts.names import NameTokens, Spelling, Tokens
from coterie.features.names.tokens import fold_case, name_tokens
from coterie.features.names.words import (
    HONORIFICS,
    LEGAL_FORMS,
    SMALL,
    SUFFIXES,
    SURNAMES,
    VOWELS,
    is_number,
    senses,
)

MOST_TOKENS = 64
MOST_LETTERS = 64
"""How many tokens of a name, and letters of a token, are looked at."""

RELATIONS = {
    "equality": kernels.EQUAL,
    "case-insensitive equal": kernels.EQUAL_FOLDED,
    "nickname": kernels.NICKNAME,
    "prefix equality": kernels.PREFIX,
    "substring": kernels.SUBSTRING,
    "abbreviation": kernels.ABBREVIATION,
    "prefix edit distance": kernels.PREFIX_NEAR,
    "edit distance": kernels.NEAR,
    "initial": kernels.INITIAL,
    "symbol map": kernels.SYMBOL,
}
"""The relations of tokens in Table 1, and the bits by which kernels tell them."""

FIRSTS = [*dict.fromkeys((*HONORIFICS.values(), *SUFFIXES.values()))]
GROUPS = {word: FIRSTS.index(first) for word, first in (HONORIFICS | SUFFIXES).items()}
"""The group of each honorific as a number."""

Bits: TypeAlias = NDArray[np.uint16]
Texts: TypeAlias = NDArray[np.object_]


class TokenizedNames(NamedTuple):
    """Names in their tokens, and the different tokens, also as folded texts and their prefixes."""

    names: NameTokens
    tokens: Tokens
    texts: Texts
    prefixes: Texts

    @property
    def most_meetings(self) -> int:
        """How many pairs of tokens two names may have."""
        return int(np.diff(self.names.starts).max(initial=1)) ** 2


def tokenize_names(names: Sequence[str | None]) -> TokenizedNames:
    """Look up each name and each different token once."""
    rows = [_tokens_of(name or "") for name in names]
    numbers = {token: n for n, token in enumerate(dict.fromkeys(chain.from_iterable(rows)))}
    starts = _starts(rows)
    heads, tails = np.array([_own_part(row) for row in rows], np.intp).reshape(-1, 2).T
    tokens = _ints(numbers[token] for row in rows for token in row)
    found = NameTokens(
        starts, tokens, read_only(starts[:-1] + heads), read_only(starts[:-1] + tails)
    )
    texts = [fold_case(token) for token in numbers]
    prefixes = [text[: kernels.NEAR_PREFIX] for text in texts]
    return TokenizedNames(
        found, _looked_up([*numbers], texts), np.array(texts, object), np.array(prefixes, object)
    )


def token_relations(encoded: TokenizedNames, pairs: Pairs) -> Bits:
    """Return the relations of all tokens that meet in pairs of names."""
    n_meetings = kernels.count_token_pairs(pairs, encoded.names).sum()
    met = kernels.list_token_pairs(pairs, encoded.names, n_meetings)
    relations: Bits = kernels.relate_tokens(met, encoded.tokens)
    _drop_distant(relations, kernels.NEAR, met, encoded.texts)
    _drop_distant(relations, kernels.PREFIX_NEAR, met, encoded.prefixes)
    return relations


def _drop_distant(relations: Bits, bit: int, met: Ints, texts: Texts) -> None:
    """Clear the bit of tokens that are more than an edit apart; those equal but for case are not.

    Each pair of tokens is compared once.
    """
    places = np.flatnonzero((relations & (bit | kernels.EQUAL_FOLDED)) == bit)
    one, other = met[:, places]
    keys, again = np.unique(one * len(texts) + other, return_inverse=True)
    one, other = np.divmod(keys, max(len(texts), 1))
    edits = cpdist(texts[one], texts[other], scorer=distance, score_cutoff=1, dtype=np.uint8)
    relations[places[edits[again] > 1]] &= ~np.uint16(bit)


def _tokens_of(name: str) -> list[str]:
    """Return the tokens that are looked at: the last one too where they are too many."""
    tokens = [token[:MOST_LETTERS] for token in name_tokens(name)]
    return tokens if len(tokens) <= MOST_TOKENS else [*tokens[: MOST_TOKENS - 1], tokens[-1]]


def _own_part(tokens: Sequence[str]) -> tuple[int, int]:
    """Return where a name begins and ends between honorifics; of these alone, nothing is left.

    >>> _own_part(["Senator", "Kennedy", "Jr"]), _own_part(["Dr", "King"]), _own_part(["Senator"])
    ((1, 2), (1, 2), (1, 1))
    """
    texts = [fold_case(token) for token in tokens]
    begin, end = 0, len(texts)
    while end > 1 and texts[end - 1] in SUFFIXES:
        end -= 1
    last = end - 1 if end and texts[end - 1] in SURNAMES else end
    while begin < last and texts[begin] in HONORIFICS:
        begin += 1
    return begin, end


def _looked_up(tokens: Sequence[str], texts: Sequence[str]) -> Tokens:
    """Read what the tables and the spelling tell of each token."""
    folds = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    found = [senses(token) for token in tokens]
    known = {sense: number for number, sense in enumerate(dict.fromkeys(chain(*found)))}
    spelling = Spelling(
        _starts(texts),
        _ints(map(ord, chain.from_iterable(texts))),
        _bools(letter in VOWELS for letter in chain.from_iterable(texts)),
        _bools(text in SMALL for text in texts),
    )
    return Tokens(
        spelling,
        folds=_ints(folds[text] for text in texts),
        honorifics=_ints(GROUPS.get(text, -1) for text in texts),
        numbers=_bools(map(is_number, tokens)),
        idle=_bools(text in SMALL or text in LEGAL_FORMS for text in texts),
        capitals=_bools(map(_may_be_initials, tokens)),
        sense_starts=_starts(found),
        senses=_ints(known[sense] for each in found for sense in each),
        relations=_ints(RELATIONS[relation] for each in found for relation, _ in each),
    )


def _may_be_initials(token: str) -> bool:
    """Tell what may be the initials of words in a row."""
    initials = token.isalpha() and token.isupper() and 1 < len(token) <= MOST_INITIALS
    return initials and fold_case(token) not in SMALL and not is_number(token)


def _starts(rows: Sequence[Sized]) -> Ints:
    """Return where each row begins if all are one behind the other, and where the last ends."""
    return read_only(np.cumsum([0, *map(len, rows)], dtype=np.intp))


def _ints(numbers: Iterable[int]) -> Ints:
    return read_only(np.fromiter(numbers, dtype=np.intp))


def _bools(values: Iterable[bool]) -> Bools:
    return read_only(np.fromiter(values, dtype=np.bool_))
