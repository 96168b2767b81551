"""Numbers: prices, lengths, years, coordinates."""

import re
from dataclasses import dataclass
from math import inf, isfinite, nan
from typing import ClassVar

import numpy as np

from coterie._arrays import Floats, Ints
from coterie.features.kinds._base import Encoded, Kind
from coterie.features.kinds._edits import EDITS, edits
from coterie.features.kinds._profile import Profile

_DECORATION = re.compile(r"[\s'’_$€£¥%]|(?<=\d),(?=\d{3}\b)")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
_CODE = re.compile(r"0\d+|\d{7,}")


def number_of(text: str) -> float:
    """Read a number, with a sign of money or with thousands set apart too; NaN where it is none.

    >>> [number_of(text) for text in ("$1,234.50", "12,5", "1e3", "n/a", "-7")]
    [1234.5, 12.5, 1000.0, nan, -7.0]
    """
    bare = _DECORATION.sub("", text)
    bare = bare.replace(",", ".") if bare.count(",") == 1 and "." not in bare else bare
    value = float(bare) if _NUMBER.fullmatch(bare) else nan
    return value if isfinite(value) else nan


@dataclass(frozen=True, eq=False)
class Number(Kind):
    """Compare numbers: their difference, by itself and by their size, and their digits."""

    word: ClassVar = "number"
    measures: ClassVar = (*EDITS, "no number", "nearness", "relative nearness")

    @classmethod
    def likeness(cls, profile: Profile) -> float:
        """Values that are numbers, but no codes: those have leading zeros, or many digits."""
        numbers = profile.share(lambda text: number_of(text) == number_of(text))
        codes = profile.share(_CODE.fullmatch)
        even = (
            profile.width_spread < 0.3 and profile.length > 3 and profile.share(str.isdigit) > 0.9
        )
        years = profile.share(_YEAR.fullmatch)
        is_code = codes > 0.02 or (even and years < 0.9)
        return 0.8 if numbers > 0.9 and not is_code else 0.0

    def _measured(self, encoded: Encoded, left: Ints, right: Ints) -> Floats:
        texts, numbers = encoded.read
        one, two = numbers[left], numbers[right]
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
        return _DECORATION.sub("", text.strip())

    def _read(self, texts: list[str]) -> tuple[np.ndarray, Floats]:
        return np.array(texts, dtype=object), np.array([number_of(text) for text in texts])
