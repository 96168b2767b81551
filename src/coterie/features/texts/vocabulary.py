"""The words of texts: which are known, how often each occurs, and how rare it is."""

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
    """Take the texts of a column, empty where one is missing.

    >>> as_texts(["a bird", None], "text")
    ['a bird', '']
    """
    texts = ["" if is_missing(value) else value for value in values]
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise FeatureError(f"{name} of item {number} is {text!r}; give a text, or None")
    return texts


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case; those of one character are left out.

    >>> split_words("Is it a bird? It's Superman!")
    ['is', 'it', 'bird', 'it', 'superman']
    """
    return _WORD.findall(text.lower())


@dataclass(frozen=True, eq=False)
class Vocabulary(Value):
    """Know some words and how rare each is; all others are ignored.

    Parameters
    ----------
    words
        The words, each once.
    idf
        The inverse document frequency of each, above 0: the rarer, the larger.

    Examples
    --------
    >>> known = Vocabulary.learned(["to be or not to be", "to do is to be", "do be do"])
    >>> known.words, known.idf.round(2)
    (('be', 'do', 'to'), array([1.  , 1.29, 1.29]))
    >>> known.counts(["to be is to do", "or else"]).toarray()
    array([[1., 1., 2.],
           [0., 0., 0.]])
    """

    words: tuple[str, ...]
    idf: Floats

    def __post_init__(self) -> None:
        words, idf = tuple(self.words), as_floats("idf", self.idf, FeatureError)
        if len(set(words)) < len(words) or not all(isinstance(word, str) for word in words):
            raise FeatureError("words must be different texts; give each once")
        if idf.shape != (len(words),) or not np.all((idf > 0) & np.isfinite(idf)):
            raise FeatureError(
                f"idf has shape {idf.shape} for {len(words)} words; give one finite number above "
                "0 for each"
            )
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "idf", idf)

    @classmethod
    def learned(cls, texts: Iterable[str], min_texts: int = 2) -> Self:
        """Learn the words that at least so many texts have, those of the most texts first.

        Of n texts, a word that df have gets the idf 1 + ln((1 + n) / (1 + df)).
        """
        found: Counter[str] = Counter()
        n_texts = 0
        for text in texts:
            found.update(set(split_words(text)))
            n_texts += 1
        least = as_whole("min_texts", min_texts, 1)
        frequent = sorted((-count, word) for word, count in found.items() if count >= least)
        frequencies = np.array([-count for count, _ in frequent], dtype=np.float64)
        return cls(
            tuple(word for _, word in frequent), 1.0 + np.log((1.0 + n_texts) / (1.0 + frequencies))
        )

    def __len__(self) -> int:
        return len(self.words)

    def counts(self, texts: Iterable[str]) -> Any:
        """Count the known words of each text: a `csr_array` of texts × words."""
        known = self._numbers
        rows = [[known[word] for word in split_words(text) if word in known] for text in texts]
        starts = np.cumsum([0, *map(len, rows)])
        numbers = np.fromiter(chain.from_iterable(rows), np.intp, starts[-1])
        parts = np.ones(len(numbers)), numbers, starts
        counts = sp.csr_array(parts, shape=(len(rows), len(self)))
        counts.sum_duplicates()
        return counts

    def tfidf(self, counts: Any) -> Any:
        """Weight counts by (1 + ln count) · idf, each text then of length 1 (0 without words)."""
        weights = (1.0 + np.log(counts.data)) * self.idf[counts.indices]
        matrix = sp.csr_array((weights, counts.indices, counts.indptr), shape=counts.shape)
        lengths = np.sqrt(np.asarray(matrix.power(2).sum(axis=1)).ravel())
        # Only texts without words have length 0, and they have no weights to divide.
        matrix.data /= np.repeat(lengths, np.diff(matrix.indptr))
        return matrix

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}
