"""Features of names: how their tokens are related, and where in the names they are."""

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
PLACES = ("", ", first", ", last")
SHARES = ("shorter matched", "both matched", "share of shorter matched", "share of longer matched")
COLUMNS = (
    *HONORIFICS,
    *(relation + place for relation in RELATIONS for place in PLACES),
    *SHARES,
)


@dataclass(frozen=True)
class NameFeatures(PairFeaturizer):
    """Compare names by the relations of their tokens: the LMR features of Li & Roth 2005, Table 1.

    Three columns compare honorifics: some are equal (up to case); some are equivalent, as Mr. and
    Mister; both names have some, but no two equal or equivalent ones. Those before names and those
    behind them are compared apart: Mr. does not differ from Jr.

    Ten relations of other tokens have three columns each: any token of one name and any of the
    other have it, the first ones of both do, the last ones do. But for `equality`, case does not
    matter.

    - `equality`, `case-insensitive equal`.
    - `nickname`: two forms of one first name, as Bill and William, or Bob and Rob.
    - `prefix equality`: of the first three letters. `substring`: of two letters or more.
    - `abbreviation`: by a table, as Corp. and Corporation; by their letters, as Intl and
      International; or a token has the initials of words in a row, as USGS and US of United States
      Geological Survey. Such a token is in capitals, or it is a name that has the initials of the
      other name as a whole, perhaps without small words; in capitals, perhaps with one inner letter
      to spare: as JFK of John Kennedy. It is none of these words itself: as Ed is of Ed Davis.
    - `prefix edit distance`: of the first four letters, `edit distance`: of whole tokens; both of
      tokens of three letters or more, and at most 1.
    - `initial`: J. and John. `symbol map`: & and and, and numbers, as II, 2 and second.

    Tokens that are equal but for case also have equal prefixes, are substrings and at no distance.
    Numbers are related only if they are equal or mapped.

    Tokens are matched that are equal but for case, at a distance of at most 1, or related as
    nickname, abbreviation, initial or symbol; of an acronym with a letter to spare only the words
    are. The last four columns say whether all tokens of the shorter name are matched, whether all
    of both are, and which share of either is. Small words, such as of and the, and forms of
    companies, such as Inc., do not count unless they are matched. The name in which fewer tokens
    count is the shorter one, or else the one of which more is matched.

    What an honorific is depends on its place: titles such as Senator stand before the first other
    token; Jr., PhD and the like behind the last one. King, Prince, Judge and other such surnames
    are none at the end: so Dr. King is King, and General Motors, but for acronyms, Motors. St. is
    none, but an abbreviation of Saint and Street. A name of nothing but honorifics has no other
    tokens; two such names are matched by equal and equivalent ones.

    Names may be swapped. A name that is missing, or has neither letters nor digits nor symbols, has
    no features with any other. Of a name of more than 64 tokens, the first 63 and the last count,
    and of a token the first 64 letters.

    Parameters
    ----------
    name
        The name of the column of names; items that are texts are names themselves.

    Examples
    --------
    >>> featurizer = NameFeatures()
    >>> names = ItemSet(["Sen. Bob Kennedy", "Senator Robert Kennedy", "RK"])
    >>> for row in featurizer(names, [(0, 1), (1, 2)]).to_matrix():
    ...     some = [column for column, value in zip(featurizer.names, row) if value]
    ...     print(some[:4])
    ['honorific equivalence', 'equality', 'equality, last', 'case-insensitive equal']
    ['abbreviation', 'abbreviation, first', 'abbreviation, last', 'shorter matched']
    """

    name: str = "name"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns; those of another column of items than `name` begin with its."""
        before = "" if self.name == "name" else f"{self.name}: "
        return tuple(before + column for column in COLUMNS)

    @property
    def distances(self) -> tuple[bool, ...]:
        """Whether each column grows with distance: only that of different honorifics does."""
        return tuple(column == MISMATCH for column in COLUMNS)

    def encode(self, item_set: ItemSet) -> TokenizedNames:
        """Read the tokens of each name."""
        return tokenize_names(item_texts(item_set, self.name, "NameFeatures"))

    def compare(self, encoded: TokenizedNames, pairs: ArrayLike | None) -> Features:
        """Return the features of some pairs of names, None for all."""
        n_names = len(encoded.names.heads)
        listed = as_pairs(pairs, n_names)
        n_pairs = count_pairs(n_names, listed)
        refuse_unwritable((n_pairs, N_COLUMNS), n_pairs * N_COLUMNS)
        columns = np.zeros((n_pairs, N_COLUMNS))
        for rows in row_blocks(n_pairs, encoded.most_meetings):
            some = _pairs_of(rows, n_names) if listed is None else listed[rows]
            describe_honorifics(some, encoded.names, encoded.tokens, columns[rows])
            relations = token_relations(encoded, some)
            describe_tokens(some, encoded.names, encoded.tokens, relations, columns[rows])
        return DenseFeatures(columns)


def _pairs_of(rows: slice, n_names: int) -> Pairs:
    return pairs_at(np.arange(rows.start, rows.stop), n_names)
