"""The relaxation against brute force, and its roundings."""

import itertools

import numpy as np
import pytest

from coterie._kernels.correlation.inequalities import (
    pack_triangles,
    star_rows,
    violated_stars,
    violated_triangles,
)
from coterie._solvers.pair_program import PairProgram
from coterie.clusterers.relaxation import Relaxation
from coterie.clusterers.rounding import BallRounding, SearchRounding
from coterie.exceptions import InputError, PairError
from coterie.objectives import Correlation
from coterie.pairs import PairScores, all_pairs
from coterie.partition import Partition
from tests.clusterers.instances import best_value, instance, planted


def worst_triangle(relaxed):
    n = len(relaxed)
    sides = relaxed[:, :, None] + relaxed[None, :, :] - relaxed[:, None, :]
    a, b, c = np.indices((n, n, n))
    return np.where((a != b) & (b != c) & (a != c), sides, 0.0).max(initial=0.0) - 1.0


def is_integral(relaxed):
    return np.all((relaxed < 1e-6) | (relaxed > 1 - 1e-6))


@pytest.mark.parametrize("block", range(10))
def test_bound_is_that_of_the_full_relaxation(block):
    for number in range(100 * block, 100 * (block + 1)):
        assert_relaxed(instance(number))


def assert_relaxed(scores):
    solution = Relaxation().solve(scores)
    relaxed, best = solution.relaxed, best_value(scores)
    assert solution.value - 1e-9 <= best <= solution.bound + 1e-9
    assert worst_triangle(relaxed) <= 2e-6
    assert relaxed.min() >= 0
    assert relaxed.max() <= 1
    assert np.array_equal(relaxed, relaxed.T)
    assert np.all(np.diagonal(relaxed) == 1)
    # A feasible point and a proven bound, both of one value: each is the optimum.
    assert solution.bound == pytest.approx(Correlation().value(relaxed, scores), abs=1e-6)
    if is_integral(relaxed):
        assert solution.bound == pytest.approx(best, abs=1e-6)
        assert solution.status == "exact"
    if scores.apart is not None:
        first, second = scores.apart.T
        assert not np.any(relaxed[first, second])
        assert not np.any(solution.partition.together(scores.apart))


