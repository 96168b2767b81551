"""Losses: the errors of predicted partitions that training minimises.

A loss is a frozen callable of (truth, predicted). In training, a learner searches for the partition
with the highest score plus loss. If a loss is linear in the weights of an objective, this search is
plain clustering of scores with costs added. The MITRE loss is not linear, so it is updated merge by
merge within the search.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
