"""Values as a tree of JSON with arrays beside it, and back."""

import io
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from inspect import Parameter, signature
from types import MappingProxyType, NoneType
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.lib import format as npy
from numpy.typing import NDArray

from coterie._saving.archive import AS_SAVED, array_name
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


@dataclass
class Reader:
    """Turns a tree into the values that it was made from, believing nothing."""

    resolve: Resolve
    members: dict[str, bytes]

    def decode(self, node: Any, place: str) -> Any:
        """Return the value of a tree, which is used up; `place` names it in errors."""
        if isinstance(node, list):
            for at, inner in enumerate(node):  # in place: long lists need not be there twice
                node[at] = self.decode(inner, f"{place}[{at}]")
            return node
        if not isinstance(node, dict):
            return node
        if node.keys() == {"class", "fields"}:
            return self._dataclass(node["class"], node["fields"], place)
        tag = next(iter(node)) if len(node) == 1 else None
        if tag not in _TAGS:
            raise _damaged(place, f"it has the keys {list(node)}")
        return _TAGS[tag](self, node[tag], place)

    def real(self, word: Any, place: str) -> float:
        if word not in ("inf", "-inf", "nan"):
            raise _damaged(place, f"{word!r} is no number")
        return float(word)

    def tupled(self, nodes: Any, place: str) -> tuple[Any, ...]:
        return tuple(self.decode(_as(list, nodes, place), place))

    def named(self, nodes: Any, place: str) -> dict[str, Any]:
        named: dict[str, Any] = _as(dict, nodes, place)
        for key, node in named.items():
            named[key] = self.decode(node, f"{place}[{key!r}]")
        return named

    def array(self, number: Any, place: str) -> NDArray[Any]:
        member = self.members.pop(array_name(number), None)
        if member is None:
            raise _damaged(place, f"the array {number!r} is missing, or used twice")
        try:
            return _read_array(member)
        except Exception as error:  # NumPy raises many kinds where a header is wrong
            raise _damaged(place, f"the array {number} cannot be read: {error}") from error

    def csr(self, parts: Any, place: str) -> Any:
        if _as(dict, parts, place).keys() != {"shape", "data", "indices", "indptr"}:
            raise _damaged(place, "a csr array is made of shape, data, indices and indptr")
        names = ("data", "indices", "indptr")
        data, indices, indptr = (self.decode(parts[name], inside(place, name)) for name in names)
        shape = parts["shape"]
        if not _is_csr(data, indices, indptr, shape):
            raise _damaged(place, "the parts of the csr array do not fit together")
        return sp.csr_array((data, indices, indptr), shape=tuple(shape))

    def _dataclass(self, name: Any, nodes: Any, place: str) -> Any:
        kind = self._class(_as(str, name, place), place)
        named = _as(dict, nodes, place)
        needed, known = required_and_known(kind)
        if not needed <= named.keys() <= known:
            wrong = ", ".join(sorted((needed - named.keys()) | (named.keys() - known)))
            raise _damaged(place, f"{name} lacks or does not know {wrong}")
        values = {key: self.decode(node, inside(place, key)) for key, node in named.items()}
        try:
            return kind(**values)
        except InputError as error:
            raise _damaged(place, f"{name}: {error}") from error
        except Exception as error:  # constructors of the user raise what they like
            raise _damaged(place, f"{name} cannot be made of its fields: {error}") from error

    def _class(self, name: str, place: str) -> type:
        kind: Any = self.resolve(name)
        if kind is None:
            raise InputError(
                f"{place or 'the model'} is a {name}, which is no class of Coterie's; if you trust "
                f"it, load with classes=[{name}]"
            )
        if not (isinstance(kind, type) and is_dataclass(kind)):
            raise _damaged(place, f"{name} is nothing that a model holds")
        return kind


_TAGS: dict[Any, Callable[[Reader, Any, str], Any]] = {
    "float": Reader.real,
    "tuple": Reader.tupled,
    "dict": Reader.named,
    "array": Reader.array,
    "csr": Reader.csr,
}


def _damaged(place: str, what: str) -> InputError:
    return InputError(f"{place or 'the model'} is damaged: {what}; {AS_SAVED}")


def _as(kind: type, node: Any, place: str) -> Any:
    if type(node) is not kind:
        raise _damaged(place, f"there is a {type(node).__name__} in place of a {kind.__name__}")
    return node


def _read_array(member: bytes) -> NDArray[Any]:
    """Read an array as a view of the bytes, after its header was held against their number."""
    stream = io.BytesIO(member)
    if npy.read_magic(stream) != (1, 0):
        raise ValueError("its header is not of version 1.0")
    shape, fortran, kind = npy.read_array_header_1_0(stream)
    start = stream.tell()
    if not is_plain(kind) or kind.str[0] == ">":
        raise ValueError(f"it is of type {kind}")
    if math.prod(shape) * kind.itemsize != len(member) - start:
        raise ValueError("its shape does not fit its size")
    _refuse_no_values(kind, memoryview(member)[start:])
    array: NDArray[Any] = np.ndarray(shape, kind, member, start, order="F" if fortran else "C")
    return array.astype(kind.newbyteorder("="), copy=False)


def _refuse_no_values(kind: np.dtype[Any], stored: memoryview) -> None:
    """Refuse bits that are no truth value and no character, which NumPy takes unchecked."""
    if kind.kind == "b" and stored and np.frombuffer(stored, "u1").max() > 1:
        raise ValueError("it has values that are neither true nor false")
    if kind.kind == "U" and stored and np.frombuffer(stored, "<u4").max() > sys.maxunicode:
        raise ValueError("it has values that are no characters")


def _is_csr(data: Any, indices: Any, indptr: Any, shape: Any) -> bool:
    """Tell whether SciPy can go through the parts without leaving them."""
    if not all(isinstance(part, np.ndarray) and part.ndim == 1 for part in (data, indices, indptr)):
        return False
    if not (isinstance(shape, list) and [type(length) for length in shape] == [int, int]):
        return False
    if indices.dtype.kind != "i" or indptr.dtype.kind != "i" or data.dtype.kind not in "biuf":
        return False
    n_rows, n_columns = shape
    within = len(indptr) == n_rows + 1 and indptr[0] == 0 and indptr[-1] == len(indices)
    if not within or len(data) != len(indices) or not 0 <= n_columns <= np.iinfo(np.int64).max:
        return False
    least, most = indices.min(initial=0), indices.max(initial=-1)
    return bool(np.all(indptr[1:] >= indptr[:-1]) and least >= 0 and most < n_columns)
