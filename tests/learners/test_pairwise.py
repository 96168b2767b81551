"""The pair classifier against one fitted by hand, and the trivial learners."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logit
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from coterie import ItemSet, Model, PairScores, Partition
from coterie.blocking import Window
from coterie.clusterers import AverageLinkage, Greedy, KernelKMeans
from coterie.exceptions import FeatureError, InputError
from coterie.features import GivenFeatures, WithConstant
from coterie.learners.baselines import Coarse, Fine, Untrained
from coterie.learners.pairwise import PairwiseClustering
from coterie.pairs import all_pairs
from coterie.similarities import ClassifierSimilarity, ConstantSimilarity, LinearSimilarity

KINDS = ["nodes", "sparse nodes", "pairs", "sparse pairs", "listed pairs"]


def corpus(kind, rng, n_sets=3, n_items=9, n_columns=4):
    """Return item sets, truths, and for each set its pairs and their features, made by hand."""
    sets, truths, pairs_of, features_of = [], [], [], []
    for _ in range(n_sets):
        labels = rng.integers(3, size=n_items)
        pairs = all_pairs(n_items)
        if kind == "listed pairs":  # in no order
            pairs = rng.permutation(pairs)[: len(pairs) // 2]
        nodes = rng.normal(size=(n_items, n_columns)) * (rng.random((n_items, n_columns)) < 0.7)
        nodes[:, 0] += 2.0 * labels - 2.0
        features = nodes[pairs[:, 0]] * nodes[pairs[:, 1]]
        listed_pairs = pairs if kind == "listed pairs" else None
        if "nodes" in kind:
            sets.append(ItemSet(sp.csr_array(nodes) if "sparse" in kind else nodes))
        else:
            pair_features = sp.csr_array(features) if "sparse" in kind else features
            sets.append(ItemSet.from_pair_features(pair_features, n_items, listed_pairs))
        truths.append(Partition(labels))
        pairs_of.append(pairs)
        features_of.append(features)
    return sets, truths, pairs_of, features_of


def by_hand(classifier, truths, pairs_of, features_of):
    targets = [truth.together(pairs) for truth, pairs in zip(truths, pairs_of, strict=True)]
    return classifier.fit(np.vstack(features_of), np.concatenate(targets))


class Recording(LinearSVC):
    """A classifier that keeps the examples that it was fitted to."""

    def fit(self, X, y):
        self.fitted_to_ = X, y
        return super().fit(X, y)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("balanced", [False, True])
def test_it_is_a_classifier_of_all_pairs_and_a_clusterer(kind, balanced, rng):
    sets, truths, pairs_of, features_of = corpus(kind, rng)
    params = {"C": 0.3, "class_weight": "balanced" if balanced else None, "random_state": 0}
    twin = by_hand(LinearSVC(tol=1e-10, **params), truths, pairs_of, features_of)
    learner = PairwiseClustering(classifier=LinearSVC(tol=1e-10), C=0.3, balanced=balanced)
    learner.fit(sets, truths)
    assert isinstance(learner.similarity_, LinearSimilarity)
    for item_set, pairs, features, predicted in zip(
        sets, pairs_of, features_of, learner.predict(sets), strict=True
    ):
        decisions = twin.decision_function(features)
        assert np.allclose(learner.similarity_(item_set, pairs), decisions, atol=1e-6)
        assert predicted == Greedy()(PairScores(9, pairs, decisions))


def test_the_default_is_a_linear_svm_with_its_intercept(rng):
    sets, truths, pairs_of, features_of = corpus("pairs", rng)
    twin = by_hand(LinearSVC(random_state=0), truths, pairs_of, features_of)
    learner = PairwiseClustering().fit(sets, truths)
    assert type(learner.classifier_) is LinearSVC
    assert np.array_equal(learner.similarity_.coef, twin.coef_[0])
    assert learner.similarity_.bias == twin.intercept_[0]
    assert learner.similarity_.featurizer == GivenFeatures(4, True)


@pytest.mark.parametrize(("kind", "form"), [("sparse nodes", sp.csr_array), ("nodes", np.ndarray)])
def test_features_are_written_out_as_they_are(kind, form, rng):
    sets, truths, pairs_of, features_of = corpus(kind, rng)
    learner = PairwiseClustering(classifier=Recording()).fit(sets, truths)
    matrix, targets = learner.classifier_.fitted_to_
    assert type(matrix) is form
    dense = matrix.toarray() if sp.issparse(matrix) else matrix
    assert np.allclose(dense, np.vstack(features_of))
    expected = [t.together(pairs) for t, pairs in zip(truths, pairs_of, strict=True)]
    assert np.array_equal(targets, np.concatenate(expected))


def test_sparse_and_dense_sets_mix(rng):
    dense = corpus("nodes", rng, n_sets=2)
    sparse = [ItemSet(sp.csr_array(item_set.items)) for item_set in dense[0]]
    plain = PairwiseClustering().fit(dense[0], dense[1])
    mixed = PairwiseClustering().fit([dense[0][0], sparse[1]], dense[1])
    assert np.allclose(plain.similarity_.coef, mixed.similarity_.coef)


def test_a_blocker_says_which_pairs_are_examples(rng):
    sets, truths, _, features_of = corpus("nodes", rng)
    learner = PairwiseClustering(classifier=Recording(), blocker=Window(1)).fit(sets, truths)
    near = np.flatnonzero(np.diff(all_pairs(9), axis=1)[:, 0] == 1)
    expected = np.vstack([features[near] for features in features_of])
    assert np.allclose(learner.classifier_.fitted_to_[0], expected)
    assert len(learner.to_model().scores(sets[0]).scores) == 8


LINEAR = [
    LogisticRegression(),
    LogisticRegression(fit_intercept=False),
    LinearSVC(fit_intercept=False),
    SVC(kernel="linear"),
]
OTHERS = [SVC(), DecisionTreeClassifier(max_depth=2), make_pipeline(MaxAbsScaler(), LinearSVC())]


@pytest.mark.parametrize("kind", ["pairs", "sparse pairs"])
@pytest.mark.parametrize("classifier", [*LINEAR, *OTHERS], ids=repr)
def test_any_classifier_scores_pairs(classifier, kind, rng):
    sets, truths, _, features_of = corpus(kind, rng)
    learner = PairwiseClustering(classifier=classifier, threshold=0.25).fit(sets, truths)
    expected_kind = LinearSimilarity if classifier in LINEAR else ClassifierSimilarity
    assert type(learner.similarity_) is expected_kind
    fitted, features = learner.classifier_, features_of[1]
    if hasattr(fitted, "decision_function"):
        decisions = fitted.decision_function(features)
    else:
        with np.errstate(divide="ignore"):
            decisions = np.clip(logit(fitted.predict_proba(features)[:, 1]), -36.0, 36.0)
    assert np.allclose(learner.similarity_(sets[1]), decisions - 0.25)


@pytest.mark.parametrize("classifier", [None, DecisionTreeClassifier(max_depth=2)])
def test_threshold_and_clusterer_need_no_new_fit(classifier, rng):
    sets, truths, _, _ = corpus("pairs", rng)
    learner = PairwiseClustering(classifier=classifier).fit(sets, truths)
    before = learner.similarity_(sets[0])
    learner.set_params(threshold=-0.75, clusterer=AverageLinkage())
    assert np.allclose(learner.similarity_(sets[0]), before + 0.75)
    assert learner.predict(sets)[0] == AverageLinkage()(PairScores(9, None, before + 0.75))
    everything = learner.set_params(threshold=-1000.0).predict(sets)
    assert all(partition.n_clusters == 1 for partition in everything)


def test_a_higher_threshold_joins_less(rng):
    sets, truths, _, _ = corpus("nodes", rng)
    learner = PairwiseClustering(AverageLinkage()).fit(sets, truths)
    counts = [
        sum(p.n_clusters for p in learner.set_params(threshold=t).predict(sets))
        for t in (-5.0, -1.0, 0.0, 1.0, 5.0)
    ]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


@pytest.mark.parametrize("classifier", [None, DecisionTreeClassifier()])
@pytest.mark.parametrize("threshold", [0.0, -5.0, 5.0])
def test_pairs_of_one_class_make_a_constant(classifier, threshold, rng):
    sets, _, _, _ = corpus("nodes", rng)
    apart, together = [np.arange(9)] * 3, [np.zeros(9)] * 3
    for truths, n_clusters in [(apart, 9), (together, 1)]:
        learner = PairwiseClustering(classifier=classifier, threshold=threshold)
        learner.fit(sets, truths)
        assert learner.classifier_ is None
        assert {p.n_clusters for p in learner.predict(sets)} == {n_clusters}
        with pytest.raises(FeatureError, match="3 features of items, but 4 features of items"):
            learner.predict([np.zeros((3, 3))])


def test_a_fit_to_one_class_forgets_the_last_fit(rng):
    sets, truths, _, _ = corpus("nodes", rng)
    learner = PairwiseClustering().fit(sets, truths).fit(sets, [np.arange(9)] * 3)
    assert learner.predict(sets) == Fine().fit(sets, truths).predict(sets)


def test_sets_without_pairs(rng):
    sets, truths, _, _ = corpus("nodes", rng)
    one, none = ItemSet(np.ones((1, 4))), ItemSet(np.ones((0, 4)))
    with_them = PairwiseClustering().fit([one, *sets, none], [[0], *truths, []])
    without = PairwiseClustering().fit(sets, truths)
    assert np.array_equal(with_them.similarity_.coef, without.similarity_.coef)
    nothing = PairwiseClustering().fit([one, none], [[0], []])
    assert nothing.predict([sets[0], one, none]) == [
        Partition(range(9)),
        Partition([0]),
        Partition([]),
    ]


def test_the_number_of_clusters_is_that_of_the_item_set(rng):
    sets, truths, _, _ = corpus("nodes", rng)
    learner = PairwiseClustering(KernelKMeans()).fit(sets, truths)
    item_sets = [ItemSet(sets[0].items, n_clusters=k) for k in (2, 5)]
    assert [p.n_clusters for p in learner.predict(item_sets)] == [2, 5]


def test_repeatable_by_its_seed(rng):
    sets, truths, _, _ = corpus("pairs", rng)
    forest = RandomForestClassifier(n_estimators=3)
    scores = [
        PairwiseClustering(classifier=forest, random_state=seed).fit(sets, truths).similarity_
        for seed in (0, 0, 1)
    ]
    first, again, other = (similarity(sets[0]) for similarity in scores)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert not hasattr(forest, "estimators_")
    assert forest.random_state is None
    nested = make_pipeline(StandardScaler(), RandomForestClassifier(n_estimators=3, random_state=7))
    fitted = PairwiseClustering(classifier=nested).fit(sets, truths).classifier_
    assert fitted[-1].random_state == 7
    nested.set_params(randomforestclassifier__random_state=None)
    fitted = PairwiseClustering(classifier=nested, random_state=5).fit(sets, truths).classifier_
    assert fitted[-1].random_state == 5


def test_a_classifier_that_does_not_converge_warns(rng):
    sets, truths, _, _ = corpus("pairs", rng)
    hasty = LinearSVC(max_iter=1, dual=True)
    with pytest.warns(ConvergenceWarning, match="failed to converge"):
        PairwiseClustering(classifier=hasty, C=100.0).fit(sets, truths)


REFUSED = [
    ({"classifier": "svm"}, "the classifier is 'svm'; give a scikit-learn classifier"),
    ({"classifier": LinearSVC}, "give a scikit-learn classifier with decision_function or"),
    ({"classifier": StandardScaler()}, "the classifier is StandardScaler.*; give a scikit-learn"),
    ({"classifier": DecisionTreeClassifier(), "C": 2.0}, "C is 2, but DecisionTree.* has no par"),
    (
        {"classifier": LinearSVC(C=5.0)},
        "C is 1, but C of the classifier is 5.0; set C on",
    ),
    ({"classifier": KNeighborsClassifier(), "balanced": True}, "KNeigh.* has no class_weight; use"),
    (
        {"classifier": LinearSVC(class_weight={0: 1.0, 1: 2.0}), "balanced": True},
        "LinearSVC has class_weight={0: 1.0, 1: 2.0}; use balanced=False",
    ),
    ({"C": -1.0}, "C is -1.0; give a finite number above 0"),
    ({"C": 0.0}, "C is 0.0; give a finite number above 0"),
    ({"threshold": float("nan")}, "threshold is nan; give a finite number"),
    ({"random_state": None}, "random_state is None; give a whole number"),
    (
        {"classifier": MultinomialNB()},
        "MultinomialNB cannot be fitted .*: Negative values in data.*; use features that it acc",
    ),
    ({"featurizer": "given"}, "the featurizer is 'given'; give an object with"),
]


@pytest.mark.parametrize(("params", "message"), REFUSED)
def test_refusals(params, message, rng):
    sets, truths, _, _ = corpus("pairs", rng)
    with pytest.raises(InputError, match=message):
        PairwiseClustering(**params).fit(sets, truths)


def test_the_same_c_at_both_places_is_no_conflict(rng):
    sets, truths, _, _ = corpus("pairs", rng)
    learner = PairwiseClustering(classifier=LinearSVC(C=5.0), C=5.0).fit(sets, truths)
    assert learner.classifier_.C == 5.0


def test_errors_name_the_item_set(rng):
    sets, truths, _, _ = corpus("pairs", rng)
    sets[2] = ItemSet(np.zeros((9, 4)))
    with pytest.raises(FeatureError, match=r"^item set 2: there are 4 features of items"):
        PairwiseClustering().fit(sets, truths)


def test_it_is_an_estimator(rng):
    sets, truths, _, _ = corpus("pairs", rng)
    learner = PairwiseClustering(AverageLinkage(), LogisticRegression(), C=3.0)
    assert not hasattr(learner, "similarity_")
    with pytest.raises(NotFittedError):
        learner.predict(sets)
    again = clone(learner.fit(sets, truths))
    assert again.get_params()["clusterer__missing"] == 0.0
    assert again.get_params()["classifier__C"] == 1.0  # as it was given
    assert not hasattr(again, "similarity_")
    assert again.fit(sets, truths).predict(sets) == learner.predict(sets)


def test_a_model_is_saved_where_it_is_linear(rng, tmp_path):
    sets, truths, _, _ = corpus("sparse pairs", rng)
    learner = PairwiseClustering(threshold=0.1, featurizer=WithConstant(GivenFeatures()))
    learner.fit(sets, truths).to_model().save(tmp_path / "pcc.coterie")
    assert Model.load(tmp_path / "pcc.coterie").predict(sets) == learner.predict(sets)
    learner.set_params(classifier=DecisionTreeClassifier()).fit(sets, truths)
    with pytest.raises(InputError, match=r"similarity\.classifier is a DecisionTreeClassifier"):
        learner.to_model().save(tmp_path / "tree.coterie")


# Learners that learn nothing.


@pytest.mark.parametrize("kind", KINDS)
def test_untrained_sums_the_features(kind, rng):
    sets, truths, pairs_of, features_of = corpus(kind, rng)
    learner = Untrained(AverageLinkage()).fit(sets, truths)
    for item_set, pairs, features, predicted in zip(
        sets, pairs_of, features_of, learner.predict(sets), strict=True
    ):
        assert np.allclose(learner.similarity_(item_set, pairs), features.sum(axis=1))
        assert predicted == AverageLinkage()(PairScores(9, pairs, features.sum(axis=1)))


SETS = [
    ItemSet(["a", "b", "c", "d"]),
    ItemSet({"name": ["Ann", "Bob", None]}),
    ItemSet(np.zeros((5, 2)), n_clusters=3),
    ItemSet(sp.csr_array((4, 100))),
    ItemSet.from_pair_features([[1.0], [-1.0]], 6, [(0, 3), (2, 5)]),
    ItemSet.from_pair_features(np.empty((0, 2)), 4, np.empty((0, 2), dtype=np.intp), n_clusters=2),
    ItemSet(["a"]),
    ItemSet(np.empty((0, 3))),
]


@pytest.mark.parametrize("kind", [Coarse, Fine])
def test_coarse_and_fine_look_at_nothing(kind, tmp_path):
    learner = kind().fit(SETS[:1], [[0, 1, 0, 2]])
    expected = [np.zeros(len(s)) if kind is Coarse else np.arange(len(s)) for s in SETS]
    assert learner.predict(SETS) == [Partition(labels) for labels in expected]
    learner.to_model().save(tmp_path / "default.coterie")
    assert Model.load(tmp_path / "default.coterie").predict(SETS) == learner.predict(SETS)


@given(st.integers(2, 12), st.data())
def test_coarse_and_fine_do_not_depend_on_the_pairs(n_items, data):
    pairs = all_pairs(n_items)
    listed_pairs = pairs[
        data.draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    ]
    n_clusters = data.draw(st.none() | st.integers(1, n_items))
    features = np.zeros((len(listed_pairs), 1))
    item_set = ItemSet.from_pair_features(features, n_items, listed_pairs, n_clusters=n_clusters)
    for learner, expected in [(Coarse(), [0] * n_items), (Fine(), range(n_items))]:
        assert learner.fit([item_set], [[0] * n_items]).predict([item_set]) == [Partition(expected)]


@pytest.mark.parametrize("learner", [Coarse(), Fine()])
def test_coarse_and_fine_take_large_sets(learner):
    large = ItemSet(np.zeros((100_000, 1)))  # of which all pairs would take 40 GB
    n_clusters = learner.fit([[[0.0]]], [[0]]).predict([large])[0].n_clusters
    assert n_clusters == (1 if isinstance(learner, Coarse) else 100_000)


def test_a_constant_similarity_scores_what_is_asked():
    similarity = ConstantSimilarity(2)
    assert similarity(SETS[0]).tolist() == [2.0] * 6
    assert similarity(SETS[4]).tolist() == [2.0] * 2  # the pairs that are there
    assert similarity(SETS[0], np.array([[0, 2]])).tolist() == [2.0]
    scores = similarity.pair_scores(SETS[2])
    assert (scores.n_items, scores.n_clusters, scores.listed) == (5, 3, None)
    bias, parts = similarity.contributions(SETS[0])
    assert (bias, parts.shape) == (2.0, (6, 0))
    with pytest.raises(InputError, match="value is inf; give a finite number"):
        ConstantSimilarity(float("inf"))


def test_long_indices_of_sparse_features_are_shortened():
    """LinearSVC takes 32-bit indices only."""
    matrix = sp.csr_array(np.eye(3))
    long = sp.csr_array(
        (matrix.data, matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)), shape=(3, 3)
    )
    item_set = ItemSet.from_pair_features(long, 3)
    learner = PairwiseClustering(C=100.0).fit([item_set], [[0, 0, 1]])
    assert learner.predict([item_set])[0].labels.tolist() == [0, 0, 1]
