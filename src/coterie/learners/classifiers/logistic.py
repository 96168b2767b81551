"""Logistic regression that converges."""

from typing import Any, Self

from sklearn.linear_model import LogisticRegression

MOST_COLUMNS = 1_000
"""The largest number of columns for Newton's method, which needs a matrix of columns × columns."""

MAX_ITER = 10_000
"""The largest number of iterations."""


class ConvergedLogistic(LogisticRegression):  # type: ignore[misc]
    """Fit logistic regression by Newton's method, or by L-BFGS if there are many columns.

    Columns that compare the same two values are so alike that L-BFGS needs thousands of iterations
    for them, and scikit-learn stops it after a hundred. How strongly weights are penalised is a
    choice of C, and should not depend on when a solver stops.

    Examples
    --------
    >>> rows, classes = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> ConvergedLogistic(C=10.0).fit(rows, classes).predict([[0.5], [2.5]])
    array([0, 1])
    """

    def __init__(
        self, C: float = 1.0, class_weight: Any = None, random_state: int | None = None
    ) -> None:
        super().__init__(
            C=C, class_weight=class_weight, random_state=random_state, max_iter=MAX_ITER
        )

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return ["C", "class_weight", "random_state"]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the solver by the number of columns, and fit."""
        n_columns = X.shape[1] if hasattr(X, "shape") else len(X[0])
        self.solver = "newton-cholesky" if n_columns <= MOST_COLUMNS else "lbfgs"
        fitted: Self = super().fit(X, y, sample_weight)
        return fitted
