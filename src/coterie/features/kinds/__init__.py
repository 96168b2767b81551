"""Kinds of columns: how the values of a column of a table are compared.

A kind is a small class in a file of its own. To add a kind, add its file and a line to
`__init__.pyi`.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
