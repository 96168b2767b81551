"""Features of pairs of posts: what they say, when, where in the stream, and by whom."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from coterie._core.arguments import as_floats, as_positive, as_whole
from coterie._core.arrays import Bools, Floats, Ints, Pairs
from coterie._types import Features
from coterie.exceptions import FeatureError, located
from coterie.features.columns import column_of, is_missing
from coterie.features.featurizer import PairFeaturizer
from coterie.features.operators import DenseFeatures, NodeProducts, stack
from coterie.features.operators.base import refuse_unwritable
from coterie.features.operators.blocks import pairs_at
from coterie.features.texts.vocabulary import Vocabulary, as_texts
from coterie.items import ItemSet, as_item_sets
from coterie.pairs import all_pairs, as_pairs, count_pairs

Learned = TypeVar("Learned")

MEASURES = (
    "cosine",
    "time",
    "log time",
    "position",
    "log position",
    "common words",
    "log common words",
)
COMMON_WORDS = MEASURES.index("common words")
AUTHORS = ("same author", "later addresses earlier", "earlier addresses later")

WORD_UNIT = 2.0
"""The IDF that counts as 1 in the column of a word: that of words which many pairs have in common.

With smaller columns, stochastic gradient descent learns the weights of words too slowly.
"""

SAMPLED_PAIRS = 2**15
"""How many pairs of an item set are looked at for the spread: all of up to 256 items."""

ROUNDING = 1e-10
"""A variance below this share of the mean square is rounding: the column is constant."""

UNKNOWN, NOBODY = -1, -2
"""Stand for an author who is not known, and for no one who is addressed."""


class People(NamedTuple):
    """Who wrote each post, and with whose name it begins."""

    authors: Ints
    addressed: Ints

    def compared(self, first: Ints, second: Ints, ahead: Floats) -> Bools:
        """Return the columns of `AUTHORS` in rows; `ahead` is above 0 where the second is later."""
        earlier, later = np.where(ahead > 0.0, (first, second), (second, first))
        same = self.authors[first] == self.authors[second]
        known = self.authors[first] != UNKNOWN
        back = self.addressed[later] == self.authors[earlier]
        forth = self.addressed[earlier] == self.authors[later]
        # Of posts at the same time and position none is later.
        return np.stack([same & known, back & (ahead != 0.0), forth & (ahead != 0.0)])


class EncodedPosts(NamedTuple):
    """What is read of each post once: word weights ready to be multiplied, and numbers."""

    cosines: NodeProducts
    common: NodeProducts
    words: NodeProducts
    times: Floats
    positions: Floats
    people: People | None


@dataclass(frozen=True, eq=False)
class PostFeatures(PairFeaturizer):
    """Compare posts of a forum or a chat by their words, times, positions and authors.

    The features of Samdani, Chang & Roth 2014, section 5.2: the TF-IDF cosine of the texts, the
    differences in time and in position, and the words in common, each valued by its IDF. The first
    columns are the cosine, then x and ln(1 + x) of the difference in time in units of `time_unit`,
    of that in position, and of the sum of the IDF of common words. With authors, three more say
    whether they are the same, whether the later text begins with the name of the earlier one's
    author, as messages in a chat do ("ann: try this"), and whether the earlier one begins with the
    later's. All these are centred and divided by their deviation over the pairs of the item sets of
    `fit`. The last columns are one a word: half its IDF if it is common, else 0. They are never
    written out pair by pair, but are products of the words of either post, each √(IDF / 2).

    Parameters
    ----------
    text, time, position
        The names of the columns: of texts (None counts as empty), of numbers, and of numbers; a
        difference of numbers one of which is missing counts as their mean.
    author
        The name of the column of authors (None counts as unknown), if there is one.
    max_words
        How many words have columns of their own, those of the most posts first; None for all.
    vocabulary, time_unit, spread
        What `fit` learned: words in at least two posts and their IDF; the mean time between a post
        and the next; the means and the deviations of the columns but those of words, of shape
        (2, columns).

    Examples
    --------
    >>> posts = {
    ...     "text": ["The cat sat", "Cats? The cat?", "Who sings", "She sings"],
    ...     "time": [0.0, 5.0, 6.0, 9.0],
    ...     "position": [0, 1, 2, 3],
    ... }
    >>> featurizer = PostFeatures().fit([ItemSet(posts)])
    >>> featurizer.names[-3:]
    ('word: cat', 'word: sings', 'word: the')
    >>> featurizer.time_unit
    3.0
    >>> featurizer(ItemSet(posts), [(0, 1), (2, 3)])
    StackedFeatures(2 pairs × 10 columns)
    """

    text: str = "text"
    time: str = "time"
    position: str = "position"
    author: str | None = None
    max_words: int | None = None
    vocabulary: Vocabulary | None = field(default=None, kw_only=True, repr=False)
    time_unit: float | None = field(default=None, kw_only=True, repr=False)
    spread: Floats | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        if self.max_words is not None:
            object.__setattr__(self, "max_words", as_whole("max_words", self.max_words))
        if self.time_unit is not None:
            object.__setattr__(self, "time_unit", as_positive("time_unit", self.time_unit))
        if self.spread is not None:
            object.__setattr__(self, "spread", _as_spread(self.spread, len(self._measures)))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns; those of words are known after `fit`."""
        words = _fitted(self.vocabulary).words[: self.max_words]
        return (*self._measures, *(f"word: {word}" for word in words))

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Learn the words, the unit of time and the spread of the columns."""
        texts: list[str] = []
        times: list[Floats] = []
        sets = as_item_sets(item_sets)
        for number, item_set in enumerate(sets):
            with located(f"item set {number}"):
                texts += _texts(item_set, self.text)
                times.append(_numbers(item_set, self.time))
        unit = _mean_step(times)
        plain = np.tile([[0.0], [1.0]], len(self._measures))
        learned = replace(
            self, vocabulary=Vocabulary.learned(texts), time_unit=unit, max_words=0, spread=plain
        )
        return replace(learned, max_words=self.max_words, spread=_spread(learned, sets))

    def encode(self, item_set: ItemSet) -> EncodedPosts:
        """Count the words of each post, and read its time, position and author."""
        vocabulary = _fitted(self.vocabulary)
        texts = _texts(item_set, self.text)
        counts = vocabulary.counts(texts)
        roots = np.sqrt(vocabulary.idf)[counts.indices]
        words = sp.csr_array((roots, counts.indices, counts.indptr), shape=counts.shape)
        return EncodedPosts(
            NodeProducts(vocabulary.tfidf(counts)),
            NodeProducts(words),
            NodeProducts(words[:, : self.max_words] / np.sqrt(WORD_UNIT)),
            _numbers(item_set, self.time) / _fitted(self.time_unit),
            _numbers(item_set, self.position),
            None if self.author is None else _people(_column(item_set, self.author), texts),
        )

    def compare(self, encoded: EncodedPosts, pairs: ArrayLike | None) -> Features:
        """Return the features of some pairs, None for all."""
        listed = as_pairs(pairs, len(encoded.times))
        means, deviations = _fitted(self.spread)
        columns = _measured(encoded, listed, len(self._measures))
        columns -= means
        columns /= deviations
        columns[np.isnan(columns)] = 0.0
        words = encoded.words.at(listed)
        dense = DenseFeatures(columns)
        return stack([dense, words]) if words.shape[1] else dense

    @property
    def _measures(self) -> tuple[str, ...]:
        """The names of the columns but those of words."""
        return MEASURES if self.author is None else (*MEASURES, *AUTHORS)


def _measured(encoded: EncodedPosts, pairs: Pairs | None, n_columns: int) -> Floats:
    """Return all columns but those of words, as they are, NaN where numbers are missing."""
    n_pairs = count_pairs(len(encoded.times), pairs)
    refuse_unwritable((n_pairs, n_columns), n_pairs * n_columns)
    first, second = (all_pairs(len(encoded.times)) if pairs is None else pairs).T
    later = encoded.times[second] - encoded.times[first]
    further = encoded.positions[second] - encoded.positions[first]
    columns = np.empty((n_pairs, n_columns))
    columns[:, 0] = _summed(encoded.cosines, pairs)
    lengths = np.abs(later), np.abs(further), _summed(encoded.common, pairs)
    for column, length in zip((1, 3, COMMON_WORDS), lengths, strict=True):
        columns[:, column] = length
        columns[:, column + 1] = np.log1p(length)
    if encoded.people is not None:
        ahead = np.nan_to_num(np.where((later == 0.0) | np.isnan(later), further, later))
        columns[:, len(MEASURES) :] = encoded.people.compared(first, second, ahead).T
    return columns


def _summed(products: NodeProducts, pairs: Pairs | None) -> Floats:
    """Return the sum of the products of each pair."""
    return products.at(pairs) @ np.ones(products.shape[1])


def _people(authors: Sequence[Any], texts: Sequence[str]) -> People:
    names = ["" if is_missing(author) else str(author).casefold() for author in authors]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names)) if name}
    beginnings = [(text.split(maxsplit=1) or [""])[0].strip("@<>:,;.!?") for text in texts]
    return People(
        np.array([numbers.get(name, UNKNOWN) for name in names], dtype=np.intp),
        np.array([numbers.get(word.casefold(), NOBODY) for word in beginnings], dtype=np.intp),
    )


def _mean_step(times: Sequence[Floats]) -> float:
    """Return the mean time between a post and the next, 1 where no time goes by."""
    known = [each[~np.isnan(each)] for each in times]
    lengths = [np.ptp(each) for each in known if len(each)]
    n_steps = sum(len(each) - 1 for each in known if len(each))
    return float(sum(lengths)) / max(n_steps, 1) or 1.0


def _spread(featurizer: PostFeatures, item_sets: Sequence[ItemSet]) -> Floats:
    """Return the means and the deviations of the columns over all pairs, of 0 taken as 1."""
    n_known, sums, squares = np.zeros(1), np.zeros(1), np.zeros(1)
    n_columns = len(featurizer.names)
    for number, item_set in enumerate(item_sets):
        with located(f"item set {number}"):
            columns = _measured(featurizer.encode(item_set), _drawn(len(item_set)), n_columns)
        if not len(columns):
            continue
        n_pairs, known = count_pairs(len(item_set)), ~np.isnan(columns)
        columns[~known] = 0.0
        share = n_pairs / len(columns)
        n_known = n_known + n_pairs * known.mean(axis=0)
        sums = sums + share * columns.sum(axis=0)
        squares = squares + share * np.square(columns).sum(axis=0)
    n_known = np.maximum(n_known, 1.0)
    means, squares = sums / n_known, squares / n_known
    deviations = np.sqrt(np.maximum(squares - means**2, 0.0))
    varied = deviations**2 > ROUNDING * squares
    return np.broadcast_to([means, np.where(varied, deviations, 1.0)], (2, n_columns))


def _drawn(n_items: int) -> Pairs | None:
    """Return some of all pairs, always the same ones; None for all where they are few."""
    n_pairs = count_pairs(n_items)
    if n_pairs <= SAMPLED_PAIRS:
        return None
    drawn = np.random.default_rng(0).integers(n_pairs, size=SAMPLED_PAIRS)
    return pairs_at(np.unique(drawn), n_items)


def _texts(item_set: ItemSet, name: str) -> list[str]:
    return as_texts(_column(item_set, name), name)


def _numbers(item_set: ItemSet, name: str) -> Floats:
    given = [np.nan if is_missing(value) else value for value in _column(item_set, name)]
    numbers = as_floats(f"column {name!r}", given, FeatureError)
    wrong = np.flatnonzero(np.isinf(numbers))
    if wrong.size:
        raise FeatureError(
            f"{name} of item {wrong[0]} is {numbers[wrong[0]]}; give a finite number, or None"
        )
    return numbers


def _column(item_set: ItemSet, name: str) -> list[Any]:
    return column_of(item_set.items, name, "PostFeatures", FeatureError) if len(item_set) else []


def _as_spread(spread: Any, n_columns: int) -> Floats:
    given = as_floats("spread", spread, FeatureError)
    if given.shape != (2, n_columns) or not np.isfinite(given).all() or not np.all(given[1] > 0):
        raise FeatureError(
            f"spread has shape {given.shape}; give finite means and deviations above 0 of "
            f"{n_columns} columns"
        )
    return given


def _fitted(value: Learned | None) -> Learned:
    if value is None:
        raise FeatureError("the words and the spread of posts are not known yet; call fit first")
    return value
