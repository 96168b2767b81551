"""The file of a model of tables: what a plain model's has, a manifest and a card for people."""

import math
import platform
from collections.abc import Mapping
from importlib import metadata
from typing import TYPE_CHECKING, Any, TypeVar

from coterie import __version__
from coterie._core.files import STREAM, FileName, as_path
from coterie._core.texts import quote
from coterie._saving import MANIFEST, TREE, Resolve, members_of, value_of
from coterie._saving.archive import (
    AS_SAVED,
    Archive,
    Content,
    as_json,
    digest,
    opened,
    read_json,
    write_archive,
)
from coterie.calibrations import ClusterCalibration
from coterie.exceptions import InputError, located
from coterie.model import Model, class_resolver
from coterie.tables.card import card
from coterie.tables.sample import N_ROWS, Sample
from coterie.tables.schema import Schema

if TYPE_CHECKING:
    from coterie.tables.model import TableModel

M = TypeVar("M", bound="TableModel")

FORMAT, VERSION = "coterie table model", 1
"""What the manifest says that the file is."""

CARD = "card.md"
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "rapidfuzz", "lightgbm")
"""Those that predictions may depend on."""


def save(path: FileName, model: "TableModel") -> None:
    """Write a model of tables to one file, whole or not at all; equal models make equal bytes."""
    members = {CARD: card(model).encode(), **members_of(model, _classes(type(model)))}
    manifest = as_json(_manifest(model, members))
    write_archive(path, {MANIFEST: manifest, **members})


def load(path: FileName, cls: type[M]) -> M:
    """Read a model of tables that was saved, after it predicted a few rows as it did then."""
    _refuse_no_file(path)
    with located(str(path)):
        with opened(path) as archive:
            manifest = _read_manifest(archive)
            members = archive.members((MANIFEST, CARD, TREE))
        del members[MANIFEST]
        _refuse_changed(members, manifest.get("checksums"))
        model = value_of(members, _classes(cls))
        _refuse_incomplete(model, cls)
        _replay(model, manifest)
        return model  # type: ignore[no-any-return]


def _refuse_no_file(path: FileName) -> None:
    if str(path) == STREAM:
        raise InputError("a model cannot be read from standard input; give the name of a file")
    file = as_path(path)
    if file.is_dir():
        raise InputError(f"{path} is a folder; give the name of a model")
    if not file.exists():
        raise InputError(f"there is no model {path}; give the name of one that is there")


def libraries() -> dict[str, str]:
    """Return the versions of what predictions may depend on."""
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:  # an extra
            continue
    return found


def _classes(cls: type) -> Resolve:
    """Return what finds classes; others are refused, when saving too: they could not be loaded."""
    known = class_resolver([cls, Schema, Sample])

    def find(name: str) -> type:
        found = known(name)
        if found is None:
            raise InputError(
                f"the model has a {quote(name)}, which is no class of Coterie's; models of tables "
                "are made of these alone"
            )
        return found

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
    """Write as null what JSON has no number for."""
    return value if math.isfinite(value) else None


def _read_manifest(archive: Archive) -> dict[str, Any]:
    """Read what the file says that it is, before anything else is believed."""
    if MANIFEST not in archive.directory:
        remedy = "load it with coterie.Model.load" if TREE in archive.directory else AS_SAVED
        raise InputError(f"it is no model of tables; {remedy}")
    manifest = read_json(archive.text(MANIFEST), MANIFEST)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise InputError(f"{MANIFEST} is not that of a model of tables; {AS_SAVED}")
    version = manifest.get("version")
    if type(version) is not int or version < 1:
        raise InputError(f"{MANIFEST} is damaged: the version is {quote(str(version))}; {AS_SAVED}")
    if version > VERSION:
        writer = quote(str(manifest.get("coterie")))
        raise InputError(
            f"it was written by a newer Coterie, {writer}, in format {quote(str(version))}, but "
            f"Coterie {__version__} reads format {VERSION}; update Coterie"
        )
    return manifest


def _refuse_changed(members: Mapping[str, bytes], checksums: Any) -> None:
    if not isinstance(checksums, dict):
        raise InputError(f"{MANIFEST} is damaged: it has no checksums; {AS_SAVED}")
    for name in sorted(members.keys() ^ checksums.keys()):
        what = "is missing" if name in checksums else "is not in the manifest"
        raise InputError(f"its member {name[:80]!r} {what}; {AS_SAVED}")
    for name, content in members.items():
        if digest(content) != checksums[name]:
            raise InputError(f"its member {name} is damaged: its checksum differs; {AS_SAVED}")


def _refuse_incomplete(model: Any, cls: type) -> None:
    """Refuse what is made of known classes, but not as a model of tables is."""
    if not isinstance(model, cls):
        raise InputError(f"it holds a {type(model).__name__}, no model of tables; {AS_SAVED}")
    parts: Any = model
    for name, kind in (("schema", Schema), ("model", Model), ("facts", dict), ("sample", Sample)):
        if not isinstance(getattr(parts, name), kind):
            raise InputError(f"{name} is damaged: it is no {kind.__name__}; {AS_SAVED}")
    if not isinstance(parts.model.calibration, ClusterCalibration):
        raise InputError(f"model.calibration is damaged: it knows of no clusters; {AS_SAVED}")
    columns = parts.sample.columns
    if set(columns) != set(parts.schema.columns) or any(map(_is_long, columns.values())):
        raise InputError(f"sample is damaged: it does not fit the schema; {AS_SAVED}")


def _is_long(texts: Any) -> bool:
    """Tell what would be slow to replay from the rows that are saved."""
    return not isinstance(texts, list | tuple) or len(texts) > N_ROWS


def _replay(model: "TableModel", manifest: Mapping[str, Any]) -> None:
    """Refuse a model that does not predict the rows of its sample as it did."""
    try:
        holds = model.sample.holds(model.model)
    except Exception as error:  # parts that do not fit together fail in many ways
        raise InputError(f"it cannot predict its own sample: {error}; {AS_SAVED}") from error
    if not holds:
        raise InputError(
            "it does not predict as it did when it was saved (library versions "
            f"{_versions(manifest.get('libraries'))}); fit it anew"
        )


def _versions(stored: Any) -> str:
    """Say which versions differ, or what they all are."""
    then, now = stored if isinstance(stored, dict) else {}, libraries()
    every = ("python", *LIBRARIES)
    names = [name for name in every if then.get(name) != now.get(name)] or [*now]
    said = [
        ", ".join(f"{name} {quote(str(found.get(name)), 20)}" for name in names)
        for found in (then, now)
    ]
    return f"then: {said[0]}; now: {said[1]}"
