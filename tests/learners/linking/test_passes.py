"""Passes of stochastic gradient descent, compared with dense steps in plain NumPy."""

from dataclasses import dataclass
from functools import partial
from math import e

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from coterie.blocking import Window
from coterie.features.featurizer import PairFeaturizer
from coterie.features.operators import (
    ConstantFeatures,
    DenseFeatures,
    LinkedNodeProducts,
    NodeProducts,
    ScaledFeatures,
    SparseFeatures,
    stack,
)
from coterie.items import ItemSet
from coterie.learners.linking.best_left_link import BestLeftLinkLearner
from coterie.learners.linking.left_linking import LatentLeftLinking
from coterie.learners.linking.sgd import SGD
from coterie.learners.linking.sum_link import SumLinkLearner
from coterie.pairs import all_pairs, count_pairs
from coterie.partition import Partition
from tests.learners.linking import plain_links
from tests.learners.linking.plain_links import as_plain_set, items_of, run_passes

LABELS = [[0, 0, 1, 0, 2, 1, 0], [], [0], [0, 1, 1, 0, 1], [0, 1, 2, 2]]


@dataclass(frozen=True)
class Everything(PairFeaturizer):
    """Features of all kinds side by side, some of them twice and some of them scaled."""

    names = tuple("abcdefghijklmnopqrs")

    def fit(self, item_sets):
        return self

    def encode(self, item_set):
        return item_set.items

    def compare(self, encoded, pairs):
        vectors = np.asarray(encoded)
        candidates = all_pairs(len(vectors)) if pairs is None else pairs
        first, second = vectors[candidates[:, 0]], vectors[candidates[:, 1]]
        sparse_vectors = np.where(np.abs(vectors) > 0.7, vectors, 0.0)
        links = candidates[::2]
        scale = np.array([0.5, 3.0, 2.0, 0.1, 4.0])
        inner = stack([DenseFeatures(first - second), NodeProducts(vectors, pairs)])
        return stack(
            [
                ScaledFeatures(stack([inner, ConstantFeatures(len(candidates))]), scale),
                SparseFeatures(sp.csr_array(first * sparse_vectors[candidates[:, 1]])),
                ScaledFeatures(NodeProducts(sp.csr_array(sparse_vectors), pairs), scale[:2]),
                ConstantFeatures(len(candidates)),
                DenseFeatures(np.abs(first - second)),
                NodeProducts(vectors[:, ::-1], pairs),
                LinkedNodeProducts(vectors, links, pairs),
                NodeProducts(sp.csr_array(sparse_vectors[:, ::-1]), pairs),
            ]
        )


def pair_set(kind, labels, rng):
    matrix = rng.normal(size=(count_pairs(len(labels)), 3))
    matrix[:, 0] += Partition(labels).together()
    return ItemSet.from_pair_features(kind(matrix * (rng.random(matrix.shape) < 0.7)), len(labels))


def candidate_pair_set(labels, rng):
    pairs = rng.permutation(all_pairs(len(labels)))[: len(labels)]
    return ItemSet.from_pair_features(rng.normal(size=(len(pairs), 3)), len(labels), pairs)


def vector_set(kind, labels, rng):
    vectors = rng.normal(size=(len(labels), 2))
    return ItemSet(kind(vectors * (rng.random(vectors.shape) < 0.8)))


def reordered_products(labels, rng):
    """Make an item set of products in another order than its items, an operator of another kind."""
    products = NodeProducts(rng.normal(size=(len(labels), 3)))
    return ItemSet.from_pair_features(products, len(labels)).reordered(rng.permutation(len(labels)))


KINDS = {
    "dense": (partial(pair_set, np.asarray), {}),
    "sparse": (partial(pair_set, sp.csr_array), {}),
    "candidate pairs": (candidate_pair_set, {}),
    "products": (partial(vector_set, np.asarray), {}),
    "sparse products": (partial(vector_set, sp.csr_array), {}),
    "blocked products": (partial(vector_set, np.asarray), {"blocker": Window(2)}),
    "blocked sparse products": (partial(vector_set, sp.csr_array), {"blocker": Window(2)}),
    "stacked": (partial(vector_set, np.asarray), {"featurizer": Everything()}),
    "blocked stack": (
        partial(vector_set, np.asarray),
        {"featurizer": Everything(), "blocker": Window(2)},
    ),
    "another operator": (reordered_products, {}),
}


def left_link_steps(gamma, plain_set, item):
    yield partial(plain_links.left_link_loss, item, gamma=gamma)


def sum_link_steps(plain_set, item):
    yield partial(plain_links.sum_link_loss, item, plain_set.labels)


def closest_link_steps(teach_firsts, plain_set, item):
    for features, sign in plain_links.closest_link_examples(item, teach_firsts):
        yield partial(plain_links.hinge, features, sign)


LEARNERS = {
    **{
        f"left-linking, gamma {gamma}": (
            LatentLeftLinking(gamma),
            partial(left_link_steps, gamma),
        )
        for gamma in (0.0, 0.2, 1.0)
    },
    "sum-link": (SumLinkLearner(), sum_link_steps),
    "best-left-link": (BestLeftLinkLearner(), partial(closest_link_steps, False)),
    "taught firsts": (BestLeftLinkLearner(teach_firsts=True), partial(closest_link_steps, True)),
}


