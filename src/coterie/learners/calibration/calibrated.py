"""The calibration of a learner, by its scores on item sets that it was not fitted to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from coterie._core.arrays import Bools, Floats, Ints
from coterie._core.progress import report, uninterrupted
from coterie._types import Clusterer
from coterie.calibrations import ClusterCalibration, Logistic, cluster_evidence
from coterie.exceptions import InputError, ItemSetError, located
from coterie.learners.base import Examples, Learner, as_examples
from coterie.learners.calibration.curve_fits import CurveFit, Platt
from coterie.learners.calibration.reliability import Reliabilities, Reliability
from coterie.learners.parts import complement, random_folds, subset_examples
from coterie.model import Model
from coterie.pairs import PairScores
from coterie.partition import Partition, PartitionLike

PLATT = Platt()


@dataclass(frozen=True, eq=False, repr=False)
class Calibrated:
    """The result of `calibrate`: a fitted learner, its calibrated model and their reliability.

    Parameters
    ----------
    learner
        The learner, fitted to all item sets.
    model
        The model of the learner, with its `ClusterCalibration`.
    reliability
        Comparison of probabilities and truth for pairs, clusters and singletons. The probabilities
        of each held-out set are from curves that were fitted to the other folds.
    """

    learner: Learner
    model: Model
    reliability: Reliabilities

    def __repr__(self) -> str:
        tables = self.reliability._asdict().items()
        errors = (f"{name} {table.calibration_error:.2g}" for name, table in tables)
        return f"Calibrated({self.learner!r}; calibration errors: {', '.join(errors)})"


def calibrate(
    learner: Learner,
    item_sets: Iterable[Any],
    partitions: Iterable[PartitionLike],
    *,
    method: CurveFit = PLATT,
    n_folds: int = 5,
    random_state: int = 0,
) -> Calibrated:
    """Fit a learner, and learn from held-out item sets to turn its scores into probabilities.

    Each item set is scored and clustered by a learner that was fitted without it. Curves are fitted
    to the results: one maps the score of a pair to the probability that it is together, and others
    map the evidence for a cluster to the share of its pairs that are together, where all clusters
    have the same weight (see `ClusterCalibration`). Then the learner is fitted to all item sets.

    Parameters
    ----------
    learner
        The learner; it is not changed.
    item_sets, partitions
        As in the learner's `fit`, with at least two item sets.
    method
        The method that fits the curves: `Platt`, whose curves have two parameters, or `PAV`, whose
        curves can have any rising shape and need more data.
    n_folds
        The number of folds into which the item sets are divided at random. If it is at least the
        number of item sets, each fold is one item set.
    random_state
        The seed of the random division into folds.

    Examples
    --------
    >>> from coterie.datasets import make_item_sets
    >>> from coterie.features import AbsoluteDifferences
    >>> from coterie.learners.pairwise import PairwiseClustering
    >>> sets, truths = make_item_sets(n_sets=21, separation=3.0)
    >>> learner = PairwiseClustering(featurizer=AbsoluteDifferences())
    >>> calibrated = calibrate(learner, sets[:20], truths[:20])
    >>> calibrated.reliability.pairs.calibration_error < 0.03
    True
    >>> confidences = calibrated.model.confidences(sets[20])
    >>> confidences.clusters.shape == (confidences.partition.n_clusters,)
    True
    >>> calibrated.model.abstain(sets[20], precision=0.9).labels.shape
    (30,)
    """
    examples = as_examples(item_sets, partitions)
    _check_arguments(learner, method, len(examples.truths))
    folds = random_folds(len(examples.truths), n_folds, random_state)
    results = []
    for n_done, fold in enumerate(folds, 1):
        results.append(_predict_fold(learner, examples, fold))
        report("calibrate", n_done, len(folds))
    reliability = _measure_reliability(results, method)
    calibration = _fit_curves([prediction for fold in results for prediction in fold], method)
    with uninterrupted():
        fitted = clone(learner).fit(*examples)
    return Calibrated(fitted, replace(fitted.to_model(), calibration=calibration), reliability)


def fit_calibration(
    held_out: Sequence[tuple[PairScores, Partition]],
    clusterer: Clusterer,
    method: CurveFit = PLATT,
) -> ClusterCalibration:
    """Learn a calibration from scores of held-out item sets and their correct partitions.

    If `held_out` is empty, scores and evidence count as log-odds.

    Parameters
    ----------
    held_out
        The scores and the correct partition of each item set.
    clusterer
        The clusterer of the learner's predictions.
    method
        The method that fits the curves; see `calibrate`.

    Examples
    --------
    >>> from coterie.clusterers import Greedy
    >>> scores = PairScores(4, None, [2.0, -1.0, 1.0, -2.0, 1.0, -2.0])
    >>> fit_calibration([(scores, Partition([0, 0, 1, 1]))], Greedy())([2.0, -2.0]).round(1)
    array([0.4, 0.3])
    """
    predictions = [
        _HeldOutPrediction.of(scores, clusterer(scores), truth) for scores, truth in held_out
    ]
    if not predictions:
        return ClusterCalibration(Logistic(), Logistic(), Logistic())
    return _fit_curves(predictions, method)


@dataclass(frozen=True, eq=False)
class _HeldOutPrediction:
    """The scores and the predicted partition of a held-out item set, compared with the truth.

    `together` is True for the scored pairs that are together. `shares` are the `true_shares` of the
    predicted clusters.
    """

    scores: PairScores
    predicted: Partition
    together: Bools
    shares: Floats

    @classmethod
    def of(cls, scores: PairScores, predicted: Partition, truth: Partition) -> Self:
        """Compare a prediction with the truth."""
        together = truth.together(scores.listed)
        return cls(scores, predicted, together, true_shares(truth, predicted))


def _predict_fold(learner: Learner, examples: Examples, fold: Ints) -> list[_HeldOutPrediction]:
    """Fit to all item sets except those of a fold, and predict those of the fold."""
    training = complement(len(examples.truths), fold)
    # BLAS rounds differently with several threads.
    with threadpool_limits(1, "blas"), located(f"item sets {fold.tolist()} held out"):
        with uninterrupted():
            model = clone(learner).fit(*subset_examples(examples, training)).to_model()
        predictions = []
        for item_set, truth in zip(*subset_examples(examples, fold), strict=True):
            scores = model.scores(item_set)
            predictions.append(_HeldOutPrediction.of(scores, model.clusterer(scores), truth))
    return predictions


def true_shares(truth: Partition, predicted: Partition) -> Floats:
    """Return for each predicted cluster the share of its pairs that are together in the truth.

    A cluster of one item gets 1 if the item is alone in the truth, else 0.

    >>> true_shares(Partition([0, 0, 1, 1]), Partition([0, 0, 0, 1]))
    array([0.33333333, 0.        ])
    """
    # A cell of the contingency table has the items of one predicted and one true cluster.
    cell_of_item = predicted.labels * max(truth.n_clusters, 1) + truth.labels
    cells, counts = np.unique(cell_of_item, return_counts=True)
    predicted_clusters = cells // max(truth.n_clusters, 1)
    pairs = np.bincount(predicted_clusters, counts * (counts - 1.0), predicted.n_clusters)
    sizes = predicted.sizes
    shares = pairs / np.maximum(sizes * (sizes - 1.0), 1.0)
    alone = np.zeros(predicted.n_clusters)
    alone[predicted.labels] = truth.sizes[truth.labels] == 1
    return np.where(sizes == 1, alone, shares)


def _fit_curves(predictions: Sequence[_HeldOutPrediction], method: CurveFit) -> ClusterCalibration:
    """Fit the curve of pairs, and then the curves of clusters, whose evidence depends on it."""
    curve = method.fit(
        _concatenate([prediction.scores.scores for prediction in predictions]),
        _concatenate([prediction.together for prediction in predictions]),
    )
    evidence = _concatenate(
        [
            cluster_evidence(
                prediction.scores, prediction.predicted, curve(prediction.scores.scores)
            )
            for prediction in predictions
        ]
    )
    shares = _concatenate([prediction.shares for prediction in predictions])
    is_single = np.concatenate([prediction.predicted.sizes for prediction in predictions]) == 1
    clusters = method.fit(evidence[~is_single], shares[~is_single])
    singletons = method.fit(evidence[is_single], shares[is_single])
    return ClusterCalibration(curve, clusters, singletons)


def _measure_reliability(
    folds: Sequence[Sequence[_HeldOutPrediction]], method: CurveFit
) -> Reliabilities:
    """Compare the truth of each fold with probabilities by the curves of the other folds."""
    probabilities: list[tuple[Floats, ...]] = []
    truths: list[tuple[Floats, ...]] = []
    for index, fold in enumerate(folds):
        training_folds = (*folds[:index], *folds[index + 1 :])
        calibration = _fit_curves(
            [prediction for other in training_folds for prediction in other], method
        )
        for prediction in fold:
            scores, predicted = prediction.scores, prediction.predicted
            confidences = calibration.confidences(scores, predicted)
            probabilities.append(_by_kind(confidences.pairs, confidences.clusters, predicted))
            truths.append(_by_kind(prediction.together, prediction.shares, predicted))
    kinds = zip(zip(*probabilities, strict=True), zip(*truths, strict=True), strict=True)
    return Reliabilities(
        *(
            Reliability.of(_concatenate(kind_probabilities), _concatenate(kind_truths))
            for kind_probabilities, kind_truths in kinds
        )
    )


def _by_kind(pairs: Any, clusters: Floats, predicted: Partition) -> tuple[Floats, ...]:
    """Return the values of pairs, of clusters of several items and of clusters of one item."""
    is_single = predicted.sizes == 1
    return pairs, clusters[~is_single], clusters[is_single]


def _concatenate(arrays: Iterable[Any]) -> Floats:
    return np.concatenate(list(arrays)).astype(np.float64, copy=False)


def _check_arguments(learner: Any, method: Any, n_sets: int) -> None:
    if not isinstance(learner, Learner):
        raise InputError(f"the learner is {learner!r}; use a learner such as SVMCluster()")
    if isinstance(method, type) or not hasattr(method, "fit"):
        raise InputError(f"the method is {method!r}; use Platt() or PAV()")
    if n_sets < 2:
        raise ItemSetError(
            "there is only 1 item set, so none can be held out for the calibration; give at "
            "least 2, or divide it into several item sets without splitting any true cluster"
        )
