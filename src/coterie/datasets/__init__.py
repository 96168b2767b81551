"""Data sets: generators, and readers of public corpora; each returns a `Corpus`."""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
