"""Encoding of values as a JSON tree and a list of arrays, and decoding of such a tree."""

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

from coterie._core.texts import one_line
from coterie._saving.archive import AS_SAVED, array_name
from coterie.exceptions import InputError

Resolve: TypeAlias = Callable[[str], type | None]
"""A function from the name of a class to the class, or to None for unknown names."""

_ARRAY_TYPES = frozenset("?bhilqBHILQefdU")
_MOST_BITS = 4096
MOST_SHOWN = 80
"""The number of characters of a file that an error shows."""
_REMEDY = (
    "a saved model holds numbers, strings, arrays, csr arrays, and lists, tuples, dicts and "
    "dataclasses of them"
)


def field_names(cls: type) -> tuple[set[str], set[str]]:
    """Return two sets of fields of a dataclass: those without a default, and all."""
    init_fields = [f for f in fields(cls) if f.init]
    required = {
        f.name for f in init_fields if f.default is MISSING and f.default_factory is MISSING
    }
    return required, {f.name for f in init_fields}


def join_path(path: str, name: str) -> str:
    """Return the path of a field of the value at `path`."""
    return f"{path}.{name}" if path else name


def can_be_saved(dtype: np.dtype[Any]) -> bool:
    """Return whether arrays of this type can be saved."""
    return dtype.char in _ARRAY_TYPES and dtype.itemsize > 0


@dataclass
class Writer:
    """Encodes values as a tree, and collects their arrays in a list."""

    resolve: Resolve
    arrays: list[NDArray[Any]] = field(default_factory=list)

    def encode(self, value: Any, path: str) -> Any:
        """Return the tree of a value; `path` is its path in the model, for errors."""
        if isinstance(value, np.bool_ | np.integer | np.floating | np.str_):
            value = value.item()
        cls = type(value)
        if cls in (NoneType, bool, str):
            return value
        if cls in _ENCODERS:
            return _ENCODERS[cls](self, value, path)
        if is_dataclass(cls):
            return self._encode_dataclass(value, path)
        raise InputError(f"{path} is a {cls.__name__}, which cannot be saved; {_REMEDY}")

    def encode_int(self, value: int, path: str) -> int:
        if value.bit_length() > _MOST_BITS:
            raise InputError(f"{path} has more than {_MOST_BITS} bits; give a smaller number")
        return value

    def encode_float(self, value: float, path: str) -> Any:  # noqa: ARG002
        return value if math.isfinite(value) else {"float": str(value)}

    def encode_list(self, values: list[Any], path: str) -> list[Any]:
        return [self.encode(value, f"{path}[{i}]") for i, value in enumerate(values)]

    def encode_tuple(self, values: tuple[Any, ...], path: str) -> Any:
        return {"tuple": self.encode_list(list(values), path)}

    def encode_dict(self, values: Mapping[Any, Any], path: str) -> Any:
        for key in values:
            if type(key) is not str:
                raise InputError(f"{path} has the key {key!r}, which is not a string; {_REMEDY}")
        return {"dict": {key: self.encode(v, f"{path}[{key!r}]") for key, v in values.items()}}

    def encode_array(self, array: NDArray[Any], path: str) -> Any:
        if not can_be_saved(array.dtype):
            raise InputError(
                f"{path} is an array of {array.dtype}, which cannot be saved; give numbers of at "
                "most 64 bits, booleans or strings"
            )
        self.arrays.append(array.astype(array.dtype.newbyteorder("<"), order="A", copy=False))
        return {"array": len(self.arrays) - 1}

    def encode_csr(self, matrix: Any, path: str) -> Any:
        if matrix.ndim != 2:
            raise InputError(
                f"{path} is a {matrix.ndim}-dimensional sparse array; give a two-dimensional one"
            )
        # SciPy allows arrays that are longer than the number of stored entries.
        n_stored = matrix.indptr[-1]
        arrays = {
            "data": matrix.data[:n_stored],
            "indices": matrix.indices[:n_stored],
            "indptr": matrix.indptr,
        }
        parts = {name: self.encode_array(a, join_path(path, name)) for name, a in arrays.items()}
        return {"csr": {"shape": [int(length) for length in matrix.shape], **parts}}

    def _encode_dataclass(self, value: Any, path: str) -> Any:
        cls = type(value)
        name = cls.__name__
        if self.resolve(name) not in (None, cls):
            raise InputError(
                f"{path or name} is of your own class {name}, which has the same name as a "
                "class of Coterie; rename your class"
            )
        _refuse_other_constructor(cls, path or name)
        names = [f.name for f in fields(cls) if f.init]
        values = {f: self.encode(getattr(value, f), join_path(path, f)) for f in names}
        return {"class": name, "fields": values}


