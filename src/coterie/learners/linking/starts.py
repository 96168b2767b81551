"""Where solvers of latent models start."""

from typing import Protocol

import numpy as np

from coterie._core.arguments import as_whole
from coterie._core.arrays import Floats


class Starting(Protocol):
    """A solver that says how far from 0 its first weights are drawn."""

    @property
    def start(self) -> float:
        """Where the solver starts."""
        ...


def drawn_start(solver: Starting, n_columns: int, random_state: int) -> Floats:
    """Draw the first weights as the solver asks for them."""
    rng = np.random.default_rng(as_whole("random_state", random_state))
    return rng.normal(scale=solver.start, size=n_columns)
