import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from coterie.exceptions import FeatureError, InputError
from coterie.features.kernels import RBF, Polynomial

KERNELS = {
    RBF(0.3): lambda x, y=None: rbf_kernel(x, y, gamma=0.3),
    RBF(0.01): lambda x, y=None: rbf_kernel(x, y, gamma=0.01),
    Polynomial(3, 0.5): lambda x, y=None: polynomial_kernel(x, y, degree=3, gamma=1, coef0=0.5),
    Polynomial(1, 0.0): lambda x, y=None: polynomial_kernel(x, y, degree=1, gamma=1, coef0=0),
}


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_kernels_are_those_of_scikit_learn(kernel, rng):
    left, right = rng.normal(size=(9, 4)), rng.normal(size=(5, 4))
    left[0] = right[0]
    expected = KERNELS[kernel](left, right)
    np.testing.assert_allclose(kernel(left, right), expected, rtol=1e-12)
    np.testing.assert_allclose(kernel(sp.csr_array(left), right), expected, rtol=1e-12)


def test_kernels_are_values():
    assert RBF(2) == RBF(2.0)
    assert RBF(2).get_params() == {"gamma": 2.0}
    assert Polynomial(3).get_params() == {"degree": 3, "offset": 1.0}


@pytest.mark.parametrize("gamma", [0.0, 1e-9, 0.5, 1e9])
def test_the_diagonal_of_rbf_is_one_up_to_rounding(gamma, rng):
    rows = 1e-3 * rng.normal(size=(6, 3))
    np.testing.assert_allclose(np.diag(RBF(gamma)(rows, rows)), 1.0, rtol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_kernels_of_no_rows_are_empty(kernel):
    assert kernel(np.zeros((0, 4)), np.ones((3, 4))).shape == (0, 3)


@pytest.mark.parametrize("kernel", [RBF(), Polynomial(4)])
def test_numbers_that_are_too_large_are_refused(kernel):
    rows = np.array([[1e308], [-1e308]])
    with pytest.raises(FeatureError, match="too large for the kernel; make them smaller"):
        kernel(rows, rows)


@pytest.mark.parametrize(
    "make",
    [
        lambda: RBF(-1.0),
        lambda: RBF(float("nan")),
        lambda: Polynomial(0),
        lambda: Polynomial(1.5),
        lambda: Polynomial(2, -1.0),
    ],
)
def test_bad_parameters_are_refused(make):
    with pytest.raises(InputError, match="; give"):
        make()
