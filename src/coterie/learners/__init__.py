"""Learners, which are scikit-learn estimators whose samples are item sets, and their parts."""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
