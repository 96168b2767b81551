"""Drawings as SVG: line charts, and bars in the cells of tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, isfinite, log10

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie.report._html import number_html
from coterie.report._texts import UNDEFINED_METRICS
from coterie.report.data import Curve, FieldWeight
from coterie.tables import Figure


@dataclass(frozen=True)
class Axis:
    """An axis from value `low`, drawn at position `start`, to value `high`, drawn at `stop`.

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
        """Return an axis between two round numbers that contains all finite values."""
        low, high = _limits([value for value in values if isfinite(value)] or [0.0, 1.0])
        step = _step(high - low)
        # The margin of 1e-6 steps stops rounding errors from adding a step.
        low, high = floor(low / step + 1e-6) * step, ceil(high / step - 1e-6) * step
        return cls(round(low, _places(step)), round(high, _places(step)), start, stop)

    @classmethod
    def of_shares(cls, values: Sequence[float], start: float, stop: float) -> "Axis":
        """Return an axis for values from 0 to 1; it ends at 1 and starts near the lowest value.

        >>> axis = Axis.of_shares([1.0, 0.97], 0, 100)
        >>> axis.low, axis.high
        (0.9, 1.0)
        """
        return cls.around([*values, 0.9, 1.0], start, stop)

    def at(self, value: float) -> float:
        """Return the position of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.stop - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """Return the round values to be marked, with their texts."""
        step = _step(self.high - self.low)
        first, last = ceil(self.low / step - 1e-6), floor(self.high / step + 1e-6)
        values = [round(multiple * step, _places(step)) for multiple in range(first, last + 1)]
        return [(value, _tick_text(value, step)) for value in values]


def _limits(values: Sequence[float]) -> tuple[float, float]:
    """Return the lowest and the highest value, or limits around them if they are nearly equal."""
    low, high = min(values), max(values)
    margin = 0.05 * max(1.0, abs(low), abs(high))
    return (low, high) if high - low > 1e-4 * margin else (low - margin, high + margin)


def _step(span: float) -> float:
    """Return a round step that divides the span into about five parts."""
    unit: float = 10.0 ** floor(log10(span / 5))
    return unit * next(factor for factor in (1, 2, 5, 10) if factor * unit * 5.5 >= span)


def _places(step: float) -> int:
    """Return the number of decimals of multiples of a step."""
    return max(0, ceil(-log10(step) - 1e-9))


def _tick_text(value: float, step: float) -> str:
    text = f"{value:.{_places(step)}f}" if 1e-5 <= step < 1e5 else f"{value:.3g}"
    return text.replace("-", "−")


WIDTH, HEIGHT = 440, 310
TOP, BOTTOM = 30, 262
LEFT, RIGHT = 38, 428
"""Size of a chart, and the positions of its edges, in units of SVG."""

LABEL_WIDTH = 88
"""Room to the right of the lines, for their names."""

LINE_HEIGHT = 16
"""Least distance between two names of lines."""

MAX_POINTS = 200
"""Largest number of thresholds that are drawn."""

MODEL = "this model"
"""Name of the threshold of the model in the charts."""


def charts_html(curve: Curve) -> str:
    """Return a chart of metrics over thresholds and one of precision over recall, with a caption.

    The caption says the metrics at the threshold of the model.
    """
    metrics = ", ".join(
        f"{name} {number_html(value) if isfinite(value) else 'undefined'}"
        for name, value in curve.at_chosen().items()
    )
    caption = f"At the threshold of the model: {metrics}."
    if any(np.isnan(values).any() for values in curve.lines().values()):
        caption += UNDEFINED_METRICS
    charts = _threshold_chart(curve, caption) + _precision_recall_chart(curve, caption)
    return f'<figure><div class="pair">{charts}</div><figcaption>{caption}</figcaption></figure>'


def _threshold_chart(curve: Curve, caption: str) -> str:
    """Draw each metric over the threshold minus that of the model."""
    changes = curve.thresholds - curve.chosen
    across = Axis.around([*changes, 0.0], LEFT, RIGHT - LABEL_WIDTH)
    up = Axis.of_shares(np.concatenate(list(curve.lines().values())).tolist(), BOTTOM, TOP)
    points = _drawn_points(curve)
    lines = [
        _line(points, changes, values, (across, up), index)
        for index, values in enumerate(curve.lines().values())
    ]
    parts = [*_frame(across, up, "change of the threshold", ""), *lines, _model_line(across)]
    parts += _model_dots(curve, across, up)
    parts += _line_names(curve, changes, across, up)
    return _chart(parts, f"Line chart of metrics at other thresholds. {caption}")


def _precision_recall_chart(curve: Curve, caption: str) -> str:
    across = Axis.of_shares(curve.recall.tolist(), LEFT, RIGHT - 12)
    up = Axis.of_shares(curve.precision.tolist(), BOTTOM, TOP)
    line = _line(_drawn_points(curve), curve.recall, curve.precision, (across, up), 0)
    if not line:
        return ""
    parts = [*_frame(across, up, "recall", "precision"), line]
    values = curve.at_chosen()
    if isfinite(values["recall"]) and isfinite(values["precision"]):
        parts += _model_point(across.at(values["recall"]), up.at(values["precision"]))
    return _chart(parts, f"Line chart of precision over recall. {caption}")


def _model_point(x: float, y: float) -> list[str]:
    """Draw the point of the model, and its name: above to the right, or below to the left.

    The line, which usually falls to the right, leaves these places free.
    """
    if x < (LEFT + RIGHT) / 2:
        name = _text(x + 10, y - 10, MODEL, "label start")
    else:
        name = _text(x - 10, y + 20 if y + 24 < BOTTOM else y - 10, MODEL, "label end")
    return [_dot(x, y, 0), name]


def _drawn_points(curve: Curve) -> Ints:
    """Return the indices of the thresholds that are drawn: all, or an even selection."""
    n_thresholds = len(curve.thresholds)
    n_points = min(n_thresholds, MAX_POINTS)
    return np.linspace(0, n_thresholds - 1, n_points).round().astype(np.intp)


def _line(points: Ints, x: Floats, y: Floats, axes: tuple[Axis, Axis], index: int) -> str:
    """Draw a line through points; undefined points interrupt it."""
    across, up = axes
    path, continues = [], False
    for point in points:
        is_defined = isfinite(x[point]) and isfinite(y[point])
        if is_defined:
            position = f"{across.at(x[point]):.1f} {up.at(y[point]):.1f}"
            # The line of length 0 makes a point without neighbours visible.
            path.append(f"L{position}" if continues else f"M{position}h0")
        continues = is_defined
    return f'<path class="line s{index}" d="{"".join(path)}"/>' if path else ""


def _model_dots(curve: Curve, across: Axis, up: Axis) -> list[str]:
    values = enumerate(curve.at_chosen().values())
    return [_dot(across.at(0.0), up.at(value), index) for index, value in values if isfinite(value)]


def _dot(x: float, y: float, index: int) -> str:
    return f'<circle class="dot s{index}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'


def _model_line(across: Axis) -> str:
    """Draw the vertical line at the threshold of the model, and its name above."""
    x = across.at(0.0)
    name_x = min(max(x, LEFT + 36), RIGHT - 40)  # keeps the name inside the chart
    line = f'<path class="chosen" d="M{x:.1f} {TOP - 6}V{BOTTOM}"/>'
    return line + _text(name_x, TOP - 12, MODEL, "label")


def _line_names(curve: Curve, x: Floats, across: Axis, up: Axis) -> list[str]:
    """Draw the name of each line to the right of all lines, and a thin line that leads to it."""
    ends = {}
    for index, values in enumerate(curve.lines().values()):
        defined = np.flatnonzero(np.isfinite(values))
        if len(defined):
            ends[index] = across.at(x[defined[-1]]), up.at(values[defined[-1]])
    order = sorted(ends, key=lambda index: (ends[index][1], index))
    heights = spread_apart([ends[index][1] for index in order], TOP, BOTTOM)
    names, name_x = list(curve.lines()), RIGHT - LABEL_WIDTH + 16
    parts = []
    for index, name_y in zip(order, heights, strict=True):
        end_x, end_y = ends[index]
        path = f"M{end_x + 2:.1f} {end_y:.1f}L{name_x - 4} {name_y:.1f}"
        parts.append(f'<path class="lead s{index}" d="{path}"/>')
        parts.append(_text(name_x, name_y + 4, names[index], f"name s{index} start"))
    return parts


def spread_apart(heights: Sequence[float], low: float, high: float) -> list[float]:
    """Move ascending heights at least `LINE_HEIGHT` apart, within limits if there is room.

    >>> spread_apart([10.0, 12.0, 100.0], 0.0, 100.0)
    [10.0, 26.0, 100.0]
    >>> spread_apart([99.0, 100.0], 0.0, 100.0)
    [84.0, 100.0]
    """
    moved: list[float] = []
    for height in heights:
        moved.append(max(height, moved[-1] + LINE_HEIGHT if moved else low))
    for index in range(len(moved) - 1, -1, -1):
        limit = moved[index + 1] - LINE_HEIGHT if index + 1 < len(moved) else high
        moved[index] = min(moved[index], limit)
    return moved


def _frame(across: Axis, up: Axis, x_name: str, y_name: str) -> list[str]:
    """Draw both axes with their names, ticks and grid lines."""
    parts = []
    for value, text in up.ticks():
        y = up.at(value)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{across.stop:.1f}"/>')
        parts.append(_text(LEFT - 6, y + 4, text, "end"))
    for value, text in across.ticks():
        x = across.at(value)
        parts.append(f'<path class="grid" d="M{x:.1f} {BOTTOM}v5"/>')
        parts.append(_text(x, BOTTOM + 20, text, "middle"))
    parts.append(_text((across.start + across.stop) / 2, HEIGHT - 8, x_name, "label middle"))
    return [*parts, _text(4, TOP - 14, y_name, "label start") if y_name else ""]


def _text(x: float, y: float, text: str, classes: str) -> str:
    return f'<text class="{classes}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _chart(parts: Sequence[str], label: str) -> str:
    return (
        f'<svg class="curve" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


_BAR_HEIGHT = 9


def interval_bar(metric: Figure, axis: Axis) -> str:
    """Draw a metric: its value as a dot, its interval as a line."""
    x, parts = axis.at(metric.value), [_rule(0, 100, "base")]
    if metric.low is not None and metric.high is not None:
        parts.append(_rule(axis.at(metric.low), axis.at(metric.high), "range"))
    parts.append(f'<circle class="dot s0" cx="{x:.2f}%" cy="50%" r="4.5"/>')
    return _bars(parts, 14)


def shared_axis(metrics: Sequence[Figure]) -> Axis | None:
    """Return one axis for all metrics that are shares; None if there is no such metric.

    >>> axis = shared_axis([Figure("F1", 0.93, 0.91, 0.95), Figure("edits", 12.0)])
    >>> axis.low, axis.high
    (0.9, 1.0)
    """
    values = [value for metric in metrics if is_share(metric) for value in _values(metric)]
    return Axis.of_shares(values, 0, 100) if values else None


def is_share(metric: Figure) -> bool:
    """Return whether a metric and its interval are from 0 to 1, and higher is better."""
    return metric.higher_is_better and all(
        isfinite(value) and 0 <= value <= 1 for value in _values(metric)
    )


def _values(metric: Figure) -> list[float]:
    """Return the value and the ends of the interval, without those that are missing."""
    return [value for value in (metric.value, metric.low, metric.high) if value is not None]


def value_or_zero(value: float | None) -> float:
    """Return a number, or 0 if it is missing or not finite."""
    return value if value is not None and isfinite(value) else 0.0


def count_bars(counts: Sequence[int], max_count: int) -> str:
    """Draw one bar per count, one below the other; the longest stands for `max_count`."""
    parts = [_bar(0, 100 * count / max(max_count, 1), index) for index, count in enumerate(counts)]
    return _bars(parts, (_BAR_HEIGHT + 1) * len(counts))


def signed_bars(values: Sequence[float | None], max_value: float) -> str:
    """Draw one bar per value: from the middle to the right, or to the left if it is negative."""
    widths = [50 * value_or_zero(value) / (max_value or 1.0) for value in values]
    parts = [_bar(min(50, 50 + width), abs(width), index) for index, width in enumerate(widths)]
    middle = '<line class="zero" x1="50%" x2="50%" y1="0" y2="100%"/>'
    return _bars([*parts, middle], (_BAR_HEIGHT + 1) * len(values))


def field_shares(fields: Sequence[FieldWeight]) -> list[float]:
    """Return each field's share of the differences between the means of the two kinds of pairs.

    >>> name = FieldWeight("name", "name", 3.0, -3.0)
    >>> field_shares([name, FieldWeight("city", "category", 1.0, -1.0)])
    [0.75, 0.25]
    """
    differences = [
        abs(value_or_zero(field.mean_for) - value_or_zero(field.mean_against)) for field in fields
    ]
    total = sum(differences) or 1.0
    return [difference / total for difference in differences]


def count_by_bin(counts_by_size: Mapping[int, int]) -> dict[int, int]:
    """Count clusters by bins of sizes; a bin is named by its smallest size.

    >>> count_by_bin({1: 7, 5: 1, 9: 2, 2500: 1})
    {1: 7, 5: 3, 2000: 1}
    """
    counts: dict[int, int] = {}
    for size, count in sorted(counts_by_size.items()):
        first = _bin_start(size)
        counts[first] = counts.get(first, 0) + count
    return counts


def bin_end(first: int) -> int:
    """Return the largest size of a bin from its smallest.

    >>> [bin_end(first) for first in (1, 5, 20, 1000)]
    [1, 9, 49, 1999]
    """
    if first < 5:
        return first
    leading_digit = int(str(first)[0])
    return first * 5 // 2 - 1 if leading_digit == 2 else first * 2 - 1


def _bin_start(size: int) -> int:
    """Return the smallest size of the bin: 1 to 4 alone, then 1, 2 or 5 times a power of ten."""
    if size < 5:
        return size
    unit: int = 10 ** (len(str(size)) - 1)
    return next(factor * unit for factor in (5, 2, 1) if factor * unit <= size)


def _rule(start: float, end: float, classes: str) -> str:
    return f'<line class="{classes}" x1="{start:.2f}%" x2="{end:.2f}%" y1="50%" y2="50%"/>'


def _bar(start: float, width: float, index: int) -> str:
    return (
        f'<rect class="bar s{index}" x="{start:.2f}%" width="{width:.2f}%" '
        f'y="{index * (_BAR_HEIGHT + 1)}" height="{_BAR_HEIGHT}"/>'
    )


def _bars(parts: Sequence[str], height: int) -> str:
    return f'<svg class="bars" height="{height}" aria-hidden="true">{"".join(parts)}</svg>'
