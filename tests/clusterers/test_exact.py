"""Exact partitions against brute force."""

import numpy as np
import pytest

from coterie._kernels.correlation.subsets import best_labels, subset_values
from coterie._solvers import triangle_lp
from coterie._solvers.branching import common_step
from coterie._solvers.triangle_lp import TriangleLP
from coterie.clusterers import exact
from coterie.clusterers.exact import Exact
from coterie.clusterers.relaxation import Relaxation
from coterie.exceptions import InputError
from coterie.objectives import Correlation
from coterie.pairs import PairScores
from coterie.partition import Partition
from tests.clusterers.instances import best_value, instance, planted


def assert_exact(scores, best):
    solution = Exact().solve(scores)
    assert solution.status == "exact"
    assert solution.value == pytest.approx(best, abs=1e-9)
    assert solution.value == Correlation().value(solution.partition, scores)
    assert solution.value <= solution.bound <= solution.value + 1e-8
    assert Exact()(scores) == solution.partition
    if scores.apart is not None:
        assert not np.any(solution.partition.together(scores.apart))


@pytest.mark.parametrize("block", range(10))
def test_subsets_equal_brute_force(block):
    for number in range(100 * block, 100 * (block + 1)):
        scores = instance(number)
        assert_exact(scores, best_value(scores))


@pytest.fixture
def no_subsets(monkeypatch):
    monkeypatch.setattr(exact, "MAX_SUBSET_ITEMS", 0)


@pytest.mark.usefixtures("no_subsets")
@pytest.mark.parametrize("block", range(10))
def test_branching_equals_brute_force(block):
    for number in range(100 * block, 100 * (block + 1)):
        scores = instance(number)
        assert_exact(scores, best_value(scores))


@pytest.mark.usefixtures("no_subsets")
def test_branching_equals_subsets_where_it_must_branch(monkeypatch):
    """Without stars, noise needs many nodes; with a bad start, it must find partitions, too."""
    monkeypatch.setattr(TriangleLP, "separate_stars", lambda lp: False)
    monkeypatch.setattr(exact, "_round", lambda scores, relaxed: np.arange(scores.n_items))
    monkeypatch.setattr(
        exact, "LocalSearch", lambda: lambda scores: Partition(range(scores.n_items))
    )
    rng = np.random.default_rng(5)
    for trial in range(12):
        values = rng.normal(size=66)
        if trial % 2:
            values = np.rint(3 * values)
        apart = [(0, 1), (4, 7)] if trial % 3 == 0 else None
        scores = PairScores(12, None, values, apart=apart)
        matrix = scores.to_matrix()
        for first, second in apart or []:
            matrix[first, second] = matrix[second, first] = -np.inf
        best = Correlation().value(Partition(best_labels(matrix)), scores)
        assert_exact(scores, best)


@pytest.mark.usefixtures("no_subsets")
def test_branching_on_interior_points(monkeypatch):
    """Imprecise optima must neither loop nor pass for exact ones."""
    set_scores = triangle_lp.PairProgram.set_scores

    def set_interior(program, scores):
        set_scores(program, scores)
        program.interior = True

    monkeypatch.setattr(triangle_lp.PairProgram, "set_scores", set_interior)
    for number in range(100):
        scores = instance(number)
        assert_exact(scores, best_value(scores))


@pytest.mark.parametrize("seed", [0, 1])
def test_planted_sets_are_proved(seed):
    scores = planted(60, seed)
    solution = Exact().solve(scores)
    assert solution.status == "exact"
    assert solution.bound <= Relaxation().solve(scores).bound + 1e-9


def test_planted_hundred_is_proved():
    solution = Exact().solve(planted(100))
    assert solution.status == "exact"
    assert solution.value == pytest.approx(399.83203, abs=1e-5)


