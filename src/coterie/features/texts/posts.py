"""Features of pairs of posts: their words, times, positions in the stream, and authors."""

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

FittedValue = TypeVar("FittedValue")

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
"""The IDF for which the feature of a word is 1: roughly that of words that many pairs share.

With smaller features, stochastic gradient descent learns the weights of words too slowly.
"""

SAMPLED_PAIRS = 2**15
"""Maximum number of sampled pairs per item set; up to 256 items, all pairs are used."""

ROUNDING = 1e-10
"""A variance below this share of the mean square is rounding; such a feature is constant."""

UNKNOWN, NOBODY = -1, -2
"""Indices for an unknown author, and for the addressee of a post that addresses nobody."""


class People(NamedTuple):
    """The author of each post, and the author with whose name it begins, as indices."""

    authors: Ints
    addressed: Ints

    def compare_authors(self, first: Ints, second: Ints, ahead: Floats) -> Bools:
        """Return the features `AUTHORS`, one per row; `ahead` > 0 if the second post is later."""
        earlier, later = np.where(ahead > 0.0, (first, second), (second, first))
        is_same = self.authors[first] == self.authors[second]
        is_known = self.authors[first] != UNKNOWN
        later_addresses = self.addressed[later] == self.authors[earlier]
        earlier_addresses = self.addressed[earlier] == self.authors[later]
        # Of two posts with the same time and position, neither is the later one.
        is_ordered = ahead != 0.0
        return np.stack(
            [is_same & is_known, later_addresses & is_ordered, earlier_addresses & is_ordered]
        )


