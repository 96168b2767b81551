"""Bars inside the rows of a table, as wide as their cell; the numbers stand beside them."""

from collections.abc import Mapping, Sequence
from math import isfinite

from coterie.report._axes import Axis
from coterie.report.data import FieldWeight
from coterie.tables import Figure

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
