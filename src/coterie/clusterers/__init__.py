"""Clustering algorithms: frozen callables from `PairScores` to `Partition`."""

from typing import TYPE_CHECKING

__all__ = ["Greedy", "LocalSearch", "Solution"]

if TYPE_CHECKING:
    from coterie.clusterers._base import Solution as Solution
    from coterie.clusterers.greedy import Greedy as Greedy
    from coterie.clusterers.local_search import LocalSearch as LocalSearch
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "_base": ["Solution"],
            "greedy": ["Greedy"],
            "local_search": ["LocalSearch"],
        },
    )
