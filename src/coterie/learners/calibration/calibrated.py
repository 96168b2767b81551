"""Calibrating a learner: what its scores are worth on item sets that it did not see."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

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
    """What `calibrate` found.

    Parameters
    ----------
    learner
        The learner, fitted to all item sets.
    model
        What predicts, with its `ClusterCalibration`.
    reliability
        How well probabilities hold, of pairs, clusters and single items: of each held-out set by
        curves that were fitted to the other folds.
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
    """Fit a learner, and learn from held-out item sets how far its scores can be trusted.

    Each item set is scored and partitioned once by a learner that did not see it. Curves are fitted
    to what came out: from the score of a pair to the probability that it is together, and from what
    speaks for a cluster to the share of its pairs that is together, where each cluster counts the
    same (see `ClusterCalibration`). Then the learner is fitted to all sets.

    Parameters
    ----------
    learner
        The learner; it is not changed.
    item_sets, partitions
        As of its `fit`; at least two.
    method
        What fits the curves: `Platt`, which two numbers describe, or `PAV`, which follows any
        shape and asks for more data.
    n_folds
        How many parts the item sets are divided into at random, one of which is held out at a time;
        as many as there are sets, or more, leave one set out at a time.
    random_state
        Seed of the division.

    Examples
    --------
    >>> from coterie.datasets import make_item_sets
    >>> from coterie.features import AbsoluteDifferences
    >>> from coterie.learners.pairwise import PairwiseClustering
    >>> sets, truths = make_item_sets(n_sets=21, separation=3.0)
    >>> learner = PairwiseClustering(featurizer=AbsoluteDifferences())
    >>> found = calibrate(learner, sets[:20], truths[:20])
    >>> found.reliability.pairs.calibration_error < 0.03
    True
    >>> sure = found.model.confidences(sets[20])
    >>> sure.clusters.shape == (sure.partition.n_clusters,)
    True
    >>> found.model.abstain(sets[20], precision=0.9).labels.shape
    (30,)
    """
    examples = as_examples(item_sets, partitions)
    _refuse_unfit(learner, method, len(examples.truths))
    folds = random_folds(len(examples.truths), n_folds, random_state)
    held_out = []
    for number, fold in enumerate(folds):
        held_out.append(_held_out(learner, examples, fold))
        report("calibrate", number + 1, len(folds))
    reliability = _reliability(held_out, method)
    calibration = _calibration([one for fold in held_out for one in fold], method)
    with uninterrupted():
        fitted = clone(learner).fit(*examples)
    return Calibrated(fitted, replace(fitted.to_model(), calibration=calibration), reliability)


def fit_calibration(
    held_out: Sequence[tuple[PairScores, Partition]],
    clusterer: Clusterer,
    method: CurveFit = PLATT,
) -> ClusterCalibration:
    """Learn what scores are worth from scores of pairs that a learner did not see, and the truth.

    Without any, scores count as log-odds, and what speaks for clusters as it is.

    Parameters
    ----------
    held_out
        The scores and the correct partition of each item set.
    clusterer
        What the learner predicts by.
    method
        What fits the curves; see `calibrate`.

    Examples
    --------
    >>> from coterie.clusterers import Greedy
    >>> scores = PairScores(4, None, [2.0, -1.0, 1.0, -2.0, 1.0, -2.0])
    >>> fit_calibration([(scores, Partition([0, 0, 1, 1]))], Greedy())([2.0, -2.0]).round(1)
    array([0.4, 0.3])
    """
    judged = [_judged(scores, clusterer(scores), truth) for scores, truth in held_out]
    if not judged:
        return ClusterCalibration(Logistic(), Logistic(), Logistic())
    return _calibration(judged, method)


@dataclass(frozen=True, eq=False)
class _Judged:
    """A held-out item set: its scores, its prediction, and what of both is true.

    `together` is of pairs; `shares` is of clusters: the share of their pairs that is together, and
    of single items whether they are alone.
    """

    scores: PairScores
    predicted: Partition
    together: Bools
    shares: Floats


