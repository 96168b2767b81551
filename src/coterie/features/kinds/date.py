"""Dates in the usual spellings."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import ClassVar

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie.features.kinds._edits import EDIT_MEASURES, Texts, edit_similarities, truncate
from coterie.features.kinds._folding import fold_text
from coterie.features.kinds.base import EncodedColumn, Kind
from coterie.features.kinds.profile import Profile

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_YEAR_FIRST = re.compile(r"(\d{4})\D(\d{1,2})\D(\d{1,2})(?:[t ].*)?")
_WITHOUT_GAPS = re.compile(r"(\d{4})(\d\d)(\d\d)(?:t.*)?")
_YEAR_LAST = re.compile(r"(\d{1,2})\D(\d{1,2})\D(\d{4})(?:[t ].*)?")
_SHORT_YEAR = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d\d)")
_NAMED = re.compile(
    r"(?:(\d{1,2})(?:st|nd|rd|th|\.)?[\s-]+)?([a-z]{3,9})\.?,?[\s-]+"
    r"(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})"
)
NOT_A_DATE = (0, 0, 0)
"""The year, month and day of a text that is not a date."""

_EPOCH = re.compile(r"(\d{9,10}|[12]\d{12})(?:\.\d+)?", re.ASCII)
FIRST_EPOCH, LAST_EPOCH = date(1980, 1, 1), date(2040, 1, 1)
"""The first day of times in seconds or milliseconds since 1970, and the day after the last."""

LEAST_EPOCHS = 20
"""The number of different values that a column of such times has, at least: codes look similar."""

FIRST_OF_1900S = 30
"""The first year of two digits that belongs to the twentieth century."""


def date_of(text: str) -> tuple[int, int, int]:
    """Return the year, month and day of a date, or zeros for a text that is not a date.

    The first of two numbers before the year is the day, unless the second cannot be a month. Years
    of two digits are 1930 to 2029. Numbers of 9 to 13 digits are seconds or milliseconds since
    1970, if they are of 1980 to 2039.

    >>> date_of("2001-02-03"), date_of("20010203"), date_of("3/2/2001"), date_of("Feb 3, 2001")
    ((2001, 2, 3), (2001, 2, 3), (2001, 2, 3), (2001, 2, 3))
    >>> date_of("soon"), date_of("12/31/1999"), date_of("3.2.01")
    ((0, 0, 0), (1999, 12, 31), (2001, 2, 3))
    >>> date_of("981158400"), date_of("981158400000"), date_of("1600000000000")
    ((2001, 2, 3), (0, 0, 0), (2020, 9, 13))
    """
    return _epoch_date_of(text) or _calendar_date_of(text)


def _epoch_date_of(text: str) -> tuple[int, int, int] | None:
    """Return the day of a time in seconds, or in milliseconds of 13 digits, since 1970."""
    match = _EPOCH.fullmatch(text.strip())
    if match is None:
        return None
    number = int(match[1])
    seconds = number if len(match[1]) < 13 else number // 1000
    day = date(1970, 1, 1) + timedelta(seconds=seconds)
    return (day.year, day.month, day.day) if FIRST_EPOCH <= day < LAST_EPOCH else None


def are_epoch_times(profile: Profile) -> bool:
    """Return whether all values of a column are times in seconds or milliseconds since 1970.

    Telephone numbers and other codes of as many digits are not all of a time from 1980 to 2039.
    """
    n_values = len(profile.counts)
    return n_values >= LEAST_EPOCHS and all(map(_epoch_date_of, profile.counts))


def _calendar_date_of(text: str) -> tuple[int, int, int]:
    """Return the date that a text is in one of the usual spellings, or zeros."""
    folded = fold_text(text)
    if match := _YEAR_FIRST.fullmatch(folded) or _WITHOUT_GAPS.fullmatch(folded):
        return _valid_date(*map(int, match.groups()))
    if match := _YEAR_LAST.fullmatch(folded):
        return _date_with_year_last(*map(int, match.groups()))
    if match := _SHORT_YEAR.fullmatch(folded):
        year = int(match[4])
        century = 1900 if year >= FIRST_OF_1900S else 2000
        return _date_with_year_last(int(match[1]), int(match[3]), century + year)
    # The day stands before or after the name of the month, but not on both sides.
    if (match := _NAMED.fullmatch(folded)) and bool(match[1]) != bool(match[3]):
        return _valid_date(int(match[4]), _month_of(match[2]), int(match[1] or match[3]))
    return NOT_A_DATE


def _date_with_year_last(first: int, second: int, year: int) -> tuple[int, int, int]:
    if second <= 12:
        return _valid_date(year, month=second, day=first)
    return _valid_date(year, month=first, day=second)


def _month_of(name: str) -> int:
    """Return the month whose name begins with a text, or 0."""
    return next((number for number, month in enumerate(_MONTHS, 1) if month.startswith(name)), 0)


def _valid_date(year: int, month: int, day: int) -> tuple[int, int, int]:
    """Return the date if it exists and its year has four digits and is below 3000."""
    try:
        date(year, month, day)
    except ValueError:
        return NOT_A_DATE
    return (year, month, day) if 1000 <= year < 3000 else NOT_A_DATE


@dataclass(frozen=True, eq=False)
class Date(Kind):
    """Compare dates by the days between them, by their parts and by their digits."""

    word: ClassVar = "date"
    measures: ClassVar = (
        *EDIT_MEASURES,
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
        """Return how well a column fits: most values are dates, or all are times since 1970."""
        if are_epoch_times(profile):
            return 0.95
        return (
            0.95 if profile.share(lambda text: _calendar_date_of(text) != NOT_A_DATE) > 0.8 else 0.0
        )

    def _measure(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        texts, dates, days = encoded.extra
        first, second = dates[left], dates[right]
        no_date = ~(first.any(axis=1) & second.any(axis=1))
        years = np.abs(first[:, 0] - second[:, 0])
        (_, first_month, first_day), (_, second_month, second_day) = first.T, second.T
        exchanged = (first_month == second_day) & (first_day == second_month)
        columns = np.column_stack(
            [
                1.0 / (1.0 + np.abs(days[left] - days[right])),
                1.0 / (1.0 + years),
                first == second,
                exchanged & (first_month != first_day),
            ]
        )
        columns[no_date] = 0.0
        return np.column_stack([*edit_similarities(texts, left, right), no_date, columns])

    def _clean(self, text: str) -> str:
        parts = date_of(text)
        return fold_text(text) if parts == NOT_A_DATE else "".join(f"{part:02d}" for part in parts)

    def _read_extra(self, texts: list[str]) -> tuple[Texts, Ints, Ints]:
        dates = np.array([date_of(text) for text in texts], dtype=np.intp).reshape(-1, 3)
        days = [date(*parts).toordinal() if any(parts) else 0 for parts in dates.tolist()]
        return truncate(texts), dates, np.array(days, dtype=np.intp)
