"""Drawings of the page: axes, curves as SVG, and bars inside the rows of tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, isfinite, log10

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie.report._html import figure
from coterie.report.data import Curve, FieldWeight
from coterie.tables import Figure


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
        return [(value, _tick_text(value, step)) for value in values]


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


def _tick_text(value: float, step: float) -> str:
    text = f"{value:.{_places(step)}f}" if 1e-5 <= step < 1e5 else f"{value:.3g}"
    return text.replace("-", "−")


WIDTH, HEIGHT = 440, 310
TOP, BOTTOM = 30, 262
LEFT, RIGHT = 38, 428
LABELS = 88
"""The room beside the lines, for their names."""

MOST_POINTS = 200
_LINE_HEIGHT = 16


def curves(curve: Curve) -> str:
    """Return both drawings, side by side where there is room, with a line that reads them out."""
    told = ", ".join(f"{name} {figure(value)}" for name, value in curve.at_chosen().items())
    text = f"At the chosen threshold {figure(curve.chosen)}: {told}."
    return (
        f'<figure><div class="pair">{_over_thresholds(curve, text)}{_trade_off(curve, text)}</div>'
        f"<figcaption>{text}</figcaption></figure>"
    )


def _over_thresholds(curve: Curve, told: str) -> str:
    across = Axis.around([*curve.thresholds, curve.chosen], LEFT, RIGHT - LABELS)
    up = Axis.of_shares(np.concatenate(list(curve.lines().values())).tolist(), BOTTOM, TOP)
    kept = _kept(curve)
    lines = [
        _line(kept, curve.thresholds, values, (across, up), number)
        for number, values in enumerate(curve.lines().values())
    ]
    parts = [*_frame(across, up, "threshold", ""), _upright(across, curve.chosen), *lines]
    parts += _dots(curve, across, up)
    return _drawing([*parts, *_names(curve, up)], f"Figures over the threshold. {told}")


def _trade_off(curve: Curve, told: str) -> str:
    across = Axis.of_shares(curve.recall.tolist(), LEFT, RIGHT - 12)
    up = Axis.of_shares(curve.precision.tolist(), BOTTOM, TOP)
    line = _line(_kept(curve), curve.recall, curve.precision, (across, up), 0)
    if not line:
        return ""
    parts = [*_frame(across, up, "recall", "precision"), line]
    at = curve.at_chosen()
    if isfinite(at["recall"]) and isfinite(at["precision"]):
        parts += _pointed(across.at(at["recall"]), up.at(at["precision"]), curve.chosen)
    return _drawing(parts, f"Precision over recall. {told}")


def _pointed(x: float, y: float, chosen: float) -> list[str]:
    """Draw the chosen point with its name on the side of the middle, below the line."""
    side, anchor = (10, "start") if x < (LEFT + RIGHT) / 2 else (-10, "end")
    below = y + 20 if y + 20 < BOTTOM - 4 else y - 10
    return [_dot(x, y, 0), _text(x + side, below, f"chosen: {figure(chosen)}", f"on {anchor}")]


def _kept(curve: Curve) -> Ints:
    """Return the numbers of the points that are drawn: all, or evenly some of them."""
    n = len(curve.thresholds)
    return np.linspace(0, n - 1, min(n, MOST_POINTS)).round().astype(np.intp)


def _line(kept: Ints, x: Floats, y: Floats, axes: tuple[Axis, Axis], number: int) -> str:
    """Draw a line through the points, broken where one is not defined."""
    across, up = axes
    path, is_down = [], False
    for point in kept:
        is_known = isfinite(x[point]) and isfinite(y[point])
        if is_known:
            step = f"{across.at(x[point]):.1f} {up.at(y[point]):.1f}"
            # A step of no length shows even a point that stands alone.
            path.append(f"L{step}" if is_down else f"M{step}h0")
        is_down = is_known
    return f'<path class="line s{number}" d="{"".join(path)}"/>' if path else ""


def _dots(curve: Curve, across: Axis, up: Axis) -> list[str]:
    values = enumerate(curve.at_chosen().values())
    x = across.at(curve.chosen)
    return [_dot(x, up.at(value), number) for number, value in values if isfinite(value)]


def _dot(x: float, y: float, number: int) -> str:
    return f'<circle class="dot s{number}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'


def _upright(across: Axis, chosen: float) -> str:
    x = across.at(chosen)
    name = f"chosen: {figure(chosen)}"
    # The name stays inside the drawing, wherever the line stands.
    middle = min(max(x, LEFT + 46), RIGHT - 50)
    line = f'<path class="chosen" d="M{x:.1f} {TOP - 6}V{BOTTOM}"/>'
    return line + _text(middle, TOP - 12, name, "on")


def _names(curve: Curve, up: Axis) -> list[str]:
    """Name each line at its end; names that would meet are moved apart, and led to."""
    ends = {
        number: up.at(values[np.isfinite(values)][-1])
        for number, values in enumerate(curve.lines().values())
        if np.isfinite(values).any()
    }
    order = sorted(ends, key=lambda number: (ends[number], number))
    places = spread([ends[number] for number in order], TOP, BOTTOM)
    names, x = list(curve.lines()), RIGHT - LABELS
    drawn = []
    for number, y in zip(order, places, strict=True):
        lead = f'<path class="lead s{number}" d="M{x + 2} {ends[number]:.1f}L{x + 12} {y:.1f}"/>'
        drawn += [lead, _text(x + 16, y + 4, names[number], f"name s{number} start")]
    return drawn


def spread(wanted: Sequence[float], low: float, high: float) -> list[float]:
    """Move ascending places apart to a line's height, between both ends where there is room.

    >>> spread([10.0, 12.0, 100.0], 0.0, 100.0)
    [10.0, 26.0, 100.0]
    >>> spread([99.0, 100.0], 0.0, 100.0)
    [84.0, 100.0]
    """
    places: list[float] = []
    for place in wanted:
        places.append(max(place, places[-1] + _LINE_HEIGHT if places else low))
    for number in range(len(places) - 1, -1, -1):
        below = places[number + 1] - _LINE_HEIGHT if number + 1 < len(places) else high
        places[number] = min(places[number], below)
    return places


def _frame(across: Axis, up: Axis, x_name: str, y_name: str) -> list[str]:
    """Draw both axes: fine lines and numbers, and the names."""
    parts = []
    for value, text in up.ticks():
        y = up.at(value)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{across.stop:.1f}"/>')
        parts.append(_text(LEFT - 6, y + 4, text, "end"))
    for value, text in across.ticks():
        x = across.at(value)
        parts.append(f'<path class="grid" d="M{x:.1f} {BOTTOM}v5"/>')
        parts.append(_text(x, BOTTOM + 20, text, "middle"))
    parts.append(_text((across.start + across.stop) / 2, HEIGHT - 8, x_name, "on middle"))
    return [*parts, _text(4, TOP - 14, y_name, "on start") if y_name else ""]


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _drawing(parts: Sequence[str], label: str) -> str:
    return (
        f'<svg class="curve" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


_HEIGHT = 9


def interval(metric: Figure, axis: Axis) -> str:
    """Draw a value as a dot upon its interval."""
    x, parts = axis.at(metric.value), [_rule(0, 100, "base")]
    if metric.low is not None and metric.high is not None:
        parts.append(_rule(axis.at(metric.low), axis.at(metric.high), "range"))
    parts.append(f'<circle class="dot s0" cx="{x:.2f}%" cy="50%" r="4.5"/>')
    return _bars(parts, 14)


def on_one_axis(metrics: Sequence[Figure]) -> Axis | None:
    """Return the axis that all metrics that can be drawn have in common, if there are any.

    >>> axis = on_one_axis([Figure("F1", 0.93, 0.91, 0.95), Figure("edits", 12.0)])
    >>> axis.low, axis.high
    (0.9, 1.0)
    """
    every = [value for metric in metrics if is_drawn(metric) for value in _given(metric)]
    return Axis.of_shares(every, 0, 100) if every else None


def is_drawn(metric: Figure) -> bool:
    """Tell whether a metric can stand beside others: a share, of which more is better."""
    return metric.higher_is_better and all(
        isfinite(value) and 0 <= value <= 1 for value in _given(metric)
    )


def _given(metric: Figure) -> list[float]:
    every = (metric.value, metric.low, metric.high)
    return [value for value in every if value is not None]


def known(value: float | None) -> float:
    """Return a number, or 0 where there is none."""
    return value if value is not None and isfinite(value) else 0.0


def counts(values: Sequence[int], most: int) -> str:
    """Draw one bar below the other, from 0 to the most."""
    parts = [_bar(0, 100 * value / max(most, 1), number) for number, value in enumerate(values)]
    return _bars(parts, (_HEIGHT + 1) * len(values))


def diverging(values: Sequence[float | None], most: float) -> str:
    """Draw one bar below the other, to the right of the middle or, below 0, to the left."""
    shares = [50 * known(value) / (most or 1.0) for value in values]
    parts = [_bar(min(50, 50 + share), abs(share), number) for number, share in enumerate(shares)]
    middle = '<line class="zero" x1="50%" x2="50%" y1="0" y2="100%"/>'
    return _bars([*parts, middle], (_HEIGHT + 1) * len(values))


def shares(fields: Sequence[FieldWeight]) -> list[float]:
    """Return how much each field tells joined pairs from refused ones, of all that fields do.

    >>> shares([FieldWeight("name", "name", 3.0, -3.0), FieldWeight("city", "category", 1.0, -1.0)])
    [0.75, 0.25]
    """
    parts = [abs(known(each.mean_for) - known(each.mean_against)) for each in fields]
    return [part / (sum(parts) or 1.0) for part in parts]


def binned(sizes: Mapping[int, int]) -> dict[int, int]:
    """Count clusters by the bin of their size, which is called by its first size.

    >>> binned({1: 7, 5: 1, 9: 2, 2500: 1})
    {1: 7, 5: 3, 2000: 1}
    """
    found: dict[int, int] = {}
    for size, count in sorted(sizes.items()):
        first = _bin(size)
        found[first] = found.get(first, 0) + count
    return found


def bin_end(first: int) -> int:
    """Return the last size of a bin.

    >>> [bin_end(first) for first in (1, 5, 20, 1000)]
    [1, 9, 49, 1999]
    """
    if first < 5:
        return first
    lead = int(str(first)[0])
    return first * 5 // 2 - 1 if lead == 2 else first * 2 - 1


def _bin(size: int) -> int:
    if size < 5:
        return size
    unit: int = 10 ** (len(str(size)) - 1)
    return next(times * unit for times in (5, 2, 1) if times * unit <= size)


def _rule(start: float, end: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{start:.2f}%" x2="{end:.2f}%" y1="50%" y2="50%"/>'


def _bar(start: float, width: float, number: int) -> str:
    return (
        f'<rect class="bar s{number}" x="{start:.2f}%" width="{width:.2f}%" '
        f'y="{number * (_HEIGHT + 1)}" height="{_HEIGHT}"/>'
    )


def _bars(parts: Sequence[str], height: int) -> str:
    return f'<svg class="bars" height="{height}" aria-hidden="true">{"".join(parts)}</svg>'
