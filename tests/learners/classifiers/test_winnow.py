"""Winnow against a plain twin, the bound on its mistakes, and under the pair classifier."""

from math import floor, log
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie import ItemSet, Partition
from coterie._kernels.linear.winnow import LARGEST, SMALLEST
from coterie.clusterers import SingleLinkage
from coterie.datasets import make_item_sets
from coterie.exceptions import InputError
from coterie.learners.classifiers.winnow import Winnow
from coterie.learners.pairwise import PairwiseClustering
from coterie.pairs import all_pairs
from coterie.similarities import LinearSimilarity


@parametrize_with_checks([Winnow()])
def test_it_is_an_estimator_of_scikit_learn(estimator, check):
    check(estimator)


class Run(NamedTuple):
    """The result of the plain twin: the weights of both nodes, their mean, and all updates."""

    last: np.ndarray
    mean: np.ndarray
    promoted: np.ndarray
    demoted: np.ndarray


def plain(winnow, X, classes):
    """Run Winnow example by example, and record the weights after each."""
    X = np.column_stack([X, np.ones(len(X))])
    nodes = np.full((2, X.shape[1]), 3 * winnow.threshold / X.sum(axis=1).mean())
    promoted, demoted = np.zeros((2, winnow.n_passes), int), np.zeros((2, winnow.n_passes), int)
    history, rng = [], np.random.default_rng(winnow.random_state)
    for number in range(winnow.n_passes):
        for example in rng.permutation(len(X)):
            x = X[example]
            activations = nodes @ x
            for node in (0, 1):
                if node == classes[example]:
                    if activations[node] <= winnow.threshold + winnow.margin:
                        nodes[node] = nodes[node] * winnow.promotion**x
                        promoted[node, number] += 1
                elif activations[node] > winnow.threshold - winnow.margin:
                    nodes[node] = nodes[node] * winnow.demotion**x
                    demoted[node, number] += 1
            history.append(nodes.copy())
    return Run(nodes, np.mean(history, axis=0), promoted, demoted)


def examples(rng, n=80, d=6, density=0.4, binary=False):
    strengths = np.ones((n, d)) if binary else rng.random((n, d))
    X = strengths * (rng.random((n, d)) < density)
    classes = (X[:, 0] + X[:, 1] > X[:, 2] + 0.3 * rng.random(n)).astype(int)
    return X, classes


SETTINGS = [
    {},
    {"average": False},
    {"margin": 1.5, "n_passes": 3},
    {"promotion": 2.0, "demotion": 0.5, "threshold": 1.0, "n_passes": 1},
    {"random_state": 7, "n_passes": 12},
]


@pytest.mark.parametrize("params", SETTINGS, ids=repr)
@pytest.mark.parametrize("binary", [False, True])
def test_it_is_its_plain_twin(params, binary, rng):
    X, classes = examples(rng, binary=binary)
    winnow = Winnow(**params).fit(X, classes)
    twin = plain(winnow, X, classes)
    assert twin.promoted.sum() > 5 < twin.demoted.sum()
    nodes = twin.mean if winnow.average else twin.last
    assert np.allclose(winnow.nodes_, nodes, rtol=1e-9)
    assert np.allclose(winnow.coef_, nodes[1:, :-1] - nodes[:1, :-1], rtol=1e-9)
    assert np.allclose(winnow.intercept_, nodes[1:, -1] - nodes[:1, -1], rtol=1e-9)
    decisions = X @ winnow.coef_[0] + winnow.intercept_
    assert np.allclose(winnow.decision_function(X), decisions)
    assert np.array_equal(winnow.predict(X), decisions > 0)


@pytest.mark.parametrize("form", [sp.csr_array, sp.csr_matrix, sp.coo_array, sp.csc_array])
def test_sparse_and_dense_examples_teach_the_same(form, rng):
    X, classes = examples(rng)
    dense, sparse = Winnow().fit(X, classes), Winnow().fit(form(X), classes)
    assert np.array_equal(dense.nodes_, sparse.nodes_)
    assert np.allclose(dense.decision_function(X), sparse.decision_function(form(X)))


