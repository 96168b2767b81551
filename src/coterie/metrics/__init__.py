"""Metrics, which compare a predicted clustering with the true one.

A metric is a function of (truth, predicted). Both are partitions, lists of labels, or clusters of
hashable mentions; the mentions of the two may then differ, as in coreference. Metrics named
`…_score` are better when higher, those named `…_loss`, `…_distance` or `…_error` when lower. The
attribute `greater_is_better` of a metric says which. Metrics with three parts return a named tuple
of precision, recall and f1.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
