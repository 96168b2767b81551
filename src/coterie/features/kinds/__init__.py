"""Kinds of columns: how the values of a column of a table are compared.

A kind is one small class in one file; adding one is that file and a line here.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
