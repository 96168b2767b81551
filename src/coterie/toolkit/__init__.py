"""What code beside Coterie builds on: protocols, checks of arguments, files and progress.

Members of the families that live elsewhere, and `coterie-papers`, need no private module.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
