"""The reliability of probabilities: tables that compare them with the truth, and their plot."""

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
"""The 0.975 quantile of the normal distribution, for intervals of 95%."""


@dataclass(frozen=True, eq=False)
class Reliability:
    """A comparison of probabilities with true values, in bins of equal width.

    A true value is 0, 1 or a share. Empty bins are left out.

    Parameters
    ----------
    predicted
        The mean probability in each bin.
    observed
        The mean of the true values in each bin.
    counts
        The number of probabilities in each bin.
    calibration_error
        The mean of |observed − predicted| over the bins, weighted by their counts: the expected
        calibration error.
    brier
        The mean squared difference of probability and true value: the Brier score.
    log_loss
        The mean of −t log p − (1 − t) log(1 − p) for probability p and true value t.

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
        """Compare probabilities with true values; without any, the errors are NaN."""
        p, t = as_floats("probabilities", probabilities), as_floats("truths", truths)
        if p.ndim != 1 or p.shape != t.shape:
            raise InputError(
                f"probabilities have shape {p.shape} and truths {t.shape}; give one truth per "
                "probability"
            )
        for name, values in (("probabilities", p), ("truths", t)):
            if not (np.all(values >= 0) and np.all(values <= 1)):
                raise InputError(f"some {name} are not between 0 and 1; give numbers from 0 to 1")
        n_bins = as_whole("n_bins", n_bins, 1)
        bins = np.minimum((p * n_bins).astype(np.intp), n_bins - 1)
        counts = np.bincount(bins, minlength=n_bins)
        is_filled = counts > 0
        counts_of_filled = counts[is_filled]
        predicted, observed = (
            np.bincount(bins, values, n_bins)[is_filled] / counts_of_filled for values in (p, t)
        )
        error = np.abs(observed - predicted) @ counts_of_filled / len(p) if len(p) else nan
        brier, log_loss = _losses(p, t)
        return cls(predicted, observed, counts_of_filled, float(error), brier, log_loss)

    @property
    def intervals(self) -> Floats:
        """The 95% intervals of the means of true values (Wilson 1927), of shape (bins, 2).

        They assume that the values are independent and that each one is 0 or 1. The pairs of one
        cluster are not independent, so intervals of pairs are usually too narrow. The values of
        clusters are shares, so their intervals are too wide.

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
    """The reliability of the probabilities of pairs, of clusters, and of clusters of one item."""

    pairs: Reliability
    clusters: Reliability
    singletons: Reliability


def _losses(p: Floats, t: Floats) -> tuple[float, float]:
    """Return the Brier score and the log loss, which is infinite if a true class got p = 0."""
    if not len(p):
        return nan, nan
    with np.errstate(divide="ignore"):
        log_loss = -(xlogy(t, p) + xlogy(1.0 - t, 1.0 - p)).mean()
    return float(np.mean((p - t) ** 2)), float(log_loss)


# The plot.

# The colours are from Okabe & Ito 2008, whose palette suits colour-blind people.
SERIES = {
    "pairs": ("Pairs: together", "#0072B2", "o"),
    "clusters": ("Clusters: share of pairs together", "#D55E00", "s"),
    "singletons": ("Single items: alone", "#009E73", "D"),
}
"""Legend, colour and marker of each series of the plot."""

STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with Matplotlib
    "font.size": 10.0,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "coterie",  # makes the ids in the file the same in every run
    "svg.fonttype": "path",
}
"""Settings of Matplotlib."""

FORMATS: dict[str, dict[str, Any]] = {
    ".png": {"format": "png", "dpi": 200},
    ".svg": {"format": "svg"},
}
"""Arguments of Matplotlib's `savefig`, by the ending of the file name."""

WIDTH = 3.9
"""The width of the plot in inches, small enough that texts can be read on a phone."""


def save_reliability_plot(reliability: Reliabilities, path: FileName) -> None:
    """Plot the observed rates against the predicted probabilities, and save it as PNG or SVG.

    Each bin is a point with its interval of 95%. The area of the point grows with its share of the
    pairs, clusters or single items. Points of perfect probabilities are on the diagonal.

    Parameters
    ----------
    reliability
        The `reliability` of a `Calibrated`.
    path
        The name of the file, which ends in .png or .svg. An existing file is replaced.
    """
    suffix = as_path(path).suffix.lower()
    if suffix not in FORMATS:
        raise InputError(f"{path} ends in {suffix!r}; give a name that ends in .png or .svg")
    image = _render(reliability, FORMATS[suffix])
    with replacing(path) as file:
        file.write(image)


def _render(reliability: Reliabilities, options: dict[str, Any]) -> bytes:
    try:
        from matplotlib import rc_context  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise InputError(
            "the plot needs Matplotlib, which is missing; run pip install 'coterie[charts]'"
        ) from error
    tables = {name: table for name, table in reliability._asdict().items() if len(table.counts)}
    with rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 3.85 + 0.2 * len(tables)), layout="constrained")
        axes = figure.subplots()
        _draw_frame(axes)
        for name, table in tables.items():
            _draw_series(axes, name, table)
        figure.legend(loc="outside lower left", frameon=False, fontsize=9)
        stream = io.BytesIO()
        metadata = {"Date": None} if options["format"] == "svg" else {"Software": None}
        figure.savefig(stream, metadata=metadata, **options)
    return stream.getvalue()


def _draw_frame(axes: Any) -> None:
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


def _draw_series(axes: Any, name: str, table: Reliability) -> None:
    label, colour, marker = SERIES[name]
    low, high = table.intervals.T
    layer = 5 - list(SERIES).index(name)  # pairs are on top, because their points are the smallest
    axes.vlines(table.predicted, low, high, color=colour, linewidth=1.3, zorder=layer)
    axes.scatter(
        table.predicted,
        table.observed,
        s=18 + 160 * table.counts / table.counts.sum(),
        color=colour,
        marker=marker,
        edgecolors="white",
        linewidths=0.7,
        zorder=layer + 0.5,
        alpha=0.9,
        clip_on=False,
    )
    entry = f"{label} ({table.counts.sum():,}; ECE {table.calibration_error:.3f})"
    axes.scatter([], [], s=40, color=colour, marker=marker, label=entry)
