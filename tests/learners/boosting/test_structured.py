"""Structured boosting: descent, stopping, repeatability, and agreement with the libraries."""

import sys

import numpy as np
import pytest
from sklearn.base import clone

import coterie
from coterie.blocking import AllPairs, Window
from coterie.clusterers import AverageLinkage, Greedy, LeftLink
from coterie.datasets import make_item_sets
from coterie.exceptions import FeatureError, InputError, InterruptedWarning, ItemSetError
from coterie.items import ItemSet
from coterie.learners.base import as_examples
from coterie.learners.boosting import trees as trees_module
from coterie.learners.boosting.pair_sets import featurize_pairs
from coterie.learners.boosting.risks import CorrelationRisk, LeftLinkRisk, LogisticRisk
from coterie.learners.boosting.stopping import Stopping
from coterie.learners.boosting.structured import StructuredBoosting
from coterie.learners.boosting.trees import HistogramTrees, LightTrees, default_trees
from coterie.learners.tuning import tune
from coterie.metrics import pair_loss
from coterie.model import Model

lightgbm = pytest.importorskip("lightgbm")

RISKS = [LeftLinkRisk(), LeftLinkRisk(0.0), CorrelationRisk(), LogisticRisk()]
GROWERS = [LightTrees, HistogramTrees]
TRAIN, TEST = make_item_sets(random_state=0), make_item_sets(random_state=1)


def boosting(objective=None, trees=None, n_rounds=20, **params):
    objective = LeftLinkRisk() if objective is None else objective
    return StructuredBoosting(objective, trees, n_rounds, **params)


def bits(learner):
    return b"".join(learner.to_model().scores(items).scores.tobytes() for items in TEST.item_sets)


@pytest.mark.parametrize("grower", GROWERS)
@pytest.mark.parametrize("risk", [LeftLinkRisk(), LeftLinkRisk(1.0), LogisticRisk()], ids=str)
def test_a_small_step_lowers_the_objective_every_round(risk, grower):
    learner = boosting(risk, grower(learning_rate=0.02), 40).fit(*TRAIN)
    objectives = [entry.objective for entry in learner.history_]
    assert len(objectives) == 40
    assert np.all(np.diff(objectives) < 0)


@pytest.mark.parametrize("grower", GROWERS)
@pytest.mark.parametrize("risk", RISKS, ids=str)
def test_learned_trees_cluster_new_sets(risk, grower):
    learner = boosting(risk, grower(), 60).fit(*TRAIN)
    assert 20 <= learner.n_rounds_ == len(learner.similarity_.trees) <= 60
    single = coterie.Fine().fit(*TRAIN).score(*TEST)
    assert learner.score(*TEST) > single + 0.1


@pytest.mark.parametrize("grower", GROWERS)
def test_the_scores_of_training_are_those_of_prediction(grower):
    """In training the library sums its trees; in prediction the exported arrays do."""
    examples = as_examples(*TRAIN)
    training_scores = []

    class Recording(LeftLinkRisk):
        def descend(self, pairs, scores):
            training_scores.append(scores.copy())
            return super().descend(pairs, scores)

    learner = boosting(Recording(), grower(), 30).fit(*TRAIN)
    similarity = learner.similarity_
    pairs, matrix, _ = featurize_pairs(examples, similarity.featurizer, AllPairs())
    for n_trees in (0, 1, 29):
        scores = similarity.trees.first(n_trees)(matrix) + similarity.bias
        np.testing.assert_allclose(training_scores[n_trees], scores, rtol=0, atol=1e-9)
    for pair_set, items in zip(pairs.sets, TRAIN.item_sets, strict=True):
        scores = similarity.trees(matrix[pair_set.rows]) + similarity.bias
        expected = pair_set.pair_scores(scores).scores
        np.testing.assert_allclose(similarity(items), expected, rtol=0, atol=1e-12)


