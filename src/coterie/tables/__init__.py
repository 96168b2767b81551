"""Tables: learn from one that says which of its rows belong together, and cluster others."""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
