"""Files of table models: a loaded model predicts the same, and other files are refused."""

import hashlib
import io
import json
import re
import subprocess
import sys
import zipfile
from dataclasses import dataclass, replace

import numpy as np
import pytest

from coterie import Model, Partition, tables
from coterie._saving.archive import MOST_BRACKETS, MOST_BYTES
from coterie.exceptions import InputError
from coterie.features import kinds
from coterie.model import _find_class
from coterie.similarities import TreeSimilarity
from coterie.tables import TableModel, load
from coterie.tables.card import card, escaped
from coterie.tables.saving import libraries
from tests.tables.model_files import (
    change_fields,
    check_refused,
    members,
    rewrite,
    signed,
    table,
    write,
)

TEXTS = ["manifest.json", "card.md", "model.json"]


@pytest.fixture(scope="module")
def model():
    return tables.fit(table(60, 1), cluster="who", learner="logistic")


@pytest.fixture(scope="module")
def content(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "a.coterie"
    model.save(path)
    return path.read_bytes()


@pytest.fixture
def file(content, tmp_path):
    path = tmp_path / "people.coterie"
    path.write_bytes(content)
    return path


def have_equal_parts(first, second):
    return (
        first.schema.get_params() == second.schema.get_params()
        and first.facts == second.facts
        and np.array_equal(first.sample.scores, second.sample.scores)
        and first.sample.columns == second.sample.columns
        and np.array_equal(first.model.similarity.coef, second.model.similarity.coef)
    )


# Saved models.


def test_a_loaded_model_predicts_the_same(model, file):
    loaded, rows = load(file), table(80, 2)
    assert type(loaded) is TableModel
    assert have_equal_parts(loaded, model)
    assert loaded.predict(rows) == model.predict(rows)


def test_boosted_trees_come_back(tmp_path):
    model = tables.fit(table(80, 3), cluster="who", learner="boosted")
    assert isinstance(model.model.similarity, TreeSimilarity)
    model.save(tmp_path / "m")
    rows = table(60, 4)
    assert load(tmp_path / "m").predict(rows) == model.predict(rows)


def test_equal_models_make_equal_bytes(model, file, content, tmp_path):
    load(file).save(tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == content


def test_the_manifest_describes_the_model(model, file):
    parts = members(file)
    manifest = json.loads(parts["manifest.json"])
    assert manifest["format"] == "coterie table model"
    assert manifest["version"] == 2
    assert manifest["libraries"]["numpy"] == np.__version__
    assert manifest["schema"]["kinds"] == model.schema.kinds
    assert manifest["schema"]["cluster"] == "who"
    assert manifest["learner"] == model.facts["learner"]
    assert manifest["seed"] == 0
    assert list(parts)[:3] == TEXTS
    assert list(manifest["checksums"]) == list(parts)[1:]
    for name, checksum in manifest["checksums"].items():
        assert hashlib.sha256(parts[name]).hexdigest() == checksum


def test_metrics_that_are_nan_are_null_in_the_manifest(model, tmp_path):
    facts = model.facts | {"held_out": {"b_cubed.f1": 0.5, "b_cubed.recall": float("nan")}}
    replace(model, facts=facts).save(tmp_path / "m")
    manifest = json.loads(members(tmp_path / "m")["manifest.json"])
    assert manifest["metrics"] == {"b_cubed.f1": 0.5, "b_cubed.recall": None}
    assert np.isnan(load(tmp_path / "m").facts["held_out"]["b_cubed.recall"])


def test_the_file_contains_no_time_and_is_not_compressed(file):
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            assert info.date_time == (1980, 1, 1, 0, 0, 0)
            assert info.compress_type == zipfile.ZIP_STORED


def test_a_file_that_cannot_be_written_leaves_the_old_one(model, content, file):
    broken = replace(model, facts={"held_out": {}, "learner": {1, 2}})
    with pytest.raises(InputError, match=r"facts\['learner'\] is a set of length 2; it must be"):
        broken.save(file)
    assert file.read_bytes() == content
    assert list(file.parent.iterdir()) == [file]


@dataclass(frozen=True)
class UserClusterer:
    """A clusterer of the user."""

    def __call__(self, scores):
        return Partition(range(scores.n_items))


def test_classes_of_the_user_are_refused_before_anything_is_written(model, tmp_path):
    with_user_class = replace(model, model=replace(model.model, clusterer=UserClusterer()))
    with pytest.raises(
        InputError,
        match=r"model\.clusterer is a UserClusterer; it must be one of AverageLinkage, Greedy",
    ):
        with_user_class.save(tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_libraries_that_are_not_installed_are_left_out(monkeypatch):
    from coterie.tables import saving

    monkeypatch.setattr(saving, "LIBRARIES", ("numpy", "no-such-library"))
    assert set(libraries()) == {"python", "numpy"}


def test_every_kind_of_column_is_found_by_its_name():
    for name in kinds.__all__:
        assert _find_class(name) is getattr(kinds, name)
    assert _find_class("Profile") is None


# The card.


def test_the_card_describes_the_model(model, file):
    text = members(file)["card.md"].decode()
    assert text == card(model)
    for part in (
        "60 rows in ",
        "| surname | ",
        "logistic regression",
        "Seed: 0",
        "coterie predict",
    ):
        assert part in text
    assert "The model holds no rows of the training table." in text
    assert "values and words that 5 or more entities share" in text
    assert "held out" in text


def test_the_card_shows_the_metrics(model):
    facts = model.facts | {"held_out": {"b_cubed.f1": 0.98765, "b_cubed.recall": float("nan")}}
    text = card(replace(model, facts=facts))
    assert "| b\\_cubed.f1 | 0.988 |" in text
    assert "| b\\_cubed.recall | unknown |" in text
    assert "are guesses that were never tested" not in text
    assert "are guesses that were never tested" in card(
        replace(model, facts=model.facts | {"held_out": {}})
    )


def test_the_card_can_be_written_without_facts(model):
    assert "unknown rows in unknown clusters" in card(replace(model, facts={}))


@pytest.mark.parametrize("name", ["a|b", "`x`", "a\nb", "<script>", "\ud800", "\u2028", "x" * 500])
def test_names_of_columns_cannot_break_the_card(model, name):
    schema = replace(model.schema, kinds={name: "name"}, cluster=name)
    text = card(replace(model, schema=schema, facts=model.facts | {"table": name}))
    text.encode()
    rows = [line for line in text.splitlines() if line.endswith("| name |")]
    assert len(rows) == 1
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 3
    assert "<script" not in text
    assert len(rows[0]) < 200


def test_escaping_keeps_plain_texts():
    assert escaped("Straße 12, 3rd floor") == "Straße 12, 3rd floor"


# Files of other kinds.


def test_a_model_of_tables_is_refused_as_a_plain_model(file):
    with pytest.raises(InputError, match=r"load it with coterie\.tables\.load, or use it with"):
        Model.load(file)


def test_a_plain_model_is_refused_as_a_model_of_tables(model, tmp_path):
    model.model.save(tmp_path / "m")
    check_refused(
        tmp_path / "m", r"the file is not a model for tables; load it with coterie\.Model\.load"
    )


def test_other_files_are_refused(file, tmp_path):
    write(file, {"word/document.xml": b"<a/>"})
    check_refused(file, "the file is not a model for tables; give a file that was saved as a model")
    file.write_bytes(b"name,who\nAnn,1\n")
    check_refused(file, "the file is not a saved model, or is damaged")
    file.write_bytes(b"")
    check_refused(file, "the file is not a saved model, or is damaged")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (".", r"\. is a folder; give the name of a model file"),
        ("none", "there is no model file none; check the name"),
        ("-", "a model cannot be read from standard input; give a file name"),
    ],
)
def test_names_that_are_not_files_are_refused(name, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=f"^{message}$"):
        load(name)


def test_a_newer_file_asks_for_an_update_whatever_else_it_has(file):
    parts = members(file)
    manifest = json.dumps({"format": "coterie table model", "version": 3, "coterie": "9.1"})
    write(file, {"manifest.json": manifest, "weights.bin": b"", **dict([parts.popitem()])})
    check_refused(file, r"written by Coterie 9\.1 in format 3, but .*; update Coterie")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update(format="other"), "manifest.json does not describe a model for tables"),
        (lambda m: m.update(version="1"), "the version is 1"),
        (lambda m: m.update(version=0), "the version is 0"),
        (lambda m: m.update(version=True), "the version is True"),
        (lambda m: m.update(version=10**4000), "which reads format 2; update Coterie"),
        (
            lambda m: m.update(version=3, coterie=["x" * 10**6] * 3),
            "which reads format 2; update Coterie",
        ),
        (lambda m: m.pop("version"), "the version is None"),
        (lambda m: m.pop("checksums"), "it has no checksums"),
    ],
)
def test_a_wrong_manifest_is_refused(file, change, message):
    rewrite(file, manifest=change)
    check_refused(file, message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "manifest.json is damaged"),
        (b"[]", "does not describe a model for tables"),
        (b'{"format": NaN}', "NaN is not a valid number in JSON"),
        (b"[" * 10**5, "manifest.json is damaged"),
        (b"[" + b"{}," * MOST_BRACKETS + b"{}]", f"or more than {MOST_BRACKETS} lists and objects"),
        (b" " * (MOST_BYTES + 1), f"more than {MOST_BYTES} bytes"),
        (b"\xff", "manifest.json is damaged"),
    ],
    ids=range(7),
)
def test_invalid_manifests_are_refused(file, text, message):
    write(file, {**members(file), "manifest.json": text})
    check_refused(file, message)


