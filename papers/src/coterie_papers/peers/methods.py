"""The learners that are set beside other tools: those of `coterie fit`, and those of the papers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from coterie.clusterers import AverageLinkage, Greedy, LeftLink, SpanningForest, SumLink
from coterie.clusterers.thresholds import subtract_threshold
from coterie.features.given import GivenFeatures, Scaled, WithConstant
from coterie.learners.auto.candidates import Candidate, Setup, Variant, size_bound
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
OF_TABLES = tuple(SLUGS)
"""The learners that `coterie fit` knows by these names."""

SCALED = Scaled(GivenFeatures())
CONSTANT = WithConstant(SCALED)

SVM_C = tuple(10**power for power in range(3, 9))
"""The range that `SVMCluster` names: tables differ in which end of it they need."""

FOREST_C = (0.001, 0.01)
"""Small, because the loss of a forest counts links, of which a table has many."""

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
"""The papers' learners, and what is tried of each."""

OWN: Mapping[type[Learner], Clusterer] = {
    SVMCluster: Greedy(),
    SumLinkLearner: SumLink(),
    BestLeftLinkLearner: LeftLink(0.0),
    SpanningForestLearner: SpanningForest(),
    DiscriminativeClustering: AverageLinkage(),
}
"""What predicts with each of them in its paper."""

METHODS = (*OF_TABLES, *VARIANTS)


class Tuned(NamedTuple):
    """A learner fitted to all training pairs, and the point at which it is to predict."""

    learner: Learner
    point: DecisionRule

    def predict(self, item_set: Any) -> Partition:
        """Partition an item set."""
        scores = self.learner.to_model().scores(item_set)
        return self.point.clusterer(subtract_threshold(scores, self.point.threshold))

    @property
    def words(self) -> str:
        """What was chosen."""
        learned: Any = self.learner
        numbers = {"C": getattr(learned, "C", None), "passes": getattr(learned, "n_passes", None)}
        told = [f"{name} = {value:g}" for name, value in numbers.items() if value is not None]
        return ", ".join([*told, *point_words(self.point.clusterer, self.point.threshold)])


def point_words(clusterer: Clusterer, threshold: float) -> list[str]:
    """Name what predicts, and the threshold where it is not 0."""
    return [type(clusterer).__name__, *([f"threshold {threshold:.3g}"] if threshold else [])]


@dataclass(frozen=True, eq=False)
class PaperSetup(Setup):
    """What may be chosen of the papers' learners."""

    def variants(self, candidate: Candidate) -> list[Variant]:
        """Return the unfitted learners of one name."""
        return VARIANTS[candidate.name]

    def clusterers(self, variant: Variant) -> list[Clusterer]:
        """Return that of the paper, and those that the learners of `coterie fit` choose from."""
        return list(dict.fromkeys([OWN[type(variant.learner)], *super().clusterers(variant)]))


def tuned(method: str, train: Examples) -> Tuned:
    """Choose settings, clusterer and threshold of a paper's learner on held-out entities; fit it.

    Both are done as `AutoLearner` does for its own candidates.
    """
    setup = PaperSetup(random_state=SEED, max_size=size_bound(train.truths))
    plan = plan_validation(train, as_entities(None, train.truths), N_PARTS, SEED)
    candidate = Candidate(method)
    search = CandidateSearch(setup, plan, [candidate], b_cubed)
    if plan.folds:
        search.run([candidate])
    point = search.rule(candidate)
    variant = setup.variants(candidate)[point.variant]
    (learner,) = setup.fits(variant, train, [point.length])
    return Tuned(learner, point)
