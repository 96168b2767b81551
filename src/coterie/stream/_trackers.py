"""What a stream must know of earlier items to list the candidates of new ones."""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from math import isqrt
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from coterie._core.arrays import Bools, Floats, Ints
from coterie._kernels.linking.streams import nearest_items
from coterie.blocking import directions
from coterie.exceptions import ItemSetError
from coterie.features.columns import is_missing, tokens_of
from coterie.stream._rows import Records, Rows, SparseVectors, Vectors

Key: TypeAlias = tuple[str, Any]
"""The name of a column and a value of it."""

MOST_ITEMS = 1024
"""How many new items are looked at together, at most."""

MOST_PAIRS = 2**18
"""How many pairs are scored together, about, …"""

MOST_COSINES = 2**21
"""… and how many cosines are computed together."""

EVERY = 2**62
"""A window that no stream exceeds."""


class Found(NamedTuple):
    """The candidates of new items, by their numbers: those of i at `starts[i]:starts[i + 1]`."""

    starts: Ints
    lefts: Ints


class Kept(NamedTuple):
    """The places of the new items that must be remembered, and earlier items that need not be."""

    places: Collection[int]
    forgotten: Collection[int]


class Tracker(ABC):
    """Follows a stream: `look` lists candidates of new items, and `keep` takes these for seen.

    `first` is the number of the first new item. A `look` without `keep` leaves no trace.
    """

    @abstractmethod
    def n_together(self, first: int) -> int:
        """Say how many new items can be looked at together."""

    @abstractmethod
    def look(self, first: int, rows: Rows) -> Found:
        """List the candidates of new items among all before them, in ascending order."""

    @abstractmethod
    def keep(self, first: int, rows: Rows) -> Kept:
        """Say what to remember, after `look`."""


class WindowTracker(Tracker):
    """Candidates are among the last n items."""

    def __init__(self, n: int) -> None:
        self.n = min(n, EVERY)

    def n_together(self, first: int) -> int:
        return _height(MOST_PAIRS, min(self.n, max(first, isqrt(MOST_PAIRS))))

    def look(self, first: int, rows: Rows) -> Found:
        numbers = np.arange(first, first + len(rows))
        counts = np.minimum(numbers, self.n)
        starts = _starts(counts)
        lefts = np.arange(starts[-1]) + np.repeat(numbers - counts - starts[:-1], counts)
        return Found(starts, lefts)

    def keep(self, first: int, rows: Rows) -> Kept:
        low = max(first + len(rows) - self.n, 0)
        forgotten = range(max(first - self.n, 0), min(low, first))
        return Kept(range(max(low - first, 0), len(rows)), forgotten)


class TimeTracker(WindowTracker):
    """Candidates are those of the last n items whose times are at most `span` away."""

    def __init__(self, n: int, column: str, span: float | timedelta) -> None:
        super().__init__(n)
        self.column, self.span = column, span
        self.times = self.latest = np.empty(0)

    def look(self, first: int, rows: Rows) -> Found:
        own = as_times(self.column, column_of(rows, self.column), self.span)
        self.latest = np.concatenate([self.times, own])
        starts, lefts = super().look(first, rows)
        span = self.span / MICROSECOND if isinstance(self.span, timedelta) else self.span
        owners = np.repeat(np.arange(len(rows)), np.diff(starts))
        seen = self.latest[lefts - (first - len(self.times))]
        return _only(owners, lefts, np.abs(own[owners] - seen) <= span, len(rows))

    def keep(self, first: int, rows: Rows) -> Kept:
        self.times = self.latest[-self.n :].copy()
        return super().keep(first, rows)


