"""Similarities: frozen callables that score pairs of items, the results of learning."""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