# Members that were changed.


def test_each_member_is_compared_with_its_checksum(file):
    parts = members(file)
    for name in parts.keys() - {"manifest.json"}:
        write(file, {**parts, name: parts[name] + b" "})
        check_refused(
            file, f"the part {re.escape(name)} of the file is damaged: its checksum differs"
        )
        write(file, {other: part for other, part in parts.items() if other != name})
        check_refused(file, re.escape(name))


def test_swapped_members_are_refused(file):
    parts = members(file)
    swapped = {"arrays/0.npy": parts["arrays/1.npy"], "arrays/1.npy": parts["arrays/0.npy"]}
    write(file, parts | swapped)
    check_refused(file, r"the part arrays/[01]\.npy of the file is damaged: its checksum differs")


@pytest.mark.parametrize("name", ["../evil", "/etc/passwd", "arrays/../x", "x" * 60_000])
def test_members_with_other_names_are_refused(file, name):
    write(file, signed({**members(file), name: b"x"}))
    check_refused(file, "which no saved model has")


def test_members_beyond_the_manifest_are_refused(file):
    write(file, {**members(file), "arrays/999.npy": b""})
    check_refused(file, r"'arrays/999\.npy' of the file is not in the manifest")


def test_compressed_members_are_refused_before_they_grow(file):
    write(file, {**members(file), "arrays/999.npy": bytes(10**7)}, zipfile.ZIP_DEFLATED)
    check_refused(file, "compressed")


