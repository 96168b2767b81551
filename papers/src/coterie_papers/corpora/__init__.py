"""Readers of public corpora, and their catalogue; each reader returns a `Corpus`."""

from coterie.toolkit import attach

__getattr__, __dir__ = attach(__name__)
