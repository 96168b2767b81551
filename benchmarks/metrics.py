"""Every metric on 1 million items in 200,000 clusters, beside scikit-learn in the same run.

Run by `python benchmarks/metrics.py`. Each metric is called on its own on raw label arrays. The
prediction is the truth with a fifth of the items moved to clusters drawn at random.
"""

import time
from collections.abc import Callable

import numpy as np
from sklearn.metrics import adjusted_rand_score, v_measure_score

from coterie import metrics

N_ITEMS, N_CLUSTERS, MOVED, ROUNDS = 1_000_000, 200_000, 0.2, 3
MATCHINGS = ["ceaf_entity", "ceaf_mention", "conll_score", "cluster_edit_distance"]
MATCHINGS += ["normalized_edit_score"]


def make_labels(n_items: int, n_clusters: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    truth = rng.integers(n_clusters, size=n_items)
    moved = rng.random(n_items) < MOVED
    return truth, np.where(moved, rng.integers(n_clusters, size=n_items), truth)


def seconds(call: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def report(name: str, taken: float, peer: float) -> None:
    print(f"  {name:32} {1000 * taken:9.1f} ms {taken / peer:9.2f}")


def main() -> None:
    truth, predicted = make_labels(N_ITEMS, N_CLUSTERS)
    peer = seconds(
        lambda: (adjusted_rand_score(truth, predicted), v_measure_score(truth, predicted))
    )
    print(f"{N_ITEMS:,} items, {N_CLUSTERS:,} clusters; best of {ROUNDS}; ratio to scikit-learn's")
    report("adjusted_rand_score + v_measure_score", peer, peer)
    members = {name: getattr(metrics, name) for name in metrics.__all__}
    members = {name: m for name, m in members.items() if hasattr(m, "from_table")}
    total = 0.0
    print("metrics")
    for name, metric in members.items():
        if name not in MATCHINGS:
            total += (taken := seconds(lambda m=metric: m(truth, predicted)))
            report(name, taken, peer)
    report("all of these", total, peer)
    print("matchings")
    for name in MATCHINGS:
        report(name, seconds(lambda m=members[name]: m(truth, predicted)), peer)
    small, guess = make_labels(10_000, 2_000)
    distances = np.random.default_rng(0).random(10_000 * 9_999 // 2)
    print("10,000 items")
    report(
        "weighted_clustering_error",
        seconds(lambda: metrics.weighted_clustering_error(small, guess, distances)),
        peer,
    )


if __name__ == "__main__":
    main()
