"""Values as JSON: arrays become lists, and NaN and the infinities become mappings."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from coterie.exceptions import InputError

_FLOAT = "$float"
"""The key of a mapping that stands for NaN or an infinity, which JSON does not have."""


def to_json(value: Any) -> Any:
    """Turn arrays into lists, and NaN and infinities into mappings with their names.

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
    raise InputError(f"a cell cannot hold {value!r}; give numbers, strings, lists and mappings")


def decode_number(mapping: dict[str, Any]) -> Any:
    """Turn a mapping of `to_json` back into its number; other mappings stay as they are.

    This is an `object_hook` for `json.loads`.
    """
    return float(mapping[_FLOAT]) if mapping.keys() == {_FLOAT} else mapping
