"""Files of models: damaged, or changed with checksums that are right."""

import io
import json
import random
import struct
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from coterie import Model, tables
from coterie.exceptions import CoterieError
from tests._saving.test_older_models import MODELS, item_sets_of
from tests.fuzz.cases import ACCEPTED, MOST_CHARACTERS, REFUSED, is_refused, require
from tests.fuzz.damage import damaged, flip_near_mark
from tests.fuzz.inputs import LEARNERS, model_file
from tests.people import people
from tests.tables.model_files import members, signed, write

PLAIN = [path.stem for path in sorted(MODELS.glob("*.coterie")) if "table" not in path.stem]
OLDER = [MODELS / "table.coterie", MODELS / "table_format_2.coterie"]
NAMES = [
    *("AverageLinkage", "Greedy", "Pivot", "Exact", "KernelKMeans", "Union", "QGrams", "Model"),
    *("Partition", "ClusterCalibration", "Trees", "Field", "Schema", "Sample", "Path", "x", ""),
    *("LinearSimilarity", "TreeSimilarity", "Logistic", "Isotonic", "AllIfSmall", "RecordFeatures"),
]
NUMBERS: list[Any] = [
    *(0, 1, -1, 2, 7, 200, 10**4, 10**9, 2**31, 2**63, 2**70, 10**400, 0.5, -0.5, 1e-300, 1e308),
    *({"float": "nan"}, {"float": "inf"}, {"float": "-inf"}, True, False, None),
]
OTHERS: list[Any] = [
    *(
        "",
        "x",
        "surname",
        "é\ud800\0",
        "x" * 5000,
        [],
        [[]],
        [None],
        {},
        {"dict": {}},
        {"tuple": []},
    ),
    *({"dict": {"a": 1}}, {"array": 0}, {"array": 10**9}, {"array": -1}, {"tuple": [1, 2]}),
    *({"csr": {}}, {"class": "Path", "fields": {}}, {"class": "Model"}, {"unknown": 1}),
    {"csr": {"shape": [2**40, 2], "data": {"array": 0}, "indices": {"array": 1}, "indptr": []}},
]
DEEP = "lists inside of lists"
"""Stands for many lists inside of each other, which Python cannot encode."""

DTYPES = [
    "<f8",
    "<f4",
    "<f2",
    ">f8",
    "<i8",
    "<i4",
    "|u1",
    "|b1",
    "|O",
    "<U3",
    "<c16",
    "|S3",
    "<M8[s]",
]


@cache
def rows() -> dict[str, list[str]]:
    """Return the few rows that loaded models cluster."""
    return people(12, 4)


def prepare() -> None:
    """Fit the models, and compile the kernels that predict."""
    for learner in LEARNERS:
        use_table_model(tables.load(model_file(learner)))
    for name in PLAIN:
        Model.load(MODELS / f"{name}.coterie").predict(item_sets_of(name))


def case(rng: random.Random, folder: Path) -> str:
    """Load a changed file, and use the model if it is accepted."""
    path = folder / "m.coterie"
    if rng.random() < 0.25:
        name = rng.choice(PLAIN)
        is_damaged = change_file(rng, MODELS / f"{name}.coterie", path)
        return use_plain_file(path, name if is_damaged else None)
    # Old formats have been stored; new ones are written by this version.
    source = model_file(rng.choice(LEARNERS)) if rng.random() < 0.8 else rng.choice(OLDER)
    is_damaged = change_file(rng, source, path)
    model = loaded(tables.load, path)
    if model is None:
        return REFUSED
    used = use_table_model(model)
    if is_damaged and source.parent != MODELS:
        expected = tables.load(source).predict(rows())
        require(used == expected, "a damaged file was loaded and predicts differently")
    return ACCEPTED


def loaded(load: Callable[[Path], Any], path: Path) -> Any:
    """Return the model of a file, or None if it is refused as it should be."""
    try:
        return load(path)
    except CoterieError as error:
        text = str(error)
        require(text.startswith(f"{path}: "), f"an error does not name the file: {text[:200]}")
        require("\n" not in text, "an error has two lines")
        require(len(text) < MOST_CHARACTERS, f"an error has {len(text)} characters")
        return None


