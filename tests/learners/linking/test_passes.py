"""Passes of stochastic gradient descent against dense steps in plain NumPy."""

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
from tests.learners.linking.plain_links import descended, items_of, plain

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
        listed = all_pairs(len(vectors)) if pairs is None else pairs
        left, right = vectors[listed[:, 0]], vectors[listed[:, 1]]
        few = np.where(np.abs(vectors) > 0.7, vectors, 0.0)
        links = listed[::2]
        scale = np.array([0.5, 3.0, 2.0, 0.1, 4.0])
        inner = stack([DenseFeatures(left - right), NodeProducts(vectors, pairs)])
        return stack(
            [
                ScaledFeatures(stack([inner, ConstantFeatures(len(listed))]), scale),
                SparseFeatures(sp.csr_array(left * few[listed[:, 1]])),
                ScaledFeatures(NodeProducts(sp.csr_array(few), pairs), scale[:2]),
                ConstantFeatures(len(listed)),
                DenseFeatures(np.abs(left - right)),
                NodeProducts(vectors[:, ::-1], pairs),
                LinkedNodeProducts(vectors, links, pairs),
                NodeProducts(sp.csr_array(few[:, ::-1]), pairs),
            ]
        )


def of_pairs(kind, labels, rng):
    matrix = rng.normal(size=(count_pairs(len(labels)), 3))
    matrix[:, 0] += Partition(labels).together()
    return ItemSet.from_pair_features(kind(matrix * (rng.random(matrix.shape) < 0.7)), len(labels))


def of_listed_pairs(labels, rng):
    pairs = rng.permutation(all_pairs(len(labels)))[: len(labels)]
    return ItemSet.from_pair_features(rng.normal(size=(len(pairs), 3)), len(labels), pairs)


def of_vectors(kind, labels, rng):
    vectors = rng.normal(size=(len(labels), 2))
    return ItemSet(kind(vectors * (rng.random(vectors.shape) < 0.8)))


def of_products(labels, rng):
    """Products in another order than that of their items: an operator of no known kind."""
    products = NodeProducts(rng.normal(size=(len(labels), 3)))
    return ItemSet.from_pair_features(products, len(labels)).reordered(rng.permutation(len(labels)))


KINDS = {
    "dense": (partial(of_pairs, np.asarray), {}),
    "sparse": (partial(of_pairs, sp.csr_array), {}),
    "listed": (of_listed_pairs, {}),
    "products": (partial(of_vectors, np.asarray), {}),
    "sparse products": (partial(of_vectors, sp.csr_array), {}),
    "blocked products": (partial(of_vectors, np.asarray), {"blocker": Window(2)}),
    "blocked sparse products": (partial(of_vectors, sp.csr_array), {"blocker": Window(2)}),
    "stacked": (partial(of_vectors, np.asarray), {"featurizer": Everything()}),
    "blocked stack": (
        partial(of_vectors, np.asarray),
        {"featurizer": Everything(), "blocker": Window(2)},
    ),
    "another operator": (of_products, {}),
}


def left_link_steps(gamma, given, item):
    yield partial(plain_links.left_link_loss, item, gamma=gamma)


def sum_link_steps(given, item):
    yield partial(plain_links.sum_link_loss, item, given.labels)


def closest_link_steps(teach_firsts, given, item):
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


def made(kind, seed=0):
    rng = np.random.default_rng(seed)
    make, options = KINDS[kind]
    return [make(labels, rng) for labels in LABELS], [Partition(y) for y in LABELS], options


def twins_of(learner, item_sets, truths):
    """The sets as the learner saw them, written out."""
    featurizer, blocker = learner.similarity_.featurizer, learner.blocker
    return [
        plain(item_set, truth, featurizer, None if blocker is None else blocker(item_set))
        for item_set, truth in zip(item_sets, truths, strict=True)
    ]


