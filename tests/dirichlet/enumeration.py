"""A Dirichlet-process mixture in plain NumPy: its log joint, and its posterior by enumeration.

The density of a cluster of vectors is normal, with the covariance of its items when the mean is
integrated out. That of a cluster of distances is the formula with distances from the origin.
Categorical values are drawn one after the other from Pólya's urn.
"""

from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, logsumexp
from scipy.stats import multivariate_normal

from coterie._core.arrays import read_only
from coterie._kernels.dirichlet.clusters import LOG_2PI, Mixture, ObservedItems
from tests.partitions import all_partitions


class Model(NamedTuple):
    precisions: np.ndarray
    shares: np.ndarray
    tau: np.ndarray
    alpha: float
    shared: bool
    pseudo: tuple[np.ndarray, ...] = ()
    """The pseudo-counts of the values of each categorical dimension."""

    @property
    def mixture(self):
        n_features = self.precisions.shape[1]
        half_logs = 0.5 * np.log(self.precisions).sum(axis=1) - n_features / 2 * LOG_2PI
        pseudo_counts = np.concatenate([np.empty(0), *self.pseudo])
        totals = np.array([counts.sum() for counts in self.pseudo], dtype=float)
        types = map(read_only, (self.precisions, np.log(self.shares), half_logs, self.tau))
        counts = map(read_only, (pseudo_counts, totals))
        return Mixture(*types, self.alpha, self.shared, *counts)


class Items(NamedTuple):
    """Vectors, or squared distances of pairs and from the origin, and categorical values."""

    vectors: np.ndarray | None
    squares: np.ndarray
    origins: np.ndarray
    values: np.ndarray

    def observed(self, model):
        """Return the input of kernels."""
        ends = np.cumsum([0, *map(len, model.pseudo)])[: len(model.pseudo)]
        codes = np.asarray(self.values + ends, dtype=np.intp)
        n_features = len(model.tau)
        if self.vectors is None:
            arrays = np.empty((0, n_features)), self.squares, self.origins, codes
        else:
            arrays = self.vectors, np.empty((0, 0, n_features)), np.empty((0, n_features)), codes
        return ObservedItems(*map(read_only, arrays))

    def take(self, indices):
        vectors = None if self.vectors is None else self.vectors[indices]
        squares = np.ascontiguousarray(self.squares[indices][:, indices])
        return Items(vectors, squares, self.origins[indices], self.values[indices])


def of_vectors(vectors, values=None):
    """Make items of vectors, with their squared distances."""
    vectors = np.array(vectors, dtype=float)
    squares = (vectors[:, None] - vectors[None]) ** 2
    values = np.empty((len(vectors), 0), dtype=int) if values is None else values
    return Items(vectors, squares, vectors**2, values)


def of_distances(items):
    """Return the items without their vectors."""
    return items._replace(vectors=None)


def log_density(model, items, members, kinds):
    """Return the log density of the vectors or distances of a cluster, given its items' types."""
    weights = model.precisions[list(kinds)]
    if items.vectors is None:
        return by_distances(model, items, members, weights)
    total = 0.0
    for f, tau in enumerate(model.tau):
        covariance = np.diag(1 / weights[:, f]) + 1 / tau
        total += multivariate_normal(np.zeros(len(members)), covariance).logpdf(
            items.vectors[members, f]
        )
    return total


def by_distances(model, items, members, weights):
    total = 0.0
    for f, tau in enumerate(model.tau):
        w, squares = weights[:, f], items.squares[np.ix_(members, members)][..., f]
        within = sum(w[a] * w[b] * squares[a, b] for b in range(len(w)) for a in range(b))
        scatter = within + tau * (w @ items.origins[members, f])
        precision = tau + w.sum()
        total += 0.5 * (np.log(tau) - np.log(precision) + np.log(w / (2 * np.pi)).sum())
        total -= 0.5 * scatter / precision
    return total


def log_values(model, items, members):
    """Return the log probability of the categorical values of a cluster, one item at a time."""
    total = 0.0
    for g, pseudo in enumerate(model.pseudo):
        urn = pseudo.copy()
        for value in items.values[members, g]:
            total += np.log(urn[value] / urn.sum())
            urn[value] += 1
    return total


def log_cluster(model, items, members, kinds=None):
    """Return the log marginal of a cluster, summed over the types that are not given.

    The result includes the shares of the types. Shared types are always summed over.
    """
    members, logs = list(members), np.log(model.shares)
    if model.shared:
        type_choices = [(j,) * len(members) for j in range(len(logs))]
        shares = [logs[choice[0]] for choice in type_choices]
    else:
        all_choices = product(range(len(logs)), repeat=len(members))
        type_choices = list(all_choices) if kinds is None else [kinds]
        shares = [logs[list(choice)].sum() for choice in type_choices]
    densities = [log_density(model, items, members, choice) for choice in type_choices]
    terms = np.add(shares, densities)
    return float(logsumexp(terms)) + log_values(model, items, members)


def log_prior(labels, alpha):
    sizes = np.bincount(labels)
    total = np.log(alpha + np.arange(len(labels))).sum()
    return float(len(sizes) * np.log(alpha) + gammaln(sizes).sum() - total)


def log_joint(model, items, labels, kinds=None):
    """Return the log joint of a partition with canonical labels, items, and types if given."""
    total = log_prior(labels, model.alpha)
    for cluster in range(max(labels) + 1):
        members = np.flatnonzero(np.equal(labels, cluster))
        cluster_kinds = None if kinds is None else tuple(np.asarray(kinds)[members])
        total += log_cluster(model, items, members, cluster_kinds)
    return total


def posterior(model, items, kinds=None):
    """Return the probability of each partition, given the types of items or summed over them."""
    log_marginals = {}

    def of_cluster(members):
        if members not in log_marginals:
            cluster_kinds = None if kinds is None else tuple(kinds[i] for i in members)
            log_marginals[members] = log_cluster(model, items, members, cluster_kinds)
        return log_marginals[members]

    logs = {}
    for labels in all_partitions(len(items.values)):
        clusters = [
            tuple(np.flatnonzero(np.equal(labels, k)).tolist()) for k in range(max(labels) + 1)
        ]
        logs[tuple(labels)] = log_prior(labels, model.alpha) + sum(map(of_cluster, clusters))
    log_total = logsumexp(list(logs.values()))
    return {labels: np.exp(log - log_total) for labels, log in logs.items()}


def canonical(labels):
    names = {}
    return tuple(names.setdefault(label, len(names)) for label in labels)
