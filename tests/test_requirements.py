"""`COTERIE_REQUIRE`: what a machine promises to have is no reason to skip."""

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


@pytest.fixture
def outcomes(pytestconfig, tmp_path):
    """Return a function that runs tests where neither the data nor a library is there."""

    def run(require):
        conftest = (pytestconfig.rootpath / "conftest.py").read_text(encoding="utf-8")
        for name, text in {"conftest": conftest, "test_a": TESTS, "test_b": FILE}.items():
            (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-p",
                "no:cacheprovider",
                "--continue-on-collection-errors",
            ],
            cwd=tmp_path,
            env={**os.environ, "COTERIE_DATA": "", "COTERIE_REQUIRE": require},
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
def test_what_is_required_fails(outcomes, require, summary):
    assert outcomes(require) == summary
