"""Saving of values as zip files of a JSON tree and arrays; files are read without trusting them.

A value is a number, a text, None, an array, a `csr_array`, or a list, a tuple, a dict with text
keys or a dataclass of values. In the tree `model.json`, a dataclass consists of the name of its
class and of its fields. Types that JSON does not have are objects with one key, the name of the
type. Arrays are the members `arrays/0.npy`, `arrays/1.npy`, … in NumPy's format, each used once.

Nothing is unpickled, and classes are found by name among the known ones, never imported. Formats
with further members, such as models for tables, use `members_of` and `value_of`.
"""

from collections.abc import Mapping
from typing import Any

from coterie import __version__
from coterie._core.files import FileName
from coterie._core.texts import one_line
from coterie._saving.archive import (
    AS_SAVED,
    Content,
    array_name,
    as_json,
    open_archive,
    read_json,
    write_archive,
)
from coterie._saving.tree import Reader, Resolve, Writer, field_names
from coterie.exceptions import InputError, located

__all__ = [
    "MANIFEST",
    "TREE",
    "Resolve",
    "field_names",
    "load_value",
    "members_of",
    "save_value",
    "value_of",
]

TREE, MANIFEST = "model.json", "manifest.json"
"""The member of every saved value, and a further member of models for tables."""

_FORMAT = "coterie model"
_VERSION = 1


def save_value(path: FileName, value: Any, resolve: Resolve) -> None:
    """Save a value to a file; equal values make equal bytes."""
    write_archive(path, members_of(value, resolve))


def load_value(path: FileName, resolve: Resolve) -> Any:
    """Load a value from a file; raise an `InputError` if the file is anything else."""
    with located(str(path)):
        with open_archive(path) as archive:
            if {TREE, MANIFEST} <= archive.directory.keys():
                raise InputError(
                    "the file holds a model for tables; load it with coterie.tables.load, or use "
                    "it with `coterie predict`"
                )
            members = archive.members((TREE,))
        return value_of(members, resolve)


def members_of(value: Any, resolve: Resolve) -> dict[str, Content]:
    """Return the contents of the members of a value's file, by their names."""
    writer = Writer(resolve)
    try:
        tree = {
            "format": _FORMAT,
            "version": _VERSION,
            "coterie": __version__,
            "value": writer.encode(value, ""),
        }
        text = as_json(tree)
    except RecursionError as error:
        raise InputError(
            "the model is nested too deeply, or contains itself; use fewer levels of "
            "nesting, and no value that contains itself"
        ) from error
    return {TREE: text} | {array_name(i): array for i, array in enumerate(writer.arrays)}


def value_of(members: Mapping[str, bytes], resolve: Resolve) -> Any:
    """Return the value that `members_of` returned these members for."""
    tree = _unwrap(read_json(members[TREE], TREE))
    try:
        return Reader(resolve, dict(members)).decode(tree, "")
    except RecursionError as error:
        raise InputError(f"the model is nested too deeply; {AS_SAVED}") from error


def _unwrap(tree: Any) -> Any:
    """Check the format and version of a file's tree, and return the part that is the value."""
    if not isinstance(tree, dict) or tree.get("format") != _FORMAT:
        raise InputError(f"{TREE} is not from a saved model; {AS_SAVED}")
    if tree.get("version") != _VERSION:
        version, writer = (one_line(repr(tree.get(key))) for key in ("version", "coterie"))
        raise InputError(
            f"the file has format {version} (saved by Coterie {writer}), but this is Coterie "
            f"{__version__}, which reads format {_VERSION}; update Coterie, or fit the model again "
            "with this version"
        )
    if "value" not in tree:
        raise InputError(f"{TREE} contains no model; {AS_SAVED}")
    return tree["value"]
