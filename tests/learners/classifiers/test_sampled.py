"""Classifiers that are fitted to some of the rows."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie.clusterers import AverageLinkage
from coterie.datasets import make_item_sets
from coterie.exceptions import InputError
from coterie.features import AbsoluteDifferences
from coterie.learners import PairwiseClustering
from coterie.learners.classifiers.sampled import Sampled


class Recorder(ClassifierMixin, BaseEstimator):
    """A classifier that keeps the examples that it was fitted to."""

    def fit(self, X, y):
        self.fitted_to_ = X, y
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1.0 / len(self.classes_))


def draw_sample(labels, n_rows, random_state=0):
    rows = np.arange(len(labels))[:, None]
    sampled = Sampled(Recorder(), n_rows, random_state).fit(rows, labels)
    sample_rows, sample_labels = sampled.classifier_.fitted_to_
    assert sampled.n_rows_ == len(sample_rows)
    assert len(np.unique(sample_rows)) == len(sample_rows)
    np.testing.assert_array_equal(sample_labels, np.asarray(labels)[sample_rows[:, 0]])
    return sample_rows[:, 0], sample_labels


@given(st.lists(st.integers(1, 60), min_size=1, max_size=4), st.integers(1, 80), st.integers(0, 9))
def test_classes_keep_their_shares(counts, n_rows, seed):
    n_rows = max(n_rows, len(counts))
    labels = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    rows, sample_labels = draw_sample(labels, n_rows)
    assert len(rows) == min(n_rows, len(labels))
    class_counts = np.bincount(sample_labels, minlength=len(counts))
    assert np.all(class_counts >= 1)
    exact = np.array(counts) * len(rows) / len(labels)
    assert np.all(np.abs(class_counts - exact) <= len(counts))


def test_few_rows_are_all_taken_in_order():
    labels = [1, 0, 1, 1, 0]
    for n_rows in (5, 9):
        assert draw_sample(labels, n_rows)[0].tolist() == [0, 1, 2, 3, 4]


def test_seeds_repeat_and_differ():
    labels = np.arange(300) % 3
    assert np.array_equal(draw_sample(labels, 30)[0], draw_sample(labels, 30)[0])
    assert not np.array_equal(draw_sample(labels, 30)[0], draw_sample(labels, 30, 1)[0])


def test_every_row_is_equally_likely():
    labels = np.repeat([0, 1], [30, 10])
    samples = [draw_sample(labels, 20, seed)[0] for seed in range(400)]
    n_draws = np.bincount(np.concatenate(samples), minlength=40)
    # 200 of 400 draws each; the deviation of one count is 10.
    assert np.all(np.abs(n_draws - 200) < 45)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, pd.DataFrame])
def test_rows_are_of_any_kind(make, rng):
    rows = rng.normal(size=(200, 3))
    labels = np.where(rows[:, 0] > 0.5, "yes", "no")
    sampled = Sampled(LogisticRegression(), 80).fit(make(rows), labels)
    assert sampled.classes_.tolist() == ["no", "yes"]
    assert sampled.n_features_in_ == 3
    assert np.mean(sampled.predict(make(rows)) == labels) > 0.9
    inner = sampled.classifier_
    for name in ("decision_function", "predict_proba"):
        values = getattr(sampled, name)(make(rows))
        np.testing.assert_array_equal(values, getattr(inner, name)(make(rows)))


def test_it_offers_what_its_classifier_offers():
    assert hasattr(Sampled(LinearSVC()), "decision_function")
    assert not hasattr(Sampled(LinearSVC()), "predict_proba")
    assert hasattr(Sampled(Recorder()), "predict_proba")
    assert not hasattr(Sampled(Recorder()), "decision_function")


@parametrize_with_checks([Sampled(LogisticRegression(), n_rows=30)])
def test_scikit_learn_takes_it(estimator, check):
    check(estimator)


GRID = {"C": [0.1, 10.0]}


@pytest.mark.parametrize(
    "classifier",
    [
        Sampled(make_pipeline(StandardScaler(), SVC(gamma=0.1)), 200),
        Sampled(GridSearchCV(SVC(gamma=0.1), GRID, cv=3), 200),
        GridSearchCV(Sampled(SVC(gamma=0.1), 200), {"classifier__C": [0.1, 10.0]}, cv=3),
    ],
    ids=["plain", "search inside", "search outside"],
)
def test_pairs_may_be_classified_by_it(classifier):
    train = make_item_sets(n_sets=3, n_items=20, n_nuisance=0, separation=8.0)
    parts = {"classifier": classifier, "featurizer": AbsoluteDifferences()}
    learner = PairwiseClustering(AverageLinkage(), **parts).fit(*train)
    fitted = learner.classifier_
    inner = fitted.best_estimator_ if isinstance(fitted, GridSearchCV) else fitted
    assert inner.n_rows_ == 200
    assert learner.score(*train) > 0.9
    again = PairwiseClustering(AverageLinkage(), **parts).fit(*train)
    assert learner.predict(train.item_sets) == again.predict(train.item_sets)


def test_it_is_cloned_unfitted():
    sampled = Sampled(LogisticRegression(), 7, 3).fit([[0.0], [1.0]], [0, 1])
    copied = clone(sampled)
    assert copied.get_params(deep=False).keys() == {"classifier", "n_rows", "random_state"}
    assert not hasattr(copied, "classifier_")
    with pytest.raises(NotFittedError):
        copied.predict([[0.0]])


def test_bad_parameters_are_refused():
    rows, labels = np.arange(6.0)[:, None], [0, 1, 2] * 2
    for params, message in [
        ({"n_rows": 2}, "n_rows is 2, but there are 3 classes; use at least one"),
        ({"n_rows": 0}, "n_rows is 0; give"),
        ({"random_state": -1}, "random_state is -1; give"),
    ]:
        with pytest.raises(InputError, match=message):
            Sampled(LogisticRegression(), **params).fit(rows, labels)
