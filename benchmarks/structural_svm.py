"""Time the training of structural SVMs and of a pair classifier, and measure the memory.

    python benchmarks/structural_svm.py [speed] [memory]

`speed` needs the corpus gum_coref in the folder COTERIE_DATA. Times are wall seconds of single runs
from features in memory to a fitted learner; kernels are compiled beforehand. For training times by
the number of sets, clusters, features and items, run
`coterie reproduce supervised-kmeans --only times`.
"""

import re
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from coterie.datasets import make_synth
from coterie.features import LinkedNodeProducts, NodeProducts, stack
from coterie.items import ItemSet
from coterie.learners import FrankWolfe, NSlack, OneSlack, SupervisedKMeans, SVMCluster
from coterie.metrics import macro, pair_loss
from coterie_papers.corpora import load_gum_coref

SOLVERS = [OneSlack(tol=0.01), OneSlack(tol=0.01, n_jobs=2), NSlack(tol=0.04), FrankWolfe(tol=0.01)]


def speed() -> None:
    train, test = load_gum_coref(split="train"), load_gum_coref(split="test")
    SVMCluster().fit(*make_synth(n_sets=2, cluster_size=3))
    matrix = sp.vstack([item_set.items.features for item_set in train.item_sets]).tocsr()
    together = np.concatenate([truth.together() for truth in train.partitions])
    print(
        f"{len(train.item_sets)} documents, {matrix.shape[0]:,} pairs, {matrix.shape[1]} features"
    )
    start = time.perf_counter()
    LinearSVC().fit(matrix, together)
    pairs = time.perf_counter() - start
    print(f"LinearSVC() on the pairs: {pairs:.1f} s")
    print(
        f"{'SVMCluster':42} {'seconds':>8} {'faster':>7} {'gap':>6} {'in QP':>6} {'calls':>6} Δ_P"
    )
    for C in (1e5, 1e6, 1e7):
        for solver in SOLVERS:
            start = time.perf_counter()
            learner = SVMCluster(C, solver=solver).fit(*train)
            seconds = time.perf_counter() - start
            last = learner.history_[-1]
            name = f"C={C:.0e} {type(solver).__name__} n_jobs={solver.n_jobs}"
            loss = macro(pair_loss, test.partitions, learner.predict(test.item_sets))
            print(
                f"{name:42} {seconds:8.2f} {pairs / seconds:6.1f}x "
                f"{learner.gap_ / learner.primal_:6.1%} {last.program_seconds / seconds:6.1%} "
                f"{last.n_oracle_calls:6} {loss:.2f}",
                flush=True,
            )


def memory() -> None:
    """Train in a separate process, so that its peak memory is that of the training."""
    code = "import sys; sys.path.insert(0, 'benchmarks'); import structural_svm as b; b.pages()"
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603


def pages() -> None:
    before = peak_megabytes()
    rng = np.random.default_rng(0)
    item_sets, truths = zip(*(page_set(rng) for _ in range(3)), strict=True)
    start = time.perf_counter()
    learner = SupervisedKMeans(C=100.0, solver=OneSlack(tol=0.05, max_iter=200))
    learner.fit(item_sets[:2], truths[:2])
    seconds = time.perf_counter() - start
    peak = peak_megabytes()
    n_items, columns = len(truths[0]), len(learner.coef_)
    written = n_items * (n_items - 1) // 2 * columns * 8 / 2**30
    print(
        f"2 sets of {n_items:,} pages, {columns:,} features: {seconds:.1f} s, "
        f"{learner.history_[-1].n_planes} planes, gap {learner.gap_ / learner.primal_:.1%}; peak "
        f"memory {peak:,.0f} MB ({before:,.0f} MB before); a matrix of all pairs of one set would "
        f"take {written:,.0f} GB; trace loss of the third set "
        f"{trace_loss_of(learner, item_sets[2], truths[2]):.1f}"
    )


def peak_megabytes() -> float:
    """Return the peak memory of this program; getrusage includes that of its parent process."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 2**10


def page_set(rng: np.random.Generator, n_items: int = 1041, n_words: int = 50_000):
    """Draw pages of 90 words by Zipf's law and 10 words of their class, with links."""
    labels = rng.integers(6, size=n_items)
    common = rng.zipf(1.3, size=(n_items, 90)) % n_words
    class_words = labels[:, None] * 100 + rng.integers(100, size=(n_items, 10)) + 1000
    columns = np.hstack([common, class_words]).ravel()
    rows = np.repeat(np.arange(n_items), 100)
    counts = sp.coo_array((np.ones(rows.size), (rows, columns)), shape=(n_items, n_words)).tocsr()
    idf = np.log(n_items / np.maximum(np.bincount(counts.indices, minlength=n_words), 1))
    nodes = sp.csr_array(counts @ sp.diags_array(idf))
    norms = np.sqrt(nodes.multiply(nodes).sum(axis=1))
    nodes = sp.csr_array(sp.diags_array(1 / norms) @ nodes)
    links, citations = (
        rng.integers(n_items, size=(5000, 2)),
        rng.integers(n_items, size=(30_000, 2)),
    )
    regions = [LinkedNodeProducts(nodes, links), LinkedNodeProducts(nodes, citations)]
    features = stack([NodeProducts(nodes), *regions])
    return ItemSet.from_pair_features(features, n_items, n_clusters=6), labels


def trace_loss_of(learner: SupervisedKMeans, item_set: ItemSet, truth: np.ndarray) -> float:
    from coterie.metrics import trace_loss  # noqa: PLC0415

    return trace_loss(truth, learner.predict([item_set])[0])


if __name__ == "__main__":
    warnings.simplefilter("ignore", ConvergenceWarning)
    for name in sys.argv[1:] or ["speed", "memory"]:
        {"speed": speed, "memory": memory}[name]()
