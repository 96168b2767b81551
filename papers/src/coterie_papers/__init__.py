"""The experiments of five papers on supervised clustering, and of our own, as commands."""

__version__ = "0.2.0.dev0"
