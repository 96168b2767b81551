"""Learners: scikit-learn estimators whose samples are item sets, and what they are made of."""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
