"""The contract of a feature operator."""

import numpy as np

from coterie._arrays import Floats
from coterie._types import Features, LinearMap


def check_features(features: Features, *, n_items: int, random_state: int = 0) -> None:
    """Check that features are a linear operator with its transpose, and so is their diagonal.

    For random c and a, (F @ c) @ a == c @ (F.T @ a); products are linear, float64 and of the right
    shape; the diagonal is an operator over `n_items` items, or zero.

    >>> from coterie.features import NodeProducts
    >>> check_features(NodeProducts([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), n_items=3)
    """
    rng = np.random.default_rng(random_state)
    assert isinstance(features, Features), f"{features!r} lacks a part of the protocol Features"
    n_pairs, n_columns = features.shape
    _check_adjoint(features, features.T, n_pairs, n_columns, rng)
    diagonal = features.diagonal
    coef = rng.normal(size=n_columns)
    assert (diagonal @ coef).shape in {(n_items,), ()}, "the diagonal has another number of items"
    _check_adjoint(diagonal, diagonal.T, n_items, n_columns, rng)


def _check_adjoint(
    operator: LinearMap,
    transpose: LinearMap,
    n_rows: int,
    n_columns: int,
    rng: np.random.Generator,
) -> None:
    c, d = rng.normal(size=(2, n_columns))
    a, b = rng.normal(size=(2, n_rows))
    forward, backward = np.broadcast_to(operator @ c, n_rows), transpose @ a
    assert forward.dtype == backward.dtype == np.float64, "products must be float64"
    assert backward.shape == (n_columns,), f"F.T @ a has shape {backward.shape}"
    _assert_close(forward @ a, c @ backward, "F and F.T are not adjoint")
    _assert_close(operator @ (2 * c + d), 2 * forward + operator @ d, "F is not linear")
    _assert_close(transpose @ (a - b), backward - transpose @ b, "F.T is not linear")


def _assert_close(one: Floats | float, other: Floats | float, message: str) -> None:
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9, err_msg=message)
