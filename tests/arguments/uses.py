"""Small uses of the members of all families."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import coterie
from coterie import (
    ItemSet,
    Model,
    PairScores,
    blocking,
    clusterers,
    features,
    learners,
    losses,
    similarities,
    stream,
)
from tests.features.test_family import SAMPLES
from tests.fuzz.cases import is_refused

Use = Callable[[Any], object]


VECTORS = [[1.0, 0.1], [0.9, -0.1], [-1.0, 0.2], [-0.8, 0.0]]
SETS = [ItemSet(VECTORS, n_clusters=2), ItemSet(VECTORS[::-1], n_clusters=2)]
TRUTHS = [[0, 0, 1, 1], [0, 0, 1, 1]]
SCORES = PairScores(4, None, [1.0, -1.0, -2.0, 0.5, -1.0, 3.0], n_clusters=2)
TABLE = {
    "name": ["ann lee", "ann", "", "bob", None, "bob day"],
    "city": ["a", "b"] * 3,
    "time": [1, 2, 3, 4, 5, 6],
}
RECORDS = ItemSet(TABLE)
MODEL = Model(
    blocking.AllPairs(),
    similarities.LinearSimilarity(features.GivenFeatures(), [1.0, 1.0]),
    clusterers.LeftLink(),
)


# Uses.


def fit(learner: Any) -> None:
    """Fit a learner, and predict."""
    learner.fit(SETS, TRUTHS)
    learner.predict(SETS)


def cluster(clusterer: Any) -> None:
    """Cluster by a few scores."""
    clusterer(SCORES)
    clusterer.solve(SCORES)


def list_pairs(blocker: Any) -> None:
    """List the pairs of a table, and of vectors."""
    for items in (RECORDS, SETS[0]):
        is_refused(partial(blocker, items))


def compare(sets: list[ItemSet]) -> Use:
    """Return the use that computes the features of item sets."""

    def use(featurizer: Any) -> None:
        fitted = featurizer.fit(sets)
        for item_set in sets:
            features.to_matrix(fitted(item_set, None))

    return use


def score(similarity: Any) -> None:
    """Compute the scores of an item set."""
    similarity(SETS[0], None)
    similarity.pair_scores(SETS[0], None)


def solve(solver: Any) -> None:
    """Train a structural SVM with the solver."""
    fit(learners.StructuralSVM(clusterers.Greedy(), losses.PairLoss(), 100.0, solver))


def descend(solver: Any) -> None:
    """Train latent left-linking with the solver."""
    fit(learners.LatentLeftLinking(0.5, 1e-2, 2, solver=solver))


def boost(**arguments: Any) -> None:
    """Train two rounds of boosting."""
    fit(learners.StructuredBoosting(**{"n_rounds": 2} | arguments))


def boost_risk(risk: Any) -> None:
    """Train two rounds of boosting by a risk."""
    boost(objective=risk)


def calibrate(method: Any) -> None:
    """Calibrate a learner by a method."""
    coterie.calibrate(learners.Untrained(), SETS, TRUTHS, method=method, n_folds=2)


def sample(**arguments: Any) -> None:
    """Draw few samples of the Dirichlet process."""
    fit(learners.DirichletClustering(2, 2, 1, 1, **arguments))


def map_vectors(kernel: Any, expansion: Any) -> None:
    """Expand a kernel of vectors."""
    compare(SETS)(features.Kernelized(features.GivenFeatures(), kernel, expansion))


def stream_items(candidates: Any) -> None:
    """Add items to a stream."""
    is_of_vectors = isinstance(candidates, stream.NearestOfLatest)
    similarity = MODEL.similarity if is_of_vectors else similarities.ConstantSimilarity(1.0)
    add(stream.Stream(replace(MODEL, similarity=similarity), candidates), is_of_vectors)


def add(value: Any, of_vectors: bool = True) -> None:
    """Add three items to a stream."""
    for index in range(3):
        value.add(
            VECTORS[index] if of_vectors else {n: column[index] for n, column in TABLE.items()}
        )


def view_texts(view: Any) -> None:
    """Compute the features of texts by a view."""
    sets = SAMPLES["TextFeatures"].item_sets
    compare(sets)(features.TextFeatures([view]))


def compare_records(kind: Any) -> None:
    """Compare records by a column of a kind."""
    compare([RECORDS])(features.RecordFeatures([features.Field("name", kind)]))


def multiply(operator: Any) -> None:
    """Multiply features by weights."""
    operator @ np.ones(operator.shape[1])
    operator.T @ np.ones(operator.shape[0])
    features.to_matrix(operator)


def nothing(value: Any) -> None:
    """Show the value."""
    repr(value)
