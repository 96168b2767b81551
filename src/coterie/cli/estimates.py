"""How long work will go on, by what is done of it."""

from dataclasses import dataclass


@dataclass
class Estimate:
    """An estimate of the time that is left, of steps that take about as long as each other.

    Steps are done side by side by some processes, so that when one of them ends, the others are
    half done on the average. What the first report tells of counts for nothing: it was kept from
    an earlier run.

    Parameters
    ----------
    processes
        How many steps are worked at, side by side.

    Examples
    --------
    >>> estimate = Estimate()
    >>> for done, now in [(90, 0.0), (91, 2.0), (92, 4.0)]:
    ...     estimate.update(done, 100, now)
    >>> estimate.left(4.0), estimate.left(5.0)
    (16.0, 15.0)
    """

    processes: int = 1
    done: int = 0
    total: int | None = None
    before: int = 0
    started: float | None = None
    updated: float = 0.0

    def update(self, done: int, total: int | None, now: float) -> None:
        """Take a report; one of fewer steps, or of another total, starts other work."""
        if self.started is None or total != self.total or done < self.done:
            self.before, self.started = done, now
        self.done, self.total, self.updated = done, total, now

    def left(self, now: float) -> float | None:
        """Return how many seconds are left, None where nothing can be said.

        That is so before the first step ends, and where the last takes longer than all before it.
        """
        new = self.done - self.before
        if self.started is None or self.total is None or not new:
            return None
        to_do = self.total - self.done
        finished = new + (max(min(self.processes, to_do), 1) - 1) / 2
        at_update = (self.updated - self.started) * to_do / finished
        # Where a step takes longer than those before it, it counts as one that ends now.
        later = (now - self.started) * (to_do - 1) / (finished + 1)
        left = max(at_update - (now - self.updated), later)
        if left <= 0.0 and to_do:
            return None
        return max(left, 0.0)
