"""`coterie warm` with a walk that uses two functions; tests/test_wheel.py has the real one."""

import numba
import pytest

from coterie._kernels import caching, storing
from coterie._kernels.compiling import kernel
from coterie.demo import warming
from coterie.demo.walking import Stage
from tests import commands


@kernel
def double(value):
    return 2 * value


@kernel
def triple(value):
    return 3 * value


@pytest.fixture
def _walk(monkeypatch, tmp_path):
    """Let the walk use two functions, as a new process would."""

    def use(_):
        for function in (double, triple):
            kernel(function.py_func)(21)

    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "caches"))
    monkeypatch.setattr(warming, "stages", lambda: iter([Stage("two functions", use)]))
    for name in ("loaded_files", "written_files"):
        files = {}
        for module in (caching, warming):
            monkeypatch.setattr(module, name, files)


def output_of(*words):
    for files in (caching.loaded_files, caching.written_files):
        files.clear()
    done = commands.run("warm", *words)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.usefixtures("_walk")
def test_it_says_what_it_compiled():
    assert output_of().startswith("compiled 2 functions in ")
    assert output_of() == "all 2 functions are compiled already\n"
    next(storing.user_folder().glob("*double*")).unlink()
    (line,) = output_of().splitlines()
    assert line.startswith("compiled 1 function in ")
    assert line.endswith(" (compiled already: 1)")


@pytest.mark.usefixtures("_walk")
def test_it_copies_the_compiled_functions(tmp_path):
    folder = tmp_path / "new" / "compiled"
    for _ in range(2):
        output_of("--output", folder)
        files = sorted(folder.iterdir())
        assert [file.name.split("-")[0] for file in files] == [
            "test_warming.double",
            "test_warming.triple",
        ]
        for file in files:
            assert file.read_bytes() == (storing.user_folder() / file.name).read_bytes()
            assert file.stat().st_mode & 0o777 == 0o644


@pytest.mark.usefixtures("_walk")
def test_it_fails_if_nothing_can_be_kept(monkeypatch):
    monkeypatch.setattr(storing, "user_path", lambda: None)
    done = commands.run("warm")
    assert done.exit_code == 2
    assert "could not be kept" in done.stderr


@pytest.mark.usefixtures("_walk")
def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "file").touch()
    line = commands.error_of(commands.run("warm", "--output", tmp_path / "file"))
    assert "no file can be written to the folder" in line
