"""Tuning along the path of any parameter, and on sets that are always held out."""

from itertools import product
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import clone

from coterie import Partition
from coterie.learners.baselines import Fine
from coterie.learners.linking.left_linking import LatentLeftLinking
from coterie.learners.pairwise import PairwiseClustering
from coterie.learners.tuning import tune
from coterie.metrics import b_cubed, variation_of_information
from tests.learners.test_tuning import SETS, TRUTHS, Counting, by_hand, distance_to, part


def f1(truth, predicted):
    return b_cubed(truth, predicted).f1


class Walk(Fine):
    """A learner with a path of passes, which predicts lam · (passes + training sets) clusters."""

    _path_param = "n_passes"
    paths: ClassVar = []

    def __init__(self, n_passes=1, lam=1.0):
        self.n_passes = n_passes
        self.lam = lam

    def _fit(self, examples):
        self.n_clusters_ = max(1, round(self.lam * (self.n_passes + len(examples.truths))))
        super()._fit(examples)

    def fit_path(self, item_sets, partitions, values):
        Walk.paths.append((self.lam, list(values)))
        return [
            clone(self).set_params(n_passes=value).fit(item_sets, partitions) for value in values
        ]

    def predict(self, item_sets):
        return [Partition(np.arange(len(item_set)) % self.n_clusters_) for item_set in item_sets]


def test_a_learner_says_which_parameter_its_path_walks():
    Walk.paths.clear()
    grid = {"n_passes": [4, 1, 2], "lam": [0.5, 1.0, 3.0]}
    points = [{"n_passes": n, "lam": lam} for n in (4, 1, 2) for lam in (0.5, 1.0, 3.0)]
    tuned = tune(Walk(), SETS, TRUTHS, grid, n_folds=3)
    assert Walk.paths == [(lam, [4, 1, 2]) for lam in (0.5, 1.0, 3.0) for _ in range(3)]
    assert [trial.params for trial in tuned.table] == points
    expected = by_hand(Walk(), points, 3, f1)
    assert [trial.scores for trial in tuned.table] == expected


def test_among_equal_passes_the_first_is_best():
    # With 4 sets to fit to, 9 and 5 clusters are as far from 7.
    tied = tune(Walk(), SETS, TRUTHS, {"n_passes": [5, 1]}, metric=distance_to(7), n_folds=5)
    assert tied.params == {"n_passes": 5}


def test_without_its_parameter_a_path_is_not_walked():
    Walk.paths.clear()
    assert len(tune(Walk(), SETS, TRUTHS, {"lam": [0.5, 1.0]}, widen=False).table) == 2
    assert Walk.paths == []


# Sets that are held out in every trial.


def held_out_by_hand(learner, points, held_out, value):
    training = [number for number in range(len(SETS)) if number not in held_out]
    table = []
    for params in points:
        learned = (
            clone(learner).set_params(**params).fit(part(SETS, training), part(TRUTHS, training))
        )
        predicted = learned.predict(part(SETS, sorted(held_out)))
        partition_pairs = zip(part(TRUTHS, sorted(held_out)), predicted, strict=True)
        table.append(tuple(value(*pair) for pair in partition_pairs))
    return table


@pytest.mark.parametrize("held_out", [[4, 1], (0,), np.array([3, 2, 0, 1])])
@pytest.mark.parametrize(
    ("learner", "grid"),
    [
        (PairwiseClustering(balanced=True), {"threshold": [0.5, -0.5], "C": [0.1, 0.001, 1.0]}),
        (Walk(), {"lam": [2.0, 0.1], "n_passes": [3, 1]}),
    ],
)
def test_held_out_sets_are_predicted_in_every_trial_and_never_fitted_to(held_out, learner, grid):
    tuned = tune(learner, SETS, TRUTHS, grid, held_out=held_out, n_folds=1)
    points = [trial.params for trial in tuned.table]
    expected = held_out_by_hand(learner, points, list(held_out), f1)
    assert [trial.scores for trial in tuned.table] == expected
    means = [float(np.mean(scores)) for scores in expected]
    assert [trial.mean for trial in tuned.table] == means
    assert (tuned.params, tuned.score) == (points[int(np.argmax(means))], max(means))
    training = np.setdiff1d(np.arange(5), held_out)
    direct = (
        clone(learner).set_params(**tuned.params).fit(part(SETS, training), part(TRUTHS, training))
    )
    assert tuned.learner.predict(SETS) == direct.predict(SETS)


def test_every_trial_with_held_out_sets_is_one_fit():
    Counting.fits = 0
    grid = {"balanced": [True, False], "threshold": [0.0, 0.2, 0.5]}
    tuned = tune(Counting(), SETS, TRUTHS, grid, held_out=[0, 3])
    assert Counting.fits == 2 + 1
    assert [len(trial.scores) for trial in tuned.table] == [2] * 6


@pytest.mark.parametrize("metric", [b_cubed, variation_of_information])
def test_left_linking_as_in_its_paper(metric):
    """Tune γ, λ and the number of passes on a development set, in one and in two processes."""
    grid = {"gamma": [0.0, 0.2, 0.4, 0.6, 0.8, 1.0], "lam": [0.01, 0.1], "n_passes": [3, 1, 5]}
    one, two = (
        tune(
            LatentLeftLinking(),
            SETS,
            TRUTHS,
            grid,
            metric=metric,
            held_out=[1, 4],
            widen=False,
            n_jobs=n_jobs,
        )
        for n_jobs in (1, 2)
    )
    points = [trial.params for trial in one.table]
    assert points == [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    value = f1 if metric is b_cubed else metric
    expected = held_out_by_hand(LatentLeftLinking(), points, [1, 4], value)
    assert [trial.scores for trial in one.table] == expected
    means = np.mean(expected, axis=1)
    best = np.argmax(means) if metric is b_cubed else np.argmin(means)
    assert one.params == points[best]
    assert one.table == two.table
    assert np.array_equal(one.learner.coef_, two.learner.coef_)


# Widening.


@pytest.mark.parametrize(
    ("lams", "target", "tried"),
    [
        ([1.0, 0.5], 1, [1.0, 0.5, 0.25, 0.125, 0.0625]),  # 8 · lam clusters, at least 1
        ([0.5, 1.0], 1, [0.0625, 0.125, 0.25, 0.5, 1.0]),
        ([1.0, 0.5], 2, [1.0, 0.5, 0.25, 0.125]),
        ([1.0, 0.5], 30, [8.0, 4.0, 2.0, 1.0, 0.5]),
        ([1.0, 0.5, 0.3], 1, [1.0, 0.5, 0.3]),  # no series
        ([0.5, 0.0], 0, [0.5, 0.0]),
        ([0.5, 0.5], 1, [0.5, 0.5]),
        ([0.5], 1, [0.5]),
    ],
)
def test_a_list_of_lam_is_widened_in_its_own_order(lams, target, tried):
    many = [np.zeros((30, 1))] * 2
    grid = {"lam": lams, "n_passes": [7]}
    tuned = tune(Walk(), many, [[0] * 30] * 2, grid, metric=distance_to(target))
    assert [trial.params["lam"] for trial in tuned.table] == tried
