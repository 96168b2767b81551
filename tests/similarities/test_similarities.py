"""Similarities for all kinds of features, compared with plain NumPy."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from coterie import ItemSet
from coterie.exceptions import FeatureError, InputError, PairError
from coterie.features import DenseFeatures, GivenFeatures, Scaled, WithConstant
from coterie.features.operators import blocks
from coterie.pairs import PairScores, all_pairs
from coterie.similarities import (
    ClassifierSimilarity,
    ConstantSimilarity,
    ContextSimilarity,
    DistanceSimilarity,
    LinearSimilarity,
)
from coterie.similarities.base import shift_similarity

KINDS = ["nodes", "sparse nodes", "pairs", "sparse pairs"]
SOME_PAIRS = np.array([[4, 1], [0, 6], [2, 3]])  # the first pair is (j, i), not (i, j)
COEF = np.array([1.5, -2.0, 0.25])


@dataclass(frozen=True)
class UserSimilarity:
    """A similarity of a user, which gives every pair its bias as the score."""

    bias: float

    def __call__(self, item_set, pairs):
        return self.pair_scores(item_set, pairs).scores

    def pair_scores(self, item_set, pairs):
        return PairScores(len(item_set), None, np.full(21, self.bias))


def item_set(kind, rng, n_items=7, **options):
    """Return an item set, the features of all pairs, and those of items with themselves."""
    pairs = all_pairs(n_items)
    sparse = sp.csr_array if "sparse" in kind else np.asarray
    if "pairs" in kind:
        matrix = rng.normal(size=(len(pairs), 3)) * (rng.random((len(pairs), 3)) < 0.6)
        return ItemSet.from_pair_features(sparse(matrix), n_items, **options), matrix, None
    nodes = rng.normal(size=(n_items, 3)) * (rng.random((n_items, 3)) < 0.6)
    return ItemSet(sparse(nodes), **options), nodes[pairs[:, 0]] * nodes[pairs[:, 1]], nodes**2


def rows_of(pairs, n_items=7):
    pair_list = all_pairs(n_items).tolist()
    return [pair_list.index(sorted(pair)) for pair in pairs.tolist()]


class Differences:
    """The features |xᵢ − xⱼ|; it counts how often it encodes an item set."""

    names = ("x", "x")

    def __init__(self):
        self.n_encoded = 0

    def fit(self, item_sets):
        return self

    def encode(self, item_set):
        self.n_encoded += 1
        return item_set.items

    def compare(self, nodes, pairs):
        first, second = (all_pairs(len(nodes)) if pairs is None else pairs).T
        return DenseFeatures(np.abs(nodes[first] - nodes[second]))

    def __call__(self, item_set, pairs):
        return self.compare(self.encode(item_set), pairs)


@pytest.mark.parametrize("kind", KINDS)
class TestLinear:
    def test_scores_are_weighted_sums(self, kind, rng):
        items, features, diagonal = item_set(kind, rng, n_clusters=2)
        similarity = LinearSimilarity(GivenFeatures(), COEF, bias=0.5)
        assert np.allclose(similarity(items), features @ COEF + 0.5)
        scores = similarity.pair_scores(items, None)
        assert (scores.n_items, scores.n_clusters, scores.listed) == (7, 2, None)
        assert np.allclose(scores.scores, features @ COEF + 0.5)
        if diagonal is None:
            assert scores.diagonal is None
        else:
            assert np.allclose(scores.diagonal, diagonal @ COEF)  # without the bias

    def test_listed_pairs_keep_their_order(self, kind, rng):
        items, features, diagonal = item_set(kind, rng)
        similarity = LinearSimilarity(GivenFeatures(), COEF)
        expected = (features @ COEF)[rows_of(SOME_PAIRS)]
        assert np.allclose(similarity(items, SOME_PAIRS), expected)
        scores = similarity.pair_scores(items, SOME_PAIRS)
        assert np.allclose(scores.scores, expected)
        assert scores.pairs.tolist() == np.sort(SOME_PAIRS, axis=1).tolist()
        assert (scores.diagonal is None) == (diagonal is None)

    def test_contributions_and_bias_sum_to_the_scores(self, kind, rng):
        items, features, _ = item_set(kind, rng)
        coef = np.append(COEF, 0.75)
        similarity = LinearSimilarity(WithConstant(GivenFeatures()), coef, bias=0.5)
        for pairs, rows in [(None, slice(None)), (SOME_PAIRS, rows_of(SOME_PAIRS))]:
            bias, parts = similarity.contributions(items, pairs)
            dense = parts.toarray() if sp.issparse(parts) else parts
            assert bias == 0.5
            assert np.allclose(dense[:, :3], features[rows] * COEF)
            assert np.all(dense[:, 3] == 0.75)  # the constant is a feature like any other
            assert np.allclose(dense.sum(axis=1) + bias, similarity(items, pairs))

    def test_scores_of_scaled_features_are_weighted_sums(self, kind, rng):
        items, features, diagonal = item_set(kind, rng)
        scaled = Scaled(GivenFeatures()).fit([items])
        scores = LinearSimilarity(scaled, COEF).pair_scores(items)
        assert np.allclose(scores.scores, features @ (COEF / scaled.scale))
        assert diagonal is None or np.allclose(scores.diagonal, diagonal @ (COEF / scaled.scale))

    def test_no_pairs_have_no_scores(self, kind, rng):
        items, _, _ = item_set(kind, rng)
        no_pairs = np.empty((0, 2), dtype=np.intp)
        similarity = LinearSimilarity(GivenFeatures(), COEF)
        assert similarity(items, no_pairs).shape == (0,)
        assert similarity.contributions(items, no_pairs)[1].shape == (0, 3)


def test_a_linear_similarity_has_one_coef_per_column(rng):
    similarity = LinearSimilarity(GivenFeatures(), [1.0, 2.0])
    items, _, _ = item_set("nodes", rng)
    for use in (similarity, similarity.pair_scores, similarity.contributions):
        with pytest.raises(FeatureError, match="have 3 columns, but coef has length 2; give"):
            use(items)


def test_pairs_default_to_those_with_features(rng):
    features = rng.normal(size=(3, 3))
    items = ItemSet.from_pair_features(features, n_items=7, pairs=SOME_PAIRS)
    scores = LinearSimilarity(GivenFeatures(), COEF).pair_scores(items)
    assert np.allclose(scores.scores, features @ COEF)
    assert scores.pairs.tolist() == np.sort(SOME_PAIRS, axis=1).tolist()


def test_coef_can_be_read_by_name(rng):
    items, _, _ = item_set("nodes", rng)
    featurizer = WithConstant(GivenFeatures()).fit([items])
    coef_by_name = LinearSimilarity(featurizer, [1.0, 2.0, 3.0, 4.0]).named_coef()
    assert coef_by_name == {"feature 0": 1.0, "feature 1": 2.0, "feature 2": 3.0, "constant": 4.0}
    with pytest.raises(FeatureError, match="have 4 columns, but coef has length 1"):
        LinearSimilarity(featurizer, [1.0]).named_coef()
    with pytest.raises(FeatureError, match="two features are called 'x'"):
        LinearSimilarity(Differences(), [1.0, 2.0]).named_coef()


def test_coef_cannot_be_changed():
    similarity = LinearSimilarity(GivenFeatures(), np.ones(3))
    with pytest.raises(ValueError, match="read-only"):
        similarity.coef[0] = 2.0
    with pytest.raises(AttributeError):
        similarity.bias = 1.0
    assert repr(similarity) == "LinearSimilarity(3 features)"
    assert similarity.coef.dtype == np.float64


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((GivenFeatures(), [[1.0]]), FeatureError, r"coef has shape \(1, 1\); give one number"),
        ((GivenFeatures(), [1.0, np.inf]), FeatureError, "coef 1 is inf; give finite"),
        ((GivenFeatures(), ["a"]), FeatureError, "coef must be real numbers"),
        ((GivenFeatures(), [1.0], np.nan), InputError, "bias is nan; give a finite"),
        ((GivenFeatures, [1.0]), InputError, "featurizer is the class GivenFeatures; give a"),
        (("dense", [1.0]), InputError, "featurizer is 'dense'; give an object with"),
    ],
)
def test_invalid_linear_similarities_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        LinearSimilarity(*arguments)


@pytest.mark.parametrize("kind", ["linear", "classifier"])
def test_items_are_converted_and_encoded_once(kind):
    featurizer = Differences()
    if kind == "linear":
        similarity = LinearSimilarity(featurizer, [1.0, 1.0])
    else:
        tree = DecisionTreeClassifier().fit([[0, 0], [1, 1]], [0, 1])
        similarity = ClassifierSimilarity(featurizer, tree)
    scores = similarity.pair_scores([[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    assert featurizer.n_encoded == 1
    assert scores.diagonal is None
    assert scores.scores[0] == scores.scores[1] != scores.scores[2]
    with pytest.raises(PairError, match=r"pair 0 is .0, 3., but there are 3 items"):
        similarity([[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]], [(0, 3)])


@pytest.fixture
def labelled(rng):
    features = rng.normal(size=(60, 3))
    return features, features @ [1.0, -1.0, 0.5] > 0.2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entries", [2**22, 12])  # 12: four rows per block
def test_a_decision_function_gives_the_scores(kind, entries, rng, labelled, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_ENTRIES", entries)
    classifier = LogisticRegression().fit(*labelled)
    items, features, _ = item_set(kind, rng, n_clusters=3)
    similarity = ClassifierSimilarity(GivenFeatures(), classifier)
    expected = classifier.decision_function(features)
    assert np.allclose(similarity(items), expected)
    assert np.allclose(similarity(items, SOME_PAIRS), expected[rows_of(SOME_PAIRS)])
    scores = similarity.pair_scores(items, SOME_PAIRS)
    assert np.allclose(scores.scores, expected[rows_of(SOME_PAIRS)])
    assert scores.diagonal is None
    assert scores.n_clusters == 3
    assert similarity(items, np.empty((0, 2), dtype=np.intp)).shape == (0,)


class Recorder:
    """A classifier that records the blocks of rows that it scores."""

    def __init__(self):
        self.blocks = []

    def decision_function(self, features):
        self.blocks.append(features)
        return features[:, 0]


def test_pairs_are_scored_in_blocks(rng, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_ENTRIES", 12)
    items, features, _ = item_set("nodes", rng)
    classifier = Recorder()
    assert np.allclose(ClassifierSimilarity(GivenFeatures(), classifier)(items), features[:, 0])
    assert [len(block) for block in classifier.blocks] == [4, 4, 4, 4, 4, 1]
    assert np.allclose(np.concatenate(classifier.blocks), features)


def test_probabilities_become_bounded_log_odds(rng, labelled):
    features, together = labelled
    forest = RandomForestClassifier(10, random_state=0).fit(features, together)
    items, pair_features, _ = item_set("pairs", rng)
    probabilities = forest.predict_proba(pair_features)[:, 1]
    assert {0.0, 1.0} & set(probabilities)
    inner = np.clip(probabilities, 1e-9, 1 - 1e-9)
    expected = np.where(inner == probabilities, np.log(inner / (1 - inner)), 0)
    expected += np.select([probabilities == 0, probabilities == 1], [-36.0, 36.0])
    assert np.allclose(ClassifierSimilarity(GivenFeatures(), forest)(items), expected)


@pytest.mark.parametrize(("label", "score"), [(0, -36.0), (1, 36.0)])
def test_a_classifier_of_one_class_is_certain_of_it(label, score, rng):
    tree = DecisionTreeClassifier().fit(np.ones((4, 3)), [label] * 4)
    items, _, _ = item_set("nodes", rng)
    assert np.all(ClassifierSimilarity(GivenFeatures(), tree)(items) == score)


def test_classifiers_of_more_classes_are_refused(rng):
    items, features, _ = item_set("pairs", rng)
    classes = np.arange(len(features)) % 3
    for classifier, name in [
        (LogisticRegression(), "decision_function"),
        (DecisionTreeClassifier(), "predict_proba"),
    ]:
        similarity = ClassifierSimilarity(GivenFeatures(), classifier.fit(features, classes))
        with pytest.raises(InputError, match=f"{name} returned shape .* with two classes"):
            similarity(items)


def test_objects_that_are_not_classifiers_are_refused():
    for classifier in (LogisticRegression, None, "forest"):
        with pytest.raises(InputError, match="; give a fitted classifier with decision_function"):
            ClassifierSimilarity(GivenFeatures(), classifier)
    representation = repr(ClassifierSimilarity(GivenFeatures(), LogisticRegression()))
    assert representation == "ClassifierSimilarity(LogisticRegression)"


def test_a_threshold_is_subtracted_from_a_bias():
    items, _, _ = item_set("pairs", np.random.default_rng(0))
    inner = LinearSimilarity(GivenFeatures(), COEF, 0.5)
    featurizer = GivenFeatures(3, of_pairs=True)
    user_similarity = UserSimilarity(2.0)
    for similarity in (
        inner,
        ContextSimilarity(featurizer, inner),
        ContextSimilarity(featurizer, user_similarity),
        user_similarity,
    ):
        shifted = shift_similarity(similarity, 0.75)
        np.testing.assert_allclose(shifted(items, None), similarity(items, None) - 0.75)
        assert shift_similarity(similarity, 0.0) is similarity
    for similarity in (DistanceSimilarity(featurizer, COEF), ConstantSimilarity(1.0)):
        with pytest.raises(InputError, match=f"{type(similarity).__name__} has no bias"):
            shift_similarity(similarity, 1.0)


def test_a_featurizer_replaces_nested_given_features():
    items, matrix, _ = item_set("nodes", np.random.default_rng(0))
    pairs = ItemSet.from_pair_features(matrix, n_items=len(items))
    featurizer = WithConstant(Scaled(GivenFeatures(), np.array([2.0, 0.5, 1.0])))
    learned = LinearSimilarity(featurizer, np.append(COEF, 0.25), 0.5)
    similarity = learned.with_featurizer(GivenFeatures(of_pairs=False))
    np.testing.assert_allclose(similarity(items, None), learned(pairs, None))
    of_differences = learned.with_featurizer(Differences())
    assert of_differences.featurizer.names == ("x", "x", "constant")
