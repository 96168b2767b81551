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


class Told:
    """Chances decided by a script, and by 0 beyond its end; `others` are scripts not taken."""

    def __init__(self, script):
        self.script, self.path, self.others, self.probability = script, [], [], 1.0

    def _decide(self, chances):
        known = len(self.path) < len(self.script)
        choice = self.script[len(self.path)] if known else 0
        if not known:
            self.others += [[*self.path, other] for other in range(1, len(chances))]
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
    """Draw the side of each item of the order; return the probability of what came."""
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
    here = {labels[first], labels[second]}
    order = [i for i, k in enumerate(labels) if k in here and i not in (first, second)]
    for at in range(len(order) - 1, 0, -1):
        other = fate.number(at + 1)
        order[at], order[other] = order[other], order[at]
    sides = {first: 0, second: 1}
    for _ in range(1 + n_scans):
        plain_scan(clusters, order, sides, fate)
    merging = len(here) == 2
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
    starts, seen, changes = list(all_partitions(6)), items.seen(model), 0
    for seed in range(200):
        labels = starts[seed * 37 % len(starts)]
        state = state_of(model, items, labels)
        split_or_merge(state, seen, model.mixture, np.random.default_rng(seed), n_scans, 1)
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
        scripts, whole = [[]], 0.0
        while scripts:
            fate = Told(scripts.pop())
            moved = plain_move(clusters, labels, n_scans, fate)
            after[moved] += probability * fate.probability
            stay += probability * fate.probability * (moved == labels)
            whole += fate.probability
            scripts += fate.others
        assert_allclose(whole, 1, rtol=1e-12)
    assert_allclose([after[each] for each in truth], list(truth.values()), rtol=1e-10)
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
            launched, wanted = np.array([[0, 1, *sides] for sides in ends])
            split = np.array(
                canonical(np.where(np.isin(np.arange(6), members[wanted == 1]), 2, merged))
            )
            log_q, log_ratio = forced(model, items, merged, members, launched, wanted)
            again = forced(model, items, split, members, launched, wanted)
            assert_allclose(again, (log_q, log_ratio), rtol=1e-9, atol=1e-9)
            now, goal = (
                dict(zip(members.tolist(), s.tolist(), strict=True)) for s in (launched, wanted)
            )
            proposed = plain_scan(clusters, order, now, Told([]), goal)
            assert_allclose(log_q, np.log(proposed), rtol=1e-9, atol=1e-9)
            forth = np.exp(log_q) * min(1.0, np.exp(log_ratio - log_q))
            back = min(1.0, np.exp(again[0] - again[1]))
            assert_allclose(truth[tuple(merged)] * forth, truth[tuple(split)] * back, rtol=1e-8)


def forced(model, items, labels, members, launched, wanted):
    """Launch a move, scan to some sides, and from there to those wanted.

    Return log q of that scan and the log ratio of the two sides to the cluster of all, each of
    which is in the state that it can be in.
    """
    seen, mixture, rng = items.seen(model), model.mixture, np.random.default_rng(0)
    state, of_vectors = state_of(model, items, labels), items.vectors is not None
    listed, sides = np.empty((2, len(labels)), dtype=np.intp)
    listed = listed[: list_members(state, listed, *members[:2])]
    assert set(listed) == set(members)
    pulls = np.empty((len(seen.squares), 2, state.p.shape[1]))
    launch(state, seen, mixture, rng, listed, sides, pulls, 1)
    assert listed[:2].tolist() == members[:2].tolist()
    order = [listed.tolist().index(member) for member in members]  # the launch shuffles
    sides, pulls = sides[order], pulls[order] if len(pulls) else pulls
    scan(state, seen, mixture, rng, members, sides, pulls, launched)
    log_q = scan(state, seen, mixture, rng, members, sides, pulls, wanted)
    assert sides.tolist() == wanted.tolist()
    low, high = state.active[state.n_clusters[0] + 1 :][:2]
    slot, gone = state.labels[members[:2]]
    if slot == gone:
        return log_q, log_split_ratio(state, mixture, of_vectors, low, high, slot)
    whole = _merge_sides(state, seen, mixture, members, sides, pulls)
    return log_q, log_split_ratio(state, mixture, of_vectors, slot, gone, whole)
