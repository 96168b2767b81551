"""Tuning against plain loops and scikit-learn's grid search."""

import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from coterie import Partition, progress
from coterie.clusterers import AverageLinkage, Greedy, SingleLinkage
from coterie.datasets import make_item_sets
from coterie.exceptions import FeatureError, InputError, ItemSetError, MetricError, PartitionError
from coterie.learners import SVMCluster
from coterie.learners.baselines import Fine
from coterie.learners.pairwise import PairwiseClustering
from coterie.learners.tuning import tune
from coterie.metrics import b_cubed, pair_loss, scorer

SETS, TRUTHS = make_item_sets(n_sets=5, n_items=12, n_features=2, n_nuisance=2)


def part(values, numbers):
    return [values[number] for number in numbers]


def by_hand(learner, grid_points, n_folds, value, random_state=0):
    """Return the value of each held-out set for each point, by plain loops over KFold."""
    order = np.random.default_rng(random_state).permutation(len(SETS))
    table = []
    for params in grid_points:
        values = np.zeros(len(SETS))
        for train, test in KFold(n_folds).split(order):
            learned = clone(learner).set_params(**params)
            learned.fit(part(SETS, sorted(order[train])), part(TRUTHS, sorted(order[train])))
            for number in order[test]:
                predicted = learned.predict([SETS[number]])[0]
                values[number] = value(TRUTHS[number], predicted)
        table.append(tuple(values.tolist()))
    return table


class Counting(PairwiseClustering):
    """A learner that counts its fits."""

    fits = 0

    def _fit(self, examples):
        Counting.fits += 1
        super()._fit(examples)


class Dial(Fine):
    """A learner that predicts log₁₀ C + 10 clusters."""

    fits = 0

    def __init__(self, C=1.0, other=None):
        self.C = C
        self.other = other

    def _fit(self, examples):
        Dial.fits += 1
        self.n_clusters_ = round(math.log10(self.C)) + 10
        super()._fit(examples)

    def predict(self, item_sets):
        return [Partition(np.arange(len(item_set)) % self.n_clusters_) for item_set in item_sets]


def distance_to(n_clusters):
    def distance(truth, predicted):
        return abs(predicted.n_clusters - n_clusters)

    distance.greater_is_better = False
    return distance


def tune_dial(Cs, target, **params):
    many = [np.zeros((30, 1))] * 2
    return tune(Dial(), many, [[0] * 30] * 2, {"C": Cs}, metric=distance_to(target), **params)


@pytest.mark.parametrize("n_folds", [2, 3, 5])
@pytest.mark.parametrize(
    ("metric", "value"), [(b_cubed, lambda *pair: b_cubed(*pair).f1), (pair_loss, pair_loss)]
)
def test_it_is_cross_validation_over_item_sets(n_folds, metric, value):
    learner = PairwiseClustering(balanced=True)
    grid = {"threshold": [0.5, -0.5], "C": [0.1, 0.001, 1.0]}
    points = [{"threshold": t, "C": C} for t in (0.5, -0.5) for C in (0.001, 0.1, 1.0)]
    expected = by_hand(learner, points, n_folds, value)
    tuned = tune(learner, SETS, TRUTHS, grid, metric=metric, n_folds=n_folds)
    assert [trial.params for trial in tuned.table] == points
    assert np.allclose([trial.scores for trial in tuned.table], expected)
    means = np.mean(expected, axis=1)
    assert np.allclose([trial.mean for trial in tuned.table], means)
    best = np.argmax(means) if metric is b_cubed else np.argmin(means)
    assert tuned.params == points[best]
    assert tuned.score == pytest.approx(means[best])
    direct = clone(learner).set_params(**points[best]).fit(SETS, TRUTHS)
    assert np.array_equal(tuned.learner.similarity_.coef, direct.similarity_.coef)


