"""Supervised clustering: learn from example partitions how to cluster new item sets."""

from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = [
    "ItemSet",
    "PairScores",
    "Partition",
    "as_item_set",
    "as_partition",
    "checks",
    "clusterers",
    "datasets",
    "exceptions",
    "features",
    "losses",
    "metrics",
    "objectives",
    "progress",
]

if TYPE_CHECKING:
    from coterie import checks as checks
    from coterie import clusterers as clusterers
    from coterie import datasets as datasets
    from coterie import exceptions as exceptions
    from coterie import features as features
    from coterie import losses as losses
    from coterie import metrics as metrics
    from coterie import objectives as objectives
    from coterie._progress import progress as progress
    from coterie.items import ItemSet as ItemSet
    from coterie.items import as_item_set as as_item_set
    from coterie.pairs import PairScores as PairScores
    from coterie.partition import Partition as Partition
    from coterie.partition import as_partition as as_partition
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "": [
                "checks",
                "clusterers",
                "datasets",
                "exceptions",
                "features",
                "losses",
                "metrics",
                "objectives",
            ],
            "_progress": ["progress"],
            "items": ["ItemSet", "as_item_set"],
            "pairs": ["PairScores"],
            "partition": ["Partition", "as_partition"],
        },
    )
