"""Supervised clustering: learn from example partitions how to cluster new item sets."""

from coterie._core.lazy import attach

__version__ = "0.2.0.dev0"

__getattr__, __dir__ = attach(__name__)
