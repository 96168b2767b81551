"""What this process has compiled: how long that took, and whom to tell that it has begun."""

from collections.abc import Callable
from time import monotonic

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


def seconds_learning(since: float) -> float:
    """Return the seconds since a moment of `time.monotonic`, without those of compiling."""
    return monotonic() - since - compilation.seconds_since(since)