def test_it_agrees_with_a_grid_search():
    learner = PairwiseClustering()
    grid = {"C": [0.001, 1.0], "balanced": [False, True]}
    search = GridSearchCV(learner, grid, scoring=scorer(pair_loss), cv=LeaveOneOut())
    search.fit(SETS, TRUTHS)
    tuned = tune(learner, SETS, TRUTHS, grid, metric=pair_loss, n_folds=100, widen=False)
    assert [trial.params for trial in tuned.table] == search.cv_results_["params"]
    means = [-trial.mean for trial in tuned.table]
    assert np.allclose(means, search.cv_results_["mean_test_score"])
    assert tuned.params == search.best_params_


def test_processes_change_nothing():
    grid = {"C": [0.001, 0.1], "threshold": [0.0, 0.5], "classifier__tol": [1e-2, 1e-4]}
    learner = PairwiseClustering(classifier=LinearSVC())
    one, two = (tune(learner, SETS, TRUTHS, grid, n_folds=3, n_jobs=n) for n in (1, 2))
    assert one.table == two.table
    assert (one.params, one.score) == (two.params, two.score)
    assert np.array_equal(one.learner.similarity_.coef, two.learner.similarity_.coef)


def test_the_seed_divides_the_sets():
    grid = {"threshold": [0.0]}
    first, again, *other_tables = (
        tune(PairwiseClustering(), SETS, TRUTHS, grid, n_folds=2, random_state=seed).table
        for seed in (0, 0, 1, 2, 3)
    )
    assert first == again
    assert any(first != other for other in other_tables)


# Fits that are saved.


def test_what_matters_in_prediction_alone_costs_no_fit():
    Counting.fits = 0
    grid = {
        "clusterer": [Greedy(), AverageLinkage()],
        "threshold": [0.0, 0.2, 0.5],
        "balanced": [True, False],
    }
    tuned = tune(Counting(), SETS, TRUTHS, grid, n_folds=3)
    assert Counting.fits == 3 * 2 + 1
    assert len(tuned.table) == 12
    points = [trial.params for trial in tuned.table]
    expected = by_hand(PairwiseClustering(), points, 3, lambda *pair: b_cubed(*pair).f1)
    assert np.allclose([trial.scores for trial in tuned.table], expected)


def test_parameters_of_values_are_set_after_the_values():
    grid = {"clusterer__threshold": [-1.0, 0.0, 1.0], "clusterer": [AverageLinkage(missing=-2.0)]}
    Counting.fits = 0
    tuned = tune(Counting(SingleLinkage()), SETS, TRUTHS, grid, n_folds=2)
    assert Counting.fits == 3
    best = tuned.params["clusterer__threshold"]
    assert tuned.learner.clusterer == AverageLinkage(threshold=best, missing=-2.0)


def test_a_path_of_c_is_fitted_in_one_go(monkeypatch):
    paths = []
    original = SVMCluster.fit_path

    def fit_path(self, item_sets, partitions, Cs):
        paths.append((self.augment, list(Cs)))
        return original(self, item_sets, partitions, Cs)

    monkeypatch.setattr(SVMCluster, "fit_path", fit_path)
    grid = {"C": [1000.0, 10.0], "augment": [True, False]}
    tuned = tune(SVMCluster(), SETS, TRUTHS, grid, n_folds=2, widen=False)
    assert paths == [(True, [10.0, 1000.0])] * 2 + [(False, [10.0, 1000.0])] * 2
    order = np.random.default_rng(0).permutation(len(SETS))
    for train, test in KFold(2).split(order):
        learned = original(
            SVMCluster(),
            part(SETS, sorted(order[train])),
            part(TRUTHS, sorted(order[train])),
            [10.0, 1000.0],
        )
        for C, fitted in zip([10.0, 1000.0], learned, strict=True):
            trial = next(t for t in tuned.table if t.params == {"C": C, "augment": True})
            for number in order[test]:
                predicted = fitted.predict([SETS[number]])[0]
                assert trial.scores[number] == b_cubed(TRUTHS[number], predicted).f1


# Widening.


