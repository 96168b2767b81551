"""The concave-convex procedure, on left links in plain NumPy."""

from typing import NamedTuple

import numpy as np
import piqp
import pytest
from scipy.optimize import minimize

import coterie
from coterie.exceptions import InputError
from coterie.learners.linking import convex_bounds
from coterie.learners.linking.cccp import CCCP

EXACT = {"inner_tol": 1e-9, "inner_max_iter": 2000}
N_COLUMNS = 3


class Links(NamedTuple):
    """Features of each item's candidate links, the first the dummy, and which ones are correct."""

    features: np.ndarray
    is_correct: np.ndarray


def random_links(seed, n_items=20, n_candidates=6):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n_items, n_candidates, N_COLUMNS))
    is_correct = rng.random((n_items, n_candidates)) < 0.3
    is_correct[np.arange(n_items), rng.integers(n_candidates, size=n_items)] = True
    features[..., 0] += is_correct
    features[:, 0] = 0.0
    return Links(features, is_correct)


class LinkRisk:
    """max over links of score + loss, minus max over correct links; γ > 0 makes both soft."""

    n_columns = N_COLUMNS

    def __init__(self, links, gamma, smooth=None):
        self.links, self.gamma = links, gamma
        self.smooth = gamma > 0 if smooth is None else smooth
        self.n_calls = 0

    def worst(self, coef):
        self.n_calls += 1
        return self._mean(self.links.features @ coef + ~self.links.is_correct)

    def best(self, coef):
        return self._mean(np.where(self.links.is_correct, self.links.features @ coef, -np.inf))

    def _mean(self, scores):
        top = scores.max(axis=1, keepdims=True)
        if self.gamma:
            exponentials = np.exp((scores - top) / self.gamma)
            totals = exponentials.sum(axis=1, keepdims=True)
            values, probabilities = top + self.gamma * np.log(totals), exponentials / totals
        else:
            values, probabilities = (
                top,
                scores.argmax(axis=1)[:, None] == np.arange(scores.shape[1]),
            )
        gradients = np.einsum("ik,ikd->id", probabilities.astype(float), self.links.features)
        return float(values.mean()), gradients.mean(axis=0)


def objective(risk, lam, coef):
    return 0.5 * lam * coef @ coef + risk.worst(coef)[0] - risk.best(coef)[0]


def bound(risk, lam, point, coef):
    best, tangent = risk.best(point)
    return 0.5 * lam * coef @ coef + risk.worst(coef)[0] - best - tangent @ (coef - point)


def least_by_scipy(risk, lam, point):
    result = minimize(
        lambda w: bound(risk, lam, point, w), point, method="BFGS", options={"gtol": 1e-7}
    )
    return result.fun


def least_by_piqp(risk, lam, point):
    """Minimise by quadratic programming, with one variable per item for its best link."""
    best, tangent = risk.best(point)
    features, is_correct = risk.links
    n_items, n_candidates, _ = features.shape
    tops = np.repeat(np.eye(n_items), n_candidates, axis=0)
    rows = np.hstack([features.reshape(-1, N_COLUMNS), -tops])
    curvature = np.diag(np.append(np.full(N_COLUMNS, lam), np.zeros(n_items)))
    linear = np.append(-tangent, np.full(n_items, 1 / n_items))
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-10
    solver.setup(curvature, linear, G=rows, h_u=-(~is_correct).astype(float).ravel())
    assert solver.solve() == piqp.PIQP_SOLVED
    return solver.result.info.primal_obj + tangent @ point - best


def least(risk, lam, point):
    return (least_by_scipy if risk.gamma else least_by_piqp)(risk, lam, point)


