"""A budget of processor time, for work whose length a file of somebody else decides."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import thread_time
from typing import NamedTuple

from coterie.exceptions import InputError


class _Budget(NamedTuple):
    """The seconds of a budget, and the time of this thread at which they are used up."""

    seconds: float
    end: float


_budget: ContextVar[_Budget | None] = ContextVar("coterie_budget", default=None)


@contextmanager
def time_budget(seconds: float) -> Iterator[None]:
    """Let `check_budget` raise an error once the work inside has taken so much processor time.

    >>> with time_budget(60):
    ...     check_budget()
    """
    token = _budget.set(_Budget(seconds, thread_time() + seconds))
    try:
        yield
    finally:
        _budget.reset(token)


def check_budget() -> None:
    """Raise an error if the budget of the work around the call is used up; call it in loops."""
    budget = _budget.get()
    if budget is not None and thread_time() > budget.end:
        raise InputError(f"it takes over {budget.seconds:g} seconds of processor time")
