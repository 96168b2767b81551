"""Confidences of whole clusters, and calibrations that depend on the size of a table."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie import PairScores, Partition
from coterie._saving import load_value, save_value
from coterie.calibrations import Logistic
from coterie.clusterers import AverageLinkage, Greedy
from coterie.exceptions import InputError
from coterie.learners.calibration.sized import are_right, fit_near, fit_sized_calibration
from coterie.model import _find_class
from coterie.sized_calibrations import (
    SizedCalibration,
    TableCalibration,
    WholeCalibration,
    weakest_joins,
)

EDGES = np.arange(-320, 321) / 16.0


def held_out(n_entities, seed=0, distance=8.0):
    """Scores of entities of one to three rows, and their partition."""
    rng = np.random.default_rng(seed)
    truth = Partition(np.repeat(np.arange(n_entities), rng.integers(1, 4, n_entities)))
    together = truth.together(None)
    values = np.where(together, distance, -distance) + 3.0 * rng.normal(size=len(together))
    return PairScores(len(truth), None, values), truth


def histogram(scores):
    bins = np.searchsorted(EDGES, scores.scores, side="right")
    return np.bincount(bins, minlength=len(EDGES) + 1)


@pytest.fixture(scope="module")
def trained():
    return fit_sized_calibration([held_out(120)], AverageLinkage())


def weakest_by_steps(matrix, items):
    """The lowest mean score of the joins of the two nearest parts, one by one."""
    parts, heights = [[item] for item in items], []
    while len(parts) > 1:
        means = {
            (i, j): matrix[np.ix_(parts[i], parts[j])].mean()
            for i, j in combinations(range(len(parts)), 2)
        }
        i, j = max(means, key=means.get)
        heights.append(means[i, j])
        parts[i] += parts.pop(j)
    return min(heights, default=np.inf)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), n_items=st.integers(1, 9), n_clusters=st.integers(1, 4))
def test_the_weakest_join_is_that_of_joining_step_by_step(seed, n_items, n_clusters):
    rng = np.random.default_rng(seed)
    matrix = np.triu(rng.normal(size=(n_items, n_items)), 1)
    matrix += matrix.T
    partition = Partition(rng.integers(0, n_clusters, n_items))
    expected = [weakest_by_steps(matrix, members) for members in partition.clusters]
    scores = PairScores(n_items, None, matrix[np.triu_indices(n_items, 1)])
    assert np.allclose(weakest_joins(scores, partition), expected)


def test_pairs_without_a_score_count_for_nothing():
    scores = PairScores(4, [[0, 1], [1, 2]], [3.0, 1.0])
    assert weakest_joins(scores, Partition([0, 0, 0, 1])).tolist() == [1.0, np.inf]
    assert weakest_joins(scores, Partition([0, 1, 2, 2])).tolist() == [np.inf] * 3


def test_the_confidence_of_a_cluster_rests_on_its_weakest_join():
    calibration = WholeCalibration(Logistic(), Logistic(2.0, 1.0), Logistic(3.0))
    scores = PairScores.from_matrix([[0, 4, 1, -9], [4, 0, 2, -9], [1, 2, 0, -1], [-9, -9, -1, 0]])
    confidences = calibration.confidences(scores, Partition([0, 0, 0, 1]))
    expected = [Logistic()(2.0 * 1.5 + 1.0), Logistic(3.0)(1.0)]
    assert np.allclose(confidences.clusters, expected)


def test_a_cluster_is_right_if_all_its_items_are_one_entity():
    truth, predicted = Partition([0, 0, 1, 2, 2, 3]), Partition([0, 0, 1, 1, 2, 3])
    assert are_right(truth, predicted).tolist() == [True, False, False, True]


def test_a_curve_stays_near_the_expected_one_with_few_examples():
    expected = Logistic(1.0, 0.7)
    few = fit_near(expected, np.array([2.0]), np.array([False]))
    assert abs(few.intercept - 0.7) < 1.0
    rng = np.random.default_rng(0)
    evidence = rng.normal(0.0, 3.0, 50_000)
    curve = Logistic(0.6, -1.0)
    many = fit_near(expected, evidence, rng.random(50_000) < curve(evidence))
    assert abs(many.slope - 0.6) < 0.05
    assert abs(many.intercept + 1.0) < 0.1


def test_tables_that_are_not_larger_change_nothing(trained):
    for n_rows in (1, 50, int(trained.held_out.n_rows)):
        scores, truth = held_out(40, seed=n_rows)
        table = trained.at(n_rows, EDGES, histogram(scores))
        assert (table.threshold, table.growth) == (0.0, 0.0)
        mine, theirs = (each.confidences(scores, truth) for each in (table, trained))
        assert np.array_equal(mine.clusters, theirs.clusters)
        assert np.array_equal(mine.pairs, theirs.pairs)


def test_larger_tables_raise_the_threshold_and_lower_the_probabilities(trained):
    tables = []
    for n_entities in (120, 480, 1400):
        scores, truth = held_out(n_entities, seed=7)
        tables.append(trained.at(len(truth), EDGES, histogram(scores)))
    thresholds = [table.threshold for table in tables]
    assert thresholds[0] <= thresholds[1] <= thresholds[2]
    assert thresholds[2] > 0.0
    raw = np.array([2.0, 3.0])
    probabilities = [table(raw - table.threshold) for table in tables]
    assert np.all(probabilities[2] < probabilities[0])


def test_the_order_of_the_pairs_changes_nothing(trained):
    scores, truth = held_out(480, seed=3)
    order = np.random.default_rng(0).permutation(len(truth))
    matrix = np.zeros((len(truth), len(truth)))
    matrix[np.triu_indices(len(truth), 1)] = scores.scores
    matrix += matrix.T
    shuffled = PairScores.from_matrix(matrix[np.ix_(order, order)])
    tables = [trained.at(len(truth), EDGES, histogram(each)) for each in (scores, shuffled)]
    assert tables[0].threshold == tables[1].threshold
    assert tables[0]([1.0]) == tables[1]([1.0])


@pytest.mark.parametrize("clusterer", [Greedy(), AverageLinkage(missing=-3.0)], ids=repr)
@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([], [0]),
        ([1.0], [0, 0]),
        ([1.0], [0, 1]),
        ([1.0, 1.0, 1.0], [0, 0, 1]),
        ([-50.0, 1e9, -1e9], [0, 1, 2]),
        ([0.0] * 6, [0, 0, 0, 0]),
    ],
)
def test_few_or_extreme_held_out_pairs_give_probabilities(clusterer, values, labels):
    scores, truth = PairScores(len(labels), None, values), Partition(labels)
    calibration = fit_sized_calibration([(scores, truth)], clusterer)
    for n_rows in (0, 1, 10**6):
        table = calibration.at(n_rows, EDGES, histogram(scores))
        confidences = table.confidences(scores, clusterer(scores))
        for probabilities in (confidences.clusters, confidences.pairs):
            assert np.all((probabilities >= 0.0) & (probabilities <= 1.0))
        assert 0.0 <= table.threshold <= EDGES[-1]


def test_weights_count_as_repeated_pairs():
    scores, truth = held_out(60)
    counted = fit_sized_calibration(
        [(scores, truth)], Greedy(), weights=[np.full(len(scores.scores), 3.0)]
    )
    once = fit_sized_calibration([(scores, truth)], Greedy())
    assert np.array_equal(counted.held_out.matches, 3.0 * once.held_out.matches)
    assert np.array_equal(counted.held_out.others, 3.0 * once.held_out.others)


def test_copies_of_rows_are_not_counted():
    scores, truth = PairScores(3, None, [5.0, 1.0, 1.0]), Partition([0, 0, 1])
    distinct = [np.array([True, False, True])]
    calibration = fit_sized_calibration([(scores, truth)], Greedy(), distinct)
    assert calibration.held_out.matches.sum() == 0.0
    assert calibration.held_out.others.sum() == 1.0
    assert calibration.held_out.n_rows == 2.0


def test_a_calibration_is_saved_and_loaded(tmp_path, trained):
    save_value(tmp_path / "calibration", trained, _find_class)
    loaded = load_value(tmp_path / "calibration", _find_class)
    assert isinstance(loaded, SizedCalibration)
    scores, truth = held_out(480, seed=1)
    tables = [each.at(len(truth), EDGES, histogram(scores)) for each in (trained, loaded)]
    assert isinstance(tables[0], TableCalibration)
    assert tables[0].threshold == tables[1].threshold
    assert np.array_equal(*(table(scores.scores) for table in tables))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"level": np.nan}, "level is nan"),
        ({"thresholds": [0.0, 1.0]}, "lists of the same length"),
        ({"thresholds": [], "recalls": []}, "lists of the same length"),
        ({"n_entities": -1}, "n_entities is -1"),
    ],
)
def test_calibrations_that_cannot_be_are_refused(trained, changes, message):
    parameters = {**trained.get_params(deep=False), "thresholds": [0.0], "recalls": [1.0]}
    with pytest.raises(InputError, match=message):
        SizedCalibration(**{**parameters, **changes})


@pytest.mark.parametrize("score", [-5.0, 1.0, 9.0, 15.0])
def test_no_histogram_raises_the_threshold_beyond_the_growth_of_wrong_pairs(trained, score):
    counts = np.zeros(len(EDGES) + 1)
    counts[np.searchsorted(EDGES, score)] = 1e9
    table = trained.at(10 * int(trained.held_out.n_rows), EDGES, counts)
    as_trained = trained([table.threshold - 0.5])[0]
    assert np.log(as_trained / (1.0 - as_trained)) <= trained.level + 1.25 * np.log(10.0) + 0.5
