"""The command line: `coterie`, one module a command."""

from coterie._core.lazy import attach
from coterie.cli.starting import main as main

__getattr__, __dir__ = attach(__name__)
