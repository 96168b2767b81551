"""Time the Markov chains over partitions of a Dirichlet-process mixture.

    python benchmarks/dirichlet.py [updates] [clusters] [papers]

`updates` counts updates of single items per second and effective samples per second, for 10,000
items of 10 features in 20 clusters, and compares with the variational mixture of scikit-learn.
`clusters` starts with all of 10,000 items of 50 features in one cluster. It measures the time until
there are 18 to 22 clusters (20 is right), with and without split-merge moves. `papers` counts
sweeps per second over sets of the sizes in Daumé & Marcu (2004). Data are synthetic. Times are of
one core, rates are those of the quickest round. Kernels are compiled beforehand.
"""

import sys
import time
import warnings

import numpy as np
from sklearn.mixture import BayesianGaussianMixture
from threadpoolctl import threadpool_limits

from coterie._core.arrays import Floats, Ints
from coterie._kernels.dirichlet.clusters import LOG_2PI, Mixture, ObservedItems, as_state
from coterie.dirichlet.chains import Chain, Moves, Schedule, start_chain
from coterie.dirichlet.diagnostics import effective_sample_size

N_ITEMS, N_CLUSTERS = 10_000, 20
MOVES = {
    "collapsed (3)": Moves(3),
    "conditional (2)": Moves(2),
    "auxiliary (8)": Moves(8, n_auxiliary=3),
}
SPLITS = {"n_scans": 2, "n_splits": 5}
BUDGET, SEEDS = 60.0, range(3)
RNG = np.random.default_rng


