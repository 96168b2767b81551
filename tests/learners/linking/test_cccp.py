"""The concave-convex procedure on left links written out in plain NumPy."""

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
    """Features of the candidates of each item, the first the dummy, and which of them are right."""

    features: np.ndarray
    right: np.ndarray


def random_links(seed, n_items=20, n_candidates=6):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n_items, n_candidates, N_COLUMNS))
    right = rng.random((n_items, n_candidates)) < 0.3
    right[np.arange(n_items), rng.integers(n_candidates, size=n_items)] = True
    features[..., 0] += right
    features[:, 0] = 0.0
    return Links(features, right)


class LinkRisk:
    """max over links of score + loss, minus max over right links; γ > 0 makes both soft."""

    n_columns = N_COLUMNS

    def __init__(self, links, gamma, smooth=None):
        self.links, self.gamma = links, gamma
        self.smooth = gamma > 0 if smooth is None else smooth
        self.n_calls = 0

    def worst(self, coef):
        self.n_calls += 1
        return self._mean(self.links.features @ coef + ~self.links.right)

    def best(self, coef):
        return self._mean(np.where(self.links.right, self.links.features @ coef, -np.inf))

    def _mean(self, scores):
        top = scores.max(axis=1, keepdims=True)
        if self.gamma:
            measures = np.exp((scores - top) / self.gamma)
            totals = measures.sum(axis=1, keepdims=True)
            values, shares = top + self.gamma * np.log(totals), measures / totals
        else:
            values, shares = top, scores.argmax(axis=1)[:, None] == np.arange(scores.shape[1])
        gradients = np.einsum("ik,ikd->id", shares.astype(float), self.links.features)
        return float(values.mean()), gradients.mean(axis=0)


def objective(risk, lam, coef):
    return 0.5 * lam * coef @ coef + risk.worst(coef)[0] - risk.best(coef)[0]


def bound(risk, lam, at, coef):
    best, tangent = risk.best(at)
    return 0.5 * lam * coef @ coef + risk.worst(coef)[0] - best - tangent @ (coef - at)


def least_by_scipy(risk, lam, at):
    found = minimize(lambda w: bound(risk, lam, at, w), at, method="BFGS", options={"gtol": 1e-7})
    return found.fun


def least_by_piqp(risk, lam, at):
    """One variable for the best link of each item, at least as high as all of them."""
    best, tangent = risk.best(at)
    features, right = risk.links
    n_items, n_candidates, _ = features.shape
    tops = np.repeat(np.eye(n_items), n_candidates, axis=0)
    rows = np.hstack([features.reshape(-1, N_COLUMNS), -tops])
    curvature = np.diag(np.append(np.full(N_COLUMNS, lam), np.zeros(n_items)))
    linear = np.append(-tangent, np.full(n_items, 1 / n_items))
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-10
    solver.setup(curvature, linear, G=rows, h_u=-(~right).astype(float).ravel())
    assert solver.solve() == piqp.PIQP_SOLVED
    return solver.result.info.primal_obj + tangent @ at - best


def least(risk, lam, at):
    return (least_by_scipy if risk.gamma else least_by_piqp)(risk, lam, at)


