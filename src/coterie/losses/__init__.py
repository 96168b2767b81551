"""Losses: how bad a predicted partition is, in a form that a learner can search with.

A loss is a frozen callable of (truth, predicted). Those that are linear in the weights of an
objective turn the search for the worst partition into plain clustering of shifted scores; the
MITRE loss is not, and is followed through merges instead.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
