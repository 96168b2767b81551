"""Learners are estimators of scikit-learn, whose samples are item sets."""

import pickle

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    RandomizedSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from coterie.clusterers import Greedy, Relaxation
from coterie.datasets import make_item_sets
from coterie.exceptions import InputError
from coterie.items import ItemSet
from coterie.learners import NSlack, OneSlack, SVMCluster
from coterie.metrics import b_cubed, macro, pair_loss, scorer


@pytest.fixture(scope="module")
def corpus():
    return make_item_sets(n_sets=6, n_items=9, n_clusters=3, n_nuisance=2, random_state=0)


@pytest.fixture(scope="module")
def arrays(corpus):
    """Return the corpus as plain arrays and lists of labels."""
    return [np.array(s.items) for s in corpus[0]], [p.labels.tolist() for p in corpus[1]]


def test_grid_search_over_weights_inner_parameters_and_clusterers(corpus):
    grid = {
        "C": [1.0, 1e4],
        "solver__tol": [0.01, 0.1],
        "clusterer": [Greedy(), Relaxation(), "exact"],
    }
    learner = SVMCluster()
    search = GridSearchCV(learner, grid, cv=3, error_score="raise").fit(*corpus)
    assert len(search.cv_results_["params"]) == 12
    assert search.best_params_["C"] == 1e4
    best = search.best_estimator_
    assert best.solver == OneSlack(tol=search.best_params_["solver__tol"])
    assert best.predict(corpus[0]) == search.predict(corpus[0])
    assert search.score(*corpus) == best.score(*corpus) > 0.8
    assert learner.solver == OneSlack()
    assert not hasattr(learner, "similarity_")


def test_a_solver_and_its_parameters_can_be_searched_together(corpus):
    grid = {"solver": [OneSlack(), NSlack()], "solver__tol": [0.5]}
    search = GridSearchCV(SVMCluster(1e3), grid, cv=2, error_score="raise").fit(*corpus)
    assert search.best_estimator_.solver.tol == 0.5
    for params in search.cv_results_["params"]:
        assert params["solver"].tol != 0.5


def test_random_search_by_threads_finds_the_same(corpus):
    def search_scores(n_jobs):
        grid = {"C": [1.0, 1e2, 1e4], "augment": [True, False]}
        search = RandomizedSearchCV(
            SVMCluster(), grid, n_iter=3, cv=2, n_jobs=n_jobs, random_state=0, error_score="raise"
        )
        with parallel_config("threading"):
            return search.fit(*corpus).cv_results_["mean_test_score"].tolist()

    assert search_scores(1) == search_scores(2)


def test_learners_and_item_sets_can_be_sent_to_other_processes(corpus):
    learner, item_sets = pickle.loads(pickle.dumps((SVMCluster(1e3).fit(*corpus), corpus[0])))  # noqa: S301
    assert learner.predict(item_sets) == SVMCluster(1e3).fit(*corpus).predict(corpus[0])
    assert learner.fit(item_sets, corpus[1]).similarity_(item_sets[0]).shape == (36,)


def test_cross_validation_scores_item_sets_by_b_cubed(corpus):
    item_sets, truths = corpus
    learner = SVMCluster(1e4)
    scores = cross_val_score(learner, item_sets, truths, cv=KFold(3), error_score="raise")
    expected = []
    for train, test in KFold(3).split(item_sets):
        fitted = clone(learner).fit([item_sets[i] for i in train], [truths[i] for i in train])
        predicted = fitted.predict([item_sets[i] for i in test])
        expected.append(macro(b_cubed, [truths[i] for i in test], predicted).f1)
    assert scores.tolist() == expected


def test_losses_are_scored_with_their_sign(corpus):
    learner = SVMCluster(1e4)
    scoring = {"loss": scorer(pair_loss), "f1": scorer(b_cubed)}
    results = cross_validate(learner, *corpus, cv=2, scoring=scoring, error_score="raise")
    assert np.all(results["test_loss"] <= 0)
    assert results["test_f1"].tolist() == cross_val_score(learner, *corpus, cv=2).tolist()
    search = GridSearchCV(learner, {"C": [1.0, 1e4]}, scoring=scorer(pair_loss), cv=2)
    fitted = search.fit(*corpus)
    assert fitted.best_params_ == {"C": 1e4}
    losses = [
        pair_loss(truth, predicted)
        for truth, predicted in zip(corpus[1], fitted.predict(corpus[0]), strict=True)
    ]
    assert fitted.score(*corpus) == pytest.approx(-np.mean(losses))