_ENCODERS: dict[type, Callable[[Writer, Any, str], Any]] = {
    int: Writer.encode_int,
    float: Writer.encode_float,
    list: Writer.encode_list,
    tuple: Writer.encode_tuple,
    dict: Writer.encode_dict,
    MappingProxyType: Writer.encode_dict,
    np.ndarray: Writer.encode_array,
    sp.csr_array: Writer.encode_csr,
}


def _refuse_other_constructor(cls: type, path: str) -> None:
    """Raise an error for a dataclass whose constructor does not take its fields."""
    parameters = signature(cls).parameters.values()
    required = {p.name for p in parameters if p.default is Parameter.empty}
    _, names = field_names(cls)
    if not required <= names <= {p.name for p in parameters}:
        raise InputError(
            f"{path} is a {cls.__name__}, which cannot be saved, because its constructor does not "
            "take its fields; use the constructor that @dataclass generates"
        )


@dataclass
class Reader:
    """Decodes a tree into the value that it was made from, and checks everything in it."""

    resolve: Resolve
    members: dict[str, bytes]

    def decode(self, node: Any, path: str) -> Any:
        """Return the value of a tree, which is modified; `path` is its path, for errors."""
        if isinstance(node, list):
            for i, inner in enumerate(node):  # in place, to save the memory of a second list
                node[i] = self.decode(inner, f"{path}[{i}]")
            return node
        if not isinstance(node, dict):
            return node
        if node.keys() == {"class", "fields"}:
            return self._decode_dataclass(node["class"], node["fields"], path)
        tag = next(iter(node)) if len(node) == 1 else None
        if tag not in _DECODERS:
            raise _damaged(path, f"it has the unexpected keys {_shown(list(node))}")
        return _DECODERS[tag](self, node[tag], path)

    def decode_float(self, word: Any, path: str) -> float:
        if word not in ("inf", "-inf", "nan"):
            raise _damaged(path, f"{_shown(word)} is not a number")
        return float(word)

    def decode_tuple(self, nodes: Any, path: str) -> tuple[Any, ...]:
        return tuple(self.decode(_require_type(list, nodes, path), path))

    def decode_dict(self, nodes: Any, path: str) -> dict[str, Any]:
        values: dict[str, Any] = _require_type(dict, nodes, path)
        for key, node in values.items():
            values[key] = self.decode(node, f"{path}[{_shown(key)}]")
        return values

    def decode_array(self, index: Any, path: str) -> NDArray[Any]:
        member = self.members.pop(array_name(index), None)
        if member is None:
            raise _damaged(path, f"array {_shown(index)} is missing, or is used twice")
        try:
            return _read_array(member)
        except Exception as error:  # NumPy raises many types of errors for wrong headers
            raise _damaged(path, f"array {index} cannot be read: {_cut(error)}") from error

    def decode_csr(self, parts: Any, path: str) -> Any:
        if _require_type(dict, parts, path).keys() != {"shape", "data", "indices", "indptr"}:
            raise _damaged(path, "a csr array must consist of shape, data, indices and indptr")
        names = ("data", "indices", "indptr")
        data, indices, indptr = (self.decode(parts[name], join_path(path, name)) for name in names)
        shape = parts["shape"]
        if not _is_csr(data, indices, indptr, shape):
            raise _damaged(path, "the parts of the csr array do not fit together")
        return sp.csr_array((data, indices, indptr), shape=tuple(shape))

    def _decode_dataclass(self, name: Any, nodes: Any, path: str) -> Any:
        cls = self._find_class(_require_type(str, name, path), path)
        node_of = _require_type(dict, nodes, path)
        required, names = field_names(cls)
        if not required <= node_of.keys() <= names:
            missing = ", ".join(sorted(required - node_of.keys())) or "none"
            unknown = _cut(", ".join(sorted(node_of.keys() - names))) or "none"
            raise _damaged(path, f"fields of {name}: missing {missing}, unknown {unknown}")
        values = {key: self.decode(node, join_path(path, key)) for key, node in node_of.items()}
        try:
            return cls(**values)
        except InputError as error:
            raise _damaged(path, f"{name}: {_cut(error)}") from error
        except Exception as error:  # users' constructors may raise any error
            raise _damaged(path, f"{name} rejects its fields: {_cut(error)}") from error

    def _find_class(self, name: str, path: str) -> type:
        cls: Any = self.resolve(name)
        if cls is None:
            raise InputError(
                f"{_cut(path) or 'the model'} is a {_cut(name)}, which is not a class of Coterie; "
                f"if you trust it, load with classes=[{_cut(name)}]"
            )
        if not (isinstance(cls, type) and is_dataclass(cls)):
            raise _damaged(path, f"{name} cannot be part of a model")
        return cls


