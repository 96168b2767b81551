"""The theorems of the two papers about structural SVMs of clusterings, by enumeration."""

from dataclasses import dataclass

import numpy as np
import pytest

from coterie.clusterers import Exact, Greedy, KernelKMeans, Relaxation, Spectral
from coterie.clusterers._base import PairClusterer
from coterie.items import ItemSet
from coterie.learners import FrankWolfe, NSlack, OneSlack, StructuralSVM
from coterie.losses import MitreLoss, PairLoss, TraceLoss
from coterie.objectives import Correlation, KMeans
from coterie.partition import Partition

CS = [3.0, 300.0, 3e4]


def problem(seed, n_sets=4, n_items=6, n_columns=4, n_clusters=3):
    """Item sets that no weights separate, and partitions of exactly `n_clusters` clusters."""
    rng = np.random.default_rng(seed)
    item_sets, truths = [], []
    for _ in range(n_sets):
        labels = np.append(np.arange(n_clusters), rng.integers(n_clusters, size=n_items))[:n_items]
        truth = Partition(rng.permutation(labels))
        features = rng.normal(size=(n_items * (n_items - 1) // 2, n_columns))
        features[:, 0] += truth.together()
        item_sets.append(ItemSet.from_pair_features(features, n_items, n_clusters=truth.n_clusters))
        truths.append(truth)
    return item_sets, truths


def all_partitions(n_items):
    """Return every partition of `n_items` items, with labels by first appearance."""
    labels = [()]
    for _ in range(n_items):
        labels = [(*old, new) for old in labels for new in range(max(old, default=-1) + 2)]
    return list(map(Partition, labels))


PARTITIONS = all_partitions(6)


@dataclass(frozen=True)
class AllPartitions(PairClusterer):
    """Try every partition of `n_clusters` clusters, which the k-means searches approximate."""

    n_clusters: int = 3

    @property
    def objective(self):
        return KMeans()

    def _solve(self, scores):
        candidates = [p for p in PARTITIONS if p.n_clusters == self.n_clusters]
        values = [self.objective.value(p, scores) for p in candidates]
        best = int(np.argmax(values))
        return self._solution(scores, candidates[best], values[best])


def fit(clusterer, loss, C, solver, seed=0, **options):
    item_sets, truths = problem(seed)
    learner = StructuralSVM(clusterer, loss, C, solver, **options)
    return learner.fit(item_sets, truths)


def joint_features(item_set, partition, objective):
    """Ψ, computed by its definition."""
    phi, n_items = item_set.items.features, len(item_set)
    weights = np.zeros(len(phi))
    for row, (i, j) in enumerate(zip(*np.triu_indices(n_items, 1), strict=True)):
        if partition.labels[i] == partition.labels[j]:
            size = np.count_nonzero(partition.labels == partition.labels[i])
            weights[row] = 1 / n_items**2 if isinstance(objective, Correlation) else 2 / size
    with_constant = np.column_stack([phi, np.ones(len(phi))])
    return weights @ with_constant


def slacks(learner, loss, seed=0, n_clusters=None):
    """The slack of each item set under the learned weights, over all partitions."""
    largest = []
    objective = learner.clusterer.objective
    for item_set, truth in zip(*problem(seed), strict=True):
        true_score = learner.coef_ @ joint_features(item_set, truth, objective)
        violations = [
            loss(truth, p) + learner.coef_ @ joint_features(item_set, p, objective) - true_score
            for p in PARTITIONS
            if n_clusters in (None, p.n_clusters)
        ]
        largest.append(max(violations))
    return np.array(largest)


@pytest.mark.parametrize("C", CS)
@pytest.mark.parametrize("seed", range(4))
def test_greedy_is_underconstrained_and_the_relaxation_overconstrained(seed, C):
    """Corollaries 3 and 4 of 2005."""
    solver = OneSlack(tol=1e-6)
    greedy = fit(Greedy(), PairLoss(), C, solver, seed)
    exact = fit(Exact(), PairLoss(), C, solver, seed)
    relaxed = fit(Relaxation(), PairLoss(), C, solver, seed)
    assert greedy.dual_ <= exact.primal_
    assert exact.dual_ <= relaxed.primal_
    assert exact.certified_
    assert relaxed.certified_
    assert not greedy.certified_


def test_the_relaxation_is_strictly_overconstrained_somewhere():
    solver = OneSlack(tol=1e-6)
    higher = [
        fit(Relaxation(), PairLoss(), 300.0, solver, seed).dual_
        > fit(Exact(), PairLoss(), 300.0, solver, seed).primal_ * (1 + 1e-4)
        for seed in range(6)
    ]
    assert any(higher)


@pytest.mark.parametrize("C", [3.0, 300.0, 3e3])
@pytest.mark.parametrize("seed", range(3))
def test_the_three_solvers_agree(seed, C):
    one = fit(Exact(), PairLoss(), C, OneSlack(tol=1e-6), seed)
    many = fit(Exact(), PairLoss(), C, NSlack(tol=1e-5), seed)
    steps = fit(Exact(), PairLoss(), C, FrankWolfe(tol=5e-5, max_iter=20_000), seed)
    assert many.primal_ == pytest.approx(one.primal_, rel=1e-4)
    assert steps.primal_ == pytest.approx(one.primal_, rel=1e-4)
    for learner in (one, many, steps):
        assert learner.certified_
        assert learner.dual_ <= one.primal_ * (1 + 1e-9)


@pytest.mark.parametrize("C", CS)
@pytest.mark.parametrize("solver", [OneSlack(tol=1e-6), NSlack(tol=1e-5)])
def test_the_primal_is_the_objective_and_no_constraint_is_missed(solver, C):
    """By enumeration of all 203 partitions of each item set."""
    learner = fit(Exact(), PairLoss(), C, solver)
    needed = slacks(learner, PairLoss())
    objective = 0.5 * learner.coef_ @ learner.coef_ + C * np.maximum(needed, 0).mean()
    assert learner.primal_ == pytest.approx(objective, rel=1e-9)


def test_n_slack_fulfils_all_constraints_within_epsilon():
    """Theorem 2 of 2005: its slacks are at most ε below those over all partitions."""
    epsilon = 0.5
    item_sets, truths = problem(1)
    learner = StructuralSVM(Exact(), PairLoss(), 300.0, NSlack(tol=epsilon))
    featurizer, run = learner._start(_examples(item_sets, truths))
    optimum = run.solve(300.0)
    learner._set_result(optimum, featurizer, run.problem)
    plane_slacks = run.planes.slacks(optimum.coef)
    assert np.all(slacks(learner, PairLoss(), 1) <= plane_slacks + epsilon + 1e-9)
    assert optimum.dual <= optimum.primal


def _examples(item_sets, truths):
    from coterie.learners.base import as_examples

    return as_examples(item_sets, truths)


@pytest.mark.parametrize("C", CS)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_n_slack_needs_no_more_planes_than_theorem_1_allows(C, epsilon):
    item_sets, truths = problem(2)
    learner = StructuralSVM(Exact(), PairLoss(), C, NSlack(tol=epsilon))
    _, run = learner._start(_examples(item_sets, truths))
    run.solve(C)
    largest_loss = max(PairLoss()(t, p) for t in truths for p in PARTITIONS)
    radius = max(
        np.linalg.norm(joint_features(s, t, Correlation()) - joint_features(s, p, Correlation()))
        for s, t in zip(item_sets, truths, strict=True)
        for p in PARTITIONS
    )
    # The paper's C is C/n here.
    allowed = max(
        2 * len(truths) * largest_loss / epsilon, 8 * C * largest_loss * radius**2 / epsilon**2
    )
    assert 0 < run.n_added <= allowed


@pytest.mark.parametrize("C", CS)
@pytest.mark.parametrize(
    ("clusterer", "loss", "n_clusters"),
    [
        (Exact(), PairLoss(), None),
        (Relaxation(), PairLoss(), None),
        (AllPartitions(), TraceLoss(), 3),
        (Spectral(), TraceLoss(), 3),
    ],
)
def test_slack_bounds_the_training_loss(clusterer, loss, n_clusters, C):
    """With an oracle that is exact or over-generates: 1/n Σ ξ ≥ the loss of the best partition."""
    learner = fit(clusterer, loss, C, OneSlack(tol=1e-6))
    objective = clusterer.objective
    losses = []
    for item_set, truth in zip(*problem(0), strict=True):
        candidates = [p for p in PARTITIONS if n_clusters in (None, p.n_clusters)]
        values = [learner.coef_ @ joint_features(item_set, p, objective) for p in candidates]
        losses.append(loss(truth, candidates[int(np.argmax(values))]))
    assert (learner.primal_ - 0.5 * learner.coef_ @ learner.coef_) / C >= np.mean(losses) - 1e-9


@pytest.mark.parametrize("C", [3.0, 300.0])
@pytest.mark.parametrize("seed", range(4))
def test_k_means_is_between_iterative_and_spectral(seed, C):
    """Section 5 of 2008: Iterative misses constraints, Spectral has more than the exact search."""
    solver = OneSlack(tol=1e-6)
    one_start = KernelKMeans(n_init=1, random_state=seed)
    iterative = fit(one_start, TraceLoss(), C, solver, seed)
    enumerated = fit(AllPartitions(), TraceLoss(), C, solver, seed)
    spectral = fit(Spectral(), TraceLoss(), C, solver, seed)
    assert iterative.dual_ <= enumerated.primal_
    assert enumerated.dual_ <= spectral.primal_
    assert enumerated.certified_
    assert spectral.certified_
    assert not iterative.certified_


def test_the_slack_of_iterative_may_be_below_its_training_loss():
    """Section 5 of 2008: the result of a local search is not a bound."""
    item_sets, truths = problem(0, n_sets=1, n_items=9)
    learner = StructuralSVM(KernelKMeans(start=truths[0]), TraceLoss(), 1e3, OneSlack(tol=1e-6))
    learner.fit(item_sets, truths)
    slack = (learner.primal_ - 0.5 * learner.coef_ @ learner.coef_) / 1e3
    predicted = KernelKMeans()(learner.to_model().scores(item_sets[0]))
    assert TraceLoss()(truths[0], predicted) > slack + 10.0


@pytest.mark.parametrize("C", CS)
def test_the_search_includes_the_mitre_loss(C):
    learner = fit(Greedy(), MitreLoss(), C, NSlack(tol=0.01))
    needed = np.maximum(slacks(learner, MitreLoss()), 0).mean()
    slack = (learner.primal_ - 0.5 * learner.coef_ @ learner.coef_) / C
    assert slack <= needed + 1e-9
    assert slack >= 0.8 * needed


def test_relaxed_solutions_enter_unrounded():
    """000 eq. 11: the plane of a half-integral solution has half of its features."""
    # Three items, each two alike and one pair not: the relaxed optimum is ½ everywhere.
    features = np.eye(3)
    item_set = ItemSet.from_pair_features(features, 3)
    learner = StructuralSVM(Relaxation(), PairLoss(), 10.0)
    _, run = learner._start(_examples([item_set], [[0, 1, 2]]))
    example = run.problem.oracles[0]
    coef = 9 * np.array([40.0, 40.0, -80.0, 0.0])
    cut = example(coef)
    scores = example._scores(coef).plus(example._costs[1])
    relaxed = Relaxation().solve(scores)
    entries = relaxed.relaxed[np.triu_indices(3, 1)]
    np.testing.assert_allclose(cut.gradient[:3], -entries / 9, atol=1e-9)
    assert cut.loss == pytest.approx(100 / 3 * np.abs(entries).sum())


def test_the_truth_replaces_a_worse_result_of_the_search():
    @dataclass(frozen=True)
    class Poor(PairClusterer):
        @property
        def objective(self):
            return Correlation()

        def _solve(self, scores):
            return self._solution(scores, Partition(np.zeros(scores.n_items)))

    item_sets, truths = problem(0)
    learner = StructuralSVM(Poor(), PairLoss(), 10.0)
    _, run = learner._start(_examples(item_sets, truths))
    coef = np.array([0.0, 0.0, 0.0, 0.0, -1e6])
    cut = run.problem.oracles[0](coef)
    assert cut.loss == 0
    assert not cut.gradient.any()
    assert cut.violation(coef) == 0


@pytest.mark.parametrize("solver", [OneSlack(nonnegative=True), NSlack(nonnegative=True)])
def test_nonnegative_weights_make_kernels_of_kernels(solver):
    """Section 3.1 of 2008: with w ≥ 0 and node products K is positive semidefinite."""
    rng = np.random.default_rng(0)
    nodes = rng.normal(size=(12, 5))
    labels = np.repeat([0, 1, 2], 4)
    nodes[:, 0] += 3 * labels
    nodes[:, 1] = rng.normal(size=12)
    learner = StructuralSVM(Spectral(), TraceLoss(), 10.0, solver).fit([nodes], [labels])
    assert learner.coef_.min() >= 0
    kernel = nodes @ np.diag(learner.coef_[:-1]) @ nodes.T
    assert np.linalg.eigvalsh(kernel).min() >= -1e-9 * np.abs(kernel).max()
    free = StructuralSVM(Spectral(), TraceLoss(), 10.0).fit([nodes], [labels])
    assert free.primal_ <= learner.primal_ * (1 + 1e-3)
    steps = StructuralSVM(Spectral(), TraceLoss(), 10.0, FrankWolfe(nonnegative=True))
    assert steps.fit([nodes], [labels]).primal_ == pytest.approx(learner.primal_, rel=5e-3)
