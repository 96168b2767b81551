"""Features so large that the sums of squares in solvers overflow, or that they never end."""

from collections.abc import Sequence

import numpy as np

from coterie._types import Features
from coterie.exceptions import FeatureError
from coterie.features.operators import as_operator

LARGEST_FEATURE = 1e50
"""The largest absolute feature of a pair; the sums of squares of solvers overflow beyond 1e154."""


def refuse_extreme_features(features: Features, names: Sequence[str]) -> None:
    """Raise an error if a feature of a pair is far above 1e50.

    One product with random weights shows it, which also operators compute fast that never write
    their features out.
    """
    n_columns = features.shape[1]
    weights = np.random.default_rng(0).uniform(0.5, 1.0, n_columns)
    with np.errstate(all="ignore"):
        sums = np.abs(features @ weights)
        if np.all(sums <= LARGEST_FEATURE * n_columns):
            return
        squares = as_operator(features).column_squares()
    column = int(np.argmax(np.nan_to_num(squares, nan=np.inf, posinf=np.inf)))
    raise FeatureError(
        f"{names[column]!r} is above {LARGEST_FEATURE:g} for a pair, which is too large for the "
        "solver; correct the items, or use featurizer=Scaled(…), which divides each column by its "
        "standard deviation"
    )
