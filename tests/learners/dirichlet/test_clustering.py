"""The Dirichlet-process learner: training, prediction, saving and errors."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from coterie import DirichletClustering, ItemSet, Model, progress
from coterie.dirichlet import (
    AuxiliaryGibbs,
    CollapsedGibbs,
    ConditionalGibbs,
    DirichletSimilarity,
    MaximumPosterior,
    MinimumPairLoss,
    MinimumVariation,
    NormalPrior,
    ReferenceTypes,
    Space,
    SplitMerge,
)
from coterie.exceptions import FeatureError, InputError, InterruptedWarning, ItemSetError
from coterie.features import AbsoluteDifferences, AsDistances, NameFeatures
from coterie.learners.dirichlet.type_chains import Moments
from coterie.stream import Stream

TYPES = np.array([[100.0, 1.0, 1.0], [1.0, 100.0, 1.0], [1.0, 1.0, 100.0]])
SHORT = {"n_samples": 20, "burn_in": 40, "spacing": 1}


def draw_sets(n_sets, n_items, n_clusters, seed, spread=3.0):
    """Draw item sets from the model, with three equally frequent types."""
    rng = np.random.default_rng(seed)
    sets, truths = [], []
    for _ in range(n_sets):
        labels = rng.integers(n_clusters, size=n_items)
        means = rng.normal(0.0, spread, size=(n_clusters, 3))
        noise = rng.normal(size=(n_items, 3)) / np.sqrt(TYPES[rng.integers(3, size=n_items)])
        sets.append(means[labels] + noise)
        truths.append(labels)
    return sets, truths


@pytest.fixture(scope="module")
def learned():
    return DirichletClustering(50, 400, 1).fit(*draw_sets(80, 60, 6, seed=0))


@pytest.fixture
def quick():
    return DirichletClustering(**SHORT).fit(*draw_sets(4, 20, 3, seed=13))


def match_types(precisions):
    """Return the learned types in the order of the true types that they match best."""
    orders = map(list, permutations(range(len(precisions)), len(TYPES)))
    return min((precisions[order] for order in orders), key=lambda p: abs(np.log(p / TYPES)).sum())


# Training.


def test_three_reference_types_are_recovered_within_a_tenth(learned):
    samples = [types for types in learned.reference_types_ if len(types.shares) >= 3]
    assert len(samples) == len(learned.reference_types_)
    mean = np.mean([match_types(types.precisions) for types in samples], axis=0)
    assert_allclose(mean, TYPES, rtol=0.1)
    for types in samples:  # any other types are rare
        assert_allclose(np.sort(types.shares)[-3:], 1 / 3, atol=0.05)


def test_learned_types_beat_one_identity_type_on_new_sets(learned):
    plain = DirichletClustering.with_types(
        np.ones((1, 3)), learned.alpha_, learned.prior_variance_, **SHORT
    )
    test = draw_sets(6, 60, 6, seed=100)
    learned = DirichletClustering.with_types(
        learned.reference_types_[-1], learned.alpha_, learned.prior_variance_, **SHORT
    )
    assert learned.score(*test) > plain.score(*test) + 0.05


def test_given_types_leave_the_rest_to_be_learned():
    train = draw_sets(5, 20, 4, seed=12)
    full = DirichletClustering(1, 0, 1, 1).fit(*train)
    one_type = DirichletClustering(**SHORT).fit(*train, reference_types=2.0)
    assert one_type.reference_types_[0].precisions.tolist() == [[2.0, 2.0, 2.0]]
    assert one_type.alpha_ == full.alpha_
    assert_array_equal(one_type.prior_variance_, full.prior_variance_)
    assert one_type.history_ == []
    as_matrix = DirichletClustering(**SHORT).fit(*train, reference_types=np.full((1, 3), 2.0))
    assert one_type.predict(train[0]) == as_matrix.predict(train[0])
    with pytest.raises(FeatureError, match="each of the 2 features"):
        DirichletClustering().fit(*train, reference_types=[[1.0, 1.0]])


def test_alpha_and_variances_are_those_of_the_training_clusters():
    sets, truths = draw_sets(20, 60, 6, seed=1, spread=5.0)
    learner = DirichletClustering(1, 0, 1, 1).fit(sets, truths)
    assert_allclose(learner.prior_variance_, 25.0, rtol=0.3)
    assert 0.5 < learner.alpha_ < 3.0  # six clusters of sixty items


@pytest.mark.parametrize("seed", range(3))
def test_moments_of_euclidean_distances_are_those_of_vectors(seed):
    rng = np.random.default_rng(seed)
    matrices = [rng.normal(size=(n, 2)) * [1.0, 3.0] for n in (9, 1, 14)]
    labels = [np.unique(rng.integers(4, size=len(m)), return_inverse=True)[1] for m in matrices]
    squares = [np.square(m[:, None] - m) for m in matrices]
    by_distance = Moments.of_distances(squares, labels)
    centred = [m - m.mean(axis=0) for m in matrices]
    scatter = sum(
        np.square(m[item_labels == k] - m[item_labels == k].mean(axis=0)).sum(axis=0)
        for m, item_labels in zip(matrices, labels, strict=True)
        for k in range(item_labels.max() + 1)
    )
    sizes = np.concatenate([np.bincount(item_labels) for item_labels in labels])
    within = scatter / (sizes.sum() - len(sizes))
    squared_norms = np.mean(
        [
            m[item_labels == k].mean(axis=0) ** 2
            for m, item_labels in zip(centred, labels, strict=True)
            for k in range(item_labels.max() + 1)
        ],
        axis=0,
    )
    assert_allclose(by_distance.within, within)
    assert_allclose(Moments.of_vectors(matrices, labels).within, within)
    noise = within * np.mean(1 / sizes)
    assert_allclose(by_distance.between, np.maximum(squared_norms - noise, 0.05 * squared_norms))


def test_repulsion_favours_high_precisions():
    sets, truths = draw_sets(3, 20, 4, seed=2, spread=1.0)
    free, repelled = (
        DirichletClustering(**SHORT, prior=NormalPrior(repulsion=repulsion)).fit(sets, truths)
        for repulsion in (False, True)
    )
    means = [
        np.mean([types.shares @ np.log(types.precisions) for types in learner.reference_types_])
        for learner in (free, repelled)
    ]
    assert means[1] > means[0]


def test_categorical_columns_separate_clusters():
    rng = np.random.default_rng(0)
    sets, truths = [], []
    for _ in range(12):
        labels = rng.integers(4, size=40)
        codes = np.where(rng.random(40) < 0.95, labels, rng.integers(4, size=40))
        sets.append(np.column_stack([rng.normal(size=40) + labels, codes]))
        truths.append(labels)
    train, test = (sets[:8], truths[:8]), (sets[8:], truths[8:])
    without = DirichletClustering(**SHORT).fit([s[:, :1] for s in train[0]], train[1])
    learner = DirichletClustering(**SHORT, prior=NormalPrior(categorical=[1])).fit(*train)
    assert learner.reference_types_[0].precisions.shape[1] == 1
    assert learner.score(*test) > without.score([s[:, :1] for s in test[0]], test[1]) + 0.2
    unseen = [np.column_stack([sets[8][:, 0], np.full(40, 9.0)])]
    assert len(learner.predict(unseen)[0]) == 40


def test_the_kept_samples_are_thinned_and_all_are_in_the_history(learned):
    assert len(learned.reference_types_) == 24
    assert len(learned.history_) == 3 * 50
    assert [draw.sweep for draw in learned.history_[:3]] == [401, 402, 403]
    assert {draw.chain for draw in learned.history_} == {0, 1, 2}
    assert all(np.isfinite(draw.objective) for draw in learned.history_)


# Prediction.


@pytest.mark.parametrize(
    "gibbs", [CollapsedGibbs(), ConditionalGibbs(), AuxiliaryGibbs()], ids=repr
)
@pytest.mark.parametrize("split_merge", [None, SplitMerge(2, 1)], ids=["single", "split"])
def test_pair_probabilities_are_those_of_all_partitions(gibbs, split_merge):
    items = np.array([[0.0, 0.3], [0.4, -0.2], [1.9, 1.0], [2.2, 0.1], [1.0, 1.0]])
    precisions, alpha, variance = np.array([[2.0, 1.0], [0.5, 6.0]]), 1.3, np.array([2.0, 4.0])
    learner = DirichletClustering.with_types(
        precisions,
        alpha,
        variance,
        n_samples=6000,
        prior=NormalPrior(gibbs=gibbs, split_merge=split_merge),
    )
    expected = enumerate_pairs(items, precisions, alpha, variance)
    assert_allclose(learner.pair_probabilities(items), expected, atol=0.03)


def enumerate_pairs(items, precisions, alpha, variance):
    """Return the probability of each pair, by the sum over all partitions and types."""
    n_items = len(items)
    together, total = np.zeros((n_items, n_items)), 0.0
    for labels in all_partitions(n_items):
        weight = 1.0
        for k in range(max(labels) + 1):
            members = [item for item in range(n_items) if labels[item] == k]
            weight *= alpha * float(np.prod(range(1, len(members))))
            weight *= marginal(items[members], precisions, variance)
        total += weight
        together += weight * np.equal.outer(labels, labels)
    return together / total


def all_partitions(n_items):
    """Return every partition of `n_items` items, as labels by first appearance."""
    partitions = [()]
    for _ in range(n_items):
        partitions = [
            (*labels, label)
            for labels in partitions
            for label in range(max(labels, default=-1) + 2)
        ]
    return partitions


def marginal(rows, precisions, variance):
    """Return the density of the items of a cluster, averaged over their types."""
    type_choices = np.indices((len(precisions),) * len(rows)).reshape(len(rows), -1).T
    density = 0.0
    for item_types in type_choices:
        product = 1.0
        for f in range(rows.shape[1]):
            cov = np.diag(1 / precisions[item_types, f]) + variance[f]
            gap = rows[:, f] @ np.linalg.solve(cov, rows[:, f])
            product *= np.exp(-gap / 2) / np.sqrt(np.linalg.det(2 * np.pi * cov))
        density += product
    return density / len(type_choices)


def test_prediction_does_not_depend_on_workers_nor_on_the_other_sets(quick):
    sets, _ = draw_sets(3, 30, 4, seed=3)
    threaded = DirichletClustering.with_types(TYPES, 1.0, 9.0, **SHORT, n_jobs=3)
    sequential = DirichletClustering.with_types(TYPES, 1.0, 9.0, **SHORT)
    assert threaded.predict(sets) == sequential.predict(sets)
    assert threaded.predict(sets[::-1]) == threaded.predict(sets)[::-1]
    first, second = (learner.posterior(sets[0]) for learner in (threaded, sequential))
    assert_array_equal(first.labels, second.labels)
    assert_array_equal(first.log_joint, second.log_joint)
    assert quick.predict(sets) == quick.predict(sets)


def test_training_does_not_depend_on_workers():
    train = draw_sets(3, 20, 4, seed=4)
    sequential, threaded = (
        DirichletClustering(**SHORT, n_jobs=n_jobs).fit(*train) for n_jobs in (1, 3)
    )
    for first, second in zip(sequential.reference_types_, threaded.reference_types_, strict=True):
        assert_array_equal(first.precisions, second.precisions)


@pytest.mark.parametrize("estimate", [MaximumPosterior(), MinimumPairLoss(), MinimumVariation()])
def test_prediction_is_the_estimate(estimate):
    sets, _ = draw_sets(2, 30, 4, seed=5)
    learner = DirichletClustering.with_types(TYPES, 1.0, 9.0, **SHORT, estimate=estimate)
    expected = [estimate.partition(learner.posterior(item_set)) for item_set in sets]
    assert learner.predict(sets) == expected


def test_the_estimate_needs_no_new_fit(quick):
    sets, _ = draw_sets(1, 30, 4, seed=6)
    quick.set_params(estimate=MinimumPairLoss())
    assert quick.similarity_.estimate == MinimumPairLoss()
    scores = quick.similarity_(sets[0])
    assert_allclose(scores, quick.pair_probabilities(sets[0])[np.triu_indices(30, 1)] - 0.5)
    quick.set_params(estimate=MinimumVariation())
    assert set(np.unique(quick.similarity_(sets[0]))) <= {-1.0, 1.0}


def test_pair_features_are_distances_and_pairs_without_them_are_far():
    distances = np.array([[0.1], [5.0], [4.9]])  # of three items
    sets = [ItemSet.from_pair_features(distances, 3)] * 4
    learner = DirichletClustering(**SHORT).fit(sets, [[0, 0, 1]] * 4)
    assert learner.predict(sets[:1])[0].labels.tolist() == [0, 0, 1]
    candidate_set = ItemSet.from_pair_features(np.array([[0.1], [4.0]]), 4, [(0, 1), (2, 3)])
    squares = learner.similarity_.space.squares(candidate_set)
    assert squares[2, 3, 0] == 16.0
    assert squares[0, 2, 0] == squares[1, 3, 0] == 25.0  # as far as any in training
    assert learner.predict([candidate_set])[0] == MinimumVariation().partition(
        learner.posterior(candidate_set)
    )


def test_a_featurizer_of_distances_takes_any_items():
    sets, truths = draw_sets(4, 20, 3, seed=7, spread=8.0)
    prior = NormalPrior(featurizer=AbsoluteDifferences())
    learner = DirichletClustering(**SHORT, prior=prior).fit(sets, truths)
    assert learner.score(sets, truths) > 0.9


def test_a_model_is_saved_with_its_types(quick, tmp_path):
    sets, _ = draw_sets(2, 30, 4, seed=8)
    quick.to_model().save(tmp_path / "types.coterie")
    model = Model.load(tmp_path / "types.coterie")
    assert isinstance(model.similarity, DirichletSimilarity)
    assert model.predict(sets) == quick.predict(sets)


def test_the_papers_schedule_is_one_option_away():
    learner = DirichletClustering.with_types(
        TYPES, 1.0, 9.0, n_samples=1000, burn_in=10_000, spacing=100
    )
    assert learner.similarity_.sampler.n_sweeps == 110_000


def test_progress_is_reported_in_training_and_in_prediction(quick):
    steps = []
    with progress(steps.append):
        DirichletClustering(**SHORT).fit(*draw_sets(1, 10, 2, seed=9))
        quick.predict(draw_sets(1, 10, 2, seed=9)[0])
    assert {step.task for step in steps} == {"fit", "sample", "predict"}
    assert [step.done for step in steps if step.task == "fit"][-1] == 60


def test_an_interrupt_keeps_the_samples_so_far():
    def interrupt(step):
        if step.done >= 50:
            raise KeyboardInterrupt

    learner = DirichletClustering(**SHORT)
    train = draw_sets(2, 10, 2, seed=10)
    with progress(interrupt), pytest.warns(InterruptedWarning):
        learner.fit(*train)
    assert 0 < len(learner.history_) < 60
    assert len(learner.predict(train[0])) == 2


def test_a_posterior_has_numbers_of_clusters_and_diagnostics():
    sets, truths = draw_sets(1, 40, 4, seed=11, spread=20.0)
    learner = DirichletClustering.with_types(TYPES, 1.0, 400.0)
    posterior = learner.posterior(sets[0])
    assert max(posterior.cluster_counts(), key=posterior.cluster_counts().get) == len(
        set(truths[0])
    )
    diagnostics = posterior.diagnostics()
    assert diagnostics.r_hat_log_joint < 1.1
    assert diagnostics.ess_log_joint > 30


def test_units_of_columns_do_not_matter():
    sets, truths = draw_sets(8, 30, 4, seed=13)
    scale = np.array([1.0, 1e4, 1e-4])
    plain, scaled = (
        DirichletClustering(**SHORT).fit([rows * unit for rows in sets[:6]], truths[:6])
        for unit in (1.0, scale)
    )
    assert_allclose(scaled.prior_variance_, plain.prior_variance_ * scale**2)
    assert plain.predict(sets[6:]) == scaled.predict([rows * scale for rows in sets[6:]])


def test_chains_take_the_last_samples_of_training():
    types = tuple(ReferenceTypes([[precision]]) for precision in range(1, 10))
    similarity = DirichletSimilarity(types, 1.0, 1.0)
    precisions = [mixture.precisions.item() for mixture in similarity._mixtures()]
    assert precisions == [3.0, 6.0, 9.0]


@pytest.mark.parametrize("scale", [1e-105, 1e105])
def test_features_whose_products_overflow_are_refused(scale):
    distances = scale * np.array([[0.1], [5.0], [4.9]])
    sets = [ItemSet.from_pair_features(distances, 3)] * 3
    with pytest.raises(FeatureError, match="too large to compute with; scale the features"):
        DirichletClustering(**SHORT).fit(sets, [[0, 0, 1]] * 3)


def test_empty_sets_frames_and_lists_without_pairs_are_accepted(learned):
    assert learned.posterior(np.empty((0, 3))).n_items == 0
    assert learned.predict([np.empty((0, 3))])[0].n_clusters == 0
    rows = draw_sets(1, 12, 2, seed=14)[0][0]
    columns = {"a": rows[:, 0], "b": rows[:, 1], "c": rows[:, 2]}
    assert learned.predict([columns]) == learned.predict([rows])
    without_pairs = ItemSet.from_pair_features(np.empty((0, 1)), 3, np.empty((0, 2), dtype=int))
    sets = [ItemSet.from_pair_features([[0.1], [5.0], [4.9]], 3)] * 4
    learner = DirichletClustering(**SHORT).fit(sets, [[0, 0, 1]] * 4)
    assert learner.predict([without_pairs])[0].n_clusters == 3


# Errors.


def test_similarities_are_refused_as_distances():
    prior = NormalPrior(featurizer=NameFeatures())
    with pytest.raises(FeatureError, match=r"use AsDistances\(NameFeatures"):
        DirichletClustering(prior=prior).fit([{"name": ["Ann", "Bob"]}], [[0, 1]])
    names = {"name": ["Ann Lee", "A. Lee", "Bob Ray", "Bob Ray"]}
    prior = NormalPrior(featurizer=AsDistances(NameFeatures()))
    learner = DirichletClustering(**SHORT, prior=prior).fit([names] * 3, [[0, 0, 1, 1]] * 3)
    assert len(learner.predict([names])[0]) == 4


def test_items_of_another_kind_than_in_training_are_refused(learned):
    with pytest.raises(
        FeatureError,
        match="item set 0: there are pair features, but training item sets had vectors",
    ):
        learned.predict([ItemSet.from_pair_features([[1.0, 1.0, 1.0]], 2)])


def test_categories_require_vectors_and_training():
    prior = NormalPrior(categorical=[0])
    with pytest.raises(FeatureError, match="categorical columns, which only vectors have"):
        DirichletClustering(prior=prior).fit([ItemSet.from_pair_features([[1.0]], 2)], [[0, 1]])
    with pytest.raises(InputError, match="with_types cannot learn their categories"):
        DirichletClustering.with_types([[1.0]], 1.0, 1.0, prior=prior)


@pytest.mark.parametrize(
    ("types", "variance"), [([[1e16], [1.0]], 1.0), ([[1.0]], 1e16), ([[1e-9]], 1e-9)]
)
def test_precisions_that_rounding_would_lose_are_refused(types, variance):
    with pytest.raises(FeatureError, match="products of precisions and prior_variance range from"):
        DirichletClustering.with_types(types, 1.0, variance)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"sampler": None}, "sampler is None; use a Sampler"),
        ({"space": 3}, "space is 3; use a Space"),
        ({"estimate": MaximumPosterior}, r"give MaximumPosterior\(\)"),
    ],
)
def test_bad_parts_of_a_similarity_are_refused(part, words):
    with pytest.raises(InputError, match=words):
        DirichletSimilarity((ReferenceTypes([[1.0]]),), 1.0, 1.0, **part)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"centre": [[0.0]]}, "centre is .*one finite number per feature"),
        ({"centre": [np.nan]}, "one finite number per feature"),
        ({"categorical": (0.5,)}, "a categorical column is 0.5"),
        ({"categorical": (-1,)}, "a categorical column is -1"),
        ({"categories": "zz"}, "categories is 'zz'"),
        ({"featurizer": "zz"}, "the featurizer is 'zz'"),
    ],
)
def test_bad_parts_of_a_space_are_refused(params, words):
    with pytest.raises(InputError, match=words):
        Space(**params)


def test_streams_refuse_it(learned):
    with pytest.raises(InputError, match=r"context|LeftLink"):
        Stream(learned.to_model())


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"prior": NormalPrior}, r"prior is the class NormalPrior; give NormalPrior\(\)"),
        ({"prior": None}, r"prior is None; use NormalPrior\(\)"),
        ({"estimate": "map"}, r"estimate is 'map'; use MinimumVariation\(\)"),
        ({"n_samples": 0}, "n_samples is 0; give a whole number from 1"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"random_state": None}, "random_state is None"),
    ],
)
def test_bad_parameters_are_refused(params, words):
    with pytest.raises(InputError, match=words):
        DirichletClustering(**params).fit([[[0.0], [1.0]]], [[0, 1]])


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"shape": 0.0}, "shape is 0"),
        ({"rate": -1.0}, "rate is -1"),
        ({"categorical": "1"}, "categorical is '1'; give a list of column indices"),
        ({"categorical": [1, 1]}, "give each column once"),
        (
            {"categorical": [0], "featurizer": AbsoluteDifferences()},
            "use only one of categorical and featurizer",
        ),
        ({"gibbs": 8}, r"gibbs is 8; use CollapsedGibbs\(\)"),
        ({"split_merge": 5}, r"split_merge is 5; use SplitMerge\(\) or None"),
    ],
)
def test_bad_parameters_of_priors_are_refused(params, words):
    with pytest.raises(InputError, match=words):
        NormalPrior(**params)


def test_means_of_distances_cannot_be_drawn():
    prior = NormalPrior(gibbs=ConditionalGibbs())
    learner = DirichletClustering.with_types([[1.0]], 1.0, 1.0, prior=prior)
    with pytest.raises(InputError, match=r"use gibbs=CollapsedGibbs\(\)"):
        learner.predict([ItemSet.from_pair_features([[1.0]], 2)])


def test_items_that_are_not_vectors_are_refused_by_their_set():
    with pytest.raises(ItemSetError, match=r"item set 1: the items are .*featurizer"):
        DirichletClustering().fit([[[1.0], [2.0]], ["a", "b"]], [[0, 1], [0, 1]])
    pairs = ItemSet.from_pair_features([[1.0]], 2)
    with pytest.raises(FeatureError, match=r"item set 1: .*; use one kind"):
        DirichletClustering().fit([[[1.0], [2.0]], pairs], [[0, 1], [0, 1]])


def test_features_that_differ_from_training_are_refused(learned):
    with pytest.raises(FeatureError, match=r"item set 0: .*columns"):
        learned.predict([[[1.0], [2.0]]])
    plain = DirichletClustering.with_types(TYPES, 1.0, 1.0)
    with pytest.raises(FeatureError, match="items have 1 features, but the reference types have 3"):
        plain.predict([[[1.0], [2.0]]])


@pytest.mark.parametrize(
    ("types", "alpha", "variance", "words"),
    [
        ([[1.0, -1.0]], 1.0, 1.0, "reference types contain -1.0; give finite numbers above 0"),
        ([[[1.0]]], 1.0, 1.0, "reference types have shape"),
        ([[1.0]], 0.0, 1.0, "alpha is 0"),
        ([[1.0]], 1.0, [1.0, 2.0], "prior_variance is .*each of the 1 features"),
        ([[1.0]], 1.0, 0.0, "prior_variance is 0"),
    ],
)
def test_bad_types_are_refused(types, alpha, variance, words):
    with pytest.raises(InputError, match=words):
        DirichletClustering.with_types(types, alpha, variance)


def test_types_have_shares():
    types = ReferenceTypes(TYPES, shares=[2, 1, 1])
    assert_allclose(types.shares, [0.5, 0.25, 0.25])
    with pytest.raises(FeatureError, match="shares have shape"):
        ReferenceTypes(TYPES, shares=[1])
    learner = DirichletClustering.with_types(types, 1.0, 9.0, **SHORT)
    assert learner.reference_types_ == (types,)
    assert len(learner.predict(draw_sets(1, 8, 2, seed=0)[0])[0]) == 8