RISKS = {
    "smooth": lambda seed: LinkRisk(random_links(seed), 0.5),
    "smooth by planes": lambda seed: LinkRisk(random_links(seed), 0.5, smooth=False),
    "maximum": lambda seed: LinkRisk(random_links(seed), 0.0),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("lam", [1.0, 0.01])
@pytest.mark.parametrize("name", RISKS)
def test_an_inner_problem_is_solved_to_its_minimum(name, lam, seed):
    risk = RISKS[name](seed)
    start = np.random.default_rng(seed).normal(size=N_COLUMNS)
    optimum = CCCP(max_iter=1, **EXACT).minimise(risk, lam, start)
    bound_value = bound(risk, lam, start, optimum.coef)
    assert bound_value == pytest.approx(least(risk, lam, start), rel=1e-6)
    assert optimum.objective == pytest.approx(objective(risk, lam, optimum.coef), rel=1e-12)
    assert optimum.objective <= bound_value + 1e-12


@pytest.mark.parametrize("inner_tol", [0.5, 0.1, 0.01])
@pytest.mark.parametrize("name", RISKS)
def test_the_gap_is_at_least_the_distance_to_the_minimum(name, inner_tol):
    start, lam = np.ones(N_COLUMNS), 0.1
    for seed in range(3):
        risk = RISKS[name](seed)
        optimum = CCCP(max_iter=1, inner_tol=inner_tol).minimise(risk, lam, start)
        bound_value = bound(risk, lam, start, optimum.coef)
        assert bound_value - least(risk, lam, start) <= optimum.history[0].gap + 1e-9
        assert optimum.history[0].gap <= inner_tol * bound_value


@pytest.mark.parametrize("inner_max_iter", [1, 3, 100])
@pytest.mark.parametrize("lam", [1.0, 0.01, 1e-4])
@pytest.mark.parametrize("name", RISKS)
def test_the_objective_never_rises(name, lam, inner_max_iter):
    for seed in range(5):
        risk = RISKS[name](seed)
        start = np.random.default_rng(seed).normal(scale=2.0, size=N_COLUMNS)
        optimum = CCCP(max_iter=30, inner_max_iter=inner_max_iter).minimise(risk, lam, start)
        path = [objective(risk, lam, start), *(step.objective for step in optimum.history)]
        assert path == sorted(path, reverse=True)
        assert path[-1] < path[0]
        assert optimum.objective == path[-1]
        assert optimum.objective == pytest.approx(objective(risk, lam, optimum.coef), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_it_ends_where_the_gradient_is_zero(seed):
    risk, lam = LinkRisk(random_links(seed), 0.5), 0.1
    optimum = CCCP(tol=0.0, max_iter=1000, **EXACT).minimise(risk, lam, np.zeros(N_COLUMNS))
    assert optimum.converged
    for direction in np.eye(N_COLUMNS):
        ahead = objective(risk, lam, optimum.coef + 1e-4 * direction)
        behind = objective(risk, lam, optimum.coef - 1e-4 * direction)
        assert (ahead - behind) / 2e-4 == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("name", RISKS)
def test_a_second_run_stays_at_the_first_optimum(name):
    risk = RISKS[name](0)
    solver = CCCP(tol=1e-4, inner_tol=1e-5)
    first = solver.minimise(risk, 0.01, np.zeros(N_COLUMNS))
    again = solver.minimise(risk, 0.01, first.coef)
    assert first.converged
    assert again.converged
    assert len(again.history) == 1
    assert again.objective == pytest.approx(first.objective, rel=1e-4)


@pytest.mark.parametrize("name", RISKS)
def test_an_unsolved_inner_problem_is_continued(name):
    risk = RISKS[name](1)
    at_once = CCCP(tol=1e-5, inner_tol=1e-6).minimise(risk, 0.01, np.zeros(N_COLUMNS))
    short_steps = CCCP(tol=1e-5, inner_tol=1e-6, inner_max_iter=2, max_iter=500)
    optimum = short_steps.minimise(risk, 0.01, np.zeros(N_COLUMNS))
    assert optimum.converged
    assert optimum.objective == pytest.approx(at_once.objective, rel=0.05)


def test_planes_stay_until_their_inner_problem_is_solved(monkeypatch):
    """They stay even if only two planes are kept for the next problem."""
    monkeypatch.setattr(convex_bounds, "MAX_PLANES", 2)
    risk = LinkRisk(random_links(1), 0.0)
    optimum = CCCP(inner_max_iter=2).minimise(risk, 1e-4, np.zeros(N_COLUMNS))
    assert optimum.converged
    objectives = [step.objective for step in optimum.history]
    repeats = [
        index
        for index in range(2, len(objectives))
        if len(set(objectives[index - 2 : index + 1])) == 1
    ]
    assert repeats
    for index in repeats:
        assert optimum.history[index].gap <= optimum.history[index - 1].gap


@pytest.mark.parametrize("name", RISKS)
def test_a_run_that_max_iter_ends_has_not_converged(name):
    risk = RISKS[name](0)
    short = CCCP(tol=0.0, max_iter=2, inner_max_iter=1).minimise(risk, 1e-3, np.zeros(N_COLUMNS))
    assert not short.converged
    assert len(short.history) == 2


def test_an_unsolvable_inner_problem_is_reported():
    """With a feature of 1e10 beside others, rounding prevents progress in the program."""
    features, is_correct = random_links(1)
    risk = LinkRisk(Links(features * np.array([1e10, 1.0, 1.0]), is_correct), 0.0)
    optimum = CCCP(inner_max_iter=10, max_iter=20).minimise(risk, 0.01, np.zeros(N_COLUMNS))
    assert not optimum.converged
    assert optimum.objective <= objective(risk, 0.01, np.zeros(N_COLUMNS))


class Concave(LinkRisk):
    """A risk that breaks the contract: its `best` is concave, so below its tangent."""

    def best(self, coef):
        return -10.0 * float(coef @ coef), -20.0 * coef


def test_a_worse_coef_is_never_taken():
    risk = Concave(random_links(0), 0.5)
    start = np.full(N_COLUMNS, 0.01)
    optimum = CCCP().minimise(risk, 1e-3, start)
    path = [objective(risk, 1e-3, start), *(step.objective for step in optimum.history)]
    assert path == sorted(path, reverse=True)
    np.testing.assert_array_equal(optimum.coef, start)
    assert len(optimum.history) == 1


def test_history_has_counts_and_times_and_progress_is_reported():
    risk = LinkRisk(random_links(2), 0.0)
    steps = []
    with coterie.progress(steps.append):
        optimum = CCCP().minimise(risk, 0.01, np.zeros(N_COLUMNS))
    # One call is for the start.
    assert sum(step.n_inner for step in optimum.history) == risk.n_calls - 1
    assert all(step.seconds > 0 for step in optimum.history)
    assert [step.done for step in steps] == list(range(1, len(optimum.history) + 1))
    assert "objective" in steps[-1].detail


class Interrupted(LinkRisk):
    """A risk whose user interrupts after `patience` calls."""

    patience = 0

    def worst(self, coef):
        if self.n_calls == self.patience:
            self.patience = -1
            raise KeyboardInterrupt
        return super().worst(coef)


@pytest.mark.parametrize("gamma", [0.0, 0.5])
def test_an_interrupt_leaves_the_best_so_far(gamma):
    start = np.zeros(N_COLUMNS)
    risk = Interrupted(random_links(0), gamma)
    optimum = CCCP().minimise(risk, 1e-3, start)
    assert (optimum.interrupted, optimum.converged) == (True, False)
    np.testing.assert_array_equal(optimum.coef, start)
    assert optimum.objective == np.inf
    risk.n_calls, risk.patience = 0, 4
    optimum = CCCP().minimise(risk, 1e-3, start)
    assert optimum.interrupted
    # The first inner problem was interrupted, but its best point counts.
    assert not optimum.history
    assert optimum.objective < objective(risk, 1e-3, start)
    assert optimum.objective == pytest.approx(objective(risk, 1e-3, optimum.coef), rel=1e-12)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tol": -1.0}, "tol is -1.0"),
        ({"inner_tol": float("nan")}, "inner_tol is nan"),
        ({"max_iter": 0}, "max_iter is 0"),
        ({"inner_max_iter": 1.5}, "inner_max_iter is 1.5"),
        ({"start": -0.1}, "start is -0.1"),
    ],
)
def test_bad_parameters_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        CCCP(**options)


def test_bad_arguments_of_minimise_are_refused():
    risk = LinkRisk(random_links(0), 0.5)
    with pytest.raises(InputError, match="lam is 0"):
        CCCP().minimise(risk, 0, np.zeros(N_COLUMNS))
    with pytest.raises(InputError, match="give 3 numbers"):
        CCCP().minimise(risk, 1.0, np.zeros(2))
