"""Tools for code outside Coterie: protocols, checks of arguments, files and progress.

With them, your own clusterers, losses and the like, and `coterie-papers`, need no private module.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
