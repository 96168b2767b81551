"""The command `coterie reproduce`, with a paper of one table."""

import sys
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from coterie import cli
from coterie.toolkit import report
from coterie_papers import reproducing
from coterie_papers.engine.tables import Table

run = CliRunner().invoke


@pytest.fixture
def paper(monkeypatch, tmp_path):
    """Register a paper of one table, which shows the settings of its context."""
    package, module = ModuleType("one_table"), ModuleType("one_table.tables")
    package.__doc__ = "Nobody 1999, One Table."

    def make(context):
        """Show the context."""
        if context.n_jobs == 13:
            raise KeyboardInterrupt
        report(context.task, 1, 2)
        settings = {
            "jobs": str(context.n_jobs),
            "data": str(context.data_folder),
            "quick": str(context.quick),
        }
        return [Table.from_rows("A table", {"value": settings}, notes=["A note."], data="none.")]

    module.TABLES = {"table1": make}
    monkeypatch.setitem(sys.modules, "one_table", package)
    monkeypatch.setitem(sys.modules, "one_table.tables", module)
    monkeypatch.setattr(reproducing, "PAPERS", {"one": "one_table"})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_main(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["coterie", *arguments])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    return stop.value.code


def test_reproduce_prints_and_writes(paper):
    result = run(cli.app, ["reproduce", "one", "--jobs", "3", "--data", "corpora"])
    assert result.exit_code == 0
    assert [line.split() for line in result.stdout.splitlines() if line.strip(" ─")] == [
        ["A", "table"],
        ["jobs", "data", "quick"],
        ["value", "3", "corpora", "False"],
        ["Data:", "none."],
        ["A", "note."],
        ["All", "tables:", str(Path("coterie-results", "one", "index.html"))],
    ]
    assert result.stderr == ""
    path = paper / "coterie-results" / "one" / "table1.csv"
    assert path.read_text() == ",jobs,data,quick\nvalue,3,corpora,False\n"


def test_reproduce_takes_all_cores_and_the_default_data(paper):
    run(cli.app, ["reproduce", "one", "--only", "table1", "--out", "results"])
    path = paper / "results" / "one" / "table1.csv"
    assert path.read_text() == ",jobs,data,quick\nvalue,None,None,False\n"


def test_reproduce_quickly(paper):
    result = run(cli.app, ["reproduce", "one", "--quick"])
    page = Path("coterie-results", "one", "quick", "index.html")
    assert result.stdout.endswith(f"do not quote its figures.\nAll tables: {page}\n")
    assert page.exists()
    path = paper / "coterie-results" / "one" / "quick" / "table1.csv"
    assert path.read_text() == ",jobs,data,quick\nvalue,None,None,True\n"
    assert not (paper / "coterie-results" / "results").exists()


def test_reproduce_lists_papers_and_tables(paper):
    result = run(cli.app, ["reproduce", "--list"])
    assert result.stdout == "one: Nobody 1999, One Table\n  table1  Show the context.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the name of the paper is missing; give one"),
        (["two"], "there is no paper 'two'; give one"),
        (["one", "--only", "table2"], "one has no table 'table2'; give table1"),
    ],
)
def test_reproduce_lists_the_valid_names(arguments, message, paper, monkeypatch, capsys):
    assert run_main(monkeypatch, "reproduce", *arguments) == 2
    assert capsys.readouterr().err == f"coterie: {message}\n"


def test_reproduce_can_be_stopped(paper, monkeypatch, capsys):
    assert run_main(monkeypatch, "reproduce", "one", "--jobs", "13") == 130
    assert capsys.readouterr().err == "coterie: stopped; run the same command again to continue\n"
