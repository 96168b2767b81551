"""Names as indices of tokens, and the relations between the tokens of two names.

Each distinct token is looked up in the tables of words once, however many names contain it.
"""

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
"""Maximum number of tokens of a name, and of letters of a token, that are compared."""

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
"""The relations of Table 1 of Li & Roth 2005, and the bit of each in the kernels."""

_STANDARD_FORMS = [*dict.fromkeys((*HONORIFICS.values(), *SUFFIXES.values()))]
HONORIFIC_GROUPS = {
    word: _STANDARD_FORMS.index(form) for word, form in (HONORIFICS | SUFFIXES).items()
}
"""The index of the group of equivalents that each honorific belongs to."""

Bits: TypeAlias = NDArray[np.uint16]
Texts: TypeAlias = NDArray[np.object_]


class TokenizedNames(NamedTuple):
    """Names as indices of the distinct tokens, and these tokens, with their case folded."""

    names: NameTokens
    tokens: Tokens
    texts: Texts
    prefixes: Texts
    """The first letters of each text, as many as `prefix edit distance` compares."""

    @property
    def max_token_pairs(self) -> int:
        """The most pairs of tokens that any two of the names may have."""
        return int(np.diff(self.names.starts).max(initial=1)) ** 2


def tokenize_names(names: Sequence[str | None]) -> TokenizedNames:
    """Split names into tokens, and look up each distinct token once."""
    rows = [_compared_tokens(name or "") for name in names]
    indices = {token: i for i, token in enumerate(dict.fromkeys(chain.from_iterable(rows)))}
    starts = _row_starts(rows)
    heads, tails = np.array([_trim_honorifics(row) for row in rows], np.intp).reshape(-1, 2).T
    tokens = _ints(indices[token] for row in rows for token in row)
    name_rows = NameTokens(
        starts, tokens, read_only(starts[:-1] + heads), read_only(starts[:-1] + tails)
    )
    texts = [fold_case(token) for token in indices]
    prefixes = [text[: kernels.NEAR_PREFIX] for text in texts]
    return TokenizedNames(
        name_rows,
        _describe_tokens([*indices], texts),
        np.array(texts, object),
        np.array(prefixes, object),
    )


def token_relations(encoded: TokenizedNames, pairs: Pairs) -> Bits:
    """Return the relations of each token of a name with each token of the other, as bits."""
    n_token_pairs = kernels.count_token_pairs(pairs, encoded.names).sum()
    token_pairs = kernels.list_token_pairs(pairs, encoded.names, n_token_pairs)
    relations: Bits = kernels.relate_tokens(token_pairs, encoded.tokens)
    _clear_distant(relations, kernels.NEAR, token_pairs, encoded.texts)
    _clear_distant(relations, kernels.PREFIX_NEAR, token_pairs, encoded.prefixes)
    return relations


def _clear_distant(relations: Bits, bit: int, token_pairs: Ints, texts: Texts) -> None:
    """Clear the bit of the token pairs whose texts are more than one edit apart.

    The kernels set the bit wherever the distance may be 1. Tokens that are equal up to case need no
    check, and a pair of tokens that occurs several times is compared once.
    """
    candidates = np.flatnonzero((relations & (bit | kernels.EQUAL_FOLDED)) == bit)
    first, second = token_pairs[:, candidates]
    keys, inverse = np.unique(first * len(texts) + second, return_inverse=True)
    first, second = np.divmod(keys, max(len(texts), 1))
    edits = cpdist(texts[first], texts[second], scorer=distance, score_cutoff=1, dtype=np.uint8)
    relations[candidates[edits[inverse] > 1]] &= ~np.uint16(bit)


def _compared_tokens(name: str) -> list[str]:
    """Return the first tokens of a name, shortened; the last token is always among them."""
    tokens = [token[:MOST_LETTERS] for token in name_tokens(name)]
    return tokens if len(tokens) <= MOST_TOKENS else [*tokens[: MOST_TOKENS - 1], tokens[-1]]


def _trim_honorifics(tokens: Sequence[str]) -> tuple[int, int]:
    """Return the start and the end of a name without the honorifics around it.

    The two are equal if the name consists of honorifics alone.

    >>> _trim_honorifics(["Senator", "Kennedy", "Jr"]), _trim_honorifics(["Dr", "King"])
    ((1, 2), (1, 2))
    >>> _trim_honorifics(["Senator"])
    (1, 1)
    """
    texts = [fold_case(token) for token in tokens]
    start, end = 0, len(texts)
    while end > 1 and texts[end - 1] in SUFFIXES:
        end -= 1
    last = end - 1 if end and texts[end - 1] in SURNAMES else end
    while start < last and texts[start] in HONORIFICS:
        start += 1
    return start, end


def _describe_tokens(tokens: Sequence[str], texts: Sequence[str]) -> Tokens:
    """Return the spelling of each token and its entries in the tables of words."""
    fold_indices = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    token_senses = [senses(token) for token in tokens]
    sense_indices = {sense: i for i, sense in enumerate(dict.fromkeys(chain(*token_senses)))}
    spelling = Spelling(
        _row_starts(texts),
        _ints(map(ord, chain.from_iterable(texts))),
        _bools(letter in VOWELS for letter in chain.from_iterable(texts)),
        _bools(text in SMALL for text in texts),
    )
    return Tokens(
        spelling,
        folds=_ints(fold_indices[text] for text in texts),
        honorifics=_ints(HONORIFIC_GROUPS.get(text, -1) for text in texts),
        numbers=_bools(map(is_number, tokens)),
        idle=_bools(text in SMALL or text in LEGAL_FORMS for text in texts),
        capitals=_bools(map(_may_be_initials, tokens)),
        sense_starts=_row_starts(token_senses),
        senses=_ints(sense_indices[sense] for sense in chain(*token_senses)),
        relations=_ints(RELATIONS[relation] for relation, _ in chain(*token_senses)),
    )


def _may_be_initials(token: str) -> bool:
    """Return whether a token may be an acronym: a word in capitals, not too long."""
    is_short_word = token.isalpha() and token.isupper() and 1 < len(token) <= MOST_INITIALS
    return is_short_word and fold_case(token) not in SMALL and not is_number(token)


def _row_starts(rows: Sequence[Sized]) -> Ints:
    """Return the offset of each row in their concatenation, and last its length."""
    return read_only(np.cumsum([0, *map(len, rows)], dtype=np.intp))


def _ints(values: Iterable[int]) -> Ints:
    return read_only(np.fromiter(values, dtype=np.intp))


def _bools(values: Iterable[bool]) -> Bools:
    return read_only(np.fromiter(values, dtype=np.bool_))
