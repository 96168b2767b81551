"""Columns whose values are not of the kind that the schema says."""

from collections.abc import Callable, Iterator
from math import isnan

from coterie._core.texts import pluralize, quote
from coterie.features.kinds.date import NOT_A_DATE, date_of
from coterie.features.kinds.number import number_of
from coterie.features.kinds.profile import Profile
from coterie.tables.schema import Schema
from coterie.tables.table import Table

LEAST_SHARE = 0.5
"""The share of values that must be readable, unless a sentence is to say that they are not."""

_IS_READABLE: dict[str, Callable[[str], bool]] = {
    "date": lambda text: date_of(text) != NOT_A_DATE,
    "number": lambda text: not isnan(number_of(text)),
}
"""Kinds that read more than the letters of a value, and whether they can read it."""


def unreadable_columns(table: Table, schema: Schema) -> Iterator[str]:
    """Yield a sentence about each compared column most of whose values its kind cannot read.

    >>> schema = Schema({"born": "date", "name": "date", "place": "short"})
    >>> table = Table({"born": ["1999-12-31", ""], "name": ["Ann", "Bob"], "place": ["Ulm", ""]})
    >>> list(unreadable_columns(table, schema))
    ['column name is of kind date, but none of its 2 values can be read as a date; only their
    characters are compared; if that is wrong, give the column another kind']
    """
    for column in schema.columns:
        kind = schema.kinds[column]
        if kind not in _IS_READABLE:
            continue
        profile = Profile.of(table[column])
        share = profile.share(_IS_READABLE[kind])
        if profile.n_rows and share < LEAST_SHARE:
            n_readable = round(share * profile.n_rows)
            yield (
                f"column {quote(column)} is of kind {kind}, but "
                f"{f'only {n_readable:,}' if n_readable else 'none'} of its "
                f"{pluralize(profile.n_rows, 'value')} can be read as a {kind}; only "
                f"{'the characters of the others' if n_readable else 'their characters'} are "
                "compared; if that is wrong, give the column another kind"
            )
