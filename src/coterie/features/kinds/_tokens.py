"""Tokens of a column of texts, and how rare each is among rows and among entities."""

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

Hashes: TypeAlias = NDArray[np.uint64]
Tokens: TypeAlias = NDArray[np.int32]
"""Numbers of distinct tokens; more than these can count would not fit into memory."""
Split: TypeAlias = Callable[[NDArray[np.uint32], Ints], tuple[Hashes, Ints]]
"""Returns the hashes of the tokens of texts, and where those of each begin; see the kernels."""

SMOOTHING = 2.0
"""How many entities count beside those counted: one more or less must not tell much."""


class DistinctCells(NamedTuple):
    """The distinct texts of a column, and the number of that of each row."""

    texts: list[str]
    text_of_row: Ints

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Give the texts of rows numbers; the empty text is one of them."""
        numbers: dict[str, int] = {}
        text_of_row = [numbers.setdefault(text, len(numbers)) for text in texts]
        return cls(list(numbers), np.array(text_of_row, dtype=np.intp))


class Counted(NamedTuple):
    """The tokens of texts: ascending numbers, each once a text, and how often each text has each.

    Tokens are numbered in the order of their hashes.
    """

    starts: Ints
    tokens: Tokens
    counts: Tokens
    hashes: Hashes

    @classmethod
    def of(cls, texts: Sequence[str], split: Split) -> Self:
        """Count the tokens of texts."""
        joined = "".join(texts).encode("utf-32-le", "surrogatepass")
        characters = np.frombuffer(joined, dtype=np.uint32)
        ends = np.cumsum(np.fromiter(map(len, texts), np.intp, len(texts)))
        every, firsts = split(characters, np.append(0, ends))
        hashes, numbers = factorize_hashes(every)
        del joined, characters, every  # each as large as what is made of it
        order = np.argsort(hashes)
        ranks = np.empty(len(order), dtype=np.int32)
        ranks[order] = np.arange(len(order))
        starts, tokens, counts = count_tokens(firsts, numbers, ranks)
        return cls(starts, tokens, counts, hashes[order])

    def rows_with(self, texts: Ints) -> Floats:
        """Count the rows that have each token, given the number of the text of each."""
        n_rows = np.bincount(texts, minlength=len(self.starts) - 1)
        found: Floats = count_rows_per_token(self.starts, self.tokens, n_rows, len(self.hashes))
        return found

    def entities_with(self, texts: Ints, entities: Ints) -> Ints:
        """Count the entities that have each token, given the text and the entity of each row."""
        order = np.argsort(entities, kind="stable")
        found: Ints = count_entities_per_token(
            self.starts, self.tokens, texts[order], entities[order], len(self.hashes)
        )
        return found

    def normalised(self, weights: Floats) -> Floats:
        """Weigh the tokens of each text, also by how often it has each; its vector has length 1."""
        most = int(self.counts.max(initial=0))
        of_counts = np.append(0.0, 1.0 + np.log(np.arange(1, most + 1)))
        found: Floats = normalise_weights(self.starts, self.tokens, self.counts, of_counts, weights)
        return found


class Weighed(NamedTuple):
    """The tokens of distinct texts: ascending, each once, and how rare each is.

    `rarities` has two rows: among rows, and among the entities of `fit`.
    """

    starts: Ints
    tokens: Tokens
    weights: Floats
    rarities: Floats

    def cosines(self, left: Ints, right: Ints) -> Floats:
        """Return the TF-IDF cosine of pairs of texts."""
        found: Floats = cosines(self.starts, self.tokens, self.weights, left, right)
        return np.minimum(found, 1.0, out=found)  # beyond which it is rounding

    def overlaps(self, rarity: int, left: Ints, right: Ints) -> Floats:
        """Compare what pairs of texts share with what they do not, their cosine last."""
        rarities = self.rarities[rarity]
        found: Floats = overlaps(self.starts, self.tokens, self.weights, rarities, left, right)
        np.minimum(found[:, -1], 1.0, out=found[:, -1])  # as above
        return found


def places_among(known: Hashes, hashes: Hashes) -> tuple[Ints, Bools]:
    """Return where hashes are among ascending ones, and whether they are."""
    if not len(known):
        return np.zeros(len(hashes), np.intp), np.zeros(len(hashes), np.bool_)
    places = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    return places, known[places] == hashes


@dataclass(frozen=True, eq=False)
class KnownTokens(Value):
    """Know in how many rows and in how many entities tokens were found.

    The rarity of a token that df of n rows have is ln((1 + n) / (1 + df)) / ln(1 + n), between 0
    and 1. To n and df of `learned` are added those of the table that is compared. Among entities
    only those of `learned` count: whether words of theirs tell entities apart or are said of many.
    There it is ln((2 + n) / (2 + df)) / ln((2 + n) / 2).

    Parameters
    ----------
    tokens
        The hashes of tokens that several rows have, ascending; see `coterie._kernels.texts.tokens`.
    n_rows_with, n_entities_with
        How many rows and entities have each.
    n_rows, n_entities
        How many there were in all.
    """

    tokens: Hashes
    n_rows_with: Ints
    n_entities_with: Ints
    n_rows: int = 0
    n_entities: int = 0

    def __post_init__(self) -> None:
        tokens = np.asarray(self.tokens, dtype=np.uint64)
        if tokens.ndim != 1 or not np.all(tokens[1:] > tokens[:-1]):
            raise FeatureError("tokens must be hashes that ascend; give what was learned")
        object.__setattr__(self, "tokens", read_only(tokens))
        for name in ("n_rows_with", "n_entities_with"):
            counts = np.asarray(getattr(self, name), dtype=np.intp)
            if counts.shape != tokens.shape or np.any(counts < 0):
                raise FeatureError(f"{name} must be {len(tokens)} counts, one a token")
            object.__setattr__(self, name, read_only(counts))
        for name in ("n_rows", "n_entities"):
            as_whole(name, getattr(self, name), error=FeatureError)

    @classmethod
    def learned(cls, counted: Counted, texts: Ints, entities: Ints) -> Self:
        """Count the tokens of rows, given the number of the text and the entity of each."""
        n_with = counted.rows_with(texts)
        kept = np.flatnonzero(n_with > 1)
        return cls(
            counted.hashes[kept],
            n_with[kept].astype(np.intp),
            counted.entities_with(texts, entities)[kept],
            len(entities),
            len(np.unique(entities)),
        )

    def weighed(self, counted: Counted, texts: Ints) -> Weighed:
        """Weigh the tokens of rows that are compared, given the number of the text of each."""
        n_with, n_entities = counted.rows_with(texts), np.zeros(len(counted.hashes))
        places, known = places_among(self.tokens, counted.hashes)
        n_with[known] += self.n_rows_with[places[known]]
        n_entities[known] = self.n_entities_with[places[known]]
        n_rows = self.n_rows + len(texts)
        rarity = np.log((1.0 + n_rows) / (1.0 + n_with))
        return Weighed(
            counted.starts,
            counted.tokens,
            counted.normalised(1.0 + rarity),
            np.stack([rarity / np.log(1.0 + n_rows), self._among_entities(n_entities)]),
        )

    def _among_entities(self, n_with: Floats) -> Floats:
        """Return how rare tokens are among entities: 1 where no entity is known to have them."""
        if not self.n_entities:
            return np.ones(len(n_with))
        rarity: Floats = np.log((SMOOTHING + self.n_entities) / (SMOOTHING + n_with))
        return rarity / float(np.log((SMOOTHING + self.n_entities) / SMOOTHING))


_NONE = np.empty(0, dtype=np.intp)
NOTHING = KnownTokens(np.empty(0, dtype=np.uint64), _NONE, _NONE)
"""What a kind knows before it has learned."""
