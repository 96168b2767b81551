"""How far a metric on one item set may be off: by the jackknife, spelled out."""

import numpy as np
import pytest

from coterie import Partition, metrics
from coterie.learners.auto.measure import N_GROUPS, Measure

OF_TABLES = [
    getattr(metrics, name)
    for name in metrics.__all__
    if hasattr(getattr(metrics, name), "from_table")
]


def number(value):
    return getattr(value, "f1", value)


@pytest.mark.parametrize("metric", OF_TABLES, ids=lambda metric: metric.__name__)
def test_true_clusters_are_left_out_group_by_group(metric):
    rng = np.random.default_rng(0)
    truth, predicted = (Partition(rng.integers(0, 25, 80)) for _ in range(2))
    measure = Measure(metric, truth, alone=True)
    whole, *found = measure(predicted)
    assert whole == number(metric(truth, predicted))
    assert len(found) == N_GROUPS
    for group, value in enumerate(found):
        kept = measure._groups != group
        assert not set(truth.labels[kept]) & set(truth.labels[~kept])
        left = number(metric(truth.labels[kept], predicted.labels[kept]))
        assert value == pytest.approx(N_GROUPS * whole - (N_GROUPS - 1) * left, abs=1e-9)


def test_metrics_of_no_table_are_left_out_item_by_item():
    rng = np.random.default_rng(0)
    truth, predicted = (Partition(rng.integers(0, 25, 80)) for _ in range(2))
    plain = Measure(lambda one, two: metrics.b_cubed(one, two).f1, truth, alone=True)
    assert plain(predicted) == pytest.approx(Measure(metrics.b_cubed, truth, alone=True)(predicted))