def test_entries_in_any_order_teach_the_same_and_are_left_as_they_are(rng):
    X, classes = examples(rng)
    tidy = sp.csr_array(X)
    columns, values, ends = [], [], [0]
    for row in range(len(X)):  # backwards, each entry in two halves, and a zero that is written
        row_columns = np.repeat(np.flatnonzero(X[row])[::-1], 2)
        columns += [*row_columns, 5]
        values += [*(X[row, row_columns] / 2), 0.0]
        ends.append(len(columns))
    untidy = sp.csr_array((np.array(values), np.array(columns), np.array(ends)), X.shape)
    winnow = Winnow().fit(untidy, classes)
    assert np.array_equal(winnow.nodes_, Winnow().fit(tidy, classes).nodes_)
    assert untidy.data.tolist() == values
    assert untidy.indices.tolist() == columns


def disjunction(rng, n, d, k, density=0.1):
    X = (rng.random((n, d)) < density).astype(float)
    return X, X[:, :k].any(axis=1).astype(int)


def bounds_of_mistakes(winnow, X, k):
    """Return bounds on the promotions and demotions of the second node for a disjunction of k.

    A promotion meets a relevant weight that is at most the threshold, and no demotion meets one.
    The sum of all weights gains at most (promotion − 1) · threshold by a promotion, loses at least
    (1 − demotion) · threshold by a demotion, and is never negative (Littlestone 1988).
    """
    start = 3 / (X.sum(axis=1).mean() + 1)  # in thresholds
    promotions = k * (floor(log(1 / start, winnow.promotion)) + 1)
    gained = start * (X.shape[1] + 1) + (winnow.promotion - 1) * promotions
    return promotions, gained / (1 - winnow.demotion)


@pytest.mark.parametrize(("d", "k"), [(500, 3), (2000, 3), (1000, 6)])
def test_the_node_of_a_disjunction_is_learned_with_few_mistakes(d, k, rng):
    X, classes = disjunction(rng, 1500, d, k)
    winnow = Winnow(average=False, n_passes=6).fit(X, classes)
    activations = X @ winnow.nodes_[1, :-1] + winnow.nodes_[1, -1]
    assert np.array_equal(activations > winnow.threshold, classes)
    run = plain(winnow, X, classes)
    most_promotions, most_demotions = bounds_of_mistakes(winnow, X, k)
    assert 0 < run.promoted[1].sum() <= most_promotions
    assert 0 < run.demoted[1].sum() <= most_demotions
    assert run.promoted[1, -1] == run.demoted[1, -1] == 0  # the last pass is one without mistakes
    if d == 2000:
        assert run.promoted[1].sum() + run.demoted[1].sum() < d / 10


def test_a_margin_makes_the_node_of_a_disjunction_right_on_new_examples(rng):
    X, classes = disjunction(rng, 3000, 500, 3)
    winnow = Winnow(margin=2.0, average=False, n_passes=10).fit(X[:1500], classes[:1500])
    activations = X @ winnow.nodes_[1, :-1] + winnow.nodes_[1, -1]
    assert np.array_equal(activations > winnow.threshold, classes)


def test_the_mean_is_steadier_than_the_last_weights(rng):
    def wrong(average):
        shares = []
        for seed in range(8):
            winnow = Winnow(average=average, random_state=seed).fit(X[:400], classes[:400])
            shares.append(np.mean(winnow.predict(X[400:]) != classes[400:]))
        return np.array(shares)

    X, classes = examples(rng, n=800)
    classes = np.where(rng.random(800) < 0.15, 1 - classes, classes)
    assert wrong(True).std() < wrong(False).std() / 2
    assert wrong(True).mean() < wrong(False).mean()


@given(st.integers(0, 10**6), st.booleans())
def test_swapped_classes_swap_the_nodes(seed, average):
    X, classes = examples(np.random.default_rng(seed), n=30, d=4)
    classes[:2] = 0, 1
    winnow = Winnow(average=average, n_passes=2)
    straight, swapped = clone(winnow).fit(X, classes), clone(winnow).fit(X, 1 - classes)
    assert np.array_equal(straight.nodes_, swapped.nodes_[::-1])
    assert np.array_equal(straight.coef_, -swapped.coef_)
    assert np.array_equal(straight.intercept_, -swapped.intercept_)


