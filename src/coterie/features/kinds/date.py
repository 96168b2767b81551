"""Dates, in the usual spellings."""

import re
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie.features.kinds._bare import bare
from coterie.features.kinds._edits import EDITS, Texts, beginnings, edits
from coterie.features.kinds.base import EncodedColumn, Kind
from coterie.features.kinds.profile import Profile

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_YEAR_FIRST = re.compile(r"(\d{4})\D(\d{1,2})\D(\d{1,2})(?:[t ].*)?")
_TOGETHER = re.compile(r"(\d{4})(\d\d)(\d\d)(?:t.*)?")
_YEAR_LAST = re.compile(r"(\d{1,2})\D(\d{1,2})\D(\d{4})(?:[t ].*)?")
_SHORT_YEAR = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d\d)")
_NAMED = re.compile(
    r"(?:(\d{1,2})(?:st|nd|rd|th|\.)?[\s-]+)?([a-z]{3,9})\.?,?[\s-]+"
    r"(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})"
)
UNREAD = (0, 0, 0)

FIRST = 30
"""The first year of two digits that is of the last century."""


def date_of(text: str) -> tuple[int, int, int]:
    """Read year, month and day; zeros where it is no date.

    Of two numbers before the year the first is the day, unless only the second can be. Years of
    two digits are those from 1930 on.

    >>> date_of("2001-02-03"), date_of("20010203"), date_of("3/2/2001"), date_of("Feb 3, 2001")
    ((2001, 2, 3), (2001, 2, 3), (2001, 2, 3), (2001, 2, 3))
    >>> date_of("soon"), date_of("12/31/1999"), date_of("3.2.01")
    ((0, 0, 0), (1999, 12, 31), (2001, 2, 3))
    """
    said = bare(text)
    if found := _YEAR_FIRST.fullmatch(said) or _TOGETHER.fullmatch(said):
        return _checked(*map(int, found.groups()))
    if found := _YEAR_LAST.fullmatch(said):
        return _year_last(*map(int, found.groups()))
    if found := _SHORT_YEAR.fullmatch(said):
        year = int(found[4])
        return _year_last(int(found[1]), int(found[3]), year + (1900 if year >= FIRST else 2000))
    if (found := _NAMED.fullmatch(said)) and bool(found[1]) != bool(found[3]):
        return _checked(int(found[4]), _month(found[2]), int(found[1] or found[3]))
    return UNREAD


def _year_last(one: int, two: int, year: int) -> tuple[int, int, int]:
    return _checked(year, two, one) if two <= 12 else _checked(year, one, two)


def _month(name: str) -> int:
    """Return the month that a name, or how it begins, is of; 0 for none."""
    return next((at for at, month in enumerate(_MONTHS, 1) if month.startswith(name)), 0)


def _checked(year: int, month: int, day: int) -> tuple[int, int, int]:
    try:
        date(year, month, day)
    except ValueError:
        return UNREAD
    return (year, month, day) if 1000 <= year < 3000 else UNREAD


@dataclass(frozen=True, eq=False)
class Date(Kind):
    """Compare dates: days between, which parts agree, day and month exchanged, and the digits."""

    word: ClassVar = "date"
    measures: ClassVar = (
        *EDITS,
        "no date",
        "nearness of days",
        "nearness of years",
        "same year",
        "same month",
        "same day",
        "day and month exchanged",
    )

    @classmethod
    def likeness(cls, profile: Profile) -> float:
        """Values that are dates."""
        return 0.95 if profile.share(lambda text: date_of(text) != UNREAD) > 0.8 else 0.0

    def _measured(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        texts, dates, days = encoded.more
        one, two = dates[left], dates[right]
        unread = ~(one.any(axis=1) & two.any(axis=1))
        years = np.abs(one[:, 0] - two[:, 0])
        columns = np.column_stack(
            [
                1.0 / (1.0 + np.abs(days[left] - days[right])),
                1.0 / (1.0 + years),
                one == two,
                (one[:, 1] == two[:, 2]) & (one[:, 2] == two[:, 1]) & (one[:, 1] != one[:, 2]),
            ]
        )
        columns[unread] = 0.0
        return np.column_stack([*edits(texts, left, right), unread, columns])

    def _cleaned(self, text: str) -> str:
        read = date_of(text)
        return "".join(f"{part:02d}" for part in read) if read != UNREAD else bare(text)

    def _more(self, texts: list[str]) -> tuple[Texts, Ints, Ints]:
        dates = np.array([date_of(text) for text in texts], dtype=np.intp).reshape(-1, 3)
        days = [date(*read).toordinal() if any(read) else 0 for read in dates.tolist()]
        return beginnings(texts), dates, np.array(days, dtype=np.intp)
