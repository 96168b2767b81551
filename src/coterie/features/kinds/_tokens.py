"""Tokens of a column of texts, and how rare each is among rows and among entities."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Self, TypeAlias

import numpy as np

from coterie._arguments import as_whole
from coterie._arrays import Floats, Ints
from coterie._kernels.records import cosines, overlaps
from coterie._values import Value
from coterie.exceptions import FeatureError

Split: TypeAlias = Callable[[str], list[str]]

SMOOTHING = 2.0
"""How many entities count beside those counted: one more or less must not tell much."""

SHARED_SEEN, OWN_SEEN = 2, 1
"""Of how many entities a shared token, and another one, is for the very entities compared."""


class Distinct(NamedTuple):
    """The distinct texts of a column, and the number of that of each row."""

    texts: list[str]
    of_rows: Ints

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Give the texts of rows numbers; the empty text is one of them."""
        numbers: dict[str, int] = {}
        of_rows = [numbers.setdefault(text, len(numbers)) for text in texts]
        return cls(list(numbers), np.array(of_rows, dtype=np.intp))

    @property
    def counts(self) -> Ints:
        """How many rows have each text."""
        return np.bincount(self.of_rows, minlength=len(self.texts))


class Weighed(NamedTuple):
    """The tokens of distinct texts: ascending, each once, and how rare each counts.

    `shared` and `own` have two rows: rarities among rows, and among the entities of `fit`.
    """

    starts: Ints
    tokens: Ints
    weights: Floats
    shared: Floats
    own: Floats

    def cosines(self, left: Ints, right: Ints) -> Floats:
        """Return the TF-IDF cosine of pairs of texts."""
        found: Floats = cosines(self.starts, self.tokens, self.weights, left, right)
        return np.minimum(found, 1.0, out=found)  # beyond which it is rounding

    def overlaps(self, rarity: int, left: Ints, right: Ints) -> Floats:
        """Compare what pairs of texts share with what they do not; see the kernel."""
        found: Floats = overlaps(
            self.starts, self.tokens, self.shared[rarity], self.own[rarity], left, right
        )
        return found


@dataclass(frozen=True, eq=False)
class KnownTokens(Value):
    """Know in how many rows and in how many entities tokens were found.

    The rarity of a token that df of n rows have is ln((1 + n) / (1 + df)) / ln(1 + n), between 0
    and 1. To n and df of `learned` are added those of the table that is compared. Among entities
    only those of `learned` count: whether words of theirs tell entities apart or are said of
    many. There, compared items are of entities that were counted; this is taken off, so
    that what is learned holds for entities that were not.

    Parameters
    ----------
    tokens
        Tokens that several rows have.
    n_rows_with, n_entities_with
        How many rows and entities have each.
    n_rows, n_entities
        How many there were in all.
    """

    tokens: tuple[str, ...] = ()
    n_rows_with: Sequence[int] | Ints = ()
    n_entities_with: Sequence[int] | Ints = ()
    n_rows: int = 0
    n_entities: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", tuple(self.tokens))
        for name in ("n_rows_with", "n_entities_with"):
            counts = np.asarray(getattr(self, name), dtype=np.intp)
            if counts.shape != (len(self.tokens),) or np.any(counts < 0):
                raise FeatureError(f"{name} must be {len(self.tokens)} counts, one a token")
            object.__setattr__(self, name, counts)
        for name in ("n_rows", "n_entities"):
            as_whole(name, getattr(self, name), error=FeatureError)

    @classmethod
    def learned(cls, distinct: Distinct, split: Split, entities: Ints) -> Self:
        """Count the tokens of the texts of rows, given the entity of each row."""
        numbers: dict[str, int] = {}
        own = _counted(distinct.texts, split, numbers)
        n_with = np.bincount(own.tokens, own.spread(distinct.counts), len(numbers))
        with_entities = _entities_with(own, distinct.of_rows, entities, len(numbers))
        kept = np.flatnonzero(n_with > 1)
        names = list(numbers)
        return cls(
            tuple(names[number] for number in kept),
            n_with[kept].astype(np.intp),
            with_entities[kept],
            len(entities),
            len(np.unique(entities)),
        )

    def weighed(self, distinct: Distinct, split: Split, *, seen: bool) -> Weighed:
        """Weigh the tokens of the texts of rows; `seen` says that these rows were counted."""
        numbers = {token: number for number, token in enumerate(self.tokens)}
        own = _counted(distinct.texts, split, numbers)
        n_with = np.bincount(own.tokens, own.spread(distinct.counts), len(numbers))
        n_with[: len(self.tokens)] += self.n_rows_with
        n_rows = self.n_rows + len(distinct.of_rows)
        rarity = np.log((1.0 + n_rows) / (1.0 + n_with))
        relative = rarity / np.log(1.0 + n_rows)
        shared = self._among_entities(len(numbers), SHARED_SEEN if seen else 0)
        alone = self._among_entities(len(numbers), OWN_SEEN if seen else 0)
        return Weighed(
            own.starts,
            own.tokens,
            own.normalised((1.0 + np.log(own.counts)) * (1.0 + rarity[own.tokens])),
            np.stack([relative, shared]),
            np.stack([relative, alone]),
        )

    def _among_entities(self, n_tokens: int, seen: int) -> Floats:
        """Return how rare tokens are among entities, `seen` of which are those compared."""
        n_with = np.zeros(n_tokens)
        n_with[: len(self.tokens)] = np.maximum(self.n_entities_with - seen, 0)  # type: ignore[operator]
        rarity: Floats = np.log((SMOOTHING + self.n_entities) / (SMOOTHING + n_with))
        return rarity / float(np.log(SMOOTHING + self.n_entities))


