"""Similarities: what learning leaves behind, frozen callables that score pairs of items."""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