def test_two_members_of_one_name_are_refused(file):
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("card.md", b"# Another")
    check_refused(file, "two parts of the same name")


def test_arrays_of_huge_shapes_are_refused(file):
    stream = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
    np.lib.format.write_array_header_1_0(stream, header)
    write(file, signed({**members(file), "arrays/0.npy": stream.getvalue()}))
    check_refused(file, "its shape does not fit its size")


# Changed trees with valid checksums.


NO_ROWS = {"dict": {"surname": [""] * 13, "birth_date": [""] * 13}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda tree: tree.update(value=tree["value"]["fields"]["model"]),
            "the file holds a Model, not",
        ),
        (
            lambda tree: tree["value"].update({"class": "os.system"}),
            "contains a os.system, which is",
        ),
        (
            change_fields(lambda fields: fields.update(model=3)),
            "model is damaged: it is not a Model",
        ),
        (
            change_fields(lambda fields: fields.update(facts=[])),
            "facts is damaged: it is not a dict",
        ),
        (
            change_fields(lambda fields: fields.update(schema=fields["facts"])),
            "schema is damaged: it is not a Schema",
        ),
        (
            change_fields(lambda fields: fields.update(sample=None)),
            "sample is damaged: it is not a Sample",
        ),
        (
            change_fields(lambda fields: fields["model"]["fields"].update(calibration=None)),
            "model.calibration is None; it must be one of ClusterCalibration",
        ),
        (
            change_fields(
                lambda fields: fields["schema"]["fields"].update(kinds={"dict": {"a": "name"}})
            ),
            "sample is damaged: it does not fit the schema",
        ),
        (
            change_fields(
                lambda fields: fields["schema"]["fields"].update(kinds={"dict": {"a": "odd"}})
            ),
            "the kind of column 'a' is 'odd'",
        ),
        (
            change_fields(lambda fields: fields["sample"]["fields"].update(columns=NO_ROWS)),
            "does not fit the sc",
        ),
        (
            change_fields(
                lambda fields: fields["sample"]["fields"]["columns"]["dict"].update(surname=[1, 2])
            ),
            "sample is damaged: it does not fit the schema",
        ),
    ],
)
def test_a_tree_that_was_changed_is_refused(file, change, message):
    rewrite(file, model=change)
    check_refused(file, message)