@pytest.mark.parametrize("time_limit", [0, 1e-6, 0.05])
def test_time_limit(time_limit, rng):
    scores = PairScores(40, None, rng.normal(size=780))
    solution = Exact(time_limit).solve(scores)
    assert solution.status == "bounded"
    assert solution.value < solution.bound < scores.scores[scores.scores > 0].sum()


def test_components_share_the_time(rng):
    """One that cannot be solved in time leaves the others exact."""
    parts = [rng.normal(size=780), rng.normal(size=3), rng.normal(size=10)]
    sizes = [40, 3, 5]
    matrix = np.full((48, 48), -50.0)
    at = 0
    for size, values in zip(sizes, parts, strict=True):
        block = np.zeros((size, size))
        block[np.triu_indices(size, 1)] = values
        matrix[at : at + size, at : at + size] = block + block.T
        at += size
    np.fill_diagonal(matrix, 0)
    solution = Exact(0.01).solve(PairScores.from_matrix(matrix))
    alone = [Exact(0.01).solve(PairScores(n, None, v)) for n, v in zip(sizes, parts, strict=True)]
    assert [part.status for part in alone] == ["bounded", "exact", "exact"]
    assert solution.status == "bounded"
    assert np.array_equal(
        solution.partition.labels[40:43] - solution.partition.labels[40], alone[1].partition.labels
    )


def test_too_many_items_for_a_program(monkeypatch, rng):
    monkeypatch.setattr(exact, "MAX_PROGRAM_ITEMS", 20)
    scores = PairScores(30, None, rng.normal(size=435))
    solution = Exact().solve(scores)
    assert solution.bound == pytest.approx(scores.scores[scores.scores > 0].sum())
    assert solution.status == "bounded"


def test_bad_time_limit():
    with pytest.raises(InputError, match="time_limit"):
        Exact(-1.0)


def test_common_step():
    assert common_step(np.array([0.0, 6.0, -4.0])) == 2.0
    assert common_step(np.array([1.0, 0.5])) == 0.0
    assert common_step(np.zeros(3)) == 0.0
    assert common_step(np.array([1e300])) == 0.0


def test_subset_values(rng):
    matrix = np.triu(rng.normal(size=(6, 6)), 1)
    values = subset_values(matrix + matrix.T)
    for subset in range(64):
        inside = np.array([subset >> item & 1 for item in range(6)], float)
        assert values[subset] == pytest.approx(inside @ matrix @ inside)


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e6, 1e12])
def test_proofs_do_not_depend_on_the_scale(monkeypatch, scale):
    monkeypatch.setattr(exact, "MAX_SUBSET_ITEMS", 1)
    for number in range(40):
        plain = instance(number)
        scores = PairScores(plain.n_items, plain.listed, scale * plain.scores, apart=plain.apart)
        solution = Exact().solve(scores)
        assert solution.status == "exact"
        assert solution.value == pytest.approx(scale * best_value(plain), rel=1e-6, abs=0.0)


def test_scores_that_only_forbid_do_not_count_as_rounding(rng):
    for _ in range(5):
        plain = planted(24, seed=int(rng.integers(1000)), sd=2.0)
        forbidden = rng.permutation(len(plain.scores))[:60]
        values = plain.scores.copy()
        values[forbidden] = -1e8
        expected = Exact().solve(PairScores(24, None, plain.scores, apart=plain.pairs[forbidden]))
        solution = Exact().solve(PairScores(24, None, values))
        assert solution.status == expected.status == "exact"
        assert solution.value == pytest.approx(expected.value)
        assert solution.bound == pytest.approx(solution.value)


def test_a_relaxation_of_forbidding_scores_claims_no_more_than_it_proves():
    values = [2, 2, -1e9, 2, 0, -2, -1e9, -1e9, 0, 1, 2, 1, -1e9, 0, 0]
    solution = Relaxation().solve(PairScores(6, None, values))
    assert solution.bound >= 7.0 - 1e-9
    assert solution.status == "bounded" or solution.value == pytest.approx(7.0)
