"""Values as a tree of JSON, and arrays beside it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from inspect import Parameter, signature
from types import MappingProxyType, NoneType
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coterie.exceptions import InputError

Resolve: TypeAlias = Callable[[str], type | None]
"""Finds the class of a name, None for names that are not known."""

_ARRAY_TYPES = frozenset("?bhilqBHILQefdU")
_MOST_BITS = 4096
_REMEDY = (
    "a saved model holds numbers, texts, arrays, csr arrays, and lists, tuples, dicts and "
    "dataclasses of them"
)


def required_and_known(kind: type) -> tuple[set[str], set[str]]:
    """Return the fields that a dataclass is made of: those without a default, and all."""
    made_of = [f for f in fields(kind) if f.init]
    needed = {f.name for f in made_of if f.default is MISSING and f.default_factory is MISSING}
    return needed, {f.name for f in made_of}


def inside(place: str, name: str) -> str:
    """Name the place of a field."""
    return f"{place}.{name}" if place else name


def is_plain(kind: np.dtype[Any]) -> bool:
    """Tell the types of arrays that are saved."""
    return kind.char in _ARRAY_TYPES and kind.itemsize > 0


@dataclass
class Writer:
    """Turns values into a tree, and sets their arrays aside."""

    resolve: Resolve
    arrays: list[NDArray[Any]] = field(default_factory=list)

    def encode(self, value: Any, place: str) -> Any:
        """Return the tree of a value; `place` names it in errors."""
        if isinstance(value, np.bool_ | np.integer | np.floating | np.str_):
            value = value.item()
        kind = type(value)
        if kind in (NoneType, bool, str):
            return value
        if kind in _WAYS:
            return _WAYS[kind](self, value, place)
        if is_dataclass(kind):
            return self._dataclass(value, place)
        raise InputError(f"{place} is a {kind.__name__}, which cannot be saved; {_REMEDY}")

    def whole(self, value: int, place: str) -> int:
        if value.bit_length() > _MOST_BITS:
            raise InputError(f"{place} has more than {_MOST_BITS} bits; give a smaller number")
        return value

    def real(self, value: float, place: str) -> Any:  # noqa: ARG002
        return value if math.isfinite(value) else {"float": str(value)}

    def listed(self, values: list[Any], place: str) -> list[Any]:
        return [self.encode(value, f"{place}[{i}]") for i, value in enumerate(values)]

    def tupled(self, values: tuple[Any, ...], place: str) -> Any:
        return {"tuple": self.listed(list(values), place)}

    def named(self, values: Mapping[Any, Any], place: str) -> Any:
        for key in values:
            if type(key) is not str:
                raise InputError(f"{place} has the key {key!r}, which is no text; {_REMEDY}")
        return {"dict": {key: self.encode(v, f"{place}[{key!r}]") for key, v in values.items()}}

    def array(self, array: NDArray[Any], place: str) -> Any:
        if not is_plain(array.dtype):
            raise InputError(
                f"{place} is an array of {array.dtype}, which cannot be saved; give numbers of at "
                "most 64 bits, truth values or texts"
            )
        self.arrays.append(array.astype(array.dtype.newbyteorder("<"), order="A", copy=False))
        return {"array": len(self.arrays) - 1}

    def csr(self, matrix: Any, place: str) -> Any:
        if matrix.ndim != 2:
            raise InputError(f"{place} is a sparse array of {matrix.ndim} dimensions; give two")
        stored = matrix.indptr[-1]
        parts = {
            "data": matrix.data[:stored],
            "indices": matrix.indices[:stored],
            "indptr": matrix.indptr,
        }
        stored_parts = {name: self.array(p, inside(place, name)) for name, p in parts.items()}
        return {"csr": {"shape": [int(length) for length in matrix.shape], **stored_parts}}

    def _dataclass(self, value: Any, place: str) -> Any:
        kind = type(value)
        name = kind.__name__
        if self.resolve(name) not in (None, kind):
            raise InputError(
                f"{place or name} is of a class of your own with a name of Coterie's, {name}; "
                "rename the class"
            )
        _refuse_other_constructor(kind, place or name)
        known = [f.name for f in fields(kind) if f.init]
        values = {f: self.encode(getattr(value, f), inside(place, f)) for f in known}
        return {"class": name, "fields": values}


_WAYS: dict[type, Callable[[Writer, Any, str], Any]] = {
    int: Writer.whole,
    float: Writer.real,
    list: Writer.listed,
    tuple: Writer.tupled,
    dict: Writer.named,
    MappingProxyType: Writer.named,
    np.ndarray: Writer.array,
    sp.csr_array: Writer.csr,
}


def _refuse_other_constructor(kind: type, place: str) -> None:
    """Refuse a dataclass whose own constructor takes other things than its fields."""
    taken = signature(kind).parameters.values()
    needed = {p.name for p in taken if p.default is Parameter.empty}
    _, known = required_and_known(kind)
    if not needed <= known <= {p.name for p in taken}:
        raise InputError(
            f"{place} is a {kind.__name__}, whose constructor does not take its fields, so that it "
            "cannot be saved; give a dataclass with its own constructor"
        )
