"""The command `coterie data` on tiny folders."""

import json
import sys

import pytest
from typer.testing import CliRunner

from coterie import cli
from coterie_papers.corpora import authors, catalogue
from coterie_papers.corpora.catalogue import CorpusEntry, Reading
from coterie_papers.corpora.folder import Source

ROWS = (
    "item_set,part,cluster,title,authors,venue,year,organization\nA,train,0,,,,,\nA,train,1,,,,,\n"
)


def run(*arguments):
    return CliRunner().invoke(cli.app, ["data", *map(str, arguments)], env={"COLUMNS": "80"})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with one of two corpora, which its reader finds."""
    (tmp_path / "aminer_names").mkdir()
    (tmp_path / "aminer_names" / "rows.csv").write_text(ROWS, encoding="utf-8")
    present = Source("aminer_names", {"rows.csv": "CSV: name, cluster"}, "AMiner on GitHub")
    absent = Source("usps", {"usps.npz": "NumPy arrays: X, y"}, "the USPS digits on GitHub")
    monkeypatch.setattr(authors, "PUBLICATIONS", "rows.csv")
    monkeypatch.setattr(authors, "SOURCE", present)
    counts = {"item sets": 1, "items": 2, "clusters": 2}
    entries = {
        "aminer_names": CorpusEntry(
            "aminer_names",
            "publications by author",
            "extra",
            (),
            "CC0",
            (Reading("load_aminer_names", present, counts),),
        ),
        "usps": CorpusEntry(
            "usps",
            "handwritten digits",
            "same",
            ("dirichlet Table 1",),
            "not stated",
            (Reading("load_usps", absent, {"item sets": 92, "items": 9_200, "clusters": 460}),),
        ),
    }
    monkeypatch.setattr(catalogue, "CATALOGUE", entries)
    return tmp_path


def test_the_list_shows_the_state_of_each_corpus(folder):
    result = run("list", "--data", folder)
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["aminer_names", "there", "1", "2", "2", "publications", "by", "author"] in lines
    assert ["usps", "missing", "92", "9,200", "460", "handwritten", "digits"] in lines
    assert ["CC0"] in lines
    assert "  usps/usps.npz: the USPS digits on GitHub\n" in result.stdout
    assert "rows.csv" not in result.stdout


def test_the_list_takes_the_default_folder(folder, monkeypatch):
    monkeypatch.setenv("COTERIE_DATA", str(folder))
    result = run("list")
    assert f"Corporain{folder}" in "".join(result.stdout.split())
    assert "there" in result.stdout


def test_a_complete_list_names_no_missing_files(folder):
    (folder / "usps").mkdir()
    (folder / "usps" / "usps.npz").touch()
    assert "Missing" not in run("list", "--data", folder).stdout


def test_the_list_as_json(folder):
    result = run("list", "--json", "--data", folder)
    first, second = json.loads(result.stdout)
    assert first["state"] == "there"
    assert first["counts"] == {"item sets": 1, "items": 2, "clusters": 2}
    assert second == {
        "name": "usps",
        "about": "handwritten digits",
        "data": "same",
        "serves": ["dirichlet Table 1"],
        "licence": "not stated",
        "state": "missing",
        "missing": ["usps.npz"],
        "counts": {"item sets": 92, "items": 9200, "clusters": 460},
        "files": {"usps.npz": "NumPy arrays: X, y"},
        "origins": {"usps.npz": "the USPS digits on GitHub"},
        "readers": ["load_usps()"],
    }


def test_the_real_catalogue_fits_80_columns(tmp_path):
    result = run("list", "--data", tmp_path)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert {line.split()[0] for line in lines if " missing " in line} == set(catalogue.CATALOGUE)
    assert sum(": " in line for line in lines) >= len(catalogue.CATALOGUE)


def test_all_facts_about_a_corpus_are_shown(folder):
    result = run("show", "usps", "aminer_names", "--data", folder)
    assert result.exit_code == 0
    first, second = result.stdout.split("\n\n")
    place = " ".join(first.split("state")[1].split("data ")[0].split())
    assert place == f"missing, in {folder / 'usps'}"
    lines = [line.split(maxsplit=1) for line in first.splitlines()]
    assert lines[0] == ["usps:", "handwritten digits"]
    for line in (
        ["data", "the data of a paper"],
        ["used", "for   dirichlet Table 1"],
        ["licence", "not stated"],
        ["size", "92 item sets, 9,200 items, 460 clusters"],
        ["files", "usps.npz (NumPy arrays: X, y)"],
        ["made", "from  the USPS digits on GitHub"],
        ["read", "by    load_usps()"],
        ["in", "Python  from coterie_papers.corpora import load_usps"],
        ["help(load_usps)"],
    ):
        assert line in lines
    assert "used for" not in second
    assert "rows.csv (CSV: name, cluster)" in second


def test_files_are_shown_with_their_origins(tmp_path):
    text = " ".join(run("show", "peers", "--data", tmp_path).stdout.split())
    assert "peers/cora.csv.gz, peers/restaurant.csv.gz: cleanzr/RLdata on GitHub" in text
    assert "load_peers(name='febrl3')" in text


@pytest.mark.parametrize("name", catalogue.CATALOGUE)
def test_the_facts_fit_80_columns(name, tmp_path):
    result = run("show", name, "--data", ".")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_complete_corpora_are_checked_and_missing_ones_listed(folder):
    result = run("check", "--data", folder)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "ok       aminer_names        1 item sets, 2 items, 2 clusters",
        "missing  usps                all of its files are missing",
        "1 ok, 1 missing",
        "`coterie data show NAME` shows the source and the content of each file.",
    ]
    assert result.stderr == ""


def test_wrong_counts_are_reported(folder):
    (folder / "aminer_names" / "rows.csv").write_text(f"{ROWS}B,test,0,,,,,\n", encoding="utf-8")
    result = run("check", "aminer_names", "--data", folder)
    assert result.exit_code == 1
    start = " " * 29
    assert result.stdout.splitlines() == [
        "wrong    aminer_names        load_aminer_names() gives 2 item sets instead of 1",
        f"{start}load_aminer_names() gives 3 items instead of 2",
        f"{start}load_aminer_names() gives 3 clusters instead of 2",
        "1 wrong",
    ]


def test_damaged_files_are_reported(folder):
    (folder / "aminer_names" / "rows.csv").write_text(f"{ROWS}B\n", encoding="utf-8")
    result = run("check", "--data", folder)
    assert result.exit_code == 1
    text = " ".join(result.stdout.split())
    assert "rows.csv cannot be read (line 4: the row has more or fewer cells than" in text
    assert "1 wrong, 1 missing" in text


def test_a_named_corpus_must_not_be_missing(folder):
    assert run("check", "usps", "--data", folder).exit_code == 1
    assert run("check", "aminer_names", "aminer_names", "--data", folder).stdout.count("ok") == 2


def test_an_unknown_corpus_is_refused(folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["coterie", "data", "check", "muc6"])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 2
    assert capsys.readouterr().err == (
        "coterie: there is no corpus 'muc6'; give one of aminer_names, usps\n"
    )
