"""Clustering algorithms: frozen callables from `PairScores` to `Partition`."""

from typing import TYPE_CHECKING

__all__ = ["Solution"]

if TYPE_CHECKING:
    from coterie.clusterers._base import Solution as Solution
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "_base": ["Solution"],
        },
    )
