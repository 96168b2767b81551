"""How well probabilities hold: tables of what was said and what came true, and their plot."""

import io
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from coterie._core.arguments import as_floats, as_whole
from coterie._core.arrays import Floats, Ints, read_only
from coterie._core.files import FileName, as_path, replacing
from coterie.exceptions import InputError

Z = 1.959963984540054
"""The normal quantile of intervals of 95 %."""


@dataclass(frozen=True, eq=False)
class Reliability:
    """Probabilities held against what came true, in bins of equal width; empty ones are left out.

    Parameters
    ----------
    predicted
        The mean probability in each bin.
    observed
        The mean of what came true there: 0, 1 or a share.
    counts
        How many there are.
    calibration_error
        The mean over all of |observed − predicted| of their bin: the expected calibration error.
    brier
        The mean squared difference of probability and truth.
    log_loss
        The mean of −log of what was given to the truth.

    Examples
    --------
    >>> table = Reliability.of([0.1, 0.1, 0.8, 0.8], [0, 0, 1, 0])
    >>> table.observed, table.counts
    (array([0. , 0.5]), array([2, 2]))
    >>> table
    Reliability(4 in 2 bins; calibration error 0.2, Brier score 0.175, log loss 0.511)
    """

    predicted: Floats
    observed: Floats
    counts: Ints
    calibration_error: float
    brier: float
    log_loss: float

    def __post_init__(self) -> None:
        for name in ("predicted", "observed", "counts"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @classmethod
    def of(cls, probabilities: ArrayLike, truths: ArrayLike, n_bins: int = 10) -> Self:
        """Hold probabilities against truths: 0, 1 or a share; of none at all the errors are NaN."""
        said, true = as_floats("probabilities", probabilities), as_floats("truths", truths)
        if said.ndim != 1 or said.shape != true.shape:
            raise InputError(
                f"probabilities have shape {said.shape} and truths {true.shape}; give one of each"
            )
        for name, values in (("probabilities", said), ("truths", true)):
            if not (np.all(values >= 0) and np.all(values <= 1)):
                raise InputError(f"{name} must be numbers from 0 to 1; give such ones")
        n_bins = as_whole("n_bins", n_bins, 1)
        bins = np.minimum((said * n_bins).astype(np.intp), n_bins - 1)
        counts = np.bincount(bins, minlength=n_bins)
        used = counts > 0
        predicted, observed = (
            np.bincount(bins, values, n_bins)[used] / counts[used] for values in (said, true)
        )
        gap = np.abs(observed - predicted) @ counts[used] / len(said) if len(said) else nan
        brier, log_loss = _losses(said, true)
        return cls(predicted, observed, counts[used], float(gap), brier, log_loss)

    @property
    def intervals(self) -> Floats:
        """The 95 % intervals of what came true (Wilson 1927), of shape (bins, 2).

        They take all as independent, which pairs of one cluster are not, and shares as all or
        nothing, which makes those of clusters too wide.

        >>> Reliability.of([0.8] * 10, [1] * 8 + [0] * 2).intervals.round(2)
        array([[0.49, 0.94]])
        """
        n, rate = self.counts, self.observed
        middle = (rate + Z**2 / (2 * n)) / (1 + Z**2 / n)
        half = Z / (1 + Z**2 / n) * np.sqrt(rate * (1 - rate) / n + Z**2 / (4 * n**2))
        return np.clip(np.column_stack([middle - half, middle + half]), 0.0, 1.0)

    def __repr__(self) -> str:
        return (
            f"Reliability({self.counts.sum()} in {len(self.counts)} bins; calibration error "
            f"{self.calibration_error:.3g}, Brier score {self.brier:.3g}, log loss "
            f"{self.log_loss:.3g})"
        )


class Reliabilities(NamedTuple):
    """How well the probabilities hold of pairs, of clusters and of clusters of one item."""

    pairs: Reliability
    clusters: Reliability
    singletons: Reliability


def _losses(said: Floats, true: Floats) -> tuple[float, float]:
    """Return the Brier score and the log loss, which is infinite where the truth got 0."""
    if not len(said):
        return nan, nan
    with np.errstate(divide="ignore"):
        log_loss = -(xlogy(true, said) + xlogy(1.0 - true, 1.0 - said)).mean()
    return float(np.mean((said - true) ** 2)), float(log_loss)


# The plot.

# Okabe & Ito 2008.
SERIES = {
    "pairs": ("Pairs: together", "#0072B2", "o"),
    "clusters": ("Clusters: share of pairs together", "#D55E00", "s"),
    "singletons": ("Single items: alone", "#009E73", "D"),
}
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with Matplotlib
    "font.size": 10.0,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "coterie",  # names inside the file are the same at every run
    "svg.fonttype": "path",
}
FORMATS: dict[str, dict[str, Any]] = {
    ".png": {"format": "png", "dpi": 200},
    ".svg": {"format": "svg"},
}
WIDTH = 3.9
"""Inches: one hundredth of a telephone's width in pixels, so that texts can be read there."""


