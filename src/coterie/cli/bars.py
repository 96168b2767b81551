"""What shows how far long work has come: bars on a terminal, lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, repeat
from threading import Event, Thread
from typing import TYPE_CHECKING, TypeAlias

import coterie
from coterie._core.texts import one_line, time_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

    from coterie._core.progress import Progress as Step

Show: TypeAlias = "Callable[[Step], None]"

PAUSES = (5.0, 10.0, 15.0)
EVERY = 30.0
"""Seconds before the first lines, and between all later ones."""


@contextmanager
def bars(processes: int = 1) -> Iterator[None]:
    """Show on standard error how far the work inside has come, and how long it will go on.

    Parameters
    ----------
    processes
        How many steps are worked at, side by side; it makes the estimate a better one.
    """
    from rich.console import Console

    console = Console(stderr=True)
    shown = _bars(console, processes) if console.is_terminal else _lines(processes)
    with shown as show, coterie.progress(show):
        yield


@contextmanager
def _bars(console: "Console", processes: int) -> Iterator[Show]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        TextColumn("[dim]{task.fields[detail]}"),
    )
    with Progress(
        *columns,
        console=console,
        transient=True,
        redirect_stdout=False,  # it may go to a file
    ) as shown:
        tasks: dict[str, TaskID] = {}

        def show(step: "Step") -> None:
            if step.task not in tasks:
                left = _Left(processes)
                tasks[step.task] = shown.add_task(step.task, left=left, detail="")
            task = tasks[step.task]
            shown.tasks[shown.task_ids.index(task)].fields["left"].update(step)
            shown.update(task, completed=step.done, total=step.total, detail=step.detail)

        yield show


class _Left:
    """The time that is left of a task, written out anew at each look."""

    def __init__(self, processes: int) -> None:
        self.estimate = Estimate(processes)
        self.first = time.monotonic()

    def update(self, step: "Step") -> None:
        self.estimate.update(step.done, step.total, time.monotonic())

    def __str__(self) -> str:
        left = self.estimate.left(time.monotonic())
        if left is None:
            return ""
        return f"about {time_text(left)} left" if left >= 1 else "soon done"


@contextmanager
def _lines(processes: int) -> Iterator[Show]:
    """Write a line from time to time, of the first task that goes on and one that is part of it."""
    told: dict[str, tuple[Step, _Left]] = {}
    ended = Event()

    def show(step: "Step") -> None:
        left = told[step.task][1] if step.task in told else _Left(processes)
        left.update(step)
        told[step.task] = step, left

    def write() -> None:
        for pause in chain(PAUSES, repeat(EVERY)):
            if ended.wait(pause):
                return
            going_on = [each for each in list(told.values()) if each[0].done != each[0].total]
            if going_on:
                sys.stderr.write("; ".join(_line(*each) for each in going_on[:2]) + "\n")
                sys.stderr.flush()

    thread = Thread(target=write, daemon=True)
    thread.start()
    try:
        yield show
    finally:
        ended.set()
        thread.join()


def _line(step: "Step", left: _Left) -> str:
    """Write where a task stands: "choose: 2 of 40 (boosted pairs), 3 s gone, about 57 s left"."""
    of = "" if step.total is None else f" of {step.total}"
    gone = time_text(time.monotonic() - left.first)
    detail = f" ({one_line(step.detail, 40)})" if step.detail else ""
    parts = [f"{step.task}: {step.done}{of}{detail}", f"{gone} gone", str(left)]
    return ", ".join(part for part in parts if part)


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
