"""The demonstration that `coterie demo` runs."""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
