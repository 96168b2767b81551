"""Supervised discriminative clustering (Li & Roth 2005)."""

import inspect
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import AgglomerativeClustering

from coterie import ItemSet, Model, Partition, clusterers
from coterie.clusterers import (
    AverageLinkage,
    BallRounding,
    CompleteLinkage,
    EstimatorClusterer,
    Greedy,
    KMedoids,
    LeftLink,
    SingleLinkage,
)
from coterie.clusterers._base import PairClusterer
from coterie.datasets import make_item_sets
from coterie.exceptions import (
    FeatureError,
    InputError,
    InterruptedWarning,
    ItemSetError,
    MetricError,
    PartitionError,
)
from coterie.features import (
    RBF,
    DenseFeatures,
    Euclidean,
    GivenFeatures,
    Kernelized,
    Manhattan,
    NameFeatures,
    Nystroem,
    Scaled,
    SquaredDifferences,
    written,
)
from coterie.learners import DiscriminativeClustering, ExactUpdate, PaperUpdate, tune
from coterie.learners.discriminative.runs import best_threshold, stops_at_threshold
from coterie.metrics import macro, pair_loss, pair_scores, weighted_clustering_error
from coterie.pairs import PairScores, all_pairs, condensed_positions
from coterie.stream import Stream

SEEDS = range(8)
MEMBERS = [
    member
    for member in (getattr(clusterers, name) for name in clusterers.__all__)
    if issubclass(member, PairClusterer) and member is not EstimatorClusterer
]


def few_sets(seed):
    return make_item_sets(n_sets=4, n_items=16, random_state=seed)


