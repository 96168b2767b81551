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
    to_matrix,
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


def make_small_corpus(seed):
    return make_item_sets(n_sets=4, n_items=16, random_state=seed)


def random_instance(seed, n_items=9, n_columns=4):
    """Return features of all pairs, a truth, a predicted partition, and weights."""
    rng = np.random.default_rng(seed)
    features = rng.random((n_items * (n_items - 1) // 2, n_columns))
    truth, predicted = (Partition(rng.integers(4, size=n_items)) for _ in range(2))
    return features, truth, predicted, rng.random(n_columns) + 0.05


def plain_error(features, truth, predicted, coef, root):
    """Return the error of eq. 3, summed over all ordered pairs."""
    n_items = len(truth)
    distances = np.zeros((n_items, n_items))
    values = features @ coef
    for (i, j), value in zip(all_pairs(n_items), np.sqrt(values) if root else values, strict=True):
        distances[i, j] = distances[j, i] = value
    total, top = 0.0, distances.max()
    for i, j in product(range(n_items), repeat=2):
        in_truth = truth.labels[i] == truth.labels[j]
        in_predicted = predicted.labels[i] == predicted.labels[j]
        total += distances[i, j] * (in_truth and not in_predicted)
        total += (top - distances[i, j]) * (in_predicted and not in_truth)
    return total / n_items**2


@pytest.mark.parametrize("distance", [Manhattan(), Euclidean()])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_error_is_equation_3(seed, distance):
    features, truth, predicted, coef = random_instance(seed)
    distances = distance(DenseFeatures(features), coef)
    error = weighted_clustering_error(truth, predicted, distances)
    root = isinstance(distance, Euclidean)
    assert error == pytest.approx(plain_error(features, truth, predicted, coef, root))


@pytest.mark.parametrize("distance", [Manhattan(), Euclidean()])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_exact_update_is_the_gradient_of_equation_3(seed, distance):
    features, truth, predicted, coef = random_instance(seed)
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
    features, truth, predicted, coef = random_instance(seed)
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


def test_gradients_take_labels_and_refuse_wrong_shapes():
    features, truth, predicted, coef = random_instance(0)
    update = PaperUpdate()
    expected = update.gradient(DenseFeatures(features), truth, predicted, coef)
    gradient = update.gradient(features, truth.labels.tolist(), predicted.labels, coef.tolist())
    np.testing.assert_array_equal(gradient, expected)
    with pytest.raises(FeatureError, match="one row per pair"):
        update.gradient(features[1:], truth, predicted, coef)
    with pytest.raises(PartitionError):
        update.gradient(features, truth, predicted.labels[1:], coef)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_updates_differ_by_the_wrongly_joined_pairs(seed):
    features, truth, predicted, coef = random_instance(seed)
    operator = DenseFeatures(features)
    paper, exact = (
        update.gradient(operator, truth, predicted, coef)
        for update in (PaperUpdate(), ExactUpdate())
    )
    n_joined = np.count_nonzero(predicted.together() & ~truth.together())
    furthest = features[np.argmax(features @ coef)]
    np.testing.assert_allclose(exact - paper, furthest * 2 * n_joined / len(truth) ** 2)


@pytest.mark.parametrize("update", [PaperUpdate(), ExactUpdate()])
def test_candidate_pairs_have_the_gradient_of_their_rows(update):
    features, truth, predicted, coef = random_instance(3)
    pairs = all_pairs(len(truth))[::2]
    gradient = update.gradient(DenseFeatures(features[::2]), truth, predicted, coef, pairs)
    rows = features[::2]
    in_truth, in_predicted = truth.together(pairs), predicted.together(pairs)
    weights = in_truth.astype(float) - in_predicted
    if isinstance(update, ExactUpdate):
        weights[np.argmax(rows @ coef)] += np.count_nonzero(in_predicted & ~in_truth)
    np.testing.assert_allclose(gradient, rows.T @ weights * 2 / len(truth) ** 2)


# The learner.


def plain_learner(distances, truth, n_clusters, coef, rate, n_iterates, clusterer):
    """Run the algorithm of figure 3 of the paper in plain NumPy, with weights clipped at 0."""
    n_items = len(truth)
    in_truth = truth.together()
    coefs, errors = [], []
    for _ in range(n_iterates):
        values = distances @ coef
        scores = PairScores(n_items, None, values.max() - values, n_clusters=n_clusters)
        in_predicted = clusterer(scores).together()
        coefs.append(coef)
        gaps = values.max() - values[in_predicted & ~in_truth]
        wrong = values[in_truth & ~in_predicted].sum() + gaps.sum()
        errors.append(2 * wrong / n_items**2)
        if np.array_equal(in_truth, in_predicted):
            break
        counts = in_truth.astype(float) - in_predicted
        coef = coef - rate * 2 / n_items**2 * (distances.T @ counts)
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
    draws = 1.0 - np.random.default_rng([seed, 0]).random(6)
    np.testing.assert_allclose(start, draws / draws.sum())
    coefs, errors = plain_learner(distances, truth, truth.n_clusters, start, 10.0, 12, clusterer)
    np.testing.assert_allclose([step.coef for step in learner.history_], coefs, atol=1e-12)
    np.testing.assert_allclose([step.objective for step in learner.history_], errors, atol=1e-12)
    assert learner.best_iter_ == int(np.argmin(errors))
    np.testing.assert_allclose(learner.coef_, coefs[np.argmin(errors)])


@pytest.mark.parametrize("update", [PaperUpdate(), ExactUpdate(), PaperUpdate(literal=True)])
def test_the_best_iterate_is_returned_and_no_worse_than_the_start(update):
    item_sets, truths = make_small_corpus(3)
    learner = DiscriminativeClustering(update=update, n_init=3).fit(item_sets, truths)
    regrets = [step.regret for step in learner.history_]
    assert learner.history_[learner.best_iter_].regret == min(regrets) <= regrets[0]
    predicted = learner.predict(item_sets)
    similarity = learner.similarity_
    errors = [
        weighted_clustering_error(
            truth,
            partition,
            similarity.distance(similarity.featurizer(item_set, None), learner.coef_),
        )
        for item_set, truth, partition in zip(item_sets, truths, predicted, strict=True)
    ]
    assert np.mean(errors) == pytest.approx(min(regrets), abs=1e-12)


def test_weights_sum_to_1_and_have_the_required_sign():
    item_sets, truths = make_small_corpus(1)
    for update in (PaperUpdate(), ExactUpdate(), PaperUpdate(nonnegative=False)):
        learner = DiscriminativeClustering(update=update).fit(item_sets, truths)
        for step in learner.history_:
            assert np.abs(step.coef).sum() == pytest.approx(1.0)
            assert update.signed or step.coef.min() >= 0.0
    assert any(step.coef.min() < 0 for step in learner.history_)


def test_it_stops_as_soon_as_all_partitions_are_correct():
    values = np.array([0.0, 0.1, 5.0, 5.1, 9.0])[:, None]
    item_set = ItemSet(values, n_clusters=3)
    learner = DiscriminativeClustering().fit([item_set], [[0, 0, 1, 1, 2]])
    assert len(learner.history_) == 1
    assert learner.history_[0].objective == 0.0
    assert learner.history_[0].f1 == 1.0


def test_more_starts_are_never_worse_and_seeds_repeat():
    item_sets, truths = make_small_corpus(5)
    one, four, again = (
        DiscriminativeClustering(n_init=n_init, max_iter=4, random_state=7).fit(item_sets, truths)
        for n_init in (1, 4, 4)
    )
    assert four.history_[four.best_iter_].regret <= one.history_[one.best_iter_].regret
    assert np.array_equal(four.coef_, again.coef_)
    other = DiscriminativeClustering(max_iter=4, random_state=8).fit(item_sets, truths)
    assert not np.array_equal(one.history_[0].coef, other.history_[0].coef)


def test_the_spread_of_the_initial_weights():
    item_sets, truths = make_small_corpus(5)
    n_columns = np.asarray(item_sets[0].items).shape[1]
    for update in (PaperUpdate(start=0.0), ExactUpdate(start=0.0, literal=True)):
        learner = DiscriminativeClustering(update=update, max_iter=1).fit(item_sets, truths)
        np.testing.assert_allclose(learner.coef_, 1.0 / n_columns)
    near = DiscriminativeClustering(update=PaperUpdate(start=0.1), max_iter=1)
    coef = near.fit(item_sets, truths).coef_
    assert 0.9 <= coef.min() / coef.max() < 1.0
    with pytest.raises(InputError, match="start"):
        PaperUpdate(start=1.5)


def test_it_starts_from_given_weights():
    item_sets, truths = make_small_corpus(5)
    first = DiscriminativeClustering(max_iter=6).fit(item_sets, truths)
    start = first.history_[2].coef
    two_starts = DiscriminativeClustering(max_iter=4, n_init=2).fit(
        item_sets, truths, coef_init=3 * start
    )
    history = DiscriminativeClustering(max_iter=4).fit(item_sets, truths, coef_init=start).history_
    for step, expected in zip(history, first.history_[2:], strict=True):
        np.testing.assert_allclose(step.coef, expected.coef, atol=1e-12)
    assert two_starts.history_[two_starts.best_iter_].regret <= min(step.regret for step in history)
    with pytest.raises(InputError, match="coef_init has shape"):
        DiscriminativeClustering().fit(item_sets, truths, coef_init=[1.0])
    for bad_coef in (np.full(len(start), np.nan), -np.ones(len(start))):
        with pytest.raises(InputError, match="above 0 for at least one feature"):
            DiscriminativeClustering().fit(item_sets, truths, coef_init=bad_coef)


def test_held_out_sets_select_but_are_not_learned_from():
    item_sets, truths = make_small_corpus(2)
    training = [index for index in range(len(truths)) if index not in (1, 3)]
    learner = DiscriminativeClustering(max_iter=8).fit(
        item_sets, truths, metric=pair_scores, held_out=[3, 1]
    )
    without = DiscriminativeClustering(max_iter=8).fit(
        [item_sets[index] for index in training], [truths[index] for index in training]
    )
    assert len(learner.history_) == len(without.history_)
    for step, expected in zip(learner.history_, without.history_, strict=True):
        np.testing.assert_allclose(step.coef, expected.coef)
    predicted = learner.predict([item_sets[index] for index in (1, 3)])
    f1s = [pair_scores(truths[i], p).f1 for i, p in zip((1, 3), predicted, strict=True)]
    f1 = np.mean(f1s)
    assert f1 == pytest.approx(-learner.history_[learner.best_iter_].regret)
    assert f1 == pytest.approx(-min(step.regret for step in learner.history_))


def test_a_loss_metric_is_minimised():
    item_sets, truths = make_small_corpus(2)
    learner = DiscriminativeClustering().fit(item_sets, truths, metric=pair_loss)
    predicted = learner.predict(item_sets)
    losses = [
        pair_loss(truth, partition) for truth, partition in zip(truths, predicted, strict=True)
    ]
    assert np.mean(losses) == pytest.approx(min(step.regret for step in learner.history_))


# Thresholds.


@pytest.mark.parametrize("seed", range(6))
def test_few_thresholds_are_all_tried(seed):
    rng = np.random.default_rng(seed)
    truth = Partition(rng.integers(3, size=8))
    distances = rng.integers(1, 6, size=28) / 5.0

    def cluster(threshold):
        return [AverageLinkage()(PairScores(8, None, threshold - distances))]

    choice = best_threshold([distances], [truth], cluster)
    thresholds = [0.2, 0.3, 0.5, 0.7, 0.9, 2.0]
    best = max(pair_scores(truth, cluster(threshold)[0]).f1 for threshold in thresholds)
    assert choice.f1 == pytest.approx(best)
    assert pair_scores(truth, cluster(choice.threshold)[0]).f1 == choice.f1


def test_which_clusterers_stop_at_a_threshold():
    assert stops_at_threshold(Greedy(), [3])
    assert stops_at_threshold(SingleLinkage(), [3, None])
    assert stops_at_threshold(SingleLinkage(threshold=0.1), [3])
    assert not stops_at_threshold(SingleLinkage(), [3, 4])
    assert not stops_at_threshold(SingleLinkage(n_clusters=2), [None])
    assert not stops_at_threshold(KMedoids(), [None])
    assert not stops_at_threshold(clusterers.KernelKMeans(), [None])


def test_models_contain_the_threshold(tmp_path):
    item_sets, truths = make_small_corpus(4)
    learner = DiscriminativeClustering(AverageLinkage()).fit(item_sets, truths)
    threshold = learner.history_[learner.best_iter_].threshold
    assert learner.similarity_.threshold == threshold is not None
    learner.to_model().save(tmp_path / "m.coterie")
    loaded = Model.load(tmp_path / "m.coterie")
    assert loaded.predict(item_sets) == learner.predict(item_sets)


def with_true_counts(item_sets, truths):
    """Return item sets with their true numbers of clusters."""
    return [
        ItemSet(item_set.items, n_clusters=truth.n_clusters)
        for item_set, truth in zip(item_sets, truths, strict=True)
    ]


def test_linkage_trained_with_numbers_of_clusters_has_a_threshold_too():
    item_sets, truths = make_small_corpus(4)
    counted_sets = with_true_counts(item_sets, truths)
    learner = DiscriminativeClustering(AverageLinkage()).fit(counted_sets, truths)
    best = learner.history_[learner.best_iter_]
    assert best.threshold is None
    assert learner.score(item_sets, truths) > 0.8 * learner.score(counted_sets, truths)
    f1 = macro(pair_scores, truths, learner.predict(counted_sets)).f1
    assert f1 == pytest.approx(best.f1)


def test_a_threshold_of_the_clusterer_is_added():
    item_sets, truths = make_small_corpus(4)
    learners = [
        DiscriminativeClustering(SingleLinkage(threshold)).fit(item_sets, truths)
        for threshold in (None, 5.0)
    ]
    first, second = ([step.f1 for step in learner.history_] for learner in learners)
    np.testing.assert_allclose(first, second)
    assert learners[0].predict(item_sets) == learners[1].predict(item_sets)


def test_held_out_sets_take_the_number_of_clusters_of_the_truth():
    item_sets, truths = make_small_corpus(4)
    counted_sets, held_out = with_true_counts(item_sets, truths), [len(truths) - 2, len(truths) - 1]
    regrets = []
    for held_out_sets in (counted_sets[-2:], item_sets[-2:]):
        learner = DiscriminativeClustering()
        learner.fit(
            [*counted_sets[:-2], *held_out_sets], truths, metric=pair_scores, held_out=held_out
        )
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
    item_sets, truths = make_small_corpus(6)
    item_sets = [
        ItemSet(s.items, n_clusters=t.n_clusters) for s, t in zip(item_sets, truths, strict=True)
    ]
    wrapped = EstimatorClusterer(AgglomerativeClustering(metric="precomputed", linkage="average"))
    learners = [
        DiscriminativeClustering(clusterer).fit(item_sets, truths)
        for clusterer in (wrapped, AverageLinkage())
    ]
    np.testing.assert_allclose(learners[0].coef_, learners[1].coef_)


def test_numbers_of_clusters_come_from_the_truth_if_required():
    item_sets, truths = make_small_corpus(6)
    learner = DiscriminativeClustering(KMedoids(), max_iter=3).fit(item_sets, truths)
    with pytest.raises(ItemSetError, match="number of clusters is not known"):
        learner.predict(item_sets)
    counted_sets = [ItemSet(item_set.items, n_clusters=2) for item_set in item_sets]
    assert {partition.n_clusters for partition in learner.predict(counted_sets)} == {2}


def test_euclidean_distances_are_those_of_vectors():
    item_sets, truths = make_small_corpus(6)
    update = PaperUpdate(distance=Euclidean())
    learner = DiscriminativeClustering(AverageLinkage(), update=update).fit(item_sets, truths)
    vectors = np.asarray(item_sets[0].items)
    first, second = all_pairs(len(vectors)).T
    lengths = np.sqrt(((vectors[first] - vectors[second]) ** 2) @ learner.coef_)
    np.testing.assert_allclose(
        learner.similarity_(item_sets[0]), learner.similarity_.threshold - lengths, atol=1e-9
    )


def test_a_kernel_map_of_pair_features():
    item_sets, truths = make_small_corpus(6)
    featurizer = Kernelized(SquaredDifferences(), RBF(0.1), Nystroem(20))
    learner = DiscriminativeClustering(featurizer=featurizer).fit(item_sets, truths)
    start, best = learner.history_[0], learner.history_[learner.best_iter_]
    assert best.objective <= start.objective
    assert len(learner.coef_) == 20


def test_similarity_columns_are_found_by_the_truth_and_turned():
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


def test_a_shift_of_the_distances_does_not_matter():
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
    item_sets, truths = make_small_corpus(6)
    moved = [ItemSet(np.asarray(s.items) + offset) for s in item_sets]
    update = PaperUpdate(distance=Euclidean(), start=0.0)
    learner = DiscriminativeClustering(AverageLinkage(), 1.0, 5, update).fit(moved, truths)
    near = DiscriminativeClustering(AverageLinkage(), 1.0, 5, update).fit(item_sets, truths)
    assert learner.history_[0].f1 == pytest.approx(near.history_[0].f1, abs=1e-3)


def test_scaled_similarities_are_turned_into_distances():
    names = ["John Kennedy", "JFK", "Mr. Kennedy", "Bob Dole", "Robert Dole", "IBM", "I.B.M. Corp."]
    sets, truth = [ItemSet({"name": names})], Partition([0, 0, 0, 1, 1, 2, 2])
    learner = DiscriminativeClustering(featurizer=Scaled(NameFeatures())).fit(sets, [truth])
    featurizer = learner.similarity_.featurizer
    assert to_matrix(featurizer(sets[0], None)).min() >= 0.0


def test_literal_features_are_used_unchanged():
    item_sets, truths = make_small_corpus(6)
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
    item_sets, truths = make_small_corpus(6)
    Counting.calls = 0
    DiscriminativeClustering(featurizer=Counting(), n_init=3).fit(item_sets, truths)
    assert Counting.calls == len(item_sets)


def test_sets_without_pairs_and_without_columns_that_vary():
    learner = DiscriminativeClustering().fit([[[1.0]], [[1.0], [1.0]]], [[0], [0, 0]])
    assert learner.predict([[[1.0]], [[1.0], [1.0]]])[0] == Partition([0])
    assert learner.coef_.tolist() == [0.0]
    assert DiscriminativeClustering().fit([[[1.0]]], [[0]]).predict([[[4.0]]]) == [Partition([0])]


def test_streams_take_thresholds_and_no_context():
    item_sets, truths = make_small_corpus(6)
    learner = DiscriminativeClustering(LeftLink()).fit(item_sets, truths)
    stream = Stream(learner.to_model())
    labels = [assignment.cluster for assignment in stream.add_many(np.asarray(item_sets[0].items))]
    assert learner.predict(item_sets[:1]) == [Partition(labels)]
    similarity = replace(learner.similarity_, threshold=None)
    with pytest.raises(InputError):
        Stream(replace(learner.to_model(), similarity=similarity))


def test_it_can_be_tuned():
    item_sets, truths = make_small_corpus(6)
    tuned = tune(
        DiscriminativeClustering(max_iter=3), item_sets, truths, {"learning_rate": [1.0, 100.0]}
    )
    assert tuned.params["learning_rate"] in (1.0, 100.0)


# Errors and interrupts.


class Stopping(SingleLinkage):
    n_left = 0

    def __call__(self, scores):
        if Stopping.n_left == 0:
            raise KeyboardInterrupt
        Stopping.n_left -= 1
        return super().__call__(scores)


def test_an_interrupt_keeps_the_best_so_far():
    item_set = ItemSet(np.random.default_rng(0).random((12, 3)), n_clusters=3)
    truth = Partition(np.arange(12) % 3)
    Stopping.n_left = 5
    with pytest.warns(InterruptedWarning, match="best found so far"):
        learner = DiscriminativeClustering(Stopping()).fit([item_set], [truth])
    assert len(learner.history_) == 5
    Stopping.n_left = 0
    with pytest.raises(KeyboardInterrupt):
        DiscriminativeClustering(Stopping()).fit([item_set], [truth])


def test_bad_parameters_are_refused():
    item_sets, truths = make_item_sets(n_sets=2)
    bad_params = {
        "update": ({"update": "paper"}, r"use PaperUpdate\(\) or ExactUpdate\(\)"),
        "clusterer": ({"clusterer": SingleLinkage}, r"SingleLinkage"),
        "rate": ({"learning_rate": 0.0}, "learning_rate"),
        "iterations": ({"max_iter": 0}, "max_iter"),
        "starts": ({"n_init": 0}, "n_init"),
        "seed": ({"random_state": -1}, "random_state"),
        "no clusterer": ({"clusterer": None}, "clusterer is None"),
        "rounding": ({"clusterer": BallRounding()}, r"use one of coterie\.clusterers"),
        "beyond": (
            {"learning_rate": 1e308, "clusterer": AverageLinkage(n_clusters=3)},
            "lower the rate",
        ),
    }
    for params, message in bad_params.values():
        with pytest.raises(InputError, match=message):
            DiscriminativeClustering(**params).fit(item_sets, truths)
    with pytest.raises(InputError, match="no weight may be below 0"):
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
