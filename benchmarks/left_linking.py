"""Time the training of latent left-linking, and its clustering of a stream.

    python benchmarks/left_linking.py [pass] [stream]

`pass` needs the corpus gum_coref in the folder COTERIE_DATA. It compares one pass of SGD over the
training pairs with one product `features @ coef` over the same pairs. Both run turn by turn, and
the least times count. Kernels are compiled beforehand. `stream` runs benchmarks/streams.py.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from coterie.blocking import AllPairs
from coterie.features import GivenFeatures, WithConstant
from coterie.learners import SGD, BestLeftLinkLearner, LatentLeftLinking, SumLinkLearner
from coterie.learners.linking.link_sets import prepare_link_sets
from coterie_papers.corpora import load_gum_coref

ROUNDS = 15


def one_pass() -> None:
    corpus = load_gum_coref(split="train")
    featurizer = WithConstant(GivenFeatures()).fit(corpus.item_sets)
    sets = list(prepare_link_sets(*corpus, featurizer, AllPairs()))
    coef = np.random.default_rng(0).normal(size=sets[0].features.shape[1])
    matrices = [item_set.items.features for item_set in corpus.item_sets]
    learners = {
        **{f"L3M, γ = {gamma:g}": LatentLeftLinking(gamma) for gamma in (0.0, 0.2, 0.4, 1.0)},
        "Sum-Link": SumLinkLearner(),
        "Bin-Left-Link": BestLeftLinkLearner(),
    }
    descents = {name: SGD().begin(len(coef), 0) for name in learners}

    def learn(name: str) -> None:
        descend = learners[name]._descend  # noqa: SLF001
        descents[name], _ = descents[name].run(sets, descend, 1e-4, [0] * len(sets))

    jobs: dict[str, Callable[[], object]] = {
        "features @ coef": lambda: [link_set.features @ coef for link_set in sets],
        "features @ coef, no constant (SciPy)": lambda: [matrix @ coef[:-1] for matrix in matrices],
        **{f"a pass of {name}": lambda name=name: learn(name) for name in learners},
    }
    for job in jobs.values():
        job()
    times = dict.fromkeys(jobs, np.inf)
    with threadpool_limits(1, "blas"):
        for _ in range(ROUNDS):
            for name, job in jobs.items():
                start = time.perf_counter()
                job()
                times[name] = min(times[name], time.perf_counter() - start)
    n_pairs = sum(link_set.features.shape[0] for link_set in sets)
    n_entries = sum(matrix.nnz for matrix in matrices)
    print(f"{len(sets)} documents, {n_pairs:,} pairs, {n_entries / n_pairs:.1f} features per pair")
    product = times["features @ coef"]
    for name, seconds in times.items():
        print(f"{name:40} {1e3 * seconds:7.1f} ms {seconds / product:6.2f} times the product")


def stream() -> None:
    script = Path(__file__).with_name("streams.py")
    subprocess.run([sys.executable, str(script)], check=True)  # noqa: S603


PARTS = {"pass": one_pass, "stream": stream}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
