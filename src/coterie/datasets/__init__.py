"""Generators of data sets; each returns a `Corpus` of item sets and their partitions."""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
