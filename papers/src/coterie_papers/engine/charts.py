"""Charts of results in place of the plots of a paper, written as SVG."""

import io
import logging
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite
from typing import Any, ClassVar, TypeAlias

from coterie.exceptions import InputError
from coterie.learners.calibration.reliability import STYLE
from coterie.toolkit import FileName, replacing

Panels: TypeAlias = Mapping[str, Mapping[str, Sequence[float]]]
"""Panel → series → one number per place; NaN means that there is no number."""

log = logging.getLogger(__name__)

# The palette of Okabe & Ito 2008, without yellow, which can hardly be seen on white.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
MARKERS = "osD^vPX"


@dataclass(frozen=True)
class Chart(ABC):
    """Panels side by side, each with the numbers of several series at the same places.

    Parameters
    ----------
    title
        One line that says what the chart shows.
    places
        The labels along the axis of places, in order.
    panels
        Panel → series → one number per place; NaN means that there is no number. All panels have
        the same series.
    axes
        The names of the axis of places and of the axis of numbers.
    """

    title: str
    places: Sequence[str]
    panels: Panels
    axes: tuple[str, str] = ("", "")

    def __post_init__(self) -> None:
        if not self.panels:
            raise InputError(f"the chart {self.title!r} has no panels; give at least one")
        if len(self.series) > len(COLOURS):
            raise InputError(
                f"the chart {self.title!r} has {len(self.series)} series; give at most "
                f"{len(COLOURS)}, because there are no more colours that readers can distinguish"
            )
        for name, series in self.panels.items():
            lengths = [len(values) for values in series.values()]
            if list(series) != self.series or lengths != [len(self.places)] * len(lengths):
                raise InputError(
                    f"the panel {name!r} of the chart {self.title!r} has the series "
                    f"{', '.join(series)} with {lengths} numbers; give every panel the series "
                    f"{', '.join(self.series)} with {len(self.places)} numbers, one per place"
                )

    @property
    def series(self) -> list[str]:
        """The names of the series."""
        return list(next(iter(self.panels.values())))

    def to_svg(self) -> bytes:
        """Draw the chart with Matplotlib; the same chart gives the same bytes."""
        from matplotlib import rc_context  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415

        with rc_context(STYLE):
            figure = Figure(figsize=self._size(), layout="constrained")
            self._fill(figure)
            stream = io.BytesIO()
            figure.savefig(stream, format="svg", metadata={"Date": None})
        return stream.getvalue()

    def write(self, path: FileName) -> None:
        """Write the chart as SVG, completely or not at all; warn if Matplotlib is missing."""
        try:
            svg = self.to_svg()
        except ModuleNotFoundError as error:
            if error.name != "matplotlib":
                raise
            log.warning(
                "%s is not drawn, because Matplotlib is missing; install it with "
                "pip install 'coterie[charts]'",
                path,
            )
            return
        with replacing(path) as file:
            file.write(svg)

    def _fill(self, figure: Any) -> None:
        all_axes = figure.subplots(1, len(self.panels), sharex=True, sharey=True, squeeze=False)[0]
        for axes, (name, series) in zip(all_axes, self.panels.items(), strict=True):
            self._draw(axes, series)
            axes.set_title(name, fontsize=11)
        figure.suptitle(self.title, x=0.01, ha="left", fontsize=12, fontweight="bold")
        if len(self.series) > 1:
            handles, labels = all_axes[0].get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside right upper", frameon=False)

    @abstractmethod
    def _size(self) -> tuple[float, float]:
        """Return the width and the height in inches."""

    @abstractmethod
    def _draw(self, axes: Any, series: Mapping[str, Sequence[float]]) -> None:
        """Draw one panel."""