@pytest.mark.parametrize(("kind", "lam"), [*((kind, 0.05) for kind in KINDS), ("dense", 0.0)])
@pytest.mark.parametrize("name", LEARNERS)
def test_passes_are_dense_steps(kind, lam, name):
    learner, steps = LEARNERS[name]
    item_sets, truths, options = made(kind)
    learner = clone(learner).set_params(lam=lam, n_passes=2, **options)
    mean, last = (
        clone(learner).set_params(solver=SGD(0.3, average)).fit(item_sets, truths)
        for average in (True, False)
    )
    twins = twins_of(mean, item_sets, truths)
    descent, history = descended(twins, steps, np.zeros(len(mean.coef_)), 0.3, lam, 2)
    assert np.any(descent.coef)
    assert np.allclose(mean.coef_, descent.mean, rtol=1e-10, atol=1e-12)
    assert np.allclose(last.coef_, descent.coef, rtol=1e-10, atol=1e-12)
    for fitted in (mean, last):
        assert np.allclose([step.objective for step in fitted.history_], history, rtol=1e-10)


@pytest.mark.parametrize("kind", ["dense", "sparse", "stacked"])
@pytest.mark.parametrize("rate", [1e4, 1e6])
def test_weights_that_shrink_a_billionfold(kind, rate):
    """η₀ λ of 1e8 and more: what all weights are multiples of soon becomes too small a number."""
    item_sets, truths, options = made(kind)
    mean, last = (
        LatentLeftLinking(0.5, rate, 2, SGD(rate, average, start=1.0), **options).fit(
            item_sets, truths
        )
        for average in (True, False)
    )
    twins = twins_of(mean, item_sets, truths)
    start = np.random.default_rng(0).normal(size=len(mean.coef_))
    descent, _ = descended(twins, partial(left_link_steps, 0.5), start, rate, rate, 2)
    assert np.allclose(last.coef_, descent.coef, rtol=1e-8, atol=0.0)
    assert np.allclose(mean.coef_, descent.mean, rtol=1e-8, atol=0.0)


def test_one_step_by_hand():
    """w ← 0 − η (p − 1) φ, with p = exp(0)/(exp(0) + exp(1)) of the right link."""
    item_set = ItemSet.from_pair_features([[2.0]], 2)
    solver = SGD(learning_rate=0.5, average=False)
    learner = LatentLeftLinking(1.0, 0.0, 1, solver).fit([item_set], [[0, 0]])
    # The constant has half the slope.
    assert learner.coef_ == pytest.approx([e / (1 + e), 0.5 * e / (1 + e)], rel=1e-14)
    # A second item that starts a cluster is pushed away by the same, as one wrong link.
    learner.fit([item_set], [[0, 1]])
    assert learner.coef_ == pytest.approx([-e / (1 + e), -0.5 * e / (1 + e)], rel=1e-14)


@pytest.mark.parametrize("gamma", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("lam", [0.0, 0.5])
def test_one_step_on_the_last_item(gamma, lam, rng):
    item_set = of_pairs(np.asarray, LABELS[0], rng)
    solver = SGD(learning_rate=0.3, average=False, start=1.0)
    learner = LatentLeftLinking(gamma, lam, 1, solver, random_state=7)
    learner.partial_fit([item_set], [LABELS[0]], last=1)
    (twin,) = twins_of(learner, [item_set], [Partition(LABELS[0])])
    start = np.random.default_rng(7).normal(size=4)
    *_, item = items_of(twin)
    _, slope = plain_links.left_link_loss(item, start, gamma)
    eta = 0.3 / (1 + 0.3 * lam)
    assert np.allclose(learner.coef_, start - eta * (slope + lam * start), rtol=1e-12)


@pytest.mark.parametrize("name", LEARNERS)
def test_one_path_is_as_many_fits(name):
    item_sets, truths, _ = made("dense")
    learner, _ = LEARNERS[name]
    for count, along in zip((3, 1, 2), learner.fit_path(item_sets, truths, [3, 1, 2]), strict=True):
        alone = clone(learner).set_params(n_passes=count).fit(item_sets, truths)
        assert along.n_passes == count
        assert np.array_equal(along.coef_, alone.coef_)
        assert [s.objective for s in along.history_] == [s.objective for s in alone.history_]


@pytest.mark.parametrize("name", LEARNERS)
def test_going_on_is_another_pass(name):
    item_sets, truths, _ = made("dense")
    learner, _ = LEARNERS[name]
    whole = clone(learner).set_params(n_passes=2).fit(item_sets, truths)
    parts = clone(learner).partial_fit(item_sets, truths).partial_fit(item_sets, truths)
    assert np.array_equal(whole.coef_, parts.coef_)