def test_groups_of_item_sets_stay_together(corpus):
    item_sets, truths = corpus
    groups = [0, 1, 0, 1, 2, 2]

    scored_sets = []

    class Recorder(SVMCluster):
        def score(self, item_sets, partitions):
            scored_sets.append(item_sets)
            return super().score(item_sets, partitions)

    scores = cross_val_score(
        Recorder(1e3), item_sets, truths, groups=groups, cv=GroupKFold(3), error_score="raise"
    )
    assert len(scores) == 3
    held_out = [{groups[item_sets.index(s)] for s in sets} for sets in scored_sets]
    assert sorted(map(tuple, held_out)) == [(0,), (1,), (2,)]


def test_one_item_set_can_be_left_out_at_a_time(arrays):
    scores = cross_val_score(SVMCluster(1e3), *arrays, cv=LeaveOneOut(), error_score="raise")
    assert len(scores) == len(arrays[0])


def test_plain_arrays_and_labels_do_as_well(corpus, arrays):
    learner = SVMCluster(1e3)
    scores = cross_val_score(learner, *arrays, cv=3, error_score="raise")
    assert scores.tolist() == cross_val_score(learner, *corpus, cv=3).tolist()
    search = GridSearchCV(learner, {"C": [1.0, 1e5]}, cv=2, error_score="raise").fit(*arrays)
    assert search.best_params_ == {"C": 1e5}


def first_columns(item_sets, n_columns):
    return [ItemSet(s.items[:, :n_columns]) for s in item_sets]


def test_pipelines_of_item_sets(corpus):
    first = FunctionTransformer(first_columns, kw_args={"n_columns": 2})
    pipeline = make_pipeline(first, SVMCluster(1e4))
    fitted = clone(pipeline).fit(*corpus)
    alone = SVMCluster(1e4).fit(first_columns(corpus[0], 2), corpus[1])
    assert len(alone.coef_) == 3
    assert fitted[-1].coef_.tolist() == alone.coef_.tolist()
    assert fitted.predict(corpus[0]) == alone.predict(first_columns(corpus[0], 2))
    grid = {
        "functiontransformer__kw_args": [{"n_columns": 1}, {"n_columns": 8}],
        "svmcluster__solver__tol": [0.05],
    }
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(*corpus)
    assert search.best_params_["functiontransformer__kw_args"] == {"n_columns": 8}
    assert search.best_estimator_[-1].solver == OneSlack(tol=0.05)
    assert search.score(*corpus) > fitted.score(*corpus)


def test_predictions_of_held_out_item_sets(corpus):
    item_sets, truths = corpus
    predictions = [None] * len(item_sets)
    for train, test in KFold(2).split(item_sets):
        fitted = SVMCluster(1e3).fit([item_sets[i] for i in train], [truths[i] for i in train])
        for i, predicted in zip(test, fitted.predict([item_sets[i] for i in test]), strict=True):
            predictions[i] = predicted
    assert list(cross_val_predict(SVMCluster(1e3), item_sets, truths, cv=2)) == predictions


def test_clones_share_nothing_that_was_learned(corpus):
    learner = SVMCluster(1e3, solver=NSlack(tol=0.5), featurizer=None).fit(*corpus)
    twin = clone(learner)
    assert twin.get_params() == learner.get_params()
    assert not hasattr(twin, "similarity_")
    assert twin.fit(*corpus).coef_.tolist() == learner.coef_.tolist()
    twin.set_params(solver__tol=2.0, C=1.0)
    assert learner.solver == NSlack(tol=0.5)
    assert learner.C == 1e3


def test_parameters_that_are_not_there_are_named():
    with pytest.raises(InputError, match="SVMCluster has no parameter 'c'; it has C, augment"):
        SVMCluster().set_params(c=1.0)
    with pytest.raises(InputError, match="'solver__nothing' is not a parameter of OneSlack"):
        SVMCluster().set_params(solver__nothing=1.0)
    with pytest.raises(InputError, match="'C__nothing' is not a parameter of"):
        SVMCluster().set_params(C__nothing=1.0)
