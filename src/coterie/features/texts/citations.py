"""Distances between citations: of their titles, authors, venues and years."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self
from unicodedata import normalize

import numpy as np
from numpy.typing import ArrayLike
from rapidfuzz.distance.Levenshtein import normalized_distance
from rapidfuzz.process import cdist, cpdist

from coterie._core.arguments import as_floats, as_real
from coterie._core.arrays import Floats, Ints, Pairs
from coterie._types import Features
from coterie.exceptions import FeatureError, located
from coterie.features.columns import column_of, is_missing
from coterie.features.featurizer import PairFeaturizer
from coterie.features.given import sample_pairs
from coterie.features.operators import DenseFeatures
from coterie.features.operators.base import refuse_unwritable
from coterie.features.operators.blocks import pairs_at, row_blocks
from coterie.items import ItemSet, as_item_sets
from coterie.pairs import as_pairs, count_pairs

TEXTS = ("title", "first author", "authors", "venue")
NUMBERS = ("year", "venue frequency", "co-authors")
COLUMNS = (*TEXTS, *NUMBERS)
MAX_DISTANCES = np.array([np.inf if name == "venue frequency" else 1.0 for name in COLUMNS])
"""The upper bound of each distance."""

TABLE_SPEEDUP = 4
"""Speed of comparing two texts in a table of all texts, relative to comparing them as a pair."""

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_BETWEEN_WORDS = re.compile(r"[\W_]+")
_INITIALS = re.compile(r"(?<=[a-z] )([A-Z])([A-Z])\b")
_TITLE = re.compile(r"(?<=\w{3})\.\s[^.,;&]*:\s*$")
_NOT_NAMES = re.compile(r"\d+|\bet\.? al\b|\b(?:jr|sr|ii|iii|eds|editors?)\b")
# An unclosed parenthesis matches, too, so that it is read only once, in linear time.
_REMARK = re.compile(r"\([^)\n]*+(\))?")
_BETWEEN_NAMES = re.compile(r";|&|\band\b")
_HYPHENS_AND_APOSTROPHES = re.compile(r"[-\u2010-\u2013'’`]\s*")
_PARTICLES = frozenset(("da", "de", "del", "den", "der", "di", "du", "la", "le", "van", "von"))


class DistinctTexts(NamedTuple):
    """The distinct texts of items, and the index of the text of each item, −1 for none."""

    texts: tuple[str, ...]
    codes: Ints


class EncodedCitations(NamedTuple):
    """The four texts of each citation, and its three numbers, NaN where one is missing."""

    texts: tuple[DistinctTexts, ...]
    numbers: Floats


@dataclass(frozen=True, eq=False)
class CitationFeatures(PairFeaturizer):
    """Compare citations by seven distances, those of Daumé & Marcu 2004, section 3.

    - `title`, `first author`, `authors`, `venue`: edit distances, divided by the length of the
      longer text, so that they run from 0 to 1. Case, punctuation and white space do not matter,
      nor does the order of surname and given names: see `parse_authors`.
    - `year`: the difference in decades, at most 1, because larger ones are mostly misreadings.
    - `venue frequency`: |log10(n / n′)|, where n and n′ count how often the two venues occur in the
      item set. These counts are so skewed that their ratio says more than their difference.
    - `co-authors`: the difference between the numbers of authors, divided by 10, at most 1.

    Where either citation lacks a field, the distance is the mean over the training pairs in which
    both have it, so that it counts neither for nor against the pair; it is 0 if there are no such
    pairs. Finally, each distance d is replaced by √(d² + resolution²).

    Parameters
    ----------
    title, author, venue, year
        The names of the columns. They hold texts, and years may also be numbers. The year of a
        text is its first number from 1500 to 2099.
    resolution
        The distance that remains between citations that agree. Without it, a model of normal
        distributions would take exact agreement for infinite precision and let one field decide;
        0 leaves the distances as they are.
    neutral
        The result of `fit`: each distance d of pairs that lack the field.

    Examples
    --------
    >>> citations = ItemSet({
    ...     "title": ["Learning to Fly.", "Learning to fly,", "On the Origin of Kites"],
    ...     "author": ["A. Wren and B. Finch", "Wren, A., & Finch, B.", "Carol Swift."],
    ...     "venue": ["Proc. of Birds,", None, "Journal of Wind,"],
    ...     "year": ["(1990).", "1991", "1979"],
    ... })
    >>> featurizer = CitationFeatures(resolution=0).fit([citations])
    >>> featurizer.names
    ('title', 'first author', 'authors', 'venue', 'year', 'venue frequency', 'co-authors')
    >>> featurizer(citations, [(0, 1), (0, 2)]).to_matrix().round(2)
    array([[0.  , 0.  , 0.  , 0.6 , 0.1 , 0.  , 0.  ],
           [0.77, 0.73, 0.93, 0.6 , 1.  , 0.  , 0.1 ]])
    """

    title: str = "title"
    author: str = "author"
    venue: str = "venue"
    year: str = "year"
    resolution: float = field(default=0.1, kw_only=True)
    neutral: Floats | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "resolution", as_real("resolution", self.resolution))
        if self.neutral is None:
            return
        neutral = as_floats("neutral", self.neutral, FeatureError)
        if neutral.shape != (len(COLUMNS),) or not np.all((neutral >= 0) & np.isfinite(neutral)):
            raise FeatureError(
                f"neutral has shape {neutral.shape}; give {len(COLUMNS)} finite numbers of at "
                "least 0, one per distance"
            )
        object.__setattr__(self, "neutral", neutral)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the seven distances."""
        return COLUMNS

    @property
    def distances(self) -> tuple[bool, ...]:
        """True for all features, which are distances."""
        return (True,) * len(COLUMNS)

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Learn the mean of each distance, which pairs that lack the field will have."""
        sums, counts = np.zeros(len(COLUMNS)), np.zeros(len(COLUMNS))
        for i, item_set in enumerate(as_item_sets(item_sets)):
            with located(f"item set {i}"):
                pairs, pair_weight = sample_pairs(item_set)
                distances = _distances(self.encode(item_set), as_pairs(pairs, len(item_set)))
            sums += pair_weight * np.nansum(distances, axis=0)
            counts += pair_weight * np.count_nonzero(~np.isnan(distances), axis=0)
        return replace(self, neutral=sums / np.maximum(counts, 1.0))

    def encode(self, item_set: ItemSet) -> EncodedCitations:
        """Clean the texts of each citation, and read its authors and its year."""
        titles, authors, venues = (
            self._column(item_set, name, _as_text) for name in (self.title, self.author, self.venue)
        )
        years = self._column(item_set, self.year, _as_year)
        author_lists = [None if text is None else parse_authors(text) or None for text in authors]
        texts = (
            [_normalize_words(text) for text in titles],
            [names[0] if names else None for names in author_lists],
            [" ".join(names) if names else None for names in author_lists],
            [_normalize_words(text) for text in venues],
        )
        distinct_texts = tuple(map(_as_distinct_texts, texts))
        decades = [np.nan if year is None else year / 10.0 for year in years]
        author_counts = [len(names) / 10.0 if names else np.nan for names in author_lists]
        numbers = np.column_stack([decades, _log_frequencies(distinct_texts[-1]), author_counts])
        return EncodedCitations(distinct_texts, numbers)

    def compare(self, encoded: EncodedCitations, pairs: ArrayLike | None) -> Features:
        """Return the distances of pairs of citations; None means all pairs."""
        if self.neutral is None:
            raise FeatureError(
                "CitationFeatures is not fitted; call fit and use the copy that it returns"
            )
        distances = _distances(encoded, as_pairs(pairs, len(encoded.numbers)))
        filled_distances = np.where(np.isnan(distances), self.neutral, distances)
        return DenseFeatures(np.hypot(filled_distances, self.resolution))

    def _column(self, item_set: ItemSet, name: str, read: Callable[[Any], Any]) -> list[Any]:
        """Apply `read` to each value of a column; missing values become None."""
        if not len(item_set):
            return []
        results = []
        values = column_of(item_set.items, name, "CitationFeatures", FeatureError)
        for i, value in enumerate(values):
            try:
                results.append(None if is_missing(value) else read(value))
            except TypeError as error:
                raise FeatureError(f"{name} of item {i} is {value!r}, {error}") from error
        return results


def parse_authors(text: str) -> list[str]:
    """Return the authors of a citation in lower case, each as surname followed by given names.

    Authors are separated by semicolons, "and", "&" or commas. A comma may also separate a surname
    from the given names or initials after it. Where a comma could do either, it separates authors
    if all parts are single words, as in "Ash, Birch, and Cedar". The surname of a name without a
    comma is its last word, with particles such as "van der"; but if only initials follow the first
    word, that is the surname. Given names are not shortened, so that "a" and "ann" differ. Hyphens,
    apostrophes, years, "et al." and a title at the end ("A. Ash. Trees:") are dropped.

    >>> parse_authors("A. B. Ash, Cy Birch, and D. van Dyck.")
    ['ash a b', 'birch cy', 'van dyck d']
    >>> parse_authors("Ash, A.B., C. Birch & Cedar DE, et al. (1990)")
    ['ash a b', 'birch c', 'cedar d e']
    """
    separate = _INITIALS.sub(r"\1 \2", _TITLE.sub("", normalize("NFKC", text)))
    cleaned = _NOT_NAMES.sub(" ", _HYPHENS_AND_APOSTROPHES.sub("", separate.casefold()))
    author_text = _REMARK.sub(lambda match: " " if match[1] else match[0], cleaned)
    all_parts = (_split_at_commas(part) for part in _BETWEEN_NAMES.split(author_text))
    parts = [part for part in all_parts if part]
    are_single_words = all(len(words) == 1 < len(words[0]) for part in parts for words in part)
    if are_single_words and len(parts) > 1 and len(parts[-1]) == 1:
        return [words[0] for part in parts for words in part]
    return [name for part in parts for name in _assemble_names(part)]


def _split_at_commas(part: str) -> list[list[str]]:
    """Return the words of each text between commas; an initial is a word of one letter."""
    pieces = (_BETWEEN_WORDS.sub(" ", piece).split() for piece in part.split(","))
    return [piece for piece in pieces if piece]


def _assemble_names(pieces: list[list[str]]) -> list[str]:
    """Join each surname with the given names that follow it after a comma."""
    names: list[list[str]] = []
    lacks_given_names = False
    for words in pieces:
        # Initials alone belong to the name before; "B. Birch" after "Ash," is another author.
        are_initials = all(len(word) == 1 for word in words)
        if names and (are_initials or (lacks_given_names and len(words[0]) > 1)):
            names[-1] += words
            lacks_given_names = False
        else:
            lacks_given_names = _is_surname(words)
            names.append(_move_surname_first(words))
    return [" ".join(name) for name in names]


def _is_surname(words: list[str]) -> bool:
    return len(words[-1]) > 1 and all(word in _PARTICLES for word in words[:-1])


def _move_surname_first(words: list[str]) -> list[str]:
    """Move the surname, with its particles, to the front, unless the name is "Ash A. B."."""
    if len(words[0]) > 1 and all(len(word) == 1 for word in words[1:]):
        return list(words)
    start = len(words) - 1
    while start and words[start - 1] in _PARTICLES:
        start -= 1
    return words[start:] + words[:start]


def _as_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a string; give a string, or None if it is missing")
    return value


def _as_year(value: Any) -> float | None:
    if isinstance(value, str):
        match = _YEAR.search(value)
        return float(match.group()) if match else None
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise TypeError("not a year; give a number, a string, or None if it is missing")
    return float(value) if np.isfinite(value) else None


def _normalize_words(text: str | None) -> str | None:
    """Return the words of a text in folded case, separated by blanks; None if it has no words."""
    if text is None:
        return None
    return _BETWEEN_WORDS.sub(" ", normalize("NFKC", text).casefold()).strip() or None


def _as_distinct_texts(texts: list[str | None]) -> DistinctTexts:
    indices: dict[str, int] = {}
    codes = [-1 if text is None else indices.setdefault(text, len(indices)) for text in texts]
    return DistinctTexts(tuple(indices), np.array(codes, dtype=np.intp))


def _log_frequencies(venues: DistinctTexts) -> Floats:
    """Return log10 of how often the venue of each citation occurs, NaN if it has no venue."""
    codes = venues.codes.tolist()
    counts = Counter(codes)
    logs = [np.nan if code < 0 else np.log10(counts[code]) for code in codes]
    return np.array(logs, dtype=np.float64)


def _distances(encoded: EncodedCitations, candidate_pairs: Pairs | None) -> Floats:
    """Return the seven distances of each pair, NaN where a citation of the pair lacks the field."""
    n_items = len(encoded.numbers)
    n_pairs = count_pairs(n_items, candidate_pairs)
    refuse_unwritable((n_pairs, len(COLUMNS)), n_pairs * len(COLUMNS))
    columns = np.empty((n_pairs, len(COLUMNS)))
    for rows in row_blocks(n_pairs, 1):
        pairs = _pairs_in_rows(candidate_pairs, rows, n_items)
        for column, texts in enumerate(encoded.texts):
            columns[rows, column] = _edit_distances(texts, pairs)
        first, second = encoded.numbers[pairs[:, 0]], encoded.numbers[pairs[:, 1]]
        columns[rows, len(TEXTS) :] = np.abs(first - second)
    np.minimum(columns, MAX_DISTANCES, out=columns)
    return columns


def _pairs_in_rows(pairs: Pairs | None, rows: slice, n_items: int) -> Pairs:
    """Return a slice of the pairs, or of all pairs of the items if `pairs` is None."""
    return pairs_at(np.arange(rows.start, rows.stop), n_items) if pairs is None else pairs[rows]


def _edit_distances(texts: DistinctTexts, pairs: Pairs) -> Floats:
    """Return the normalised edit distance of each pair, NaN where a text is missing.

    All distinct texts are compared in a table if that takes less time than the pairs.
    """
    first, second = texts.codes[pairs].T
    have_texts = (first >= 0) & (second >= 0)
    distances = np.full(len(pairs), np.nan)
    if len(texts.texts) ** 2 <= TABLE_SPEEDUP * len(pairs):
        table = cdist(texts.texts, texts.texts, scorer=normalized_distance, dtype=np.float64)
        distances[have_texts] = table[first[have_texts], second[have_texts]]
    else:
        values = np.array(texts.texts, dtype=object)
        first_texts, second_texts = values[first[have_texts]], values[second[have_texts]]
        distances[have_texts] = cpdist(
            first_texts, second_texts, scorer=normalized_distance, dtype=np.float64
        )
    return distances
