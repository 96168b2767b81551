"""Kinds of columns: how the values of a column of a table are compared.

A kind is one small class in one file; adding one is that file and a line here.
"""

from coterie.features.kinds._tokens import KnownTokens
from coterie.features.kinds.category import Category
from coterie.features.kinds.code import Code
from coterie.features.kinds.date import Date
from coterie.features.kinds.name import Name
from coterie.features.kinds.number import Number
from coterie.features.kinds.short import Short
from coterie.features.kinds.text import Text
from coterie.features.kinds.token_set import TokenSet

__all__ = [
    "Category",
    "Code",
    "Date",
    "KnownTokens",
    "Name",
    "Number",
    "Short",
    "Text",
    "TokenSet",
]
