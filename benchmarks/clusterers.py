"""Compare every clusterer with its peers in one run: seconds, ratios, values and bounds.

Run by `python benchmarks/clusterers.py [PART …]`. Parts are the names in PARTS; without any, all
parts run. Times are wall seconds from `PairScores` in memory to `Partition`, with compiled kernels.
Times of peers are given without and with the time to build their graphs.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from instances import correlation_instances, planted, read_signed_graph, with_left_candidates
from peers import average_linkage, batch_kernel_kmeans, gaec, gaec_kl, leiden, top_eigenvectors

from coterie import Partition, clusterers
from coterie.objectives import Correlation, KMeans
from coterie.pairs import PairScores

GRAPHS = ["allsports", "captchas", "gym", "cora200", "landmarks"]
KL_LIMIT = 300.0


def timed(call: Callable[[], Any], repeat: int = 1) -> tuple[Any, float]:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return result, min(times)


def warm_up() -> None:
    """Compile every kernel that is timed, or load it from the cache."""
    for instance in correlation_instances(small=True).values():
        clusterers.Greedy()(instance)
        clusterers.LocalSearch(sweeps=2)(instance)
    small = planted(30, np.random.default_rng(0))
    for clusterer in (clusterers.KernelKMeans(3), clusterers.Spectral(3), clusterers.LeftLink()):
        clusterer(small)
    clusterers.AverageLinkage()(small)
    clusterers.Relaxation()(small)
    clusterers.LeftLink()(with_left_candidates(100, 5))


def value(labels: Any, scores: PairScores) -> float:
    return Correlation().value(Partition(labels), scores)


def correlation() -> None:
    """Compare Greedy and LocalSearch with bioimage-cpp and igraph; higher values are better."""
    for name, scores in correlation_instances().items():
        repeat = 3 if len(scores.scores) < 2e6 else 1
        print(f"\n{name}: {scores.n_items:,} items, {len(scores.scores):,} pairs")
        print(f"  {'':28}{'seconds':>9}{'with graph':>12}{'value':>15}{'Greedy = 1':>14}")
        greedy, greedy_seconds = timed(lambda s=scores: clusterers.Greedy()(s), repeat)
        row("Greedy", greedy_seconds, 0.0, value(greedy, scores))
        peers = [("GAEC, bioimage-cpp", gaec(scores)), ("Leiden CPM, igraph", leiden(scores))]
        peers.append(("GAEC + KL, bioimage-cpp", gaec_kl(scores, KL_LIMIT)))
        for label, peer in peers:
            if peer is None:
                print(f"  {label:28}  stopped after {KL_LIMIT:.0f} s")
                continue
            note = (
                f"{peer.seconds / greedy_seconds:14.1f}"
                if peer.labels is peers[0][1].labels
                else ""
            )
            row(label, peer.seconds, peer.build, value(peer.labels, scores), note)
        for sweeps in (5, 50):
            search = clusterers.LocalSearch(sweeps=sweeps)
            partition, seconds = timed(lambda s=scores, c=search: c(s), repeat)
            row(f"LocalSearch(sweeps={sweeps})", seconds, 0.0, value(partition, scores))


def row(name: str, seconds: float, build: float, score: float, note: str = "") -> None:
    print(f"  {name:28}{seconds:9.3f}{seconds + build:12.3f}{score:15.3f}{note}", flush=True)


def relaxation() -> None:
    """Solve planted instances (noise of deviation 1, 8 items per cluster) by linear programs."""
    print("\nRelaxation of planted instances: CPU seconds, rounded value, bound")
    for n_items in (100, 150, 200, 300):
        scores = planted(n_items, np.random.default_rng(0))
        start = time.process_time()
        solution = clusterers.Relaxation().solve(scores)
        seconds = time.process_time() - start
        print(
            f"  {n_items:5} items {seconds:8.2f} {solution.value:12.3f} {solution.bound:12.3f}",
            flush=True,
        )
    for n_items in (60, 100):
        print(f"  {n_items:5} items, 20 solves after small changes: {warm_ratio(n_items)}")


def warm_ratio(n_items: int) -> str:
    rng = np.random.default_rng(0)
    scores = planted(n_items, rng)
    series = [scores.plus(rng.normal(0, 0.05, len(scores.scores))) for _ in range(20)]
    warm = clusterers.Relaxation().warm()
    warm.solve(scores)
    _, warm_seconds = timed(lambda: [warm.solve(s) for s in series])
    _, cold_seconds = timed(lambda: [clusterers.Relaxation().solve(s) for s in series])
    ratio = cold_seconds / warm_seconds
    return f"warm {warm_seconds:.2f} s, cold {cold_seconds:.2f} s, ratio {ratio:.1f}"


def graphs() -> None:
    """Solve the signed graphs of the data folder; each solver has one minute."""
    folder = Path(os.environ.get("COTERIE_DATA", "")) / "corrclust_graphs"
    if not folder.is_dir():
        print("\ngraphs are skipped: the folder corrclust_graphs is missing from COTERIE_DATA")
        return
    print("\nSigned graphs: values, and the gap between the best value and the best bound")
    heads = ["items", "Greedy", "LocalSearch", "C_R*", "LP bound", "Exact", "bound", "status"]
    print(f"  {'graph':12}" + "".join(f"{head:>12}" for head in heads) + f"{'gap':>9}")
    for name in GRAPHS:
        scores = read_signed_graph(folder / f"{name}.txt")
        greedy, search = clusterers.Greedy().solve(scores), clusterers.LocalSearch().solve(scores)
        relaxed = clusterers.Relaxation(time_limit=60.0).solve(scores)
        exact = clusterers.Exact(time_limit=60.0).solve(scores)
        best = max(greedy.value, search.value, relaxed.value, exact.value)
        bound = min(relaxed.bound, exact.bound)
        numbers = [greedy.value, search.value, relaxed.value, relaxed.bound]
        numbers += [exact.value, exact.bound]
        columns = "".join(f"{number:12.2f}" for number in numbers)
        gap = (bound - best) / max(1.0, abs(bound))
        print(f"  {name:12}{scores.n_items:12}{columns}{exact.status:>12}{gap:9.2%}", flush=True)


def kernels() -> None:
    """Compare k-means, spectral and linkage clusterers with NumPy, SciPy and fastcluster."""
    scores = rbf_kernel(5000, 50)
    matrix, start = scores.to_matrix(), np.random.default_rng(1).integers(50, size=5000)
    iterative = clusterers.KernelKMeans(50, start=Partition(start))
    partition, seconds = timed(lambda: iterative(scores), 3)
    batch, peer_seconds = timed(lambda: batch_kernel_kmeans(matrix, start, 50), 3)
    values = [KMeans().value(Partition(labels), scores) for labels in (partition, batch)]
    print("\n5,000 items, 50 clusters, one start")
    print(f"  KernelKMeans  {seconds:8.3f} s  value {values[0]:.2f}")
    ratio = peer_seconds / seconds
    print(f"  batch, NumPy  {peer_seconds:8.3f} s  value {values[1]:.2f}  ratio {ratio:.1f}")
    _, seconds = timed(lambda: clusterers.Spectral(50)(scores), 3)
    solution, bound_seconds = timed(lambda: clusterers.Spectral(50).solve(scores))
    trace, peer_seconds = timed(lambda: top_eigenvectors(matrix, 50))
    print(f"  Spectral      {seconds:8.3f} s  eigenvectors and rounding")
    print(f"  and a bound   {bound_seconds:8.3f} s  with the bound {solution.bound:.4f}")
    ratio = peer_seconds / seconds
    print(f"  SciPy eigh    {peer_seconds:8.3f} s  trace {trace:.4f}  ratio {ratio:.1f}")
    linkage_partition, seconds = timed(lambda: clusterers.AverageLinkage(n_clusters=50)(scores), 3)
    peer_labels, peer_seconds = timed(lambda: average_linkage(scores, 50), 3)
    is_same = Partition(peer_labels) == linkage_partition
    print(f"  AverageLinkage{seconds:8.3f} s")
    ratio = seconds / peer_seconds
    print(f"  fastcluster   {peer_seconds:8.3f} s  same partition: {is_same}  ratio {ratio:.2f}")


def rbf_kernel(n_items: int, n_clusters: int) -> PairScores:
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(n_clusters, 20))
    points = centres[rng.integers(n_clusters, size=n_items)] + rng.normal(size=(n_items, 20))
    inner = points @ points.T
    squares = np.diagonal(inner)
    distances = np.maximum(squares[:, None] + squares - 2 * inner, 0)
    return PairScores.from_matrix(np.exp(-distances / 40))


def left_link() -> None:
    """Time LeftLink with 20 candidates per item, which are drawn from all earlier items."""
    print("\nLeftLink, 20 candidates per item")
    for gamma in (0.0, 0.5):
        times = []
        for n_items in (100_000, 1_000_000):
            scores = with_left_candidates(n_items, 20)
            _, seconds = timed(lambda s=scores, g=gamma: clusterers.LeftLink(g)(s), 7)
            times.append(seconds)
            print(f"  gamma {gamma}: {n_items:9,} items {seconds:7.3f} s")
        print(f"  gamma {gamma}: ratio {times[1] / times[0]:.1f}", flush=True)


def start_up() -> None:
    """Time the first calls in a process: with kernels to compile, and with cached kernels."""
    program = (
        "import time, numpy as np\n"
        "from coterie import PairScores, clusterers as c\n"
        "def call(s):\n"
        "    c.Greedy()(s); c.LocalSearch(sweeps=1)(s); c.LeftLink()(s); c.KernelKMeans(2)(s)\n"
        "    c.Exact()(s)\n"
        "s = PairScores.from_matrix(np.eye(5)); t = PairScores(9, [(0, 1), (1, 2)], [1.0, -1.0])\n"
        "start = time.perf_counter(); call(s); call(t); first = time.perf_counter() - start\n"
        "start = time.perf_counter(); call(s); call(t)\n"
        "print(first - (time.perf_counter() - start))\n"
    )
    print("\nSeconds that kernels and imports add to the first calls of five clusterers")
    with tempfile.TemporaryDirectory() as cache:
        for name in ("cold cache", "warm cache"):
            process = subprocess.run(  # noqa: S603
                [sys.executable, "-c", program],
                env={**os.environ, "NUMBA_CACHE_DIR": cache},
                capture_output=True,
                text=True,
                check=True,
            )
            print(f"  {name}  {float(process.stdout):7.2f}", flush=True)


PARTS = {
    "start_up": start_up,
    "correlation": correlation,
    "relaxation": relaxation,
    "graphs": graphs,
    "kernels": kernels,
    "left_link": left_link,
}


def main() -> None:
    warm_up()
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()


if __name__ == "__main__":
    main()
