"""The layouts of files in the catalogue agree with the fields that the readers read."""

import csv
import gzip
import io
import json
import re
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from coterie.exceptions import InputError
from coterie_papers import corpora
from coterie_papers.corpora import folder as folder_module
from coterie_papers.corpora.catalogue import CATALOGUE
from coterie_papers.corpora.folder import Source

READINGS = [reading for entry in CATALOGUE.values() for reading in entry.readings + entry.others]
FILES = {
    (entry.name, file): layout
    for entry in CATALOGUE.values()
    for file, layout in entry.files.items()
}
TABLES = [key for key, layout in FILES.items() if layout.startswith("CSV: ")]
# Arguments with which a reader reads only a small part of a corpus.
SMALL_PARTS = {
    "load_gum_mentions": {"split": "dev"},
    "load_irc_ubuntu": {"split": "dev"},
    "load_litbank_coref": {"split": 0},
    "load_news_articles": {"split": "test"},
    "load_newsgroups_threads": {"split": 0},
    "load_webkb": {"split": 0},
}


def fields(layout):
    """Return the names of all fields, including nested ones."""
    return re.findall(r"\w+", layout.split(": ", 1)[1].split(";")[0])


def readings_of(name, file):
    return [
        reading
        for reading in READINGS
        if reading.source.name == name and file in reading.source.files
    ]


def test_every_file_has_a_format_and_fields():
    formats = {"CSV", "JSON lines", "a JSON list", "NumPy arrays", "lines with tabs"}
    assert {layout.split(": ")[0] for layout in FILES.values()} == formats | {"lines with blanks"}
    assert all(fields(layout) for layout in FILES.values())


def test_readings_agree_on_what_a_file_holds():
    for reading in READINGS:
        for file, layout in reading.source.files.items():
            assert FILES[reading.source.name, file] == layout


@pytest.mark.parametrize(("name", "file"), TABLES)
def test_tables_need_exactly_the_columns_in_the_layout(name, file, tmp_path):
    columns = fields(FILES[name, file])
    assert missing_columns(name, file, columns, tmp_path) == set()
    for column in columns:
        others = [other for other in columns if other != column]
        assert missing_columns(name, file, others, tmp_path) == {column}


def missing_columns(name, file, columns, folder):
    """Return the columns that readers report as missing in a file with no rows."""
    errors = []
    for reading in readings_of(name, file):
        for source_file in reading.source.files:
            write_empty(folder / name / source_file, FILES[name, source_file])
        write_header(folder / name / file, columns)
        try:
            getattr(corpora, reading.loader)(folder=folder, **reading.arguments)
        except InputError as error:
            errors.append(str(error))
    matches = {re.search(r"the column '(\w+)' is missing", error) for error in errors}
    return {match[1] for match in matches if match}


def write_empty(path, layout):
    path.parent.mkdir(exist_ok=True)
    write_header(path, fields(layout) if layout.startswith("CSV") else [])


def write_header(path, columns):
    text = io.StringIO()
    csv.writer(text).writerow(columns)
    content = text.getvalue().encode() if columns else b""
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


class RecordingDict(dict):
    """A JSON object that records the keys which are read."""

    read_keys: ClassVar = set()

    def __getitem__(self, key):
        self.read_keys.add(key)
        return super().__getitem__(key)

    def get(self, key, default=None):
        self.read_keys.add(key)
        return super().get(key, default)


@pytest.mark.parametrize("loader", SMALL_PARTS)
def test_json_lines_need_exactly_the_keys_in_the_layout(loader, data_folder, monkeypatch):
    readings = [reading for reading in READINGS if reading.loader == loader]
    source = readings[0].source
    if source.missing(data_folder):
        pytest.skip(f"the corpus {source.name} is missing from COTERIE_DATA")
    monkeypatch.setattr(RecordingDict, "read_keys", set())
    json_module = SimpleNamespace(loads=lambda line: json.loads(line, object_hook=RecordingDict))
    monkeypatch.setattr(folder_module, "json", json_module)
    for reading in readings:
        arguments = {**reading.arguments, **SMALL_PARTS[loader]}
        getattr(corpora, loader)(folder=data_folder, **arguments)
    layouts = (layout for layout in source.files.values() if layout.startswith("JSON lines"))
    assert RecordingDict.read_keys == {field for layout in layouts for field in fields(layout)}


def test_arrays_have_the_names_in_the_layout(data_folder):
    arrays_by_file = {key: fields(layout) for key, layout in FILES.items() if "NumPy" in layout}
    for (name, file), names in arrays_by_file.items():
        if not (data_folder / name / file).is_file():
            pytest.skip(f"the corpus {name} is missing from COTERIE_DATA")
        with np.load(data_folder / name / file) as arrays:
            stored_names = set(arrays)
        for array_name in names:
            pattern = re.sub("_(DOC|SET)$", "_.+", array_name)
            assert any(re.fullmatch(pattern, name) for name in stored_names), array_name


def test_the_scorer_tests_have_the_keys_in_the_layout(data_folder):
    path = data_folder / "coref_scorer_tests" / "expected.json"
    if not path.is_file():
        pytest.skip("the corpus coref_scorer_tests is missing from COTERIE_DATA")
    keys = set(fields(FILES["coref_scorer_tests", path.name]))
    assert all(keys <= set(case) for case in json.loads(path.read_text(encoding="utf-8")))


def test_a_missing_corpus_says_what_its_missing_files_hold(tmp_path):
    files = {"a.csv": "CSV: id; from 0", "b.csv": "CSV: x, y", "c.csv": "CSV: x, y", "d.csv": "no"}
    (tmp_path / "things").mkdir()
    (tmp_path / "things" / "d.csv").touch()
    with pytest.raises(InputError) as error_info:
        Source("things", files, "somewhere").find(tmp_path)
    assert str(error_info.value) == (
        "the corpus things is missing or incomplete: the folder "
        f"{tmp_path / 'things'} lacks a.csv (CSV: id) and b.csv, c.csv (CSV: x, y). These files "
        "are made from somewhere; `coterie data show things` says more. Give the folder that holds "
        "things as the argument folder (--data on the command line) or in the environment variable "
        "COTERIE_DATA"
    )
