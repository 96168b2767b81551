"""Statistics of the table at hand: the numbers of its rows, tokens and scored pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie._core.arrays import read_only
from coterie._core.files import FileName
from coterie._core.plain import EXACT
from coterie._core.texts import pluralize, quote
from coterie._saving import load_value, save_value
from coterie.exceptions import CoterieError, InputError
from coterie.features.kinds.counts import RecordCounts, RowCounts
from coterie.features.records import RecordFeatures

STEPS, LARGEST_SCORE = 16, 20
"""The number of bins of the histogram per unit of the score, and the score from which on all pairs
are in one bin."""

EDGES = read_only(np.arange(-STEPS * LARGEST_SCORE, STEPS * LARGEST_SCORE + 1) / STEPS)
"""The ascending scores that divide the bins of the histogram, the same for every table."""

N_BINS = len(EDGES) + 1
"""The number of bins: bin k holds the scores from edge k - 1 up to, but not including, edge k."""


@dataclass(frozen=True, eq=False, repr=False)
class TableStatistics:
    """Counts of the rows, tokens and pairs of a table, from which a model predicts.

    How rare a word is, and how many pairs belong together, differs from table to table. So a model
    counts the rows of the table that it groups, or is given their counts. These are all that
    prediction takes from rows other than those of a pair and of its cluster. They depend on the
    rows, and neither on their order, nor on ids, nor on must-link and cannot-link pairs. All are
    whole numbers, so that the counts of parts of a table add up to those of the table.

    Parameters
    ----------
    kinds
        The compared columns, and the name of the kind of each.
    n_rows
        The number of rows.
    n_different
        The number of rows without copies: rows that are equal in all compared columns count once. A
        blank row, whose compared cells are all empty, has no copies.
    tokens
        Of each column and, if there are several, of the whole record: for each family of tokens of
        the kind, such as words, the number of rows that have each token, without copies of rows.
    histogram
        The number of scored candidate pairs of different rows by their scores, in `N_BINS` bins
        whose edges are `EDGES`. A score of 0 or more is above the first edge of its bin, or equal.

    Examples
    --------
    >>> statistics = TableStatistics({"name": "short"}, n_rows=3, n_different=2)
    >>> statistics.with_scores([-30.0, 0.0, 0.06]).merge(statistics)
    TableStatistics(6 rows, 4 different, 3 pairs of 1 column)
    """

    kinds: Mapping[str, str]
    n_rows: int = 0
    n_different: int = 0
    tokens: Sequence[Mapping[str, RowCounts]] = ()
    histogram: NDArray[np.int64] = field(default_factory=lambda: np.zeros(N_BINS, dtype=np.int64))

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", _checked_kinds(self.kinds))
        for name in ("n_rows", "n_different"):
            count = getattr(self, name)
            if type(count) is not int or not 0 <= count <= EXACT:
                raise InputError(f"{name} is {quote(str(count))}; give a number of rows")
        if self.n_different > self.n_rows:
            raise InputError(f"n_different is {self.n_different}, but there are {self.n_rows} rows")
        object.__setattr__(self, "tokens", self._checked_tokens())
        histogram = np.asarray(self.histogram)
        if histogram.dtype != np.int64 or histogram.shape != (N_BINS,):
            raise InputError(f"the histogram must be {N_BINS} whole numbers of 64 bits")
        if np.any(histogram < 0) or np.any(histogram > EXACT):
            raise InputError("the histogram has a count below 0, or one that is too large")
        object.__setattr__(self, "histogram", read_only(histogram))

    def _checked_tokens(self) -> tuple[dict[str, RowCounts], ...]:
        n_columns = len(self.kinds)
        sizes = {0, n_columns + (n_columns > 1)}
        columns = self.tokens if isinstance(self.tokens, list | tuple) else (None,)
        if len(columns) not in sizes or not all(isinstance(c, Mapping) for c in columns):
            raise InputError("tokens must be counts by family for each column and whole record")
        for family, counts in (entry for column in columns for entry in column.items()):
            if not isinstance(family, str) or not isinstance(counts, RowCounts):
                raise InputError("tokens must be counts by the names of the families of tokens")
            if counts.n_rows_with.max(initial=0) > self.n_different:
                raise InputError("more rows have a token than there are different rows")
        return tuple(dict(column) for column in columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the compared columns."""
        return tuple(self.kinds)

    @cached_property
    def n_pairs(self) -> int:
        """The number of scored candidate pairs of different rows."""
        return int(self.histogram.sum())

    @property
    def counts(self) -> RecordCounts:
        """The counts of tokens, which say how rare words are."""
        return RecordCounts(self.n_different, tuple(self.tokens))

    def with_scores(self, scores: ArrayLike) -> Self:
        """Return the statistics with the scores of further pairs.

        >>> TableStatistics({"name": "short"}).with_scores([0.0, 1.5]).n_pairs
        2
        """
        bins = np.searchsorted(EDGES, np.asarray(scores, dtype=np.float64), side="right")
        counts = np.bincount(bins, minlength=N_BINS)
        return replace(self, histogram=self.histogram + counts.astype(np.int64))

    def merge(self, other: "TableStatistics") -> Self:
        """Return the statistics of two parts of a table together.

        Copies of a row must be in one part, for example because rows are divided by a hash of their
        cells; otherwise they would count twice. Pairs of rows in different parts are in neither
        histogram. To have all, merge the counts of the parts, score the pairs with these, and add
        the scores by `with_scores`.
        """
        if not isinstance(other, TableStatistics):
            raise InputError(f"{quote(str(other))} is not a TableStatistics")
        if self.kinds != other.kinds:
            raise InputError(
                "the statistics are of columns of different names or kinds; merge statistics of "
                "one model"
            )
        parts = [part.tokens for part in (self, other) if part.tokens]
        return type(self)(
            self.kinds,
            self.n_rows + other.n_rows,
            self.n_different + other.n_different,
            reduce(_merge_tokens, parts) if parts else (),
            self.histogram + other.histogram,
        )

    __add__ = merge

    def refuse_other_columns(self, kinds: Mapping[str, str], features: RecordFeatures) -> None:
        """Refuse statistics that are not of the columns and kinds of a model."""
        families = [set(kind.families) for kind in features.kinds]
        if dict(kinds) != self.kinds or [set(column) for column in self.tokens] != families:
            raise InputError(
                f"the statistics are of the columns {_described(self.kinds)}, but the model "
                f"compares {_described(kinds)}; give statistics that this model has computed"
            )

    def save(self, path: FileName) -> None:
        """Write the statistics to one file, completely or not at all; equal ones, equal bytes.

        The file holds hashes of all words of the table; whoever has it can find out by trying
        whether a word occurs.
        """
        save_value(path, self, _CLASSES.get)

    @classmethod
    def load(cls, path: FileName) -> Self:
        """Read statistics from a file, which may come from anybody: no code in it is run."""
        try:
            value = load_value(path, _CLASSES.get)
        except CoterieError as error:
            raise InputError(f"this is not a file of statistics: {error}") from error
        if not isinstance(value, cls):
            raise InputError(f"{path}: the file holds something else; give a file of statistics")
        return value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TableStatistics) and (
            (self.kinds, self.n_rows, self.n_different, self.tokens)
            == (other.kinds, other.n_rows, other.n_different, other.tokens)
            and np.array_equal(self.histogram, other.histogram)
        )

    def __hash__(self) -> int:
        return hash((self.columns, self.n_rows, self.n_different, self.n_pairs))

    def __repr__(self) -> str:
        rows, pairs = pluralize(self.n_rows, "row"), pluralize(self.n_pairs, "pair")
        columns = pluralize(len(self.kinds), "column")
        return f"TableStatistics({rows}, {self.n_different:,} different, {pairs} of {columns})"


_CLASSES: dict[str, type] = {"TableStatistics": TableStatistics, "RowCounts": RowCounts}
"""The classes that a file of statistics may contain."""


def _checked_kinds(kinds: Any) -> dict[str, str]:
    entries = kinds.items() if isinstance(kinds, Mapping) else ()
    if not entries or not all(isinstance(text, str) for entry in entries for text in entry):
        raise InputError("kinds must map the name of each compared column to the name of its kind")
    return dict(kinds)


def _merge_tokens(
    first: Sequence[Mapping[str, RowCounts]], second: Sequence[Mapping[str, RowCounts]]
) -> tuple[dict[str, RowCounts], ...]:
    if [set(column) for column in first] != [set(column) for column in second]:
        raise InputError("the statistics have different families of tokens; merge those of a model")
    return tuple(
        {family: counts.merge(others[family]) for family, counts in column.items()}
        for column, others in zip(first, second, strict=True)
    )


def _described(kinds: Mapping[str, str]) -> str:
    return quote(", ".join(f"{name}: {kind}" for name, kind in kinds.items()), 200)