@given(st.integers(0, 10**6), st.sampled_from([0.0, 1.0, 3.0]))
def test_the_threshold_sets_the_scale(seed, margin):
    X, classes = examples(np.random.default_rng(seed), n=30, d=4)
    classes[:2] = 0, 1
    one = Winnow(threshold=4.0, margin=margin).fit(X, classes)
    two = Winnow(threshold=8.0, margin=2 * margin).fit(X, classes)
    assert np.array_equal(2 * one.nodes_, two.nodes_)


@given(st.integers(0, 10**6))
def test_a_feature_that_is_never_active_changes_nothing(seed):
    X, classes = examples(np.random.default_rng(seed), n=30, d=4)
    classes[:2] = 0, 1
    wide = Winnow().fit(np.insert(X, 2, 0.0, axis=1), classes)
    assert np.array_equal(np.delete(wide.coef_, 2), Winnow().fit(X, classes).coef_[0])
    assert wide.coef_[0, 2] == 0.0


def test_weights_stay_within_bounds_at_any_scale(rng):
    X, classes = examples(rng)
    for scale in (1e-200, 1.0, 1e4, 1e200):
        winnow = Winnow(average=False).fit(scale * X, classes)
        assert np.all(winnow.nodes_ >= SMALLEST)
        assert np.all(winnow.nodes_ <= LARGEST)
        reached = {SMALLEST, LARGEST} & set(winnow.nodes_.flat)
        assert len(reached) == (2 if scale == 1e4 else 1 if scale == 1e200 else 0)
    assert np.all(np.isfinite(Winnow().fit(1e4 * X, classes).coef_))


def test_classes_are_in_order_and_of_any_kind(rng):
    X, numbers = examples(rng)
    names = np.where(numbers == 1, "apart", "together")  # the second class is what 0 was
    winnow, numbered = Winnow().fit(X, names), Winnow().fit(X, 1 - numbers)
    assert winnow.classes_.tolist() == ["apart", "together"]
    assert np.array_equal(winnow.coef_, numbered.coef_)
    assert np.array_equal(winnow.predict(X) == "together", numbered.predict(X) == 1)
    assert winnow.n_features_in_ == 6
    assert winnow.coef_.shape == (1, 6)
    assert winnow.intercept_.shape == (1,)
    assert winnow.score(X, names) > 0.75


def test_the_order_of_examples_is_drawn_by_the_seed(rng):
    X, classes = examples(rng)
    same = [Winnow(random_state=3).fit(X, classes).coef_.tolist() for _ in range(2)]
    assert same[0] == same[1] != Winnow(random_state=4).fit(X, classes).coef_.tolist()


def test_parameters_can_be_set_and_cloned(rng):
    X, classes = examples(rng)
    winnow = clone(Winnow().set_params(margin=1.0, average=False)).fit(X, classes)
    assert np.array_equal(winnow.coef_, Winnow(margin=1.0, average=False).fit(X, classes).coef_)


BAD_PARAMS = [
    ({"promotion": 1.0}, "promotion is 1.0; give a finite number above 1"),
    ({"promotion": np.inf}, "promotion is inf; give a finite number"),
    ({"demotion": 1.0}, "demotion is 1.0; give a number between 0 and 1"),
    ({"demotion": 0.0}, "demotion is 0.0; give a number between 0 and 1"),
    ({"threshold": 0.0}, "threshold is 0.0; give a finite number above 0"),
    ({"margin": -1.0}, "margin is -1.0; give a finite number of at least 0"),
    ({"margin": 4.0}, "margin is 4; give a margin below the threshold, which is 4"),
    ({"n_passes": 0}, "n_passes is 0; give a whole number of at least 1"),
    ({"random_state": None}, "random_state is None; give a whole number"),
]


