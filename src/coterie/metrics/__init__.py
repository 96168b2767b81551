"""Metrics: how close a predicted clustering is to the true one.

A metric is a function of (truth, predicted): partitions, label lists, or clusters of hashable
mentions, of which the two sides may then have different ones, as in coreference. Names in
`_score` are better when higher, in `_loss`, `_distance` and `_error` when lower; every metric
says so by `greater_is_better`. Scores of three parts are a named tuple of precision, recall and f1.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
