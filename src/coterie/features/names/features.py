"""Features of pairs of names: which relations their tokens have, and in which positions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from coterie._core.arrays import Pairs
from coterie._kernels.texts.names import N_COLUMNS, describe_honorifics, describe_tokens
from coterie._types import Features
from coterie.features.featurizer import PairFeaturizer
from coterie.features.names.relations import (
    RELATIONS,
    TokenizedNames,
    token_relations,
    tokenize_names,
)
from coterie.features.names.tokens import item_texts
from coterie.features.operators import DenseFeatures
from coterie.features.operators.base import refuse_unwritable
from coterie.features.operators.blocks import pairs_at, row_blocks
from coterie.items import ItemSet
from coterie.pairs import as_pairs, count_pairs

MISMATCH = "honorific mismatch"
HONORIFICS = ("honorific equal", "honorific equivalence", MISMATCH)
POSITIONS = ("", ", first", ", last")
SHARES = ("shorter matched", "both matched", "share of shorter matched", "share of longer matched")
COLUMNS = (
    *HONORIFICS,
    *(relation + position for relation in RELATIONS for position in POSITIONS),
    *SHARES,
)


@dataclass(frozen=True)
class NameFeatures(PairFeaturizer):
    """Compare names by the relations of their tokens: the LMR features of Li & Roth 2005, Table 1.

    Three columns compare honorifics. `honorific equal`: the names share an honorific, in any case.
    `honorific equivalence`: they have equivalent ones, such as Mr. and Mister. `honorific
    mismatch`: both have honorifics, but no two of them are equal or equivalent. Those before the
    names and those behind them are compared separately: Mr. does not clash with Jr.

    Each of ten relations of the remaining tokens has three columns: the relation holds between any
    token of one name and any token of the other, between the two first tokens, or between the two
    last tokens. All relations but `equality` ignore case.

    - `equality`, `case-insensitive equal`.
    - `nickname`: two forms of one first name, such as Bill and William, or Bob and Rob.
    - `prefix equality`: the first three letters are equal. `substring`: a token of at least two
      letters is part of the other.
    - `abbreviation`: a token abbreviates the other, either by a table (Corp. and Corporation) or
      because it has some of the other's letters in order (Intl and International); or it is an
      acronym, which has the initials of consecutive words of the other name: USGS and US are
      acronyms of United States Geological Survey. See below.
    - `prefix edit distance`: the first four letters are at most one edit apart. `edit distance`:
      the whole tokens are. Both require tokens of at least three letters.
    - `initial`: J. and John. `symbol map`: & and the word and, or two forms of a number, such as
      II, 2 and second.

    An acronym is in capitals, unless it is a name by itself that has the initials of the whole
    other name. Such a name, if it is in capitals, may also have one extra inner letter: JFK is an
    acronym of John Kennedy. Acronyms may skip small words, such as of. A token is not an acronym of
    words that include the token itself: Ed is not an acronym of Ed Davis.

    Tokens that differ only in case also have the relations `prefix equality`, `substring` and both
    edit distances. Numbers are related only if they are equal or are two forms of one number.

    Two tokens match if they are equal up to case, at most one edit apart, or related as nickname,
    abbreviation, initial or symbol. An acronym with an extra letter is not matched itself, but the
    words that it abbreviates are. The last four columns say whether all tokens of the shorter name
    are matched, whether all tokens of both names are, and which share of the tokens of each is.
    Small words, such as of and the, and legal forms of companies, such as Inc., are counted only if
    they are matched. The shorter name is the one with fewer counted tokens, or, if both have
    equally many, the one with the larger share of matched tokens.

    Whether a word is an honorific depends on its position. Titles such as Senator come before the
    first other token; Jr., PhD and the like come after the last one. Titles that are also surnames,
    such as King, Prince and Judge, are ordinary tokens at the end of a name: Dr. King is King.
    General is a title, so that General Motors is Motors, except where acronyms are looked for.
    St. is never a title, but an abbreviation of Saint and of Street. A name that consists of
    honorifics alone has no other tokens; two such names are matched by their honorifics, equal or
    equivalent.

    The order of the two names does not matter. All features of a pair are 0 if one of its names is
    missing or has no letters, digits or symbols. Of a name with more than 64 tokens, the first 63
    and the last are compared; of a token, the first 64 letters.

    Parameters
    ----------
    name
        The column that holds the names. Items that are plain texts are names themselves.

    Examples
    --------
    >>> featurizer = NameFeatures()
    >>> names = ItemSet(["Sen. Bob Kennedy", "Senator Robert Kennedy", "RK"])
    >>> for row in featurizer(names, [(0, 1), (1, 2)]).to_matrix():
    ...     active = [column for column, value in zip(featurizer.names, row) if value]
    ...     print(active[:4])
    ['honorific equivalence', 'equality', 'equality, last', 'case-insensitive equal']
    ['abbreviation', 'abbreviation, first', 'abbreviation, last', 'shorter matched']
    """

    name: str = "name"

    @property
    def names(self) -> tuple[str, ...]:
        """The feature names; each begins with the column of the items, unless that is `name`."""
        prefix = "" if self.name == "name" else f"{self.name}: "
        return tuple(prefix + column for column in COLUMNS)

    @property
    def distances(self) -> tuple[bool, ...]:
        """For each feature, whether it means distance: true of `honorific mismatch` alone."""
        return tuple(column == MISMATCH for column in COLUMNS)

    def encode(self, item_set: ItemSet) -> TokenizedNames:
        """Split each name into tokens."""
        return tokenize_names(item_texts(item_set, self.name, "NameFeatures"))

    def compare(self, encoded: TokenizedNames, pairs: ArrayLike | None) -> Features:
        """Return the features of pairs of names; None means all pairs."""
        n_names = len(encoded.names.heads)
        candidate_pairs = as_pairs(pairs, n_names)
        n_pairs = count_pairs(n_names, candidate_pairs)
        refuse_unwritable((n_pairs, N_COLUMNS), n_pairs * N_COLUMNS)
        columns = np.zeros((n_pairs, N_COLUMNS))
        for rows in row_blocks(n_pairs, encoded.max_token_pairs):
            block = _pairs_in_rows(candidate_pairs, rows, n_names)
            describe_honorifics(block, encoded.names, encoded.tokens, columns[rows])
            relations = token_relations(encoded, block)
            describe_tokens(block, encoded.names, encoded.tokens, relations, columns[rows])
        return DenseFeatures(columns)


def _pairs_in_rows(pairs: Pairs | None, rows: slice, n_names: int) -> Pairs:
    """Return a slice of the pairs, or of all pairs of the names if `pairs` is None."""
    return pairs_at(np.arange(rows.start, rows.stop), n_names) if pairs is None else pairs[rows]
