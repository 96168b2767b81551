"""Statistics of the values of a column, from which its kind is inferred."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coterie._core.texts import plain_text

SEPARATED = re.compile(r"[;|]")


@dataclass(frozen=True, eq=False)
class Profile:
    """The distinct values of a column that are not blank, with the number of rows of each."""

    counts: Counter[str]

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Profile":
        """Count the values of a column."""
        return cls(Counter(text for text in texts if text.strip()))

    @cached_property
    def n_rows(self) -> int:
        """The number of rows with a value."""
        return sum(self.counts.values())

    def share(self, condition: Callable[[str], object]) -> float:
        """Return the share of rows whose value meets a condition."""
        if not self.n_rows:
            return 0.0
        return sum(n for text, n in self.counts.items() if condition(text)) / self.n_rows

    def mean(self, measure: Callable[[str], float]) -> float:
        """Return the mean over rows of a measure of the value."""
        if not self.n_rows:
            return 0.0
        return sum(n * measure(text) for text, n in self.counts.items()) / self.n_rows

    @cached_property
    def n_words(self) -> float:
        """The mean number of words per value."""
        return self.mean(lambda text: len(plain_text(text).split()))

    @cached_property
    def length(self) -> float:
        """The mean number of characters per value."""
        return self.mean(len)

    @cached_property
    def with_digits(self) -> float:
        """The share of rows whose value has a digit."""
        return self.share(_has_digit)

    @cached_property
    def words_with_digits(self) -> float:
        """The mean share of words with a digit among the words of a value."""
        return self.mean(_digit_share)

    @cached_property
    def separated(self) -> float:
        """The share of rows whose value has a separator: a semicolon or a bar."""
        return self.share(SEPARATED.search)

    @cached_property
    def n_repeats(self) -> float:
        """The mean number of rows per distinct value."""
        return self.n_rows / max(len(self.counts), 1)

    @cached_property
    def width_spread(self) -> float:
        """The standard deviation over rows of the number of characters."""
        lengths = np.array([len(text) for text in self.counts])
        weights = np.array(list(self.counts.values()), dtype=np.float64)
        if not len(lengths):
            return 0.0
        mean = np.average(lengths, weights=weights)
        return float(np.sqrt(np.average((lengths - mean) ** 2, weights=weights)))


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _digit_share(text: str) -> float:
    words = plain_text(text).split()
    return sum(map(_has_digit, words)) / max(len(words), 1)
