"""Bars that show how far long work has come."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import coterie

if TYPE_CHECKING:
    from rich.progress import TaskID

    from coterie._progress import Progress as Step


@contextmanager
def bars() -> Iterator[None]:
    """Show on standard error how far the work inside has come."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[detail]}"),
    )
    console = Console(stderr=True)
    with Progress(
        *columns,
        console=console,
        transient=True,
        redirect_stdout=False,  # it may go to a file
        disable=not console.is_terminal,
    ) as shown:
        tasks: dict[str, TaskID] = {}

        def show(step: "Step") -> None:
            if step.task not in tasks:
                tasks[step.task] = shown.add_task(step.task, total=step.total, detail="")
            shown.update(
                tasks[step.task], completed=step.done, total=step.total, detail=step.detail
            )

        with coterie.progress(show):
            yield