class EncodedPosts(NamedTuple):
    """The word weights of each post for its features, its time and position, and its author."""

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
    differences in time and in position, and the common words, weighted by their IDF.

    The first feature is the cosine. Then come x and ln(1 + x), where x is the difference in time in
    units of `time_unit`, the difference in position, or the sum of the IDF of the common words.
    With `author` there are three more: whether the authors are the same; whether the later text
    begins with the name of the earlier post's author, as messages in a chat do ("ann: try this");
    and whether the earlier text begins with the name of the later post's author. All these features
    are centred and divided by their standard deviation over the pairs of the training item sets.

    Last, each word has a feature: half its IDF if both posts have the word, else 0. These features
    are not stored for each pair, but computed as products of √(IDF / 2) of the words of each post.

    Parameters
    ----------
    text, time, position
        The names of the columns of texts, times and positions. None is an empty text. Times and
        positions are numbers; if one is missing, the difference counts as the mean difference.
    author
        The name of the column of authors, where None is an unknown author. None means that there is
        no such column.
    max_words
        The number of words that have a feature, those that occur in the most posts first. None
        means all words.
    vocabulary, time_unit, spread
        The result of `fit`: the words that occur in at least two posts, with their IDF; the mean
        time from a post to the next; and the means and standard deviations of all features but
        those of words, of shape (2, n_features).

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
        """The feature names; those of words are known after `fit`."""
        words = _fitted(self.vocabulary).words[: self.max_words]
        return (*self._measures, *(f"word: {word}" for word in words))

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Learn the words, the unit of time, and the means and deviations of the features."""
        texts: list[str] = []
        times: list[Floats] = []
        sets = as_item_sets(item_sets)
        for i, item_set in enumerate(sets):
            with located(f"item set {i}"):
                texts += _texts(item_set, self.text)
                times.append(_numbers(item_set, self.time))
        unit = _mean_step(times)
        no_scaling = np.tile([[0.0], [1.0]], len(self._measures))
        unscaled = replace(
            self,
            vocabulary=Vocabulary.learned(texts),
            time_unit=unit,
            max_words=0,
            spread=no_scaling,
        )
        return replace(unscaled, max_words=self.max_words, spread=_spread(unscaled, sets))

    def encode(self, item_set: ItemSet) -> EncodedPosts:
        """Compute the word weights of each post, and read its time, position and author."""
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
        """Return the features of pairs of posts; None means all pairs."""
        candidate_pairs = as_pairs(pairs, len(encoded.times))
        means, deviations = _fitted(self.spread)
        columns = _measure(encoded, candidate_pairs, len(self._measures))
        columns -= means
        columns /= deviations
        columns[np.isnan(columns)] = 0.0
        words = encoded.words.at(candidate_pairs)
        dense = DenseFeatures(columns)
        return stack([dense, words]) if words.shape[1] else dense

    @property
    def _measures(self) -> tuple[str, ...]:
        """The names of all features but those of words."""
        return MEASURES if self.author is None else (*MEASURES, *AUTHORS)


def _measure(encoded: EncodedPosts, pairs: Pairs | None, n_columns: int) -> Floats:
    """Return all features but those of words, unscaled, NaN where a number is missing."""
    n_pairs = count_pairs(len(encoded.times), pairs)
    refuse_unwritable((n_pairs, n_columns), n_pairs * n_columns)
    first, second = (all_pairs(len(encoded.times)) if pairs is None else pairs).T
    time_steps = encoded.times[second] - encoded.times[first]
    position_steps = encoded.positions[second] - encoded.positions[first]
    columns = np.empty((n_pairs, n_columns))
    columns[:, 0] = _dot_products(encoded.cosines, pairs)
    common_idf = _dot_products(encoded.common, pairs)
    measures = np.abs(time_steps), np.abs(position_steps), common_idf
    for column, measure in zip((1, 3, COMMON_WORDS), measures, strict=True):
        columns[:, column] = measure
        columns[:, column + 1] = np.log1p(measure)
    if encoded.people is not None:
        # The position decides which post is later where times are equal or missing.
        is_time_undecided = (time_steps == 0.0) | np.isnan(time_steps)
        ahead = np.nan_to_num(np.where(is_time_undecided, position_steps, time_steps))
        columns[:, len(MEASURES) :] = encoded.people.compare_authors(first, second, ahead).T
    return columns


def _dot_products(products: NodeProducts, pairs: Pairs | None) -> Floats:
    """Return the dot product of the two vectors of each pair."""
    return products.at(pairs) @ np.ones(products.shape[1])


def _people(authors: Sequence[Any], texts: Sequence[str]) -> People:
    names = ["" if is_missing(author) else str(author).casefold() for author in authors]
    indices = {name: i for i, name in enumerate(dict.fromkeys(names)) if name}
    first_words = [(text.split(maxsplit=1) or [""])[0].strip("@<>:,;.!?") for text in texts]
    return People(
        np.array([indices.get(name, UNKNOWN) for name in names], dtype=np.intp),
        np.array([indices.get(word.casefold(), NOBODY) for word in first_words], dtype=np.intp),
    )


def _mean_step(times: Sequence[Floats]) -> float:
    """Return the mean time from a post to the next, or 1 if all posts have the same time."""
    known_times = [set_times[~np.isnan(set_times)] for set_times in times]
    durations = [np.ptp(set_times) for set_times in known_times if len(set_times)]
    n_steps = sum(len(set_times) - 1 for set_times in known_times if len(set_times))
    return float(sum(durations)) / max(n_steps, 1) or 1.0


def _spread(featurizer: PostFeatures, item_sets: Sequence[ItemSet]) -> Floats:
    """Return the means and standard deviations of the features over all pairs.

    The pairs of large item sets are sampled. A feature that is constant has the deviation 1.
    """
    counts, sums, squares = np.zeros(1), np.zeros(1), np.zeros(1)
    n_columns = len(featurizer.names)
    for i, item_set in enumerate(item_sets):
        with located(f"item set {i}"):
            pairs = _sample_pairs(len(item_set))
            columns = _measure(featurizer.encode(item_set), pairs, n_columns)
        if not len(columns):
            continue
        n_pairs, are_known = count_pairs(len(item_set)), ~np.isnan(columns)
        columns[~are_known] = 0.0
        pair_weight = n_pairs / len(columns)
        counts = counts + n_pairs * are_known.mean(axis=0)
        sums = sums + pair_weight * columns.sum(axis=0)
        squares = squares + pair_weight * np.square(columns).sum(axis=0)
    counts = np.maximum(counts, 1.0)
    means, mean_squares = sums / counts, squares / counts
    deviations = np.sqrt(np.maximum(mean_squares - means**2, 0.0))
    varies = deviations**2 > ROUNDING * mean_squares
    return np.broadcast_to([means, np.where(varies, deviations, 1.0)], (2, n_columns))


def _sample_pairs(n_items: int) -> Pairs | None:
    """Return a fixed sample of the pairs, or None, which means all pairs, if they are few."""
    n_pairs = count_pairs(n_items)
    if n_pairs <= SAMPLED_PAIRS:
        return None
    positions = np.random.default_rng(0).integers(n_pairs, size=SAMPLED_PAIRS)
    return pairs_at(np.unique(positions), n_items)


def _texts(item_set: ItemSet, name: str) -> list[str]:
    return as_texts(_column(item_set, name), name)


def _numbers(item_set: ItemSet, name: str) -> Floats:
    values = [np.nan if is_missing(value) else value for value in _column(item_set, name)]
    numbers = as_floats(f"column {name!r}", values, FeatureError)
    infinite = np.flatnonzero(np.isinf(numbers))
    if infinite.size:
        raise FeatureError(
            f"{name} of item {infinite[0]} is {numbers[infinite[0]]}; give a finite number, or "
            "None if it is missing"
        )
    return numbers


def _column(item_set: ItemSet, name: str) -> list[Any]:
    return column_of(item_set.items, name, "PostFeatures", FeatureError) if len(item_set) else []


def _as_spread(spread: Any, n_columns: int) -> Floats:
    values = as_floats("spread", spread, FeatureError)
    is_finite = np.isfinite(values).all()
    if values.shape != (2, n_columns) or not is_finite or not np.all(values[1] > 0):
        raise FeatureError(
            f"spread has shape {values.shape}; give an array of shape (2, {n_columns}): a row "
            "of finite means and a row of deviations above 0"
        )
    return values


def _fitted(value: FittedValue | None) -> FittedValue:
    if value is None:
        raise FeatureError("PostFeatures is not fitted; call fit and use the copy that it returns")
    return value
