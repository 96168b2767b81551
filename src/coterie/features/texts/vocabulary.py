"""Vocabularies: the words of training texts, their counts in other texts, and their idf."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from coterie._core.arguments import as_floats, as_whole
from coterie._core.arrays import Floats
from coterie._core.values import Value
from coterie.exceptions import FeatureError
from coterie.features.columns import is_missing

_WORD = re.compile(r"\w\w+")


def as_texts(values: Iterable[Any], name: str) -> list[str]:
    """Check that the values of a column are texts; missing ones become empty.

    >>> as_texts(["a bird", None], "text")
    ['a bird', '']
    """
    texts = ["" if is_missing(value) else value for value in values]
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise FeatureError(
                f"{name} of item {i} is {text!r}, not a string; give a string, or None if it is "
                "missing"
            )
    return texts


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case, without those of a single character.

    >>> split_words("Is it a bird? It's Superman!")
    ['is', 'it', 'bird', 'it', 'superman']
    """
    return _WORD.findall(text.lower())


@dataclass(frozen=True, eq=False)
class Vocabulary(Value):
    """A list of words with the inverse document frequency of each; other words are ignored.

    Parameters
    ----------
    words
        Distinct words.
    idf
        The inverse document frequency of each word, above 0: the rarer the word, the larger.

    Examples
    --------
    >>> vocabulary = Vocabulary.learned(["to be or not to be", "to do is to be", "do be do"])
    >>> vocabulary.words, vocabulary.idf.round(2)
    (('be', 'do', 'to'), array([1.  , 1.29, 1.29]))
    >>> vocabulary.counts(["to be is to do", "or else"]).toarray()
    array([[1., 1., 2.],
           [0., 0., 0.]])
    """

    words: tuple[str, ...]
    idf: Floats

    def __post_init__(self) -> None:
        words, idf = tuple(self.words), as_floats("idf", self.idf, FeatureError)
        if len(set(words)) < len(words) or not all(isinstance(word, str) for word in words):
            raise FeatureError("words must be distinct strings; give each word once")
        if idf.shape != (len(words),) or not np.all((idf > 0) & np.isfinite(idf)):
            raise FeatureError(
                f"idf has shape {idf.shape} for {len(words)} words; give one finite number above "
                "0 per word"
            )
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "idf", idf)

    @classmethod
    def learned(cls, texts: Iterable[str], min_texts: int = 2) -> Self:
        """Learn the words that occur in at least `min_texts` texts, the most frequent first.

        A word that occurs in df of n texts has the idf 1 + ln((1 + n) / (1 + df)).
        """
        text_counts: Counter[str] = Counter()
        n_texts = 0
        for text in texts:
            text_counts.update(set(split_words(text)))
            n_texts += 1
        min_count = as_whole("min_texts", min_texts, 1)
        frequent = sorted((-n, word) for word, n in text_counts.items() if n >= min_count)
        frequencies = np.array([-negated for negated, _ in frequent], dtype=np.float64)
        return cls(
            tuple(word for _, word in frequent), 1.0 + np.log((1.0 + n_texts) / (1.0 + frequencies))
        )

    def __len__(self) -> int:
        return len(self.words)

    def counts(self, texts: Iterable[str]) -> Any:
        """Count the words of the vocabulary in each text: a `csr_array` of texts × words."""
        indices = self._indices
        rows = [[indices[word] for word in split_words(text) if word in indices] for text in texts]
        starts = np.cumsum([0, *map(len, rows)])
        columns = np.fromiter(chain.from_iterable(rows), np.intp, starts[-1])
        ones = np.ones(len(columns))
        counts = sp.csr_array((ones, columns, starts), shape=(len(rows), len(self)))
        counts.sum_duplicates()
        return counts

    def tfidf(self, counts: Any) -> Any:
        """Return (1 + ln count) · idf of the words, with each non-empty text scaled to length 1."""
        weights = (1.0 + np.log(counts.data)) * self.idf[counts.indices]
        matrix = sp.csr_array((weights, counts.indices, counts.indptr), shape=counts.shape)
        lengths = np.sqrt(np.asarray(matrix.power(2).sum(axis=1)).ravel())
        # Only texts without words have length 0, and these have no weights to divide.
        matrix.data /= np.repeat(lengths, np.diff(matrix.indptr))
        return matrix

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}