def make_problem(kind, seed=0):
    rng = np.random.default_rng(seed)
    make, options = KINDS[kind]
    return [make(labels, rng) for labels in LABELS], [Partition(y) for y in LABELS], options


def twins_of(learner, item_sets, truths):
    """Return plain sets with the features that the learner computes."""
    featurizer, blocker = learner.similarity_.featurizer, learner.blocker
    return [
        as_plain_set(item_set, truth, featurizer, None if blocker is None else blocker(item_set))
        for item_set, truth in zip(item_sets, truths, strict=True)
    ]


@pytest.mark.parametrize(("kind", "lam"), [*((kind, 0.05) for kind in KINDS), ("dense", 0.0)])
@pytest.mark.parametrize("name", LEARNERS)
def test_passes_are_dense_steps(kind, lam, name):
    learner, steps = LEARNERS[name]
    item_sets, truths, options = make_problem(kind)
    learner = clone(learner).set_params(lam=lam, n_passes=2, **options)
    mean, last = (
        clone(learner).set_params(solver=SGD(0.3, average)).fit(item_sets, truths)
        for average in (True, False)
    )
    twins = twins_of(mean, item_sets, truths)
    descent, history = run_passes(twins, steps, np.zeros(len(mean.coef_)), 0.3, lam, 2)
    assert np.any(descent.coef)
    assert np.allclose(mean.coef_, descent.mean, rtol=1e-10, atol=1e-12)
    assert np.allclose(last.coef_, descent.coef, rtol=1e-10, atol=1e-12)
    for fitted in (mean, last):
        assert np.allclose([step.objective for step in fitted.history_], history, rtol=1e-10)


@pytest.mark.parametrize("kind", ["dense", "sparse", "stacked"])
@pytest.mark.parametrize("rate", [1e4, 1e6])
def test_weights_that_shrink_a_billionfold(kind, rate):
    """With η₀ λ of 1e8 and more, the scale factor of the weights soon becomes too small."""
    item_sets, truths, options = make_problem(kind)
    mean, last = (
        LatentLeftLinking(0.5, rate, 2, SGD(rate, average, start=1.0), **options).fit(
            item_sets, truths
        )
        for average in (True, False)
    )
    twins = twins_of(mean, item_sets, truths)
    start = np.random.default_rng(0).normal(size=len(mean.coef_))
    descent, _ = run_passes(twins, partial(left_link_steps, 0.5), start, rate, rate, 2)
    assert np.allclose(last.coef_, descent.coef, rtol=1e-8, atol=0.0)
    assert np.allclose(mean.coef_, descent.mean, rtol=1e-8, atol=0.0)


def test_one_step_by_hand():
    """w ← 0 − η (p − 1) φ, with p = exp(0)/(exp(0) + exp(1)) for the correct link."""
    item_set = ItemSet.from_pair_features([[2.0]], 2)
    solver = SGD(learning_rate=0.5, average=False)
    learner = LatentLeftLinking(1.0, 0.0, 1, solver).fit([item_set], [[0, 0]])
    # The gradient of the constant is half of that.
    assert learner.coef_ == pytest.approx([e / (1 + e), 0.5 * e / (1 + e)], rel=1e-14)
    # If the second item starts a cluster, the step is the opposite, for one wrong link.
    learner.fit([item_set], [[0, 1]])
    assert learner.coef_ == pytest.approx([-e / (1 + e), -0.5 * e / (1 + e)], rel=1e-14)


@pytest.mark.parametrize("gamma", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("lam", [0.0, 0.5])
def test_one_step_on_the_last_item(gamma, lam, rng):
    item_set = pair_set(np.asarray, LABELS[0], rng)
    solver = SGD(learning_rate=0.3, average=False, start=1.0)
    learner = LatentLeftLinking(gamma, lam, 1, solver, random_state=7)
    learner.partial_fit([item_set], [LABELS[0]], last=1)
    (twin,) = twins_of(learner, [item_set], [Partition(LABELS[0])])
    start = np.random.default_rng(7).normal(size=4)
    *_, item = items_of(twin)
    _, loss_gradient = plain_links.left_link_loss(item, start, gamma)
    eta = 0.3 / (1 + 0.3 * lam)
    assert np.allclose(learner.coef_, start - eta * (loss_gradient + lam * start), rtol=1e-12)


@pytest.mark.parametrize("name", LEARNERS)
def test_one_path_equals_several_fits(name):
    item_sets, truths, _ = make_problem("dense")
    learner, _ = LEARNERS[name]
    for count, fitted in zip(
        (3, 1, 2), learner.fit_path(item_sets, truths, [3, 1, 2]), strict=True
    ):
        single = clone(learner).set_params(n_passes=count).fit(item_sets, truths)
        assert fitted.n_passes == count
        assert np.array_equal(fitted.coef_, single.coef_)
        assert [s.objective for s in fitted.history_] == [s.objective for s in single.history_]


@pytest.mark.parametrize("name", LEARNERS)
def test_continuing_is_another_pass(name):
    item_sets, truths, _ = make_problem("dense")
    learner, _ = LEARNERS[name]
    at_once = clone(learner).set_params(n_passes=2).fit(item_sets, truths)
    continued = clone(learner).partial_fit(item_sets, truths).partial_fit(item_sets, truths)
    assert np.array_equal(at_once.coef_, continued.coef_)
