"""Files that were changed, damaged or forged: each is refused with one clear sentence."""

import io
import json
import os
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from coterie._saving import archive, load_value, save_value
from coterie.exceptions import InputError
from tests._saving.test_saving import CLASSES, Box, with_folder


def members(path):
    with zipfile.ZipFile(path) as zipped:
        return {info.filename: zipped.read(info) for info in zipped.infolist()}


def write(path, parts, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as zipped:
        for name, content in parts.items():
            zipped.writestr(name, content)


def rewrite(path, change):
    """Change the tree of a saved value in place."""
    parts = members(path)
    tree = json.loads(parts["model.json"])
    change(tree)
    write(path, {**parts, "model.json": json.dumps(tree)})


def npy(array):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=True)
    return stream.getvalue()


def header(shape, descr="<f8", data=b""):
    stream = io.BytesIO()
    fields = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, fields)
    return stream.getvalue() + data


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.coterie"
    save_value(path, Box([np.arange(3.0), sp.csr_array([[0.0, 2.0], [3.0, 0.0]])]), CLASSES.get)
    return path


def check_refused(path, message):
    with pytest.raises(InputError, match=message) as caught:
        load_value(path, CLASSES.get)
    assert str(caught.value).startswith(f"{path}: ")
    assert ";" in str(caught.value)


def set_content(value):
    return lambda tree: tree["value"]["fields"].update(content=value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda tree: tree.update(version=2, coterie="9.1"),
            "has format 2 .saved by Coterie '9.1'",
        ),
        (lambda tree: tree.pop("version"), "has format None"),
        (lambda tree: tree.update(format="other"), "not from a saved model"),
        (lambda tree: tree.pop("value"), "contains no model"),
        (lambda tree: tree["value"].update({"class": "os.system"}), "is a os.system, which is not"),
        (lambda tree: tree["value"].update({"class": "Other"}), r"load with classes=\[Other\]"),
        (lambda tree: tree["value"].update({"class": "function"}), "cannot be part of a model"),
        (lambda tree: tree["value"].update({"class": 3}), "int in place of a str"),
        (lambda tree: tree["value"].update(fields=[]), "list in place of a dict"),
        (lambda tree: tree["value"].update(more=1), "has the unexpected keys"),
        (lambda tree: tree["value"]["fields"].pop("content"), "missing content, unknown none"),
        (lambda tree: tree["value"]["fields"].update(computed=1), "missing none, unknown computed"),
        (
            lambda tree: tree["value"]["fields"].update(__class__=1),
            "missing none, unknown __class__",
        ),
        (
            set_content({"class": "Strict", "fields": {"number": -1}}),
            "content is damaged: Strict: n",
        ),
        (set_content({"class": "Strict", "fields": {"number": "x"}}), "rejects its fields"),
        (set_content({"class": "Partition", "fields": {"labels": 3}}), "Partition: labels are"),
        (set_content({}), "content is damaged: it has the unexpected keys"),
        (set_content({"float": 3}), "3 is not a number"),
        (set_content({"float": "1_0"}), "'1_0' is not a number"),
        (set_content({"tuple": 3}), "int in place of a list"),
        (set_content({"dict": [1]}), "list in place of a dict"),
        (set_content({"array": 7}), "array 7 is missing"),
        (set_content({"array": "../model"}), "'../model' is missing"),
        (set_content([{"array": 0}, {"array": 0}]), r"content\[1\] is damaged: .* used twice"),
        (set_content({"csr": {"shape": [1, 1]}}), "must consist of shape, data"),
    ],
)
def test_a_tree_that_was_changed_is_refused(file, change, message):
    rewrite(file, change)
    check_refused(file, message)


LONG = "x" * 100_000


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree.update(version=LONG, coterie=LONG),
        lambda tree: tree["value"].update({"class": LONG}),
        lambda tree: tree["value"].update({LONG: 1}),
        lambda tree: tree["value"]["fields"].update({LONG: 1}),
        set_content({LONG: 1}),
        set_content({"dict": {LONG: {"float": LONG}}}),
        set_content({"array": LONG}),
        set_content({"class": "Strict", "fields": {"number": LONG}}),
        set_content({"class": "Partition", "fields": {"labels": LONG}}),
    ],
)
def test_errors_show_the_start_of_long_values_only(file, change):
    rewrite(file, change)
    with pytest.raises(InputError) as caught:
        load_value(file, CLASSES.get)
    assert "x" * 81 not in str(caught.value)
    assert len(str(caught.value)) < len(str(file)) + 500


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("shape", [2, 1]),  # a column outside
        ("shape", [3, 2]),
        ("shape", [2, -2]),
        ("shape", [2.0, 2]),
        ("shape", [2, 2**80]),
        ("shape", "ab"),
        ("data", {"array": 0}),
        ("data", 3),
        ("data", np.array(["a", "b"])),
        ("indices", np.array([0, 2])),
        ("indices", np.array([-1, 0])),
        ("indices", np.array([0.0, 1.0])),
        ("indices", np.array([0, 1], dtype=np.uint64)),
        ("indptr", np.array([0, 5, 2])),
        ("indptr", np.array([0, 5, 0])),
        ("indptr", np.array([-2, 0, 2])),
        ("indptr", np.array([0, 1, 9])),
        ("indptr", np.array([0, 2])),
        ("indptr", np.array([[0, 1, 2]])),
        ("indptr", np.array([], dtype=np.int64)),
    ],
)
def test_inconsistent_parts_of_sparse_arrays_are_refused(file, part, value):
    parts = members(file)
    tree = json.loads(parts["model.json"])
    csr = tree["value"]["fields"]["content"][1]["csr"]
    if isinstance(value, np.ndarray):
        parts[f"arrays/{csr[part]['array']}.npy"] = npy(value)
    else:
        csr[part] = value
    write(file, {**parts, "model.json": json.dumps(tree)})
    check_refused(file, r"content\[1\](\.data)? is damaged: ")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no array",
        npy(np.arange(3.0))[:-1],
        npy(np.arange(3.0)) + b"x",
        npy(np.array([{}])),
        npy(np.array([1j])),
        header((10**12,)),
        header((-1, -3), data=bytes(24)),
        header((0, 2**70)),
        header((10**15,), "<U0"),
        header((2,), "|b1", b"\x01\x02"),
        header((1,), "<U1", b"\xff\xff\xff\x7f"),
        header((1,), ">f8", bytes(8)),
        header((1,) * 80, data=bytes(8)),
        b"\x93NUMPY\x02\x00" + bytes(100),
        b"\x93NUMPY\x01\x00\x10\x00" + b"(" * 16,
    ],
)
def test_members_that_are_not_arrays_are_refused(file, content):
    write(file, {**members(file), "arrays/0.npy": content})
    check_refused(file, r"content\[0\] is damaged: array 0 cannot be read")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "model.json is damaged"),
        (b"{", "model.json is damaged"),
        (b"\xff\xfe\xff", "model.json is damaged"),
        (b"[" * 10**5, "model.json is damaged"),
        (b'{"format": NaN}', "NaN is not a valid number in JSON"),
        (b"[1]", "not from a saved model"),
        (b'{"format": "coterie model", "version": 1%s}' % (b"0" * 5000), "model.json is damaged"),
        (
            b'{"format": "coterie model", "version": 1, "value": '
            + b'{"tuple": [' * 400
            + b"]}" * 400
            + b"}",
            "nested too deeply",
        ),
    ],
)
def test_bad_json_is_refused(file, text, message):
    write(file, {"model.json": text})
    check_refused(file, message)


