"""The approaches that the tables of SDC compare: how each is trained and scored."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression, SGDClassifier

from coterie.blocking import AllPairs
from coterie.clusterers import (
    CompleteLinkage,
    GraphCut,
    KMedoids,
    RepeatedBisection,
    SingleLinkage,
)
from coterie.features.differences import AsDistances
from coterie.features.given import GivenFeatures
from coterie.learners.classifiers.softmax import Softmax
from coterie.learners.classifiers.winnow import Winnow
from coterie.learners.discriminative.clustering import DiscriminativeClustering
from coterie.learners.discriminative.runs import best_threshold as best_distance_threshold
from coterie.learners.discriminative.updates import ExactUpdate, PaperUpdate
from coterie.learners.pairwise import PairwiseClustering
from coterie.metrics import pair_scores
from coterie.metrics.metric import Ratio, Scores, scores_from_ratios
from coterie.model import Model
from coterie.pairs import PairScores
from coterie.partition import Partition
from coterie.similarities import DistanceSimilarity
from coterie.toolkit import Bools, Clusterer, Floats
from coterie_papers.sdc.data import FEATURES, NameSet

# Labels of rows. Cells on disk contain them, so they must not change.
SOFT, SOFT_BEST = "SoftTFIDF classifier", "SoftTFIDF classifier, best on test"
OVER_SOFT = "Clustering over SoftTFIDF"
LMR_P, OVER_P = "LMR classifier (P)", "Clustering over LMR (P)"
LMR_W, OVER_W = "LMR classifier (W)", "Clustering over LMR (W)"
LMR_L, OVER_L = "LMR classifier (logistic)", "Clustering over LMR (logistic)"
UNIFORM = "Uniform weights"
SDC, BY_F1 = "SDC", "SDC, kept by F1"
EXACT, LITERAL, STARTS = "SDC, exact gradient", "SDC, literal", "SDC, kept by F1, 5 starts"
EQUAL = "SDC, kept by F1, from equal weights, α = 1"
WARM = "SDC, kept by F1, from LMR (logistic), α = 1"

SINGLE = SingleLinkage()
CLUSTERERS: Mapping[str, Clusterer] = {
    "Single linkage": SINGLE,
    "Complete linkage": CompleteLinkage(),
    "Graph cut": GraphCut(n_neighbors=5),
    "Repeated bisection": RepeatedBisection(),
    "k-medoids": KMedoids(),
}

CLASSIFIERS: Mapping[str, Any] = {
    # The mean of the weights of all steps is used: the last weights depend too much on the last
    # examples. Without a penalty, features that few pairs have get weights that mislead single
    # linkage.
    "P": SGDClassifier(
        loss="perceptron",
        alpha=1e-3,
        average=True,
        learning_rate="constant",
        eta0=1.0,
        max_iter=10,
        tol=None,
    ),
    # These rates are slower than those of SNoW, with which the classifier calls no pair together
    # in more of the sets.
    "W": Winnow(promotion=1.1, demotion=0.9, n_passes=20),
    "L": LogisticRegression(C=0.1, max_iter=1000),
}
LMR = {"P": (LMR_P, OVER_P), "W": (LMR_W, OVER_W), "L": (LMR_L, OVER_L)}
"""Two rows per classifier of pairs: the classifier alone, and clustering with its scores."""


class SDCVariant(NamedTuple):
    """A variant of SDC.

    `params` are the parameters that differ from the paper's. If `by_f1`, the iterate with the
    highest F1 on the training names is used, not the one with the lowest weighted error. If
    `warm_start`, training starts from the weights of logistic regression.
    """

    params: Mapping[str, Any]
    by_f1: bool = False
    warm_start: bool = False


VARIANTS: Mapping[str, SDCVariant] = {
    SDC: SDCVariant({}),
    BY_F1: SDCVariant({}, by_f1=True),
    EXACT: SDCVariant({"update": ExactUpdate()}),
    LITERAL: SDCVariant(
        {
            "update": PaperUpdate(literal=True, nonnegative=False),
            "featurizer": GivenFeatures(),
        }
    ),
    STARTS: SDCVariant({"n_init": 5}, by_f1=True),
    EQUAL: SDCVariant({"update": PaperUpdate(start=0.0), "learning_rate": 1.0}, by_f1=True),
    WARM: SDCVariant({"learning_rate": 1.0}, by_f1=True, warm_start=True),
}


# Training.


def distance_featurizer(name_set: NameSet) -> AsDistances:
    """Return the featurizer that turns the pair features of a set into distances.

    Columns after those of `NameFeatures` are similarities.
    """
    is_similarity = np.ones(name_set.features.shape[1], dtype=np.bool_)
    is_similarity[: len(FEATURES.distances)] = ~np.array(FEATURES.distances)
    return AsDistances(GivenFeatures(), is_similarity)


def uniform_model(
    name_set: NameSet, threshold: float | None = None, clusterer: Clusterer = SINGLE
) -> Model:
    """Return the model whose distance gives all features the same weight."""
    featurizer = distance_featurizer(name_set).fit([name_set.without_count])
    n_columns = name_set.features.shape[1]
    weights = np.full(n_columns, 1 / n_columns)
    return Model(AllPairs(), DistanceSimilarity(featurizer, weights, threshold), clusterer)


def pairwise_model(
    classifier: str, train: NameSet, seed: int, clusterer: Clusterer = SINGLE
) -> Model:
    """Train a pair classifier; its scores are the softmax of its outputs minus ½."""
    learner = PairwiseClustering(
        clusterer, Softmax(CLASSIFIERS[classifier]), featurizer=GivenFeatures(), random_state=seed
    )
    return learner.fit([train.without_count], [train.truth]).to_model()


def train_sdc(
    row: str,
    train: NameSet | Sequence[NameSet],
    seed: int,
    known_count: bool = True,
    **params: Any,
) -> DiscriminativeClustering:
    """Train the variant of SDC of a row, on one set or on several.

    `known_count` says whether the number of entities is known in training.
    """
    variant = VARIANTS[row]
    name_sets = [train] if isinstance(train, NameSet) else train
    learner = DiscriminativeClustering(
        random_state=seed, featurizer=distance_featurizer(name_sets[0])
    )
    learner.set_params(**{**variant.params, **params})
    item_sets = [
        name_set.with_count if known_count else name_set.without_count for name_set in name_sets
    ]
    metric = pair_scores if variant.by_f1 else None
    truths = [name_set.truth for name_set in name_sets]
    start = _logistic_weights(name_sets) if variant.warm_start else None
    return learner.fit(item_sets, truths, metric=metric, coef_init=start)


def _logistic_weights(name_sets: Sequence[NameSet]) -> Floats:
    """Return logistic regression's weights of the distances; a larger sum means further apart."""
    featurizer = distance_featurizer(name_sets[0])
    learner = PairwiseClustering(SINGLE, CLASSIFIERS["L"], featurizer=featurizer)
    learner.set_params(C=CLASSIFIERS["L"].C)
    learner.fit(
        [name_set.without_count for name_set in name_sets],
        [name_set.truth for name_set in name_sets],
    )
    similarity: Any = learner.similarity_
    weights: Floats = -similarity.coef
    # A small subset may have no two names of one entity. Then nothing is learned.
    return weights if weights.max(initial=0.0) > 0.0 else np.ones(len(weights))


