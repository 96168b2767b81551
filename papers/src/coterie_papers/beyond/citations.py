"""Twenty-one columns that compare citations, where the seven distances of one paper are too few."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rapidfuzz.distance import JaroWinkler, Levenshtein
from rapidfuzz.fuzz import token_set_ratio
from rapidfuzz.process import cdist

from coterie.features.texts.citations import parse_authors
from coterie.features.texts.vocabulary import Vocabulary
from coterie.items import ItemSet
from coterie.pairs import upper_triangle
from coterie.toolkit import Bools, Floats

FIELDS = ("title", "author", "venue")
MOST_YEARS, MOST_AUTHORS = 5.0, 6.0
"""Larger differences are mostly misreadings."""

_SIGNS = re.compile(r"[^a-z0-9 ]+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"\d+")


def citation_columns(item_set: ItemSet) -> Floats:
    """Compare all pairs of citations.

    Title, author and venue by their edit distance, by the words in common and by their beginnings,
    and whether one of both lacks it; the first author; years, numbers of authors and how often a
    venue occurs by their differences; pages by common numbers; titles by their rare words.
    """
    fields = {name: _texts(item_set, name) for name in (*FIELDS, "year", "pages")}
    plain = {name: [_plain(text) for text in texts] for name, texts in fields.items()}
    columns = [matrix for name in FIELDS for matrix in _compared(plain[name])]
    columns += _authors(fields["author"])
    columns += _years(fields["year"])
    columns += [_apart(np.log1p(_counts(plain["venue"])))]
    columns += _pages(fields["pages"])
    columns += [_rare_words(plain["title"])]
    return np.column_stack([upper_triangle(matrix) for matrix in columns])


def _texts(item_set: ItemSet, name: str) -> list[str]:
    return [str(value or "") for value in item_set.items[name]]


def _plain(text: str) -> str:
    return _SIGNS.sub(" ", text.lower()).strip()


def _compared(texts: Sequence[str]) -> list[Floats]:
    lacks = np.array([not text for text in texts])
    return [
        _table(texts, Levenshtein.normalized_similarity),
        _table(texts, token_set_ratio) / 100.0,
        _table(texts, JaroWinkler.similarity),
        (lacks[:, None] | lacks).astype(np.float64),
    ]


def _table(texts: Sequence[str], scorer: Callable[..., Any]) -> Floats:
    table: Floats = cdist(texts, texts, scorer=scorer, dtype=np.float64)
    return table


def _authors(texts: Sequence[str]) -> list[Floats]:
    """Compare the first authors, and the numbers of authors."""
    named = [parse_authors(text) for text in texts]
    firsts = [names[0] if names else "" for names in named]
    counts = np.array([float(len(names)) for names in named])
    return [_table(firsts, JaroWinkler.similarity), np.minimum(_apart(counts), MOST_AUTHORS)]


def _years(texts: Sequence[str]) -> list[Floats]:
    found = (_YEAR.search(text) for text in texts)
    apart = _apart(np.array([float(year[0]) if year else np.nan for year in found]))
    unknown = np.isnan(apart)
    return [
        np.where(unknown, 1.0, np.minimum(apart, MOST_YEARS)),
        unknown.astype(np.float64),
        (apart == 0.0).astype(np.float64),
    ]


def _pages(texts: Sequence[str]) -> list[Floats]:
    """Say whether numbers of pages are common, and whether both have some but no common ones."""
    numbers = [set(_NUMBER.findall(text)) for text in texts]
    known: Bools = np.array([bool(own) for own in numbers])
    common = np.array([[bool(own & other) for other in numbers] for own in numbers])
    return [common.astype(np.float64), (known[:, None] & known & ~common).astype(np.float64)]


def _rare_words(titles: Sequence[str]) -> Floats:
    vocabulary = Vocabulary.learned(titles, min_texts=1)
    vectors = vocabulary.tfidf(vocabulary.counts(titles))
    cosines: Floats = (vectors @ vectors.T).toarray()
    return cosines


def _counts(texts: Sequence[str]) -> Floats:
    counted = Counter(texts)
    return np.array([float(counted[text]) for text in texts])


def _apart(numbers: Floats) -> Floats:
    apart: Floats = np.abs(numbers[:, None] - numbers)
    return apart