def use_table_model(model: Any) -> Any:
    """Use all methods of a model; return its prediction, or None if it refuses the rows."""
    predicted = None
    require(len(repr(model)) < 10 * MOST_CHARACTERS, "a repr is very long")
    with suppress(CoterieError):
        predicted = model.predict(rows())
    for method in (model.report, model.clusters, model.evaluate):
        is_refused(lambda method=method: method(rows()))
    is_refused(lambda: model.explain(rows(), "r001", "r002"))
    is_refused(lambda: model.save("copy.coterie"))
    return predicted


def use_plain_file(path: Path, name: str | None) -> str:
    """Load a plain model; predict with it if it was only damaged, not made to take very long."""
    model = loaded(Model.load, path)
    if model is None:
        return REFUSED
    require(repr(model), "a repr is empty")
    if name is not None:
        predicted = model.predict(item_sets_of(name))
        expected = Model.load(MODELS / f"{name}.coterie").predict(item_sets_of(name))
        require(predicted == expected, "a damaged file was loaded and predicts differently")
    return ACCEPTED


# Changes of files.


def change_file(rng: random.Random, source: Path, target: Path) -> bool:
    """Write a changed file; return whether it was damaged only, without changing checksums."""
    data = source.read_bytes()
    way = rng.choices([None, change_tree, change_array, change_archive], [3, 5, 2, 1])[0]
    if way is None:
        change = rng.choice([damaged, flip_near_mark])
        target.write_bytes(change(rng, data))
        return True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about members of the same name
        way(rng, members(source), target)
    return False


def change_tree(rng: random.Random, parts: dict[str, bytes], path: Path) -> None:
    """Change values, keys and classes of a JSON member."""
    name = "manifest.json" if rng.random() < 0.1 and "manifest.json" in parts else "model.json"
    tree = json.loads(parts[name])
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        # Weighted by depth, since most values are in the sample and in lists of words.
        owner, key = deep_place(rng, tree)
        change_value(rng, owner, key)
    text = json.dumps(tree)
    depth = rng.choice([10, 500, 5000, 50_000])
    text = text.replace(f'"{DEEP}"', "[" * depth + "]" * depth)
    if rng.random() < 0.03:
        text = rng.choice(["[" * 100_000, text[:-1], text + text, text.replace("e", "\\u0065", 9)])
    rewritten = {**parts, name: text.encode("utf-8", "surrogatepass")}
    write(
        path, signed(rewritten) if name == "model.json" and "manifest.json" in parts else rewritten
    )


