"""Trackers: what a stream remembers of earlier items to list the candidates of new items."""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from math import isqrt
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from coterie._core.arrays import Floats, Ints
from coterie._kernels.linking.streams import nearest_items
from coterie.blocking import directions
from coterie.exceptions import ItemSetError
from coterie.features.columns import is_missing, tokens_of
from coterie.stream._rows import ItemRows, Records, SparseVectors, Vectors

Key: TypeAlias = tuple[str, Any]
"""The name of a column and a value of it."""

MOST_ITEMS = 1024
"""The largest number of new items in a block."""

MOST_PAIRS = 2**18
"""The approximate number of pairs that are scored in one block."""

MOST_COSINES = 2**21
"""The approximate number of cosines that are computed in one block."""

EVERY = 2**62
"""A window that no stream exceeds."""


class CandidateLists(NamedTuple):
    """The indices of the candidates of new items: those of i at `starts[i]:starts[i + 1]`."""

    starts: Ints
    indices: Ints


class MemoryUpdate(NamedTuple):
    """Changes of what a stream remembers.

    `new` are the positions in the block of the items to remember, `forgotten` the indices in the
    stream of the items to forget.
    """

    new: Collection[int]
    forgotten: Collection[int]


class Tracker(ABC):
    """Follows a stream in blocks: `list_candidates` for new items, then `commit` adds them.

    `first` is the index of the first new item. Without `commit`, the state does not change.
    """

    @abstractmethod
    def block_size(self, first: int) -> int:
        """Return the largest number of new items in the next block."""

    @abstractmethod
    def list_candidates(self, first: int, rows: ItemRows) -> CandidateLists:
        """List the candidates of new items among all items before them, in ascending order."""

    @abstractmethod
    def commit(self, first: int, rows: ItemRows) -> MemoryUpdate:
        """Add the items that `list_candidates` was called with, and say what to remember."""


class WindowTracker(Tracker):
    """Tracks the last n items, which are all candidates."""

    def __init__(self, n: int) -> None:
        self.n = min(n, EVERY)

    def block_size(self, first: int) -> int:
        return _block_size(MOST_PAIRS, min(self.n, max(first, isqrt(MOST_PAIRS))))

    def list_candidates(self, first: int, rows: ItemRows) -> CandidateLists:
        items = np.arange(first, first + len(rows))
        counts = np.minimum(items, self.n)
        starts = _starts(counts)
        indices = np.arange(starts[-1]) + np.repeat(items - counts - starts[:-1], counts)
        return CandidateLists(starts, indices)

    def commit(self, first: int, rows: ItemRows) -> MemoryUpdate:
        low = max(first + len(rows) - self.n, 0)
        forgotten = range(max(first - self.n, 0), min(low, first))
        return MemoryUpdate(range(max(low - first, 0), len(rows)), forgotten)


class TimeTracker(WindowTracker):
    """Candidates are those of the last n items whose times differ by at most `span`."""

    def __init__(self, n: int, column: str, span: float | timedelta) -> None:
        super().__init__(n)
        self.column, self.span = column, span
        self.times = self.uncommitted_times = np.empty(0)

    def list_candidates(self, first: int, rows: ItemRows) -> CandidateLists:
        new_times = as_times(self.column, column_of(rows, self.column), self.span)
        self.uncommitted_times = np.concatenate([self.times, new_times])
        starts, indices = super().list_candidates(first, rows)
        span = self.span / MICROSECOND if isinstance(self.span, timedelta) else self.span
        positions = np.repeat(np.arange(len(rows)), np.diff(starts))
        times = self.uncommitted_times[indices - (first - len(self.times))]
        is_near = np.abs(new_times[positions] - times) <= span
        counts = np.bincount(positions[is_near], minlength=len(rows))
        return CandidateLists(_starts(counts), indices[is_near])

    def commit(self, first: int, rows: ItemRows) -> MemoryUpdate:
        self.times = self.uncommitted_times[-self.n :].copy()
        return super().commit(first, rows)


