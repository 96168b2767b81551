"""Objectives, compared with the textbook formulas for all partitions of small sets."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie import PairScores, Partition, checks, objectives
from coterie.exceptions import InputError
from coterie.features import NodeProducts, stack
from coterie.metrics import trace_loss
from coterie.objectives import Correlation, Forest, KMeans, LeftLink
from tests.partitions import all_partitions

MEMBERS = [Correlation(), KMeans(), LeftLink(), LeftLink(gamma=0.3), LeftLink(gamma=1.0), Forest()]


def random_kernel(n_items, rng):
    matrix = rng.normal(size=(n_items, n_items))
    return PairScores.from_matrix(matrix + matrix.T)


def textbook_correlation(matrix, clusters):
    return sum(matrix[i, j] for c in clusters for i, j in itertools.combinations(c, 2))


def textbook_kmeans(matrix, clusters):
    return sum(matrix[i, j] / len(c) for c in clusters for i in c for j in c)


def left_links(matrix, clusters, item):
    cluster = next(c for c in clusters if item in c)
    return [matrix[item, j] for j in cluster if j < item] or [0.0]


def textbook_left_link(gamma):
    def value(matrix, clusters):
        links = [left_links(matrix, clusters, item) for item in range(len(matrix))]
        if gamma == 0:
            return sum(max(options) for options in links)
        return gamma * sum(np.log(np.sum(np.exp(np.array(o) / gamma))) for o in links)

    return value


def textbook_forest(matrix, clusters):
    """Sum the spanning trees that Prim's algorithm grows from the first item of each cluster."""
    total = 0.0
    for cluster in clusters:
        inside, outside = [cluster[0]], list(cluster[1:])
        while outside:
            best = max((matrix[i, j], j) for i in inside for j in outside)
            total += best[0]
            inside.append(best[1])
            outside.remove(best[1])
    return total


FORMULAS = [
    (Correlation(), textbook_correlation),
    (KMeans(), textbook_kmeans),
    (LeftLink(), textbook_left_link(0)),
    (LeftLink(gamma=0.4), textbook_left_link(0.4)),
    (Forest(), textbook_forest),
]


@pytest.mark.parametrize(("objective", "textbook"), FORMULAS, ids=lambda o: repr(o)[:20])
@pytest.mark.parametrize("n_items", range(8))
def test_value_is_the_textbook_formula_for_all_partitions(objective, textbook, n_items, rng):
    scores = random_kernel(n_items, rng)
    if not isinstance(objective, KMeans):
        scores = PairScores(n_items, None, scores.scores)
    matrix = scores.to_matrix()
    for labels in all_partitions(n_items):
        partition = Partition(labels)
        clusters = [c.tolist() for c in partition.clusters]
        assert objective.value(partition, scores) == pytest.approx(
            textbook(matrix, clusters), abs=1e-10
        )


@pytest.mark.parametrize("n_clusters", range(1, 8))
def test_trace_loss_augments_the_kernel(n_clusters, rng):
    """Δ(Y, Z) + w·Ψ(x, Z) = 100 + trace(Zᵀ (K − (100/k) YYᵀ) Z) for every Z of k clusters."""
    scores = random_kernel(7, rng)
    assert np.ptp(scores.diagonal) > 0
    kernel = scores.to_matrix()
    truth = Partition(next(y for y in all_partitions(7) if max(y) + 1 == n_clusters))
    shifted = kernel - 100 / n_clusters * indicator(truth) @ indicator(truth).T
    for labels in all_partitions(7):
        if max(labels) + 1 == n_clusters:
            z = Partition(labels)
            left = trace_loss(truth, z) + KMeans().value(z, scores)
            right = 100 + np.trace(indicator(z).T @ shifted @ indicator(z))
            assert left == pytest.approx(right, abs=1e-9)
            augmented = PairScores.from_matrix(shifted)
            assert 100 + KMeans().value(z, augmented) == pytest.approx(left, abs=1e-9)


def indicator(partition):
    """Return the matrix Y of Finley & Joachims 2008, 4.2: |c|^-½ for the items of cluster c."""
    y = np.equal.outer(partition.labels, np.arange(partition.n_clusters)).astype(float)
    return y / np.sqrt(partition.sizes)


@pytest.mark.parametrize("objective", [Correlation(), KMeans(), LeftLink(), Forest()], ids=repr)
def test_the_joint_feature_map_gives_the_value(objective, rng):
    """w·Ψ(x, C) = value(C), with Ψ from the weights of pairs and of items with themselves."""
    features = stack([NodeProducts(rng.normal(size=(6, 3))), rng.normal(size=(15, 2))])
    coef = rng.normal(size=5)
    scores = PairScores(6, None, features @ coef, features.diagonal @ coef)
    for labels in all_partitions(6):
        partition = Partition(labels)
        psi = features.T @ objective.weights(partition, scores)
        psi += features.diagonal.T @ objective.self_weights(partition, scores)
        assert coef @ psi == pytest.approx(objective.value(partition, scores), abs=1e-10)