def test_boosted_pairs_are_those_of_lightgbm():
    """All columns are used, because LightGBM draws columns in another order for its objectives."""
    examples, trees = as_examples(*TRAIN), LightTrees(column_share=1.0)
    similarity = boosting(LogisticRisk(), trees, 25).fit(*TRAIN).similarity_
    pairs, matrix, _ = featurize_pairs(examples, similarity.featurizer, AllPairs())
    params = trees._params(matrix.shape[1], 0) | {
        "objective": "binary",
        "boost_from_average": False,
    }
    first = np.full(len(pairs), similarity.bias)
    data = lightgbm.Dataset(matrix, pairs.together, init_score=first, params=params)
    expected = lightgbm.train(params, data, 25).predict(matrix, raw_score=True)
    np.testing.assert_allclose(similarity.trees(matrix), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("grower", GROWERS)
def test_two_runs_give_the_same_bits(grower):
    one, other = (boosting(trees=grower()).fit(*TRAIN) for _ in range(2))
    assert bits(one) == bits(other)
    assert bits(boosting(trees=grower(), random_state=1).fit(*TRAIN)) != bits(one)


def test_the_number_of_threads_changes_no_bit():
    one, two = (boosting(trees=LightTrees(n_jobs=n)).fit(*TRAIN) for n in (1, 2))
    assert bits(one) == bits(two)


@pytest.mark.parametrize("grower", GROWERS)
def test_a_path_gives_the_same_learners_as_separate_fits(grower):
    learner = boosting(trees=grower(), clusterer=AverageLinkage())
    path = learner.fit_path(*TRAIN, [15, 3])
    assert [fitted.n_rounds for fitted in path] == [15, 3]
    for fitted in path:
        expected = clone(learner).set_params(n_rounds=fitted.n_rounds).fit(*TRAIN)
        assert bits(fitted) == bits(expected)
        assert fitted.history_ == expected.history_
        assert fitted.predict(TEST.item_sets) == expected.predict(TEST.item_sets)
    assert not hasattr(learner, "similarity_")


def test_tuning_walks_the_path():
    learner = boosting(LogisticRisk(), n_rounds=5)
    grid = {"n_rounds": [2, 20], "clusterer": [Greedy(), AverageLinkage()]}
    tuned = tune(learner, *TRAIN, grid, n_folds=3)
    assert len(tuned.table) == 4
    assert tuned.learner.n_rounds_ == tuned.params["n_rounds"]


def test_stopping_takes_the_number_of_rounds_that_predicts_best():
    stopping = Stopping(share=0.3, every=4, patience=100)
    learner = boosting(n_rounds=30, stopping=stopping).fit(*TRAIN)
    held_out, training = stopping.divide(as_examples(*TRAIN), 0)
    counts = [4, 8, 12, 16, 20, 24, 28, 30]
    path = boosting().fit_path(*training, counts)
    scores = [fitted.score(*held_out) for fitted in path]
    assert learner.n_rounds_ == counts[int(np.argmax(scores))]
    expected = boosting(n_rounds=learner.n_rounds_).fit(*TRAIN)
    assert bits(expected) == bits(learner)


def test_stopping_follows_metrics_that_are_better_when_lower():
    stopping = Stopping(pair_loss, share=0.3, every=5, patience=2)
    learner = boosting(LogisticRisk(), n_rounds=60, stopping=stopping).fit(*TRAIN)
    held_out, training = stopping.divide(as_examples(*TRAIN), 0)
    path = boosting(LogisticRisk()).fit_path(*training, range(5, 61, 5))
    losses = []
    for fitted in path:
        predicted = fitted.predict(held_out.item_sets)
        losses.append(np.mean(list(map(pair_loss, held_out.truths, predicted))))
        best = int(np.argmin(losses))
        if len(losses) - 1 - best == 2:
            break
    assert learner.n_rounds_ == 5 * (best + 1)


@pytest.mark.parametrize("grower", GROWERS)
def test_trees_after_the_last_evaluation_are_evaluated(grower):
    """The loss is 0 after some trees, and growing ends before the first evaluation is due."""
    rng = np.random.default_rng(0)
    truths = [np.repeat([0, 1, 2], 5) for _ in range(6)]
    sets = [np.eye(3)[t] + 0.01 * rng.random((15, 3)) for t in truths]
    risk = LeftLinkRisk(0.0)
    unstopped = boosting(risk, grower(), 200).fit(sets, truths)
    stopped = boosting(risk, grower(), 200, stopping=Stopping(every=150)).fit(sets, truths)
    assert 1 < unstopped.n_rounds_ < 150
    assert len(unstopped.history_) == unstopped.n_rounds_
    assert stopped.n_rounds_ > 1
    assert stopped.score(sets, truths) == 1.0


def test_stopping_uses_known_numbers_of_clusters():
    counts = []

    class Recording(AverageLinkage):
        def __call__(self, scores):
            counts.append(scores.n_clusters)
            return super().__call__(scores)

    sets = [ItemSet(items.items, n_clusters=5) for items in TRAIN.item_sets]
    truths = [np.arange(len(items)) % 5 for items in sets]
    boosting(n_rounds=3, clusterer=Recording(), stopping=Stopping(every=1)).fit(sets, truths)
    assert set(counts) == {5}


def test_sets_of_one_item_are_held_out_last():
    single_items = [np.ones((1, 2))] * 8
    examples = as_examples([*single_items, *[np.eye(2)] * 2], [*[[0]] * 8, *[[0, 1]] * 2])
    for seed in range(5):
        held_out, _ = Stopping(share=0.2).divide(examples, seed)
        assert [len(truth) for truth in held_out.truths] == [2, 2]


def test_stopping_finds_the_number_itself_and_has_no_path():
    learner = boosting(n_rounds=8, stopping=Stopping(every=2))
    with pytest.raises(InputError, match=r"use stopping=None"):
        learner.fit_path(*TRAIN, [2, 3])
    tuned = tune(learner, *TRAIN, {"n_rounds": [2, 8]}, n_folds=2)
    assert tuned.learner.n_rounds_ <= tuned.params["n_rounds"]


def test_held_out_sets_are_not_training_sets():
    examples = as_examples(*TRAIN)
    held_out, training = Stopping(share=0.25).divide(examples, 3)
    assert len(held_out.truths) == round(0.25 * len(examples.truths))
    held_out_ids, training_ids = (set(map(id, part.item_sets)) for part in (held_out, training))
    assert not held_out_ids & training_ids
    assert held_out_ids | training_ids == set(map(id, examples.item_sets))
    with pytest.raises(ItemSetError, match=r"give at least 2, or stopping=None"):
        boosting(stopping=Stopping()).fit(TRAIN.item_sets[:1], TRAIN.partitions[:1])


def test_without_lightgbm_the_trees_are_those_of_sklearn(monkeypatch):
    assert default_trees() == LightTrees()
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    assert boosting(n_rounds=3).fit(*TRAIN).trees_ == HistogramTrees()


def test_an_error_says_that_lightgbm_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(InputError, match=r"install coterie\[boost\], or use HistogramTrees\(\)"):
        boosting(trees=LightTrees()).fit(*TRAIN)


def test_prediction_needs_neither_library(tmp_path, monkeypatch):
    learner = boosting(n_rounds=5).fit(*TRAIN)
    learner.to_model().save(tmp_path / "model.coterie")
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    monkeypatch.setattr(trees_module, "LightTrees", None)
    loaded = Model.load(tmp_path / "model.coterie")
    assert loaded.predict(TEST.item_sets) == learner.predict(TEST.item_sets)


@pytest.mark.parametrize("grower", GROWERS)
def test_few_or_equal_pairs_grow_no_tree(grower):
    """Nothing can be split, and all pairs get the score that minimises the objective."""
    learner = boosting(trees=grower()).fit([np.eye(2), np.eye(2)[:1]], [[0, 0], [0]])
    assert learner.n_rounds_ == 0
    assert learner.history_ == []
    assert learner.similarity_(np.eye(2))[0] > 1.0
    assert learner.predict([np.eye(2)])[0].n_clusters == 1
    same = boosting(LogisticRisk(), grower()).fit([np.ones((12, 3))], [[0] * 6 + [1] * 6])
    assert same.n_rounds_ == 0
    assert same.similarity_.bias == pytest.approx(np.log(30 / 36), abs=0.02)
    apart = boosting(trees=grower()).fit([np.ones((6, 1))], [range(6)])
    assert apart.predict([np.ones((4, 1))])[0].n_clusters == 4


def test_only_pairs_of_the_blocker_are_scored():
    learner = boosting(blocker=Window(3)).fit(*TRAIN)
    assert learner.to_model().blocker == Window(3)
    sets = TEST.item_sets[:1]
    assert len(learner.to_model().scores(sets[0]).scores) < len(sets[0]) * (len(sets[0]) - 1) // 2


def test_the_default_clusterer_is_that_of_the_objective():
    learner = boosting(LeftLinkRisk(0.25), n_rounds=2).fit(*TRAIN)
    assert learner.to_model().clusterer == LeftLink(0.25)
    assert learner.set_params(clusterer=Greedy()).to_model().clusterer == Greedy()
    nested = boosting().set_params(objective__gamma=0.75, trees=LightTrees())
    assert nested.objective == LeftLinkRisk(0.75)


def test_an_interrupt_keeps_the_trees_so_far():
    class Interrupting(LeftLinkRisk):
        def descend(self, pairs, scores):
            if np.any(scores != self.start):
                raise KeyboardInterrupt
            return super().descend(pairs, scores)

    with pytest.warns(InterruptedWarning, match=r"after 1 of 20 rounds"):
        learner = boosting(Interrupting()).fit(*TRAIN)
    assert learner.n_rounds_ == 1


def test_bins_are_finer_in_the_tails_of_a_column():
    """Pairs together are as few as one in ten thousand, and have the highest values."""
    rng = np.random.default_rng(0)
    column = rng.random(200_000) ** 2
    edges = trees_module._bin_edges(column)
    assert len(edges) <= trees_module.MAX_BINS - 1
    assert np.all(np.diff(edges) > 0)
    assert np.count_nonzero(edges > np.quantile(column, 0.999)) >= 20
    few = trees_module._bin_edges(np.array([0.0, 1.0, 1.0, 3.0]))
    assert few.tolist() == [0.5, 2.0]
    near = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert trees_module._bin_edges(near).tolist() == [1.0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: boosting(LeftLinkRisk), r"objective"),
        (lambda: boosting(Greedy()), r"use a risk such as LeftLinkRisk"),
        (lambda: boosting(trees="lightgbm"), r"use LightTrees\(\) or HistogramTrees\(\)"),
        (lambda: boosting(n_rounds=0), r"n_rounds"),
        (lambda: boosting(stopping=3), r"use Stopping\(\) or None"),
    ],
)
def test_parameters_of_wrong_types_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make().fit(*TRAIN)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LightTrees(n_leaves=1), r"n_leaves"),
        (lambda: LightTrees(n_leaves=200_000), r"from 2 to 131072"),
        (lambda: HistogramTrees(learning_rate=0.0), r"learning_rate is 0.0"),
        (lambda: HistogramTrees(min_pairs=10**12), r"min_pairs"),
        (lambda: LightTrees(column_share=0.0), r"column_share is 0"),
        (lambda: LightTrees(n_bins=1), r"n_bins"),
        (lambda: Stopping(share=1.0), r"share"),
        (lambda: Stopping(metric=len), r"greater_is_better|metric"),
    ],
)
def test_bad_numbers_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_features_must_be_finite():
    class Half:
        names = ("half",)

        def fit(self, item_sets):
            return self

        def encode(self, item_set):
            return item_set

        def compare(self, encoded, pairs):
            n = len(encoded)
            return coterie.features.DenseFeatures(np.full((n * (n - 1) // 2, 1), np.nan))

        def __call__(self, item_set, pairs):
            return self.compare(item_set, pairs)

    with pytest.raises(FeatureError, match=r"finite"):
        boosting(featurizer=Half()).fit([ItemSet(["a", "b", "c"])], [[0, 0, 1]])
