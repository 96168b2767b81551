"""Trees of LightGBM: features that it refuses are named."""

import numpy as np
import pytest

from coterie.exceptions import FeatureError
from coterie.learners.boosting.trees import LightTrees


def test_columns_that_lightgbm_takes_for_constant_are_refused():
    pytest.importorskip("lightgbm")
    matrix = np.repeat([[0.0], [1e-40]], 15, axis=0)
    gradient = np.repeat([-1.0, 1.0], 15)
    trees = LightTrees().grow(matrix, lambda _: (gradient, np.ones(30)), 0)
    with pytest.raises(FeatureError, match="LightGBM cannot learn from these features"):
        next(trees)
