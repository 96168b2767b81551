"""Axes of the drawings: where a value stands, and which values are named."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10


@dataclass(frozen=True)
class Axis:
    """The range from `low` to `high`, drawn from `start` to `stop`.

    Examples
    --------
    >>> axis = Axis.around([0.32, 0.97], 0, 100)
    >>> axis.low, axis.high, axis.at(0.65)
    (0.2, 1.0, 56.25)
    >>> axis.ticks()
    [(0.2, '0.2'), (0.4, '0.4'), (0.6, '0.6'), (0.8, '0.8'), (1.0, '1.0')]
    """

    low: float
    high: float
    start: float
    stop: float

    @classmethod
    def around(cls, values: Sequence[float], start: float, stop: float) -> "Axis":
        """Return the axis between round numbers around all finite values."""
        low, high = _spread([value for value in values if isfinite(value)] or [0.0, 1.0])
        step = _step(high - low)
        # What lies on a round number but for rounding needs no further one.
        low, high = floor(low / step + 1e-6) * step, ceil(high / step - 1e-6) * step
        return cls(round(low, _places(step)), round(high, _places(step)), start, stop)

    @classmethod
    def of_shares(cls, values: Sequence[float], start: float, stop: float) -> "Axis":
        """Return the axis of numbers from 0 to 1, which ends at 1 and begins where they do.

        >>> axis = Axis.of_shares([1.0, 0.97], 0, 100)
        >>> axis.low, axis.high
        (0.9, 1.0)
        """
        return cls.around([*values, 0.9, 1.0], start, stop)

    def at(self, value: float) -> float:
        """Return where a value stands."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.stop - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """Return some round values with their texts."""
        step = _step(self.high - self.low)
        first, last = ceil(self.low / step - 1e-6), floor(self.high / step + 1e-6)
        values = [round(number * step, _places(step)) for number in range(first, last + 1)]
        return [(value, _text(value, step)) for value in values]


def _spread(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the values, apart where they are not."""
    low, high = min(values), max(values)
    room = 0.05 * max(1.0, abs(low), abs(high))
    return (low, high) if high - low > 1e-4 * room else (low - room, high + room)


def _step(span: float) -> float:
    """Return the round step of which about four or five make the span."""
    unit: float = 10.0 ** floor(log10(span / 5))
    return unit * next(times for times in (1, 2, 5, 10) if times * unit * 5.5 >= span)


def _places(step: float) -> int:
    return max(0, ceil(-log10(step) - 1e-9))


def _text(value: float, step: float) -> str:
    text = f"{value:.{_places(step)}f}" if 1e-5 <= step < 1e5 else f"{value:.3g}"
    return text.replace("-", "−")
