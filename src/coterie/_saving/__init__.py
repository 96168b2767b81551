"""Values as files: a zip of a tree in JSON and of arrays, which is read without trust.

A value is a number, a text, None, an array, a `csr_array`, or a list, a tuple, a dict with text
keys or a dataclass of values. In the tree `model.json` a dataclass is the name of its class and its
fields; what JSON has no word for is an object with one key that says what it is. Arrays are the
members `arrays/0.npy`, `arrays/1.npy`, … in NumPy's format, each used once.

Nothing is unpickled, and the names of classes are looked up, never imported. What a file may be
beside a value, such as a model of tables, is made of `members_of` and `value_of`.
"""

from collections.abc import Mapping
from typing import Any

from coterie import __version__
from coterie._core.files import FileName
from coterie._saving.archive import (
    AS_SAVED,
    Content,
    array_name,
    as_json,
    opened,
    read_json,
    write_archive,
)
from coterie._saving.tree import Reader, Resolve, Writer, required_and_known
from coterie.exceptions import InputError, located

__all__ = [
    "MANIFEST",
    "TREE",
    "Resolve",
    "load_value",
    "members_of",
    "required_and_known",
    "save_value",
    "value_of",
]

TREE, MANIFEST = "model.json", "manifest.json"
"""The member that every saved value has, and one that only models of tables have."""

_FORMAT = "coterie model"
_VERSION = 1


def save_value(path: FileName, value: Any, resolve: Resolve) -> None:
    """Write a value to one file; equal values make equal bytes."""
    write_archive(path, members_of(value, resolve))


def load_value(path: FileName, resolve: Resolve) -> Any:
    """Read a value that was saved; whatever else the file is, one `InputError` says so."""
    with located(str(path)):
        with opened(path) as archive:
            if {TREE, MANIFEST} <= archive.directory.keys():
                raise InputError(
                    "it is a model of tables; load it with coterie.tables.load, or use it by "
                    "`coterie predict`"
                )
            members = archive.members((TREE,))
        return value_of(members, resolve)


def members_of(value: Any, resolve: Resolve) -> dict[str, Content]:
    """Return the members of the file of a value."""
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
            "the model is nested too deeply, or contains itself; flatten it"
        ) from error
    return {TREE: text} | {array_name(i): array for i, array in enumerate(writer.arrays)}


def value_of(members: Mapping[str, bytes], resolve: Resolve) -> Any:
    """Return the value that members were made of."""
    tree = _checked(read_json(members[TREE], TREE))
    try:
        return Reader(resolve, dict(members)).decode(tree, "")
    except RecursionError as error:
        raise InputError(f"the model is nested too deeply; {AS_SAVED}") from error


def _checked(tree: Any) -> Any:
    """Return the value of a tree after a look at what is around it."""
    if not isinstance(tree, dict) or tree.get("format") != _FORMAT:
        raise InputError(f"{TREE} is not that of a saved model; {AS_SAVED}")
    if tree.get("version") != _VERSION:
        raise InputError(
            f"its format is {tree.get('version')!r} (of Coterie {tree.get('coterie')!r}), but "
            f"Coterie {__version__} reads format {_VERSION}; update Coterie, or save the model anew"
        )
    if "value" not in tree:
        raise InputError(f"{TREE} holds no model; {AS_SAVED}")
    return tree["value"]