@pytest.mark.parametrize(
    ("Cs", "target", "tried"),
    [
        ([1.0, 10.0], 14, [1.0, 10.0, 100.0, 1e3, 1e4]),  # three times, and no more
        ([1.0, 10.0], 20, [1.0, 10.0, 100.0, 1e3, 1e4]),
        ([1e6, 1e7], 14, [1e3, 1e4, 1e5, 1e6, 1e7]),
        (np.logspace(-1, 1, 3), 8, [1e-3, 1e-2, 0.1, 1.0, 10.0]),
        ([1.0, 10.0, 100.0], 11, [1.0, 10.0, 100.0]),  # the best is inside
        ([1.0, 10.0, 1e3], 14, [1.0, 10.0, 1e3]),  # no series
        ([0.001], 14, [0.001]),
        ([1.0, 10.0], 11, [1.0, 10.0, 100.0]),  # once is enough
    ],
)
def test_a_list_of_c_is_widened_where_its_end_is_best(Cs, target, tried):
    tuned = tune_dial(Cs, target)
    assert [trial.params["C"] for trial in tuned.table] == tried
    distances = [abs(math.log10(C) + 10 - target) for C in tried]
    assert np.allclose([trial.mean for trial in tuned.table], distances)
    assert tuned.params["C"] == tried[int(np.argmin(distances))]
    assert tuned.params["C"] == tuned.learner.C


def test_no_widening_unless_wanted():
    assert [t.params["C"] for t in tune_dial([1.0, 10.0], 14, widen=False).table] == [1.0, 10.0]


def test_a_further_c_is_tried_with_all_the_rest():
    Dial.fits = 0
    grid = {"other": ["x", "y"], "C": [10.0, 100.0]}
    many = [np.zeros((30, 1))] * 2
    tuned = tune(Dial(), many, [[0] * 30] * 2, grid, metric=distance_to(13))
    points = [(t.params["other"], t.params["C"]) for t in tuned.table]
    # 1e4 is tried, because 1e3 was best and last.
    assert points == [(x, C) for x in "xy" for C in (10.0, 100.0, 1e3, 1e4)]
    assert tuned.params == {"other": "x", "C": 1e3}
    assert Dial.fits == 2 * 8 + 1


def test_among_equals_the_first_is_best_and_the_smaller_c():
    many = [np.zeros((30, 1))] * 2
    grid = {"other": ["x", "y"], "C": [10.0, 3.2, 1.0]}  # 10 and 3.2 dial alike after rounding
    tuned = tune(Dial(), many, [[0] * 30] * 2, grid, metric=distance_to(11), widen=False)
    assert tuned.params == {"other": "x", "C": 3.2}


# Metrics, progress, errors.


def test_the_direction_is_that_of_the_metric():
    grid = {"threshold": [-100.0, 100.0]}  # all together, all single
    singles = [list(range(12))] * 5

    def n_clusters(truth, predicted):
        return predicted.n_clusters

    n_clusters.greater_is_better = True
    assert tune(PairwiseClustering(), SETS, TRUTHS, grid, metric=n_clusters).score == 12.0
    n_clusters.greater_is_better = False
    assert tune(PairwiseClustering(), SETS, TRUTHS, grid, metric=n_clusters).score == 1.0
    assert tune(PairwiseClustering(), SETS, singles, grid, metric=pair_loss).score == 0.0


def test_progress_is_told():
    steps = []
    with progress(steps.append):
        tune_dial([1.0, 10.0], 12)
    tune_steps = [step for step in steps if step.task == "tune"]
    assert [step.done for step in tune_steps] == list(range(1, len(tune_steps) + 1))
    assert [step.total for step in tune_steps] == [4] * 4 + [6] * 2 + [8] * 2
    assert tune_steps[0].detail == "C=1.0"


def test_the_learner_is_left_as_it_is():
    learner = PairwiseClustering(classifier=LinearSVC())
    before = repr(learner)
    tuned = tune(learner, SETS, TRUTHS, {"C": [0.1, 1.0], "classifier__tol": [1e-2, 1e-4]})
    assert repr(learner) == before
    assert not hasattr(learner, "similarity_")
    assert tuned.learner is not learner


