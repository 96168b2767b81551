"""Drawings of the curves over the operating point, as SVG inside the page."""

from collections.abc import Sequence
from html import escape
from math import isfinite

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie.report._axes import Axis
from coterie.report._html import figure
from coterie.report.data import Curve

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
