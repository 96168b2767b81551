"""Values as files: a zip of a tree in JSON and of arrays, which is read without trust.

A value is a number, a text, None, an array, a `csr_array`, or a list, a tuple, a dict with text
keys or a dataclass of values. In the tree `model.json` a dataclass is the name of its class and its
fields; what JSON has no word for is an object with one key that says what it is. Arrays are the
members `arrays/0.npy`, `arrays/1.npy`, … in NumPy's format.

Members are stored as they are, not compressed, and each array is used once: so what is read takes
no more memory than the file is large. Nothing is unpickled, and the names of classes are looked up,
never imported.
"""

import io
import json
import math
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from inspect import Parameter, signature
from types import MappingProxyType, NoneType
from typing import Any, TypeAlias
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np
import scipy.sparse as sp
from numpy.lib import format as npy
from numpy.typing import NDArray

from coterie import __version__
from coterie._files import FileName, as_path, replacing
from coterie.exceptions import InputError, located

Resolve: TypeAlias = Callable[[str], type | None]
"""Finds the class of a name, None for names that are not known."""

_FORMAT = "coterie model"
_VERSION = 1
_TREE = "model.json"
_ARRAY = re.compile(r"arrays/(0|[1-9][0-9]{0,8})\.npy")
_ARRAY_TYPES = frozenset("?bhilqBHILQefdU")
_MOST_BITS = 4096
_REMEDY = (
    "a saved model holds numbers, texts, arrays, csr arrays, and lists, tuples, dicts and "
    "dataclasses of them"
)
_AS_SAVED = "give a file as it was saved"


def save_value(path: FileName, value: Any, resolve: Resolve) -> None:
    """Write a value to one file; equal values make equal bytes."""
    writer = _Writer(resolve)
    try:
        tree = {
            "format": _FORMAT,
            "version": _VERSION,
            "coterie": __version__,
            "value": writer.encode(value, ""),
        }
        text = json.dumps(tree, allow_nan=False)
    except RecursionError as error:
        raise InputError(
            "the model is nested too deeply, or contains itself; flatten it"
        ) from error
    with replacing(path) as stream, ZipFile(stream, "w", ZIP_STORED) as archive:
        archive.writestr(_member(_TREE), text)
        for number, array in enumerate(writer.arrays):
            info = _member(f"arrays/{number}.npy", array.nbytes)
            with archive.open(info, "w") as member:
                npy.write_array(member, array, version=(1, 0), allow_pickle=False)


def load_value(path: FileName, resolve: Resolve) -> Any:
    """Read a value that was saved; whatever else the file is, one `InputError` says so."""
    with located(str(path)):
        members = _read_members(path)
        tree = _read_tree(members.pop(_TREE))
        try:
            return _Reader(resolve, members).decode(tree, "")
        except RecursionError as error:
            raise InputError(f"the model is nested too deeply; {_AS_SAVED}") from error


def required_and_known(kind: type) -> tuple[set[str], set[str]]:
    """Return the fields that a dataclass is made of: those without a default, and all."""
    made_of = [f for f in fields(kind) if f.init]
    needed = {f.name for f in made_of if f.default is MISSING and f.default_factory is MISSING}
    return needed, {f.name for f in made_of}


def _member(name: str, size: int = 0) -> ZipInfo:
    """Describe a member without the time and the system, so that equal models are equal files."""
    info = ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.create_system, info.external_attr, info.file_size = 3, 0o644 << 16, size
    return info


