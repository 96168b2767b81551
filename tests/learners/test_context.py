"""Learning in two stages, computed by hand, and with a first stage that overfits."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from coterie import ItemSet, Model, PairScores, Partition
from coterie.blocking import Window
from coterie.clusterers import AverageLinkage, KernelKMeans
from coterie.datasets import make_item_sets
from coterie.exceptions import FeatureError, InputError
from coterie.features import (
    ContextFeatures,
    GivenFeatures,
    Scaled,
    Stacked,
    WithConstant,
    to_matrix,
)
from coterie.features.context import context_columns
from coterie.learners import (
    Coarse,
    LatentLeftLinking,
    PairwiseClustering,
    SVMCluster,
    Untrained,
    WithContext,
    tune,
)
from coterie.learners import context as module
from coterie.learners.base import Examples, Learner
from coterie.metrics import macro, pair_scores
from coterie.similarities import ConstantSimilarity, ContextSimilarity, LinearSimilarity


@pytest.fixture
def corpus():
    return make_item_sets(n_sets=5, random_state=0)


def logistic(**params):
    classifier = LogisticRegression(solver="newton-cholesky", tol=1e-9)
    return PairwiseClustering(AverageLinkage(), classifier, **params)


def odds(truths):
    together = np.concatenate([truth.together(None) for truth in truths])
    return np.log((together.sum() + 0.5) / ((~together).sum() + 0.5))


# What it does.


def test_it_is_two_stages_by_hand(corpus):
    """Leave one set out at a time, scale by hand, and learn from columns written out."""
    sets, truths = corpus
    columns = [to_matrix(GivenFeatures()(item_set, None)) for item_set in sets]
    scale = np.vstack(columns).std(axis=0)

    def fitted(matrices, numbers):
        item_sets = [ItemSet.from_pair_features(matrices[i], len(truths[i])) for i in numbers]
        return logistic().fit(item_sets, [truths[i] for i in numbers]).similarity_

    def scored(similarity, number, matrix):
        return similarity.pair_scores(ItemSet.from_pair_features(matrix, len(truths[number])))

    contexts = []
    for number in range(len(sets)):
        training = [other for other in range(len(sets)) if other != number]
        training_scale = np.vstack([columns[other] for other in training]).std(axis=0)
        first = fitted([column / training_scale for column in columns], training)
        scores = scored(first, number, columns[number] / training_scale)
        gap = odds(truths) - odds([truths[other] for other in training])
        contexts.append(context_columns(PairScores(scores.n_items, None, scores.scores + gap)))
    spread = np.vstack(contexts).std(axis=0)
    stacked = [np.hstack([a, b / spread]) for a, b in zip(columns, contexts, strict=True)]
    second = fitted(stacked, range(len(sets)))
    first = fitted([column / scale for column in columns], range(len(sets)))

    scaled = logistic(featurizer=Scaled(GivenFeatures()))
    learner = WithContext(logistic(), scaled, n_folds=len(sets)).fit(*corpus)
    for number, item_set in enumerate(sets):
        context = context_columns(scored(first, number, columns[number] / scale)) / spread
        expected = scored(second, number, np.hstack([columns[number], context])).scores
        np.testing.assert_allclose(learner.similarity_(item_set), expected, rtol=1e-5, atol=1e-5)
    assert learner.predict(sets) == [
        AverageLinkage()(learner.similarity_.pair_scores(s)) for s in sets
    ]


def test_what_it_leaves(corpus):
    learner = WithContext(SVMCluster()).fit(*corpus)
    assert isinstance(learner.similarity_, ContextSimilarity)
    assert learner.similarity_.similarity is learner.learner_.similarity_
    assert isinstance(learner.learner_, SVMCluster)
    assert isinstance(learner.first_, PairwiseClustering)
    assert learner.to_model().clusterer == SVMCluster().clusterer


def test_context_helps_where_single_pairs_say_little(corpus):
    fresh = make_item_sets(n_sets=5, random_state=1)
    alone, beside = (
        learner.fit(*corpus).score(*fresh) for learner in (logistic(), WithContext(logistic()))
    )
    assert beside > alone + 0.05


class Recording(Untrained):
    """A learner whose class keeps the examples of the last fit."""

    examples: Examples

    def _fit(self, examples):
        type(self).examples = examples
        super()._fit(examples)


def test_the_second_stage_meets_the_same_sets_with_more_columns(corpus):
    sets = [ItemSet(s.items, n_clusters=2, ordered=True) for s in corpus[0]]
    WithContext(Recording(featurizer=Scaled(GivenFeatures()), blocker=Window(4))).fit(
        sets, corpus[1]
    )
    for item_set, before in zip(Recording.examples.item_sets, sets, strict=True):
        np.testing.assert_array_equal(item_set.items.pairs, Window(4)(before))
        assert item_set.items.features.shape[1] == before.items.shape[1] + 7
        assert (item_set.n_clusters, item_set.ordered) == (2, True)
    assert Recording.examples.truths == corpus[1]


@pytest.mark.parametrize("featurizer", [None, GivenFeatures(), WithConstant(GivenFeatures())])
def test_there_is_one_constant_at_most(featurizer, corpus):
    learner = WithContext(LatentLeftLinking(featurizer=featurizer)).fit(*corpus)
    n_columns = len(learner.similarity_.similarity.coef)
    assert n_columns == corpus[0][0].items.shape[1] + 7 + (featurizer != GivenFeatures())


def test_columns_of_context_are_scaled(corpus):
    WithContext(Recording()).fit(*corpus)
    rows = np.vstack([to_matrix(s.items.features) for s in Recording.examples.item_sets])
    np.testing.assert_allclose(rows[:, -7:].std(axis=0), 1.0)


def test_the_first_stage_reads_the_features_of_the_learner(corpus):
    plain = WithContext(logistic(), first=Recording()).fit(*corpus)
    assert isinstance(plain.first_, Recording)
    n_columns = corpus[0][0].items.shape[1]
    assert Recording.examples.item_sets[0].items.features.shape[1] == n_columns
    assert isinstance(plain.similarity_.featurizer, Stacked)
    doubled = WithContext(logistic(), first=Recording(featurizer=WithConstant(GivenFeatures())))
    assert len(doubled.fit(*corpus).first_.similarity_.coef) == n_columns + 1


# Folds.


def leaking(n_sets, n_items, random_state):
    """Make sets of pairs with an informative and a random column, which a tree can memorise."""
    rng = np.random.default_rng(random_state)
    sets, truths = [], []
    for _ in range(n_sets):
        truth = Partition(rng.integers(n_items // 4, size=n_items))
        noise = rng.normal(size=(n_items * (n_items - 1) // 2, 2))
        noise[:, 0] = np.where(truth.together(), 1.0, -1.0) + 0.7 * noise[:, 0]
        sets.append(ItemSet.from_pair_features(noise, n_items))
        truths.append(truth)
    return sets, truths


def by_heart():
    """Return a learner that memorises its training pairs, including their noise."""
    return PairwiseClustering(classifier=DecisionTreeClassifier(), featurizer=GivenFeatures())


def scored_by_all(first, examples, n_folds, random_state):
    similarity = first.fit(*examples).similarity_
    return [similarity.pair_scores(item_set) for item_set in examples.item_sets]


@pytest.mark.parametrize(("n_sets", "n_items"), [(6, 20), (1, 50)])
def test_what_a_first_stage_knows_by_heart_is_not_trusted(n_sets, n_items, monkeypatch):
    train, fresh = leaking(n_sets, n_items, 0), leaking(8, 20, 1)
    two = WithContext(logistic(), by_heart())

    def reached(learner):
        return macro(pair_scores, fresh[1], learner.fit(*train).predict(fresh[0])).f1

    alone, out_of_fold = reached(logistic()), reached(two)
    monkeypatch.setattr(module, "cross_fitted_scores", scored_by_all)
    in_sample = reached(two)
    assert out_of_fold > alone
    assert alone > in_sample + 0.05


@pytest.mark.parametrize("n_sets", [1, 2, 7])
def test_no_pair_is_scored_by_a_learner_that_saw_it(n_sets, monkeypatch):
    """Every pair has another feature value, by which the learner knows its training pairs."""
    monkeypatch.setattr(module, "log_odds", lambda examples: 0.0)
    sets, truths = [], []
    for number in range(n_sets):
        column = number * 1000.0 + np.arange(66.0)
        sets.append(ItemSet.from_pair_features(column[:, None], 12))
        truths.append(Partition(np.arange(12) % 5))

    cross_fitted = module.cross_fitted_scores(Remembering(), Examples(sets, truths), 3, 0)
    for scores in cross_fitted:
        assert not scores.scores.any()
    in_sample = scored_by_all(Remembering(), Examples(sets, truths), 3, 0)
    assert all(scores.scores.all() for scores in in_sample)


class Remembering(Learner):
    """A learner that scores a pair 1 if it was a training pair, else 0."""

    def _fit(self, examples):
        rows = [to_matrix(s.items.features) for s in examples.item_sets]
        self.similarity_ = Remembered(np.vstack(rows))

    @property
    def _predictor(self):
        return AverageLinkage()


class Remembered(LinearSimilarity):
    def __init__(self, training_values):
        object.__setattr__(self, "featurizer", GivenFeatures())
        object.__setattr__(self, "coef", np.ones(1))
        object.__setattr__(self, "training_values", training_values)

    def _scores(self, features):
        return np.isin(to_matrix(features)[:, 0], self.training_values).astype(float)


@pytest.mark.parametrize("n_sets", [1, 12])
def test_noise_has_no_context(n_sets):
    """The share of pairs together in the training part must not show which are together outside."""
    areas = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        n_items = 120 // n_sets
        sets, truths = [], []
        for _ in range(n_sets):
            sizes = rng.pareto(1.0, n_items) * 3
            truths.append(Partition(rng.permutation(np.sort(sizes.astype(int)))))
            noise = rng.normal(size=(n_items * (n_items - 1) // 2, 3))
            sets.append(ItemSet.from_pair_features(noise, n_items))
        first = WithContext(PairwiseClustering())._first
        set_scores = module.cross_fitted_scores(first, Examples(sets, truths), 5, 0)
        together = np.concatenate([truth.together(None) for truth in truths])
        scores = np.concatenate([pair_scores.scores for pair_scores in set_scores])
        areas.append(roc_auc_score(together, scores))
    assert np.mean(areas) == pytest.approx(0.5, abs=0.05)


def test_a_single_pair_of_parts_scores_the_mean(monkeypatch):
    """A pair gets the mean of two scores, each by a learner fitted without one of its items."""
    monkeypatch.setattr(module, "log_odds", lambda examples: 0.0)
    truth = Partition([0, 0, 1, 1])
    columns = np.array([[4.0], [1.0], [2.0], [3.0], [5.0], [-2.0]])
    item_set = ItemSet.from_pair_features(columns, 4)

    class Sum(Remembering):
        def _fit(self, examples):
            total = sum(to_matrix(s.items.features).sum() for s in examples.item_sets)
            self.similarity_ = ConstantSimilarity(total)

    (scores,) = module.cross_fitted_scores(Sum(), Examples([item_set], [truth]), 5, 0)
    assert scores.scores.tolist() == [-2.0, 1.0, 1.0, 1.0, 1.0, 4.0]


def test_sets_with_pairs_are_spread_over_the_folds():
    has_pairs = np.array([False, True, False, False, True, True, False])
    for seed in range(10):
        folds = module._folds(has_pairs, 5, seed)
        assert np.sort(np.concatenate(folds)).tolist() == list(range(7))
        assert [np.count_nonzero(has_pairs[fold]) for fold in folds] == [1, 1, 1]


# Paths.


def test_a_path_is_the_same_as_single_fits(corpus):
    learner = WithContext(LatentLeftLinking())
    for n_passes, fitted in zip([3, 1], learner.fit_path(*corpus, [3, 1]), strict=True):
        alone = WithContext(LatentLeftLinking(n_passes=n_passes)).fit(*corpus)
        assert fitted.learner.n_passes == n_passes
        for item_set in corpus[0]:
            np.testing.assert_array_equal(
                fitted.to_model().scores(item_set).scores, alone.to_model().scores(item_set).scores
            )
    assert not hasattr(learner, "similarity_")


def test_a_path_computes_the_context_once(corpus, monkeypatch):
    calls = []

    def counted(*arguments):
        calls.append(arguments)
        return scored_by_all(*arguments)

    monkeypatch.setattr(module, "cross_fitted_scores", counted)
    grid = {"learner__n_passes": [1, 2, 3]}
    tuned = tune(WithContext(LatentLeftLinking()), *corpus, grid, n_folds=2)
    assert tuned.learner.learner_.n_passes == tuned.params["learner__n_passes"]
    assert len(calls) == 2 + 1  # two folds, and the fit to all


def test_there_is_no_path_where_the_learner_has_none():
    assert not hasattr(WithContext(logistic()), "fit_path")
    assert WithContext(logistic())._path_param is None


# What it leaves behind.


def test_some_pairs_score_as_among_all(corpus):
    learner = WithContext(logistic(blocker=Window(5))).fit(*corpus)
    item_set = corpus[0][0]
    pairs = Window(5)(item_set)
    scores = learner.similarity_(item_set, pairs)
    rows = np.array([7, 2, 30])
    np.testing.assert_allclose(learner.similarity_(item_set, pairs[rows]), scores[rows])


def test_parts_sum_to_the_score(corpus):
    similarity = WithContext(logistic()).fit(*corpus).similarity_
    bias, parts = similarity.contributions(corpus[0][0], [(0, 1), (2, 5)])
    expected = similarity(corpus[0][0], [(0, 1), (2, 5)])
    np.testing.assert_allclose(bias + parts.sum(axis=1), expected)
    assert parts.shape[1] == len(similarity.featurizer.names)
    assert similarity.featurizer.names[-1] == "common neighbours"


def test_what_cannot_be_explained_is_refused():
    class Plain:
        def pair_scores(self, item_set, pairs):
            return ConstantSimilarity(1.0).pair_scores(item_set, pairs)

    similarity = ContextSimilarity(GivenFeatures(), Plain())
    items = ItemSet([[1.0], [2.0]], n_clusters=2)
    assert similarity.pair_scores(items).n_clusters == 2
    assert similarity.needs_context
    with pytest.raises(InputError, match="cannot split a score into the contributions"):
        similarity.contributions(items)
    with pytest.raises(InputError, match="has no pair_scores"):
        ContextSimilarity(GivenFeatures(), Plain)
    with pytest.raises(FeatureError, match="give an object with the methods fit"):
        ContextSimilarity("given", Plain())


def test_products_of_items_keep_their_diagonal(corpus):
    similarity = ContextSimilarity(GivenFeatures(), LinearSimilarity(GivenFeatures(), np.ones(8)))
    expected = LinearSimilarity(GivenFeatures(), np.ones(8)).pair_scores(corpus[0][0])
    scores = similarity.pair_scores(corpus[0][0])
    np.testing.assert_allclose(scores.diagonal, expected.diagonal)
    np.testing.assert_allclose(scores.scores, expected.scores)


def test_the_model_can_be_saved(corpus, tmp_path):
    learner = WithContext(logistic(featurizer=Scaled(GivenFeatures()), blocker=Window(5)))
    model = learner.fit(*corpus).to_model()
    model.save(tmp_path / "model")
    loaded = Model.load(tmp_path / "model")
    for item_set in corpus[0]:
        scores, expected = loaded.scores(item_set), model.scores(item_set)
        assert scores.scores.tobytes() == expected.scores.tobytes()
    context = loaded.similarity.featurizer.featurizers[1].featurizer
    assert isinstance(context, ContextFeatures)
    assert context.blocker == Window(5)


# What is refused.


@pytest.mark.parametrize(
    ("learner", "match"),
    [
        (WithContext(Coarse()), "Coarse has no featurizer"),
        (WithContext(KernelKMeans()), "learner is KernelKMeans"),
        (WithContext(None), "learner is None; use a learner"),
        (WithContext(logistic(), first="logistic"), "first is 'logistic'"),
        (WithContext(logistic(), n_folds=1), "n_folds is 1"),
        (WithContext(logistic(), random_state=-1), "random_state is -1"),
    ],
)
def test_what_does_not_fit_is_refused(learner, match, corpus):
    with pytest.raises(InputError, match=match):
        learner.fit(*corpus)
