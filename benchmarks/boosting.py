"""Time structured boosting.

    python benchmarks/boosting.py [pass] [training] [prediction]

Needs LightGBM and the corpus gum_coref in the folder COTERIE_DATA. `pass` times one pass of the
gradients over all pairs of the training half. `training` compares 300 rounds of the left-linking
objective with 300 rounds of LightGBM's binary objective, with the same trees over the same pairs.
`prediction` compares the evaluation of trees by Coterie and by LightGBM. Each comparison runs turn
by turn in one process, on one thread. Kernels are compiled beforehand.
"""

import sys
import time
from collections.abc import Callable

import lightgbm
import numpy as np
from threadpoolctl import threadpool_limits

from coterie.blocking import AllPairs
from coterie.features import GivenFeatures
from coterie.learners import LeftLinkRisk, LightTrees, LogisticRisk
from coterie.learners.base import as_examples
from coterie.learners.boosting.pair_sets import featurize_pairs
from coterie.learners.boosting.stopping import BoostingRun
from coterie_papers.corpora import load_gum_coref

N_ROUNDS = 300
TURNS = 2


def timed(job: Callable[[], object]) -> float:
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def main(parts: list[str]) -> None:
    examples = as_examples(*load_gum_coref(split="train"))
    featurizer = GivenFeatures().fit(examples.item_sets)
    data = featurize_pairs(examples, featurizer, AllPairs())
    pairs, matrix = data.pairs, data.matrix
    print(f"{len(pairs):,} pairs × {matrix.shape[1]} columns")
    trees = LightTrees(learning_rate=0.2)

    def boosting(risk) -> BoostingRun:
        return BoostingRun(risk, trees, data, 0)

    if "pass" in parts:
        scores = np.random.default_rng(0).normal(-1.0, 1.0, len(pairs))
        for risk in (LeftLinkRisk(), LeftLinkRisk(0.0), LogisticRisk()):
            risk.descend(pairs, scores)
            seconds = min(timed(lambda risk=risk: risk.descend(pairs, scores)) for _ in range(15))
            print(f"gradients, {risk}: {1e9 * seconds / len(pairs):.1f} ms per million pairs")
    if "training" in parts:
        boosting(LeftLinkRisk()).run(2, 2)
        params = trees._params(matrix.shape[1], 0) | {"objective": "binary"}  # noqa: SLF001

        def binary() -> None:
            data = lightgbm.Dataset(matrix, pairs.together, params=params)
            lightgbm.train(params, data, N_ROUNDS)

        jobs = {
            "LightGBM, binary": binary,
            "structured, left-linking": lambda: boosting(LeftLinkRisk()).run(N_ROUNDS, 2),
            "structured, logistic": lambda: boosting(LogisticRisk()).run(N_ROUNDS, 2),
        }
        times = {name: min(timed(job) for _ in range(TURNS)) for name, job in jobs.items()}
        for name, training_seconds in times.items():
            ratio = training_seconds / times["LightGBM, binary"]
            print(f"{N_ROUNDS} rounds, {name}: {training_seconds:.1f} s, ratio {ratio:.2f}")
    if "prediction" in parts:
        predict(boosting, matrix)


def predict(boosting: Callable[..., BoostingRun], matrix: np.ndarray) -> None:
    from coterie.similarities import Trees  # noqa: PLC0415

    run = boosting(LeftLinkRisk())
    run.run(N_ROUNDS, 2)
    trees = Trees.joined(run.trees)
    params = run.grower._params(matrix.shape[1], 0) | {"objective": "binary"}  # noqa: SLF001
    data = lightgbm.Dataset(matrix, run.data.pairs.together, params=params)
    booster = lightgbm.train(params, data, N_ROUNDS)
    trees(matrix[:10])
    jobs = {
        "LightGBM": lambda: booster.predict(matrix, raw_score=True, num_threads=1),
        "Coterie": lambda: trees(matrix),
    }
    times = {name: min(timed(job) for _ in range(TURNS)) for name, job in jobs.items()}
    for name, seconds in times.items():
        print(f"prediction of all pairs by {N_ROUNDS} trees, {name}: {seconds:.2f} s")


if __name__ == "__main__":
    with threadpool_limits(1, "blas"):
        main(sys.argv[1:] or ["pass", "training", "prediction"])
