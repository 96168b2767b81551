"""Progress of long work: bars on a terminal, lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, repeat
from threading import Event, Thread
from typing import TYPE_CHECKING, TypeAlias

import coterie
from coterie._core.texts import one_line, time_text
from coterie.cli.interrupts import stop_if_requested

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

    from coterie._core.progress import Progress as Step

Show: TypeAlias = "Callable[[Step], None]"

PAUSES = (5.0, 10.0, 15.0)
EVERY = 30.0
"""Seconds before each of the first lines, and between all later lines."""


@contextmanager
def bars(processes: int = 1) -> Iterator[None]:
    """Show the progress of the work inside on standard error, with an estimate of the time left.

    Parameters
    ----------
    processes
        Number of steps that run at the same time, for a better estimate.
    """
    from rich.console import Console

    console = Console(stderr=True)
    display = _bars(console, processes) if console.is_terminal else _lines(processes)
    with display as show:

        def show_unless_stopped(step: "Step") -> None:
            stop_if_requested()
            show(step)

        with coterie.progress(show_unless_stopped):
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
    ) as display:
        tasks: dict[str, TaskID] = {}

        def show(step: "Step") -> None:
            if step.task not in tasks:
                left = _TimeLeft(processes)
                tasks[step.task] = display.add_task(step.task, left=left, detail="")
            task = tasks[step.task]
            display.tasks[display.task_ids.index(task)].fields["left"].update(step)
            display.update(task, completed=step.done, total=step.total, detail=step.detail)

        yield show


class _TimeLeft:
    """The time left of a task, as a text that is up to date whenever it is printed."""

    def __init__(self, processes: int) -> None:
        self.estimate = TimeEstimate(processes)
        self.start = time.monotonic()

    def update(self, step: "Step") -> None:
        self.estimate.update(step.done, step.total, time.monotonic())

    def __str__(self) -> str:
        left = self.estimate.left(time.monotonic())
        if left is None:
            return ""
        return f"about {time_text(left)} left" if left >= 1 else "nearly done"


@contextmanager
def _lines(processes: int) -> Iterator[Show]:
    """Write a line from time to time about the first unfinished task and a part of it."""
    latest: dict[str, tuple[Step, _TimeLeft]] = {}
    ended = Event()

    def show(step: "Step") -> None:
        left = latest[step.task][1] if step.task in latest else _TimeLeft(processes)
        left.update(step)
        latest[step.task] = step, left

    def write() -> None:
        for pause in chain(PAUSES, repeat(EVERY)):
            if ended.wait(pause):
                return
            unfinished = [
                (step, left) for step, left in list(latest.values()) if step.done != step.total
            ]
            if unfinished:
                with suppress(OSError):  # progress is not worth an error
                    sys.stderr.write("; ".join(_line(*task) for task in unfinished[:2]) + "\n")
                    sys.stderr.flush()

    thread = Thread(target=write, daemon=True)
    thread.start()
    try:
        yield show
    finally:
        ended.set()
        thread.join()


def _line(step: "Step", left: _TimeLeft) -> str:
    """Return the state of a task: "choose: 2 of 40 (boosted), 3 s so far, about 57 s left"."""
    of = "" if step.total is None else f" of {step.total}"
    elapsed = time_text(time.monotonic() - left.start)
    detail = f" ({one_line(step.detail, 40)})" if step.detail else ""
    parts = [f"{step.task}: {step.done}{of}{detail}", f"{elapsed} so far", str(left)]
    return ", ".join(part for part in parts if part)


@dataclass
class TimeEstimate:
    """An estimate of the time left of a task whose steps take about the same time.

    Several steps may run at the same time; when one of them ends, the others are half done on
    average. Steps that the first report counts as done are ignored: they are from an earlier run.

    Parameters
    ----------
    processes
        Number of steps that run at the same time.

    Examples
    --------
    >>> estimate = TimeEstimate()
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
        """Take a report; one with fewer steps done, or another total, starts a new task."""
        if self.started is None or total != self.total or done < self.done:
            self.before, self.started = done, now
        self.done, self.total, self.updated = done, total, now

    def left(self, now: float) -> float | None:
        """Return the seconds left; None if they are unknown.

        They are unknown before the first step ends, and when the last step takes longer than
        all steps before it.
        """
        new = self.done - self.before
        if self.started is None or self.total is None or not new:
            return None
        to_do = self.total - self.done
        finished = new + (max(min(self.processes, to_do), 1) - 1) / 2
        at_update = (self.updated - self.started) * to_do / finished
        # If a step takes longer than those before it, assume that it ends now.
        if_one_ends_now = (now - self.started) * (to_do - 1) / (finished + 1)
        left = max(at_update - (now - self.updated), if_one_ends_now)
        if left <= 0.0 and to_do:
            return None
        return max(left, 0.0)
