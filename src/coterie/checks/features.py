"""The check of feature operators."""

import numpy as np
import scipy.sparse as sp

from coterie._core.arrays import Floats, Ints
from coterie._types import Features, LinearMap
from coterie.features.operators import select_rows, to_matrix


def check_features(features: Features, *, n_items: int, random_state: int = 0) -> None:
    """Check that features are a linear operator with a transpose and a diagonal.

    - F and F.T are adjoint: (F @ c) @ a == c @ (F.T @ a) for random vectors c and a.
    - Products are linear, of type float64 and of the right shape.
    - The diagonal is such an operator too, with `n_items` rows, or zero.
    - The features as a matrix give the same products.
    - Some rows of the features give the products of these rows, and have the same diagonal.

    Features of a few hundred pairs are enough.

    >>> from coterie.features import NodeProducts
    >>> check_features(NodeProducts([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), n_items=3)
    """
    rng = np.random.default_rng(random_state)
    assert isinstance(features, Features), (
        f"{features!r} does not have all methods of the protocol Features"
    )
    n_pairs, n_columns = features.shape
    _check_adjoint(features, features.T, n_pairs, n_columns, rng)
    diagonal = features.diagonal
    coef = rng.normal(size=n_columns)
    assert (diagonal @ coef).shape in {(n_items,), ()}, f"the diagonal does not have {n_items} rows"
    _check_adjoint(diagonal, diagonal.T, n_items, n_columns, rng)
    _check_written(features, rng)
    _check_taken(features, rng.permutation(n_pairs)[: (n_pairs + 1) // 2], rng)


def _check_written(features: Features, rng: np.random.Generator) -> None:
    matrix = to_matrix(features)
    assert isinstance(matrix, np.ndarray | sp.csr_array), f"written as {type(matrix).__name__}"
    assert matrix.shape == features.shape, f"written in shape {matrix.shape}, not {features.shape}"
    assert matrix.dtype == np.float64, f"written in {matrix.dtype}, not in float64"
    coef, weights = rng.normal(size=features.shape[1]), rng.normal(size=features.shape[0])
    _assert_close(matrix @ coef, features @ coef, "F written out has other products F @ c")
    _assert_close(
        matrix.T @ weights, features.T @ weights, "F written out has other products F.T @ a"
    )


def _check_taken(features: Features, rows: Ints, rng: np.random.Generator) -> None:
    part = select_rows(features, rows)
    n_pairs, n_columns = features.shape
    assert part.shape == (len(rows), n_columns), f"{len(rows)} rows have shape {part.shape}"
    coef, weights = rng.normal(size=n_columns), rng.normal(size=len(rows))
    all_weights = np.zeros(n_pairs)
    all_weights[rows] = weights
    _assert_close(part @ coef, (features @ coef)[rows], "some rows have other products F @ c")
    _assert_close(
        part.T @ weights, features.T @ all_weights, "some rows have other products F.T @ a"
    )
    _assert_close(part.diagonal @ coef, features.diagonal @ coef, "some rows change the diagonal")


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


def _assert_close(first: Floats | float, second: Floats | float, message: str) -> None:
    np.testing.assert_allclose(first, second, rtol=1e-9, atol=1e-9, err_msg=message)
