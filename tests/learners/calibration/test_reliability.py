"""Tables of reliability against scikit-learn and SciPy, and their plot."""

import sys

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, log_loss

from coterie.exceptions import InputError
from coterie.learners import Reliabilities, Reliability, save_reliability_plot


@pytest.fixture
def points(rng):
    probabilities = rng.random(500) ** 2
    return probabilities, (rng.random(500) < probabilities).astype(float)


def test_the_table_is_that_of_scikit_learn(points):
    probabilities, truths = points
    table = Reliability.of(probabilities, truths)
    observed, predicted = calibration_curve(truths, probabilities, n_bins=10)
    assert np.allclose(table.observed, observed)
    assert np.allclose(table.predicted, predicted)
    assert table.counts.sum() == 500
    assert table.brier == pytest.approx(brier_score_loss(truths, probabilities))
    assert table.log_loss == pytest.approx(log_loss(truths, probabilities))
    gaps = [abs(o - p) * n / 500 for o, p, n in zip(observed, predicted, table.counts, strict=True)]
    assert table.calibration_error == pytest.approx(sum(gaps))


def test_intervals_are_wilson_s(points):
    table = Reliability.of(*points)
    for row, rate, count in zip(table.intervals, table.observed, table.counts, strict=True):
        interval = binomtest(round(rate * count), count).proportion_ci(method="wilson")
        assert np.allclose(row, interval)


def test_shares_empty_tables_and_certain_mistakes():
    table = Reliability.of([0.5, 1.0], [0.25, 1.0])
    assert table.counts.tolist() == [1, 1]
    assert table.brier == pytest.approx(0.03125)
    assert table.log_loss == pytest.approx(np.log(2) / 2)
    assert Reliability.of([1.0], [0.0]).log_loss == np.inf
    nothing = Reliability.of([], [])
    assert len(nothing.counts) == 0
    assert np.isnan([nothing.calibration_error, nothing.brier, nothing.log_loss]).all()


@pytest.mark.parametrize(
    ("probabilities", "truths", "n_bins", "message"),
    [
        ([0.5], [0, 1], 10, "give one truth per"),
        ([1.5], [1], 10, "some probabilities are not between 0 and 1"),
        ([np.nan], [1], 10, "some probabilities are not between 0 and 1"),
        ([0.5], [2], 10, "some truths are not between 0 and 1"),
        ([0.5], [1], 0, "n_bins is 0; give a whole number of at least 1"),
    ],
)
def test_refusals(probabilities, truths, n_bins, message):
    with pytest.raises(InputError, match=message):
        Reliability.of(probabilities, truths, n_bins)


@pytest.fixture
def tables(points):
    few = Reliability.of([0.3, 0.8], [0, 1])
    return Reliabilities(Reliability.of(*points), few, Reliability.of([], []))


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.SVG", b"<?xml")])
def test_the_plot_is_written_in_the_same_bytes(tables, name, start, tmp_path):
    pytest.importorskip("matplotlib")
    written = []
    for _ in range(2):
        save_reliability_plot(tables, tmp_path / name)
        written.append((tmp_path / name).read_bytes())
    assert written[0].startswith(start)
    assert written[0] == written[1]
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_plot_has_a_point_for_each_bin(tables):
    figure = pytest.importorskip("matplotlib.figure").Figure()
    from coterie.learners.calibration.reliability import _draw_series

    axes = figure.subplots()
    _draw_series(axes, "pairs", tables.pairs)
    lines, dots, _ = axes.collections
    centres = np.column_stack([tables.pairs.predicted, tables.pairs.observed])
    assert np.allclose(dots.get_offsets(), centres)
    ends = [segment[:, 1] for segment in lines.get_segments()]
    assert np.allclose(ends, tables.pairs.intervals)
    assert np.argmax(dots.get_sizes()) == np.argmax(tables.pairs.counts)


def test_other_endings_are_refused(tables, tmp_path):
    with pytest.raises(InputError, match=r"ends in '.pdf'; give a name that ends in .png or .svg"):
        save_reliability_plot(tables, tmp_path / "a.pdf")


def test_without_matplotlib_the_error_says_how_to_get_it(tables, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    (tmp_path / "a.png").write_bytes(b"old")
    with pytest.raises(InputError, match=r"needs Matplotlib, .*pip install 'coterie\[charts\]'"):
        save_reliability_plot(tables, tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes() == b"old"