def test_relaxed_matrices_have_the_weights_of_their_partitions(rng):
    scores = random_kernel(6, rng)
    for labels in all_partitions(6):
        partition = Partition(labels)
        together = np.equal.outer(partition.labels, partition.labels).astype(float)
        projection = indicator(partition) @ indicator(partition).T
        for objective, relaxed in ((Correlation(), together), (KMeans(), projection)):
            weights = objective.weights(partition, scores)
            np.testing.assert_allclose(weights, objective.weights(relaxed, scores), atol=1e-12)
            self_weights = objective.self_weights(partition, scores)
            np.testing.assert_allclose(
                self_weights, objective.self_weights(relaxed, scores), atol=1e-12
            )


def test_relaxed_kmeans_value_is_a_trace(rng):
    scores = random_kernel(6, rng)
    y = np.linalg.qr(rng.normal(size=(6, 2)))[0]
    expected = np.trace(y.T @ scores.to_matrix() @ y)
    assert KMeans().value(y @ y.T, scores) == pytest.approx(expected)


@pytest.mark.parametrize("objective", [LeftLink(), Forest()])
def test_latent_objectives_refuse_relaxed_matrices(objective, rng):
    with pytest.raises(InputError, match="has no relaxed form; give a Partition"):
        objective.weights(np.eye(3), random_kernel(3, rng))


@pytest.mark.parametrize("objective", MEMBERS, ids=repr)
def test_objectives_keep_their_contract(objective):
    checks.check_objective(objective)


def test_the_contract_is_checked_for_every_objective():
    assert {type(member).__name__ for member in MEMBERS} == set(objectives.__all__)


@pytest.mark.parametrize("objective", MEMBERS, ids=repr)
def test_a_partition_of_other_items_is_refused(objective, rng):
    with pytest.raises(InputError, match="covers 2 items, but the scores cover 3"):
        objective.weights(Partition([0, 1]), random_kernel(3, rng))


@pytest.mark.parametrize("objective", MEMBERS, ids=repr)
@pytest.mark.parametrize(
    "wrong",
    [[0, 0, 1], None, 5, np.ones((3, 5)), np.ones((3, 3, 3)), np.full((3, 3), np.nan), "abc"],
    ids=str,
)
def test_bad_clusterings_are_refused(objective, wrong, rng):
    for part in ("weights", "self_weights", "value"):
        with pytest.raises(InputError):
            getattr(objective, part)(wrong, random_kernel(3, rng))


@pytest.mark.parametrize("objective", MEMBERS, ids=repr)
def test_scores_that_are_a_bare_matrix_are_refused(objective):
    with pytest.raises(InputError, match=r"give PairScores, such as PairScores\.from_"):
        objective.value(Partition([0, 1]), np.eye(2))


@pytest.mark.parametrize("gamma", [np.nan, -1, np.inf, None, "1"])
def test_bad_gamma_is_refused(gamma):
    with pytest.raises(InputError, match=r"gamma is .*; give a finite number of at least 0"):
        LeftLink(gamma)


@pytest.mark.parametrize("objective", MEMBERS, ids=repr)
def test_absent_pairs_have_no_weight(objective):
    scores = PairScores(4, [(0, 1), (2, 3)], [-1.0, 2.0])
    together = Partition([0, 0, 0, 0])
    assert objective.weights(together, scores).shape == (2,)
    if isinstance(objective, LeftLink | Forest):
        # Item 2 has no candidate to its left, so the cluster counts as two pieces.
        assert objective.value(together, scores) == pytest.approx(1.0)


def test_small_gamma_tends_to_the_best_link(rng):
    scores = PairScores(6, None, rng.normal(size=15))
    for labels in all_partitions(6):
        partition = Partition(labels)
        limit = LeftLink(gamma=0.0).weights(partition, scores)
        np.testing.assert_allclose(LeftLink(1e-4).weights(partition, scores), limit, atol=1e-9)


@settings(max_examples=20)
@given(st.floats(1e-310, 1.0), st.floats(1e2, 1e4))
def test_left_linking_never_overflows(gamma, size):
    scores = PairScores(3, None, [size, -size, size * 0.5])
    objective = LeftLink(gamma)
    assert np.isfinite(objective.value(Partition([0, 0, 0]), scores))
    assert np.isfinite(objective.weights(Partition([0, 0, 0]), scores)).all()


def test_equal_links_go_to_the_smallest_index():
    scores = PairScores(4, None, np.zeros(6))
    weights = LeftLink().weights(Partition([0, 0, 0, 0]), scores)
    assert scores.pairs[weights == 1].tolist() == [[0, 1], [0, 2], [0, 3]]


def test_forests_keep_edges_of_score_zero():
    scores = PairScores(3, None, np.zeros(3))
    assert Forest().weights(Partition([0, 0, 0]), scores).sum() == 2


def test_the_scale_of_correlation_is_that_of_the_paper():
    assert Correlation().scale(20) == 1 / 400
    assert Correlation().scale(0) == 1
    assert KMeans().scale(20) == LeftLink().scale(20) == Forest().scale(20) == 1
