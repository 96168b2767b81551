"""Trainings of supervised k-means without some of the clusterings; each training is a cell."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from coterie.clusterers import DiscreteSpectral, KernelKMeans, Spectral
from coterie.datasets.corpus import Corpus
from coterie.features.given import WithConstant
from coterie.learners.base import Learner
from coterie.learners.baselines import Untrained
from coterie.learners.pairwise import PairwiseClustering
from coterie.learners.structural.cutting_planes import NSlack, OneSlack
from coterie.learners.structural.pair_svm import PairSVM
from coterie.learners.structural.recipes import SupervisedKMeans
from coterie.losses import TraceLoss
from coterie.metrics import trace_loss
from coterie.model import Model
from coterie.pairs import PairScores
from coterie.partition import Partition
from coterie.similarities import LinearSimilarity
from coterie.toolkit import Clusterer
from coterie_papers.engine.cells import Key, Values
from coterie_papers.supervised_kmeans.data import Clusterings

NONE = "None"
PAPER_TRAINERS = ("Iterative", "Spect", "Pair", NONE)
"""The trainers of the paper, in the order of its tables."""

# The hinge loss bounds the number of errors, so this classifier is trained for accuracy.
HINGE = LinearSVC(loss="hinge", max_iter=500)
SYNTH_TRAINERS: Mapping[str, Learner] = {
    "Iterative": SupervisedKMeans(clusterer="iterative", solver=OneSlack(tol=1e-3)),
    "Spect": SupervisedKMeans(clusterer="spectral", solver=OneSlack(tol=1e-3, max_iter=150)),
    "Pair": PairwiseClustering(classifier=HINGE),
    "Balanced": PairwiseClustering(classifier=HINGE, balanced=True),
    "Squared": PairwiseClustering(classifier=LinearSVC(loss="squared_hinge")),
    NONE: Untrained(),
}

# Algorithm 1 of the paper. Relaxed partitions have losses of about 90, so a tolerance of 1 is low.
REAL_TRAINERS: Mapping[str, Learner] = {
    "Iterative": SupervisedKMeans(clusterer="iterative", solver=NSlack(tol=0.2, max_iter=40)),
    "Spect": SupervisedKMeans(clusterer="spectral", solver=NSlack(tol=1.0, max_iter=40)),
    "Pair": PairSVM(solver=OneSlack(tol=1e-3, max_iter=2000)),
    NONE: Untrained(),
}

PREDICTORS: Mapping[str, Clusterer] = {
    "Iterative": KernelKMeans(),
    "Spectral": Spectral(),
    "Discrete": DiscreteSpectral(),
}


def trainer_of(data: Clusterings, name: str) -> Learner:
    """Return a trainer of the tables, with the featurizer of the data."""
    featurizer = data.featurizer
    trainers = SYNTH_TRAINERS if featurizer is None else REAL_TRAINERS
    learner: Learner = clone(trainers[name])
    if featurizer is None:
        return learner
    # The number of clusters is given, so only the training of the pair classifier needs a constant.
    return learner.set_params(featurizer=WithConstant(featurizer) if name == "Pair" else featurizer)


def train_and_test(data: Clusterings, key: Key, data_folder: Path | None) -> Values:
    """Train for each C without some clusterings, and test on those with each predictor.

    `losses` has the shape (clusterings left out, C, predictor), `together` the shape (clusterings
    left out, C).
    """
    corpus = data.corpus(data_folder)
    left_out = [int(number) for number in str(key["without"]).split()]
    train = [number for number in range(data.n_sets) if number not in left_out]
    learner = trainer_of(data, str(key["trainer"]))
    # BLAS threads would wait for each other while other processes keep the cores busy.
    with threadpool_limits(1, "blas"):
        with collect_stops() as stops:
            learners = _fit_path(learner, corpus.at(train), data.grid)
        tests = [
            _test_learners(learners, *example) for example in zip(*corpus.at(left_out), strict=True)
        ]
    losses, together = zip(*tests, strict=True)
    return {"losses": losses, "together": together, "stopped": len(stops), "fits": len(learners)}


def _fit_path(learner: Learner, train: Corpus, grid: Sequence[float]) -> Sequence[Learner]:
    """Fit a learner for each C, or once if it has no C."""
    if isinstance(learner, SupervisedKMeans | PairSVM):
        return learner.fit_path(*train, grid)
    if "C" not in learner.get_params():
        return [clone(learner).fit(*train)]
    return [clone(learner).set_params(C=C).fit(*train) for C in grid]


def _test_learners(
    learners: Sequence[Learner], item_set: Any, truth: Partition
) -> tuple[list[list[float]], list[float]]:
    """Return the loss of each learner by each predictor, and its share of pairs with scores > 0."""
    models = [learner.to_model() for learner in learners]
    score_list = [without_constant(model).scores(item_set) for model in models]
    losses = [
        [prediction_loss(predictor, scores, truth) for predictor in PREDICTORS.values()]
        for scores in score_list
    ]
    return losses, [float(np.mean(model.scores(item_set).scores > 0)) for model in models]


def without_constant(model: Model) -> Model:
    """Remove the constant from a model, as only the scores of pair classifiers have one.

    A constant changes no partition into k clusters, but it changes relaxed partitions.
    """
    learned = model.similarity
    assert isinstance(learned, LinearSimilarity)  # noqa: S101 — all trainers are linear
    if isinstance(learned.featurizer, WithConstant):
        similarity = LinearSimilarity(learned.featurizer.featurizer, learned.coef[:-1])
    else:
        similarity = replace(learned, bias=0.0)
    return replace(model, similarity=similarity)


def prediction_loss(predictor: Clusterer, scores: PairScores, truth: Partition) -> float:
    """Return the trace loss of a prediction, for a relaxed one by its matrix (eq. 16)."""
    if not isinstance(predictor, Spectral):
        return trace_loss(truth, predictor(scores))
    base, costs, diagonal = TraceLoss().linearize_relaxed(truth, scores.listed)
    solution = predictor.solve(scores)
    return float(base + costs @ solution.weights + diagonal @ solution.self_weights)


@contextmanager
def collect_stops() -> Iterator[list[warnings.WarningMessage]]:
    """Collect the warnings of fits that did not converge, and issue all other warnings again."""
    stops: list[warnings.WarningMessage] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        yield stops
    for warning in caught:
        if issubclass(warning.category, ConvergenceWarning):
            stops.append(warning)
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
