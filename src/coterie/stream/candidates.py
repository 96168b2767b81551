"""Candidate rules: which earlier items a new item of a stream may be linked to.

With every rule except `EveryEarlier`, the time per item does not grow with the length of the
stream. The memory does not grow either, except for `LatestOfKeys` without a window.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from coterie._core.arguments import as_real, as_whole
from coterie._core.values import Value
from coterie._types import Blocker
from coterie.blocking import AllPairs, SharedKeys, Window
from coterie.exceptions import InputError
from coterie.stream._trackers import (
    EVERY,
    KeyTracker,
    NearestTracker,
    TimeTracker,
    Tracker,
    WindowTracker,
)


class CandidateRule(Value, ABC):
    """A frozen value that decides which earlier items are candidates for a new item."""

    @abstractmethod
    def tracker(self) -> Tracker:
        """Return a tracker for a new stream."""


@dataclass(frozen=True)
class EveryEarlier(CandidateRule):
    """Every earlier item is a candidate, as `blocking.AllPairs` does for item sets.

    All items are remembered, and the time per item grows with the length of the stream.

    Examples
    --------
    >>> EveryEarlier()
    EveryEarlier()
    """

    def tracker(self) -> Tracker:
        """Return a tracker for a new stream."""
        return WindowTracker(EVERY)


@dataclass(frozen=True)
class Latest(CandidateRule):
    """The last n items are candidates, as `blocking.Window` does for item sets.

    Parameters
    ----------
    n
        The number of items that are remembered.

    Examples
    --------
    >>> Latest(20)
    Latest(n=20)
    """

    n: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", as_whole("n", self.n, 1))

    def tracker(self) -> Tracker:
        """Return a tracker for a new stream."""
        return WindowTracker(self.n)


@dataclass(frozen=True)
class LatestInTime(CandidateRule):
    """Those of the last n items are candidates whose time differs by at most `span`.

    Items may arrive late, so that a candidate may have an earlier or a later time. An item without
    a time has no candidates and is never a candidate.

    Parameters
    ----------
    column
        The name of the column of times: numbers, or dates and times such as `datetime`, in UTC
        unless they have a time zone.
    span
        The largest time difference: a number, or a `timedelta` for dates and times.
    n
        The number of items that are remembered, however close in time they are.

    Examples
    --------
    >>> LatestInTime("sent", timedelta(hours=2), n=500).n
    500
    """

    column: str
    span: float | timedelta
    n: int

    def __post_init__(self) -> None:
        if not isinstance(self.column, str):
            raise InputError(
                f"`column` is {self.column!r}; give the name of the column that holds the times"
            )
        if not isinstance(self.span, timedelta):
            object.__setattr__(self, "span", as_real("span", self.span))
        elif self.span < timedelta(0):
            raise InputError(f"span is {self.span!r}; give a timedelta of at least 0")
        object.__setattr__(self, "n", as_whole("n", self.n, 1))

    def tracker(self) -> Tracker:
        """Return a tracker for a new stream."""
        return TimeTracker(self.n, self.column, self.span)


@dataclass(frozen=True)
class LatestOfKeys(CandidateRule):
    """The latest items that share a value of one of the named columns are candidates.

    As in `blocking.SharedKeys`, every value is a key, or every token of a value that is a list;
    missing values are not keys. Only items that are among the latest n of a key are remembered.
    Without a window, their number grows with the number of distinct keys.

    Parameters
    ----------
    columns
        The names of the columns.
    n
        The number of candidates per key, the latest ones; this also bounds frequent keys.
    window
        The number of last items that may be candidates; None means all items.

    Examples
    --------
    >>> LatestOfKeys(["name", "town"], n=10, window=100_000).columns
    ('name', 'town')
    """

    columns: Sequence[str]
    n: int
    window: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", SharedKeys(self.columns).columns)
        object.__setattr__(self, "n", as_whole("n", self.n, 1))
        if self.window is not None:
            object.__setattr__(self, "window", as_whole("window", self.window, 1))

    def tracker(self) -> Tracker:
        """Return a tracker for a new stream."""
        return KeyTracker(self.columns, self.n, self.window)


@dataclass(frozen=True)
class NearestOfLatest(CandidateRule):
    """Those of the last items are candidates whose vectors are nearest by cosine.

    Ties are resolved in favour of earlier items. A zero vector has no candidates and is never a
    candidate. Unlike in `blocking.NearestNeighbours`, an earlier item is not a candidate merely
    because the new item is among its neighbours.

    Parameters
    ----------
    n_neighbours
        The number of nearest items that are candidates.
    window
        The number of items that are remembered.

    Examples
    --------
    >>> NearestOfLatest(5, window=1000)
    NearestOfLatest(n_neighbours=5, window=1000)
    """

    n_neighbours: int
    window: int

    def __post_init__(self) -> None:
        count = as_whole("n_neighbours", self.n_neighbours, 1)
        object.__setattr__(self, "n_neighbours", count)
        object.__setattr__(self, "window", as_whole("window", self.window, 1))

    def tracker(self) -> Tracker:
        """Return a tracker for a new stream."""
        return NearestTracker(self.n_neighbours, self.window)


def rule_of(blocker: Blocker) -> CandidateRule:
    """Return the candidate rule that corresponds to a blocker.

    >>> rule_of(Window(3))
    Latest(n=3)
    """
    if isinstance(blocker, AllPairs):
        return EveryEarlier()
    if isinstance(blocker, Window):
        return Latest(blocker.n)
    if isinstance(blocker, SharedKeys):
        return LatestOfKeys(blocker.columns, blocker.max_block - 1)
    raise InputError(
        f"the model's blocker is {blocker!r}, which needs later items too; give a candidate rule, "
        "such as candidates=NearestOfLatest(20, window=1000)"
    )
