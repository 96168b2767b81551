"""Names for the arrays that travel between modules."""

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]
Bools: TypeAlias = NDArray[np.bool_]
Pairs: TypeAlias = NDArray[np.intp]
"""Shape (m, 2); unordered pairs of different items, i < j, each once."""

Array = TypeVar("Array", bound=NDArray[Any])


def read_only(array: Array) -> Array:
    """Return a view that cannot be written through; nothing is copied."""
    view = array.view()
    view.setflags(write=False)
    return view
