"""The catalogue of corpora is complete and agrees with the files."""

import inspect

import pytest

import coterie
from coterie_papers import corpora
from coterie_papers.corpora import entries
from coterie_papers.corpora.catalogue import CATALOGUE, CorpusEntry, Reading, check
from coterie_papers.corpora.folder import Source
from coterie_papers.reproducing import PAPERS

READINGS = [reading for entry in CATALOGUE.values() for reading in entry.readings + entry.others]
# Reading these again takes long, and the tests of their readers check their counts too.
LONG = {"gum_coref", "newsgroups_threads", "dedup", "webkb"}


WITHOUT_READER = {"magellan", "multisource"}
"""Folders with tables to be linked across sources, which no experiment reads yet."""


def loaders():
    """Return the names of the public readers that read files."""
    names = [name for name in corpora.__all__ if name.startswith("load_")]
    return {n for n in names if "folder" in inspect.signature(getattr(corpora, n)).parameters}


def test_every_reader_is_in_the_catalogue():
    assert loaders() <= {reading.loader for reading in READINGS}


def test_every_reading_is_a_call_of_a_public_reader():
    assert {reading.loader for reading in READINGS} <= loaders()
    for reading in READINGS:
        inspect.signature(getattr(corpora, reading.loader)).bind(folder="f", **reading.arguments)


def test_entries_are_complete():
    for name, entry in CATALOGUE.items():
        assert entry.name == name
        assert entry.data in ("same", "near", "extra")
        assert bool(entry.serves) == (entry.data != "extra")
        assert {use.split()[0] for use in entry.serves} <= set(PAPERS)
        assert entry.about
        assert entry.licence
        assert all("GitHub" in origin for origin in entry.origins.values())
        assert {reading.source.name for reading in entry.readings + entry.others} == {name}


def test_every_folder_of_data_is_in_the_catalogue(data_folder):
    folders = {path.name for path in data_folder.iterdir() if path.is_dir()}
    assert folders - WITHOUT_READER <= set(CATALOGUE)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in CATALOGUE],
)
def test_counts_agree_with_the_corpora(name, data_folder):
    if CATALOGUE[name].state(data_folder) == "missing":
        pytest.skip(f"the corpus {name} is missing from COTERIE_DATA")
    assert list(check([CATALOGUE[name]], data_folder)) == [(CATALOGUE[name], [])]


def source(*files):
    return Source("aminer_names", dict.fromkeys(files, "CSV: a"), "somewhere on GitHub")


def entry_of(*readings, others=()):
    return CorpusEntry("aminer_names", "names", "extra", (), "CC0", readings, others)


ROWS = (
    "item_set,part,cluster,title,authors,venue,year,organization\nA,train,0,,,,,\nA,train,1,,,,,\n"
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "aminer_names").mkdir()
    (tmp_path / "aminer_names" / "rows.csv").write_text(ROWS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def rows(monkeypatch):
    """Make a reader read the file of these tests."""
    from coterie_papers.corpora import authors

    monkeypatch.setattr(authors, "PUBLICATIONS", "rows.csv")
    monkeypatch.setattr(authors, "SOURCE", source("rows.csv"))


def reading_of(item_sets=1, items=2, clusters=2, **arguments):
    counts = {"item sets": item_sets, "items": items, "clusters": clusters}
    return Reading("load_aminer_names", source("rows.csv"), counts, arguments)


def test_a_complete_corpus_has_no_faults(rows, folder):
    entry = entry_of(reading_of(), reading_of(0, 0, 0, split="test"))
    assert list(check([entry], folder)) == [(entry, [])]
    assert entry.counts == {"item sets": 1, "items": 2, "clusters": 2}
    assert entry.state(folder) == "there"


def test_other_counts_are_faults(rows, folder):
    entry = entry_of(reading_of(items=1_000), others=(reading_of(2, clusters=5, split="train"),))
    ((_, faults),) = check([entry], folder)
    assert faults == [
        "load_aminer_names() gives 2 items instead of 1,000",
        "load_aminer_names(split='train') gives 1 item sets instead of 2",
        "load_aminer_names(split='train') gives 2 clusters instead of 5",
    ]


def test_damaged_files_are_faults(rows, folder):
    path = folder / "aminer_names" / "rows.csv"
    path.write_text(f"{ROWS}A\n", encoding="utf-8")
    ((_, faults),) = check([entry_of(reading_of())], folder)
    assert len(faults) == 1
    assert f"{path} cannot be read (line 4: the row has more or fewer" in faults[0]


def test_missing_files_are_reported_and_the_others_read(rows, folder):
    lacking = Reading("load_aminer_names", source("rows.csv", "more.csv"), {})
    entry = entry_of(reading_of(items=3), others=(lacking,))
    assert entry.state(folder) == "in part"
    ((_, faults),) = check([entry], folder)
    assert faults == ["missing: more.csv", "load_aminer_names() gives 2 items instead of 3"]
    assert entry.state(folder / "nowhere") == "missing"
    assert entry.missing(folder / "nowhere") == ["rows.csv", "more.csv"]


def test_checks_report_progress(rows, folder):
    steps = []
    with coterie.progress(steps.append):
        list(check([entry_of(reading_of(), reading_of(split="train"))], folder))
    assert [(step.done, step.total, step.detail) for step in steps] == [
        (0, 2, "load_aminer_names()"),
        (1, 2, "load_aminer_names(split='train')"),
    ]


def test_results_of_all_kinds_are_counted():
    graph = coterie.ItemSet.from_pair_features([[1.0], [-1.0], [1.0]], 3)
    counts = {"item sets": 2, "items": 6, "positive pairs": 4}
    assert entries.count_items({"a": graph, "b": graph}) == counts
    case = corpora.ScorerCase("A", [], [], {"muc": (1.0, 1.0, 1.0)}, True)
    assert entries.count_items([case, case]) == {"cases": 2, "figures": 6}