@pytest.mark.parametrize(
    "name", ["../evil.npy", "/etc/passwd", "arrays/../x", "arrays/00.npy", "arrays/", "model.pkl"]
)
def test_members_with_other_names_are_refused(file, name):
    write(file, {**members(file), name: b""})
    check_refused(file, "which no saved model has")


def test_compressed_members_are_refused_before_they_grow(file):
    write(file, {**members(file), "arrays/9.npy": bytes(10**7)}, zipfile.ZIP_DEFLATED)
    check_refused(file, "compressed")


def test_members_larger_than_the_file_are_refused(file):
    """One entry of the directory claims to be larger than the file."""
    content = file.read_bytes()
    entry = content.rindex(b"PK\x01\x02")
    huge = content[: entry + 24] + (10**9).to_bytes(4, "little") + content[entry + 28 :]
    file.write_bytes(huge)
    check_refused(file, "are larger than the file")


def test_two_members_of_one_name_are_refused(file):
    with zipfile.ZipFile(file, "a") as zipped, pytest.warns(UserWarning, match="Duplicate"):
        zipped.writestr("arrays/0.npy", members(file)["arrays/0.npy"])
    check_refused(file, "two parts of the same name")


def test_too_many_members_are_refused(file, monkeypatch):
    monkeypatch.setattr(archive, "MOST_MEMBERS", 4)
    check_refused(file, "more than 4 parts")
    monkeypatch.setattr(archive, "MOST_MEMBERS", 5)
    load_value(file, CLASSES.get)


def test_a_large_directory_is_refused_before_it_is_read(file, monkeypatch):
    content = file.read_bytes()
    size = int.from_bytes(content[-10:-6], "little")
    monkeypatch.setattr(archive._Limited, "max_read", size)
    load_value(file, CLASSES.get)
    monkeypatch.setattr(archive._Limited, "max_read", size - 1)
    check_refused(file, "more than 100000 parts")


@pytest.mark.parametrize("limit", ["MOST_BYTES", "MOST_BRACKETS"])
def test_large_trees_are_refused(file, monkeypatch, limit):
    text = members(file)["model.json"]
    brackets = text.count(b"[") + text.count(b"{")
    value = {"MOST_BYTES": len(text), "MOST_BRACKETS": brackets}[limit]
    monkeypatch.setattr(archive, limit, value)
    load_value(file, CLASSES.get)
    monkeypatch.setattr(archive, limit, value - 1)
    check_refused(file, "model.json has more than .* bytes, or .* lists and objects")


def test_a_file_without_a_tree_is_refused(file):
    write(file, {"arrays/0.npy": npy(np.arange(3))})
    check_refused(file, "has no part model.json")


def test_files_that_are_not_zip_files_are_refused(file, tmp_path):
    file.write_bytes(b"\x80\x04N.")
    check_refused(file, "not a saved model, or is damaged")
    check_refused(tmp_path / "none", "there is no such file")
    check_refused(tmp_path, "cannot be read: Is a directory")
    check_refused(os.devnull, "it is a device or a pipe, not a file")
    with pytest.raises(InputError, match="the file name is 3; give a non-empty string or a Path"):
        load_value(3, CLASSES.get)


@with_folder
@given(data=st.data())
def test_damage_anywhere_is_refused_or_does_no_harm(data, file):
    content = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)) | st.just(len(content)))
    damaged = file.with_name("damaged")
    damaged.write_bytes(content[:cut])
    try:
        load_value(damaged, CLASSES.get)
    except InputError as error:
        assert str(error).startswith(f"{damaged}: ")  # noqa: PT017


def test_fields_that_have_a_default_are_not_needed(file):
    rewrite(file, lambda tree: tree["value"]["fields"].pop("name"))
    assert load_value(file, CLASSES.get).name == "box"
    assert load_value(file, CLASSES.get).computed == 7
