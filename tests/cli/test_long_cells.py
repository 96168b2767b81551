"""Every command refuses cells that are too long, and allows them on request."""

import pytest

from coterie import tables
from coterie.tables import Table, write_table
from coterie.tables.io import cells
from tests.commands import error_of, run
from tests.people import people

COMMANDS = {
    "fit": "fit TABLE --cluster who --learner logistic -o out.coterie",
    "predict": "predict MODEL TABLE -o out.csv",
    "evaluate": "evaluate MODEL TABLE",
    "explain": "explain MODEL TABLE r000 r001",
    "clusters": "clusters MODEL TABLE",
    "report": "report MODEL TABLE -o out.html",
    "init": "init TABLE",
    "plan": "plan TABLE",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    table = people(60, 0)
    tables.fit(table, cluster="who", learner="logistic").save(folder / "m.coterie")
    table["surname"][1] = "x" * 101
    write_table(folder / "t.csv", Table(table))
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_long_cells_are_read_on_request_only(command, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(cells, "MAX_CELL", 100)
    monkeypatch.chdir(tmp_path)
    paths = {"TABLE": folder / "t.csv", "MODEL": folder / "m.coterie"}
    words = [paths.get(word, word) for word in COMMANDS[command].split()]
    assert error_of(run(*words)).endswith(
        "t.csv: line 3, column surname has 101 characters, more than 100; shorten the cell, or "
        "allow long cells with --long-cells"
    )
    assert run(*words, "--long-cells").exit_code == 0
