"""The origin of results: commits, machines, days and times."""

import os
import shutil
import subprocess

import pytest

from coterie_papers.engine.cells import Cells
from coterie_papers.engine.provenance import Origin, Origins, commit_of, machine, n_cores

KEY = {"n": 1, "version": 1}


@pytest.fixture
def checkout(tmp_path):
    """Make a checkout of one commit with a package in it; return a function that calls git."""
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")

    def call(*arguments):
        author = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
        command = [git, "-C", str(tmp_path), *author, *arguments]
        process = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
        return process.stdout.strip()

    call("init", "-q")
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (tmp_path / ".gitignore").write_text("ignored\n*.pyc\n")
    call("add", ".")
    call("commit", "-q", "-m", "one")
    return call


def test_the_commit_of_a_package(checkout, tmp_path):
    package = tmp_path / "package"
    assert commit_of(package) == checkout("rev-parse", "HEAD")[:7]
    (tmp_path / "notes.txt").write_text("")  # outside the package
    (package / "x.pyc").write_text("")
    assert not commit_of(package).endswith("+")


@pytest.mark.parametrize("name", ["__init__.py", "new.py"])
def test_a_changed_package_is_marked(checkout, tmp_path, name):
    (tmp_path / "package" / name).write_text("x = 1")
    assert commit_of(tmp_path / "package") == checkout("rev-parse", "HEAD")[:7] + "+"


def test_a_package_in_the_checkout_of_another_has_no_commit(checkout, tmp_path):
    (tmp_path / "ignored").mkdir()
    (tmp_path / "ignored" / "__init__.py").write_text("")
    assert commit_of(tmp_path / "ignored") == ""


def test_a_package_outside_a_checkout_has_no_commit(tmp_path, monkeypatch):
    (tmp_path / "__init__.py").write_text("")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert commit_of(tmp_path) == ""
    monkeypatch.setenv("PATH", "")
    assert commit_of(tmp_path) == ""


def test_the_machine_is_described():
    assert machine().startswith(f"{n_cores()} core")
    assert "Python 3." in machine()


def test_a_cell_stores_its_origin(tmp_path):
    cells = Cells(tmp_path)
    list(cells.run([KEY], lambda key: {"loss": 1.0}, n_jobs=1))
    origin = Origin.of(cells.path(KEY))
    assert origin.machine == machine()
    assert origin.processes == 1
    assert origin.date.endswith("Z")


def test_old_cells_have_the_date_of_their_file(tmp_path):
    cells = Cells(tmp_path)
    content = (
        '{"key": {"n": 1, "version": 1}, "values": {"loss": 2.5}, "seconds": 7.5, "coterie": "0"}'
    )
    cells.path(KEY).write_text(content)
    os.utime(cells.path(KEY), (86400 * 365, 86400 * 365))
    assert cells.find(KEY) == {"loss": 2.5}
    assert Origin.of(cells.path(KEY)) == Origin("1971-01-01T00:00:00Z", 7.5, n_cores())


def test_origins_of_several_parts_are_united():
    origins = Origins.union(
        [
            Origins({"b": Origin("2024-05-02T10:00:00Z", 300.0, 2, "bbbbbbb+", "large")}),
            Origins({"a": Origin("2024-05-01T10:00:00Z", 60.0, 1, "aaaaaaa", "small")}),
            Origins(
                {
                    "b": Origin("2024-05-02T10:00:00Z", 300.0, 2, "bbbbbbb+", "large"),
                    "c": Origin("2024-05-03T10:00:00Z", 600.0, 2),
                }
            ),
        ]
    )
    assert origins.commits == ["aaaaaaa", "bbbbbbb+"]
    assert origins.machines == ["small", "large"]
    assert origins.dates == "2024-05-01 to 2024-05-03"
    assert origins.seconds == 960.0
    assert origins.time == "8 min by 2 processes"  # 60 + 300 / 2 + 600 / 2
    single = Origins({"a": Origin("2024-05-01T10:00:00Z", 60.0)})
    assert (single.dates, single.time) == ("2024-05-01", "60 s by 1 process")
    assert (Origins({}).dates, Origins({}).time) == ("", "0 s by 1 process")
