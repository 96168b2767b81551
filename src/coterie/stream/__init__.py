"""Online use: items arrive one by one or some at a time, and each is given its cluster at once."""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
