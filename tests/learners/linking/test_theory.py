"""The theory of latent left-linking (Samdani, Chang & Roth 2014), checked by enumeration."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logsumexp, softmax

from coterie.blocking import AllPairs, Window
from coterie.features.given import GivenFeatures
from coterie.items import ItemSet
from coterie.learners.linking.cccp import CCCP
from coterie.learners.linking.left_linking import LatentLeftLinking, LinearLinkRisk
from coterie.learners.linking.link_sets import LinkSet
from coterie.objectives import LeftLink
from coterie.pairs import PairScores, all_pairs, count_pairs
from coterie.partition import Partition
from tests.learners.linking import plain_links
from tests.learners.linking.plain_links import all_trees, as_plain_set, link_matrix
from tests.partitions import all_partitions

GAMMAS = [0.2, 0.5, 1.0]
SHAPES = [([0, 0, 1, 0, 2, 1], 0.6), ([0], 1.0), ([0, 1, 1], 1.0), ([0, 1, 0, 0], 1.0)]


def as_item_set(scores, pairs=None, n_items=None):
    """Return an item set whose only feature is the score of each pair."""
    n_items = round(np.sqrt(2 * len(scores) + 0.25) + 0.5) if n_items is None else n_items
    return ItemSet.from_pair_features(np.reshape(scores, (-1, 1)), n_items, pairs)


def learner_of_scores(gamma, item_set, blocker=None):
    """Return a learner whose weight of that feature is 1."""
    learner = LatentLeftLinking(gamma, n_passes=1, featurizer=GivenFeatures(), blocker=blocker)
    learner.fit([item_set], [range(len(item_set))])
    learner.similarity_ = replace(learner.similarity_, coef=np.ones(1))
    return learner


def random_scores(rng, n_items=6, scale=1.0):
    return scale * rng.normal(size=count_pairs(n_items))


def correct_matrix(labels):
    """Return C(i, j), with the dummy in column 0: 1 iff an item is the first of its cluster."""
    labels = np.asarray(labels)
    together = np.tril(labels[:, None] == labels, k=-1)
    return np.column_stack([~together.any(axis=1), together])


# The likelihood.


@pytest.mark.parametrize("gamma", [0.1, *GAMMAS])
@pytest.mark.parametrize("n_items", [1, 2, 4, 6])
def test_likelihood_sums_the_trees_of_a_partition(gamma, n_items, rng):
    """Theorem 1."""
    scores = random_scores(rng, n_items)
    trees = all_trees(n_items)
    matrix = link_matrix(PairScores(n_items, None, scores))
    values = matrix[np.arange(n_items), trees].sum(axis=1) / gamma
    learner = learner_of_scores(gamma, as_item_set(scores, n_items=n_items))
    for labels in all_partitions(n_items):
        consistent = correct_matrix(labels)[np.arange(n_items), trees].all(axis=1)
        expected = logsumexp(values[consistent]) - logsumexp(values)
        log_likelihood = learner.log_likelihood(as_item_set(scores, n_items=n_items), labels)
        assert log_likelihood == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("gamma", [0.0, 0.1, *GAMMAS])
@pytest.mark.parametrize("seed", range(3))
def test_likelihoods_of_all_partitions_sum_to_1(gamma, seed):
    item_set = as_item_set(random_scores(np.random.default_rng(seed), 6))
    learner = learner_of_scores(gamma, item_set)
    total = sum(np.exp(learner.log_likelihood(item_set, labels)) for labels in all_partitions(6))
    assert total == pytest.approx(1.0, rel=1e-10)


@pytest.mark.parametrize("gamma", [0.0, *GAMMAS])
@pytest.mark.parametrize(
    "pairs", [[], [(0, 1)], [(1, 2), (0, 3), (2, 3)], [(0, 4), (2, 3), (1, 3)]]
)
def test_with_absent_pairs_likelihood_sums_the_trees_without_them(gamma, pairs, rng):
    """A partition that links of candidate pairs cannot connect has probability 0."""
    scores = rng.normal(size=len(pairs))
    item_set = as_item_set(scores, pairs, n_items=5)
    learner = learner_of_scores(gamma, item_set)
    log_likelihoods = {Partition(y): learner.log_likelihood(item_set, y) for y in all_partitions(5)}
    assert sum(np.exp(list(log_likelihoods.values()))) == pytest.approx(1.0, rel=1e-10)
    if gamma:
        matrix = link_matrix(PairScores(5, pairs, scores))
        values = matrix[np.arange(5), all_trees(5)].sum(axis=1) / gamma
        for partition, log_likelihood in log_likelihoods.items():
            is_correct = correct_matrix(partition.labels)
            consistent = values[is_correct[np.arange(5), all_trees(5)].all(axis=1)]
            assert log_likelihood == pytest.approx(
                logsumexp(consistent) - logsumexp(values), rel=1e-10
            )


@pytest.mark.parametrize("gamma", [0.0, 0.1, *GAMMAS])
@pytest.mark.parametrize("blocker", [None, Window(2)])
def test_link_probabilities(gamma, blocker, rng):
    scores = random_scores(rng)
    pairs = all_pairs(6) if blocker is None else blocker(as_item_set(scores))
    learner = learner_of_scores(gamma, as_item_set(scores), blocker)
    probabilities = learner.link_probabilities(as_item_set(scores))
    assert probabilities.shape == (6, 7)
    assert np.allclose(probabilities.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert np.all(probabilities[np.triu_indices(6, 1, 7)] == 0)
    is_candidate = [pair.tolist() in pairs.tolist() for pair in all_pairs(6)]
    matrix = link_matrix(PairScores(6, pairs, scores[is_candidate]))
    # Eq. 2, and its limit.
    expected = softmax(matrix / gamma, axis=1) if gamma else np.eye(7)[matrix.argmax(axis=1)]
    assert np.allclose(probabilities, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_products_of_correct_links_are_the_likelihood(gamma, rng):
    """Eq. 3 and 4."""
    item_set = as_item_set(random_scores(rng))
    learner = learner_of_scores(gamma, item_set)
    links = learner.link_probabilities(item_set)
    for labels in all_partitions(6):
        product = np.prod(np.sum(links * correct_matrix(labels), axis=1))
        assert np.exp(learner.log_likelihood(item_set, labels)) == pytest.approx(product, rel=1e-10)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_likelihood_is_the_value_of_the_objective(gamma, rng):
    """γ log Pr = value(C) − γ Σ log Z_i, with the value of the left-linking objective."""
    scores = random_scores(rng)
    learner = learner_of_scores(gamma, as_item_set(scores))
    pair_scores = PairScores(6, None, scores)
    normaliser = np.sum(logsumexp(link_matrix(pair_scores) / gamma, axis=1))
    for labels in list(all_partitions(6))[::7]:
        value = LeftLink(gamma).value(Partition(labels), pair_scores)
        log_likelihood = learner.log_likelihood(as_item_set(scores), labels)
        assert log_likelihood == pytest.approx(value / gamma - normaliser, rel=1e-10)


# The objective.


def given_pairs(item_set):
    return item_set.items.pairs


def problem(rng, n_columns=3):
    """Return link sets of several sizes, one with some of its pairs only, and the plain sets."""
    sets, twins = [], []
    for labels, share in SHAPES:
        n_items = len(labels)
        pairs = all_pairs(n_items)[rng.random(count_pairs(n_items)) <= share]
        features = rng.normal(size=(len(pairs), n_columns))
        item_set = ItemSet.from_pair_features(features, n_items, pairs)
        truth = Partition(labels)
        sets.append(LinkSet.prepare(item_set, truth, GivenFeatures(), given_pairs))
        twins.append(as_plain_set(item_set, truth, GivenFeatures()))
    return sets, twins


@pytest.mark.parametrize("gamma", [0.0, *GAMMAS])
@pytest.mark.parametrize("lam", [0.0, 0.3])
def test_objective_and_gradient_are_eq_7_and_eq_8(gamma, lam, rng):
    sets, twins = problem(rng)
    risk = LinearLinkRisk(sets, gamma)
    for coef in rng.normal(size=(5, 3)):
        value, gradient = risk.objective(coef, lam)
        assert value == pytest.approx(plain_links.objective(twins, coef, lam, gamma), rel=1e-12)
        assert np.allclose(gradient, plain_links.gradient(twins, coef, lam, gamma), rtol=1e-12)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_gradient_agrees_with_finite_differences(gamma, rng):
    sets, twins = problem(rng)
    coef, lam, step = rng.normal(size=3), 0.3, 1e-6
    derivatives = [
        (
            plain_links.objective(twins, coef + e, lam, gamma)
            - plain_links.objective(twins, coef - e, lam, gamma)
        )
        / (2 * step)
        for e in step * np.eye(3)
    ]
    assert np.allclose(LinearLinkRisk(sets, gamma).objective(coef, lam)[1], derivatives, atol=1e-8)


def test_without_margin_the_objective_is_the_likelihood(rng):
    """At γ = 1, eq. 7 without δ is the mean of −log Pr/m, the hidden CRF."""
    scores = random_scores(rng, 5)
    item_set = as_item_set(scores, n_items=5)
    learner = learner_of_scores(1.0, item_set)
    labels = [0, 0, 1, 0, 1]
    truth = Partition(labels)
    link_set = LinkSet.prepare(item_set, truth, GivenFeatures(), AllPairs())
    best, _ = LinearLinkRisk([link_set], 1.0).best(np.ones(1))
    matrix = link_matrix(PairScores(5, None, scores))
    expected = (np.sum(logsumexp(matrix, axis=1)) + learner.log_likelihood(item_set, labels)) / 5
    assert best == pytest.approx(expected, rel=1e-10)


# γ = 0 is the limit.


@pytest.mark.parametrize("seed", range(5))
def test_small_gamma_is_max_left_link(seed):
    rng = np.random.default_rng(seed)
    sets, _ = problem(rng)
    coef = rng.normal(size=3)
    (small, gradient), (zero, limit) = (
        LinearLinkRisk(sets, gamma).objective(coef, 0.1) for gamma in (1e-6, 0.0)
    )
    assert small == pytest.approx(zero, abs=1e-5)
    assert np.allclose(gradient, limit, atol=1e-12)
    item_set = as_item_set(random_scores(rng, 9), n_items=9)
    near, exact = learner_of_scores(1e-6, item_set), learner_of_scores(0.0, item_set)
    assert near.predict([item_set]) == exact.predict([item_set])
    assert np.allclose(near.link_probabilities(item_set), exact.link_probabilities(item_set))
    assert exact.log_likelihood(item_set, exact.predict([item_set])[0]) == 0.0


def test_among_equals_the_dummy_comes_first_then_the_smallest_index():
    item_set = as_item_set(np.zeros(6))
    learner = learner_of_scores(0.0, item_set)
    assert learner.predict([item_set]) == [Partition([0, 1, 2, 3])]
    assert np.array_equal(learner.link_probabilities(item_set), np.eye(5)[[0] * 4])
    # At w = 0 the dummy and all wrong links tie for the worst, all correct ones for the best.
    features = np.arange(1.0, 7.0)[:, None]
    item_set = ItemSet.from_pair_features(features, 4)
    truth = Partition([0, 1, 0, 0])
    link_set = LinkSet.prepare(item_set, truth, GivenFeatures(), AllPairs())
    _, gradient = LinearLinkRisk([link_set], 0.0).objective(np.zeros(1), 0.0)
    by_pair = dict(zip(map(tuple, all_pairs(4).tolist()), features[:, 0], strict=True))
    # Item 1 starts a cluster: its worst link is the wrong one to 0. For items 2 and 3, the worst
    # link is the dummy and the best one links to 0.
    expected = (by_pair[0, 1] - by_pair[0, 2] - by_pair[0, 3]) / 4
    assert gradient[0] == pytest.approx(expected, rel=1e-12)


# Large scores.


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("gamma", [1e-3, *GAMMAS])
def test_large_scores_do_not_overflow(gamma, rng):
    """With scores of ±1e4 γ, exp(score/γ) is beyond the range of floats."""
    scores = 1e4 * gamma * rng.choice([-1.0, -0.5, 0.5, 1.0], size=15) * (1 + rng.random(15))
    item_set, pair_scores = as_item_set(scores), PairScores(6, None, scores)
    learner = learner_of_scores(gamma, item_set)
    matrix = link_matrix(pair_scores) / gamma
    with np.errstate(over="raise", invalid="raise"):
        links = learner.link_probabilities(item_set)
        assert np.allclose(links, softmax(matrix, axis=1), rtol=1e-12, atol=1e-300)
        for labels in list(all_partitions(6))[::11]:
            correct_scores = np.where(correct_matrix(labels), matrix, -np.inf)
            expected = np.sum(logsumexp(correct_scores, axis=1) - logsumexp(matrix, axis=1))
            log_likelihood = learner.log_likelihood(item_set, labels)
            assert np.isfinite(log_likelihood)
            assert log_likelihood == pytest.approx(expected, rel=1e-10, abs=1e-10)
            link_set = LinkSet.prepare(item_set, Partition(labels), GivenFeatures(), AllPairs())
            twin = as_plain_set(item_set, Partition(labels), GivenFeatures())
            value, gradient = LinearLinkRisk([link_set], gamma).objective(np.ones(1), 0.1)
            expected = plain_links.objective([twin], np.ones(1), 0.1, gamma)
            assert value == pytest.approx(expected, rel=1e-10)
            assert np.isfinite(gradient).all()
        # The best link of each item outweighs all others by far.
        assert learner.predict([item_set]) == learner_of_scores(0.0, item_set).predict([item_set])


# CCCP.


@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0])
def test_the_objective_of_cccp_never_rises(gamma, rng):
    item_sets, truths = [], []
    for labels, _ in SHAPES * 2:
        features = rng.normal(size=(count_pairs(len(labels)), 3))
        features[:, 0] += Partition(labels).together()
        item_sets.append(ItemSet.from_pair_features(features, len(labels)))
        truths.append(Partition(labels))
    learner = LatentLeftLinking(gamma, lam=0.05, solver=CCCP()).fit(item_sets, truths)
    values = np.array([step.objective for step in learner.history_])
    assert len(values) > 1
    assert np.all(np.diff(values) <= 1e-9 * np.abs(values[:-1]))
    featurizer = learner.similarity_.featurizer
    twins = [as_plain_set(*example, featurizer) for example in zip(item_sets, truths, strict=True)]
    reached = plain_links.objective(twins, learner.coef_, 0.05, gamma)
    assert values[-1] == pytest.approx(reached, rel=1e-6)
    start = plain_links.objective(twins, np.zeros(4), 0.05, gamma)
    assert reached < start
    if gamma:
        assert np.allclose(plain_links.gradient(twins, learner.coef_, 0.05, gamma), 0.0, atol=1e-2)
