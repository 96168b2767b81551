"""Latent spanning forests, by enumeration of all forests of small item sets."""

from functools import cache
from itertools import chain, combinations

import numpy as np
import piqp
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import coterie
from coterie.blocking import Window
from coterie.checks import check_learner
from coterie.clusterers import SpanningForest
from coterie.exceptions import InputError, InterruptedWarning
from coterie.features import DenseFeatures, GivenFeatures
from coterie.items import ItemSet
from coterie.learners.linking.cccp import CCCP
from coterie.learners.linking.spanning_forest import ForestRisk, Forests, SpanningForestLearner
from coterie.losses import LinkLoss
from coterie.objectives import Forest
from coterie.pairs import PairScores, all_pairs
from coterie.partition import Partition

N_COLUMNS = 3
SOME_PAIRS = np.array([[0, 1], [0, 3], [1, 2], [1, 4], [2, 3], [3, 4]])


@cache
def all_forests(candidates, n_items):
    """Return every set of candidate pairs without a cycle, as rows of 0 and 1."""
    pairs, indices = np.array(candidates, dtype=int).reshape(-1, 2), range(len(candidates))
    sets = chain.from_iterable(combinations(indices, size) for size in range(n_items))
    forests = [
        np.isin(indices, links)
        for links in map(list, sets)
        if Partition.from_links(pairs[links], n_items).n_clusters == n_items - len(links)
    ]
    return np.array(forests, dtype=float)


def losses(forests, pairs, truth):
    """Return n − k − Σ ±1 of Yu & Joachims 2009, with the k clusters that the pairs connect."""
    together = truth.together(pairs)
    n_clusters = Partition.from_links(pairs[together], len(truth)).n_clusters
    return len(truth) - n_clusters - forests @ np.where(together, 1.0, -1.0)


class ForestsOfSet:
    """An item set with all its forests, and which of them span its true clusters."""

    def __init__(self, seed, n_items, pairs=None):
        rng = np.random.default_rng(seed)
        self.pairs = pairs
        self.truth = Partition(rng.integers(3, size=n_items))
        candidates = all_pairs(n_items) if pairs is None else pairs
        self.features = rng.normal(size=(len(candidates), N_COLUMNS))
        self.features[:, 0] += self.truth.together(candidates)
        self.forests = all_forests(tuple(map(tuple, candidates.tolist())), n_items)
        self.losses = losses(self.forests, candidates, self.truth)
        self.spans_truth = self.losses == 0
        self.psi = self.forests @ self.features

    def worst(self, coef):
        values = self.psi @ coef + self.losses
        return values.max(), self.psi[values.argmax()]

    def best(self, coef):
        values = np.where(self.spans_truth, self.psi @ coef, -np.inf)
        return values.max(), self.psi[values.argmax()]

    @property
    def forest(self):
        return Forests(DenseFeatures(self.features), self.pairs, self.truth)

    @property
    def item_set(self):
        return ItemSet.from_pair_features(self.features, len(self.truth), self.pairs)


def enumerate_sets(seed):
    return [
        ForestsOfSet(seed, 4),
        ForestsOfSet(seed + 100, 5),
        ForestsOfSet(seed + 200, 5, SOME_PAIRS),
        ForestsOfSet(seed + 300, 2),
    ]


def test_the_number_of_forests_is_right():
    """There are 1, 2, 7, 38, 291 labelled forests of 1 to 5 nodes."""
    counts = [len(all_forests(tuple(combinations(range(n), 2)), n)) for n in range(1, 6)]
    assert counts == [1, 2, 7, 38, 291]