class NearestTracker(WindowTracker):
    """Candidates are those of the last `window` items that are nearest by cosine."""

    def __init__(self, n_neighbours: int, window: int) -> None:
        super().__init__(window)
        self.n_neighbours = n_neighbours
        self.units: Any = None
        self.numbers: Ints = np.empty(0, dtype=np.intp)
        self.latest: tuple[Any, Ints] = self.units, self.numbers

    def n_together(self, first: int) -> int:
        # New items are few beside those of the window, for all with all are compared.
        few = max(self.n // 2, 64)
        return min(few, _height(MOST_COSINES, max(min(self.n, first), isqrt(MOST_COSINES))))

    def look(self, first: int, rows: Rows) -> Found:
        own, which = directions(_matrix(rows))
        numbers = np.concatenate([self.numbers, first + which])
        units = own if self.units is None else _stacked(self.units, own)
        self.latest = units, numbers
        cosines = own @ units.T
        if sp.issparse(cosines):
            cosines = cosines.toarray()
        begins = np.searchsorted(numbers, first + which - self.n)
        counts, near = nearest_items(cosines, begins, len(self.numbers), self.n_neighbours)
        each = np.zeros(len(rows), dtype=np.intp)
        each[which] = counts
        return Found(_starts(each), numbers[near])

    def keep(self, first: int, rows: Rows) -> Kept:
        units, numbers = self.latest
        begin = int(np.searchsorted(numbers, first + len(rows) - self.n))
        self.units, self.numbers = units[begin:].copy(), numbers[begin:].copy()
        return super().keep(first, rows)


class KeyTracker(Tracker):
    """Candidates share a key: of each, the latest n that are among the last `window` items."""

    def __init__(self, columns: Sequence[str], n: int, window: int | None) -> None:
        self.columns, self.n, self.window = columns, n, window
        self.latest: dict[Key, list[int]] = {}
        self.fresh: dict[Key, list[int]] = {}
        self.keys: dict[int, set[Key]] = {}
        self.oldest = 0

    def n_together(self, first: int) -> int:
        return _height(MOST_PAIRS, min(self.n * len(self.columns), max(first, isqrt(MOST_PAIRS))))

    def look(self, first: int, rows: Rows) -> Found:
        self.fresh = {}
        found: list[int] = []
        counts = []
        for number, keys in enumerate(keys_of(rows, self.columns), first):
            own = self._sharing(number, keys)
            found += own
            counts.append(len(own))
        return Found(_starts(np.array(counts)), np.array(found, dtype=np.intp))

    def _sharing(self, number: int, keys: Collection[Key]) -> list[int]:
        """Return the latest items of some keys, and put a new item behind them."""
        sharing: set[int] = set()
        for key in keys:
            latest = self.fresh.get(key)
            if latest is None:
                latest = self.fresh[key] = self.latest.get(key, []).copy()
            begin = 0 if self.window is None else bisect_left(latest, number - self.window)
            sharing.update(latest[begin:])
            latest.append(number)
            del latest[: -self.n]
        return sorted(sharing)

    def keep(self, first: int, rows: Rows) -> Kept:
        stop = first + len(rows)
        forgotten = self._renew(first)
        low = 0 if self.window is None else stop - self.window
        forgotten += [number for number in range(self.oldest, low) if self._expire(number)]
        self.oldest = max(self.oldest, low)
        new = [number - first for number in range(max(first, low), stop) if number in self.keys]
        return Kept(new, [number for number in forgotten if number < first])

    def _renew(self, first: int) -> list[int]:
        """Take over what `look` found, and return items that are the latest of no key any more."""
        forgotten = []
        for key, latest in self.fresh.items():
            before = self.latest.get(key, [])
            for number in before[: bisect_left(before, latest[0])]:
                self.keys[number].remove(key)
                if not self.keys[number]:
                    del self.keys[number]
                    forgotten.append(number)
            for number in latest[bisect_left(latest, first) :]:
                self.keys.setdefault(number, set()).add(key)
        self.latest |= self.fresh
        return forgotten

    def _expire(self, number: int) -> bool:
        """Forget an item that is out of the window, the oldest of all; say if it was known."""
        keys = self.keys.pop(number, set())
        for key in keys:
            del self.latest[key][0]
            if not self.latest[key]:
                del self.latest[key]
        return bool(keys)


# Candidates as arrays.


def _height(most: int, n_each: int) -> int:
    """Return how many items of so many candidates each have no more than `most` in all."""
    return max(1, min(MOST_ITEMS, most // n_each))


def _starts(counts: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)])


def _only(owners: Ints, lefts: Ints, are_kept: Bools, n_items: int) -> Found:
    """Keep some of the candidates, listed by the places of their new items."""
    return Found(_starts(np.bincount(owners[are_kept], minlength=n_items)), lefts[are_kept])


def _matrix(rows: Rows) -> Any:
    if not isinstance(rows, Vectors | SparseVectors):
        raise ItemSetError(
            f"nearest items are found among vectors, but the items are {rows.kind}; give vectors, "
            "or another rule of candidates"
        )
    return rows.items


def _stacked(above: Any, below: Any) -> Any:
    if sp.issparse(above):
        return sp.vstack([above, below], format="csr")
    return np.concatenate([above, below])


# Columns: keys and times.


def column_of(rows: Rows, name: str) -> list[Any]:
    """Return a column of records by its name."""
    if not isinstance(rows, Records):
        raise ItemSetError(
            f"the rule of candidates asks for the column {name!r}, but the items are {rows.kind}; "
            "give mappings of names to values, or another rule"
        )
    if name not in rows.items:
        known = ", ".join(rows.items)
        raise ItemSetError(f"there is no column {name!r}; the columns are {known}")
    column: list[Any] = rows.items[name]
    return column


def keys_of(rows: Rows, names: Sequence[str]) -> Iterator[set[Key]]:
    """Yield the keys of each item: the tokens of its columns that are not missing."""
    columns = [(name, column_of(rows, name)) for name in names]
    for place in range(len(rows)):
        keys: set[Key] = set()
        for name, column in columns:
            own = tokens_of(column[place])
            try:
                keys.update((name, token) for token in own if not is_missing(token))
            except (TypeError, ValueError) as error:
                raise ItemSetError(
                    f"column {name!r}, item {place}: {column[place]!r} is no key; give numbers, "
                    "texts or lists of them"
                ) from error
        yield keys


MICROSECOND = timedelta(microseconds=1)


def as_times(name: str, values: Sequence[Any], span: float | timedelta) -> Floats:
    """Take a column of numbers, or of moments as microseconds; NaN stands for what is missing."""
    read = _moment if isinstance(span, timedelta) else _number
    times = np.full(len(values), np.nan)
    for place, value in enumerate(values):
        try:
            if not is_missing(value):
                times[place] = read(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise ItemSetError(
                f"column {name!r}, item {place}: {value!r} does not fit a span of {span!r}; give "
                "numbers and a number, or moments and a timedelta"
            ) from error
    return times


def _number(value: Any) -> float:
    if not isinstance(value, Real):
        raise TypeError
    return float(value)


def _moment(value: Any) -> float:
    if not isinstance(value, date | np.datetime64):
        raise TypeError
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    return float(np.datetime64(value, "us").astype(np.int64))
