"""Tokens of a column of texts, and the rarity of each among rows and among entities."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coterie._core.arguments import as_whole
from coterie._core.arrays import Bools, Floats, Ints, read_only
from coterie._core.values import Value
from coterie._kernels.texts.records import cosines, overlaps
from coterie._kernels.texts.tokens import (
    count_entities_per_token,
    count_rows_per_token,
    count_tokens,
    factorize_hashes,
    normalise_weights,
)
from coterie.exceptions import FeatureError
from coterie.features.kinds.counts import Hashes, RowCounts

Tokens: TypeAlias = NDArray[np.int32]
"""Indices of distinct tokens. More tokens than int32 can count would not fit into memory."""
Tokenizer: TypeAlias = Callable[[NDArray[np.uint32], Ints], tuple[Hashes, Ints]]
"""Returns the hashes of the tokens of texts, and the offset of the first token of each text.

The arguments are the code points of all texts together, and the offset of the first one of each
text. Tokenizers are kernels.
"""

SMOOTHING = 2.0
"""The number of entities added to all counts, so that no rarity depends on a single entity."""


class DistinctCells(NamedTuple):
    """The distinct texts of a column, and the index among them of the text of each row."""

    texts: list[str]
    text_of_row: Ints

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Find the distinct texts of rows, in the order of their first appearance."""
        indices: dict[str, int] = {}
        text_of_row = [indices.setdefault(text, len(indices)) for text in texts]
        return cls(list(indices), np.array(text_of_row, dtype=np.intp))


class TokenCounts(NamedTuple):
    """The distinct tokens of each text, and how often each occurs in it.

    The tokens of text i are `tokens[starts[i]:starts[i + 1]]`, ascending, and `counts` is aligned
    with `tokens`. A token is its index among all tokens, ordered by their hashes.
    """

    starts: Ints
    tokens: Tokens
    counts: Tokens
    hashes: Hashes

    @classmethod
    def of(cls, texts: Sequence[str], tokenizer: Tokenizer) -> Self:
        """Count the tokens of texts."""
        encoded = "".join(texts).encode("utf-32-le", "surrogatepass")
        characters = np.frombuffer(encoded, dtype=np.uint32)
        ends = np.cumsum(np.fromiter(map(len, texts), np.intp, len(texts)))
        all_hashes, offsets = tokenizer(characters, np.append(0, ends))
        hashes, indices = factorize_hashes(all_hashes)
        # Free arrays that are as large as all those computed below.
        del encoded, characters, all_hashes
        order = np.argsort(hashes)
        ranks = np.empty(len(order), dtype=np.int32)
        ranks[order] = np.arange(len(order))
        starts, tokens, counts = count_tokens(offsets, indices, ranks)
        return cls(starts, tokens, counts, hashes[order])

    def rows_per_token(self, text_of_row: Ints) -> Floats:
        """Count the rows that have each token, given the index of the text of each row."""
        n_rows = np.bincount(text_of_row, minlength=len(self.starts) - 1)
        counts: Floats = count_rows_per_token(self.starts, self.tokens, n_rows, len(self.hashes))
        return counts

    def row_counts(self, text_of_row: Ints) -> RowCounts:
        """Count the rows that have each token, as whole numbers."""
        return RowCounts.of_all(self.hashes, self.rows_per_token(text_of_row))

    def entities_per_token(self, text_of_row: Ints, entities: Ints) -> Ints:
        """Count the entities that have each token, given the text and the entity of each row."""
        order = np.argsort(entities, kind="stable")
        counts: Ints = count_entities_per_token(
            self.starts, self.tokens, text_of_row[order], entities[order], len(self.hashes)
        )
        return counts

    def normalised_weights(self, token_weights: Floats) -> Floats:
        """Return the weight of each token in each text: (1 + ln count) times the token's weight.

        The vector of the weights of a text is scaled to length 1.
        """
        max_count = int(self.counts.max(initial=0))
        count_factors = np.append(0.0, 1.0 + np.log(np.arange(1, max_count + 1)))
        weights: Floats = normalise_weights(
            self.starts, self.tokens, self.counts, count_factors, token_weights
        )
        return weights


class TokenWeights(NamedTuple):
    """The distinct tokens of each text, with their weights in the text and their rarities.

    The tokens of text i are `tokens[starts[i]:starts[i + 1]]`, ascending, and `weights` is aligned
    with `tokens`. `rarities` has one column per token and two rows: the rarity among rows, and
    among the entities of the training rows.
    """

    starts: Ints
    tokens: Tokens
    weights: Floats
    rarities: Floats

    def cosines(self, left: Ints, right: Ints) -> Floats:
        """Return the TF-IDF cosine of pairs of texts."""
        values: Floats = cosines(self.starts, self.tokens, self.weights, left, right)
        # Rounding can make the cosine of equal texts exceed 1.
        return np.minimum(values, 1.0, out=values)

    def overlaps(self, rarity: int, left: Ints, right: Ints) -> Floats:
        """Compare the rarities of shared and unshared tokens of pairs of texts.

        `rarity` is the row of `rarities` to use. The columns are those of the kernel `overlaps`;
        the last one is the TF-IDF cosine.
        """
        rarities = self.rarities[rarity]
        columns: Floats = overlaps(self.starts, self.tokens, self.weights, rarities, left, right)
        np.minimum(columns[:, -1], 1.0, out=columns[:, -1])  # as in `cosines`
        return columns


