"""The learners and settings that the automatic choice tries of each family."""

from dataclasses import replace

from coterie.clusterers import AverageLinkage
from coterie.features.given import Scaled, WithConstant
from coterie.learners.auto.candidates import Setup, Variant
from coterie.learners.boosting.risks import CorrelationRisk, LeftLinkRisk, LogisticRisk
from coterie.learners.boosting.structured import StructuredBoosting
from coterie.learners.boosting.trees import default_trees
from coterie.learners.linking.cccp import CCCP
from coterie.learners.linking.left_linking import LatentLeftLinking
from coterie.learners.linking.spanning_forest import SpanningForestLearner
from coterie.learners.pairwise import scaled_logistic

LOGISTIC_C = (1.0, 0.1, 0.01)
"""Weights of the loss of logistic regression; the first is the default."""

GAMMAS = (0.2, 1.0)
"""Temperatures of latent left-linking."""

BOOSTING_GAMMA = 0.5
"""Temperature of boosted left-linking."""

PASSES = (5, 20)
"""Numbers of passes of latent left-linking; the first is the default."""

ROUNDS = (100, 50, 200)
"""Numbers of rounds of boosting; the first is the default."""

FOREST_C = (0.001, 0.01)
"""Weights of the loss of spanning forests: small, as it counts links, and a table has many."""

FEW_STEPS = CCCP(tol=0.01, max_iter=10, inner_max_iter=30)
"""The solver of spanning forests; ending early hardly changes its result."""

FAST_LEARNING_RATE = 0.2
"""Learning rate of boosted left-linking, which overfits late because few of its pairs compete."""


def logistic(setup: Setup) -> list[Variant]:
    """Return logistic regression of pairs, for several penalties."""
    params = {"clusterer": AverageLinkage(), **setup.shared_params}
    return [Variant(scaled_logistic(setup.base, C=C, **params)) for C in LOGISTIC_C]


def forest(setup: Setup) -> list[Variant]:
    """Return spanning forests for two weights of the loss."""
    featurizer = WithConstant(Scaled(setup.base))
    return [
        Variant(SpanningForestLearner(C, FEW_STEPS, featurizer=featurizer, **setup.shared_params))
        for C in FOREST_C
    ]


def left_linking(setup: Setup) -> list[Variant]:
    """Return latent left-linking at two temperatures, with scaled and with unscaled features."""
    # Dividing by standard deviations makes rare binary features large, which costs 2.5 points of
    # CoNLL on GUM; but features of other kinds may need it.
    scaled, unscaled = WithConstant(Scaled(setup.base)), WithConstant(setup.base)
    return [
        Variant(
            LatentLeftLinking(gamma, featurizer=featurizer, **setup.shared_params), PASSES, gamma
        )
        for gamma in GAMMAS
        for featurizer in (scaled, unscaled)
    ]


def boosted_pairs(setup: Setup) -> list[Variant]:
    """Return boosted trees of pairs."""
    learner = StructuredBoosting(LogisticRisk(), featurizer=setup.featurizer, **setup.shared_params)
    return [Variant(learner, ROUNDS)]


def structured(setup: Setup) -> list[Variant]:
    """Return boosted left-linking for ordered items, else boosted correlation clustering."""
    params = {"featurizer": setup.featurizer, **setup.shared_params}
    if not setup.ordered:
        return [Variant(StructuredBoosting(CorrelationRisk(), **params), ROUNDS)]
    trees = replace(default_trees(), learning_rate=FAST_LEARNING_RATE)
    learner = StructuredBoosting(LeftLinkRisk(BOOSTING_GAMMA), trees, **params)
    return [Variant(learner, ROUNDS, BOOSTING_GAMMA)]
