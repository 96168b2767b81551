"""Split-merge moves against a plain twin: detailed balance, each step, and what they leave alone.

The kernels keep detailed balance for each launch; the twin takes the same steps from the same
random numbers; and all that the twin may do, enumerated, leaves the posterior as it is.
"""

from collections import Counter
from functools import cache
from itertools import permutations, product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from coterie._kernels.dirichlet.splits import (
    _merge_sides,
    launch,
    list_members,
    log_split_ratio,
    scan,
    split_or_merge,
)
from tests.dirichlet import enumeration
from tests.dirichlet.enumeration import canonical
from tests.dirichlet.test_walks import ITEMS, built, each_kind, each_sharing, model_of
from tests.partitions import all_partitions

KINDS = np.array([0, 1, 1, 0, 1, 0])
"""The types of items, where they are not shared; moves leave them alone."""


class Clusters:
    """The log marginals of the clusters of some items, each computed once."""

    def __init__(self, model, items):
        self.model, self.items = model, items
        self.n_items = len(items.values)
        self.log = cache(self._log)

    def _log(self, members):
        members = sorted(members)
        kinds = None if self.model.shared else tuple(KINDS[members])
        return enumeration.log_cluster(self.model, self.items, members, kinds)

    def side_chance(self, item, low, high):
        """The probability that an item joins the higher of two clusters."""
        logs = [np.log(len(c)) + self.log(c | {item}) - self.log(c) for c in (low, high)]
        return 1 / (1 + np.exp(logs[0] - logs[1]))

    def log_joint(self, labels):
        clusters = [frozenset(np.flatnonzero(np.equal(labels, k)).tolist()) for k in set(labels)]
        prior = enumeration.log_prior(canonical(labels), self.model.alpha)
        return prior + sum(map(self.log, clusters))


class Drawn:
    """Chances decided by the random numbers that the kernels would take."""

    def __init__(self, rng):
        self.rng = rng

    def number(self, count):
        return int(self.rng.integers(0, count))

    def yes(self, chance):
        return self.rng.random() < chance

    def skip(self):
        self.rng.random()

    def accepts(self, chance):
        return 1 - self.rng.random() < chance


class Scripted:
    """Choices by a script, and 0 beyond its end; `untried` has the scripts of other choices."""

    def __init__(self, script):
        self.script, self.path, self.untried, self.probability = script, [], [], 1.0

    def _decide(self, chances):
        is_scripted = len(self.path) < len(self.script)
        choice = self.script[len(self.path)] if is_scripted else 0
        if not is_scripted:
            self.untried += [[*self.path, other] for other in range(1, len(chances))]
        self.path.append(choice)
        self.probability *= chances[choice]
        return choice

    def number(self, count):
        return self._decide([1 / count] * count)

    def yes(self, chance):
        return self._decide([1 - chance, chance]) == 1

    accepts = yes

    def skip(self):
        pass


def plain_scan(clusters, order, sides, fate, forced=None):
    """Draw the side of each item in order, and return the probability of the draws."""
    total = 1.0
    for item in order:
        sides.pop(item, None)
        low, high = (frozenset(i for i, s in sides.items() if s == side) for side in (0, 1))
        chance = clusters.side_chance(item, low, high)
        if forced is None:
            sides[item] = int(fate.yes(chance))
        else:
            fate.skip()
            sides[item] = forced[item]
        total *= chance if sides[item] else 1 - chance
    return total


def plain_move(clusters, labels, n_scans, fate):
    """Make one move, and return the partition."""
    first, second = fate.number(clusters.n_items), fate.number(clusters.n_items - 1)
    second += second >= first
    clusters_of_pair = {labels[first], labels[second]}
    order = [i for i, k in enumerate(labels) if k in clusters_of_pair and i not in (first, second)]
    for index in range(len(order) - 1, 0, -1):
        other = fate.number(index + 1)
        order[index], order[other] = order[other], order[index]
    sides = {first: 0, second: 1}
    for _ in range(1 + n_scans):
        plain_scan(clusters, order, sides, fate)
    merging = len(clusters_of_pair) == 2
    now = {item: int(labels[item] == labels[second]) for item in sides}
    proposed = plain_scan(clusters, order, sides, fate, now if merging else None)
    changed = list(labels)
    for item, side in sides.items():
        changed[item] = labels[first] if merging or not side else len(labels)
    ratio = np.exp(clusters.log_joint(changed) - clusters.log_joint(labels))
    ratio *= proposed if merging else 1 / proposed
    return canonical(changed if fate.accepts(min(1.0, ratio)) else labels)


def state_of(model, items, labels, count=6):
    return built(items, model, labels, KINDS[: len(labels)], max(labels) + 1 + count)


