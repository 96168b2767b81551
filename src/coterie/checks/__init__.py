"""The contract of each family as code: one function a family, for its members and for yours.

Each raises an `AssertionError` that says what is broken. Run them over your own blockers,
clusterers, features, featurizers, learners, metrics and objectives in your tests.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
