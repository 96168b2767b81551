"""Time an iteration of SDC, and the features of names.

    python benchmarks/discriminative.py [features] [iteration]

Needs the corpus entity_names in the folder COTERIE_DATA. `features` computes the features of all
pairs of 300 names. `iteration` times the parts of one iteration of SDC with five clusterers: the
distances of all pairs, the clustering and the update. It also times the features, which are
computed once for all iterations. Times are the least of some rounds, with compiled kernels and one
thread of BLAS.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from coterie.clusterers import (
    CompleteLinkage,
    GraphCut,
    KMedoids,
    RepeatedBisection,
    SingleLinkage,
)
from coterie.features import AsDistances, NameFeatures, SoftTFIDF
from coterie.learners import DiscriminativeClustering, PaperUpdate
from coterie.pairs import PairScores, count_pairs
from coterie_papers.corpora import load_entity_names

ROUNDS = 5
KINDS = ("person", "location", "organization")
CLUSTERERS = (
    SingleLinkage(),
    CompleteLinkage(),
    GraphCut(n_neighbors=5),
    RepeatedBisection(),
    KMedoids(),
)


def least_seconds(job: Callable[[], object]) -> float:
    job()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return min(times)


def features() -> None:
    print("all pairs of names: milliseconds to fit, encode and compare")
    for kind in KINDS:
        item_set = load_entity_names(split="train", kind=kind, pair=1).item_sets[0]
        for featurizer in (NameFeatures(), SoftTFIDF()):
            seconds = least_seconds(lambda f=featurizer, i=item_set: f.fit([i])(i, None))
            n_pairs = count_pairs(len(item_set))
            name = type(featurizer).__name__
            print(f"{kind:13} {name:13} {1e3 * seconds:7.1f} for {n_pairs:,} pairs")


def iteration() -> None:
    item_sets, truths = load_entity_names(split="train", kind="person", pair=1)
    item_set, truth = item_sets[0], truths[0]
    featurizer = AsDistances(NameFeatures()).fit([item_set])
    feature_seconds = least_seconds(lambda: featurizer(item_set, None))
    matrix = featurizer(item_set, None)
    coef = np.full(matrix.shape[1], 1.0 / matrix.shape[1])
    distances = matrix @ coef
    scores = PairScores(len(truth), None, distances.max() - distances, n_clusters=truth.n_clusters)
    print(
        f"{len(truth)} names, {matrix.shape[0]:,} pairs × {matrix.shape[1]} features, milliseconds"
    )
    print(f"features, once for all iterations {1e3 * feature_seconds:.1f}")
    columns = ("distances", "clustering", "update", "fit of 20")
    print(f"{'one iteration with':30}" + "".join(f"{column:>11}" for column in columns))
    for clusterer in CLUSTERERS:
        predicted = clusterer(scores)
        parts = [
            least_seconds(lambda: matrix @ coef),
            least_seconds(lambda c=clusterer: c(scores)),
            least_seconds(lambda p=predicted: PaperUpdate().gradient(matrix, truth, p, coef)),
        ]
        learner = DiscriminativeClustering(clusterer, featurizer=NameFeatures())
        with_number = type(item_set)(item_set.items, n_clusters=truth.n_clusters)
        start = time.perf_counter()
        learner.fit([with_number], [truth])
        parts.append(time.perf_counter() - start)
        columns_of_row = "".join(f"{1e3 * part:11.1f}" for part in parts)
        print(f"{type(clusterer).__name__:30}{columns_of_row}")


PARTS = {"features": features, "iteration": iteration}

if __name__ == "__main__":
    with threadpool_limits(1, "blas"):
        for part in sys.argv[1:] or PARTS:
            PARTS[part]()
