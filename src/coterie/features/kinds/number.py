"""Numbers, such as prices, lengths, years and coordinates."""

import re
from dataclasses import dataclass
from math import inf, isfinite, isnan, nan
from typing import ClassVar

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie.features.kinds._edits import EDIT_MEASURES, Texts, edit_similarities, truncate
from coterie.features.kinds._folding import fold_text
from coterie.features.kinds.base import EncodedColumn, Kind
from coterie.features.kinds.profile import Profile

_DECORATION = re.compile(
    r"[\s'’_$€£¥%]|(?<=\d),(?=\d{3}\b)"
    r"|(?<![a-z])(usd|eur|gbp|jpy|chf|cny|inr|cad|aud|nzd|sek|nok|dkk|pln|brl|mxn)(?![a-z])"
)
_DOTTED_THOUSANDS = re.compile(r"[+-]?\d{1,3}((\.\d{3})+,\d*|(\.\d{3}){2,})")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
_CODE = re.compile(r"0\d+|\+\d{7,}|\d{16,}")
_MANY_DIGITS = re.compile(r"\d{7,}")


def number_of(text: str) -> float:
    """Return the number that a text is, or NaN.

    Signs and codes of currencies and separators of thousands are ignored.

    >>> [number_of(text) for text in ("$1,234.50", "12,5", "1e3", "n/a", "−7", "1.234,50EUR")]
    [1234.5, 12.5, 1000.0, nan, -7.0, 1234.5]
    """
    digits = _strip_decoration(text)
    if _DOTTED_THOUSANDS.fullmatch(digits):
        digits = digits.replace(".", "")
    if digits.count(",") == 1 and "." not in digits:
        digits = digits.replace(",", ".")
    value = float(digits) if _NUMBER.fullmatch(digits) else nan
    return value if isfinite(value) else nan


def _strip_decoration(text: str) -> str:
    """Return a text without blanks, currencies, percent signs and separators of thousands."""
    return _DECORATION.sub("", fold_text(text).replace("−", "-"))


@dataclass(frozen=True, eq=False)
class Number(Kind):
    """Compare numbers by their absolute and relative difference, and by their digits."""

    word: ClassVar = "number"
    measures: ClassVar = (*EDIT_MEASURES, "no number", "nearness", "relative nearness")

    @classmethod
    def likeness(cls, profile: Profile) -> float:
        """Return how well a column fits: most values are numbers, but not codes of digits."""
        numbers = profile.share(lambda text: not isnan(number_of(text)))
        return 0.8 if numbers > 0.9 and not _are_codes(profile) else 0.0

    def _measure(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        texts, numbers = encoded.extra
        first, second = numbers[left], numbers[right]
        # The difference of the largest and the smallest floats overflows; its nearness is 0.
        with np.errstate(over="ignore"):
            gap = np.abs(first - second)
        size = np.maximum(np.maximum(np.abs(first), np.abs(second)), np.finfo(float).tiny)
        no_number = np.isnan(gap)
        gap[no_number] = inf
        nearness = 1.0 / (1.0 + gap)
        relative = np.maximum(1.0 - gap / np.where(no_number, 1.0, size), 0.0)
        similarities = edit_similarities(texts, left, right)
        return np.column_stack([*similarities, no_number, nearness, relative])

    def _clean(self, text: str) -> str:
        return _strip_decoration(text)

    def _read_extra(self, texts: list[str]) -> tuple[Texts, Floats]:
        return truncate(texts), np.array([number_of(text) for text in texts], dtype=np.float64)


def _are_codes(profile: Profile) -> bool:
    """Return whether the numbers of a column are codes, which measure and count nothing.

    Codes have leading zeros or very many digits, or all have about the same number of digits.
    Whole numbers of four digits are not codes if most of them can be years.
    """

    def share(pattern: re.Pattern[str]) -> float:
        return profile.share(lambda text: pattern.fullmatch(_strip_decoration(text)))

    if share(_CODE) > 0.02:
        return True
    if profile.width_spread < 0.3:
        is_whole = profile.share(lambda text: _strip_decoration(text).isdigit()) > 0.9
        return profile.length > 3 and is_whole and share(_YEAR) < 0.9
    return profile.width_spread < 1.0 and share(_MANY_DIGITS) > 0.9