_DECODERS: dict[Any, Callable[[Reader, Any, str], Any]] = {
    "float": Reader.decode_float,
    "tuple": Reader.decode_tuple,
    "dict": Reader.decode_dict,
    "array": Reader.decode_array,
    "csr": Reader.decode_csr,
}


def _damaged(path: str, reason: str) -> InputError:
    return InputError(f"{_cut(path) or 'the model'} is damaged: {reason}; {AS_SAVED}")


def _shown(value: Any) -> str:
    """Return a value of a file as a short text for an error."""
    if isinstance(value, str | list):
        value = value[:MOST_SHOWN]
    return _cut(repr(value))


def _cut(text: object) -> str:
    """Return the start of a text about a file, which may be as long as whoever made it wishes."""
    return one_line(text, MOST_SHOWN)


def _require_type(cls: type, node: Any, path: str) -> Any:
    if type(node) is not cls:
        raise _damaged(path, f"there is a {type(node).__name__} in place of a {cls.__name__}")
    return node


def _read_array(member: bytes) -> NDArray[Any]:
    """Return an array as a view of the bytes, after a check that its size is as in its header."""
    stream = io.BytesIO(member)
    if npy.read_magic(stream) != (1, 0):
        raise ValueError("its header does not have version 1.0")
    shape, is_fortran, dtype = npy.read_array_header_1_0(stream)
    start = stream.tell()
    if not can_be_saved(dtype) or dtype.str[0] == ">":
        raise ValueError(f"it is of type {dtype}, which saved models do not contain")
    if math.prod(shape) * dtype.itemsize != len(member) - start:
        raise ValueError("its shape does not fit its size")
    _refuse_invalid_values(dtype, memoryview(member)[start:])
    array: NDArray[Any] = np.ndarray(shape, dtype, member, start, order="F" if is_fortran else "C")
    return array.astype(dtype.newbyteorder("="), copy=False)


def _refuse_invalid_values(dtype: np.dtype[Any], content: memoryview) -> None:
    """Raise an error for invalid booleans or characters, which NumPy does not check."""
    if dtype.kind == "b" and content and np.frombuffer(content, "u1").max() > 1:
        raise ValueError("it has values that are neither true nor false")
    if dtype.kind == "U" and content and np.frombuffer(content, "<u4").max() > sys.maxunicode:
        raise ValueError("it has values that are not Unicode characters")


def _is_csr(data: Any, indices: Any, indptr: Any, shape: Any) -> bool:
    """Return whether the parts make a matrix that SciPy reads without leaving their bounds."""
    if not all(isinstance(part, np.ndarray) and part.ndim == 1 for part in (data, indices, indptr)):
        return False
    if not (isinstance(shape, list) and [type(length) for length in shape] == [int, int]):
        return False
    if indices.dtype.kind != "i" or indptr.dtype.kind != "i" or data.dtype.kind not in "biuf":
        return False
    n_rows, n_columns = shape
    fits = len(indptr) == n_rows + 1 and indptr[0] == 0 and indptr[-1] == len(indices)
    if not fits or len(data) != len(indices) or not 0 <= n_columns <= np.iinfo(np.int64).max:
        return False
    smallest, largest = indices.min(initial=0), indices.max(initial=-1)
    return bool(np.all(indptr[1:] >= indptr[:-1]) and smallest >= 0 and largest < n_columns)
