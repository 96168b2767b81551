"""The times at which this process compiles, and deadlines that leave them out."""

from collections.abc import Callable
from math import inf
from time import monotonic
from typing import NamedTuple

WORTH_A_MESSAGE = 1.0
"""Seconds of compiling after which a message is worth it; one small function takes less."""


class Compilation:
    """The times at which this process compiled.

    Numba compiles in one thread at a time, and one function while it compiles another, so that
    starts and ends are nested. Only the outermost are counted.

    Examples
    --------
    >>> compilation = Compilation()
    >>> compilation.start(now=10.0), compilation.end(now=12.0)
    (None, None)
    >>> compilation.start(now=20.0)
    >>> compilation.seconds_since(11.0, now=23.0)
    4.0
    """

    def __init__(self) -> None:
        self.spans: list[tuple[float, float]] = []
        self.starts: list[float] = []
        self._tell: Callable[[], None] | None = None

    def tell_once(self, tell: Callable[[], None] | None) -> None:
        """Call a function once, when compiling begins to take time; None calls none."""
        self._tell = tell

    def start(self, now: float | None = None) -> None:
        """Note that compiling begins."""
        self.starts.append(monotonic() if now is None else now)
        self._tell_if_long(self.starts[-1])

    def end(self, now: float | None = None) -> None:
        """Note that the compiling that began last has ended."""
        end = monotonic() if now is None else now
        start = self.starts.pop()
        if not self.starts:
            self.spans.append((start, end))
        self._tell_if_long(end)

    def seconds_since(self, moment: float, now: float | None = None) -> float:
        """Return the seconds of compiling since a moment of `time.monotonic`."""
        spans = list(self.spans)
        if self.starts:
            spans.append((self.starts[0], monotonic() if now is None else now))
        return sum(max(end - max(start, moment), 0.0) for start, end in spans)

    def _tell_if_long(self, now: float) -> None:
        tell = self._tell
        if tell is not None and self.seconds_since(0.0, now) >= WORTH_A_MESSAGE:
            self._tell = None
            tell()


compilation = Compilation()
"""The compilation of this process."""


class Deadline(NamedTuple):
    """The end of a number of seconds, in which seconds of compiling in this process do not count.

    `start` is a moment of `time.monotonic`, which is the same in all processes of a machine.
    """

    start: float = 0.0
    seconds: float = inf

    def has_passed(self) -> bool:
        """Return whether the seconds are over."""
        if self.seconds == inf:
            return False
        return monotonic() - self.start - compilation.seconds_since(self.start) > self.seconds


NEVER = Deadline()
"""The deadline that never passes."""
