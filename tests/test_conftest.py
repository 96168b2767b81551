"""Tests of `conftest.py`: which skips fail, and which tests share a process."""

import os
import subprocess
import sys

import pytest

TESTS = """
import pytest

def test_data(data_folder):
    assert data_folder.is_dir()

def test_library():
    pytest.importorskip("no_such_library")

def test_else():
    pytest.skip("for another reason")
"""
FILE = 'import pytest\n\npytest.importorskip("no_such_library")\n\ndef test_nothing(): ...\n'
PROCESSES = """
import os
import pytest

@pytest.mark.parametrize("count", range(9))
def test_process(count):
    with open(__name__ + ".processes", "a") as file:
        print(os.getpid(), file=file)
"""


@pytest.fixture
def run(pytestconfig, tmp_path):
    """Return a function that runs test files with `conftest.py`, and returns the summary."""

    def run(files, *arguments, **environment):
        conftest = (pytestconfig.rootpath / "conftest.py").read_text(encoding="utf-8")
        for name, text in {"conftest": conftest, **files}.items():
            (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
        done = subprocess.run(  # noqa: S603
            command,
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.strip().splitlines()[-1].partition(" in ")[0]

    return run


@pytest.mark.parametrize(
    ("require", "summary"),
    [
        ("", "4 skipped"),
        ("data", "3 skipped, 1 error"),
        ("libraries", "1 failed, 2 skipped, 1 error"),
        ("data,libraries", "1 failed, 1 skipped, 2 errors"),
    ],
)
def test_skips_of_required_data_and_libraries_fail(run, require, summary):
    files = {"test_a": TESTS, "test_b": FILE}
    environment = {"COTERIE_DATA": "", "COTERIE_REQUIRE": require}
    assert run(files, "--continue-on-collection-errors", **environment) == summary


def test_the_tests_of_a_subject_share_a_process(run, tmp_path):
    """By default, pytest-xdist would run tests of each file in both processes."""
    names = ("test_a", "test_b", "test_dirichlet", "test_other_dirichlet")
    assert run(dict.fromkeys(names, PROCESSES), "--numprocesses", "2") == "36 passed"
    processes = [set((tmp_path / f"{name}.processes").read_text().split()) for name in names]
    assert [*map(len, processes)] == [1, 1, 1, 1]
    assert processes[2] == processes[3]
