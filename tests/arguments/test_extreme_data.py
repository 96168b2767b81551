"""Extreme item sets: every learner ends with a result or a CoterieError, after bounded work."""

import warnings
from functools import partial
from inspect import isclass

import numpy as np
import pytest

from coterie import ItemSet, calibrate, tune
from coterie.learners import (
    CCCP,
    PAV,
    CorrelationRisk,
    DiscriminativeClustering,
    ExactUpdate,
    FrankWolfe,
    HistogramTrees,
    LatentLeftLinking,
    NSlack,
    PairwiseClustering,
    StructuredBoosting,
    SVMCluster,
    Untrained,
    WithContext,
)
from coterie.learners.base import Learner
from tests.arguments.members import MEMBERS
from tests.fuzz.cases import is_refused

VECTORS = np.array([[1.0, 0.1], [0.9, -0.1], [-1.0, 0.2], [-0.8, 0.0], [0.7, 0.3], [-1.2, 0.1]])
LABELS = [0, 0, 1, 1, 0, 1]
EXTREMES = [1e50, 1e51, 1e100, 1e154, 1e300, 1e308, -1e308, 1e-300, np.nan, np.inf, -np.inf]

LEARNERS = {
    name: make(**arguments)
    for name, (make, arguments, _) in MEMBERS.items()
    if isclass(make) and issubclass(make, Learner)
} | {
    "SVMCluster, FrankWolfe": SVMCluster(solver=FrankWolfe(max_iter=50)),
    "SVMCluster, NSlack": SVMCluster(solver=NSlack()),
    "LatentLeftLinking, CCCP": LatentLeftLinking(0.5, 1e-2, solver=CCCP()),
    "WithContext, LatentLeftLinking": WithContext(LatentLeftLinking(), n_folds=2),
    "StructuredBoosting, CorrelationRisk": StructuredBoosting(
        CorrelationRisk(), HistogramTrees(min_pairs=1), n_rounds=3
    ),
    "DiscriminativeClustering, ExactUpdate": DiscriminativeClustering(update=ExactUpdate()),
}


def use(learner, sets, truths):
    learner.fit(sets, truths)
    learner.score(sets, truths)
    learner.to_model().predict(sets)


USES = {name: partial(use, learner) for name, learner in LEARNERS.items()} | {
    "calibrate": partial(calibrate, Untrained(), n_folds=2),
    "calibrate, PAV": partial(calibrate, PairwiseClustering(), method=PAV(), n_folds=2),
    "tune": partial(tune, PairwiseClustering(), grid={"C": [0.1, 1.0]}, n_folds=2),
}


def numbers_of(value):
    """Yield vectors with a number in one place, in a column, and as the scale of all."""
    for place in ((2, 1), (slice(None), 1)):
        vectors = VECTORS.copy()
        vectors[place] = value
        yield [vectors, VECTORS], [LABELS, LABELS]
    with np.errstate(all="ignore"):
        yield [VECTORS * value] * 2, [LABELS] * 2
    features = np.random.default_rng(0).normal(size=(6, 3))
    if np.isfinite(value):
        features[2, 1] = value
        pairs = ItemSet.from_pair_features(features, 4, n_clusters=2)
        yield [pairs, pairs], [[0, 0, 1, 1]] * 2


def degenerate():
    """Yield item sets of few items, columns or classes."""
    empty = np.zeros((0, 2))
    yield [VECTORS * 0] * 2, [LABELS] * 2
    yield [VECTORS[:1]] * 2, [[0]] * 2
    yield [empty, empty], [[], []]
    yield [empty, VECTORS], [[], LABELS]
    yield [], []
    yield [np.zeros((4, 0))] * 2, [[0, 0, 1, 1]] * 2
    yield [VECTORS] * 2, [[0] * 6] * 2
    yield [VECTORS] * 2, [range(6)] * 2
    yield [VECTORS], [LABELS]


def with_n_clusters(items):
    """Return items as an item set, with two clusters if it has two items."""
    # A matrix with a number that is not finite is refused here as it is in `fit`.
    return (
        items
        if isinstance(items, ItemSet)
        else ItemSet(items, n_clusters=min(2, len(items)) or None)
    )


def check(name, cases):
    for sets, truths in cases:

        def call(sets=sets, truths=truths):
            USES[name]([with_n_clusters(items) for items in sets], truths)

        with warnings.catch_warnings():
            # Users see warnings of numbers that overflow; only errors would end their work.
            warnings.simplefilter("ignore")
            is_refused(call)


every_use = pytest.mark.parametrize("name", USES)


@every_use
def test_ordinary_data_is_accepted(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        USES[name]([with_n_clusters(VECTORS)] * 2, [LABELS] * 2)


@every_use
def test_degenerate_data(name):
    check(name, degenerate())


@every_use
@pytest.mark.parametrize("value", [1e100, 1e-300, np.nan])
def test_extreme_numbers(name, value):
    check(name, numbers_of(value))


@pytest.mark.slow
@every_use
def test_all_extreme_numbers(name):
    for value in EXTREMES:
        check(name, numbers_of(value))