def make_items(n_features: int, spread: float, seed: int) -> tuple[Floats, Ints]:
    """Draw centres with some spread, and items around them with noise of variance 1."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(0.0, spread, (N_CLUSTERS, n_features))
    truth = rng.integers(N_CLUSTERS, size=N_ITEMS)
    return centres[truth] + rng.normal(size=(N_ITEMS, n_features)), truth


def as_vectors(vectors: Floats) -> ObservedItems:
    n_items, n_features = vectors.shape
    nothing = np.empty((0, 0, n_features)), np.empty((0, n_features))
    return ObservedItems(vectors, *nothing, np.empty((n_items, 0), dtype=np.intp))


def as_distances(vectors: Floats) -> ObservedItems:
    n_items, n_features = vectors.shape
    squares = (vectors[:, None] - vectors[None]) ** 2
    codes = np.empty((n_items, 0), dtype=np.intp)
    return ObservedItems(np.empty((0, n_features)), squares, vectors**2, codes)


def as_mixture(precisions: Floats, variance: float, *, shared: bool = False) -> Mixture:
    """Return a mixture of equally likely types of items, with α = 1."""
    n_types, n_features = precisions.shape
    half_logs = 0.5 * (np.log(precisions).sum(axis=1) - n_features * LOG_2PI)
    tau, nothing = np.full(n_features, 1 / variance), np.empty(0)
    shares = np.full(n_types, -np.log(n_types))
    return Mixture(precisions, shares, half_logs, tau, 1.0, shared, nothing, nothing)


def compile_for(observed: ObservedItems, mixture: Mixture, moves: Moves) -> None:
    """Compile the kernels by a few sweeps over four items."""
    squares = np.ascontiguousarray(observed.squares[:4, :4])
    first_items = ObservedItems(
        observed.vectors[:4], squares, observed.origins[:4], observed.codes[:4]
    )
    start_chain(0, first_items, mixture, moves, Schedule(0, 3, 1), 0).advance(3)


def seconds_per_sweep(chain: Chain, n_sweeps: int, n_rounds: int = 1) -> float:
    """Make more sweeps in rounds, and return the CPU seconds per sweep of the quickest round."""
    times = []
    for _ in range(n_rounds):
        begin = time.process_time()
        chain.advance(int(chain.state.progress[0]) + n_sweeps // n_rounds)
        times.append((time.process_time() - begin) / (n_sweeps // n_rounds))
    return min(times)


def indicator_of_unsure_pair(labels: Ints) -> Floats:
    """Return, for the pair that is together in about half of the samples, in which samples."""
    sampled_labels = labels[:, np.random.default_rng(0).choice(labels.shape[1], 200, replace=False)]
    together = np.array(
        [(sampled_labels == sampled_labels[:, [item]]) for item in range(200)]
    ).mean(axis=1)
    first, second = np.unravel_index(np.argmin(np.abs(together - 0.5)), together.shape)
    return (sampled_labels[:, first] == sampled_labels[:, second]).astype(float)


def updates() -> None:
    print(f"{N_ITEMS:,} items × 10 features, {N_CLUSTERS} clusters, one type of items, one core")
    columns = ("clusters", "updates/s", "ESS/s log joint", "ESS/s pair")
    print(f"{'':32}" + "".join(f"{column:>17}" for column in columns))
    for name, spread in (("far apart", 4.0), ("overlapping", 1.0)):
        vectors, true_labels = make_items(10, spread, 0)
        observed, mixture = as_vectors(vectors), as_mixture(np.ones((1, 10)), spread**2)
        for kind, moves in MOVES.items():
            compile_for(observed, mixture, moves)
            state = as_state(true_labels, np.zeros(N_ITEMS, dtype=np.intp), 64, mixture)
            chain = Chain(observed, mixture, moves, Schedule(100, 500, 1), state, RNG(0))
            seconds_per_sweep(chain, 100)
            seconds = seconds_per_sweep(chain, 500, 10)
            columns_of_row = f"{chain.state.n_clusters[0]:17}{N_ITEMS / seconds:17,.0f}"
            if spread < 4.0:  # where clusters are far apart, no item moves
                for values in (chain.log_joint, indicator_of_unsure_pair(chain.labels)):
                    columns_of_row += f"{effective_sample_size(values[None]) / seconds / 500:17.1f}"
            print(f"{name:16}{kind:16}{columns_of_row}")
        fit_scikit_learn(vectors, name)


def fit_scikit_learn(vectors: Floats, name: str) -> None:
    """Fit the mixture of scikit-learn, which approximates the posterior and draws no samples."""
    model = BayesianGaussianMixture(
        n_components=2 * N_CLUSTERS,
        covariance_type="diag",
        weight_concentration_prior_type="dirichlet_process",
        random_state=0,
    )
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        predicted = model.fit_predict(vectors)
    seconds = time.process_time() - begin
    n_found = len(np.unique(predicted))
    print(
        f"{name:16}{'scikit-learn':16}{n_found:17}{'':8}{seconds:.1f} s for {model.n_iter_} rounds"
    )


def clusters() -> None:
    print(f"{N_ITEMS:,} items × 50 features in {N_CLUSTERS} clusters, from one cluster")
    print(f"{'':52}{'CPU s to 18-22':>16}{'clusters then':>15}{'1 s on':>7}")
    for name, spread, variance in (
        ("centres N(0, 4²), prior the same", 4.0, 16.0),
        ("centres N(0, 1), prior N(0, 100²)", 1.0, 1e4),
    ):
        for seed in SEEDS:
            vectors, _ = make_items(50, spread, seed)
            observed, mixture = as_vectors(vectors), as_mixture(np.ones((1, 50)), variance)
            seconds = BUDGET
            for kind, moves in (
                ("split-merge", Moves(3, **SPLITS)),
                ("single items", Moves(3)),
            ):
                compile_for(observed, mixture, moves)
                chain = start_chain(0, observed, mixture, moves, Schedule(0, 1, 10**9), seed)
                seconds_needed, seconds_walked = walk_to_true_number(chain, seconds)
                n_clusters = chain.state.n_clusters[0]
                n_clusters_later = clusters_after(chain, 1.0)
                duration = (
                    f"{seconds_needed:16.2f}"
                    if seconds_needed < np.inf
                    else f"{'not within':>10}{seconds_walked:6.2f}"
                )
                print(f"{name:36}{kind:13}{seed:3}{duration}{n_clusters:15}{n_clusters_later:7}")
                seconds = max(seconds_walked, 2.0)


def walk_to_true_number(chain: Chain, limit: float) -> tuple[float, float]:
    """Walk until there are 18 to 22 clusters; return the seconds until then, or ∞, and in total."""
    begin, seconds = time.process_time(), 0.0
    while seconds < limit:
        chain.advance(int(chain.state.progress[0]) + 1)
        seconds = time.process_time() - begin
        if 18 <= chain.state.n_clusters[0] <= 22:
            return seconds, seconds
    return np.inf, seconds


def clusters_after(chain: Chain, seconds: float) -> int:
    """Continue for some seconds, and return the number of clusters."""
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        chain.advance(int(chain.state.progress[0]) + 1)
    return int(chain.state.n_clusters[0])


def papers() -> None:
    print("sweeps per second, 5 types: without and with 5 split-merge moves after each sweep")
    print(f"{'':34}{'algorithm':16}{'one type per item':>24}{'one type per cluster':>24}")
    rng = np.random.default_rng(0)
    digits = rng.normal(size=(5, 256))[rng.integers(5, size=100)] + rng.normal(size=(100, 256))
    references = rng.normal(size=(100, 7))[rng.integers(100, size=756)] * 4
    references += rng.normal(size=(756, 7))
    for name, vectors, variance in (
        ("digits: 100 items × 256", digits, 1.0),
        ("citations: 756 distances × 7", references, 16.0),
    ):
        of_digits = vectors is digits
        observed = as_vectors(vectors) if of_digits else as_distances(vectors)
        precisions = rng.gamma(20.0, 1 / 20.0, (5, vectors.shape[1]))
        for kind, moves in MOVES.items() if of_digits else [("collapsed (3)", Moves(3))]:
            columns = ""
            for shared in (False, True):
                for moves_of_column in (moves, moves._replace(**SPLITS)):
                    mixture = as_mixture(precisions, variance, shared=shared)
                    compile_for(observed, mixture, moves_of_column)
                    chain = start_chain(
                        0, observed, mixture, moves_of_column, Schedule(0, 1, 10**9), 0
                    )
                    seconds_per_sweep(chain, 20)
                    columns += f"{1 / seconds_per_sweep(chain, 30, 5):12.0f}"
            print(f"{name:34}{kind:16}{columns}")


PARTS = {"updates": updates, "clusters": clusters, "papers": papers}

if __name__ == "__main__":
    with threadpool_limits(1):
        for part in sys.argv[1:] or PARTS:
            PARTS[part]()
