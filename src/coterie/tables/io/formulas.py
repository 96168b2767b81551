"""Cells that spreadsheets would run as formulas, and how to write them as text.

After the advice of OWASP on CSV injection: https://owasp.org/www-community/attacks/CSV_Injection.
"""

import re
from collections.abc import Sequence

from coterie.exceptions import InputError
from coterie.tables.table import Table

ESCAPE = "'"
"""The first character of a cell that spreadsheets always show as text."""

# Also after blanks and invisible characters, which some programs drop, and the wide forms of the
# signs, which some programs replace by the usual ones.
_FORMULA = re.compile(r"[\s\x00-\x1f\u200b-\u200f\u2060\ufeff]*[\t\r\n=+\-@＝＋－＠﹦﹢﹣﹫]")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet may run a cell as a formula; numbers are none.

    >>> [is_formula(text) for text in ("=1+1", " @SUM(A1)", "-5", "+3.2e-1", "-5+1", "a=b", "")]
    [True, True, False, False, True, False, False]
    """
    return _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None


def escape_formulas(table: Table) -> Table:
    """Return a table in which cells and names that could be formulas start with an apostrophe.

    >>> escape_formulas(Table({"name": ["=1+1", "Ann"], "@x": ["-5", "+a"]})).columns
    mappingproxy({'name': ("'=1+1", 'Ann'), "'@x": ('-5', "'+a")})
    """
    names = [_escaped(name) for name in table.names]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(
            f"with `escape_formulas=`, two columns would be called {twice!r}; rename one of them"
        )
    columns = [_escaped_cells(table.columns[name]) for name in table.names]
    return Table(dict(zip(names, columns, strict=True)), table.name)


def _escaped_cells(texts: Sequence[str]) -> Sequence[str]:
    return [_escaped(text) for text in texts]


def _escaped(text: str) -> str:
    return ESCAPE + text if is_formula(text) else text