def best_by_f1(learner: DiscriminativeClustering) -> Model:
    """Return the model of the iterate with the highest F1 on the training names.

    The result is that of training with this criterion, without the time to train again.
    """
    best = max(learner.history_, key=lambda iterate: iterate.f1)
    similarity: Any = learner.similarity_
    best_similarity = replace(similarity, coef=best.coef, threshold=best.threshold)
    return replace(learner.to_model(), similarity=best_similarity)


# Scoring.


def score_decisions(predicted: Bools, name_set: NameSet) -> Scores:
    """Score a decision per pair, True for together; the decisions need not be transitive."""
    n_hits = int(np.count_nonzero(predicted & name_set.together))
    n_predicted, n_true = (int(np.count_nonzero(flags)) for flags in (predicted, name_set.together))
    return scores_from_ratios(Ratio(n_hits, n_predicted), Ratio(n_hits, n_true))


def score_clusters(clusterer: Clusterer, scores: PairScores, name_set: NameSet) -> Scores:
    """Score the clusters that a clusterer returns."""
    return pair_scores(name_set.truth, clusterer(scores))


def shift_to_zero(scores: PairScores) -> PairScores:
    """Shift the scores so that the lowest is 0, as with distances.

    The result of repeated bisection depends on where 0 is.
    """
    return scores.plus(np.full(len(scores.scores), -scores.scores.min(initial=0.0)))


def best_threshold(scores: Floats, together: Bools) -> float:
    """Return the threshold with the highest F1, if pairs with scores above it are called together.

    The threshold is halfway between two scores, or below all. Of equally good ones, it is the
    highest.

    >>> best_threshold(np.array([0.9, 0.1, 0.8, 0.5]), np.array([True, False, False, True]))
    0.3
    """
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    # Equal scores are on the same side of a threshold: look at the last of each group.
    last = np.flatnonzero(np.append(ordered[1:] < ordered[:-1], True))
    n_hits = np.cumsum(together[order])[last]
    # F1 = 2 hits / (pairs called together + pairs truly together).
    best = int(np.argmax(2 * n_hits / (last + 1 + np.count_nonzero(together))))
    return _halfway_below(ordered[last], best)


def _halfway_below(descending: Floats, index: int) -> float:
    """Return the number halfway between a number and the next, or 1 below the last number."""
    number = float(descending[index])
    if index + 1 == len(descending):
        return number - 1.0
    return (number + float(descending[index + 1])) / 2


def score_tuned_linkage(
    train: PairScores, truth: Partition, test: PairScores, name_set: NameSet
) -> Scores:
    """Score single linkage of the test pairs with the threshold that is best on the training pairs.

    The threshold is chosen as SDC chooses its own.
    """
    choice = best_distance_threshold(
        [-train.scores], [truth], lambda limit: [_linkage_within(limit)(train)]
    )
    return score_clusters(_linkage_within(choice.threshold), test, name_set)


def _linkage_within(distance: float) -> SingleLinkage:
    """Return single linkage that joins pairs with a distance below a limit."""
    return replace(SINGLE, threshold=-distance)  # scores are negated distances
