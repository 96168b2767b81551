"""Time every metric on 1 million items in 200,000 clusters, and compare with scikit-learn.

Run by `python benchmarks/metrics.py`. Each metric is called separately on arrays of labels. The
prediction is the truth with a fifth of the items moved to random clusters.
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
    is_moved = rng.random(n_items) < MOVED
    return truth, np.where(is_moved, rng.integers(n_clusters, size=n_items), truth)


def seconds(call: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def report(name: str, metric_seconds: float, peer_seconds: float) -> None:
    print(f"  {name:32} {1000 * metric_seconds:9.1f} ms {metric_seconds / peer_seconds:9.2f}")


def main() -> None:
    truth, predicted = make_labels(N_ITEMS, N_CLUSTERS)
    peer_seconds = seconds(
        lambda: (adjusted_rand_score(truth, predicted), v_measure_score(truth, predicted))
    )
    print(
        f"{N_ITEMS:,} items, {N_CLUSTERS:,} clusters; best of {ROUNDS} calls; ratio to scikit-learn"
    )
    report("adjusted_rand_score + v_measure_score", peer_seconds, peer_seconds)
    members = {name: getattr(metrics, name) for name in metrics.__all__}
    members = {name: m for name, m in members.items() if hasattr(m, "from_table")}
    total = 0.0
    print("metrics")
    for name, metric in members.items():
        if name not in MATCHINGS:
            total += (metric_seconds := seconds(lambda m=metric: m(truth, predicted)))
            report(name, metric_seconds, peer_seconds)
    report("sum of these metrics", total, peer_seconds)
    print("metrics that match clusters")
    for name in MATCHINGS:
        report(name, seconds(lambda m=members[name]: m(truth, predicted)), peer_seconds)
    small_truth, small_predicted = make_labels(10_000, 2_000)
    distances = np.random.default_rng(0).random(10_000 * 9_999 // 2)
    print("10,000 items")
    report(
        "weighted_clustering_error",
        seconds(lambda: metrics.weighted_clustering_error(small_truth, small_predicted, distances)),
        peer_seconds,
    )


if __name__ == "__main__":
    main()
