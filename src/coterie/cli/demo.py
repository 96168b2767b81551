"""`coterie demo`."""

from typing import Annotated

import typer


def demo(
    rows: Annotated[
        int, typer.Option(min=1, max=2000, help="How many records to make in each set.")
    ] = 400,
    seed: Annotated[int, typer.Option(help="The seed of the records.")] = 0,
) -> None:
    """Learn from messy person records which are of one person, and cluster new ones."""
    from rich.console import Console

    from coterie.demo import compare_learners

    Console().print(compare_learners(rows, seed))
