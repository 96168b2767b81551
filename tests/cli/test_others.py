"""Commands of other distributions, which are installed for a real process."""

import os
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from coterie.cli import others
from coterie.cli.ending import Commands
from coterie.exceptions import CoterieError

GREETING = """
import typer

app = typer.Typer(help="Greet and part.")

@app.command()
def goodbye(name: str) -> None:
    typer.echo(f"Goodbye, {name}.")

@app.command()
def welcome(name: str) -> None:
    typer.echo(f"Welcome, {name}.")

def hello(name: str) -> None:
    "Say hello."
    typer.echo(f"Hello, {name}.")
"""


@pytest.fixture
def install(tmp_path):
    """Return a function that installs a distribution and returns a runner of `coterie`."""

    def install_distribution(points, module=GREETING):
        (tmp_path / "greeting.py").write_text(module)
        info = tmp_path / "greeting-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n")
        lines = [f"{name} = {place}" for name, place in points.items()]
        (info / "entry_points.txt").write_text("\n".join(["[coterie.commands]", *lines]) + "\n")
        return coterie

    def coterie(*words):
        path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
        return subprocess.run(  # noqa: S603
            [sys.executable, "-m", "coterie", *words],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": path, "TERM": "dumb", "COLUMNS": "100"},
        )

    return install_distribution


def test_functions_and_groups_become_commands(install):
    coterie = install({"hello": "greeting:hello", "greet": "greeting:app"})
    help_text = coterie("--help").stdout
    assert "hello" in help_text
    assert "Say hello." in help_text
    assert "Greet and part." in help_text
    assert coterie("hello", "Ann").stdout == "Hello, Ann.\n"
    assert coterie("greet", "goodbye", "Ann").stdout == "Goodbye, Ann.\n"


@pytest.mark.parametrize(
    ("module", "error"),
    [
        ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("1 / 0\n", "ZeroDivisionError: division by zero"),
        ("", "AttributeError: module 'greeting' has no attribute 'hello'"),
    ],
)
def test_a_broken_command_does_not_stop_other_commands(install, module, error):
    coterie = install({"hello": "greeting:hello"}, module)
    done = coterie("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("coterie ")
    assert done.stderr == (
        f"coterie: the command hello of greeting:hello cannot be loaded ({error}); "
        "install its distribution again\n"
    )


@pytest.mark.parametrize("name", others.INSTALLED_BY)
@pytest.mark.parametrize("words", [[], ["svm-cluster", "--quick"], ["--help"], ["list", "-x", "1"]])
def test_a_missing_command_says_how_to_install_it(name, words, monkeypatch):
    monkeypatch.setattr(others, "entry_points", lambda group: ())
    app = typer.Typer()
    app.command("fit")(lambda: None)
    others.add_others(app)
    help_text = CliRunner().invoke(app, ["--help"]).output
    assert "fit" in help_text
    assert name not in help_text
    result = CliRunner().invoke(app, [name, *words])
    assert isinstance(result.exception, CoterieError)
    assert str(result.exception).endswith("install it with: pip install coterie-papers")


def test_a_missing_command_ends_with_one_line_and_exit_code_2(monkeypatch):
    monkeypatch.setattr(others, "entry_points", lambda group: ())
    app = typer.Typer(cls=Commands)
    app.command("fit")(lambda: None)
    others.add_others(app)
    result = CliRunner().invoke(app, ["data", "list"])
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert "`coterie data` needs coterie-papers" in result.stderr
