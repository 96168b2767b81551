"""Features of item pairs: linear operators, and what computes them from items."""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
