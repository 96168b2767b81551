"""The errors that Coterie raises on purpose.

::

    CoterieError
    └── InputError (also a ValueError)      an input that cannot be used
        ├── ItemSetError                    items, ids or n_clusters that do not fit together
        ├── FeatureError                    ragged, missing, infinite or non-numeric features
        ├── PairError                       pairs or pair scores that do not fit the items
        ├── PartitionError                  labels, clusters or links that are not a partition
        └── MetricError                     a metric that is not defined for its inputs

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
    "LeakWarning",
    "MetricError",
    "PairError",
    "PartitionError",
]


class CoterieError(Exception):
    """Base class of all errors that Coterie raises on purpose."""


class InputError(CoterieError, ValueError):
    """An input cannot be used."""


class ItemSetError(InputError):
    """Items, their ids or `n_clusters` do not fit together."""


class FeatureError(InputError):
    """Features are ragged, missing, infinite or not numbers."""


class PairError(InputError):
    """Pairs or pair scores do not fit the items."""


class PartitionError(InputError):
    """Labels, clusters or links do not describe a partition of the items."""


class MetricError(InputError):
    """A metric is not defined for its inputs."""


class InterruptedWarning(UserWarning):
    """A long computation was interrupted and returned its best result so far."""


class LeakWarning(UserWarning):
    """A column of a training table may give the true clusters away."""


@contextmanager
def located(place: str) -> Iterator[None]:
    """Prefix the message of any `InputError` raised inside the block with `place`.

    >>> with located("item set 3"):
    ...     raise FeatureError("row 0 has a NaN")
    Traceback (most recent call last):
    coterie.exceptions.FeatureError: item set 3: row 0 has a NaN
    """
    try:
        yield
    except InputError as error:
        raise type(error)(f"{place}: {error}") from error.__cause__
