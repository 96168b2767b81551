"""Distances of citations: of their titles, authors, venues and years."""

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
MOST = np.array([np.inf if name == "venue frequency" else 1.0 for name in COLUMNS])
"""What each distance is at most."""

TABLE_SHARE = 4
"""How many times faster two texts are compared in a table of all than as a pair by itself."""

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_BETWEEN_WORDS = re.compile(r"[\W_]+")
_INITIALS = re.compile(r"(?<=[a-z] )([A-Z])([A-Z])\b")
_TITLE = re.compile(r"(?<=\w{3})\.\s[^.,;&]*:\s*$")
_NO_NAMES = re.compile(r"\d+|\bet\.? al\b|\b(?:jr|sr|ii|iii|eds|editors?)\b")
_REMARK = re.compile(r"\([^)\n]*+(\))?")  # takes what is not closed too, to read it only once
_BETWEEN_NAMES = re.compile(r";|&|\band\b")
_BROKEN_OR_JOINED = re.compile(r"[-\u2010-\u2013'’`]\s*")
_PARTICLES = frozenset(("da", "de", "del", "den", "der", "di", "du", "la", "le", "van", "von"))


class DistinctTexts(NamedTuple):
    """Texts, each once, and which of them each item has, -1 where it has none."""

    texts: tuple[str, ...]
    codes: Ints


class EncodedCitations(NamedTuple):
    """The four texts of citations, and their three numbers, NaN where one is missing."""

    texts: tuple[DistinctTexts, ...]
    numbers: Floats


