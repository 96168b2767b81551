"""Rules of candidates: which earlier items a new item of a stream may be linked to.

All but `EveryEarlier` bound the work for an item and, but for keys without a window, what is
remembered, whatever the length of the stream.
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
    """A frozen value that says which earlier items are candidates of a new one."""

    @abstractmethod
    def tracker(self) -> Tracker:
        """Begin to follow a stream."""


@dataclass(frozen=True)
class EveryEarlier(CandidateRule):
    """Take every earlier item for a candidate, as in batch.

    Nothing is ever forgotten, and an item takes the longer, the later it comes.

    Examples
    --------
    >>> EveryEarlier()
    EveryEarlier()
    """

    def tracker(self) -> Tracker:
        """Begin to follow a stream."""
        return WindowTracker(EVERY)


@dataclass(frozen=True)
class Latest(CandidateRule):
    """Take the last n items for candidates, as `blocking.Window` does in batch.

    Parameters
    ----------
    n
        How many items are remembered.

    Examples
    --------
    >>> Latest(20)
    Latest(n=20)
    """

    n: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", as_whole("n", self.n, 1))

    def tracker(self) -> Tracker:
        """Begin to follow a stream."""
        return WindowTracker(self.n)


@dataclass(frozen=True)
class LatestInTime(CandidateRule):
    """Take for candidates, of the last n items, those whose time is near that of the new item.

    Items may come late: a time counts as near if it is at most `span` before or after. An item
    without a time has no candidates and is none.

    Parameters
    ----------
    column
        The name of the column of times: numbers, or moments (`datetime` and the like, in UTC where
        they do not say otherwise).
    span
        The longest time between two items: a number, or for moments a `timedelta`.
    n
        How many items are remembered, however close in time they are.

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
            raise InputError(f"column is {self.column!r}; give the name of the column of times")
        if not isinstance(self.span, timedelta):
            object.__setattr__(self, "span", as_real("span", self.span))
        elif self.span < timedelta(0):
            raise InputError(f"span is {self.span!r}; give a timedelta of at least 0")
        object.__setattr__(self, "n", as_whole("n", self.n, 1))

    def tracker(self) -> Tracker:
        """Begin to follow a stream."""
        return TimeTracker(self.n, self.column, self.span)


@dataclass(frozen=True)
class LatestOfKeys(CandidateRule):
    """Take for candidates the latest items that share a value of one of the named columns.

    Values are read as `blocking.SharedKeys` reads them: lists are several, what is missing is
    none. Only items that are the latest of some key are remembered. Without a window these grow
    with the number of different keys.

    Parameters
    ----------
    columns
        The names of the columns.
    n
        How many items of a key are candidates, the latest; a frequent key is not left out.
    window
        How many items back a candidate may be; None stands for any number.

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
        """Begin to follow a stream."""
        return KeyTracker(self.columns, self.n, self.window)


@dataclass(frozen=True)
class NearestOfLatest(CandidateRule):
    """Take for candidates the vectors that are nearest to the new one by cosine, of the last ones.

    Of equally near items the first count. A vector of zeros is near nothing. Unlike
    `blocking.NearestNeighbours`, an item is not paired with a later one that it is near to, unless
    it is among the nearest of that.

    Parameters
    ----------
    n_neighbours
        How many of the nearest are candidates.
    window
        How many items are remembered.

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
        """Begin to follow a stream."""
        return NearestTracker(self.n_neighbours, self.window)


def rule_of(blocker: Blocker) -> CandidateRule:
    """Return the rule that lists the pairs of a blocker, item by item.

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
        f"the model's blocker is {blocker!r}, which looks at later items too; say which earlier "
        "ones are candidates, such as candidates=NearestOfLatest(20, window=1000)"
    )
