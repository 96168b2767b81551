"""What is kept as JSON: arrays as lists, and numbers that JSON lacks as mappings."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from coterie.exceptions import InputError

_FLOAT = "$float"
"""Marks NaN and the infinities, which JSON does not have."""


def to_json(value: Any) -> Any:
    """Turn arrays into lists, and what JSON lacks into mappings that say what it was.

    >>> to_json({"losses": np.array([1.5, np.inf])})
    {'losses': [1.5, {'$float': 'inf'}]}
    """
    if isinstance(value, Mapping):
        return {name: to_json(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(inner) for inner in value]
    if isinstance(value, np.ndarray | np.generic):
        return to_json(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return {_FLOAT: str(value)}
    if isinstance(value, str | int | float | None):
        return value
    raise InputError(f"a cell cannot keep {value!r}; give numbers, texts, lists and mappings")


def decode_number(pairs: dict[str, Any]) -> Any:
    """Turn such a mapping into its number again; the `object_hook` of `json.loads`."""
    return float(pairs[_FLOAT]) if pairs.keys() == {_FLOAT} else pairs