def test_a_short_repr():
    tuned = tune(PairwiseClustering(), SETS, TRUTHS, {"threshold": [100.0]}, metric=pair_loss)
    mean = np.mean([pair_loss(truth, range(12)) for truth in TRUTHS])
    assert repr(tuned) == f"Tuned(threshold=100.0; score {mean:.4g}, best of 1)"


def test_warnings_of_fits_are_passed_on():
    learner = PairwiseClustering(classifier=LinearSVC(max_iter=1, dual=True))
    with pytest.warns(ConvergenceWarning, match="failed to converge"):
        tune(learner, SETS, TRUTHS, {"threshold": [0.0]})


def plain(truth, predicted):
    return 0.0


def broken(truth, predicted):
    return float("nan")


broken.greater_is_better = True

ONE = {"threshold": [0.0]}


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"grid": {"gamma": [1.0]}}, InputError, "PairwiseClustering has no parameter 'gamma'"),
        ({"grid": {"clusterer__depth": [1]}}, InputError, "'clusterer__depth' is not a parameter"),
        ({"grid": {"threshold": []}}, InputError, "the grid has no values of threshold; give at"),
        ({"grid": {"C": 1.0}}, InputError, "the grid has C: 1.0; give a list of values"),
        ({"grid": {"C": "1"}}, InputError, "the grid has C: '1'; give a list of values"),
        ({"grid": {"C": [1.0, None]}}, InputError, "C is None; give a finite number"),
        ({"grid": {}}, InputError, "the grid is {}; give at least one name with a list"),
        ({"grid": ["C"]}, InputError, r"the grid is \['C'\]; give at least one name"),
        ({"learner": DecisionTreeClassifier()}, InputError, "the learner is DecisionTree.*; use a"),
        ({"learner": PairwiseClustering}, InputError, "the learner is <class .*; use a learner"),
        ({"item_sets": SETS[:1], "partitions": TRUTHS[:1]}, ItemSetError, "there is 1 item set; g"),
        ({"partitions": TRUTHS[:4]}, PartitionError, "there are 5 item sets and 4 partitions"),
        ({"n_folds": 1}, InputError, "n_folds is 1; give a whole number of at least 2"),
        ({"n_jobs": 0}, InputError, "n_jobs is 0; give a whole number of at least 1"),
        ({"held_out": 1}, InputError, "held_out is 1; give a list of indices of item sets"),
        ({"held_out": "01"}, InputError, "held_out is '01'; give a list of indices of item sets"),
        ({"held_out": [5]}, InputError, "an index in held_out is 5; give a whole .* from 0 to 4"),
        ({"held_out": [0.5]}, InputError, "an index in held_out is 0.5; give a whole number"),
        ({"held_out": [1, 0, 1]}, InputError, r"held_out has \[0, 1, 1\]; give each index once"),
        ({"held_out": []}, InputError, "held_out has 0 of 5 item sets; hold out at least one, and"),
        ({"held_out": range(5)}, InputError, "held_out has 5 of 5 item sets; hold out at least"),
        ({"metric": plain}, MetricError, "has no attribute greater_is_better"),
        (
            {"metric": "b_cubed"},
            MetricError,
            "'b_cubed' is not a function of .truth, predicted. alo",
        ),
        ({"metric": broken}, InputError, "held out: the metric is nan; give a finite number"),
    ],
)
def test_refusals(change, error, message):
    arguments = {
        "learner": PairwiseClustering(),
        "item_sets": SETS,
        "partitions": TRUTHS,
        "grid": ONE,
        **change,
    }
    with pytest.raises(error, match=message):
        tune(**arguments)


def test_nothing_is_fitted_before_the_grid_is_checked():
    Counting.fits = 0
    grid = {"clusterer__threshold": [0.0, "x"]}
    with pytest.raises(InputError, match="threshold is 'x'; give a finite number"):
        tune(Counting(SingleLinkage()), SETS, TRUTHS, grid)
    assert Counting.fits == 0


def test_an_error_names_what_is_held_out():
    sets = [*SETS[:4], np.zeros((12, 3))]
    with pytest.raises(FeatureError, match=r"^item sets \[\d\] held out: item set \d: there are"):
        tune(PairwiseClustering(), sets, TRUTHS, ONE)
