"""Logistic regression that converges."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from coterie.learners.classifiers import logistic
from coterie.learners.classifiers.logistic import ConvergedLogistic
from coterie.learners.pairwise import scaled_logistic


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(n, 4))
    # Two columns that say nearly the same, as two comparisons of one value do.
    matrix[:, 1] = matrix[:, 0] + 1e-3 * rng.normal(size=n)
    return matrix, matrix[:, 0] + rng.normal(size=n) > 0


@pytest.mark.parametrize("most_columns", [0, 1000])
@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
def test_it_converges_whatever_the_solver(monkeypatch, most_columns, as_matrix):
    monkeypatch.setattr(logistic, "MOST_COLUMNS", most_columns)
    matrix, classes = rows()
    fitted = ConvergedLogistic(C=10.0).fit(as_matrix(matrix), classes)
    peer = LogisticRegression(C=10.0, solver="newton-cholesky", tol=1e-12).fit(matrix, classes)
    scores = fitted.decision_function(as_matrix(matrix))
    np.testing.assert_allclose(scores, peer.decision_function(matrix), atol=0.05)


def test_its_parameters_are_those_that_learners_set():
    classifier = ConvergedLogistic(C=0.5)
    assert clone(classifier).get_params() == {"C": 0.5, "class_weight": None, "random_state": None}
    learner = scaled_logistic(C=0.1, balanced=True)
    assert learner.C == 0.1