class NearestTracker(WindowTracker):
    """Candidates are those of the last `window` items that are nearest by cosine."""

    def __init__(self, n_neighbours: int, window: int) -> None:
        super().__init__(window)
        self.n_neighbours = n_neighbours
        self.units: Any = None
        """The vectors of the last items, without zero vectors, scaled to length 1."""
        self.indices: Ints = np.empty(0, dtype=np.intp)
        """The indices of their items in the stream."""
        self.uncommitted: tuple[Any, Ints] = self.units, self.indices

    def block_size(self, first: int) -> int:
        # A block is smaller than the window, as its items are compared with each other too.
        limit = max(self.n // 2, 64)
        return min(limit, _block_size(MOST_COSINES, max(min(self.n, first), isqrt(MOST_COSINES))))

    def list_candidates(self, first: int, rows: ItemRows) -> CandidateLists:
        new_units, positions = directions(_matrix(rows))
        indices = np.concatenate([self.indices, first + positions])
        units = new_units if self.units is None else _stack(self.units, new_units)
        self.uncommitted = units, indices
        cosines = new_units @ units.T
        if sp.issparse(cosines):
            cosines = cosines.toarray()
        window_starts = np.searchsorted(indices, first + positions - self.n)
        n_nearest, nearest = nearest_items(
            cosines, window_starts, len(self.indices), self.n_neighbours
        )
        counts = np.zeros(len(rows), dtype=np.intp)
        counts[positions] = n_nearest
        return CandidateLists(_starts(counts), indices[nearest])

    def commit(self, first: int, rows: ItemRows) -> MemoryUpdate:
        units, indices = self.uncommitted
        start = int(np.searchsorted(indices, first + len(rows) - self.n))
        self.units, self.indices = units[start:].copy(), indices[start:].copy()
        return super().commit(first, rows)


class KeyTracker(Tracker):
    """Candidates share a key: the latest n items of each key among the last `window` items."""

    def __init__(self, columns: Sequence[str], n: int, window: int | None) -> None:
        self.columns, self.n, self.window = columns, n, window
        self.latest: dict[Key, list[int]] = {}
        """The latest items of each key, in ascending order."""
        self.uncommitted: dict[Key, list[int]] = {}
        """The latest items of the keys of the current block."""
        self.keys: dict[int, set[Key]] = {}
        """For each remembered item, the keys of which it is among the latest."""
        self.oldest = 0

    def block_size(self, first: int) -> int:
        n_candidates = min(self.n * len(self.columns), max(first, isqrt(MOST_PAIRS)))
        return _block_size(MOST_PAIRS, n_candidates)

    def list_candidates(self, first: int, rows: ItemRows) -> CandidateLists:
        self.uncommitted = {}
        indices: list[int] = []
        counts = []
        for item, keys in enumerate(keys_of(rows, self.columns), first):
            candidates = self._add_item(item, keys)
            indices += candidates
            counts.append(len(candidates))
        return CandidateLists(_starts(np.array(counts)), np.array(indices, dtype=np.intp))

    def _add_item(self, item: int, keys: Collection[Key]) -> list[int]:
        """Append a new item to the latest items of its keys, and return those before it."""
        candidates: set[int] = set()
        for key in keys:
            latest = self.uncommitted.get(key)
            if latest is None:
                latest = self.uncommitted[key] = self.latest.get(key, []).copy()
            start = 0 if self.window is None else bisect_left(latest, item - self.window)
            candidates.update(latest[start:])
            latest.append(item)
            del latest[: -self.n]
        return sorted(candidates)

    def commit(self, first: int, rows: ItemRows) -> MemoryUpdate:
        stop = first + len(rows)
        forgotten = self._commit_latest(first)
        low = 0 if self.window is None else stop - self.window
        forgotten += [item for item in range(self.oldest, low) if self._expire(item)]
        self.oldest = max(self.oldest, low)
        new = [item - first for item in range(max(first, low), stop) if item in self.keys]
        return MemoryUpdate(new, [item for item in forgotten if item < first])

    def _commit_latest(self, first: int) -> list[int]:
        """Take over the uncommitted items, and return those that no key needs any longer."""
        forgotten = []
        for key, latest in self.uncommitted.items():
            former = self.latest.get(key, [])
            for item in former[: bisect_left(former, latest[0])]:
                self.keys[item].remove(key)
                if not self.keys[item]:
                    del self.keys[item]
                    forgotten.append(item)
            for item in latest[bisect_left(latest, first) :]:
                self.keys.setdefault(item, set()).add(key)
        self.latest |= self.uncommitted
        return forgotten

    def _expire(self, item: int) -> bool:
        """Forget the oldest item, which left the window; return whether it was remembered."""
        keys = self.keys.pop(item, set())
        for key in keys:
            del self.latest[key][0]
            if not self.latest[key]:
                del self.latest[key]
        return bool(keys)


# Candidates as arrays.


def _block_size(max_total: int, n_per_item: int) -> int:
    """Return the number of items per block: with `n_per_item` each, at most `max_total` in all.

    It is at least 1, and at most MOST_ITEMS.
    """
    return max(1, min(MOST_ITEMS, max_total // n_per_item))


def _starts(counts: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)])


def _matrix(rows: ItemRows) -> Any:
    if not isinstance(rows, Vectors | SparseVectors):
        raise ItemSetError(
            f"NearestOfLatest compares vectors, but the items are {rows.kind}; give vectors, or "
            "another candidate rule"
        )
    return rows.items


def _stack(upper: Any, lower: Any) -> Any:
    if sp.issparse(upper):
        return sp.vstack([upper, lower], format="csr")
    return np.concatenate([upper, lower])


# Columns: keys and times.


def column_of(rows: ItemRows, name: str) -> list[Any]:
    """Return a column of records by its name."""
    if not isinstance(rows, Records):
        raise ItemSetError(
            f"the candidate rule reads the column {name!r}, but the items are {rows.kind}; give "
            "mappings of names to values, or another rule"
        )
    if name not in rows.items:
        names = ", ".join(rows.items)
        raise ItemSetError(f"there is no column {name!r}; the columns are {names}")
    column: list[Any] = rows.items[name]
    return column


def keys_of(rows: ItemRows, names: Sequence[str]) -> Iterator[set[Key]]:
    """Yield the keys of each item: the names of columns with their tokens, without missing ones."""
    columns = [(name, column_of(rows, name)) for name in names]
    for position in range(len(rows)):
        keys: set[Key] = set()
        for name, column in columns:
            tokens = tokens_of(column[position])
            try:
                keys.update((name, token) for token in tokens if not is_missing(token))
            except (TypeError, ValueError) as error:
                raise ItemSetError(
                    f"column {name!r}, item {position}: {column[position]!r} cannot be a key; give "
                    "numbers, strings, or lists of them"
                ) from error
        yield keys


MICROSECOND = timedelta(microseconds=1)


def as_times(name: str, values: Sequence[Any], span: float | timedelta) -> Floats:
    """Return a column of numbers, or of dates and times in microseconds; NaN means missing."""
    convert = _microseconds if isinstance(span, timedelta) else _number
    times = np.full(len(values), np.nan)
    for position, value in enumerate(values):
        try:
            if not is_missing(value):
                times[position] = convert(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise ItemSetError(
                f"column {name!r}, item {position}: {value!r} does not fit a span of "
                f"{span!r}; use numbers in the column and a number as the span, or dates in "
                "the column and a timedelta as the span"
            ) from error
    return times


def _number(value: Any) -> float:
    if not isinstance(value, Real):
        raise TypeError
    return float(value)


def _microseconds(value: Any) -> float:
    if not isinstance(value, date | np.datetime64):
        raise TypeError
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    return float(np.datetime64(value, "us").astype(np.int64))
