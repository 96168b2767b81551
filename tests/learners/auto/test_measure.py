"""The jackknife pseudo-values of a metric on one item set, against brute force."""

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
    measure = Measure(metric, truth, is_single=True)
    value, *pseudo_values = measure(predicted)
    assert value == number(metric(truth, predicted))
    assert len(pseudo_values) == N_GROUPS
    for group, pseudo_value in enumerate(pseudo_values):
        other = measure._groups != group
        assert not set(truth.labels[other]) & set(truth.labels[~other])
        partial = number(metric(truth.labels[other], predicted.labels[other]))
        expected = N_GROUPS * value - (N_GROUPS - 1) * partial
        assert pseudo_value == pytest.approx(expected, abs=1e-9)


def test_metrics_without_from_table_give_the_same_values():
    rng = np.random.default_rng(0)
    truth, predicted = (Partition(rng.integers(0, 25, 80)) for _ in range(2))
    by_items = Measure(lambda *partitions: metrics.b_cubed(*partitions).f1, truth, is_single=True)
    by_table = Measure(metrics.b_cubed, truth, is_single=True)
    assert by_items(predicted) == pytest.approx(by_table(predicted))