def an_instance(seed, n_items=9, n_columns=4):
    """Features of all pairs, a truth, another partition, and weights."""
    rng = np.random.default_rng(seed)
    features = rng.random((n_items * (n_items - 1) // 2, n_columns))
    truth, predicted = (Partition(rng.integers(4, size=n_items)) for _ in range(2))
    return features, truth, predicted, rng.random(n_columns) + 0.05


def plain_error(features, truth, predicted, coef, root):
    """Eq. 3, over all ordered pairs."""
    n_items = len(truth)
    distances = np.zeros((n_items, n_items))
    values = features @ coef
    for (i, j), value in zip(all_pairs(n_items), np.sqrt(values) if root else values, strict=True):
        distances[i, j] = distances[j, i] = value
    total, top = 0.0, distances.max()
    for i, j in product(range(n_items), repeat=2):
        same = truth.labels[i] == truth.labels[j]
        found = predicted.labels[i] == predicted.labels[j]
        total += distances[i, j] * (same and not found)
        total += (top - distances[i, j]) * (found and not same)
    return total / n_items**2


@pytest.mark.parametrize("distance", [Manhattan(), Euclidean()])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_error_is_equation_3(seed, distance):
    features, truth, predicted, coef = an_instance(seed)
    distances = distance(DenseFeatures(features), coef)
    found = weighted_clustering_error(truth, predicted, distances)
    root = isinstance(distance, Euclidean)
    assert found == pytest.approx(plain_error(features, truth, predicted, coef, root))


@pytest.mark.parametrize("distance", [Manhattan(), Euclidean()])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_exact_update_is_the_gradient_of_equation_3(seed, distance):
    features, truth, predicted, coef = an_instance(seed)
    root = isinstance(distance, Euclidean)
    update = ExactUpdate(distance=distance)
    gradient = update.gradient(DenseFeatures(features), truth, predicted, coef)
    for column in range(len(coef)):
        step = np.zeros(len(coef))
        step[column] = 1e-6
        ahead = plain_error(features, truth, predicted, coef + step, root)
        behind = plain_error(features, truth, predicted, coef - step, root)
        assert gradient[column] == pytest.approx((ahead - behind) / 2e-6, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_paper_update_is_equation_6_term_by_term(seed):
    features, truth, predicted, coef = an_instance(seed)
    gradient = PaperUpdate().gradient(DenseFeatures(features), truth, predicted, coef)
    n_items = len(truth)
    for column in range(len(coef)):
        psi_p = psi_h = 0.0
        for i, j in product(range(n_items), repeat=2):
            if i != j:
                row = condensed_positions(np.array([[min(i, j), max(i, j)]]), n_items)[0]
                psi_p += features[row, column] * (truth.labels[i] == truth.labels[j]) / n_items**2
                psi_h += (
                    features[row, column]
                    * (predicted.labels[i] == predicted.labels[j])
                    / n_items**2
                )
        assert gradient[column] == pytest.approx(psi_p - psi_h, abs=1e-12)


def test_gradients_take_labels_and_refuse_other_shapes():
    features, truth, predicted, coef = an_instance(0)
    update = PaperUpdate()
    expected = update.gradient(DenseFeatures(features), truth, predicted, coef)
    found = update.gradient(features, truth.labels.tolist(), predicted.labels, coef.tolist())
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(FeatureError, match="one row a pair"):
        update.gradient(features[1:], truth, predicted, coef)
    with pytest.raises(PartitionError):
        update.gradient(features, truth, predicted.labels[1:], coef)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_updates_differ_by_what_is_wrongly_joined(seed):
    features, truth, predicted, coef = an_instance(seed)
    operator = DenseFeatures(features)
    paper, exact = (
        update.gradient(operator, truth, predicted, coef)
        for update in (PaperUpdate(), ExactUpdate())
    )
    joined = np.count_nonzero(predicted.together() & ~truth.together())
    furthest = features[np.argmax(features @ coef)]
    np.testing.assert_allclose(exact - paper, furthest * 2 * joined / len(truth) ** 2)


@pytest.mark.parametrize("update", [PaperUpdate(), ExactUpdate()])
def test_listed_pairs_have_the_gradient_of_their_rows(update):
    features, truth, predicted, coef = an_instance(3)
    pairs = all_pairs(len(truth))[::2]
    found = update.gradient(DenseFeatures(features[::2]), truth, predicted, coef, pairs)
    alone = features[::2]
    same, joined = truth.together(pairs), predicted.together(pairs)
    weights = same.astype(float) - joined
    if isinstance(update, ExactUpdate):
        weights[np.argmax(alone @ coef)] += np.count_nonzero(joined & ~same)
    np.testing.assert_allclose(found, alone.T @ weights * 2 / len(truth) ** 2)


# The learner.


def plain_learner(distances, truth, n_clusters, coef, rate, n_iterates, clusterer):
    """Figure 3 of the paper, with weights clipped at 0, in plain NumPy."""
    n_items = len(truth)
    same = truth.together()
    coefs, errors = [], []
    for _ in range(n_iterates):
        values = distances @ coef
        scores = PairScores(n_items, None, values.max() - values, n_clusters=n_clusters)
        joined = clusterer(scores).together()
        coefs.append(coef)
        wrong = values[same & ~joined].sum() + (values.max() - values[joined & ~same]).sum()
        errors.append(2 * wrong / n_items**2)
        if np.array_equal(same, joined):
            break
        coef = coef - rate * 2 / n_items**2 * (distances.T @ (same.astype(float) - joined))
        coef = np.maximum(coef, 0.0)
        coef = coef / coef.sum()
    return coefs, errors


@pytest.mark.parametrize("clusterer", [SingleLinkage(), CompleteLinkage(), KMedoids()])
@pytest.mark.parametrize("seed", range(4))
def test_the_learner_is_that_of_figure_3(seed, clusterer):
    rng = np.random.default_rng(seed)
    truth = Partition(rng.integers(5, size=20))
    distances = rng.random((190, 6)) + 0.3 * ~truth.together()[:, None]
    item_set = ItemSet.from_pair_features(distances, 20, n_clusters=truth.n_clusters)
    learner = DiscriminativeClustering(clusterer, 10.0, 12, random_state=seed)
    learner.fit([item_set], [truth])
    assert not learner.similarity_.featurizer.similar.any()
    start = learner.history_[0].coef
    drawn = 1.0 - np.random.default_rng([seed, 0]).random(6)
    np.testing.assert_allclose(start, drawn / drawn.sum())
    coefs, errors = plain_learner(distances, truth, truth.n_clusters, start, 10.0, 12, clusterer)
    np.testing.assert_allclose([step.coef for step in learner.history_], coefs, atol=1e-12)
    np.testing.assert_allclose([step.objective for step in learner.history_], errors, atol=1e-12)
    assert learner.best_iter_ == int(np.argmin(errors))
    np.testing.assert_allclose(learner.coef_, coefs[np.argmin(errors)])


@pytest.mark.parametrize("update", [PaperUpdate(), ExactUpdate(), PaperUpdate(literal=True)])
def test_the_best_iterate_is_returned_and_no_worse_than_the_start(update):
    item_sets, truths = few_sets(3)
    learner = DiscriminativeClustering(update=update, n_init=3).fit(item_sets, truths)
    regrets = [step.regret for step in learner.history_]
    assert learner.history_[learner.best_iter_].regret == min(regrets) <= regrets[0]
    predicted = learner.predict(item_sets)
    similarity = learner.similarity_
    errors = [
        weighted_clustering_error(
            truth, found, similarity.distance(similarity.featurizer(item_set, None), learner.coef_)
        )
        for item_set, truth, found in zip(item_sets, truths, predicted, strict=True)
    ]
    assert np.mean(errors) == pytest.approx(min(regrets), abs=1e-12)


def test_weights_sum_to_1_and_have_the_sign_asked_for():
    item_sets, truths = few_sets(1)
    for update in (PaperUpdate(), ExactUpdate(), PaperUpdate(nonnegative=False)):
        learner = DiscriminativeClustering(update=update).fit(item_sets, truths)
        for step in learner.history_:
            assert np.abs(step.coef).sum() == pytest.approx(1.0)
            assert update.signed or step.coef.min() >= 0.0
    assert any(step.coef.min() < 0 for step in learner.history_)


def test_it_stops_as_soon_as_all_is_right():
    values = np.array([0.0, 0.1, 5.0, 5.1, 9.0])[:, None]
    item_set = ItemSet(values, n_clusters=3)
    learner = DiscriminativeClustering().fit([item_set], [[0, 0, 1, 1, 2]])
    assert len(learner.history_) == 1
    assert learner.history_[0].objective == 0.0
    assert learner.history_[0].f1 == 1.0


def test_more_starts_are_never_worse_and_seeds_repeat():
    item_sets, truths = few_sets(5)
    one, four, again = (
        DiscriminativeClustering(n_init=n_init, max_iter=4, random_state=7).fit(item_sets, truths)
        for n_init in (1, 4, 4)
    )
    assert four.history_[four.best_iter_].regret <= one.history_[one.best_iter_].regret
    assert np.array_equal(four.coef_, again.coef_)
    other = DiscriminativeClustering(max_iter=4, random_state=8).fit(item_sets, truths)
    assert not np.array_equal(one.history_[0].coef, other.history_[0].coef)


def test_where_the_weights_start():
    item_sets, truths = few_sets(5)
    n_columns = np.asarray(item_sets[0].items).shape[1]
    for update in (PaperUpdate(start=0.0), ExactUpdate(start=0.0, literal=True)):
        learner = DiscriminativeClustering(update=update, max_iter=1).fit(item_sets, truths)
        np.testing.assert_allclose(learner.coef_, 1.0 / n_columns)
    near = DiscriminativeClustering(update=PaperUpdate(start=0.1), max_iter=1)
    coef = near.fit(item_sets, truths).coef_
    assert 0.9 <= coef.min() / coef.max() < 1.0
    with pytest.raises(InputError, match="start"):
        PaperUpdate(start=1.5)


def test_it_goes_on_from_given_weights():
    item_sets, truths = few_sets(5)
    first = DiscriminativeClustering(max_iter=6).fit(item_sets, truths)
    start = first.history_[2].coef
    rest = DiscriminativeClustering(max_iter=4, n_init=2).fit(
        item_sets, truths, coef_init=3 * start
    )
    history = DiscriminativeClustering(max_iter=4).fit(item_sets, truths, coef_init=start).history_
    for step, same in zip(history, first.history_[2:], strict=True):
        np.testing.assert_allclose(step.coef, same.coef, atol=1e-12)
    assert rest.history_[rest.best_iter_].regret <= min(step.regret for step in history)
    with pytest.raises(InputError, match="coef_init has shape"):
        DiscriminativeClustering().fit(item_sets, truths, coef_init=[1.0])
    for bad in (np.full(len(start), np.nan), -np.ones(len(start))):
        with pytest.raises(InputError, match="no weight above 0"):
            DiscriminativeClustering().fit(item_sets, truths, coef_init=bad)


def test_held_out_sets_choose_but_do_not_teach():
    item_sets, truths = few_sets(2)
    rest = [number for number in range(len(truths)) if number not in (1, 3)]
    learner = DiscriminativeClustering(max_iter=8).fit(
        item_sets, truths, metric=pair_scores, held_out=[3, 1]
    )
    alone = DiscriminativeClustering(max_iter=8).fit(
        [item_sets[at] for at in rest], [truths[at] for at in rest]
    )
    assert len(learner.history_) == len(alone.history_)
    for step, same in zip(learner.history_, alone.history_, strict=True):
        np.testing.assert_allclose(step.coef, same.coef)
    found = learner.predict([item_sets[at] for at in (1, 3)])
    reached = np.mean([pair_scores(truths[at], p).f1 for at, p in zip((1, 3), found, strict=True)])
    assert reached == pytest.approx(-learner.history_[learner.best_iter_].regret)
    assert reached == pytest.approx(-min(step.regret for step in learner.history_))


def test_a_metric_of_loss_is_kept_low():
    item_sets, truths = few_sets(2)
    learner = DiscriminativeClustering().fit(item_sets, truths, metric=pair_loss)
    found = learner.predict(item_sets)
    losses = [pair_loss(truth, own) for truth, own in zip(truths, found, strict=True)]
    assert np.mean(losses) == pytest.approx(min(step.regret for step in learner.history_))


# Thresholds.


@pytest.mark.parametrize("seed", range(6))
def test_few_thresholds_are_all_tried(seed):
    rng = np.random.default_rng(seed)
    truth = Partition(rng.integers(3, size=8))
    distances = rng.integers(1, 6, size=28) / 5.0

    def cluster(threshold):
        return [AverageLinkage()(PairScores(8, None, threshold - distances))]

    chosen = best_threshold([distances], [truth], cluster)
    every = [0.2, 0.3, 0.5, 0.7, 0.9, 2.0]
    best = max(pair_scores(truth, cluster(at)[0]).f1 for at in every)
    assert chosen.f1 == pytest.approx(best)
    assert pair_scores(truth, cluster(chosen.threshold)[0]).f1 == chosen.f1


def test_who_stops_at_a_threshold():
    assert stops_at_threshold(Greedy(), [3])
    assert stops_at_threshold(SingleLinkage(), [3, None])
    assert stops_at_threshold(SingleLinkage(threshold=0.1), [3])
    assert not stops_at_threshold(SingleLinkage(), [3, 4])
    assert not stops_at_threshold(SingleLinkage(n_clusters=2), [None])
    assert not stops_at_threshold(KMedoids(), [None])
    assert not stops_at_threshold(clusterers.KernelKMeans(), [None])


def test_the_threshold_goes_with_the_model(tmp_path):
    item_sets, truths = few_sets(4)
    learner = DiscriminativeClustering(AverageLinkage()).fit(item_sets, truths)
    threshold = learner.history_[learner.best_iter_].threshold
    assert learner.similarity_.threshold == threshold is not None
    learner.to_model().save(tmp_path / "m.coterie")
    loaded = Model.load(tmp_path / "m.coterie")
    assert loaded.predict(item_sets) == learner.predict(item_sets)


def counted(item_sets, truths):
    """Give item sets their numbers of clusters."""
    return [
        ItemSet(item_set.items, n_clusters=truth.n_clusters)
        for item_set, truth in zip(item_sets, truths, strict=True)
    ]


def test_linkage_trained_with_numbers_of_clusters_stops_where_they_are_unknown():
    item_sets, truths = few_sets(4)
    known = counted(item_sets, truths)
    learner = DiscriminativeClustering(AverageLinkage()).fit(known, truths)
    best = learner.history_[learner.best_iter_]
    assert best.threshold is None
    assert learner.score(item_sets, truths) > 0.8 * learner.score(known, truths)
    reached = macro(pair_scores, truths, learner.predict(known)).f1
    assert reached == pytest.approx(best.f1)


def test_a_threshold_of_the_clusterer_is_added():
    item_sets, truths = few_sets(4)
    learners = [
        DiscriminativeClustering(SingleLinkage(threshold)).fit(item_sets, truths)
        for threshold in (None, 5.0)
    ]
    first, second = ([step.f1 for step in each.history_] for each in learners)
    np.testing.assert_allclose(first, second)
    assert learners[0].predict(item_sets) == learners[1].predict(item_sets)


def test_sets_held_out_without_a_number_of_clusters_get_that_of_the_truth():
    item_sets, truths = few_sets(4)
    known, last = counted(item_sets, truths), [len(truths) - 2, len(truths) - 1]
    regrets = []
    for rest in (known[-2:], item_sets[-2:]):
        learner = DiscriminativeClustering()
        learner.fit([*known[:-2], *rest], truths, metric=pair_scores, held_out=last)
        regrets.append([step.regret for step in learner.history_])
    assert regrets[0] == regrets[1]
    assert len(set(regrets[0])) > 1


# Any clusterer, any features.


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.__name__)
def test_any_clusterer_in_the_loop(member):
    item_sets, truths = make_item_sets(n_sets=2, random_state=6)
    item_sets = [
        ItemSet(s.items, n_clusters=t.n_clusters) for s, t in zip(item_sets, truths, strict=True)
    ]
    learner = DiscriminativeClustering(member(), max_iter=3).fit(item_sets, truths)
    predicted = learner.predict(item_sets)
    if "n_clusters" in inspect.signature(member).parameters:
        assert [p.n_clusters for p in predicted] == [t.n_clusters for t in truths]


def test_a_clusterer_of_scikit_learn_in_the_loop():
    item_sets, truths = few_sets(6)
    item_sets = [
        ItemSet(s.items, n_clusters=t.n_clusters) for s, t in zip(item_sets, truths, strict=True)
    ]
    theirs = EstimatorClusterer(AgglomerativeClustering(metric="precomputed", linkage="average"))
    learners = [
        DiscriminativeClustering(each).fit(item_sets, truths) for each in (theirs, AverageLinkage())
    ]
    np.testing.assert_allclose(learners[0].coef_, learners[1].coef_)


def test_numbers_of_clusters_come_from_the_truth_where_they_must_be_known():
    item_sets, truths = few_sets(6)
    learner = DiscriminativeClustering(KMedoids(), max_iter=3).fit(item_sets, truths)
    with pytest.raises(ItemSetError, match="number of clusters is not known"):
        learner.predict(item_sets)
    known = [ItemSet(each.items, n_clusters=2) for each in item_sets]
    assert {found.n_clusters for found in learner.predict(known)} == {2}


def test_euclidean_distances_are_those_of_vectors():
    item_sets, truths = few_sets(6)
    update = PaperUpdate(distance=Euclidean())
    learner = DiscriminativeClustering(AverageLinkage(), update=update).fit(item_sets, truths)
    vectors = np.asarray(item_sets[0].items)
    first, second = all_pairs(len(vectors)).T
    lengths = np.sqrt(((vectors[first] - vectors[second]) ** 2) @ learner.coef_)
    np.testing.assert_allclose(
        learner.similarity_(item_sets[0]), learner.similarity_.threshold - lengths, atol=1e-9
    )


def test_a_kernel_map_of_pair_features():
    item_sets, truths = few_sets(6)
    featurizer = Kernelized(SquaredDifferences(), RBF(0.1), Nystroem(20))
    learner = DiscriminativeClustering(featurizer=featurizer).fit(item_sets, truths)
    start, best = learner.history_[0], learner.history_[learner.best_iter_]
    assert best.objective <= start.objective
    assert len(learner.coef_) == 20


def test_columns_are_turned_by_what_the_truth_shows():
    rng = np.random.default_rng(0)
    truth = Partition(rng.integers(4, size=16))
    same = truth.together()
    noise = rng.random((len(same), 2)) * 0.2
    columns = np.column_stack(
        [7.0 * same + noise[:, 0], ~same + noise[:, 1], np.full(len(same), 3.0)]
    )
    sets = [ItemSet.from_pair_features(columns, 16)]
    learner = DiscriminativeClustering().fit(sets, [truth])
    featurizer = learner.similarity_.featurizer
    assert featurizer.similar.tolist()[:2] == [True, False]
    assert featurizer.origin.tolist()[:2] == [columns[:, 0].max(), 0.0]
    assert learner.coef_[2] == 0.0  # the same for all pairs
    assert learner.predict(sets) == [truth]


def test_how_far_below_0_distances_begin_does_not_matter():
    rng = np.random.default_rng(1)
    truth = Partition(rng.integers(5, size=20))
    distances = rng.random((190, 4)) + 0.3 * ~truth.together()[:, None]
    distances -= distances.min(axis=0)
    first, second = (
        DiscriminativeClustering().fit(
            [ItemSet.from_pair_features(distances - shift, 20, n_clusters=5)], [truth]
        )
        for shift in (0.0, 20.0)
    )
    np.testing.assert_allclose(first.coef_, second.coef_, atol=1e-9)
    assert first.history_[0].objective == pytest.approx(second.history_[0].objective)


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_vectors_far_from_0_lose_no_digits(offset):
    item_sets, truths = few_sets(6)
    moved = [ItemSet(np.asarray(s.items) + offset) for s in item_sets]
    update = PaperUpdate(distance=Euclidean(), start=0.0)
    learner = DiscriminativeClustering(AverageLinkage(), 1.0, 5, update).fit(moved, truths)
    near = DiscriminativeClustering(AverageLinkage(), 1.0, 5, update).fit(item_sets, truths)
    assert learner.history_[0].f1 == pytest.approx(near.history_[0].f1, abs=1e-3)


def test_scaled_features_are_turned_as_the_truth_shows():
    names = ["John Kennedy", "JFK", "Mr. Kennedy", "Bob Dole", "Robert Dole", "IBM", "I.B.M. Corp."]
    sets, truth = [ItemSet({"name": names})], Partition([0, 0, 0, 1, 1, 2, 2])
    learner = DiscriminativeClustering(featurizer=Scaled(NameFeatures())).fit(sets, [truth])
    featurizer = learner.similarity_.featurizer
    assert written(featurizer(sets[0], None)).min() >= 0.0


def test_literal_features_are_taken_as_they_are():
    item_sets, truths = few_sets(6)
    update = PaperUpdate(literal=True)
    learner = DiscriminativeClustering(update=update, featurizer=GivenFeatures())
    learner.fit(item_sets, truths)
    assert isinstance(learner.similarity_.featurizer, GivenFeatures)
    assert learner.history_[0].coef.min() < 0.0


class Counting(SquaredDifferences):
    calls = 0

    def compare(self, encoded, pairs):
        Counting.calls += 1
        return super().compare(encoded, pairs)


def test_features_are_computed_once():
    item_sets, truths = few_sets(6)
    Counting.calls = 0
    DiscriminativeClustering(featurizer=Counting(), n_init=3).fit(item_sets, truths)
    assert Counting.calls == len(item_sets)


def test_sets_without_pairs_and_without_columns_that_vary():
    learner = DiscriminativeClustering().fit([[[1.0]], [[1.0], [1.0]]], [[0], [0, 0]])
    assert learner.predict([[[1.0]], [[1.0], [1.0]]])[0] == Partition([0])
    assert learner.coef_.tolist() == [0.0]
    assert DiscriminativeClustering().fit([[[1.0]]], [[0]]).predict([[[4.0]]]) == [Partition([0])]


def test_streams_take_thresholds_and_no_context():
    item_sets, truths = few_sets(6)
    learner = DiscriminativeClustering(LeftLink()).fit(item_sets, truths)
    stream = Stream(learner.to_model())
    found = [each.cluster for each in stream.add_many(np.asarray(item_sets[0].items))]
    assert learner.predict(item_sets[:1]) == [Partition(found)]
    similarity = replace(learner.similarity_, threshold=None)
    with pytest.raises(InputError):
        Stream(replace(learner.to_model(), similarity=similarity))


def test_it_can_be_tuned():
    item_sets, truths = few_sets(6)
    found = tune(
        DiscriminativeClustering(max_iter=3), item_sets, truths, {"learning_rate": [1.0, 100.0]}
    )
    assert found.params["learning_rate"] in (1.0, 100.0)


# What goes wrong.


class Stopping(SingleLinkage):
    left = 0

    def __call__(self, scores):
        if Stopping.left == 0:
            raise KeyboardInterrupt
        Stopping.left -= 1
        return super().__call__(scores)


def test_an_interrupt_keeps_the_best_so_far():
    item_set = ItemSet(np.random.default_rng(0).random((12, 3)), n_clusters=3)
    truth = Partition(np.arange(12) % 3)
    Stopping.left = 5
    with pytest.warns(InterruptedWarning, match="best found so far"):
        learner = DiscriminativeClustering(Stopping()).fit([item_set], [truth])
    assert len(learner.history_) == 5
    Stopping.left = 0
    with pytest.raises(KeyboardInterrupt):
        DiscriminativeClustering(Stopping()).fit([item_set], [truth])


def test_refusals():
    item_sets, truths = make_item_sets(n_sets=2)
    bad = {
        "update": ({"update": "paper"}, r"give PaperUpdate\(\) or ExactUpdate\(\)"),
        "clusterer": ({"clusterer": SingleLinkage}, r"SingleLinkage"),
        "rate": ({"learning_rate": 0.0}, "learning_rate"),
        "iterations": ({"max_iter": 0}, "max_iter"),
        "starts": ({"n_init": 0}, "n_init"),
        "seed": ({"random_state": -1}, "random_state"),
        "no clusterer": ({"clusterer": None}, "the clusterer is None"),
        "rounding": ({"clusterer": BallRounding()}, r"give one of coterie\.clusterers"),
        "beyond": ({"learning_rate": 1e308, "clusterer": AverageLinkage(n_clusters=3)}, "lower it"),
    }
    for params, message in bad.values():
        with pytest.raises(InputError, match=message):
            DiscriminativeClustering(**params).fit(item_sets, truths)
    with pytest.raises(InputError, match="takes no weights below 0"):
        ExactUpdate(nonnegative=False, distance=Euclidean())
    with pytest.raises(InputError, match="held_out has 2 of 2"):
        DiscriminativeClustering().fit(item_sets, truths, held_out=[0, 1])
    with pytest.raises(MetricError, match="greater_is_better"):
        DiscriminativeClustering().fit(item_sets, truths, metric=lambda truth, predicted: 0.0)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([0.5, 3.0, 100.0]))
def test_order_of_items_and_names_of_labels_do_not_matter(seed, rate):
    rng = np.random.default_rng(seed)
    vectors, labels = rng.normal(size=(12, 3)), rng.integers(3, size=12)
    order = rng.permutation(12)
    k = len(set(labels.tolist()))
    learner = DiscriminativeClustering(AverageLinkage(), rate, 5)
    coef = learner.fit([ItemSet(vectors, n_clusters=k)], [labels]).coef_
    names = np.array(list("xyz"))[labels]
    again = learner.fit([ItemSet(vectors[order], n_clusters=k)], [names[order]]).coef_
    np.testing.assert_allclose(coef, again, atol=1e-9)
