"""Partitions as cells keep them, and what is passed over while they are computed."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from coterie.partition import Partition


def texts_of(partitions: Sequence[Partition]) -> list[str]:
    """Write partitions as a cell keeps them."""
    return [" ".join(map(str, partition.labels.tolist())) for partition in partitions]


def partitions_of(texts: Sequence[str]) -> list[Partition]:
    """Read partitions as a cell keeps them."""
    return [Partition([int(label) for label in text.split()]) for text in texts]


@contextmanager
def quiet() -> Iterator[None]:
    """Pass over what did not converge, and keep threads of BLAS from waiting for each other."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
