"""Readers of public corpora, most of which return a `Corpus`, and the catalogue of them."""

from coterie.toolkit import attach

__getattr__, __dir__ = attach(__name__)