@dataclass(frozen=True)
class Bars(Chart):
    """Horizontal bars with their numbers, one bar per place and series; lengths start at 0.

    Examples
    --------
    >>> panels = {"News": {"greedy": [90.0, 80.0], "exact": [85.0, 82.0]}}
    >>> Bars("F1", ["train", "test"], panels, axes=("", "F1")).series
    ['greedy', 'exact']
    """

    GAP: ClassVar[float] = 0.6
    """The gap between two places, in units of a bar."""

    def _size(self) -> tuple[float, float]:
        n_bars = max(len(list(self._bars(series))) for series in self.panels.values())
        height = 1.3 + 0.23 * (n_bars + self.GAP * len(self.places))
        return 3.2 + 2.6 * len(self.panels) + 1.6 * (len(self.series) > 1), height

    def _draw(self, axes: Any, series: Mapping[str, Sequence[float]]) -> None:
        bars = list(self._bars(series))
        for number, name in enumerate(self.series):
            points = [(y, value) for _, bar_series, y, value in bars if bar_series == name]
            colour = COLOURS[number % len(COLOURS)]
            ys, widths = zip(*points, strict=True) if points else ((), ())
            rectangles = axes.barh(ys, widths, height=0.86, color=colour, label=name)
            axes.bar_label(rectangles, fmt="%.1f", padding=2, fontsize=8.5)
        ys_by_place = [
            [y for bar_place, _, y, _ in bars if bar_place == place]
            for place in range(len(self.places))
        ]
        axes.set_yticks([sum(ys) / max(len(ys), 1) for ys in ys_by_place], self.places)
        axes.tick_params(axis="y", length=0)
        # The panels share their axis, so the longest bar of all panels must fit.
        values = [value for panel in self.panels.values() for *_, value in self._bars(panel)]
        axes.set_xlim(0.0, 1.14 * max(values, default=1.0))
        axes.set_ylim(max((y for _, _, y, _ in bars), default=0.0) + 0.7, -0.7)
        axes.set_xlabel(self.axes[1])
        axes.set_ylabel(self.axes[0])
        axes.grid(axis="x", color="0.88")

    def _bars(
        self, series: Mapping[str, Sequence[float]]
    ) -> Iterator[tuple[int, str, float, float]]:
        """Yield the place, series, y coordinate and number of each bar; NaN gives no bar."""
        y = 0.0
        for place in range(len(self.places)):
            for name, values in series.items():
                if isfinite(values[place]):
                    yield place, name, y, values[place]
                    y += 1.0
            y += self.GAP


@dataclass(frozen=True)
class Lines(Chart):
    """Lines over places at equal distances; all panels share one range of numbers.

    Examples
    --------
    >>> panels = {"People": {"SDC": [60.0, 70.0]}, "Locations": {"SDC": [80.0, 90.0]}}
    >>> Lines("Training sizes", ["10 %", "20 %"], panels, axes=("names", "F1")).limits
    (60, 90)
    """

    @property
    def limits(self) -> tuple[int, int]:
        """The multiples of ten below and above all numbers."""
        numbers = [
            value
            for series in self.panels.values()
            for values in series.values()
            for value in values
            if isfinite(value)
        ] or [0.0]
        return 10 * floor(min(numbers) / 10), max(10 * ceil(max(numbers) / 10), 10)

    def _size(self) -> tuple[float, float]:
        return 0.8 + 3.1 * len(self.panels) + 2.2 * (len(self.series) > 1), 4.0

    def _draw(self, axes: Any, series: Mapping[str, Sequence[float]]) -> None:
        self._plot(axes, range(len(self.places)), series)
        axes.set_xticks(range(len(self.places)), self.places)
        low, high = self.limits
        margin = 0.02 * (high - low)
        axes.set_ylim(low - margin, high + margin)
        axes.grid(axis="y", color="0.88")

    def _plot(self, axes: Any, xs: Sequence[float], series: Mapping[str, Sequence[float]]) -> None:
        for number, (name, values) in enumerate(series.items()):
            axes.plot(
                xs,
                values,
                label=name,
                color=COLOURS[number % len(COLOURS)],
                marker=MARKERS[number % len(MARKERS)],
                markersize=7,
                markeredgecolor="white",
                markeredgewidth=0.6,
                linewidth=1.6,
                zorder=3 - number / len(series),  # the first series is on top
            )
        axes.set_xlabel(self.axes[0])
        if axes.get_subplotspec().is_first_col():
            axes.set_ylabel(self.axes[1])


@dataclass(frozen=True)
class Curves(Lines):
    """Lines over places that are numbers, with logarithmic axes, so that powers are straight.

    Examples
    --------
    >>> panels = {"Features": {"Iterative": [0.5, 1.1], "Spectral": [2.0, 3.9]}}
    >>> Curves("Training time", ["10", "20"], panels, axes=("features", "seconds")).positions
    [10.0, 20.0]
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        not_positive = [
            number
            for series in self.panels.values()
            for values in series.values()
            for number in (*values, *self.positions)
            if number <= 0
        ]
        if not_positive:
            raise InputError(
                f"the chart {self.title!r} has the number {not_positive[0]:g}, but logarithmic "
                "axes need numbers above 0; give numbers above 0, or use Lines"
            )

    @property
    def positions(self) -> list[float]:
        """The places as numbers."""
        try:
            return [float(place) for place in self.places]
        except ValueError as error:
            raise InputError(
                f"the chart {self.title!r} has places that are not numbers ({error}); give "
                "numbers, or use Lines"
            ) from error

    def _draw(self, axes: Any, series: Mapping[str, Sequence[float]]) -> None:
        from matplotlib.ticker import LogLocator, NullFormatter, NullLocator  # noqa: PLC0415

        self._plot(axes, self.positions, series)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(self.positions, self.places)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.grid(axis="y", color="0.88")
