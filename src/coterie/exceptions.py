"""The errors that Coterie raises on purpose.

::

    CoterieError
    └── InputError (also a ValueError)      something given by the user cannot be used
        ├── ItemSetError                    items, ids or a number of clusters that do not fit
        ├── FeatureError                    ragged, missing, infinite or non-numeric features
        ├── PairError                       pairs or pair scores that do not fit the items
        ├── PartitionError                  labels, clusters or links that are no partition
        └── MetricError                     a metric asked for what it does not define

Each message says where the fault is and what to do about it.
"""

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = [
    "CoterieError",
    "FeatureError",
    "InputError",
    "InterruptedWarning",
    "ItemSetError",
    "MetricError",
    "PairError",
    "PartitionError",
]


class CoterieError(Exception):
    """Any error that Coterie raises on purpose."""


class InputError(CoterieError, ValueError):
    """Something given by the user cannot be used."""


class ItemSetError(InputError):
    """Items, ids or a number of clusters do not fit together."""


class FeatureError(InputError):
    """Features are ragged, missing, infinite or not numbers."""


class PairError(InputError):
    """Pairs or pair scores do not fit the items."""


class PartitionError(InputError):
    """Labels, clusters or links do not describe a partition of the items."""


class MetricError(InputError):
    """A metric was asked for something that it does not define."""


class InterruptedWarning(UserWarning):
    """Long work was stopped by the user, and gave the best that it had."""


@contextmanager
def located(place: str) -> Iterator[None]:
    """Put `place` in front of the message of any `InputError` raised inside.

    >>> with located("item set 3"):
    ...     raise FeatureError("row 0 has a NaN")
    Traceback (most recent call last):
    coterie.exceptions.FeatureError: item set 3: row 0 has a NaN
    """
    try:
        yield
    except InputError as error:
        raise type(error)(f"{place}: {error}") from error.__cause__
