"""Left-linking, Sum-Link and Best-Left-Link in plain NumPy: one loop an item, nothing shared.

What is said of an item's links begins with the dummy.
"""

from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from coterie.features.operators import written
from coterie.pairs import all_pairs


class PlainSet(NamedTuple):
    features: np.ndarray
    pairs: np.ndarray
    labels: np.ndarray


class Item(NamedTuple):
    """The features of an item's candidates, from left to right, and which of them are right."""

    features: np.ndarray
    lefts: np.ndarray
    right: np.ndarray


def plain(item_set, truth, featurizer, pairs=None):
    """Write the features of an item set out; None stands for all pairs."""
    matrix = written(featurizer(item_set, pairs))
    matrix = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    listed = getattr(item_set.items, "pairs", None) if pairs is None else pairs
    listed = all_pairs(len(item_set)) if listed is None else listed
    return PlainSet(np.asarray(matrix), listed, np.asarray(truth.labels))


def items_of(given):
    """Go over the items in their order."""
    for item in range(len(given.labels)):
        rows = np.flatnonzero(given.pairs[:, 1] == item)
        rows = rows[np.argsort(given.pairs[rows, 0])]
        lefts = given.pairs[rows, 0]
        yield Item(given.features[rows], lefts, given.labels[lefts] == given.labels[item])


def scores_of(item, coef):
    return np.append(0.0, item.features @ coef)


def right_links(item):
    """The dummy is right where no candidate is."""
    return np.append(not item.right.any(), item.right)


def shares(scores, allowed, gamma):
    """The softmax of the allowed links at temperature γ, the first of the highest at 0."""
    scores = np.where(allowed, scores, -np.inf)
    if gamma == 0:
        return np.eye(len(scores))[np.argmax(scores)]
    return np.exp(scores / gamma - logsumexp(scores / gamma))


def measure(scores, gamma):
    """γ log Σ exp(scores/γ), the maximum at 0."""
    return np.max(scores) if gamma == 0 else gamma * logsumexp(scores / gamma)


def left_link_loss(item, coef, gamma):
    """Return what an item adds to eq. 7, and its part of eq. 8 (Samdani, Chang & Roth 2014)."""
    scores, right = scores_of(item, coef), right_links(item)
    augmented = scores + ~right
    loss = measure(augmented, gamma) - measure(scores[right], gamma)
    pulls = shares(augmented, np.ones(len(scores), bool), gamma) - shares(scores, right, gamma)
    return loss, pulls[1:] @ item.features


def sum_link_loss(item, labels, coef):
    """Return max_c (s_c + [c ≠ c*]) − s_c* over true clusters and a new one, and its gradient."""
    own = labels[item.lefts[item.right][0]] if item.right.any() else "new"
    sums = {"new": np.zeros(item.features.shape[1])}
    for label in np.unique(labels[item.lefts]):
        sums[label] = item.features[labels[item.lefts] == label].sum(axis=0)
    values = {label: total @ coef + (label != own) for label, total in sums.items()}
    worst = max(values, key=lambda label: values[label])  # the first among equals
    return values[worst] - values[own], sums[worst] - sums[own]


def closest_link_examples(item, teach_firsts):
    """Yield the features and the sign of each pair that Best-Left-Link learns from."""
    if item.right.any():
        closest = np.flatnonzero(item.right)[-1]
        yield item.features[closest], 1.0
        for features in item.features[closest + 1 :]:
            yield features, -1.0
    elif teach_firsts:
        for features in item.features:
            yield features, -1.0


def hinge(features, sign, coef):
    loss = 1.0 - sign * (features @ coef)
    return (loss, -sign * features) if loss > 0 else (0.0, 0.0 * features)


def objective(sets, coef, lam, gamma):
    """Eq. 7: item sets count alike, and inside them items do."""
    means = [
        np.mean([left_link_loss(item, coef, gamma)[0] for item in items_of(given)])
        for given in sets
    ]
    return 0.5 * lam * coef @ coef + np.mean(means)


def gradient(sets, coef, lam, gamma):
    """Eq. 8 with the weights 1/(|D| m_d) of eq. 7."""
    means = [
        np.mean([left_link_loss(item, coef, gamma)[1] for item in items_of(given)], axis=0)
        for given in sets
    ]
    return lam * coef + np.mean(means, axis=0)


class Descent:
    """Dense steps w ← w − η_t (g + λ w), with η_t = η₀ / (1 + η₀ λ t)."""

    def __init__(self, coef, rate, lam):
        self.coef, self.rate, self.lam = np.array(coef, dtype=float), rate, lam
        self.total, self.n_steps = np.zeros(len(self.coef)), 0

    @property
    def mean(self):
        return self.total / self.n_steps

    def step(self, slope):
        self.n_steps += 1
        eta = self.rate / (1 + self.rate * self.lam * self.n_steps)
        self.coef = self.coef - eta * (slope + self.lam * self.coef)
        self.total = self.total + self.coef


def descended(sets, losses, start, rate, lam, n_passes):
    """Make passes over all items; `losses(given, item)` yields functions of coef to step on.

    Returns the descent, and ½λ‖w‖² plus the mean loss of an item of each pass.
    """
    descent, history = Descent(start, rate, lam), []
    items = [(given, item) for given in sets for item in items_of(given)]
    for _ in range(n_passes):
        lost = 0.0
        for given, item in items:
            for loss_of in losses(given, item):
                loss, slope = loss_of(descent.coef)
                descent.step(slope)
                lost += loss
        history.append(0.5 * lam * descent.coef @ descent.coef + lost / len(items))
    return descent, history


def all_trees(n_items):
    """Every left-linking tree: of each item the item that it links to plus 1, 0 for the dummy."""
    return np.array(list(product(*(range(item + 1) for item in range(n_items)))), dtype=int)


def link_matrix(scores):
    """Scores of shape n × (n + 1), column 0 the dummy; absent links have −inf."""
    matrix = np.full((scores.n_items, scores.n_items + 1), -np.inf)
    matrix[:, 0] = 0.0
    lefts, items = scores.pairs.T
    matrix[items, lefts + 1] = scores.scores
    return matrix
