"""What is tried of each family of learners of the automatic choice."""

from dataclasses import replace

from coterie.clusterers import AverageLinkage
from coterie.features.given import Scaled, WithConstant
from coterie.learners.auto.candidates import Setup, Variant
from coterie.learners.boosting.risks import CorrelationRisk, LeftLinkRisk, LogisticRisk
from coterie.learners.boosting.structured import StructuredBoosting
from coterie.learners.boosting.trees import default_trees
from coterie.learners.linking.left_linking import LatentLeftLinking
from coterie.learners.pairwise import scaled_logistic

GAMMAS, GAMMA = (0.2, 1.0), 0.5
"""The temperatures of latent left-linking, and that of boosted left-linking."""

PASSES = (5, 20)
ROUNDS = (100, 50, 200)
"""For how many passes or rounds a learner is looked at; the first is the default."""

FAST = 0.2
"""The learning rate of boosted left-linking: few of its pairs compete, and it overfits late."""


def logistic(setup: Setup) -> list[Variant]:
    """Return logistic regression of pairs."""
    return [Variant(scaled_logistic(setup.base, clusterer=AverageLinkage(), **setup.shared))]


def left_linking(setup: Setup) -> list[Variant]:
    """Return latent left-linking at two temperatures, of scaled features and of plain ones."""
    # Division by deviations makes rare binary features large, which costs 2.5 CoNLL on GUM; but
    # features of other kinds may need it.
    scaled, given = WithConstant(Scaled(setup.base)), WithConstant(setup.base)
    return [
        Variant(LatentLeftLinking(gamma, featurizer=columns, **setup.shared), PASSES, gamma)
        for gamma in GAMMAS
        for columns in (scaled, given)
    ]


def boosted_pairs(setup: Setup) -> list[Variant]:
    """Return boosted trees of pairs."""
    learner = StructuredBoosting(LogisticRisk(), featurizer=setup.featurizer, **setup.shared)
    return [Variant(learner, ROUNDS)]


def structured(setup: Setup) -> list[Variant]:
    """Return boosting of left links where all item sets are ordered, else of correlations."""
    own = {"featurizer": setup.featurizer, **setup.shared}
    if not setup.ordered:
        return [Variant(StructuredBoosting(CorrelationRisk(), **own), ROUNDS)]
    trees = replace(default_trees(), learning_rate=FAST)
    return [Variant(StructuredBoosting(LeftLinkRisk(GAMMA), trees, **own), ROUNDS, GAMMA)]
