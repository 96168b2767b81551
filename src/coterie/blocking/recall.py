"""The recall of blocking keys: the share of the true pairs that are candidate pairs."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from coterie._core.arrays import Pairs
from coterie.blocking.union import Union
from coterie.items import ItemSet
from coterie.partition import Partition


class Recall(NamedTuple):
    """The share of true pairs that are candidates, or that candidate true pairs connect."""

    pairs: float
    connected: float


def recall_of(keys: Union, item_sets: Sequence[ItemSet], truths: Sequence[Partition]) -> Recall:
    """Return the recall of all pairs of item sets, as the keys cap the pairs of large blocks.

    >>> from coterie.blocking import WholeValue
    >>> people = ItemSet({"town": ["Ulm"] * 9})
    >>> recall_of(Union([WholeValue("town")], max_block=5), [people], [Partition([0] * 9)])
    Recall(pairs=0.8333333333333334, connected=1.0)
    """
    n_candidates = n_connected = n_true = 0.0
    for item_set, truth in zip(item_sets, truths, strict=True):
        pairs = keys.listed(item_set).pairs
        true_pairs = pairs[truth.together(pairs)]
        n_candidates += len(true_pairs)
        n_connected += _n_connected(true_pairs, len(truth))
        n_true += float((truth.sizes * (truth.sizes - 1.0)).sum()) / 2.0
    return Recall(n_candidates / n_true, n_connected / n_true) if n_true else Recall(1.0, 1.0)


def _n_connected(pairs: Pairs, n_items: int) -> float:
    """Count the pairs of items that chains of pairs connect."""
    graph = sp.csr_array((np.ones(len(pairs)), pairs.T), shape=(n_items, n_items))
    sizes = np.bincount(connected_components(graph, directed=False)[1], minlength=1)
    return float((sizes * (sizes - 1.0)).sum()) / 2.0
