"""What is said of the files of the corpora, against what the readers read of them."""

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

READINGS = [each for entry in CATALOGUE.values() for each in entry.readings + entry.others]
FILES = {
    (entry.name, file): layout
    for entry in CATALOGUE.values()
    for file, layout in entry.files.items()
}
TABLES = [place for place, layout in FILES.items() if layout.startswith("CSV: ")]
# The arguments by which a reader takes little of a corpus.
LITTLE = {
    "load_gum_mentions": {"split": "dev"},
    "load_irc_ubuntu": {"split": "dev"},
    "load_litbank_coref": {"split": 0},
    "load_news_articles": {"split": "test"},
    "load_newsgroups_threads": {"split": 0},
    "load_webkb": {"split": 0},
}


def fields(layout):
    """The names of the fields, at whatever depth."""
    return re.findall(r"\w+", layout.split(": ", 1)[1].split(";")[0])


def readings_of(name, file):
    return [each for each in READINGS if each.source.name == name and file in each.source.files]


def test_every_file_has_a_format_and_fields():
    formats = {"CSV", "JSON lines", "a JSON list", "NumPy arrays", "lines with tabs"}
    assert {layout.split(": ")[0] for layout in FILES.values()} == formats | {"lines with blanks"}
    assert all(fields(layout) for layout in FILES.values())


def test_readings_agree_on_what_a_file_holds():
    for reading in READINGS:
        for file, layout in reading.source.files.items():
            assert FILES[reading.source.name, file] == layout


@pytest.mark.parametrize(("name", "file"), TABLES)
def test_tables_need_the_columns_that_are_told_and_no_others(name, file, tmp_path):
    told = fields(FILES[name, file])
    assert missed(name, file, told, tmp_path) == set()
    for column in told:
        others = [each for each in told if each != column]
        assert missed(name, file, others, tmp_path) == {column}


def missed(name, file, columns, folder):
    """The columns that readers miss in a file of some columns and no rows."""
    errors = []
    for reading in readings_of(name, file):
        for each in reading.source.files:
            write_empty(folder / name / each, FILES[name, each])
        write_header(folder / name / file, columns)
        try:
            getattr(corpora, reading.loader)(folder=folder, **reading.arguments)
        except InputError as error:
            errors.append(str(error))
    found = {re.search(r"the column '(\w+)' is missing", error) for error in errors}
    return {match[1] for match in found if match}


def write_empty(path, layout):
    path.parent.mkdir(exist_ok=True)
    write_header(path, fields(layout) if layout.startswith("CSV") else [])


def write_header(path, columns):
    text = io.StringIO()
    csv.writer(text).writerow(columns)
    content = text.getvalue().encode() if columns else b""
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


class Watched(dict):
    """An object of JSON that remembers which of its keys are asked for."""

    asked: ClassVar = set()

    def __getitem__(self, key):
        self.asked.add(key)
        return super().__getitem__(key)

    def get(self, key, default=None):
        self.asked.add(key)
        return super().get(key, default)


@pytest.mark.parametrize("loader", LITTLE)
def test_lines_of_json_need_the_keys_that_are_told_and_no_others(loader, data_folder, monkeypatch):
    readings = [each for each in READINGS if each.loader == loader]
    source = readings[0].source
    if source.missing(data_folder):
        pytest.skip(f"the corpus {source.name} is missing from COTERIE_DATA")
    monkeypatch.setattr(Watched, "asked", set())
    read = SimpleNamespace(loads=lambda line: json.loads(line, object_hook=Watched))
    monkeypatch.setattr(folder_module, "json", read)
    for reading in readings:
        arguments = {**reading.arguments, **LITTLE[loader]}
        getattr(corpora, loader)(folder=data_folder, **arguments)
    told = (layout for layout in source.files.values() if layout.startswith("JSON lines"))
    assert Watched.asked == {field for layout in told for field in fields(layout)}


def test_arrays_are_called_as_is_told(data_folder):
    told = {place: fields(layout) for place, layout in FILES.items() if "NumPy" in layout}
    for (name, file), names in told.items():
        if not (data_folder / name / file).is_file():
            pytest.skip(f"the corpus {name} is missing from COTERIE_DATA")
        with np.load(data_folder / name / file) as arrays:
            found = set(arrays)
        for each in names:
            pattern = re.sub("_(DOC|SET)$", "_.+", each)
            assert any(re.fullmatch(pattern, array) for array in found), each


def test_the_scorer_tests_have_the_keys_that_are_told(data_folder):
    path = data_folder / "coref_scorer_tests" / "expected.json"
    if not path.is_file():
        pytest.skip("the corpus coref_scorer_tests is missing from COTERIE_DATA")
    told = set(fields(FILES["coref_scorer_tests", path.name]))
    assert all(told <= set(case) for case in json.loads(path.read_text(encoding="utf-8")))


def test_a_missing_corpus_says_what_its_missing_files_hold(tmp_path):
    files = {"a.csv": "CSV: id; from 0", "b.csv": "CSV: x, y", "c.csv": "CSV: x, y", "d.csv": "no"}
    (tmp_path / "things").mkdir()
    (tmp_path / "things" / "d.csv").touch()
    with pytest.raises(InputError) as told:
        Source("things", files, "somewhere").find(tmp_path)
    assert str(told.value) == (
        "the corpus things is missing or incomplete: the folder "
        f"{tmp_path / 'things'} lacks a.csv (CSV: id) and b.csv, c.csv (CSV: x, y). These files "
        "are made from somewhere; `coterie data show things` says more. Give the folder that holds "
        "things as the argument folder (--data on the command line) or in the environment variable "
        "COTERIE_DATA"
    )