@each_sharing
@each_kind
@pytest.mark.parametrize("n_scans", [0, 1, 2])
def test_moves_are_those_of_the_plain_twin(kind, n_scans, shared):
    model, items = model_of(shared), ITEMS[kind](6)
    clusters = Clusters(model, items)
    starts, observed, changes = list(all_partitions(6)), items.observed(model), 0
    for seed in range(200):
        labels = starts[seed * 37 % len(starts)]
        state = state_of(model, items, labels)
        split_or_merge(state, observed, model.mixture, np.random.default_rng(seed), n_scans, 1)
        fate = Drawn(np.random.default_rng(seed))
        moved = canonical(state.labels.tolist())
        assert moved == plain_move(clusters, labels, n_scans, fate)
        changes += moved != tuple(labels)
    assert 40 < changes < 180


@each_sharing
@pytest.mark.parametrize(("kind", "n_scans"), [("vectors", 1), ("distances", 0)])
def test_all_that_a_move_may_do_leaves_the_posterior(kind, n_scans, shared):
    model, items = model_of(shared), ITEMS[kind](4)
    clusters = Clusters(model, items)
    truth = enumeration.posterior(model, items, None if shared else KINDS)
    after, stay = Counter(), 0.0
    for labels, probability in truth.items():
        scripts, total = [[]], 0.0
        while scripts:
            fate = Scripted(scripts.pop())
            moved = plain_move(clusters, labels, n_scans, fate)
            after[moved] += probability * fate.probability
            stay += probability * fate.probability * (moved == labels)
            total += fate.probability
            scripts += fate.untried
        assert_allclose(total, 1, rtol=1e-12)
    assert_allclose([after[labels] for labels in truth], list(truth.values()), rtol=1e-10)
    assert stay < 0.9


@each_sharing
@each_kind
def test_detailed_balance_holds_from_each_launch(kind, shared):
    """π(merged) q(launch → split) a(split) = π(split) a(merge), whatever the launch."""
    model, items = model_of(shared), ITEMS[kind](6)
    clusters = Clusters(model, items)
    truth = enumeration.posterior(model, items, None if shared else KINDS)
    merged = np.array([0, 0, 1, 0, 0, 0])  # the cluster of item 2 has no part in it
    for order in permutations([1, 3, 5]):
        members = np.array([4, 0, *order])
        for ends in product(product([0, 1], repeat=3), repeat=2):
            launched, goal_sides = np.array([[0, 1, *sides] for sides in ends])
            split = np.array(
                canonical(np.where(np.isin(np.arange(6), members[goal_sides == 1]), 2, merged))
            )
            log_q, log_ratio = forced(model, items, merged, members, launched, goal_sides)
            again = forced(model, items, split, members, launched, goal_sides)
            assert_allclose(again, (log_q, log_ratio), rtol=1e-9, atol=1e-9)
            sides_by_item, goal_by_item = (
                dict(zip(members.tolist(), s.tolist(), strict=True)) for s in (launched, goal_sides)
            )
            proposed = plain_scan(clusters, order, sides_by_item, Scripted([]), goal_by_item)
            assert_allclose(log_q, np.log(proposed), rtol=1e-9, atol=1e-9)
            forth = np.exp(log_q) * min(1.0, np.exp(log_ratio - log_q))
            back = min(1.0, np.exp(again[0] - again[1]))
            assert_allclose(truth[tuple(merged)] * forth, truth[tuple(split)] * back, rtol=1e-8)


def forced(model, items, labels, members, launched, goal_sides):
    """Launch a move, scan to the launched sides, and from there to the goal sides.

    Returns log q of the last scan, and the log ratio of the split to the merged cluster. The state
    has one of these two, and the other one is built for the ratio.
    """
    observed, mixture, rng = items.observed(model), model.mixture, np.random.default_rng(0)
    state, of_vectors = state_of(model, items, labels), items.vectors is not None
    movers, sides = np.empty((2, len(labels)), dtype=np.intp)
    movers = movers[: list_members(state, movers, *members[:2])]
    assert set(movers) == set(members)
    pulls = np.empty((len(observed.squares), 2, state.p.shape[1]))
    launch(state, observed, mixture, rng, movers, sides, pulls, 1)
    assert movers[:2].tolist() == members[:2].tolist()
    order = [movers.tolist().index(member) for member in members]  # the launch shuffles
    sides, pulls = sides[order], pulls[order] if len(pulls) else pulls
    scan(state, observed, mixture, rng, members, sides, pulls, launched)
    log_q = scan(state, observed, mixture, rng, members, sides, pulls, goal_sides)
    assert sides.tolist() == goal_sides.tolist()
    low, high = state.active[state.n_clusters[0] + 1 :][:2]
    slot, other_slot = state.labels[members[:2]]
    if slot == other_slot:
        return log_q, log_split_ratio(state, mixture, of_vectors, low, high, slot)
    merged_slot = _merge_sides(state, observed, mixture, members, sides, pulls)
    return log_q, log_split_ratio(state, mixture, of_vectors, slot, other_slot, merged_slot)
