"""Temporary files of killed programs, which are removed, and files that must stay."""

import os
import signal
import subprocess
import sys

import pytest

from coterie._core.files import replacing

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no locks of this kind")

STEPS = """
import os, sys
from coterie._core.files import replacing

STEPS = ["open", "write", "fstat", "fchown", "fchmod", "fsync", "rename", "unlink"]
step = 0

def counted(name):
    function = getattr(os, name)
    def call(*args, **options):
        global step
        step += 1
        if step == int(sys.argv[2]):
            os.kill(os.getpid(), 9)
        return function(*args, **options)
    return call

for name in ("open", "fdopen", "fsync", "fchown", "fchmod", "rename", "replace", "unlink"):
    setattr(os, name, counted(name))

with replacing(sys.argv[1]) as stream:
    for _ in range(3):
        step += 1
        if step == int(sys.argv[2]):
            stream.flush()
            os.kill(os.getpid(), 9)
        stream.write(b"new" * 1000)
print(step)
"""
"""A program that writes a file, and that is killed at its nth step."""

WAITING = """
import sys
from coterie._core.files import replacing

with replacing(sys.argv[1]) as stream:
    stream.write(b"first")
    print("begun", flush=True)
    sys.stdin.readline()
"""


def python(program, *words, **options):
    command = [sys.executable, "-c", program, *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options)  # noqa: S603


def write(path, content):
    with replacing(path) as stream:
        stream.write(content)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"old")
    return path


def test_a_writer_killed_at_any_step_leaves_a_whole_file_and_nothing_for_long(tmp_path, file):
    child = python(STEPS, file, 0)
    n_steps = int(child.communicate()[0])
    assert n_steps > 8
    left = 0
    for step in range(1, n_steps + 1):
        file.write_bytes(b"old")
        child = python(STEPS, file, step)
        child.communicate()
        assert child.returncode == -signal.SIGKILL
        assert file.read_bytes() in {b"old", b"new" * 3000}
        left += len(list(tmp_path.iterdir())) > 1
        write(file, b"next")
        assert file.read_bytes() == b"next"
        assert list(tmp_path.iterdir()) == [file]
    assert left > 3  # most of these steps are between the first and the last of a temporary file


def test_the_temporary_file_of_a_living_writer_stays(tmp_path, file):
    child = python(WAITING, file, stdin=subprocess.PIPE)
    assert child.stdout.readline() == "begun\n"
    write(file, b"second")
    assert file.read_bytes() == b"second"
    assert len(list(tmp_path.iterdir())) == 2
    child.communicate("\n")
    assert child.returncode == 0
    assert file.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [file]


def test_leftovers_of_earlier_versions_are_removed(tmp_path, file):
    (tmp_path / ".table.csv.0123456789abcdef.tmp").write_bytes(b"half")
    (tmp_path / ".table.csv.0123456789abcdee.tmp").touch(0o444)
    write(file, b"new")
    assert list(tmp_path.iterdir()) == [file]


def test_files_with_other_names_stay(tmp_path, file):
    names = [
        ".table.csv.0123456789abcde.tmp",  # 15 digits
        ".table.csv.0123456789ABCDEF.tmp",
        ".table.csv.0123456789abcdef.tmp2",
        ".table.csv.0123456789abcdef",
        ".table.csv.notes.tmp",
        ".tableXcsv.0123456789abcdef.tmp",
        ".other.csv.0123456789abcdef.tmp",
        "table.csv.0123456789abcdef.tmp",
        "x.table.csv.0123456789abcdef.tmp",
    ]
    for name in names:
        (tmp_path / name).touch()
    write(file, b"new")
    assert {path.name for path in tmp_path.iterdir()} == {file.name, *names}


def test_only_files_are_removed(tmp_path, file):
    digits = "0123456789abcde"
    (tmp_path / f".table.csv.{digits}0.tmp").mkdir()
    (tmp_path / f".table.csv.{digits}1.tmp").symlink_to(file)
    os.mkfifo(tmp_path / f".table.csv.{digits}2.tmp")
    write(file, b"new")
    assert len(list(tmp_path.iterdir())) == 4
    assert file.read_bytes() == b"new"


def test_a_writer_whose_file_was_removed_before_it_was_locked_makes_another(
    tmp_path, file, monkeypatch
):
    """Another program may find the file between its creation and its lock."""
    fcntl = pytest.importorskip("fcntl")
    lock, removed = fcntl.flock, []

    def lock_late(handle, operation):
        if operation == fcntl.LOCK_EX and len(removed) < 2:
            (temporary,) = set(tmp_path.iterdir()) - {file}
            temporary.unlink()
            removed.append(temporary)
        lock(handle, operation)

    monkeypatch.setattr(fcntl, "flock", lock_late)
    write(file, b"new")
    assert len(removed) == 2
    assert file.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [file]


def test_without_locks_files_are_written_and_leftovers_stay(tmp_path, file, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def refuse(_handle, _operation):
        raise OSError(38, "Function not implemented")

    leftover = tmp_path / ".table.csv.0123456789abcdef.tmp"
    leftover.touch()
    monkeypatch.setattr(fcntl, "flock", refuse)
    write(file, b"new")
    assert file.read_bytes() == b"new"
    assert set(tmp_path.iterdir()) == {file, leftover}


def test_writers_of_one_file_at_the_same_time_all_succeed(tmp_path, file):
    program = (
        "import sys\n"
        "from coterie._core.files import replacing\n"
        "for _ in range(100):\n"
        "    with replacing(sys.argv[1]) as stream:\n"
        "        stream.write(sys.argv[2].encode() * 5000)\n"
    )
    children = [python(program, file, letter) for letter in "abcd"]
    for child in children:
        child.communicate()
    assert [child.returncode for child in children] == [0] * 4
    assert file.read_bytes() in {letter.encode() * 5000 for letter in "abcd"}
    assert list(tmp_path.iterdir()) == [file]
