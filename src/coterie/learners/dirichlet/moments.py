"""What training clusters say of the variance within and between clusters."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from coterie._core.arrays import Floats, Ints

LEAST = 1e-2
"""The least variance of a feature, as a share of the lower quartile over features."""
SMALLEST = 1e-6
"""The least variance within or between clusters, as a share of both."""


class Moments(NamedTuple):
    """Where cluster means are, and the variances of items within clusters and of cluster means."""

    centre: Floats
    within: Floats
    between: Floats

    @classmethod
    def of_vectors(cls, matrices: Sequence[Floats], labels: Sequence[Ints]) -> Self:
        """Take them from vectors and their clusters."""
        n_features = matrices[0].shape[1]
        scatter, means = np.zeros(n_features), [np.empty((0, n_features))]
        for matrix, own in zip(matrices, labels, strict=True):
            means.append(_averages(own) @ matrix)
            scatter += np.square(matrix - means[-1][own]).sum(axis=0)
        found = np.concatenate(means)
        centre = _mean(found)
        spread = np.square(found - centre).sum(axis=0) / max(1, len(found) - 1)
        return cls(centre, *_variances(scatter, spread, _sizes(labels)))

    @classmethod
    def of_distances(cls, squares: Sequence[Floats], labels: Sequence[Ints]) -> Self:
        """Take them from squared distances, (n, n, features), and the clusters of items."""
        n_features = squares[0].shape[2]
        scatter, gaps = np.zeros(n_features), [np.empty((0, n_features))]
        for square, own in zip(squares, labels, strict=True):
            if not len(own):
                continue
            averages = _averages(own)
            inside = 0.5 * np.einsum("ki,ijf,kj->kf", averages, square, averages, optimize=True)
            scatter += np.bincount(own) @ inside
            from_all = square.mean(axis=1) - 0.5 * square.mean(axis=(0, 1))
            gaps.append(np.maximum(averages @ from_all - inside, 0.0))
        spread = _mean(np.concatenate(gaps))
        return cls(np.zeros(n_features), *_variances(scatter, spread, _sizes(labels)))


def _averages(labels: Ints) -> Floats:
    """Return the matrix that takes the mean over each cluster."""
    members = (np.arange(labels.max(initial=-1) + 1)[:, None] == labels).astype(np.float64)
    averages: Floats = members / members.sum(axis=1, keepdims=True)
    return averages


def _sizes(labels: Sequence[Ints]) -> Ints:
    """Return the sizes of all clusters."""
    return np.concatenate([np.bincount(own) for own in labels])


def _mean(rows: Floats) -> Floats:
    mean: Floats = rows.mean(axis=0) if len(rows) else np.zeros(rows.shape[1])
    return mean


def _variances(scatter: Floats, spread: Floats, sizes: Ints) -> tuple[Floats, Floats]:
    """Return the variance within clusters and that of true means, whose estimates have noise."""
    freedom = int(sizes.sum()) - len(sizes)
    # Where every item is alone, nothing tells them apart; a tenth leaves room for clusters.
    within = scatter / freedom if freedom else 0.1 * spread
    noise = within * np.mean(1.0 / np.maximum(sizes, 1)) if len(sizes) else 0.0
    between = np.maximum(spread - noise, 0.05 * spread)
    total = within + spread
    return (
        _floored(np.maximum(within, SMALLEST * total)),
        _floored(np.maximum(between, SMALLEST * total)),
    )


def _floored(variances: Floats) -> Floats:
    """Keep features apart from 0: those that do not vary in training would decide everything."""
    known = variances[variances > 0.0]
    if not known.size:
        return np.ones(len(variances))
    # Not by the mean, which is that of the features in the largest units.
    return np.maximum(variances, LEAST * np.quantile(known, 0.25, method="lower"))
