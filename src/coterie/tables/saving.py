"""The file of a model for tables: the parts of any model, a manifest, and a card for people."""

import math
import platform
from collections.abc import Mapping
from dataclasses import replace
from importlib import metadata
from typing import TYPE_CHECKING, Any, TypeVar

from coterie import __version__
from coterie._core.budgets import time_budget
from coterie._core.files import STREAM, FileName, as_path
from coterie._core.texts import one_line, quote
from coterie._saving import MANIFEST, TREE, Resolve, members_of, value_of
from coterie._saving.archive import (
    AS_SAVED,
    Archive,
    Content,
    as_json,
    digest,
    open_archive,
    read_json,
    write_archive,
)
from coterie.exceptions import InputError, located
from coterie.model import Model, class_resolver
from coterie.tables.card import card
from coterie.tables.facts import checked_facts
from coterie.tables.parts import check_model, refuse_other_class
from coterie.tables.sample import N_ROWS, Sample, longest_cell
from coterie.tables.schema import Schema

if TYPE_CHECKING:
    from coterie.tables.model import TableModel

M = TypeVar("M", bound="TableModel")

FORMAT, VERSION = "coterie table model", 2
"""The format that the manifest names; version 1 had samples without pairs and probabilities."""

MOST_CHARACTERS_BEFORE = 1_000_000
"""The largest number of characters of a sample of version 1, which are rows of any length."""

LOADING_SECONDS = 120.0
"""The processor time that the rows of the sample may take: the widest models need a quarter of it,
and compiling kernels for the first time needs another."""

CARD = "card.md"
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "rapidfuzz", "lightgbm")
"""Libraries whose versions may change predictions."""


def save(path: FileName, model: "TableModel") -> None:
    """Write a model for tables to one file, completely or not at all; equal models, equal bytes."""
    check_model(model)
    checked_facts(model.facts)
    if not model.sample.is_complete:  # of a model that was saved in version 1
        model = replace(model, sample=model.sample.completed(model.model))
    _check_size(model.sample, model.schema, VERSION)
    members = {CARD: card(model).encode(), **members_of(model, _classes(type(model)))}
    manifest = as_json(_manifest(model, members))
    write_archive(path, {MANIFEST: manifest, **members})


def load(path: FileName, cls: type[M]) -> M:
    """Read a saved model for tables, and check that it predicts its sample as it did then."""
    _refuse_no_file(path)
    with located(str(path)):
        with open_archive(path) as archive:
            manifest = _read_manifest(archive)
            members = archive.members((MANIFEST, CARD, TREE))
        del members[MANIFEST]
        _refuse_changed(members, manifest.get("checksums"))
        model = value_of(members, _classes(cls))
        _refuse_incomplete(model, cls, manifest["version"])
        _check_sample(model, manifest)
        return model  # type: ignore[no-any-return]


def _refuse_no_file(path: FileName) -> None:
    if str(path) == STREAM:
        raise InputError("a model cannot be read from standard input; give a file name")
    file = as_path(path)
    if file.is_dir():
        raise InputError(f"{path} is a folder; give the name of a model file")
    if not file.exists():
        raise InputError(f"there is no model file {path}; check the name")


def libraries() -> dict[str, str]:
    """Return the versions of Python and of the libraries that predictions may depend on."""
    versions = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:  # an extra
            continue
    return versions


def _classes(cls: type) -> Resolve:
    """Return a function that finds classes by name; it refuses all that could not be loaded."""
    find_class = class_resolver([cls, Schema, Sample])

    def find(name: str) -> type | None:
        if name != cls.__name__:
            refuse_other_class(name)
        return find_class(name)

    return find


def _manifest(model: "TableModel", members: Mapping[str, Content]) -> dict[str, Any]:
    schema, facts = model.schema, model.facts
    roles = {role: getattr(schema, role) for role in ("id", "cluster", "set")}
    return {
        "format": FORMAT,
        "version": VERSION,
        "coterie": __version__,
        "libraries": libraries(),
        "schema": {**roles, "kinds": dict(schema.kinds)},
        "metrics": {name: _finite(value) for name, value in facts.get("held_out", {}).items()},
        "seed": facts.get("seed"),
        "learner": facts.get("learner"),
        "checksums": {name: digest(content) for name, content in members.items()},
    }


def _finite(value: float) -> float | None:
    """Return None, which JSON writes as null, for a value that is not a finite number."""
    return value if math.isfinite(value) else None


