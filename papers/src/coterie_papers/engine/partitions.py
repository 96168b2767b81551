"""Partitions as texts in cells, and the settings under which they are computed."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from coterie.partition import Partition


def texts_of(partitions: Sequence[Partition]) -> list[str]:
    """Write partitions as texts for a cell: the labels of each, with blanks between them."""
    return [" ".join(map(str, partition.labels.tolist())) for partition in partitions]


def partitions_of(texts: Sequence[str]) -> list[Partition]:
    """Read partitions that `texts_of` wrote."""
    return [Partition([int(label) for label in text.split()]) for text in texts]


@contextmanager
def quiet() -> Iterator[None]:
    """Silence convergence warnings, and limit BLAS to one thread.

    Cells run in several processes, whose BLAS threads would compete for the cores.
    """
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
