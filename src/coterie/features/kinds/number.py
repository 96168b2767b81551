"""Numbers: prices, lengths, years, coordinates."""

import re
from dataclasses import dataclass
from math import inf, isfinite, isnan, nan
from typing import ClassVar

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie.features.kinds._bare import bare
from coterie.features.kinds._edits import EDITS, Texts, beginnings, edits
from coterie.features.kinds.base import EncodedColumn, Kind
from coterie.features.kinds.profile import Profile

_DECORATION = re.compile(
    r"[\s'’_$€£¥%]|(?<=\d),(?=\d{3}\b)"
    r"|(?<![a-z])(usd|eur|gbp|jpy|chf|cny|inr|cad|aud|nzd|sek|nok|dkk|pln|brl|mxn)(?![a-z])"
)
_DOTTED = re.compile(r"[+-]?\d{1,3}((\.\d{3})+,\d*|(\.\d{3}){2,})")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
_CODE = re.compile(r"0\d+|\+\d{7,}|\d{16,}")
_LONG = re.compile(r"\d{7,}")


def number_of(text: str) -> float:
    """Read a number, with a sign of money or with thousands set apart too; NaN where it is none.

    >>> [number_of(text) for text in ("$1,234.50", "12,5", "1e3", "n/a", "−7", "1.234,50EUR")]
    [1234.5, 12.5, 1000.0, nan, -7.0, 1234.5]
    """
    digits = _digits(text)
    if _DOTTED.fullmatch(digits):
        digits = digits.replace(".", "")
    if digits.count(",") == 1 and "." not in digits:
        digits = digits.replace(",", ".")
    value = float(digits) if _NUMBER.fullmatch(digits) else nan
    return value if isfinite(value) else nan


def _digits(text: str) -> str:
    """Leave out what only decorates a number."""
    return _DECORATION.sub("", bare(text).replace("−", "-"))


@dataclass(frozen=True, eq=False)
class Number(Kind):
    """Compare numbers: their difference, by itself and by their size, and their digits."""

    word: ClassVar = "number"
    measures: ClassVar = (*EDITS, "no number", "nearness", "relative nearness")

    @classmethod
    def likeness(cls, profile: Profile) -> float:
        """Values that are numbers, but no codes: see `_are_codes`."""
        numbers = profile.share(lambda text: not isnan(number_of(text)))
        return 0.8 if numbers > 0.9 and not _are_codes(profile) else 0.0

    def _measured(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        texts, numbers = encoded.more
        one, two = numbers[left], numbers[right]
        with np.errstate(over="ignore"):  # the greatest are infinitely far from the least
            gap = np.abs(one - two)
        size = np.maximum(np.maximum(np.abs(one), np.abs(two)), np.finfo(float).tiny)
        unread = np.isnan(gap)
        gap[unread] = inf
        nearness, relative = (
            1.0 / (1.0 + gap),
            np.maximum(1.0 - gap / np.where(unread, 1.0, size), 0.0),
        )
        return np.column_stack([*edits(texts, left, right), unread, nearness, relative])

    def _cleaned(self, text: str) -> str:
        return _digits(text)

    def _more(self, texts: list[str]) -> tuple[Texts, Floats]:
        return beginnings(texts), np.array([number_of(text) for text in texts], dtype=np.float64)


def _are_codes(profile: Profile) -> bool:
    """Tell numbers that count nothing: with leading zeros, too many digits, or about as many each.

    Four digits each may also be years.
    """

    def share(pattern: re.Pattern[str]) -> float:
        return profile.share(lambda text: pattern.fullmatch(_digits(text)))

    if share(_CODE) > 0.02:
        return True
    if profile.width_spread < 0.3:
        is_whole = profile.share(lambda text: _digits(text).isdigit()) > 0.9
        return profile.length > 3 and is_whole and share(_YEAR) < 0.9
    return profile.width_spread < 1.0 and share(_LONG) > 0.9
