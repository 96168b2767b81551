"""Checks of the contract of each family, for your own members too.

There is one function per family: blockers, clusterers, features, featurizers, learners, metrics and
objectives. It raises an `AssertionError` that says which part of the contract is broken. Call it in
your tests.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
