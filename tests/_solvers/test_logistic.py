"""Logistic regression by Newton's method, against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from coterie._solvers.logistic import LogisticFit, fit_logistic


def problem(seed, n_rows=400, n_columns=8):
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    matrix[:, -1] = 2 * matrix[:, 0]  # a column that another one determines
    targets = rng.random(n_rows) < expit(2 * matrix[:, 0] - 2)
    return matrix, targets, rng.uniform(0.1, 9.0, n_rows)


def objective(matrix, targets, weights, C, coef, intercept):
    log_odds = matrix.astype(np.float64) @ coef + intercept
    losses = np.logaddexp(0, np.where(targets, -log_odds, log_odds))
    return weights @ losses + coef @ coef / (2 * C)


@pytest.mark.parametrize("C", [1e-3, 0.1, 1.0, 100.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_minimum_is_that_of_scikit_learn(C, seed):
    data = problem(seed)
    fitted = fit_logistic(*data, C)
    peer = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-10)
    peer.fit(data[0].astype(np.float64), data[1], data[2])
    expected = objective(*data, C, peer.coef_[0], peer.intercept_[0])
    assert objective(*data, C, fitted.coef, fitted.intercept) <= expected * (1 + 1e-6)


def test_a_weight_of_two_is_a_row_twice():
    matrix, targets, _ = problem(0)
    twice = np.arange(len(matrix)) < 100
    weighted = fit_logistic(matrix, targets, 1.0 + twice, 1.0, tol=1e-9)
    rows = np.concatenate([np.arange(len(matrix)), np.flatnonzero(twice)])
    repeated = fit_logistic(matrix[rows], targets[rows], np.ones(len(rows)), 1.0, tol=1e-9)
    np.testing.assert_allclose(weighted.coef, repeated.coef, atol=1e-3)


def test_a_good_start_needs_fewer_steps():
    data = problem(1)
    cold = fit_logistic(*data, 1.0)
    assert fit_logistic(*data, 1.0, cold).n_steps < cold.n_steps


@given(st.integers(0, 1000), st.floats(1e-6, 1e6), st.floats(1e-4, 1e4))
def test_any_problem_ends_with_finite_numbers(seed, C, scale):
    matrix, targets, weights = problem(seed, 30, 4)
    fitted = fit_logistic(matrix * np.float32(scale), targets, weights, C)
    assert isinstance(fitted, LogisticFit)
    assert np.isfinite(fitted.coef).all()
    assert np.isfinite(fitted.intercept)


def test_separable_rows_have_scores_of_the_right_signs():
    matrix = np.array([[-1.0], [-2.0], [1.0], [3.0]], dtype=np.float32)
    targets = np.array([False, False, True, True])
    fitted = fit_logistic(matrix, targets, np.ones(4), 1e6)
    assert ((matrix[:, 0] * fitted.coef[0] + fitted.intercept > 0) == targets).all()