RISKS = {
    "smooth": lambda seed: LinkRisk(random_links(seed), 0.5),
    "smooth by planes": lambda seed: LinkRisk(random_links(seed), 0.5, smooth=False),
    "maximum": lambda seed: LinkRisk(random_links(seed), 0.0),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("lam", [1.0, 0.01])
@pytest.mark.parametrize("name", RISKS)
def test_an_inner_problem_is_solved_to_its_least(name, lam, seed):
    risk = RISKS[name](seed)
    at = np.random.default_rng(seed).normal(size=N_COLUMNS)
    found = CCCP(max_iter=1, **EXACT).minimise(risk, lam, at)
    reached = bound(risk, lam, at, found.coef)
    assert reached == pytest.approx(least(risk, lam, at), rel=1e-6)
    assert found.objective == pytest.approx(objective(risk, lam, found.coef), rel=1e-12)
    assert found.objective <= reached + 1e-12


@pytest.mark.parametrize("inner_tol", [0.5, 0.1, 0.01])
@pytest.mark.parametrize("name", RISKS)
def test_the_gap_is_at_least_what_is_missing(name, inner_tol):
    at, lam = np.ones(N_COLUMNS), 0.1
    for seed in range(3):
        risk = RISKS[name](seed)
        found = CCCP(max_iter=1, inner_tol=inner_tol).minimise(risk, lam, at)
        reached = bound(risk, lam, at, found.coef)
        assert reached - least(risk, lam, at) <= found.history[0].gap + 1e-9
        assert found.history[0].gap <= inner_tol * reached


@pytest.mark.parametrize("inner_max_iter", [1, 3, 100])
@pytest.mark.parametrize("lam", [1.0, 0.01, 1e-4])
@pytest.mark.parametrize("name", RISKS)
def test_the_objective_never_rises(name, lam, inner_max_iter):
    for seed in range(5):
        risk = RISKS[name](seed)
        start = np.random.default_rng(seed).normal(scale=2.0, size=N_COLUMNS)
        found = CCCP(max_iter=30, inner_max_iter=inner_max_iter).minimise(risk, lam, start)
        path = [objective(risk, lam, start), *(step.objective for step in found.history)]
        assert path == sorted(path, reverse=True)
        assert path[-1] < path[0]
        assert found.objective == path[-1]
        assert found.objective == pytest.approx(objective(risk, lam, found.coef), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_it_ends_where_the_objective_is_level(seed):
    risk, lam = LinkRisk(random_links(seed), 0.5), 0.1
    found = CCCP(tol=0.0, max_iter=1000, **EXACT).minimise(risk, lam, np.zeros(N_COLUMNS))
    assert found.converged
    for direction in np.eye(N_COLUMNS):
        ahead = objective(risk, lam, found.coef + 1e-4 * direction)
        behind = objective(risk, lam, found.coef - 1e-4 * direction)
        assert (ahead - behind) / 2e-4 == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("name", RISKS)
def test_what_it_found_is_where_it_stays(name):
    risk = RISKS[name](0)
    solver = CCCP(tol=1e-4, inner_tol=1e-5)
    first = solver.minimise(risk, 0.01, np.zeros(N_COLUMNS))
    again = solver.minimise(risk, 0.01, first.coef)
    assert first.converged
    assert again.converged
    assert len(again.history) == 1
    assert again.objective == pytest.approx(first.objective, rel=1e-4)


@pytest.mark.parametrize("name", RISKS)
def test_an_inner_problem_that_was_left_is_taken_up_again(name):
    risk = RISKS[name](1)
    whole = CCCP(tol=1e-5, inner_tol=1e-6).minimise(risk, 0.01, np.zeros(N_COLUMNS))
    pieces = CCCP(tol=1e-5, inner_tol=1e-6, inner_max_iter=2, max_iter=500)
    found = pieces.minimise(risk, 0.01, np.zeros(N_COLUMNS))
    assert found.converged
    assert found.objective == pytest.approx(whole.objective, rel=0.05)


def test_planes_serve_until_their_inner_problem_is_solved(monkeypatch):
    """However few are kept for the next one."""
    monkeypatch.setattr(convex_bounds, "MOST_PLANES", 2)
    risk = LinkRisk(random_links(1), 0.0)
    found = CCCP(inner_max_iter=2).minimise(risk, 1e-4, np.zeros(N_COLUMNS))
    assert found.converged
    levels = [step.objective for step in found.history]
    stays = [number for number in range(2, len(levels)) if len(set(levels[number - 2 :][:3])) == 1]
    assert stays
    for number in stays:
        assert found.history[number].gap <= found.history[number - 1].gap


@pytest.mark.parametrize("name", RISKS)
def test_an_end_by_max_iter_is_told(name):
    risk = RISKS[name](0)
    short = CCCP(tol=0.0, max_iter=2, inner_max_iter=1).minimise(risk, 1e-3, np.zeros(N_COLUMNS))
    assert not short.converged
    assert len(short.history) == 2


def test_an_inner_problem_out_of_reach_is_told():
    """A feature of 1e10 beside others: rounding hides how the program over planes goes on."""
    features, right = random_links(1)
    risk = LinkRisk(Links(features * np.array([1e10, 1.0, 1.0]), right), 0.0)
    found = CCCP(inner_max_iter=10, max_iter=20).minimise(risk, 0.01, np.zeros(N_COLUMNS))
    assert not found.converged
    assert found.objective <= objective(risk, 0.01, np.zeros(N_COLUMNS))


class Concave(LinkRisk):
    """Breaks the contract: the tangent of its second part is above it."""

    def best(self, coef):
        return -10.0 * float(coef @ coef), -20.0 * coef


def test_a_worse_coef_is_never_taken():
    risk = Concave(random_links(0), 0.5)
    start = np.full(N_COLUMNS, 0.01)
    found = CCCP().minimise(risk, 1e-3, start)
    path = [objective(risk, 1e-3, start), *(step.objective for step in found.history)]
    assert path == sorted(path, reverse=True)
    np.testing.assert_array_equal(found.coef, start)
    assert len(found.history) == 1


def test_history_counts_and_times_and_progress_is_told():
    risk = LinkRisk(random_links(2), 0.0)
    steps = []
    with coterie.progress(steps.append):
        found = CCCP().minimise(risk, 0.01, np.zeros(N_COLUMNS))
    # One call is for the start.
    assert sum(step.n_inner for step in found.history) == risk.n_calls - 1
    assert all(step.seconds > 0 for step in found.history)
    assert [step.done for step in steps] == list(range(1, len(found.history) + 1))
    assert "objective" in steps[-1].detail


class Interrupted(LinkRisk):
    """The user loses patience after so many calls."""

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
    found = CCCP().minimise(risk, 1e-3, start)
    assert (found.interrupted, found.converged) == (True, False)
    np.testing.assert_array_equal(found.coef, start)
    assert found.objective == np.inf
    risk.n_calls, risk.patience = 0, 4
    found = CCCP().minimise(risk, 1e-3, start)
    assert found.interrupted
    # The first inner problem was broken off, but what it had found counts.
    assert not found.history
    assert found.objective < objective(risk, 1e-3, start)
    assert found.objective == pytest.approx(objective(risk, 1e-3, found.coef), rel=1e-12)


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
def test_parameters_that_are_none_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        CCCP(**options)


def test_what_cannot_be_minimised_is_refused():
    risk = LinkRisk(random_links(0), 0.5)
    with pytest.raises(InputError, match="lam is 0"):
        CCCP().minimise(risk, 0, np.zeros(N_COLUMNS))
    with pytest.raises(InputError, match="give 3 numbers"):
        CCCP().minimise(risk, 1.0, np.zeros(2))