def find_hashes(ascending: Hashes, hashes: Hashes) -> tuple[Ints, Bools]:
    """Return the index of each hash among ascending ones, and whether it is one of them."""
    if not len(ascending):
        return np.zeros(len(hashes), np.intp), np.zeros(len(hashes), np.bool_)
    indices = np.minimum(np.searchsorted(ascending, hashes), len(ascending) - 1)
    return indices, ascending[indices] == hashes


@dataclass(frozen=True, eq=False)
class KnownTokens(Value):
    """Counts of the training rows and entities that have each token, for computing rarities.

    The rarity among rows of a token that df of n rows have is ln((1 + n) / (1 + df)) / ln(1 + n),
    between 0 and 1. Here n and df count the rows of the table that is compared in addition to the
    training rows. The rarity among entities is ln((2 + n) / (2 + df)) / ln((2 + n) / 2), where n
    and df count training entities only: it is low for tokens that occur in many entities.

    Parameters
    ----------
    tokens
        The ascending hashes of the tokens that are stored: those of at least two rows, and of at
        least as many entities as `learn` was told; see `coterie._kernels.texts.tokens`.
    n_rows_with, n_entities_with
        The number of rows and of entities that have each token.
    n_rows, n_entities
        The number of all rows and of all entities.
    min_entities
        The number of training entities that must have a token for it to be stored. For other
        tokens, the number of entities is estimated from the table that is compared.
    """

    tokens: Hashes
    n_rows_with: Ints
    n_entities_with: Ints
    n_rows: int = 0
    n_entities: int = 0
    min_entities: int = 1

    def __post_init__(self) -> None:
        tokens = np.asarray(self.tokens, dtype=np.uint64)
        if tokens.ndim != 1 or not np.all(tokens[1:] > tokens[:-1]):
            raise FeatureError(
                "tokens must be hashes in ascending order; use the tokens of a fitted kind"
            )
        object.__setattr__(self, "tokens", read_only(tokens))
        for name in ("n_rows_with", "n_entities_with"):
            counts = np.asarray(getattr(self, name), dtype=np.intp)
            if counts.shape != tokens.shape or np.any(counts < 0):
                raise FeatureError(f"{name} must be {len(tokens)} counts, one per token")
            object.__setattr__(self, name, read_only(counts))
        for name in ("n_rows", "n_entities"):
            as_whole(name, getattr(self, name), error=FeatureError)
        as_whole("min_entities", self.min_entities, 1, error=FeatureError)

    @classmethod
    def learn(
        cls, counts: TokenCounts, text_of_row: Ints, entities: Ints, min_entities: int = 1
    ) -> Self:
        """Count the rows and entities that have each token, and store common tokens.

        `text_of_row` is the index of the text of each training row, and `entities` is the label of
        its entity. Tokens of fewer than `min_entities` entities are not stored.
        """
        n_rows_with = counts.rows_per_token(text_of_row)
        n_entities_with = counts.entities_per_token(text_of_row, entities)
        is_stored = (n_rows_with > 1) & (n_entities_with >= min_entities)
        return cls(
            counts.hashes[is_stored],
            n_rows_with[is_stored].astype(np.intp),
            n_entities_with[is_stored],
            len(entities),
            len(np.unique(entities)),
            min_entities,
        )

    def weigh(
        self, counts: TokenCounts, text_of_row: Ints, table: tuple[int, RowCounts] | None = None
    ) -> TokenWeights:
        """Compute the weights and rarities of tokens, given the text of each row to compare.

        `table` holds the number of rows and the counts of the table of which these rows are a part;
        None means that they are the table.
        """
        n_table_rows, row_counts = table or (len(text_of_row), counts.row_counts(text_of_row))
        n_rows_with = row_counts.of(counts.hashes).astype(np.float64)
        n_entities_with = self._estimate_entities(n_rows_with, n_table_rows)
        indices, is_known = find_hashes(self.tokens, counts.hashes)
        n_rows_with[is_known] += self.n_rows_with[indices[is_known]]
        n_entities_with[is_known] = self.n_entities_with[indices[is_known]]
        n_rows = self.n_rows + n_table_rows
        idf = np.log((1.0 + n_rows) / (1.0 + n_rows_with))
        return TokenWeights(
            counts.starts,
            counts.tokens,
            counts.normalised_weights(1.0 + idf),
            np.stack([idf / np.log(1.0 + n_rows), self._rarities_among_entities(n_entities_with)]),
        )

    def _estimate_entities(self, n_rows_with: Floats, n_rows: int) -> Floats:
        """Estimate how many training entities have tokens that are not stored.

        Such a token has fewer than `min_entities`. If m of as many rows as there were training rows
        have the token, the m − 1 others may be of one entity or of m − 1; the estimate is the
        geometric mean, √(m − 1). The rows are those of the table that is compared.
        """
        others = np.maximum(n_rows_with * self.n_rows / max(n_rows, 1) - 1.0, 0.0)
        estimate: Floats = np.minimum(np.sqrt(others), self.min_entities - 1.0)
        return estimate

    def _rarities_among_entities(self, n_entities_with: Floats) -> Floats:
        """Return the rarities of tokens among entities; 1 for tokens that no entity has."""
        if not self.n_entities:
            return np.ones(len(n_entities_with))
        n_entities = SMOOTHING + self.n_entities
        rarities: Floats = np.log(n_entities / (SMOOTHING + n_entities_with))
        return rarities / float(np.log(n_entities / SMOOTHING))


_NO_COUNTS = np.empty(0, dtype=np.intp)
NO_TOKENS = KnownTokens(np.empty(0, dtype=np.uint64), _NO_COUNTS, _NO_COUNTS)
"""The counts of a kind that has not learned from any rows."""
