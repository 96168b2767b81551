"""Files of models for tables, and changes to them with valid checksums."""

import hashlib
import json
import zipfile

import pytest

from coterie.datasets import make_records
from coterie.exceptions import InputError
from coterie.tables import load


def table(n_rows, seed):
    corpus = make_records(n_rows, random_state=seed)
    columns = {name: list(corpus.item_sets[0].items[name]) for name in ("surname", "birth_date")}
    return columns | {"who": [str(label) for label in corpus.partitions[0].labels]}


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def write(path, parts, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)


def rewrite(path, **changes):
    """Change JSON members of a file in place, and update the checksums."""
    parts = members(path)
    for name, change in changes.items():
        tree = json.loads(parts[f"{name}.json"])
        change(tree)
        parts[f"{name}.json"] = json.dumps(tree).encode()
    write(path, signed(parts))


def signed(parts):
    manifest = json.loads(parts["manifest.json"])
    others = {name: part for name, part in parts.items() if name != "manifest.json"}
    if "checksums" in manifest:
        sums = {name: hashlib.sha256(part).hexdigest() for name, part in others.items()}
        manifest["checksums"] = sums
    return {"manifest.json": json.dumps(manifest).encode(), **others}


def check_refused(path, message):
    with pytest.raises(InputError, match=message) as caught:
        load(path)
    message_lines = str(caught.value)
    assert message_lines.startswith(f"{path}: ")
    assert ";" in message_lines
    assert "\n" not in message_lines
    assert len(message_lines) < 1000


def change_fields(change):
    return lambda tree: change(tree["value"]["fields"])