def _inside(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


@dataclass
class _Writer:
    """Turns values into a tree, and sets their arrays aside."""

    resolve: Resolve
    arrays: list[NDArray[Any]] = field(default_factory=list)

    def encode(self, value: Any, place: str) -> Any:
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
        if not _is_plain(array.dtype):
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
        stored_parts = {name: self.array(p, _inside(place, name)) for name, p in parts.items()}
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
        values = {f: self.encode(getattr(value, f), _inside(place, f)) for f in known}
        return {"class": name, "fields": values}


_WAYS: dict[type, Callable[[_Writer, Any, str], Any]] = {
    int: _Writer.whole,
    float: _Writer.real,
    list: _Writer.listed,
    tuple: _Writer.tupled,
    dict: _Writer.named,
    MappingProxyType: _Writer.named,
    np.ndarray: _Writer.array,
    sp.csr_array: _Writer.csr,
}


def _is_plain(kind: np.dtype[Any]) -> bool:
    return kind.char in _ARRAY_TYPES and kind.itemsize > 0


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


def _read_members(path: FileName) -> dict[str, bytes]:
    file = as_path(path)
    try:
        with ZipFile(file) as archive:
            infos = archive.infolist()
            _refuse_strange(infos, file.stat().st_size)
            return {info.filename: archive.read(info) for info in infos}
    except (InputError, MemoryError):
        raise
    except FileNotFoundError as error:
        raise InputError("there is no such file; give the name of a saved model") from error
    except BadZipFile as error:
        raise InputError(f"this is no saved model, or it is damaged; {_AS_SAVED}") from error
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}; {_AS_SAVED}") from error
    except Exception as error:  # zipfile lets several kinds through where headers are wrong
        raise InputError(f"the model is damaged; {_AS_SAVED}") from error


def _refuse_strange(infos: list[ZipInfo], size: int) -> None:
    """Refuse what no saved model has: other names, names twice, sizes above that of the file."""
    names = [info.filename for info in infos]
    for name in names:
        if name != _TREE and not _ARRAY.fullmatch(name):
            raise InputError(f"it has the member {name!r}, which no saved model has; {_AS_SAVED}")
    if _TREE not in names or len(set(names)) < len(names):
        raise InputError(f"it must have one member {_TREE}, and each array once; {_AS_SAVED}")
    if any(info.compress_type != ZIP_STORED for info in infos):
        raise InputError(f"its members are compressed, which no saved model's are; {_AS_SAVED}")
    if sum(max(info.file_size, info.compress_size) for info in infos) > size:
        raise InputError(f"its members are said to be larger than the file; {_AS_SAVED}")


def _read_tree(text: bytes) -> Any:
    try:
        tree = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{_TREE} is damaged: {error}; {_AS_SAVED}") from error
    if not isinstance(tree, dict) or tree.get("format") != _FORMAT:
        raise InputError(f"{_TREE} is not that of a saved model; {_AS_SAVED}")
    if tree.get("version") != _VERSION:
        raise InputError(
            f"its format is {tree.get('version')!r} (of Coterie {tree.get('coterie')!r}), but "
            f"Coterie {__version__} reads format {_VERSION}; update Coterie, or save the model anew"
        )
    if "value" not in tree:
        raise InputError(f"{_TREE} holds no model; {_AS_SAVED}")
    return tree["value"]


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


@dataclass
class _Reader:
    """Turns a tree into the values that it was made from, believing nothing."""

    resolve: Resolve
    members: dict[str, bytes]

    def decode(self, node: Any, place: str) -> Any:
        if isinstance(node, list):
            return [self.decode(inner, f"{place}[{i}]") for i, inner in enumerate(node)]
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
        named = _as(dict, nodes, place)
        return {key: self.decode(node, f"{place}[{key!r}]") for key, node in named.items()}

    def array(self, number: Any, place: str) -> NDArray[Any]:
        member = self.members.pop(f"arrays/{number}.npy", None)
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
        data, indices, indptr = (self.decode(parts[name], _inside(place, name)) for name in names)
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
        values = {key: self.decode(node, _inside(place, key)) for key, node in named.items()}
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


_TAGS: dict[Any, Callable[[_Reader, Any, str], Any]] = {
    "float": _Reader.real,
    "tuple": _Reader.tupled,
    "dict": _Reader.named,
    "array": _Reader.array,
    "csr": _Reader.csr,
}


def _damaged(place: str, what: str) -> InputError:
    return InputError(f"{place or 'the model'} is damaged: {what}; {_AS_SAVED}")


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
    if not _is_plain(kind) or kind.str[0] == ">":
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
