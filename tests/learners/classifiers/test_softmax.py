"""The softmax over a classifier's outputs: its values, its seeds and its scores of pairs."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie.clusterers import CompleteLinkage, SingleLinkage
from coterie.datasets import make_item_sets
from coterie.exceptions import InputError
from coterie.items import ItemSet
from coterie.learners.classifiers.softmax import Softmax
from coterie.learners.classifiers.winnow import Winnow
from coterie.learners.pairwise import PairwiseClustering
from coterie.pairs import all_pairs
from coterie.similarities import ClassifierSimilarity


def expected_failures(estimator):
    if isinstance(estimator.classifier, Winnow):
        return {"check_decision_proba_consistency": "its examples have negative features"}
    return {}


@parametrize_with_checks(
    [Softmax(Perceptron()), Softmax(Winnow())], expected_failed_checks=expected_failures
)
def test_it_is_an_estimator_of_scikit_learn(estimator, check):
    check(estimator)


class FirstColumns(ClassifierMixin, BaseEstimator):
    """A classifier whose outputs are the first columns: one value, or one per class."""

    def __init__(self, n_outputs=1):
        self.n_outputs = n_outputs

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0] if self.n_outputs == 1 else X[:, : self.n_outputs]


def by_hand(outputs):
    powers = np.exp(outputs)
    return powers / powers.sum(axis=1, keepdims=True)


OUTPUT = st.floats(-300, 300, width=32)
OUTPUTS = st.lists(st.tuples(OUTPUT, OUTPUT), min_size=2, max_size=8).map(np.array)


@given(OUTPUTS)
def test_it_is_the_softmax_over_one_output_a_class(outputs):
    softmax = Softmax(FirstColumns(2)).fit(outputs, np.arange(len(outputs)) % 2)
    expected = by_hand(outputs)
    assert np.allclose(softmax.predict_proba(outputs), expected, rtol=1e-9, atol=0.0)
    assert np.allclose(softmax.decision_function(outputs), expected[:, 1] - 0.5)
    assert np.array_equal(softmax.predict(outputs), outputs[:, 1] > outputs[:, 0])


@given(OUTPUTS)
def test_a_decision_value_stands_for_two_outputs_around_zero(outputs):
    values = outputs[:, :1]
    softmax = Softmax(FirstColumns()).fit(values, np.arange(len(values)) % 2)
    expected = by_hand(np.column_stack([-values / 2, values / 2]))
    assert np.allclose(softmax.predict_proba(values), expected, rtol=1e-9, atol=0.0)
    assert np.allclose(softmax.decision_function(values), expected[:, 1] - 0.5)
    assert np.array_equal(softmax.predict(values), values[:, 0] > 0)


def test_far_values_tie_and_near_ones_keep_their_sign():
    values = np.array([[-1e300], [-50.0], [-1e-30], [0.0], [1e-30], [30.0], [40.0], [1e300]])
    softmax = Softmax(FirstColumns()).fit(values, np.arange(8) % 2)
    scores = softmax.decision_function(values)
    assert scores[[0, 1, 3, 6, 7]].tolist() == [-0.5, -0.5, 0.0, 0.5, 0.5]
    assert scores[2] < 0 < scores[4] < scores[5] < 0.5
    assert softmax.predict(values).tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


def test_it_is_the_probability_of_a_logistic_regression(rng):
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, "b", "a")
    plain = LogisticRegression().fit(X, y)
    softmax = Softmax(LogisticRegression()).fit(X, y)
    assert np.allclose(softmax.predict_proba(X), plain.predict_proba(X))
    assert np.array_equal(softmax.predict(X), plain.predict(X))
    assert softmax.classes_.tolist() == ["a", "b"]
    assert softmax.n_features_in_ == 3
    assert softmax.score(X, y) == plain.score(X, y)


def test_two_nodes_of_winnow_are_two_outputs(rng):
    X = (rng.random((80, 5)) < 0.4).astype(float)
    y = (X[:, 0] > X[:, 1]).astype(int)
    softmax = Softmax(Winnow()).fit(X, y)
    nodes = softmax.classifier_.nodes_
    expected = by_hand(X @ nodes[:, :-1].T + nodes[:, -1])
    assert np.allclose(softmax.predict_proba(X), expected)
    assert np.allclose(softmax.predict_proba(sp.csr_array(X)), expected)


def test_the_classifier_given_is_left_alone(rng):
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    given_one = Perceptron()
    softmax = clone(Softmax(given_one).set_params(classifier__eta0=0.1)).fit(X, y)
    assert softmax.classifier_.eta0 == 0.1
    assert not hasattr(given_one, "coef_")
    assert softmax.classifier_ is not softmax.classifier


@pytest.mark.parametrize("classifier", [None, Perceptron, GaussianNB(), SingleLinkage()])
def test_what_has_no_decision_function_is_refused(classifier):
    with pytest.raises(InputError, match="give a scikit-learn classifier with decision_function"):
        Softmax(classifier).fit([[0.0], [1.0]], [0, 1])


def test_three_classes_and_unfitted_ones_are_refused():
    with pytest.raises(InputError, match="y has 3 classes; give examples of two classes"):
        Softmax(SVC()).fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    with pytest.raises(NotFittedError):
        Softmax(SVC()).predict_proba([[0.0]])


@pytest.fixture(scope="module")
def corpora():
    """Return item sets for training and for testing, with pair features from 0 to 1."""

    def make_corpus(seed):
        sets, truths = make_item_sets(n_sets=4, n_items=15, n_clusters=4, random_state=seed)
        near = [_nearness(item_set.items) for item_set in sets]
        k = [truth.n_clusters for truth in truths]
        return [
            ItemSet.from_pair_features(features, 15, n_clusters=count)
            for features, count in zip(near, k, strict=True)
        ], truths

    return make_corpus(0), make_corpus(1)


def _nearness(vectors):
    pairs = all_pairs(len(vectors))
    return np.exp(-np.abs(vectors[pairs[:, 0]] - vectors[pairs[:, 1]]))


@pytest.mark.parametrize("classifier", [Perceptron(eta0=0.1), Winnow()], ids=repr)
def test_pairs_score_their_probability_less_a_half(classifier, corpora):
    train, test = corpora
    learner = PairwiseClustering(SingleLinkage(), classifier=Softmax(classifier)).fit(*train)
    assert isinstance(learner.similarity_, ClassifierSimilarity)
    plain = PairwiseClustering(SingleLinkage(), classifier=classifier).fit(*train)
    for item_set in test[0]:
        decisions = plain.similarity_(item_set)
        assert np.allclose(learner.similarity_(item_set), 1 / (1 + np.exp(-decisions)) - 0.5)


@pytest.mark.parametrize("clusterer", [SingleLinkage(), CompleteLinkage()], ids=repr)
def test_clusters_by_the_order_of_pairs_are_those_without_it(clusterer, corpora):
    train, test = corpora
    plain = PairwiseClustering(clusterer, classifier=Winnow()).fit(*train)
    learner = PairwiseClustering(clusterer, classifier=Softmax(Winnow())).fit(*train)
    assert learner.predict(test[0]) == plain.predict(test[0])
    assert learner.score(*test) > 0.5


def test_seeds_reach_the_classifier_within(corpora):
    def seeds(classifier):
        learner = PairwiseClustering(classifier=Softmax(classifier), random_state=5)
        params = learner.fit(*corpora[0]).classifier_.get_params()
        return [v for name, v in params.items() if name.endswith("random_state")]

    assert seeds(LinearSVC()) == [5]
    assert seeds(make_pipeline(MaxAbsScaler(), LinearSVC())) == [5]
    assert seeds(Winnow()) == [0]
    assert seeds(Winnow(random_state=3)) == [3]