def save_reliability_plot(reliability: Reliabilities, path: FileName) -> None:
    """Draw what came true over what was said, and write it as PNG or SVG, by the file's ending.

    A point stands for a bin. Its area grows with the share of the pairs, clusters or single items
    that are there, its line is the interval of 95 %, and what holds lies on the diagonal.

    Parameters
    ----------
    reliability
        As `calibrate` finds it.
    path
        The name of the file; one of that name is replaced.
    """
    suffix = as_path(path).suffix.lower()
    if suffix not in FORMATS:
        raise InputError(f"{path} ends in {suffix!r}; give a name that ends in .png or .svg")
    drawn = _drawn(reliability, FORMATS[suffix])
    with replacing(path) as file:
        file.write(drawn)


def _drawn(reliability: Reliabilities, options: dict[str, Any]) -> bytes:
    try:
        from matplotlib import rc_context  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise InputError(
            "the plot needs Matplotlib, which is missing; get it by pip install 'coterie[charts]'"
        ) from error
    shown = {name: table for name, table in reliability._asdict().items() if len(table.counts)}
    with rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 3.85 + 0.2 * len(shown)), layout="constrained")
        axes = figure.subplots()
        _frame(axes)
        for name, table in shown.items():
            _series(axes, name, table)
        figure.legend(loc="outside lower left", frameon=False, fontsize=9)
        stream = io.BytesIO()
        metadata = {"Date": None} if options["format"] == "svg" else {"Software": None}
        figure.savefig(stream, metadata=metadata, **options)
    return stream.getvalue()


def _frame(axes: Any) -> None:
    axes.plot([0, 1], [0, 1], color="0.6", linewidth=1.0, linestyle=(0, (4, 3)), zorder=1)
    axes.set_aspect("equal")
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    ticks = np.linspace(0, 1, 6)
    axes.set_xticks(ticks)
    axes.set_yticks(ticks)
    axes.grid(color="0.9")
    axes.set_xlabel("Predicted probability")
    axes.set_ylabel("Observed rate")


def _series(axes: Any, name: str, table: Reliability) -> None:
    label, colour, marker = SERIES[name]
    low, high = table.intervals.T
    above = 5 - list(SERIES).index(name)  # pairs on top, whose points are the smallest
    axes.vlines(table.predicted, low, high, color=colour, linewidth=1.3, zorder=above)
    axes.scatter(
        table.predicted,
        table.observed,
        s=18 + 160 * table.counts / table.counts.sum(),
        color=colour,
        marker=marker,
        edgecolors="white",
        linewidths=0.7,
        zorder=above + 0.5,
        alpha=0.9,
        clip_on=False,
    )
    entry = f"{label} ({table.counts.sum():,}; ECE {table.calibration_error:.3f})"
    axes.scatter([], [], s=40, color=colour, marker=marker, label=entry)