def deep_place(rng: random.Random, tree: Any) -> tuple[Any, Any]:
    """Return a random place: an object or a list, and a key or an index of it."""
    if rng.random() < 0.3:
        return rng.choice(list(places(tree)))
    owner = tree
    while True:
        key = rng.choice(list(owner) if isinstance(owner, dict) else range(len(owner)))
        inner = owner[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.1:
            return owner, key
        owner = inner


def places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield all places of a tree."""
    rest = [tree]
    while rest:
        owner = rest.pop()
        for key in list(owner) if isinstance(owner, dict) else range(len(owner)):
            yield owner, key
            if isinstance(owner[key], dict | list):
                rest.append(owner[key])


def change_value(rng: random.Random, owner: Any, key: Any) -> None:
    """Change a value, or drop, add, rename, repeat or wrap it."""
    value = owner[key]
    way = rng.choice(["replace", "replace", "replace", "drop", "add", "wrap", "copy"])
    if key == "class" and rng.random() < 0.7:
        owner[key] = rng.choice(NAMES)
    elif way == "drop":
        del owner[key]
    elif way == "add":
        other = deepcopy(rng.choice(OTHERS))
        owner[key] = [*value, other] if isinstance(value, list) else other
        if isinstance(owner, dict):
            owner[rng.choice(["x", "missing", "random_state", "max_size", "é"])] = value
    elif way == "wrap":
        owner[key] = rng.choice([[value], {"tuple": [value]}, {"dict": {"x": value}}, DEEP])
    elif way == "copy" and isinstance(owner, list):
        owner.insert(0, json.loads(json.dumps(value)))
    else:
        is_number = isinstance(value, int | float) and rng.random() < 0.7
        owner[key] = deepcopy(rng.choice(NUMBERS if is_number else [*NUMBERS, *OTHERS]))


def change_array(rng: random.Random, parts: dict[str, bytes], path: Path) -> None:
    """Replace an array by another of any type, shape and header."""
    arrays = [name for name in parts if name.startswith("arrays/")]
    if not arrays:
        change_tree(rng, parts, path)
        return
    name = rng.choice(arrays)
    before = np.load(io.BytesIO(parts[name]))
    way = rng.choice(["values", "values", "dtype", "shape", "header", "bytes"])
    if way == "values" and before.size and before.dtype.kind in "fiu":
        array = before.copy()
        flat = array.reshape(-1)
        for _ in range(rng.choice([1, 3, flat.size])):
            with np.errstate(all="ignore"):
                flat[rng.randrange(flat.size)] = random_number(rng, before.dtype)
        content = npy(array)
    elif way == "shape":
        content = npy(
            np.resize(before, rng.choice([(0,), (1,), (before.size, 1), (2, 3), (), (7,)]))
        )
    elif way == "header":
        shape = rng.choice(
            ["(2**62,)", "(-1,)", "(1e9,)", "(9999999999,)", "()", "(0, 9**9)", "None"]
        )
        header = f"{{'descr': '{rng.choice(DTYPES)}', 'fortran_order': False, 'shape': {shape}}}"
        content = b"\x93NUMPY\x01\0" + struct.pack("<H", len(header) + 1) + f"{header}\n".encode()
        content += bytes(rng.choice([0, 8, 80]))
    elif way == "bytes":
        content = damaged(rng, parts[name])
    else:
        kind = rng.choice([kind for kind in DTYPES if kind != "|O"])
        content = npy(np.zeros(before.shape, kind))
    write(path, signed_if_possible({**parts, name: content}))


def signed_if_possible(parts: dict[str, bytes]) -> dict[str, bytes]:
    """Update the checksums, which plain models do not have."""
    return signed(parts) if "manifest.json" in parts else parts


def random_number(rng: random.Random, dtype: Any) -> Any:
    """Return an extreme number that an array can hold."""
    if dtype.kind == "f":
        return rng.choice(
            [float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 1e-320, 0.0, -1]
        )
    bounds = np.iinfo(dtype)
    return rng.choice([bounds.min, bounds.max, 0, 1, 7])


def npy(array: Any) -> bytes:
    """Return an array as the bytes of a member."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def change_archive(rng: random.Random, parts: dict[str, bytes], path: Path) -> None:
    """Write the members in an archive that no model has."""
    names = list(parts)
    way = rng.choice(["twice", "compressed", "named", "order", "many", "bomb", "comment", "extra"])
    compression = rng.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    with zipfile.ZipFile(path, "w") as archive:
        if way == "order":
            rng.shuffle(names)
        for name in names:
            archive.writestr(name, parts[name], compression if way == "compressed" else None)
        if way == "twice":
            archive.writestr(rng.choice(names), rng.choice([b"", parts[names[0]]]))
        if way == "named":
            odd = [
                "/etc/x",
                "../x",
                "arrays/../x",
                "C:\\x",
                "arrays/00.npy",
                "a" * 60_000,
                "arrays/",
            ]
            archive.writestr(rng.choice(odd), b"x")
        if way == "many":
            for number in range(2000):
                archive.writestr(f"arrays/{number + 1000}.npy", b"")
        if way == "bomb":
            archive.writestr("arrays/999.npy", bytes(5 * 10**7), zipfile.ZIP_DEFLATED)
        if way == "comment":
            archive.comment = rng.choice([b"x" * 60_000, b"PK\x05\x06" * 10])
    if way == "extra":
        data = path.read_bytes()
        path.write_bytes(rng.choice([b"#!/bin/sh\n" + data, data + data, data + b"\0" * 100_000]))
