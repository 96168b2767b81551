"""Sets of scores for the benchmarks of clusterers."""

from pathlib import Path

import numpy as np

from coterie.pairs import PairScores, all_pairs


def correlation_instances(small: bool = False) -> dict[str, PairScores]:
    """Draw sets of noise and sets with planted clusters: dense, sparse, and large sparse ones."""
    shrink = 50 if small else 1
    sizes = {
        "dense": (1_000 // shrink, None, 50, 2.0, 0.0),
        "sparse": (10_000 // shrink, 1_000_000 // shrink**2, 200, 1.5, 0.2),
        "large": (100_000 // shrink, 5_000_000 // shrink**2, 1_000, 1.5, 0.4),
    }
    instances = {}
    for name, (n_items, n_pairs, n_clusters, noise, inside) in sizes.items():
        rng = np.random.default_rng(0)
        labels = rng.integers(max(n_clusters // shrink, 2), size=n_items)
        for kind in ("noise", "planted"):
            if n_pairs is None:
                pairs = all_pairs(n_items)
            else:
                pairs = draw_pairs(rng, labels, n_pairs, inside if kind == "planted" else 0.0)
            deviation = noise if kind == "planted" else 1.0
            scores = rng.normal(0, deviation, len(pairs))
            if kind == "planted":
                scores += np.where(labels[pairs[:, 0]] == labels[pairs[:, 1]], 1.0, -1.0)
            instances[f"{name} {kind}"] = PairScores(n_items, pairs, scores)
    return instances


def draw_pairs(
    rng: np.random.Generator, labels: np.ndarray, n_pairs: int, inside: float
) -> np.ndarray:
    """Draw different pairs, a share of them inside clusters and the rest anywhere."""
    n_items = len(labels)
    n_inside = round(inside * n_pairs)
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(labels.max() + 2))
    first = rng.integers(n_items, size=2 * n_inside)
    low, high = starts[labels[first]], starts[labels[first] + 1]
    second = order[rng.integers(low, high)]
    within = rng.permutation(keys(first, second, n_items))[:n_inside]
    anywhere = keys(*rng.integers(n_items, size=(2, 2 * n_pairs)), n_items)
    rest = rng.permutation(np.setdiff1d(anywhere, within, assume_unique=True))
    chosen = np.sort(np.concatenate([within, rest[: n_pairs - len(within)]]))
    return np.column_stack(np.divmod(chosen, n_items))


def keys(first: np.ndarray, second: np.ndarray, n_items: int) -> np.ndarray:
    low, high = np.minimum(first, second), np.maximum(first, second)
    return np.unique((low * n_items + high)[low < high])


def planted(n_items: int, rng: np.random.Generator, deviation: float = 1.0) -> PairScores:
    """Score pairs inside clusters of about 8 items +1 and all others -1, and add noise."""
    labels = rng.integers(max(2, n_items // 8), size=n_items)
    first, second = all_pairs(n_items).T
    means = np.where(labels[first] == labels[second], 1.0, -1.0)
    return PairScores(n_items, None, means + rng.normal(0, deviation, len(means)))


def with_left_candidates(n_items: int, n_candidates: int) -> PairScores:
    """Draw candidates at random for each item among the earlier items, and score them at random."""
    rng = np.random.default_rng(0)
    items = np.repeat(np.arange(1, n_items), n_candidates)
    left = (rng.random(len(items)) * items).astype(np.intp)
    unique = np.unique(items * n_items + left)
    pairs = np.column_stack(np.divmod(unique, n_items)[::-1])
    return PairScores(n_items, pairs, rng.normal(-1.0, 1.0, len(pairs)))


def read_signed_graph(path: Path) -> PairScores:
    """Read a file of the number of items and one positive pair per line; others are negative."""
    lines = path.read_text(encoding="utf-8").splitlines()
    n_items = int(lines[0].split()[0])
    matrix = np.full((n_items, n_items), -1.0)
    for line in lines[1:]:
        if line.strip():
            i, j = map(int, line.split()[:2])
            matrix[i, j] = matrix[j, i] = 1.0
    np.fill_diagonal(matrix, 0.0)
    return PairScores.from_matrix(matrix)
