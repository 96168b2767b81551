import subprocess
import sys

import pytest
from typer.testing import CliRunner

import coterie
from coterie import cli
from coterie.exceptions import InputError

run = CliRunner().invoke


def test_version():
    assert run(cli.app, ["--version"]).output == f"coterie {coterie.__version__}\n"


def test_help_names_the_commands():
    result = run(cli.app, ["--help"])
    assert result.exit_code == 0
    assert "demo" in result.output


def test_demo_shows_every_metric():
    result = run(cli.app, ["demo", "--rows", "200"])
    assert result.exit_code == 0
    for name in [*coterie.metrics.summary([0], [0]), "weighted_clustering_error"]:
        assert name in result.output
    assert "200 records of" in result.output


def test_python_dash_m():
    done = subprocess.run(
        [sys.executable, "-m", "coterie", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("coterie ")


def test_an_error_of_the_user_is_one_line(monkeypatch, capsys):
    def fail():
        raise InputError("item set 3: row 0 has a NaN")

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 2
    assert capsys.readouterr().err == "coterie: item set 3: row 0 has a NaN\n"


def test_wrong_options_are_refused():
    assert run(cli.app, ["demo", "--rows", "0"]).exit_code == 2
    assert run(cli.app, ["nonsense"]).exit_code == 2
