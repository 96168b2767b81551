"""The command line: `coterie`, one module a command."""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