@pytest.mark.parametrize(("params", "message"), BAD_PARAMS)
def test_bad_parameters_are_refused(params, message):
    with pytest.raises(InputError, match=message):
        Winnow(**params).fit([[0.0], [1.0]], [0, 1])


BAD_EXAMPLES = [
    ([[0.0, 1.0], [1.0, -0.5]], [0, 1], "column 1 has -0.5; replace the feature x"),
    ([[0.0, np.nan], [1.0, 1.0]], [0, 1], "give finite numbers(.|\n)*NaN"),
    ([[0.0, np.inf], [1.0, 1.0]], [0, 1], "give finite numbers(.|\n)*infinity"),
    ([[0.0, 1.0], [1.0, 1.0]], [1, 1], "y has 1 class; give examples of two classes"),
    ([[0.0, 1.0]] * 3, [0, 1, 2], "y has 3 classes; give examples of two classes"),
    ([[0.0, 1.0], [1.0, 1.0]], [0.3, 0.7], "Unknown label type"),
    ([[0.0, 1.0], [1.0, 1.0]], [0, 1, 1], "inconsistent numbers of samples"),
]


@pytest.mark.parametrize(("X", "y", "message"), BAD_EXAMPLES)
@pytest.mark.parametrize("form", [np.array, sp.csr_array])
def test_bad_examples_are_refused(X, y, message, form):
    with pytest.raises(InputError, match=message):
        Winnow().fit(form(X), y)


def test_other_columns_and_unfitted_ones_are_refused():
    winnow = Winnow()
    with pytest.raises(NotFittedError):
        winnow.predict([[1.0]])
    winnow.fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    with pytest.raises(InputError, match="X has 3 features, but Winnow is expecting 2"):
        winnow.predict([[1.0, 0.0, 1.0]])


def indicator_sets(rng, n_sets=4, n_items=24):
    """Return item sets whose pairs have binary features: two clues, their absence, and noise."""
    sets, truths = [], []
    for _ in range(n_sets):
        truth = Partition(rng.integers(8, size=n_items))
        together = truth.together(all_pairs(n_items))
        likely = rng.random((2, len(together))) < np.where(together, 0.85, 0.04)
        noise = rng.random((len(together), 10)) < 0.3
        features = np.column_stack([*likely, *~likely, noise]).astype(float)
        sets.append(ItemSet.from_pair_features(features, n_items, n_clusters=truth.n_clusters))
        truths.append(truth)
    return sets, truths


PERCEPTRONS = [Perceptron(), SGDClassifier(loss="perceptron", average=True)]


@pytest.mark.parametrize("classifier", [Winnow(), *PERCEPTRONS], ids=repr)
def test_it_tells_pairs_as_perceptrons_do(classifier, rng):
    train, test = indicator_sets(rng), indicator_sets(rng)
    learner = PairwiseClustering(SingleLinkage(), classifier=classifier).fit(*train)
    assert isinstance(learner.similarity_, LinearSimilarity)
    assert type(learner.classifier_) is type(classifier)
    clues, absences = learner.similarity_.coef[:2], learner.similarity_.coef[2:4]
    assert clues.min() > absences.max()
    predicted = np.concatenate([learner.similarity_(item_set) > 0 for item_set in test[0]])
    truth = np.concatenate([p.together(all_pairs(len(p))) for p in test[1]])
    assert 2 * (predicted & truth).sum() / (predicted.sum() + truth.sum()) > 0.6
    guess = PairwiseClustering(SingleLinkage(), classifier=classifier)
    guess.fit(train[0], [Partition(rng.permutation(p.labels)) for p in train[1]])
    assert learner.score(*test) > guess.score(*test) + 0.2


def test_features_that_may_be_negative_are_refused_with_a_remedy():
    sets, truths = make_item_sets(n_sets=2, n_items=6, random_state=0)
    learner = PairwiseClustering(classifier=Winnow())
    message = "Winnow cannot be fitted to the features of the pairs: Negative values in data"
    with pytest.raises(InputError, match=message):
        learner.fit(sets, truths)
