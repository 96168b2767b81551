"""Online clustering: items arrive one by one or in blocks, and each gets its cluster at once."""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