@dataclass(frozen=True, eq=False)
class CitationFeatures(PairFeaturizer):
    """Compare citations by seven distances, those of Daumé & Marcu 2004, section 3.

    - `title`, `first author`, `authors`, `venue`: edit distances, divided by the length of the
      longer text, so that they run from 0 to 1. Case, punctuation and white space do not matter,
      and neither does the order of surname and given names: see `parse_authors`.
    - `year`: difference in tens of years, at most 1, because larger ones are mostly misreadings.
    - `venue frequency`: |log10(n / n′)| of how often the venues of both occur in the item set. Of
      counts as skewed as these it is the ratio that tells.
    - `co-authors`: difference of their numbers, in tens, at most 1.

    Where one of both lacks a field, their distance is the mean over those pairs of `fit` in which
    both have it: it speaks neither for nor against them. Where there are no such pairs, it is 0.

    Each distance d is then taken as √(d² + resolution²).

    Parameters
    ----------
    title, author, venue, year
        The names of the columns. They hold texts; years may be numbers too. In a text the first
        number from 1500 to 2099 is the year.
    resolution
        What two citations that agree may still differ by. A normal distribution takes exact
        agreement for infinite precision, and then lets one field decide; 0 leaves distances as
        they are.
    neutral
        What `fit` learned: for each distance d what it is where a field is missing.

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
                f"neutral has shape {neutral.shape}; give a finite number of at least 0 for each "
                f"of {len(COLUMNS)} distances"
            )
        object.__setattr__(self, "neutral", neutral)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the distances."""
        return COLUMNS

    @property
    def distances(self) -> tuple[bool, ...]:
        """Whether each column grows with distance: all do."""
        return (True,) * len(COLUMNS)

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Learn the mean of each distance, for pairs of which one lacks a field."""
        sums, counts = np.zeros(len(COLUMNS)), np.zeros(len(COLUMNS))
        for number, item_set in enumerate(as_item_sets(item_sets)):
            with located(f"item set {number}"):
                pairs, share = sample_pairs(item_set)
                known = _distances(self.encode(item_set), as_pairs(pairs, len(item_set)))
            sums += share * np.nansum(known, axis=0)
            counts += share * np.count_nonzero(~np.isnan(known), axis=0)
        return replace(self, neutral=sums / np.maximum(counts, 1.0))

    def encode(self, item_set: ItemSet) -> EncodedCitations:
        """Clean the texts of each citation, read its authors and its year."""
        titles, authors, venues = (
            self._column(item_set, name, _as_text) for name in (self.title, self.author, self.venue)
        )
        years = self._column(item_set, self.year, _as_year)
        lists = [None if text is None else parse_authors(text) or None for text in authors]
        texts = (
            [_cleaned(text) for text in titles],
            [names[0] if names else None for names in lists],
            [" ".join(names) if names else None for names in lists],
            [_cleaned(text) for text in venues],
        )
        encoded = tuple(map(_distinct, texts))
        sizes = [len(names) / 10.0 if names else np.nan for names in lists]
        return EncodedCitations(
            encoded, np.column_stack([_as_tens(years), _frequencies(encoded[-1]), sizes])
        )

    def compare(self, encoded: EncodedCitations, pairs: ArrayLike | None) -> Features:
        """Return the distances of some pairs of citations, None for all."""
        if self.neutral is None:
            raise FeatureError("how far citations are from each other is not known; call fit first")
        known = _distances(encoded, as_pairs(pairs, len(encoded.numbers)))
        distances = np.where(np.isnan(known), self.neutral, known)
        return DenseFeatures(np.hypot(distances, self.resolution))

    def _column(self, item_set: ItemSet, name: str, read: Callable[[Any], Any]) -> list[Any]:
        """Return what is read of each value of a column, None where it is missing."""
        if not len(item_set):
            return []
        found = []
        values = column_of(item_set.items, name, "CitationFeatures", FeatureError)
        for number, value in enumerate(values):
            try:
                found.append(None if is_missing(value) else read(value))
            except TypeError as error:
                raise FeatureError(f"{name} of item {number} is {value!r}; {error}") from error
        return found


def parse_authors(text: str) -> list[str]:
    """Return the authors that a citation names, each as surname and given names, in lower case.

    Names are parted by semicolons, "and", "&" and commas. A comma may also stand between a surname
    and given names or initials: it does behind a name of one word, unless the next is complete or
    all are single words, as in "Ash, Birch, and Cedar". Of names without comma the last word is the
    surname, with particles such as "van der", unless only initials follow the first. Given names
    stay as they are written, so that "a" and "ann" differ. Hyphens, apostrophes, years, "et al."
    and a title that was taken for a name ("A. Ash. Trees:") are dropped.

    >>> parse_authors("A. B. Ash, Cy Birch, and D. van Dyck.")
    ['ash a b', 'birch cy', 'van dyck d']
    >>> parse_authors("Ash, A.B., C. Birch & Cedar DE, et al. (1990)")
    ['ash a b', 'birch c', 'cedar d e']
    """
    separate = _INITIALS.sub(r"\1 \2", _TITLE.sub("", normalize("NFKC", text)))
    cleaned = _NO_NAMES.sub(" ", _BROKEN_OR_JOINED.sub("", separate.casefold()))
    named = _REMARK.sub(lambda found: " " if found[1] else found[0], cleaned)
    split = (_words_by_comma(part) for part in _BETWEEN_NAMES.split(named))
    parts = [part for part in split if part]
    single = all(len(words) == 1 < len(words[0]) for part in parts for words in part)
    if single and len(parts) > 1 and len(parts[-1]) == 1:
        return [words[0] for part in parts for words in part]
    return [name for part in parts for name in _joined(part)]


def _words_by_comma(part: str) -> list[list[str]]:
    """Return the words of each text between commas; initials are words of one letter."""
    pieces = (_BETWEEN_WORDS.sub(" ", piece).split() for piece in part.split(","))
    return [piece for piece in pieces if piece]


def _joined(pieces: list[list[str]]) -> list[str]:
    """Join surnames with the given names behind their comma."""
    names: list[list[str]] = []
    lacks_given = False
    for words in pieces:
        # Initials alone are no name; what begins with one and goes on is another name.
        is_rest = all(len(word) == 1 for word in words) or (lacks_given and len(words[0]) > 1)
        if names and is_rest:
            names[-1] += words
            lacks_given = False
        else:
            lacks_given = _is_surname(words)
            names.append(_surname_first(words))
    return [" ".join(name) for name in names]


def _is_surname(words: list[str]) -> bool:
    return len(words[-1]) > 1 and all(word in _PARTICLES for word in words[:-1])


def _surname_first(words: list[str]) -> list[str]:
    """Turn the words of a name around, unless only initials follow the first."""
    if len(words[0]) > 1 and all(len(word) == 1 for word in words[1:]):
        return list(words)
    start = len(words) - 1
    while start and words[start - 1] in _PARTICLES:
        start -= 1
    return words[start:] + words[:start]


def _as_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("give a text, or None")
    return value


def _as_year(value: Any) -> float | None:
    if isinstance(value, str):
        found = _YEAR.search(value)
        return float(found.group()) if found else None
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise TypeError("give a number, a text, or None")
    return float(value) if np.isfinite(value) else None


def _cleaned(text: str | None) -> str | None:
    """Return the words of a text with a blank between, None where there are none."""
    if text is None:
        return None
    return _BETWEEN_WORDS.sub(" ", normalize("NFKC", text).casefold()).strip() or None


def _distinct(texts: list[str | None]) -> DistinctTexts:
    numbers: dict[str, int] = {}
    codes = [-1 if text is None else numbers.setdefault(text, len(numbers)) for text in texts]
    return DistinctTexts(tuple(numbers), np.array(codes, dtype=np.intp))


def _as_tens(years: list[float | None]) -> Floats:
    return np.array([np.nan if year is None else year / 10.0 for year in years], dtype=np.float64)


def _frequencies(venues: DistinctTexts) -> Floats:
    """Return the logarithm of how often the venue of each citation occurs, NaN without one."""
    counts = Counter(venues.codes.tolist())
    found = [np.nan if code < 0 else np.log10(counts[code]) for code in venues.codes.tolist()]
    return np.array(found, dtype=np.float64)


def _distances(encoded: EncodedCitations, listed: Pairs | None) -> Floats:
    """Return the seven distances of each pair, NaN where one of both lacks the field."""
    n_items = len(encoded.numbers)
    n_pairs = count_pairs(n_items, listed)
    refuse_unwritable((n_pairs, len(COLUMNS)), n_pairs * len(COLUMNS))
    columns = np.empty((n_pairs, len(COLUMNS)))
    for rows in row_blocks(n_pairs, 1):
        pairs = _pairs_of(rows, n_items) if listed is None else listed[rows]
        for column, texts in enumerate(encoded.texts):
            columns[rows, column] = _edit_distances(texts, pairs)
        first, second = encoded.numbers[pairs[:, 0]], encoded.numbers[pairs[:, 1]]
        columns[rows, len(TEXTS) :] = np.abs(first - second)
    np.minimum(columns, MOST, out=columns)
    return columns


def _pairs_of(rows: slice, n_items: int) -> Pairs:
    return pairs_at(np.arange(rows.start, rows.stop), n_items)


def _edit_distances(texts: DistinctTexts, pairs: Pairs) -> Floats:
    """Return the normalised edit distance of each pair, in a table of all texts if that is less."""
    first, second = texts.codes[pairs].T
    known = (first >= 0) & (second >= 0)
    found = np.full(len(pairs), np.nan)
    if len(texts.texts) ** 2 <= TABLE_SHARE * len(pairs):
        table = cdist(texts.texts, texts.texts, scorer=normalized_distance, dtype=np.float64)
        found[known] = table[first[known], second[known]]
    else:
        own = np.array(texts.texts, dtype=object)
        one, other = own[first[known]], own[second[known]]
        found[known] = cpdist(one, other, scorer=normalized_distance, dtype=np.float64)
    return found