@pytest.mark.parametrize("scale", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("part", ["worst", "best"])
def test_both_searches_find_what_enumeration_finds(part, scale):
    rng = np.random.default_rng(0)
    for seed in range(20):
        coef = scale * rng.normal(size=N_COLUMNS)
        for example in enumerate_sets(seed):
            value, psi = getattr(example.forest, part)(coef)
            expected, expected_psi = getattr(example, part)(coef)
            assert value == pytest.approx(expected, abs=1e-9)
            np.testing.assert_allclose(psi, expected_psi, atol=1e-9)


def test_the_worst_forest_is_that_of_the_clusterer():
    rng = np.random.default_rng(1)
    for seed in range(10):
        example = ForestsOfSet(seed, 6, all_pairs(6)[::2]) if seed % 2 else ForestsOfSet(seed, 5)
        coef = rng.normal(size=N_COLUMNS)
        base, costs = LinkLoss(Forest()).linearize(example.truth, example.pairs)
        scores = PairScores(len(example.truth), example.pairs, example.features @ coef + costs)
        solution = SpanningForest().solve(scores)
        value, psi = example.forest.worst(coef)
        assert value == pytest.approx(base + solution.value)
        np.testing.assert_allclose(psi, example.features.T @ solution.weights, atol=1e-9)


def fit(C, seed, **options):
    sets = enumerate_sets(seed)
    learner = SpanningForestLearner(C, featurizer=GivenFeatures(), solver=CCCP(**options))
    return learner.fit([s.item_set for s in sets], [s.truth for s in sets])


def objective(C, coef, seed):
    slacks = [example.worst(coef)[0] - example.best(coef)[0] for example in enumerate_sets(seed)]
    return 0.5 * coef @ coef + C * np.mean(slacks)


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_objective_is_that_of_the_paper_and_never_rises(C, seed):
    learner = fit(C, seed, inner_tol=1e-5)
    assert learner.converged_
    assert learner.objective_ == pytest.approx(objective(C, learner.coef_, seed))
    path = [objective(C, np.zeros(N_COLUMNS), seed), *(s.objective for s in learner.history_)]
    assert path == sorted(path, reverse=True)
    assert path[-1] == learner.objective_ < path[0]


def least_by_piqp(sets, lam, point):
    """Minimise the bound of the first iteration, with a plane for every forest of each set."""
    offset = np.mean([example.best(point)[0] for example in sets])
    tangent = np.mean([example.best(point)[1] for example in sets], axis=0)
    tops = np.repeat(np.eye(len(sets)), [len(example.psi) for example in sets], axis=0)
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-10
    solver.setup(
        np.diag(np.append(np.full(N_COLUMNS, lam), np.zeros(len(sets)))),
        np.append(-tangent, np.full(len(sets), 1 / len(sets))),
        G=np.hstack([np.vstack([example.psi for example in sets]), -tops]),
        h_u=-np.concatenate([example.losses for example in sets]),
    )
    assert solver.solve() == piqp.PIQP_SOLVED
    return solver.result.info.primal_obj + tangent @ point - offset


@pytest.mark.parametrize("lam", [1.0, 0.01])
@pytest.mark.parametrize("seed", range(3))
def test_an_inner_problem_is_solved_over_all_forests(lam, seed):
    sets = enumerate_sets(seed)
    risk = ForestRisk([example.forest for example in sets])
    start = np.random.default_rng(seed).normal(size=N_COLUMNS)
    optimum = CCCP(max_iter=1, inner_tol=1e-9, inner_max_iter=2000).minimise(risk, lam, start)
    coef = optimum.coef
    best, tangent = risk.best(start)
    bound_value = 0.5 * lam * coef @ coef + risk.worst(coef)[0] - best - tangent @ (coef - start)
    assert bound_value == pytest.approx(least_by_piqp(sets, lam, start), rel=1e-6)


@pytest.mark.parametrize("C", [0.01, 0.1, 1.0, 100.0])
@pytest.mark.parametrize("seed", range(4))
def test_slack_bounds_the_training_loss(C, seed):
    """The slack is a maximum over all forests, and so at least the loss of the predicted one."""
    learner = fit(C, seed)
    slack = (learner.objective_ - 0.5 * learner.coef_ @ learner.coef_) / C
    losses = []
    for example in enumerate_sets(seed):
        best = int(np.argmax(example.psi @ learner.coef_))
        predicted = learner.predict([example.item_set])[0]
        candidates = all_pairs(len(example.truth)) if example.pairs is None else example.pairs
        links = candidates[example.forests[best] > 0]
        assert predicted == Partition.from_links(links, len(example.truth))
        losses.append(example.losses[best])
    assert slack >= np.mean(losses) - 1e-9


def chains(seed, n_chains=4, length=6):
    """Return points in chains: each is near to the next and far from most of its chain."""
    rng = np.random.default_rng(seed)
    positions, labels = [], []
    for chain_index in range(n_chains):
        steps = np.column_stack([np.arange(length), rng.normal(scale=0.1, size=length)])
        positions.append(steps + np.array([rng.uniform(0, 3), 2.5 * chain_index]))
        labels += [chain_index] * length
    order = rng.permutation(len(labels))
    positions, labels = np.concatenate(positions)[order], np.array(labels)[order]
    first, second = all_pairs(len(labels)).T
    distances = np.linalg.norm(positions[first] - positions[second], axis=1)
    features = np.column_stack([distances, rng.normal(size=len(distances))])
    return ItemSet.from_pair_features(features, len(labels)), Partition(labels)


CHAINS, TRUTHS = zip(*map(chains, range(6)), strict=True)


def test_planted_chains_are_recovered():
    learner = SpanningForestLearner(1.0).fit(CHAINS[:4], TRUTHS[:4])
    assert learner.predict(CHAINS[4:]) == list(TRUTHS[4:])
    # All pairs of a cluster count for correlation clustering, also those far apart.
    correlation = coterie.SVMCluster().fit(CHAINS[:4], TRUTHS[:4])
    assert correlation.score(CHAINS[4:], TRUTHS[4:]) < 0.8


def test_only_candidate_pairs_are_links():
    learner = SpanningForestLearner(1.0, blocker=Window(8)).fit(CHAINS[:4], TRUTHS[:4])
    model = learner.to_model()
    for predicted, items in zip(learner.predict(CHAINS), CHAINS, strict=True):
        scores = model.scores(items)
        assert np.all(np.diff(scores.pairs, axis=1) <= 8)
        links = scores.pairs[scores.scores > 0]
        assert predicted == Partition.from_links(links, len(items))


def test_the_contract_holds_from_a_random_start():
    check_learner(SpanningForestLearner(1.0, CCCP(start=0.5), random_state=3))


def test_the_seed_determines_the_initial_weights():
    def coef(seed, start):
        learner = SpanningForestLearner(0.01, CCCP(max_iter=1, start=start), random_state=seed)
        with pytest.warns(ConvergenceWarning):
            return learner.fit(CHAINS[:3], TRUTHS[:3]).coef_

    np.testing.assert_array_equal(coef(1, 5.0), coef(1, 5.0))
    assert not np.array_equal(coef(1, 5.0), coef(2, 5.0))
    np.testing.assert_array_equal(coef(1, 0.0), coef(2, 0.0))


def test_parameters_of_the_solver_are_set_in_a_copy():
    learner = SpanningForestLearner().set_params(C=2.0, solver__max_iter=7)
    assert learner.solver == CCCP(max_iter=7)
    assert clone(learner).get_params()["solver__max_iter"] == 7
    assert SpanningForestLearner().solver == CCCP()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"C": 0.0}, "^C is 0.0"),
        ({"solver": CCCP}, "the class CCCP"),
        ({"solver": "cccp"}, "solver is of type str; use CCCP"),
        ({"random_state": -1}, "random_state is -1"),
        ({"blocker": Window}, "the class Window"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        SpanningForestLearner(**options).fit(CHAINS[:1], TRUTHS[:1])


def test_a_run_that_ends_early_warns():
    solver = CCCP(tol=1e-9, max_iter=1, inner_max_iter=1)
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        learner = SpanningForestLearner(10.0, solver).fit(CHAINS[:2], TRUTHS[:2])
    assert not learner.converged_
    assert learner.coef_.any()


def test_an_interrupt_leaves_a_usable_model():
    def stop(step):
        raise KeyboardInterrupt

    learner = SpanningForestLearner(1.0)
    with pytest.warns(InterruptedWarning, match="best found so far"), coterie.progress(stop):
        learner.fit(CHAINS[:3], TRUTHS[:3])
    assert len(learner.history_) == 1
    assert not learner.converged_
    assert learner.score(CHAINS[3:], TRUTHS[3:]) > 0.5
