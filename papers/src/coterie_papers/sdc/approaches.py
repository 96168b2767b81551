"""The approaches that the tables of SDC compare, and how each is scored."""

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
from coterie.learners.discriminative.runs import best_threshold as best_stop
from coterie.learners.discriminative.updates import ExactUpdate, PaperUpdate
from coterie.learners.pairwise import PairwiseClustering
from coterie.metrics import pair_scores
from coterie.metrics.metric import Ratio, Scores, scores_from_ratios
from coterie.model import Model
from coterie.pairs import PairScores
from coterie.partition import Partition
from coterie.similarities import DistanceSimilarity
from coterie.toolkit import Bools, Clusterer, Floats
from coterie_papers.sdc.data import FEATURES, Names

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
    # The mean of all weights: the last ones depend too much on the last examples. Without a
    # penalty, features of few pairs get weights that lead single linkage astray.
    "P": SGDClassifier(
        loss="perceptron",
        alpha=1e-3,
        average=True,
        learning_rate="constant",
        eta0=1.0,
        max_iter=10,
        tol=None,
    ),
    # Slower than by SNoW's rates, with which more sets are left without any pair together.
    "W": Winnow(promotion=1.1, demotion=0.9, n_passes=20),
    "L": LogisticRegression(C=0.1, max_iter=1000),
}
LMR = {"P": (LMR_P, OVER_P), "W": (LMR_W, OVER_W), "L": (LMR_L, OVER_L)}
"""The classifiers of pairs by their rows: alone, and under clustering."""


class Variant(NamedTuple):
    """Parameters of SDC that differ from the paper's, and how it is fitted.

    F1 may say which iterate is kept, and the weights of a pair classifier where to start.
    """

    params: Mapping[str, Any]
    by_f1: bool = False
    warm: bool = False


VARIANTS: Mapping[str, Variant] = {
    SDC: Variant({}),
    BY_F1: Variant({}, by_f1=True),
    EXACT: Variant({"update": ExactUpdate()}),
    LITERAL: Variant(
        {
            "update": PaperUpdate(literal=True, nonnegative=False),
            "featurizer": GivenFeatures(),
        }
    ),
    STARTS: Variant({"n_init": 5}, by_f1=True),
    EQUAL: Variant({"update": PaperUpdate(start=0.0), "learning_rate": 1.0}, by_f1=True),
    WARM: Variant({"learning_rate": 1.0}, by_f1=True, warm=True),
}


# Learning.


def distances(names: Names) -> AsDistances:
    """Return what takes the given features of pairs of names as distances.

    Columns beyond those of `NameFeatures` are similarities.
    """
    similar = np.ones(names.features.shape[1], dtype=np.bool_)
    similar[: len(FEATURES.distances)] = ~np.array(FEATURES.distances)
    return AsDistances(GivenFeatures(), similar)


def uniform(names: Names, threshold: float | None = None, clusterer: Clusterer = SINGLE) -> Model:
    """Return the model whose distance weighs all features alike."""
    featurizer = distances(names).fit([names.uncounted])
    weights = np.full(names.features.shape[1], 1 / names.features.shape[1])
    return Model(AllPairs(), DistanceSimilarity(featurizer, weights, threshold), clusterer)


def pairwise(classifier: str, train: Names, seed: int, clusterer: Clusterer = SINGLE) -> Model:
    """Train a pair classifier, whose scores are its softmax less ½."""
    learner = PairwiseClustering(
        clusterer, Softmax(CLASSIFIERS[classifier]), featurizer=GivenFeatures(), random_state=seed
    )
    return learner.fit([train.uncounted], [train.truth]).to_model()


def sdc(
    row: str, train: Names | Sequence[Names], seed: int, known: bool = True, **params: Any
) -> DiscriminativeClustering:
    """Train SDC as a row says, on one set or several, with the number of entities or without."""
    variant = VARIANTS[row]
    sets = [train] if isinstance(train, Names) else train
    learner = DiscriminativeClustering(random_state=seed, featurizer=distances(sets[0]))
    learner.set_params(**{**variant.params, **params})
    item_sets = [names.counted if known else names.uncounted for names in sets]
    metric = pair_scores if variant.by_f1 else None
    truths = [names.truth for names in sets]
    start = _logistic_weights(sets) if variant.warm else None
    return learner.fit(item_sets, truths, metric=metric, coef_init=start)


def _logistic_weights(sets: Sequence[Names]) -> Floats:
    """Return what logistic regression of the distances says of them: more is further apart."""
    learner = PairwiseClustering(SINGLE, CLASSIFIERS["L"], featurizer=distances(sets[0]))
    learner.set_params(C=CLASSIFIERS["L"].C)
    learner.fit([names.uncounted for names in sets], [names.truth for names in sets])
    similarity: Any = learner.similarity_
    weights: Floats = -similarity.coef
    # Of names without a pair together, as a small part may be, nothing is learned.
    return weights if weights.max(initial=0.0) > 0.0 else np.ones(len(weights))


def kept_by_f1(learner: DiscriminativeClustering) -> Model:
    """Return the model that F1 on the training names would have kept: to train twice takes long."""
    best = max(learner.history_, key=lambda iterate: iterate.f1)
    similarity: Any = learner.similarity_
    kept = replace(similarity, coef=best.coef, threshold=best.threshold)
    return replace(learner.to_model(), similarity=kept)


# Scoring.


def raw(together: Bools, names: Names) -> Scores:
    """Score pairs that were called together one by one, transitive or not."""
    hits = int(np.count_nonzero(together & names.together))
    found, true = (int(np.count_nonzero(each)) for each in (together, names.together))
    return scores_from_ratios(Ratio(hits, found), Ratio(hits, true))


def clustered(clusterer: Clusterer, scores: PairScores, names: Names) -> Scores:
    """Score the clusters that a clusterer makes."""
    return pair_scores(names.truth, clusterer(scores))


def above_lowest(scores: PairScores) -> PairScores:
    """Make the lowest score 0, as distances have it: repeated bisection asks where 0 is."""
    return scores.plus(np.full(len(scores.scores), -scores.scores.min(initial=0.0)))


def best_threshold(scores: Floats, together: Bools) -> float:
    """Return the threshold above which calling pairs together has the highest F1.

    It is halfway between two scores, or below all; the highest among equals.

    >>> best_threshold(np.array([0.9, 0.1, 0.8, 0.5]), np.array([True, False, False, True]))
    0.3
    """
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    last = np.flatnonzero(np.append(ordered[1:] < ordered[:-1], True))
    hits = np.cumsum(together[order])[last]
    best = int(np.argmax(2 * hits / (last + 1 + np.count_nonzero(together))))
    return _below(ordered[last], best)


def _below(descending: Floats, at: int) -> float:
    """Return the number halfway between one and the next, or 1 below the last."""
    own = float(descending[at])
    return (own + float(descending[at + 1])) / 2 if at + 1 < len(descending) else own - 1.0


def cut(train: PairScores, truth: Partition, test: PairScores, names: Names) -> Scores:
    """Score single linkage of test pairs at the threshold that is best on the training pairs.

    The threshold is found as SDC finds its own.
    """
    stop = best_stop([-train.scores], [truth], lambda at: [_within(at)(train)])
    return clustered(_within(stop.threshold), test, names)


def _within(distance: float) -> SingleLinkage:
    """Return the clusterer that joins what scores more than minus a distance."""
    return replace(SINGLE, threshold=-distance)