def test_a_model_that_predicts_differently_is_refused(model, file):
    def older(tree):
        tree["libraries"]["numpy"] = "1.0"

    similarity = replace(model.model.similarity, bias=model.model.similarity.bias + 1e-3)
    replace(model, model=replace(model.model, similarity=similarity)).save(file)
    check_refused(file, "does not predict as it did when it was saved .*; fit it again")
    rewrite(file, manifest=older)
    check_refused(
        file, rf"versions then: numpy 1\.0; now: numpy {re.escape(np.__version__)}\); fit"
    )
    rewrite(file, manifest=lambda tree: tree.update(libraries=None))
    check_refused(file, "then: python None, numpy None")


def test_a_model_that_predicts_almost_the_same_is_loaded(model, file):
    similarity = replace(model.model.similarity, bias=model.model.similarity.bias + 1e-9)
    replace(model, model=replace(model.model, similarity=similarity)).save(file)
    load(file)


def test_labels_are_compared_too(model, file):
    labels = np.arange(len(model.sample.labels))
    sample = replace(model.sample, labels=labels)
    replace(model, sample=sample).save(file)
    check_refused(file, "does not predict as it did")


# Random damage.


def loads_same_model(path, model):
    """Return whether a damaged file loads; it must then be the same model."""
    try:
        loaded = load(path)
    except InputError as error:
        assert str(error).startswith(f"{path}: ")  # noqa: PT017
        return False
    assert have_equal_parts(loaded, model)
    return True


def test_2000_changed_bytes_are_refused_or_do_no_harm(model, content, file):
    rng = np.random.default_rng(0)
    starts = [match.start() for match in re.finditer(b"PK", content)]
    near = [start + offset for start in starts for offset in range(60)]  # headers have few bytes
    places = rng.permutation([*rng.integers(0, len(content), 1000), *rng.choice(near, 1000)])
    unharmed = 0
    for place in places:
        damaged = bytearray(content)
        damaged[min(place, len(content) - 1)] ^= int(rng.integers(1, 256))
        file.write_bytes(damaged)
        unharmed += loads_same_model(file, model)
    assert 0 < unharmed < 1000


def test_cut_files_are_refused(model, content, file):
    for end in np.linspace(0, len(content) - 1, 200).astype(int):
        file.write_bytes(content[:end])
        assert not loads_same_model(file, model)


def test_changed_trees_with_valid_checksums_are_loaded_or_refused(file):
    rng = np.random.default_rng(1)
    parts = members(file)
    odd = [None, True, -1, 2**70, 1e308, "", "x", [], {"dict": {}}, {"float": "nan"}, {"array": 0}]
    failed = 0
    for _ in range(150):
        tree = json.loads(parts["model.json"])
        owners = places(tree["value"])
        owner, key = owners[rng.integers(len(owners))]
        owner[key] = odd[rng.integers(len(odd))]
        write(file, signed({**parts, "model.json": json.dumps(tree).encode()}))
        try:
            load(file)
        except InputError:
            failed += 1
    assert failed > 20


def places(tree):
    keys = tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    return [(tree, key) for key in keys] + [inner for key in keys for inner in places(tree[key])]


HOSTILE = """
import resource, sys
from coterie.exceptions import InputError
from coterie.tables import load
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sys.argv[1:]:
    try:
        load(path)
    except InputError as error:
        print(str(error).removeprefix(path + ": "))
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((after - before) // 1024)
"""


def test_hostile_files_take_little_memory(file, tmp_path):
    """The files have a million entries, nested lists, or members that share their bytes."""
    entry = b"PK\x01\x02" + bytes(42)
    end = b"PK\x05\x06" + bytes(8) + (46 * 10**6).to_bytes(4, "little") + bytes(6)
    (tmp_path / "entries").write_bytes(entry * 10**6 + end)
    write(tmp_path / "lists", {"manifest.json": b"[" + b"[]," * (15 * 10**6) + b"[]]"})
    data = file.read_bytes()
    start = data.rindex(b"PK\x01\x02")
    huge = data[: start + 20] + (2 * 10**9).to_bytes(4, "little") * 2 + data[start + 28 :]
    (tmp_path / "huge").write_bytes(huge)
    paths = [str(tmp_path / name) for name in ("entries", "lists", "huge")]
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", HOSTILE, *paths], capture_output=True, text=True, check=True
    )
    entries, lists, larger, megabytes = done.stdout.splitlines()
    assert entries.startswith("the file has more than 100000 parts")
    assert "lists and objects" in lists
    assert larger.startswith("the parts of the file are larger than the file")
    assert int(megabytes) < 400