NOTHING = KnownTokens()
"""What a kind knows before it has learned."""


class _Counted(NamedTuple):
    """The tokens of texts, ascending, each once, and how often each text has each."""

    starts: Ints
    tokens: Ints
    counts: Ints

    def spread(self, values: Ints) -> Ints:
        """Give each token the value of its text."""
        return np.repeat(values, np.diff(self.starts))

    def normalised(self, weights: Floats) -> Floats:
        """Divide the weights of each text by their length as a vector."""
        n_texts = len(self.starts) - 1
        owners = self.spread(np.arange(n_texts))
        norms: Floats = np.sqrt(np.bincount(owners, weights**2, n_texts))
        return weights / norms[owners]


def _counted(texts: Sequence[str], split: Split, numbers: dict[str, int]) -> _Counted:
    """Give the tokens of texts numbers; new ones are added to `numbers`."""
    every = array("q")
    lengths = np.empty(len(texts), dtype=np.intp)
    for at, text in enumerate(texts):
        own = [numbers.setdefault(token, len(numbers)) for token in split(text)]
        every.extend(own)
        lengths[at] = len(own)
    width = max(len(numbers), 1)
    keys = np.repeat(np.arange(len(texts)), lengths) * width + np.array(every, dtype=np.intp)
    keys.sort()
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    owners, tokens = np.divmod(keys[first], width)
    starts = np.searchsorted(owners, np.arange(len(texts) + 1)).astype(np.intp)
    return _Counted(starts, tokens, np.diff(np.append(first, len(keys))))


def _entities_with(own: _Counted, rows: Ints, entities: Ints, n_tokens: int) -> Ints:
    """Count the entities that have each token, given the text and the entity of each row."""
    lengths = np.diff(own.starts)[rows]
    ends = np.cumsum(lengths)
    places = np.arange(lengths.sum()) - np.repeat(ends - lengths, lengths)
    of_rows = own.tokens[np.repeat(own.starts[rows], lengths) + places]
    keys = np.sort(np.repeat(entities, lengths) * max(n_tokens, 1) + of_rows)
    first = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
    counts: Ints = np.bincount(keys[first] % max(n_tokens, 1), minlength=n_tokens)
    return counts


def in_whole(text: str) -> list[str]:
    """Return a text as its only token; the empty one has none."""
    return [text] if text else []


def in_words(text: str) -> list[str]:
    """Return the words of a plain text."""
    return text.split()


def in_word_pairs(text: str) -> list[str]:
    """Return the words of a plain text, and each two neighbouring ones."""
    own = text.split()
    return own + [f"{one} {two}" for one, two in pairwise(own)]


def in_trigrams(text: str) -> list[str]:
    """Return the three characters from each place on, the text between blanks.

    >>> in_trigrams("ann")
    [' an', 'ann', 'nn ']
    """
    padded = f" {text} "
    return [padded[at : at + 3] for at in range(len(padded) - 2)] if text else []


def in_codes(text: str) -> list[str]:
    """Return the words with digits, and two neighbours of which one has some, written as one.

    >>> in_codes("canon cb 2lv charger")
    ['2lv', 'cb2lv', '2lvcharger']
    """
    own = text.split()
    coded = [any(map(str.isdigit, word)) for word in own]
    single = [word for word, has in zip(own, coded, strict=True) if has]
    return single + [
        own[at] + own[at + 1] for at in range(len(own) - 1) if coded[at] or coded[at + 1]
    ]
