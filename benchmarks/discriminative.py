"""What an iteration of SDC costs, and how long the features of names take.

    python benchmarks/discriminative.py [features] [iteration]

Needs the corpus entity_names in the folder COTERIE_DATA. `features` computes those of all pairs of
300 names, `iteration` takes one of SDC apart under five clusterers: the distances of all pairs, the
clustering and the update, beside the features, which are computed once for all iterations. The
least times of some rounds; kernels are warm, BLAS has one thread.
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


def least(job: Callable[[], object]) -> float:
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
            seconds = least(lambda f=featurizer, i=item_set: f.fit([i])(i, None))
            n_pairs = count_pairs(len(item_set))
            shown = type(featurizer).__name__
            print(f"{kind:13} {shown:13} {1e3 * seconds:7.1f} for {n_pairs:,} pairs")


def iteration() -> None:
    item_sets, truths = load_entity_names(split="train", kind="person", pair=1)
    item_set, truth = item_sets[0], truths[0]
    featurizer = AsDistances(NameFeatures()).fit([item_set])
    computed = least(lambda: featurizer(item_set, None))
    known = featurizer(item_set, None)
    coef = np.full(known.shape[1], 1.0 / known.shape[1])
    distances = known @ coef
    scores = PairScores(len(truth), None, distances.max() - distances, n_clusters=truth.n_clusters)
    print(f"{len(truth)} names, {known.shape[0]:,} pairs × {known.shape[1]} features, milliseconds")
    print(f"features, once for all iterations {1e3 * computed:.1f}")
    columns = ("distances", "clustering", "update", "fit of 20")
    print(f"{'an iteration with':30}" + "".join(f"{column:>11}" for column in columns))
    for clusterer in CLUSTERERS:
        predicted = clusterer(scores)
        parts = [
            least(lambda: known @ coef),
            least(lambda c=clusterer: c(scores)),
            least(lambda p=predicted: PaperUpdate().gradient(known, truth, p, coef)),
        ]
        learner = DiscriminativeClustering(clusterer, featurizer=NameFeatures())
        counted = type(item_set)(item_set.items, n_clusters=truth.n_clusters)
        start = time.perf_counter()
        learner.fit([counted], [truth])
        parts.append(time.perf_counter() - start)
        shown = "".join(f"{1e3 * part:11.1f}" for part in parts)
        print(f"{type(clusterer).__name__:30}{shown}")


PARTS = {"features": features, "iteration": iteration}

if __name__ == "__main__":
    with threadpool_limits(1, "blas"):
        for part in sys.argv[1:] or PARTS:
            PARTS[part]()
