"""A Dirichlet-process mixture in plain NumPy: the log joint, and by enumeration the posterior.

A cluster of vectors has the covariance of its items, means integrated out; one of distances the
formula through the origin; categorical values follow one another by Pólya's urn.
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
    """Vectors, or squared distances of pairs and from the origin; values of each dimension."""

    vectors: np.ndarray | None
    squares: np.ndarray
    origins: np.ndarray
    values: np.ndarray

    def seen(self, model):
        ends = np.cumsum([0, *map(len, model.pseudo)])[: len(model.pseudo)]
        codes = np.asarray(self.values + ends, dtype=np.intp)
        n_features = len(model.tau)
        if self.vectors is None:
            given = np.empty((0, n_features)), self.squares, self.origins, codes
        else:
            given = self.vectors, np.empty((0, 0, n_features)), np.empty((0, n_features)), codes
        return ObservedItems(*map(read_only, given))

    def take(self, chosen):
        vectors = None if self.vectors is None else self.vectors[chosen]
        squares = np.ascontiguousarray(self.squares[chosen][:, chosen])
        return Items(vectors, squares, self.origins[chosen], self.values[chosen])


def of_vectors(vectors, values=None):
    """Make items of vectors, with their squared distances."""
    vectors = np.array(vectors, dtype=float)
    squares = (vectors[:, None] - vectors[None]) ** 2
    values = np.empty((len(vectors), 0), dtype=int) if values is None else values
    return Items(vectors, squares, vectors**2, values)


def of_distances(items):
    """Forget the vectors."""
    return items._replace(vectors=None)


def log_density(model, items, members, kinds):
    """Return the log density of what is continuous of a cluster whose items have these types."""
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
        known = tau + w.sum()
        total += 0.5 * (np.log(tau) - np.log(known) + np.log(w / (2 * np.pi)).sum())
        total -= 0.5 * scatter / known
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

    Types that are shared are always summed over; the shares of those given are in it.
    """
    members, logs = list(members), np.log(model.shares)
    if model.shared:
        each = [(j,) * len(members) for j in range(len(logs))]
        terms = [logs[d[0]] + log_density(model, items, members, d) for d in each]
    else:
        each = product(range(len(logs)), repeat=len(members)) if kinds is None else [kinds]
        terms = [logs[list(d)].sum() + log_density(model, items, members, d) for d in each]
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
        given = None if kinds is None else tuple(np.asarray(kinds)[members])
        total += log_cluster(model, items, members, given)
    return total


def posterior(model, items, kinds=None):
    """Return the probability of each partition; given the types of items, or summed over them."""
    known = {}

    def of_cluster(members):
        if members not in known:
            given = None if kinds is None else tuple(kinds[i] for i in members)
            known[members] = log_cluster(model, items, members, given)
        return known[members]

    logs = {}
    for labels in all_partitions(len(items.values)):
        clusters = [
            tuple(np.flatnonzero(np.equal(labels, k)).tolist()) for k in range(max(labels) + 1)
        ]
        logs[tuple(labels)] = log_prior(labels, model.alpha) + sum(map(of_cluster, clusters))
    whole = logsumexp(list(logs.values()))
    return {labels: np.exp(log - whole) for labels, log in logs.items()}


def canonical(labels):
    names = {}
    return tuple(names.setdefault(label, len(names)) for label in labels)