def _read_manifest(archive: Archive) -> dict[str, Any]:
    """Read the manifest and check the format of the file before anything else is read."""
    if MANIFEST not in archive.directory:
        remedy = "load it with coterie.Model.load" if TREE in archive.directory else AS_SAVED
        raise InputError(f"the file is not a model for tables; {remedy}")
    manifest = read_json(archive.text(MANIFEST), MANIFEST)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise InputError(f"{MANIFEST} does not describe a model for tables; {AS_SAVED}")
    version = manifest.get("version")
    if type(version) is not int or version < 1:
        raise InputError(f"{MANIFEST} is damaged: the version is {quote(str(version))}; {AS_SAVED}")
    if version > VERSION:
        writer = quote(str(manifest.get("coterie")))
        raise InputError(
            f"the file was written by Coterie {writer} in format {quote(str(version))}, but this "
            f"is Coterie {__version__}, which reads format {VERSION}; update Coterie"
        )
    return manifest


def _refuse_changed(members: Mapping[str, bytes], checksums: Any) -> None:
    if not isinstance(checksums, dict):
        raise InputError(f"{MANIFEST} is damaged: it has no checksums; {AS_SAVED}")
    for name in sorted(members.keys() ^ checksums.keys()):
        fault = "is missing" if name in checksums else "is not in the manifest"
        raise InputError(f"the part {name[:80]!r} of the file {fault}; {AS_SAVED}")
    for name, content in members.items():
        if digest(content) != checksums[name]:
            raise InputError(
                f"the part {name} of the file is damaged: its checksum differs; {AS_SAVED}"
            )


def _refuse_incomplete(model: Any, cls: type, version: int) -> None:
    """Refuse what does not form a model for tables, or is not what `fit` could have made."""
    if not isinstance(model, cls):
        raise InputError(
            f"the file holds a {type(model).__name__}, not a model for tables; {AS_SAVED}"
        )
    parts: Any = model
    for name, kind in (("schema", Schema), ("model", Model), ("facts", dict), ("sample", Sample)):
        if not isinstance(getattr(parts, name), kind):
            raise InputError(f"{name} is damaged: it is not a {kind.__name__}; {AS_SAVED}")
    check_model(parts)
    checked_facts(parts.facts)
    _check_size(parts.sample, parts.schema, version)


def _check_size(sample: Sample, schema: Schema, version: int) -> None:
    """Refuse a sample that does not fit the schema, or would take long to predict."""
    columns = sample.columns
    is_old = version == 1
    is_whole = set(columns) == set(schema.columns) and (is_old or sample.is_complete)
    if not is_whole or any(map(_is_long, columns.values())):
        raise InputError(f"sample is damaged: it does not fit the schema; {AS_SAVED}")
    lengths = [len(cell) for texts in columns.values() for cell in texts]
    longest = MOST_CHARACTERS_BEFORE if is_old else longest_cell(len(columns))
    if max(lengths, default=0) > longest or sum(lengths) > MOST_CHARACTERS_BEFORE:
        raise InputError(f"sample is damaged: it has too long texts; {AS_SAVED}")


def _is_long(texts: Any) -> bool:
    """Return whether these are not texts, or more than a sample has."""
    is_list = isinstance(texts, list | tuple) and len(texts) <= N_ROWS
    return not is_list or not all(isinstance(cell, str) for cell in texts)


def _check_sample(model: "TableModel", manifest: Mapping[str, Any]) -> None:
    """Refuse a model that does not predict the rows of its sample as it did."""
    try:
        with time_budget(LOADING_SECONDS):
            holds = model.sample.holds(model.model)
    except (MemoryError, OSError, ImportError):  # faults of the machine, not of the file
        raise
    except Exception as error:  # parts that do not fit together fail in many ways
        raise InputError(
            f"the model cannot predict its own sample of rows: {one_line(error, 80)}; {AS_SAVED}"
        ) from error
    if not holds:
        raise InputError(
            "the model does not predict as it did when it was saved (library versions "
            f"{_versions(manifest.get('libraries'))}); fit it again with the installed versions"
        )


def _versions(stored: Any) -> str:
    """Return the versions that differ, or all if none does."""
    then, now = stored if isinstance(stored, dict) else {}, libraries()
    libraries_and_python = ("python", *LIBRARIES)
    names = [name for name in libraries_and_python if then.get(name) != now.get(name)] or [*now]
    texts = [
        ", ".join(f"{name} {quote(str(versions.get(name)), 20)}" for name in names)
        for versions in (then, now)
    ]
    return f"then: {texts[0]}; now: {texts[1]}"
