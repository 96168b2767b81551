"""Twenty-one features of pairs of citations, where the seven distances of one paper are too few."""

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

MAX_YEARS, MAX_AUTHORS = 5.0, 6.0
"""The largest differences of years and of numbers of authors; larger ones are mostly errors."""

_SIGNS = re.compile(r"[^a-z0-9 ]+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"\d+")


def citation_features(item_set: ItemSet) -> Floats:
    """Compare all pairs of citations, with one row per pair.

    Title, author and venue are compared by edit distance, common words and common beginnings, with
    a column that says whether one of the two is empty. The first authors are compared by name, and
    titles by their rare words. Years, numbers of authors and frequencies of venues are compared by
    their differences, and pages by common numbers.
    """
    texts_by_field = {name: _texts(item_set, name) for name in (*FIELDS, "year", "pages")}
    plain_texts = {
        name: [_plain_text(text) for text in texts] for name, texts in texts_by_field.items()
    }
    matrices = [matrix for name in FIELDS for matrix in _compare_texts(plain_texts[name])]
    matrices += _compare_authors(texts_by_field["author"])
    matrices += _compare_years(texts_by_field["year"])
    matrices += [_differences(np.log1p(_counts(plain_texts["venue"])))]
    matrices += _compare_pages(texts_by_field["pages"])
    matrices += [_compare_rare_words(plain_texts["title"])]
    return np.column_stack([upper_triangle(matrix) for matrix in matrices])


def _texts(item_set: ItemSet, name: str) -> list[str]:
    return [str(value or "") for value in item_set.items[name]]


def _plain_text(text: str) -> str:
    return _SIGNS.sub(" ", text.lower()).strip()


def _compare_texts(texts: Sequence[str]) -> list[Floats]:
    is_empty = np.array([not text for text in texts])
    return [
        _matrix(texts, Levenshtein.normalized_similarity),
        _matrix(texts, token_set_ratio) / 100.0,
        _matrix(texts, JaroWinkler.similarity),
        (is_empty[:, None] | is_empty).astype(np.float64),
    ]


def _matrix(texts: Sequence[str], scorer: Callable[..., Any]) -> Floats:
    """Return the matrix of the similarities of all texts."""
    matrix: Floats = cdist(texts, texts, scorer=scorer, dtype=np.float64)
    return matrix


def _compare_authors(texts: Sequence[str]) -> list[Floats]:
    """Compare the first authors, and the numbers of authors."""
    authors = [parse_authors(text) for text in texts]
    first_authors = [names[0] if names else "" for names in authors]
    counts = np.array([float(len(names)) for names in authors])
    return [
        _matrix(first_authors, JaroWinkler.similarity),
        np.minimum(_differences(counts), MAX_AUTHORS),
    ]


def _compare_years(texts: Sequence[str]) -> list[Floats]:
    """Return the differences of years, and whether a year is missing or the years are equal."""
    matches = (_YEAR.search(text) for text in texts)
    years = np.array([float(match[0]) if match else np.nan for match in matches])
    differences = _differences(years)
    is_missing = np.isnan(differences)
    return [
        np.where(is_missing, 1.0, np.minimum(differences, MAX_YEARS)),
        is_missing.astype(np.float64),
        (differences == 0.0).astype(np.float64),
    ]


def _compare_pages(texts: Sequence[str]) -> list[Floats]:
    """Return whether two citations have a common page number, and whether all numbers differ.

    The latter is False if a citation has no page number.
    """
    numbers = [set(_NUMBER.findall(text)) for text in texts]
    has_pages: Bools = np.array([bool(pages) for pages in numbers])
    in_common = np.array([[bool(pages & other) for other in numbers] for pages in numbers])
    differ = has_pages[:, None] & has_pages & ~in_common
    return [in_common.astype(np.float64), differ.astype(np.float64)]


def _compare_rare_words(titles: Sequence[str]) -> Floats:
    """Return the cosines of the TF-IDF vectors of titles, in which rare words weigh most."""
    vocabulary = Vocabulary.learned(titles, min_texts=1)
    vectors = vocabulary.tfidf(vocabulary.counts(titles))
    cosines: Floats = (vectors @ vectors.T).toarray()
    return cosines


def _counts(texts: Sequence[str]) -> Floats:
    """Return the frequency of each text."""
    counts = Counter(texts)
    return np.array([float(counts[text]) for text in texts])


def _differences(numbers: Floats) -> Floats:
    """Return the matrix of the absolute differences of all numbers."""
    differences: Floats = np.abs(numbers[:, None] - numbers)
    return differences
