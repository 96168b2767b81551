"""Metrics of edits: how many operations turn the prediction into the truth."""

import numpy as np

from coterie.metrics._matching import largest_matching
from coterie.metrics.contingency import Contingency
from coterie.metrics.metric import metric


@metric(greater_is_better=False, summable=False, same_items=True)
def cluster_edit_distance(table: Contingency) -> int:
    """Return the fewest moves, creates and merges that turn the prediction into the truth.

    A move puts one item into another cluster, a create makes it a new cluster, a merge unites two
    clusters; each costs 1, nothing splits a cluster at once, and the distance is not symmetric
    (Daumé & Marcu 2004). No items give 0.

    With s(h) the true cluster that a predicted cluster h becomes, it is the minimum over s of
    Σ_h (|h| − |h ∩ s(h)|) + (clusters h) − (clusters that s reaches). Sending h elsewhere than to a
    largest overlap costs as much as reaching one more cluster gains, so the minimum is a largest
    matching over the largest overlaps.

    >>> cluster_edit_distance([0, 0, 0, 1], [0, 0, 1, 1])
    1
    """
    largest = np.zeros(len(table.predicted_sizes), dtype=np.intp)
    np.maximum.at(largest, table.columns, table.counts)
    best = table.counts == largest[table.columns]
    reached = largest_matching(table.rows[best], table.columns[best])
    return int(table.n_shared - largest.sum()) + table.n_predicted_clusters - reached


@metric(greater_is_better=True, same_items=True)
def normalized_edit_score(table: Contingency) -> float:
    """Return NES = 1 − (CED(g, h) + CED(h, g)) / 2n, from 1/n to 1 (Daumé & Marcu 2004).

    No items give 1.

    >>> normalized_edit_score([0, 0, 0, 1], [0, 0, 1, 1])
    0.75
    """
    edits = cluster_edit_distance.from_table(table) + cluster_edit_distance.from_table(table.T)
    return 1.0 - edits / (2 * max(table.n_shared, 1))
