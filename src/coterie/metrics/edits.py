"""Metrics that count the edits from the prediction to the truth."""

import numpy as np

from coterie.metrics._matching import largest_matching
from coterie.metrics.contingency import Contingency
from coterie.metrics.metric import metric


@metric(greater_is_better=False, summable=False, same_items=True)
def cluster_edit_distance(table: Contingency) -> int:
    """Return the least number of edits that turn the prediction into the truth.

    There are three edits, each of cost 1: moving one item into another cluster, making one item a
    new cluster, and merging two clusters. No edit splits a cluster at once, so the distance is not
    symmetric (Daumé & Marcu 2004). Without items it is 0.

    Let s(h) be the true cluster that the predicted cluster h is turned into. The distance is the
    minimum over s of Σ_h (|h| − |h ∩ s(h)|) + (number of clusters h) − (number of clusters s(h)).
    Choosing s(h) without a largest intersection costs at least 1, and gains at most 1 by adding a
    cluster s(h). So the minimum is reached by a largest matching over the largest intersections.

    >>> cluster_edit_distance([0, 0, 0, 1], [0, 0, 1, 1])
    1
    """
    largest = np.zeros(len(table.predicted_sizes), dtype=np.intp)
    np.maximum.at(largest, table.columns, table.counts)
    is_largest = table.counts == largest[table.columns]
    n_matched = largest_matching(table.rows[is_largest], table.columns[is_largest])
    return int(table.n_shared - largest.sum()) + table.n_predicted_clusters - n_matched


@metric(greater_is_better=True, same_items=True)
def normalized_edit_score(table: Contingency) -> float:
    """Return the cluster edit distances in both directions as a score from 1/n to 1.

    NES = 1 − (CED(g, h) + CED(h, g)) / 2n, where g is the truth, h the prediction and n the number
    of items (Daumé & Marcu 2004). Without items it is 1.

    >>> normalized_edit_score([0, 0, 0, 1], [0, 0, 1, 1])
    0.75
    """
    edits = cluster_edit_distance.from_table(table) + cluster_edit_distance.from_table(table.T)
    return 1.0 - edits / (2 * max(table.n_shared, 1))