def _held_out(learner: Learner, examples: Examples, fold: Ints) -> list[_Judged]:
    """Fit to all item sets but those of a fold, and judge what is predicted of these."""
    others = complement(len(examples.truths), fold)
    # Sums by several threads of BLAS are rounded in another way.
    with threadpool_limits(1, "blas"), located(f"item sets {fold.tolist()} held out"):
        with uninterrupted():
            model = clone(learner).fit(*subset_examples(examples, others)).to_model()
        judged = []
        for item_set, truth in zip(*subset_examples(examples, fold), strict=True):
            scores = model.scores(item_set)
            judged.append(_judged(scores, model.clusterer(scores), truth))
    return judged


def _judged(scores: PairScores, predicted: Partition, truth: Partition) -> _Judged:
    together = truth.together(scores.listed)
    return _Judged(scores, predicted, together, true_shares(truth, predicted))


def true_shares(truth: Partition, predicted: Partition) -> Floats:
    """Return the share of each predicted cluster's pairs that is together; alone, 1 or 0.

    >>> true_shares(Partition([0, 0, 1, 1]), Partition([0, 0, 0, 1]))
    array([0.33333333, 0.        ])
    """
    both = predicted.labels * max(truth.n_clusters, 1) + truth.labels
    cells, counts = np.unique(both, return_counts=True)
    owners = cells // max(truth.n_clusters, 1)
    pairs = np.bincount(owners, counts * (counts - 1.0), predicted.n_clusters)
    sizes = predicted.sizes
    shares = pairs / np.maximum(sizes * (sizes - 1.0), 1.0)
    alone = np.zeros(predicted.n_clusters)
    alone[predicted.labels] = truth.sizes[truth.labels] == 1
    return np.where(sizes == 1, alone, shares)


def _calibration(judged: Sequence[_Judged], method: CurveFit) -> ClusterCalibration:
    """Fit the curves of pairs, then those of clusters to what the first one says."""
    curve = method.fit(
        _joined([one.scores.scores for one in judged]),
        _joined([one.together for one in judged]),
    )
    evidence = _joined(
        [cluster_evidence(one.scores, one.predicted, curve(one.scores.scores)) for one in judged]
    )
    shares = _joined([one.shares for one in judged])
    single = np.concatenate([one.predicted.sizes for one in judged]) == 1
    clusters = method.fit(evidence[~single], shares[~single])
    singletons = method.fit(evidence[single], shares[single])
    return ClusterCalibration(curve, clusters, singletons)


def _reliability(folds: Sequence[Sequence[_Judged]], method: CurveFit) -> Reliabilities:
    """Hold the probabilities of each fold, by curves of the others, against the truth."""
    said: list[tuple[Floats, ...]] = []
    true: list[tuple[Floats, ...]] = []
    for number, fold in enumerate(folds):
        rest = [one for other in (*folds[:number], *folds[number + 1 :]) for one in other]
        calibration = _calibration(rest, method)
        for one in fold:
            sure = calibration.confidences(one.scores, one.predicted)
            said.append(_by_kind(sure.pairs, sure.clusters, one.predicted))
            true.append(_by_kind(one.together, one.shares, one.predicted))
    kinds = zip(zip(*said, strict=True), zip(*true, strict=True), strict=True)
    return Reliabilities(*(Reliability.of(_joined(p), _joined(t)) for p, t in kinds))


def _by_kind(pairs: Any, clusters: Floats, predicted: Partition) -> tuple[Floats, ...]:
    """Return what is said of pairs, of clusters of several items and of those of one."""
    single = predicted.sizes == 1
    return pairs, clusters[~single], clusters[single]


def _joined(parts: Iterable[Any]) -> Floats:
    return np.concatenate(list(parts)).astype(np.float64, copy=False)


def _refuse_unfit(learner: Any, method: Any, n_sets: int) -> None:
    if not isinstance(learner, Learner):
        raise InputError(f"the learner is {learner!r}; give one such as SVMCluster()")
    if isinstance(method, type) or not hasattr(method, "fit"):
        raise InputError(f"the method is {method!r}; give Platt() or PAV()")
    if n_sets < 2:
        raise ItemSetError(
            "there is 1 item set, so that none can be held out to calibrate on; give at least 2, "
            "or cut it into several, with each true cluster whole in one of them"
        )
