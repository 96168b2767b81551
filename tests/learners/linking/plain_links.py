"""Left-linking, Sum-Link and Best-Left-Link in plain NumPy, with one loop per item.

Arrays over the links of an item start with the dummy link, which means a new cluster.
"""

from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from coterie.features.operators import to_matrix
from coterie.pairs import all_pairs


class PlainSet(NamedTuple):
    features: np.ndarray
    pairs: np.ndarray
    labels: np.ndarray


class Item(NamedTuple):
    """The features of an item's candidates, from left to right, and which links are correct."""

    features: np.ndarray
    lefts: np.ndarray
    is_correct: np.ndarray


def as_plain_set(item_set, truth, featurizer, pairs=None):
    """Write out the features of an item set; `pairs=None` means all pairs."""
    matrix = to_matrix(featurizer(item_set, pairs))
    matrix = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    candidates = getattr(item_set.items, "pairs", None) if pairs is None else pairs
    candidates = all_pairs(len(item_set)) if candidates is None else candidates
    return PlainSet(np.asarray(matrix), candidates, np.asarray(truth.labels))


def items_of(plain_set):
    """Yield the items in their order."""
    for item in range(len(plain_set.labels)):
        rows = np.flatnonzero(plain_set.pairs[:, 1] == item)
        rows = rows[np.argsort(plain_set.pairs[rows, 0])]
        lefts = plain_set.pairs[rows, 0]
        yield Item(
            plain_set.features[rows], lefts, plain_set.labels[lefts] == plain_set.labels[item]
        )


def scores_of(item, coef):
    return np.append(0.0, item.features @ coef)


def correct_links(item):
    """Return which links are correct; the dummy is if no candidate is."""
    return np.append(not item.is_correct.any(), item.is_correct)


def link_probabilities(scores, allowed, gamma):
    """Return the softmax of the allowed links at temperature γ; at γ = 0, the first best link."""
    scores = np.where(allowed, scores, -np.inf)
    if gamma == 0:
        return np.eye(len(scores))[np.argmax(scores)]
    return np.exp(scores / gamma - logsumexp(scores / gamma))


def soft_max(scores, gamma):
    """Return γ log Σ exp(scores/γ), or the maximum if γ = 0."""
    return np.max(scores) if gamma == 0 else gamma * logsumexp(scores / gamma)


def left_link_loss(item, coef, gamma):
    """Return an item's loss in eq. 7 and its gradient in eq. 8 (Samdani, Chang & Roth 2014)."""
    scores, is_correct = scores_of(item, coef), correct_links(item)
    augmented = scores + ~is_correct
    loss = soft_max(augmented, gamma) - soft_max(scores[is_correct], gamma)
    link_gradient = link_probabilities(augmented, np.ones(len(scores), bool), gamma)
    link_gradient -= link_probabilities(scores, is_correct, gamma)
    return loss, link_gradient[1:] @ item.features


def sum_link_loss(item, labels, coef):
    """Return max_c (s_c + [c ≠ c*]) − s_c* over true clusters and a new one, and its gradient."""
    true_label = labels[item.lefts[item.is_correct][0]] if item.is_correct.any() else "new"
    sums = {"new": np.zeros(item.features.shape[1])}
    for label in np.unique(labels[item.lefts]):
        sums[label] = item.features[labels[item.lefts] == label].sum(axis=0)
    values = {label: total @ coef + (label != true_label) for label, total in sums.items()}
    worst = max(values, key=lambda label: values[label])  # the first among equals
    return values[worst] - values[true_label], sums[worst] - sums[true_label]


def closest_link_examples(item, teach_firsts):
    """Yield the features and the sign of each pair that Best-Left-Link learns from."""
    if item.is_correct.any():
        closest = np.flatnonzero(item.is_correct)[-1]
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
    """Return eq. 7, in which item sets weigh the same, and so do the items of a set."""
    means = [
        np.mean([left_link_loss(item, coef, gamma)[0] for item in items_of(plain_set)])
        for plain_set in sets
    ]
    return 0.5 * lam * coef @ coef + np.mean(means)


def gradient(sets, coef, lam, gamma):
    """Return eq. 8 with the weights 1/(|D| m_d) of eq. 7."""
    means = [
        np.mean([left_link_loss(item, coef, gamma)[1] for item in items_of(plain_set)], axis=0)
        for plain_set in sets
    ]
    return lam * coef + np.mean(means, axis=0)


class Descent:
    """A descent by dense steps w ← w − η_t (g + λ w), with η_t = η₀ / (1 + η₀ λ t)."""

    def __init__(self, coef, rate, lam):
        self.coef, self.rate, self.lam = np.array(coef, dtype=float), rate, lam
        self.total, self.n_steps = np.zeros(len(self.coef)), 0

    @property
    def mean(self):
        return self.total / self.n_steps

    def step(self, loss_gradient):
        self.n_steps += 1
        eta = self.rate / (1 + self.rate * self.lam * self.n_steps)
        self.coef = self.coef - eta * (loss_gradient + self.lam * self.coef)
        self.total = self.total + self.coef


def run_passes(sets, losses, start, rate, lam, n_passes):
    """Make passes over all items, with a step for each loss that `losses(plain_set, item)` yields.

    Losses are functions of coef. Returns the descent, and for each pass the objective: ½λ‖w‖² plus
    the mean loss of an item.
    """
    descent, history = Descent(start, rate, lam), []
    items = [(plain_set, item) for plain_set in sets for item in items_of(plain_set)]
    for _ in range(n_passes):
        total_loss = 0.0
        for plain_set, item in items:
            for loss_of in losses(plain_set, item):
                loss, loss_gradient = loss_of(descent.coef)
                descent.step(loss_gradient)
                total_loss += loss
        history.append(0.5 * lam * descent.coef @ descent.coef + total_loss / len(items))
    return descent, history


def all_trees(n_items):
    """Return all left-linking trees, one per row: each item's link plus 1, or 0 for the dummy."""
    return np.array(list(product(*(range(item + 1) for item in range(n_items)))), dtype=int)


def link_matrix(scores):
    """Return the scores as n × (n + 1) matrix, with the dummy in column 0 and −inf if absent."""
    matrix = np.full((scores.n_items, scores.n_items + 1), -np.inf)
    matrix[:, 0] = 0.0
    lefts, items = scores.pairs.T
    matrix[items, lefts + 1] = scores.scores
    return matrix
