"""The learners to compare with other tools: those of `coterie fit`, and those of the papers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from coterie.clusterers import AverageLinkage, Greedy, LeftLink, SpanningForest, SumLink
from coterie.clusterers.thresholds import subtract_threshold
from coterie.features.given import GivenFeatures, Scaled, WithConstant
from coterie.learners.auto.candidates import Candidate, Setup, SizeLimit, Variant
from coterie.learners.auto.entities import as_entities
from coterie.learners.auto.families import SLUGS
from coterie.learners.auto.plan import plan_validation
from coterie.learners.auto.search import CandidateSearch, DecisionRule
from coterie.learners.base import Examples, Learner
from coterie.learners.discriminative.clustering import DiscriminativeClustering
from coterie.learners.linking.best_left_link import BestLeftLinkLearner
from coterie.learners.linking.cccp import CCCP
from coterie.learners.linking.spanning_forest import SpanningForestLearner
from coterie.learners.linking.sum_link import SumLinkLearner
from coterie.learners.structural.recipes import SVMCluster
from coterie.metrics import b_cubed
from coterie.partition import Partition
from coterie.toolkit import Clusterer

LOGISTIC = "logistic"
TABLE_LEARNERS = tuple(slug for slug in SLUGS if slug != "forest")
"""The learners of `coterie fit`, by their names there; spanning forests are among `VARIANTS`."""

SCALED = Scaled(GivenFeatures())
CONSTANT = WithConstant(SCALED)

SVM_C = tuple(10**power for power in range(3, 9))
"""The range that `SVMCluster` recommends; which end of it is best depends on the table."""

FOREST_C = (0.001, 0.01)
"""Small values, because the loss of a forest counts links, and a table has many of them."""

FEW_STEPS = CCCP(tol=0.01, max_iter=10, inner_max_iter=30)
PASSES = (5, 20)
N_PARTS, SEED = 5, 0

VARIANTS: Mapping[str, list[Variant]] = {
    "SVMCluster": [Variant(SVMCluster(featurizer=CONSTANT), SVM_C)],
    "SumLinkLearner": [Variant(SumLinkLearner(featurizer=CONSTANT), PASSES)],
    "BestLeftLinkLearner": [
        Variant(BestLeftLinkLearner(teach_firsts=True, featurizer=CONSTANT), PASSES)
    ],
    "SpanningForestLearner": [
        Variant(SpanningForestLearner(C, FEW_STEPS, featurizer=CONSTANT)) for C in FOREST_C
    ],
    "DiscriminativeClustering": [
        Variant(DiscriminativeClustering(AverageLinkage(), featurizer=SCALED))
    ],
}
"""The learners of the papers, and the variants of each to choose from."""

PAPER_CLUSTERERS: Mapping[type[Learner], Clusterer] = {
    SVMCluster: Greedy(),
    SumLinkLearner: SumLink(),
    BestLeftLinkLearner: LeftLink(0.0),
    SpanningForestLearner: SpanningForest(),
    DiscriminativeClustering: AverageLinkage(),
}
"""The clusterer that each of these learners has in its paper."""

METHODS = (*TABLE_LEARNERS, *VARIANTS)


class TunedLearner(NamedTuple):
    """A learner that was fitted to all training pairs, and its chosen clusterer and threshold."""

    learner: Learner
    rule: DecisionRule

    def predict(self, item_set: Any) -> Partition:
        """Partition an item set."""
        scores = self.learner.to_model().scores(item_set)
        return self.rule.clusterer(subtract_threshold(scores, self.rule.threshold))

    @property
    def text(self) -> str:
        """The chosen settings, clusterer and threshold."""
        learner: Any = self.learner
        settings = {"C": getattr(learner, "C", None), "passes": getattr(learner, "n_passes", None)}
        texts = [f"{name} = {value:g}" for name, value in settings.items() if value is not None]
        return ", ".join([*texts, *decoding_texts(self.rule.clusterer, self.rule.threshold)])


def decoding_texts(clusterer: Clusterer, threshold: float) -> list[str]:
    """Return the name of a clusterer, and the threshold if it is not 0."""
    return [type(clusterer).__name__, *([f"threshold {threshold:.3g}"] if threshold else [])]


@dataclass(frozen=True, eq=False)
class PaperSetup(Setup):
    """The variants and clusterers of the learners of the papers."""

    def variants(self, candidate: Candidate) -> list[Variant]:
        """Return the unfitted learners of one name."""
        return VARIANTS[candidate.name]

    def clusterers(self, variant: Variant) -> list[Clusterer]:
        """Return the clusterer of the paper, and those of the learners of `coterie fit`."""
        paper_clusterer = PAPER_CLUSTERERS[type(variant.learner)]
        return list(dict.fromkeys([paper_clusterer, *super().clusterers(variant)]))


def tune(method: str, train: Examples) -> TunedLearner:
    """Choose settings, clusterer and threshold on held-out entities; fit the learner to all.

    The choice is made as `AutoLearner` makes it for each of its candidates.
    """
    setup = PaperSetup(random_state=SEED, limit=SizeLimit.of(train.truths))
    plan = plan_validation(train, as_entities(None, train.truths), N_PARTS, SEED)
    candidate = Candidate(method)
    search = CandidateSearch(setup, plan, [candidate], b_cubed)
    if plan.folds:
        search.run([candidate])
    rule = search.rule(candidate)
    variant = setup.variants(candidate)[rule.variant]
    (learner,) = setup.fits(variant, train, [rule.length])
    return TunedLearner(learner, rule)