def test_triangles_on_attractive_pairs_count():
    """With triangles on the repulsive pair (a, d) alone, the optimum would be 210."""
    pairs = [(0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (0, 3)]
    scores = PairScores(4, pairs, [100.0, 10, 100, 1, 1, -5])
    solution = Relaxation().solve(scores)
    assert solution.bound == 207.0
    assert np.all(solution.relaxed == 1)


def test_fractional_solution_of_a_star():
    """Three repulsive tips: every half is best, and no partition reaches it."""
    scores = PairScores(4, None, [2.0, 2, 2, -2, -2, -2])
    solution = Relaxation().solve(scores)
    assert solution.bound == pytest.approx(3.0)
    assert solution.status == "bounded"
    assert solution.relaxed[0, 1:] == pytest.approx([0.5] * 3)
    assert solution.weights @ scores.scores == pytest.approx(3.0)


def test_interior_point_finds_the_same_bound(monkeypatch, rng):
    scores = PairScores(24, None, rng.normal(size=276))
    simplex = Relaxation().solve(scores)
    set_scores = PairProgram.set_scores

    def set_interior(program, scores):
        set_scores(program, scores)
        program.interior = True

    monkeypatch.setattr(PairProgram, "set_scores", set_interior)
    interior = Relaxation().solve(scores)
    assert interior.bound == pytest.approx(simplex.bound, rel=1e-6)
    assert interior.bound >= simplex.bound - 1e-9
    assert worst_triangle(interior.relaxed) <= 1e-5


def test_scale_of_the_scores_does_not_matter(rng):
    values = rng.normal(size=190)
    bound = Relaxation().solve(PairScores(20, None, values)).bound
    for scale in (1e-9, 1e9):
        scaled = Relaxation().solve(PairScores(20, None, scale * values)).bound
        assert scaled == pytest.approx(scale * bound, rel=1e-9)


def test_planted_hundred():
    scores = planted(100)
    solution = Relaxation().solve(scores)
    better = Relaxation(SearchRounding()).solve(scores)
    assert worst_triangle(solution.relaxed) <= 1e-6
    assert solution.bound == pytest.approx(403.43293, abs=1e-5)
    assert solution.value <= better.value <= solution.bound
    assert better.value > 0.98 * solution.bound


def test_time_limit_leaves_a_valid_bound():
    scores = planted(60)
    rushed = Relaxation(time_limit=1e-9).solve(scores)
    assert rushed.status == "bounded"
    assert Relaxation().solve(scores).bound < rushed.bound < np.inf


def test_few_items():
    assert Relaxation().solve(PairScores(1, None, [])).relaxed.tolist() == [[1.0]]
    assert Relaxation()(PairScores(3, None, [-1.0, 0, -2])) == Partition([0, 1, 2])
    assert Relaxation()(PairScores(2, None, [1.0], apart=[(0, 1)])) == Partition([0, 1])


@pytest.mark.parametrize("argument", [{"time_limit": -1}, {"rounding": 0.7}])
def test_bad_arguments(argument):
    with pytest.raises(InputError):
        Relaxation(**argument)


# --- warm ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_listed", [None, 40])
def test_warm_equals_cold(rng, n_listed):
    pairs = None if n_listed is None else rng.permutation(all_pairs(18))[:n_listed]
    scores = PairScores(18, pairs, rng.normal(size=n_listed or 153), apart=[(0, 1), (3, 9)])
    solver = Relaxation().warm()
    for _ in range(8):
        warm, cold = solver.solve(scores), Relaxation().solve(scores)
        assert warm.bound == pytest.approx(cold.bound, abs=1e-8)
        assert worst_triangle(warm.relaxed) <= 2e-6
        assert warm.weights @ scores.scores == pytest.approx(warm.bound, abs=1e-7)
        scores = scores.plus(0.3 * rng.normal(size=len(scores.scores)))


def test_warm_refuses_another_set():
    solver = Relaxation().warm()
    solver(PairScores(3, [(0, 1), (1, 2)], [1.0, 1.0]))
    for other in (
        PairScores(3, [(0, 1), (0, 2)], [1.0, 1.0]),
        PairScores(4, [(0, 1), (1, 2)], [1.0, 1.0]),
        PairScores(3, None, [1.0, 1.0, 1.0]),
        PairScores(3, [(0, 1), (1, 2)], [1.0, 1.0], apart=[(0, 2)]),
    ):
        with pytest.raises(PairError, match="create a solver with"):
            solver(other)


# --- roundings -------------------------------------------------------------------------------


def balls_by_the_book(relaxed, threshold):
    """C_R* word by word (section 5.2)."""
    clusters = [{a} for a in range(len(relaxed))]
    of = list(range(len(relaxed)))
    for a in range(len(relaxed)):
        if len(clusters[of[a]]) == 1:
            for b in range(len(relaxed)):
                if b != a and len(clusters[of[b]]) == 1 and relaxed[a, b] > threshold:
                    clusters[of[b]].discard(b)
                    clusters[of[a]].add(b)
                    of[b] = of[a]
    return Partition(of)


def test_balls(rng):
    for _ in range(50):
        relaxed = np.round(rng.random((9, 9)), 1)
        relaxed = np.maximum(relaxed, relaxed.T)
        scores = PairScores(9, [], [])
        assert BallRounding()(relaxed, scores) == balls_by_the_book(relaxed, 0.7)
        assert BallRounding(0.9)(relaxed, scores) == balls_by_the_book(relaxed, 0.9)


def test_balls_keep_apart_pairs_apart(rng):
    scores = PairScores(4, [], [], apart=[(1, 2), (0, 3)])
    assert BallRounding()(np.ones((4, 4)), scores) == Partition([0, 0, 1, 1])


def test_balls_refuse_another_size():
    with pytest.raises(InputError, match="shape"):
        BallRounding()(np.eye(2), PairScores(3, [], []))


def test_search_rounding_is_never_worse():
    better = 0
    for number in range(0, 1000, 7):
        scores = instance(number)
        balls = Relaxation().solve(scores)
        searched = Relaxation(SearchRounding()).solve(scores)
        assert balls.value <= searched.value <= best_value(scores) + 1e-9
        assert scores.apart is None or not np.any(searched.partition.together(scores.apart))
        better += searched.value > balls.value
    assert better > 0


# --- kernels ---------------------------------------------------------------------------------


@pytest.mark.parametrize("below", [0.0, np.inf])
def test_most_violated_triangle_of_each_pair(rng, below):
    for n_items in (3, 6, 15):
        upper = np.triu(np.round(rng.random((n_items, n_items)), 2), 1)
        relaxed, scores = (
            upper + upper.T + np.eye(n_items),
            np.triu(rng.normal(size=(n_items,) * 2)),
        )
        scores += scores.T
        middles = {(a, c): b for b, a, c in violated_triangles(relaxed, scores, below, 1e-6)}
        for a, c in itertools.combinations(range(n_items), 2):
            sums = relaxed[a] + relaxed[c] - relaxed[a, c] - 1.0
            sums[[a, c]] = -1.0
            expected = sums.max() > 1e-6 and scores[a, c] < below
            assert ((a, c) in middles) == expected
            if expected:
                assert sums[middles[a, c]] == pytest.approx(sums.max())


def test_packing_is_feasible_and_maximal(rng):
    matrix = np.triu(rng.normal(size=(20, 20)), 1)
    matrix += matrix.T
    triangles, weights = pack_triangles(matrix)
    left = matrix.copy()
    for (b, a, c), weight in zip(triangles, weights, strict=True):
        for i, j, sign in ((a, b, -1), (b, c, -1), (a, c, 1)):
            left[i, j] += sign * weight
            left[j, i] += sign * weight
    assert np.all(weights > 0)
    assert np.all(left[matrix > 0] >= -1e-12)
    assert np.all(left[matrix < 0] <= 1e-12)
    positive = (left > 1e-12).astype(int)
    assert not np.any((positive @ positive > 0) & (left < -1e-12))


def test_violated_stars(rng):
    upper = np.triu(rng.choice([0.0, 0.5], (12, 12)), 1)
    relaxed = upper + upper.T + np.eye(12)
    stars, lengths = violated_stars(relaxed, 1e-3, 5)
    counts, columns, signs = star_rows(stars, lengths, 12)
    condensed = relaxed[np.triu_indices(12, 1)]
    assert len(lengths) > 0
    assert lengths.min() >= 4
    assert counts.sum() == len(columns) == len(signs)
    partitions = [Partition(rng.integers(0, 4, 12)).together() for _ in range(200)]
    for star, row in zip(
        np.split(stars, np.cumsum(lengths)[:-1]),
        np.split(np.arange(len(columns)), np.cumsum(counts)[:-1]),
        strict=True,
    ):
        centre, tips = star[0], star[1:]
        amount = relaxed[centre, tips].sum() - np.triu(relaxed[np.ix_(tips, tips)], 1).sum()
        assert amount == pytest.approx(signs[row] @ condensed[columns[row]])
        assert amount > 1.001
        assert all(signs[row] @ together[columns[row]] <= 1 for together in partitions)
